package gitops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/ref"
)

// At fetches and gives the tip of a branch: the remote's, or without Options.Remote the one here. A branch that
// exists neither there nor here has the tip of base, and New says so; base "" is that of BaseBranch. The request is
// one listing of the remote's references, and a download only when there is something new.
//
// Where a local branch of that name exists beside the remote's, the remote's tip counts, with two exceptions that
// matter only to commits of ours (their message has our Trailer): local commits that are all ours are built upon,
// also when the remote does not know the branch yet. Anything else there is somebody's unpublished work: it is left
// alone, and Note says so.
//
// Errors: *NoBranch (ErrNoBranch) with a remedy when neither branch nor base has a commit, ErrNoRemote, ErrAuth,
// ErrUntrusted, *Unavailable, network errors.
func (r *Repo) At(ctx context.Context, branch, base string) (*Tip, error) {
	ctx, end := r.watch(ctx)
	defer end()
	tip, err := r.at(ctx, branch, base)
	if err != nil {
		return nil, fmt.Errorf("read branch %s: %w", branch, withRemedy(err))
	}
	return tip, nil
}

// Seen is At as far as it can be told without asking anybody: the remote's branches are what they were when they were
// seen last, and those that were never seen there are what they are here. The tip is to be read, not to be built on.
// *NoBranch when there is neither branch nor base.
func (r *Repo) Seen(branch, base string) (*Tip, error) {
	tip, err := r.tipOf(branch, base, func(names ...string) (map[string]hash, string, error) {
		there := make(map[string]hash)
		names, err := r.named(names)
		if err != nil {
			return nil, "", err
		}
		for _, name := range names {
			h, ok, err := r.seen(name)
			if err != nil {
				return nil, "", err
			}
			if ok {
				there[name] = h
			}
		}
		return there, "", nil
	})
	if err != nil {
		return nil, fmt.Errorf("read branch %s as it was seen last: %w", branch, err)
	}
	return tip, nil
}

// Here is the tip of a branch of this repository, whatever its remote has. *NoBranch where there is none.
func (r *Repo) Here(branch string) (*Tip, error) {
	h, ok, err := r.localBranch(branch)
	if err != nil {
		return nil, fmt.Errorf("read branch %s: %w", branch, err)
	}
	if !ok {
		return nil, &NoBranch{Branch: branch, Try: "it is at the remote only, or gone"}
	}
	return r.tipAt(branch, h)
}

// Published says whether the remote had a branch when its branches were seen last, by anybody who uses this repository.
func (r *Repo) Published(branch string) (bool, error) {
	if r.o.Remote == "" {
		return false, nil
	}
	_, ok, err := r.refs.Read(r.trackingRef(branch))
	return ok, err
}

// seen is a branch as the remote had it when it was seen there last, else as it is here.
func (r *Repo) seen(name string) (hash, bool, error) {
	if name == "" {
		return hash{}, false, nil
	}
	if r.o.Remote != "" {
		if h, ok, err := r.refs.Read(r.trackingRef(name)); ok || err != nil {
			return h, ok, err
		}
	}
	return r.localBranch(name)
}

func (r *Repo) at(ctx context.Context, branch, base string) (*Tip, error) {
	return r.tipOf(branch, base, func(names ...string) (map[string]hash, string, error) {
		if r.o.Remote != "" {
			return r.fetch(ctx, names[0], names[1])
		}
		there := make(map[string]hash)
		names, err := r.named(names)
		if err != nil {
			return nil, "", err
		}
		for _, name := range names {
			h, ok, err := r.localBranch(name)
			if err != nil {
				return nil, "", err
			}
			if ok {
				there[name] = h
			}
		}
		return there, "", nil
	})
}

// tipOf is the tip of a branch, or of its base, with the values of both at the remote as look gives them, and the
// remote's default branch.
func (r *Repo) tipOf(branch, base string, look func(names ...string) (map[string]hash, string, error)) (*Tip, error) {
	if err := ref.CheckName("refs/heads/" + branch); err != nil {
		return nil, err
	}
	there, head, err := look(branch, base)
	if err != nil {
		return nil, err
	}
	var detached error
	if base == "" {
		if base, err = r.BaseBranch(); err != nil {
			return nil, err
		}
		if base == "" {
			detached = &NoBranch{Try: "HEAD names a commit; set base to the branch that translations start from"}
		}
	}
	known := make([]hash, 0, 2)
	for _, h := range there {
		known = append(known, h)
	}
	baseTip, err := r.baseTip(base, there)
	if err != nil {
		return nil, err
	}
	tip, err := r.branchTip(branch, baseTip, there)
	if err != nil {
		return nil, err
	}
	if tip == nil {
		return nil, r.noTip(branch, base, head, detached)
	}
	if tip.base = baseTip; baseTip == nil && base != "" && base != branch && r.o.Remote != "" {
		tip.note = strings.TrimPrefix(tip.note+"; nothing is taken in from base: "+r.noTip(branch, base, head, nil).Error(), "; ")
	}
	if r.o.Remote != "" {
		tip.there = known
		if baseTip != nil {
			baseTip.there = known
		}
	}
	return tip, nil
}

