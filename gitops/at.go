package gitops

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/history"
	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/repository"
)

// At fetches and gives the tip of a branch: the remote's, or without Options.Remote the one here. A branch that
// exists neither there nor here has the tip of base, and New says so; base "" is that of BaseBranch. The request is
// one listing of the remote's references, and a download only when there is something new.
//
// Where a local branch of that name exists beside the remote's, the remote's tip counts, with two exceptions that
// matter only to commits of ours (their message has our Trailer): local commits that are all ours are built upon,
// also when the remote does not know the branch yet. Anything else there is unpublished work of others: it is left
// alone, and Note says so.
//
// Errors: *NoBranch (ErrNoBranch) with a remedy when neither branch nor base has a commit, ErrNoRemote, ErrAuth,
// ErrUntrusted, *Unavailable, network errors.
func (r *Repo) At(ctx context.Context, branch, base string) (*Tip, error) {
	ctx, end := r.repo.Watch(ctx)
	defer end()
	tip, err := r.tip(tipAt, branch, base, func() (map[string]hash, string, error) {
		if r.repo.Options.Remote == "" {
			return lastSeen(r, branch, base)
		}
		return r.Branches.Fetch(ctx, branch, base)
	})
	if err != nil {
		return nil, fmt.Errorf("read branch %s: %w", branch, outcome.WithRemedy(err))
	}
	return tip, nil
}

// Seen is At as far as it can be told without a request: the remote's branches are what they were when they were
// seen last, and those that were never seen there are what they are here. The tip is to be read, not to be built on.
// *NoBranch when there is neither branch nor base.
func (r *Repo) Seen(branch, base string) (*Tip, error) {
	tip, err := r.tip(knownTip, branch, base, func() (map[string]hash, string, error) {
		return lastSeen(r, branch, base)
	})
	if err != nil {
		return nil, fmt.Errorf("read branch %s as it was seen last: %w", branch, err)
	}
	return tip, nil
}

// Here is the tip of a branch of this repository, whatever its remote has. *NoBranch where there is none.
func (r *Repo) Here(branch string) (*Tip, error) {
	h, ok, err := r.repo.Branch(branch)
	if err != nil {
		return nil, fmt.Errorf("read branch %s: %w", branch, err)
	}
	if !ok {
		return nil, &NoBranch{Branch: branch, Try: "it is at the remote only, or gone"}
	}
	return tipAt(r.repo, branch, h)
}

// BranchWith gives a wanted branch that has a file, of those here and then of those of remotes as they were fetched
// last; "" for none. "" as the file asks for the branch alone.
func (r *Repo) BranchWith(file string, wanted func(branch string) bool) (branch string, err error) {
	found, ferr := r.Branches.Find(func(branch string, h hash) bool {
		switch {
		case err != nil || !wanted(branch):
			return false
		case file == "":
			return true
		}
		tip, terr := tipAt(r.repo, branch, h)
		if terr != nil {
			err = terr
			return false
		}
		_, serr := fs.Stat(tip, file)
		return serr == nil
	})
	return found, cmp.Or(err, ferr)
}

// AtCommit is a commit as a file system. Nothing can be built on it.
func (r *Repo) AtCommit(commit string) (*Tip, error) {
	h, _ := object.Parse(commit)
	return tipAt(r.repo, "", h)
}

// lastSeen gives branches as the remote had them when they were seen there last, else as they are here.
func lastSeen(r *Repo, branch, base string) (there map[string]hash, head string, err error) {
	names, err := r.Branches.Named([]string{branch, base})
	there = make(map[string]hash)
	for _, name := range names {
		if err != nil {
			return nil, "", err
		}
		h, ok, rerr := hash{}, false, error(nil)
		if r.repo.Options.Remote != "" && name != "" {
			h, ok, rerr = r.repo.Refs.Read(r.repo.Tracking(name))
		}
		if !ok && rerr == nil {
			h, ok, rerr = r.repo.Branch(name)
		}
		if err = rerr; ok {
			there[name] = h
		}
	}
	return there, "", err
}

// sight is what is known of a branch and its base when its tip is made.
type sight struct {
	repo         *repository.Repository
	tipAt        readTip
	branch, base string
	there        map[string]hash // both, as far as they exist where it counts
	head         string          // the remote's default branch
}

// readTip makes the tip of a commit (see tipAt).
type readTip func(repo *repository.Repository, branch string, h hash) (*Tip, error)

// tip is the tip of a branch, or of its base, with the values of both as look gives them.
func (r *Repo) tip(read readTip, branch, base string, look func() (map[string]hash, string, error)) (*Tip, error) {
	if err := ref.CheckName("refs/heads/" + branch); err != nil {
		return nil, err
	}
	there, head, err := look()
	if err != nil {
		return nil, err
	}
	s := sight{r.repo, read, branch, base, there, head}
	if base == "" {
		if s.base, err = r.Branches.Base(); err != nil {
			return nil, err
		}
	}
	baseTip, err := s.baseTip()
	if err != nil {
		return nil, err
	}
	tip, err := s.branchTip(baseTip)
	if err != nil {
		return nil, err
	}
	if tip == nil && s.base == "" {
		return nil, &NoBranch{Try: "check one out, or set base to the branch that translations start from"}
	}
	if tip == nil {
		return nil, s.noTip()
	}
	remote := r.repo.Options.Remote
	if tip.base = baseTip; baseTip == nil && s.base != "" && s.base != branch && remote != "" {
		tip.note = strings.TrimPrefix(tip.note+"; nothing is taken in from base: "+s.noTip().Error(), "; ")
	}
	if remote != "" {
		tip.there = s.known()
		if baseTip != nil {
			baseTip.there = tip.there
		}
	}
	return tip, nil
}

