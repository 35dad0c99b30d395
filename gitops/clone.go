package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/remote"
	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/gitops/run"
)

// A clone that we own: a bare repository that only this program works in, of which only the branches are fetched that
// are asked for. Where the git program can and the server allows it, blobs are left out until they are needed (Prefetch
// brings those of many files in one request). It has tracking references and the outbox, and no branches of its own:
// what the remote has counts, and what was not delivered is in the outbox. It can be made again at any time.

// Clone is what is done to a clone that we own.
type Clone struct {
	repo     *repository.Repository
	branches *remote.Branches
}

// CloneRemote is the name of the remote in a clone that we own.
const CloneRemote = "origin"

// OpenClone opens the clone of an address in a folder, after making it where it is not there. The error wraps the
// network's when it could not be made; then there is nothing in the folder. What cannot be opened as a repository any
// more is ErrDamaged.
//
// Options.Username and Options.Password are used and not stored; what is in the address is.
func OpenClone(ctx context.Context, dir, address string, o Options) (*Repo, error) {
	o.Remote = CloneRemote
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		if err := makeClone(ctx, dir, address, o); err != nil {
			return nil, fmt.Errorf("clone %s: %w", run.Redact(address), err)
		}
	}
	r, err := Open(ctx, dir, o)
	switch {
	case errors.Is(err, ErrOwner) || ctx.Err() != nil:
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if r.repo.Settings.Get("remote."+CloneRemote+".url") != address { // also where a repository above was found
		return nil, errors.Join(fmt.Errorf("open clone of %s: %w: its configuration has lost the address",
			run.Redact(address), ErrDamaged), r.Close())
	}
	r.Clone.sweepFetches()
	return r, r.Clone.withoutBranches(ctx)
}

// sweepFetches takes away what fetches that were interrupted have left. Git removes it when it collects garbage,
// which is not before a fetch has succeeded; a first fetch that breaks every quarter of an hour would fill the disk
// until then. The hour is what the oldest that could still be in use may be silent for.
func (c Clone) sweepFetches() {
	objects := filepath.Join(c.repo.Facts.CommonDir, "objects")
	for _, e := range run.UnfinishedPacks(objects) {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(filepath.Join(objects, "pack", e.Name()))
		}
	}
}

// Undelivered reports whether a commit waits in a clone for its delivery.
func Undelivered(ctx context.Context, dir string) (bool, error) {
	r, err := Open(ctx, dir, Options{Remote: CloneRemote})
	if err != nil {
		return false, fmt.Errorf("look for commits that were not delivered: %w", err)
	}
	waiting, err := r.repo.Refs.List(repository.Outbox(""))
	return len(waiting) > 0, errors.Join(err, r.Close())
}

// RemoveClone takes a clone away. Nothing is lost but what waits in its outbox, which is to be made again.
func RemoveClone(dir string) error {
	aside := dir + ".old" // gone at once, whatever takes long
	err := os.RemoveAll(aside)
	if err == nil {
		err = os.Rename(dir, aside)
	}
	if err == nil || errors.Is(err, os.ErrNotExist) {
		err = os.RemoveAll(aside)
	}
	if err != nil {
		return fmt.Errorf("remove clone: %w", err)
	}
	return nil
}

// makeClone makes the clone under another name and moves it there when the remote was seen to answer.
func makeClone(ctx context.Context, dir, address string, o Options) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	tmp := dir + ".new"
	if err := os.RemoveAll(tmp); err != nil { // of an earlier try
		return err
	}
	defer os.RemoveAll(tmp)
	for _, folder := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags"} {
		if err := os.MkdirAll(filepath.Join(tmp, folder), 0o700); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(tmp, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		return err
	}
	if err := setUpClone(ctx, tmp, address, object.SHA1, o); err != nil {
		return err
	}
	return os.Rename(tmp, dir)
}

// setUpClone writes the configuration and asks the remote for its branches: by their names it is seen when that has
// another format of them.
func setUpClone(ctx context.Context, dir, address string, f object.Format, o Options) error {
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(cloneConfig(address, f)), 0o600); err != nil {
		return err
	}
	r, err := Open(ctx, dir, o)
	if err != nil {
		return err
	}
	branches, head, err := r.Branches.List(ctx)
	for _, commit := range branches {
		if h, _ := object.Parse(commit); object.FormatOf(h) != f {
			return errors.Join(r.Close(), setUpClone(ctx, dir, address, object.FormatOf(h), o))
		}
	}
	if err == nil {
		_, err = r.Clone.setHead(ctx, head)
	}
	return errors.Join(err, r.Close())
}

