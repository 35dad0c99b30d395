package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/gitops/run"
)

// Branches are those of the remote as they are known here.
type Branches struct {
	repo          *repository.Repository
	defaultBranch atomic.Pointer[string] // the remote's, when it was listed last
}

// BranchesOf gives those of a repository's remote.
func BranchesOf(repo *repository.Repository) *Branches { return &Branches{repo: repo} }

// List gives all branches: those of the remote, or without Options.Remote those here, each with its commit in
// hexadecimal, and the branch that HEAD names there, "" where it names none. It is one listing; nothing is fetched.
func (b *Branches) List(ctx context.Context) (branches map[string]string, head string, err error) {
	ctx, end := b.repo.Watch(ctx)
	defer end()
	var adv advertised
	if b.repo.Options.Remote == "" {
		if adv.head, _, err = b.repo.Head(); err != nil {
			return nil, "", err
		}
		if adv.refs, err = b.repo.Refs.List("refs/heads/"); err != nil {
			return nil, "", fmt.Errorf("list the branches of %s: %w", b.repo.Facts.GitDir, err)
		}
	} else if adv, err = b.listRemote(ctx); err != nil {
		return nil, "", err
	}
	branches = make(map[string]string)
	for name, h := range adv.refs {
		if branch, ok := strings.CutPrefix(name, "refs/heads/"); ok {
			branches[branch] = h.String()
		}
	}
	return branches, strings.TrimPrefix(adv.head, "refs/heads/"), nil
}

func (b *Branches) listRemote(ctx context.Context) (adv advertised, err error) {
	defer outcome.Tell(b.repo.Options.Done, outcome.List, time.Now(), &err)
	from, err := From(b.repo)
	if err != nil {
		return adv, err
	}
	if adv, err = from.list(ctx); err != nil {
		return adv, fmt.Errorf("list the branches of %s: %w", b.repo.Options.Remote, err)
	}
	return adv, nil
}

// Base is the branch that is meant where none is named as base: the remote's default branch, as it was seen
// last, and where there is no remote, or it names none, the current branch. "" when HEAD names a commit.
func (b *Branches) Base() (string, error) {
	if b.repo.Options.Remote != "" {
		if known := b.defaultBranch.Load(); known != nil && *known != "" {
			return *known, nil
		}
	}
	return b.Default(b.repo.Options.Remote)
}

// Default is the branch that a remote's HEAD named when it was cloned; without one, the branch that is checked
// out. "" where neither is known.
func (b *Branches) Default(remote string) (string, error) {
	if b.repo.Settings.HasRemote(remote) {
		prefix := "refs/remotes/" + remote + "/"
		_, symbolic, _, err := b.repo.Refs.ReadOnce(prefix + "HEAD")
		if branch, ok := strings.CutPrefix(symbolic, prefix); ok || err != nil {
			return branch, err
		}
	}
	branch, _, err := b.repo.Head()
	return branch, err
}

// Named puts Base instead of a base without a name, which comes behind the branch.
func (b *Branches) Named(branches []string) (_ []string, err error) {
	branches = slices.Clone(branches)
	if len(branches) == 2 && branches[1] == "" {
		branches[1], err = b.Base()
	}
	return branches, err
}

// Fetch gives the remote's values of a branch and its base, as far as they exist there, with their commits here and
// tracked, and the remote's default branch ("" when it has none). The branch is what it is where we push to.
func (b *Branches) Fetch(
	ctx context.Context, branch, base string,
) (there map[string]object.Name, head string, err error) {
	defer outcome.Tell(b.repo.Options.Done, outcome.Fetch, time.Now(), &err)
	from, err := From(b.repo)
	if err != nil {
		return nil, "", err
	}
	to, err := To(b.repo)
	if err != nil {
		return nil, "", err
	}
	if *to == *from {
		return b.fetchFrom(ctx, from, branch, base)
	}
	if base != branch || base == "" {
		if there, head, err = b.fetchFrom(ctx, from, "", base); err != nil {
			return nil, "", err
		}
	}
	own, _, err := b.fetchFrom(ctx, to, branch)
	if there == nil {
		there = own
	} else if h, ok := own[branch]; ok {
		there[branch] = h
	}
	return there, head, err
}

func (b *Branches) fetchFrom(
	ctx context.Context, from *Remote, branches ...string,
) (there map[string]object.Name, head string, err error) {
	asked, err := b.Named(branches)
	if err != nil {
		return nil, "", err
	}
	adv, err := from.list(ctx, asked...)
	if err != nil {
		return nil, "", fmt.Errorf("list %s: %w", b.repo.Options.Remote, err)
	}
	if _, born := adv.refs[adv.head]; born {
		head = strings.TrimPrefix(adv.head, "refs/heads/")
	}
	// its name is a path where the address is a relative one
	if from.Address == b.repo.URL {
		b.defaultBranch.Store(&head)
	}
	if branches, err = b.Named(branches); err != nil {
		return nil, "", err
	}
	if base := branches[len(branches)-1]; base != head && !slices.Contains(asked, base) { // another one since
		if adv, err = from.list(ctx, branches...); err != nil {
			return nil, "", fmt.Errorf("list %s: %w", b.repo.Options.Remote, err)
		}
	}
	there = map[string]object.Name{}
	for _, branch := range branches {
		if h, ok := adv.refs["refs/heads/"+branch]; ok && branch != "" {
			there[branch] = h
		}
	}
	return there, head, b.fetchStale(ctx, from, there)
}

