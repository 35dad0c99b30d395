package gitops

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/run"
)

// Blobs that a partial clone left out. Only the git program knows how to ask the remote for them. Asked for one by
// one, each is a connection of its own (git does no better: its cat-file --batch fetches one at a time), so a file
// that is missing brings along those that are likely to be read next: its own kind in its folder and in the folders
// beside it, which is how translations lie.

// manyPromised bounds what one missing file brings along.
const manyPromised = 5000

// content reads a file as people see it.
func (t *Tip) content(name string, h hash) ([]byte, error) {
	stored, err := t.file(name, h)
	if err != nil {
		return nil, err
	}
	return t.smudged(name, h, stored)
}

// file reads what is stored for a file in the tree. What a partial clone left out is fetched.
func (t *Tip) file(name string, h hash) ([]byte, error) {
	data, err := t.stored(h)
	if !t.repo.promised(err) {
		return data, err
	}
	beside, err := t.missingBeside(name)
	if err != nil {
		return nil, err
	}
	if len(beside) > 1 {
		ctx, end := t.repo.watchRead()
		err := t.repo.fetchPromised(ctx, append([]hash{h}, beside...))
		end()
		if err == nil {
			if data, err := t.stored(h); err == nil {
				return data, nil
			}
		}
	}
	return t.blob(h)
}

// blob reads an object by itself.
func (t *Tip) blob(h hash) ([]byte, error) {
	data, err := t.stored(h)
	if !t.repo.promised(err) {
		return data, err
	}
	ctx, end := t.repo.watchRead()
	defer end()
	data, err = t.repo.runGit(ctx, run.Call{Args: []string{"cat-file", "blob", h.String()}, Env: t.repo.promisorEnvironment(ctx), Write: true})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnfetched, err)
	}
	return data, nil
}

// absent reads a commit or tree that a partial clone left out; git brings it from the remote.
func (r *Repo) absent(k object.Kind, h hash) ([]byte, error) {
	ctx, end := r.watchRead()
	defer end()
	data, err := r.runGit(ctx, run.Call{Args: []string{"cat-file", k.String(), h.String()}, Env: r.promisorEnvironment(ctx), Write: true})
	if err != nil {
		return nil, fmt.Errorf("%w: %s %s: %w", ErrUnfetched, k, h, err)
	}
	return data, nil
}

// stored reads an object that needs no remote.
func (t *Tip) stored(h hash) ([]byte, error) {
	if o, ok := t.extra[h]; ok {
		return append([]byte(nil), o.Data...), nil
	}
	return t.repo.objects.ReadAs(object.Blob, h)
}

// promised says whether an object is not here because a remote has it for us.
func (r *Repo) promised(err error) bool { return r.facts.Partial && errors.Is(err, object.ErrMissing) }

// missingBeside lists blobs that are not here: of files with the same extension in a file's folder, then in the folders
// beside it.
func (t *Tip) missingBeside(name string) ([]hash, error) {
	folder := path.Dir(name)
	folders := []string{folder}
	if folder != "." {
		around, err := t.ReadDir(path.Dir(folder))
		if err != nil {
			return nil, err
		}
		for _, e := range around {
			if at := path.Join(path.Dir(folder), e.Name()); e.IsDir() && at != folder {
				folders = append(folders, at)
			}
		}
	}
	var missing []hash
	seen := map[hash]bool{}
	for _, folder := range folders {
		e, err := t.lookup(folder, true)
		if err != nil || !e.IsDir() { // a submodule
			continue
		}
		d, err := t.readTree(e.Hash)
		if err != nil {
			return nil, err
		}
		for _, e := range d.entries {
			if seen[e.Hash] || !e.IsFile() || !strings.EqualFold(path.Ext(e.Name), path.Ext(name)) || t.repo.objects.Has(e.Hash) {
				continue
			}
			seen[e.Hash] = true
			if missing = append(missing, e.Hash); len(missing) == manyPromised {
				return missing, nil
			}
		}
	}
	return missing, nil
}

// Prefetch brings the blobs of files that a partial clone has left out here, all in one request. enter says which
// folders may hold such files. Where nothing is missing, or the repository is not partial, it asks nobody.
func (t *Tip) Prefetch(ctx context.Context, enter, wanted func(path string) bool) error {
	r := t.repo
	if !r.facts.Partial || r.o.Remote == "" {
		return nil
	}
	ctx, end := r.watch(ctx)
	defer end()
	missing := map[hash]bool{}
	if err := t.missing(ctx, ".", enter, wanted, missing); err != nil {
		return fmt.Errorf("look for what a partial clone left out: %w", err)
	}
	if len(missing) == 0 {
		return nil
	}
	if err := r.fetchPromised(ctx, slices.Collect(maps.Keys(missing))); err != nil {
		return fmt.Errorf("%w: fetch %d of them: %w", ErrUnfetched, len(missing), err)
	}
	return nil
}

func (t *Tip) missing(ctx context.Context, folder string, enter, wanted func(string) bool, missing map[hash]bool) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	at, err := t.lookup(folder, true)
	if err != nil {
		return err
	}
	entries, err := t.entriesOf(at.Hash)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name
		if folder != "." {
			name = folder + "/" + e.Name
		}
		switch {
		case e.Mode == object.ModeModule:
		case e.IsDir():
			if enter(name) {
				if err := t.missing(ctx, name, enter, wanted, missing); err != nil {
					return err
				}
			}
		case wanted(name) || e.Mode == object.ModeLink || e.Name == ".gitattributes":
			if !t.repo.objects.Has(e.Hash) {
				missing[e.Hash] = true
			}
		}
	}
	return nil
}

// fetchPromised lets git fetch objects by name, as it does itself for a checkout.
func (r *Repo) fetchPromised(ctx context.Context, list []hash) (err error) {
	defer r.done(opBlobs, time.Now(), &err)
	name := r.promisor()
	if name == "" {
		return ErrUnfetched
	}
	var in strings.Builder
	for _, h := range list {
		in.WriteString(h.String() + "\n")
	}
	_, err = r.runGit(ctx, run.Call{Args: []string{"-c", "fetch.negotiationAlgorithm=noop", "fetch", name, "--progress", "--no-tags", "--no-write-fetch-head",
		"--recurse-submodules=no", "--filter=blob:none", "--stdin"}, Stdin: []byte(in.String()), Env: r.promisorEnvironment(ctx), Write: true})
	return err
}

// promisor is the remote that has what was left out.
func (r *Repo) promisor() string {
	if name := r.set.get("extensions.partialclone"); name != "" {
		return name
	}
	for _, key := range sortedKeys(r.set) {
		if name, ok := strings.CutPrefix(key, "remote."); ok && r.set.bool(key, false) {
			if name, ok := strings.CutSuffix(name, ".promisor"); ok {
				return name
			}
		}
	}
	return ""
}

// promisorEnvironment gives our credentials to the promisor where it is our remote.
func (r *Repo) promisorEnvironment(ctx context.Context) []string {
	if name := r.promisor(); name != r.o.Remote {
		return nil
	}
	return r.remoteAt(r.o.Remote, r.set.remoteURL(r.o.Remote)).environment(ctx)
}