// BaseBranch is the branch that is meant where none is named as base: the remote's default branch, as it was seen
// last, and where there is no remote, or it names none, the current branch. "" when HEAD names a commit.
func (r *Repo) BaseBranch() (string, error) {
	if r.o.Remote != "" {
		if known := r.defaultBranch.Load(); known != nil && *known != "" {
			return *known, nil
		}
	}
	return r.DefaultBranch(r.o.Remote)
}

// named puts BaseBranch in the place of a base without a name, which comes behind the branch.
func (r *Repo) named(branches []string) (_ []string, err error) {
	branches = slices.Clone(branches)
	if len(branches) == 2 && branches[1] == "" {
		branches[1], err = r.BaseBranch()
	}
	return branches, err
}

// localBranch is a branch here; "" has no value.
func (r *Repo) localBranch(name string) (hash, bool, error) {
	if name == "" {
		return hash{}, false, nil
	}
	return r.refs.Read("refs/heads/" + name)
}

// noTip explains why there is nothing to build on. Head is the remote's default branch.
func (r *Repo) noTip(branch, base, head string, detached error) error {
	if detached != nil {
		return detached
	}
	_, commit, err := r.Head()
	if err != nil {
		return err
	}
	e := &NoBranch{Branch: base, Where: r.o.Remote, Try: "name an existing branch as base"}
	switch {
	case commit == "" && r.o.Remote == "":
		e.Try = "the repository has no commit yet; make the first one"
	case r.o.Remote != "":
		if _, here, err := r.localBranch(base); err == nil && here {
			e.Try = fmt.Sprintf("it exists here: git push %s %s", r.o.Remote, base)
		}
		if head != "" && head != base {
			e.Try += fmt.Sprintf("; the remote's default branch is %s: set base to it if that took its place", head)
		}
	}
	if base == branch && r.o.Remote == "" && commit != "" {
		e.Try = "set base to the branch that it starts from"
	}
	return e
}

// baseTip is the tip of the base branch; nil when it does not exist.
func (r *Repo) baseTip(base string, there map[string]hash) (*Tip, error) {
	h, ok := there[base]
	if !ok || base == "" {
		return nil, nil
	}
	tip, err := r.tipAt(base, h)
	if err == nil {
		tip.lease.at = h
	}
	return tip, err
}

// branchTip chooses among the remote's branch, ours and the base.
func (r *Repo) branchTip(branch string, base *Tip, there map[string]hash) (*Tip, error) {
	remote, exists := there[branch]
	local, here, err := r.localBranch(branch)
	if err != nil {
		return nil, err
	}
	at, note := remote, ""
	if r.o.Remote != "" && here && (!exists || local != remote) {
		var known []hash
		for _, h := range there {
			known = append(known, h)
		}
		var build bool
		if build, note, err = r.judgeLocal(branch, local, remote, known); err != nil {
			return nil, err
		}
		if build {
			at = local
		}
	}
	if at.IsZero() {
		if base == nil {
			return nil, nil
		}
		tip, err := r.tipAt(branch, base.commit)
		if err == nil {
			tip.isNew, tip.note, tip.here = true, note, local
		}
		return tip, err
	}
	tip, err := r.tipAt(branch, at)
	if err == nil {
		tip.lease.at, tip.note, tip.here = remote, note, local
	}
	return tip, err
}