// fetchStale brings the branches that are tracked with another value than the remote's. What the remote has by then
// counts.
func (b *Branches) fetchStale(ctx context.Context, from *Remote, there map[string]object.Name) error {
	stale := map[string]object.Name{}
	for branch, h := range there {
		tracked, _, err := b.repo.Refs.Read(b.repo.Tracking(branch))
		if err != nil {
			return err
		}
		if tracked != h {
			stale["refs/heads/"+branch] = h
		}
	}
	if len(stale) == 0 {
		return nil
	}
	if err := from.fetch(ctx, stale); err != nil {
		return fmt.Errorf("fetch from %s: %w", b.repo.Options.Remote, err)
	}
	for branch := range there {
		tracked, _, err := b.repo.Refs.Read(b.repo.Tracking(branch))
		if err != nil {
			return err
		}
		there[branch] = tracked
	}
	return nil
}

// Track sets one tracking reference whatever it was, like git fetch with a forced refspec.
func (b *Branches) Track(ctx context.Context, branch string, to object.Name) error {
	name := b.repo.Tracking(branch)
	for attempt := 0; ; attempt++ {
		now, _, err := b.repo.Refs.Read(name)
		if err != nil || now == to {
			return err
		}
		err = b.repo.Refs.Swap(ctx, name, now, to, "fetch "+b.repo.Options.Remote+": locsync")
		if !errors.Is(err, ref.ErrMoved) || attempt == 5 {
			return err
		}
	}
}

// Deepen brings the history that a shallow clone left out, as far as branches have any.
func (b *Branches) Deepen(ctx context.Context, branches map[string]object.Name) error {
	if b.repo.Options.Remote == "" {
		return nil
	}
	from, err := From(b.repo)
	if err != nil {
		return err
	}
	want := map[string]object.Name{}
	for branch, h := range branches {
		if !h.IsZero() {
			want["refs/heads/"+branch] = h
		}
	}
	if len(want) == 0 {
		return nil
	}
	if err := from.fetch(ctx, want, "--unshallow"); err != nil {
		return fmt.Errorf("deepen this shallow clone: %w", err)
	}
	return nil
}

// Has reports whether there is a branch of this name in this repository, whatever its remote has.
func (b *Branches) Has(name string) (bool, error) {
	_, here, err := b.repo.Branch(name)
	return here, err
}

// Published says whether the remote had a branch when its branches were seen last, by any user of this repository.
func (b *Branches) Published(branch string) (bool, error) {
	if b.repo.Options.Remote == "" {
		return false, nil
	}
	_, ok, err := b.repo.Refs.Read(b.repo.Tracking(branch))
	return ok, err
}

// IsTip reports whether a commit is the tip of a branch that is wanted, here or as last fetched from a remote.
func (b *Branches) IsTip(commit string, wanted func(branch string) bool) (bool, error) {
	branch, err := b.Find(func(branch string, h object.Name) bool { return h.String() == commit && wanted(branch) })
	return branch != "", err
}

// Find gives the first branch that is wanted, of those here and then of those of remotes as they were fetched last; ""
// for none.
func (b *Branches) Find(wanted func(branch string, h object.Name) bool) (string, error) {
	for _, prefix := range []string{"refs/heads/", "refs/remotes/"} {
		refs, err := b.repo.Refs.List(prefix)
		if err != nil {
			return "", fmt.Errorf("list the branches of %s: %w", b.repo.Facts.GitDir, err)
		}
		for _, name := range slices.Sorted(maps.Keys(refs)) {
			branch := strings.TrimPrefix(name, prefix)
			if prefix == "refs/remotes/" {
				remote, rest, _ := strings.Cut(branch, "/")
				if branch = rest; !b.repo.Settings.HasRemote(remote) || branch == "HEAD" {
					continue
				}
			}
			if wanted(branch, refs[name]) {
				return branch, nil
			}
		}
	}
	return "", nil
}

// Objects that a partial clone left out. Only the git program knows how to ask the remote for them.

// Absent reads an object that a partial clone left out, and was asked for by itself.
func Absent(r *repository.Repository, k object.Kind, h object.Name) (data []byte, err error) {
	ctx, end := r.WatchRead()
	defer end()
	if err = FetchPromised(ctx, r, []object.Name{h}); err == nil {
		_, data, err = r.Objects.Read(h)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s %s: %w", outcome.ErrUnfetched, k, h, err)
	}
	return data, nil
}

// FetchPromised lets git fetch objects by name, as it does itself for a checkout.
func FetchPromised(ctx context.Context, r *repository.Repository, list []object.Name) (err error) {
	defer outcome.Tell(r.Options.Done, outcome.Blobs, time.Now(), &err)
	name := r.Settings.Promisor()
	if name == "" {
		return outcome.ErrUnfetched
	}
	var in strings.Builder
	for _, h := range list {
		in.WriteString(h.String() + "\n")
	}
	_, err = r.Run(ctx, ForPromisor(ctx, r, run.Call{Args: []string{"-c", "fetch.negotiationAlgorithm=noop", "fetch",
		name, "--progress", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no", "--filter=blob:none",
		"--stdin"}, Stdin: []byte(in.String()), Write: true, Remote: true}))
	return err
}

// ForPromisor gives a call our credentials for the promisor where it is our remote.
func ForPromisor(ctx context.Context, r *repository.Repository, c run.Call) run.Call {
	name := r.Options.Remote
	if r.Settings.Promisor() != name {
		return c
	}
	return at(r, name, r.URL).Configured(ctx, c)
}