// cloneConfig is the configuration of a clone. Blobs are left out: but from a folder on this disk they are copied
// faster than asked for. A server that cannot leave them out sends them.
func cloneConfig(address string, f object.Format) string {
	quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(address) + `"`
	_, here := remote.LocalPath(address)
	partial := !here
	var b strings.Builder
	b.WriteString("[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n")
	if f != object.SHA1 {
		fmt.Fprintf(&b, "\tobjectFormat = %s\n", f)
	}
	if partial {
		fmt.Fprintf(&b, "\tpartialClone = %s\n", CloneRemote)
	}
	fmt.Fprintf(&b, "[remote %q]\n\turl = %s\n\tfetch = +refs/heads/*:refs/remotes/%s/*\n\ttagOpt = --no-tags\n",
		CloneRemote, quoted, CloneRemote)
	if partial {
		b.WriteString("\tpromisor = true\n\tpartialclonefilter = blob:none\n")
	}
	// Only this program works here: what no reference needs goes soon, and git's helpers end with the call that starts
	// them. Bitmaps, which git makes in a bare repository, need every blob.
	b.WriteString("[repack]\n\twriteBitmaps = false\n[gc]\n\tautoDetach = false\n\tautoPackLimit = " +
		"20\n\tpruneExpire = 1.hour.ago\n[maintenance]\n\tautoDetach = false\n")
	return b.String()
}

// RefreshHead makes the remote's default branch the one that HEAD of a clone names, and says whether it was another
// one before.
func (c Clone) RefreshHead(ctx context.Context) (changed bool, err error) {
	_, head, err := c.branches.List(ctx)
	if err != nil {
		return false, err
	}
	return c.setHead(ctx, head)
}

// setHead makes HEAD of a clone name a branch.
func (c Clone) setHead(ctx context.Context, head string) (changed bool, err error) {
	before, _, err := c.repo.Head()
	if err != nil || head == "" || head == before {
		return false, err
	}
	if err := ref.CheckName("refs/heads/" + head); err != nil {
		return false, err
	}
	_, err = c.repo.Run(ctx, run.Call{Args: []string{"symbolic-ref", "HEAD", "refs/heads/" + head}, Write: true})
	return err == nil, err
}

// withoutBranches deletes the branches that deliveries left: one that the remote deleted or set back must not come
// back from here.
func (c Clone) withoutBranches(ctx context.Context) error {
	return c.forget(ctx, "refs/heads/", func(string) bool { return true })
}

// forget deletes references with a prefix.
func (c Clone) forget(ctx context.Context, prefix string, gone func(name string) bool) error {
	all, err := c.repo.Refs.List(prefix)
	if err != nil {
		return err
	}
	var moves []ref.Move
	for name, h := range all {
		if gone(strings.TrimPrefix(name, prefix)) {
			moves = append(moves, ref.Move{Name: name, Old: h})
		}
	}
	if len(moves) == 0 {
		return nil
	}
	if err := c.repo.Refs.SwapAll(ctx, "", moves...); err != nil && !errors.Is(err, ErrMoved) {
		return fmt.Errorf("forget branches below %s: %w", prefix, err)
	}
	return nil // what moved meanwhile is for the next time
}

// MakeRoom forgets the tracking references that would be a folder of a branch's, or the other way round: the remote
// cannot have both, so one of them is old. What is forgotten and there after all is fetched again.
func (c Clone) MakeRoom(ctx context.Context, branch string) error {
	return c.forget(ctx, "refs/remotes/"+CloneRemote+"/", func(name string) bool {
		return strings.HasPrefix(branch, name+"/") || strings.HasPrefix(name, branch+"/")
	})
}

// Maintain forgets the branches that the remote of a clone has no more, and lets git tidy where that is due (git
// maintenance run --auto).
func (c Clone) Maintain(ctx context.Context) error {
	ctx, end := c.repo.Watch(ctx)
	defer end()
	there, _, err := c.branches.List(ctx)
	if err != nil {
		return err
	}
	if err := c.forget(ctx, "refs/remotes/"+CloneRemote+"/",
		func(branch string) bool { return branch != "HEAD" && there[branch] == "" }); err != nil {
		return err
	}
	if _, err := c.repo.Run(ctx, run.Call{Args: []string{"maintenance", "run", "--auto", "--quiet"}}); err != nil {
		return fmt.Errorf("maintain the clone in %s: %w", c.repo.Facts.GitDir, err)
	}
	return nil
}

// Verify has git check what is in the clone, and that what its references need is there. The error is ErrDamaged when
// something is missing or cannot be read; a blob that a partial clone left out is not.
func (c Clone) Verify(ctx context.Context) error {
	ctx, end := c.repo.Watch(ctx)
	defer end()
	lacks, said, err := c.repo.RunBoth(ctx, run.Call{Args: []string{"fsck", "--progress", "--no-dangling"}})
	if failed, ok := errors.AsType[*run.Error](err); !ok || failed.Exit < 0 {
		return err
	}
	if len(lacks) > 0 || damage.MatchString(said) {
		return fmt.Errorf("%w: %w; %s", ErrDamaged, err, run.LastLines(string(lacks), 3))
	}
	return nil
}

// damage is what git fsck says of it, apart from "error in commit" and its like: those are whole, and no git of today
// would write them; the remote has them so, and another clone would be no better.
var damage = regexp.MustCompile(`(?m)^(error|fatal): `)