// judgeLocal decides whether a local branch that differs from the remote's is built upon: when it contains the remote's
// tip and everything that is only here is ours. Known are commits at the remote; remote is zero when the branch is not
// there.
func (r *Repo) judgeLocal(branch string, local, remote hash, known []hash) (build bool, note string, err error) {
	commits, err := r.history.Ahead(local, known)
	if err != nil {
		return false, "", err
	}
	if len(commits) == 0 {
		return false, "", nil // behind: it follows when something is pushed
	}
	ours := !slices.ContainsFunc(commits, func(c *commit) bool { return !isOurs(c) })
	contains := remote.IsZero()
	if !contains {
		if contains, err = r.history.Contains(local, remote); err != nil {
			return false, "", err
		}
	}
	switch {
	case contains && ours:
		return true, "", nil
	case remote.IsZero():
		return false, fmt.Sprintf("the local branch %s has %s that %s does not have; it is left alone: git push %s %s publishes it",
			branch, count(len(commits), "commit"), r.o.Remote, r.o.Remote, branch), nil
	case contains:
		return false, fmt.Sprintf("the local branch %s is ahead of %s by %s; the remote's counts until they are pushed",
			branch, r.o.Remote, count(len(commits), "commit")), nil
	}
	return false, fmt.Sprintf("the local branch %s and %s's have diverged; the remote's counts, the local one is left alone", branch, r.o.Remote), nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// fetch gives the remote's values of a branch and its base, as far as they exist there, with their commits here and
// tracked, and the remote's default branch ("" when it has none). The branch is what it is where we push to.
func (r *Repo) fetch(ctx context.Context, branch, base string) (there map[string]hash, head string, err error) {
	defer r.done(opFetch, time.Now(), &err)
	from, err := r.fetchRemote()
	if err != nil {
		return nil, "", err
	}
	to, err := r.pushRemote()
	if err != nil {
		return nil, "", err
	}
	if *to == *from {
		return r.fetchFrom(ctx, from, branch, base)
	}
	if base != branch || base == "" {
		if there, head, err = r.fetchFrom(ctx, from, "", base); err != nil {
			return nil, "", err
		}
	}
	own, _, err := r.fetchFrom(ctx, to, branch)
	if there == nil {
		there = own
	} else if h, ok := own[branch]; ok {
		there[branch] = h
	}
	return there, head, err
}

func (r *Repo) fetchFrom(ctx context.Context, from *remote, branches ...string) (there map[string]hash, head string, err error) {
	for attempt := 0; ; attempt++ {
		adv, err := from.list(ctx)
		if err != nil {
			return nil, "", fmt.Errorf("list %s: %w", r.o.Remote, err)
		}
		there = map[string]hash{}
		if _, born := adv.refs[adv.head]; born {
			head = strings.TrimPrefix(adv.head, "refs/heads/")
		}
		if from.address == r.set.remoteURL(r.o.Remote) { // its name is a path where the address is a relative one
			r.defaultBranch.Store(&head)
		}
		if branches, err = r.named(branches); err != nil {
			return nil, "", err
		}
		for _, branch := range branches {
			if h, ok := adv.refs["refs/heads/"+branch]; ok && branch != "" {
				there[branch] = h
			}
		}
		err = r.fetchMissing(ctx, from, there)
		if errors.Is(err, object.ErrMissing) && attempt < 2 {
			continue // the remote moved between the two requests
		}
		return there, head, err
	}
}

func (r *Repo) fetchMissing(ctx context.Context, from *remote, there map[string]hash) error {
	want := map[string]hash{}
	stale := map[string]hash{}
	for branch, h := range there {
		tracked, _, err := r.refs.Read(r.trackingRef(branch))
		if err != nil {
			return err
		}
		if tracked == h {
			continue
		}
		stale[branch] = h
		known, err := r.known(h, tracked)
		if err != nil {
			return err
		}
		if !known {
			want["refs/heads/"+branch] = h
		}
	}
	if len(stale) == 0 {
		return nil
	}
	if len(want) > 0 {
		if err := from.fetch(ctx, want); err != nil {
			return fmt.Errorf("fetch from %s: %w", r.o.Remote, err)
		}
	}
	return r.track(ctx, stale)
}

// known says whether a commit and everything behind it is here: a reference reaches it.
func (r *Repo) known(h, tracked hash) (bool, error) {
	if !r.objects.Has(h) {
		return false, nil
	}
	tips, err := r.refTips()
	if err != nil || slices.Contains(tips, h) {
		return err == nil, err
	}
	if tracked.IsZero() || !r.objects.Has(tracked) {
		return false, nil
	}
	return r.history.Contains(tracked, h)
}

// track points the tracking references at what the remote was seen to have.
func (r *Repo) track(ctx context.Context, values map[string]hash) error {
	release, err := r.refs.Guard(ctx)
	if err != nil {
		return err
	}
	defer release()
	for _, branch := range sortedKeys(values) {
		if !r.objects.Has(values[branch]) {
			return fmt.Errorf("%s of %s: %w", branch, r.o.Remote, object.ErrMissing)
		}
		if err := r.trackOne(ctx, branch, values[branch]); err != nil {
			return err
		}
	}
	return nil
}

// trackOne sets one tracking reference whatever it was, like git fetch with a forced refspec. The caller holds the
// guard.
func (r *Repo) trackOne(ctx context.Context, branch string, to hash) error {
	name := r.trackingRef(branch)
	for attempt := 0; ; attempt++ {
		now, _, err := r.refs.Read(name)
		if err != nil || now == to {
			return err
		}
		err = r.refs.SwapGuarded(ctx, name, now, to, "fetch "+r.o.Remote+": locsync")
		if !errors.Is(err, ErrMoved) || attempt == 2 {
			return err
		}
	}
}

// trackingRef is the reference that stands for a branch of the remote: where the remote's refspecs put it, else one of
// ours.
func (r *Repo) trackingRef(branch string) string {
	if name := r.set.tracking(r.o.Remote, branch); strings.HasPrefix(name, "refs/") && name != "refs/heads/"+branch {
		return name
	}
	return "refs/locsync-remotes/" + r.o.Remote + "/" + branch
}

// refTips are the commits that branches and tracking references name.
func (r *Repo) refTips() ([]hash, error) {
	var tips []hash
	for _, prefix := range []string{"refs/heads/", "refs/remotes/" + r.o.Remote + "/", "refs/locsync-remotes/" + r.o.Remote + "/"} {
		all, err := r.refs.List(prefix)
		if err != nil {
			return nil, err
		}
		for _, name := range sortedKeys(all) {
			tips = append(tips, all[name])
		}
	}
	return tips, nil
}