// known are the commits that were seen.
func (s sight) known() []hash { return slices.Collect(maps.Values(s.there)) }

// noTip explains why there is nothing to build on.
func (s sight) noTip() error {
	remote := s.repo.Options.Remote
	_, commit, err := s.repo.Head()
	if err != nil {
		return err
	}
	e, name := &NoBranch{Branch: s.base, Where: remote, Try: "name an existing branch as base"}, "set base to it"
	if s.base == s.branch { // it need not be a base that was named
		e.Try, name = "name an existing branch", "name that one"
	}
	switch {
	case commit.IsZero() && remote == "":
		e.Try = "the repository has no commit yet; make the first one"
	case commit.IsZero() && s.head == "" && len(s.there) == 0:
		e.Try = fmt.Sprintf("there is no commit yet, neither here nor there; make the first one, then git push %s %s", remote,
			s.base)
	case remote != "":
		if _, here, err := s.repo.Branch(s.base); err == nil && here {
			e.Try = fmt.Sprintf("it exists here: git push %s %s", remote, s.base)
		}
		if s.head != "" && s.head != s.base {
			e.Try += fmt.Sprintf("; the remote's default branch is %s: %s if that one is used now", s.head, name)
		}
	}
	return e
}

// baseTip is the tip of the base branch; nil when it does not exist.
func (s sight) baseTip() (*Tip, error) {
	h, ok := s.there[s.base]
	if !ok || s.base == "" {
		return nil, nil
	}
	tip, err := s.tipAt(s.repo, s.base, h)
	if err == nil {
		tip.lease.at = h
	}
	return tip, err
}

// branchTip chooses among the remote's branch, ours and the base.
func (s sight) branchTip(base *Tip) (*Tip, error) {
	remote, exists := s.there[s.branch]
	local, here, err := s.repo.Branch(s.branch)
	if err != nil {
		return nil, err
	}
	at, note := remote, ""
	if s.repo.Options.Remote != "" && here && (!exists || local != remote) {
		var build bool
		build, note, err = s.judgeLocal(local, remote)
		if err == nil && base != nil && (build && !exists || note != "") {
			var done bool
			if done, err = squashed(s.repo, local, base.commit); done {
				build, note = false, ""
			}
		}
		if err != nil {
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
		tip, err := s.tipAt(s.repo, s.branch, base.commit)
		if err == nil {
			tip.isNew, tip.note, tip.here = true, note, local
		}
		return tip, err
	}
	tip, err := s.tipAt(s.repo, s.branch, at)
	if err == nil {
		tip.lease.at, tip.note, tip.here = remote, note, local
	}
	return tip, err
}

// squashed says whether base took in, as one commit, what a local branch has beyond it, and whether nothing else is
// lost with the branch: its commits are ours, or were published with ours. Such a branch is done. Of base, one commit
// has all paths that the branch changed as the branch has them.
func squashed(repo *repository.Repository, local, base hash) (bool, error) {
	known, err := repo.Refs.List("refs/locsync/")
	if err != nil {
		return false, err
	}
	h, ctx, graph := History{repo}, repo.History.Life, repo.History
	commits, whole, err := graph.Ahead(local, append(slices.Collect(maps.Values(known)), base), history.Most)
	foreign := slices.ContainsFunc(commits, func(c history.Walked) bool { return !c.IsOurs() })
	if err != nil || !whole || foreign {
		return false, err
	}
	forks, err := graph.Bases(base, local)
	if err != nil || len(forks) == 0 {
		return false, err
	}
	changed, err := h.Changed(ctx, forks[0].Text(), local.Text())
	if err != nil || len(changed) == 0 {
		return false, err
	}
	commits, _, err = graph.Ahead(base, forks[:1], squashMost, changed...)
	for _, commit := range commits {
		differs, err := h.Changed(ctx, commit.Hash.Text(), local.Text())
		if err != nil {
			return false, err
		}
		if !slices.ContainsFunc(changed, func(path string) bool { return slices.Contains(differs, path) }) {
			return true, nil
		}
	}
	return false, err
}

// squashMost is how many commits of base that touch those paths are compared, the youngest.
const squashMost = 200

// judgeLocal decides whether a local branch that differs from the remote's is built upon: when it contains the remote's
// tip and everything that is only here is ours. remote is zero when the branch is not there.
func (s sight) judgeLocal(local, remote hash) (build bool, note string, err error) {
	branch, name := s.branch, s.repo.Options.Remote
	commits, whole, err := s.repo.History.Ahead(local, s.known(), history.Most)
	if err != nil {
		return false, "", err
	}
	if len(commits) == 0 && whole {
		return false, "", nil // behind: it follows when something is pushed
	}
	ours := whole && !slices.ContainsFunc(commits, func(c history.Walked) bool { return !c.IsOurs() })
	contains := remote.IsZero()
	if !contains {
		if contains, err = s.repo.History.Contains(local, remote); err != nil {
			return false, "", err
		}
	}
	switch {
	case contains && ours:
		return true, "", nil
	case remote.IsZero():
		return false, fmt.Sprintf("the local branch %s has %s that %s does not have; it is left alone: git push %s %s "+
			"publishes it",
			branch, count(len(commits), "commit"), name, name, branch), nil
	case contains:
		return false, fmt.Sprintf("the local branch %s is ahead of %s by %s; the remote's counts until they are pushed",
			branch, name, count(len(commits), "commit")), nil
	}
	return false, fmt.Sprintf("the local branch %s and %s's have diverged; the remote's counts, the local one is "+
		"left alone", branch, name), nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
