package gitops

import (
	"errors"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// Translations are built on the remote's default branch, whatever is checked out here and whether or not it is
// published.
func TestDefaultBaseIsTheRemotes(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, c := range []struct {
		name    string
		noted   string // what refs/remotes/origin/HEAD names; "" for none
		prepare []string
	}{
		{"main is checked out", "", nil},
		{"a branch that is not published", "", []string{"checkout -q -b feature",
			"commit -q --allow-empty -m unfinished"}},
		{"a published one", "", []string{"checkout -q -b feature", "commit -q --allow-empty -m unfinished",
			"push -q origin feature"}},
		{"a commit", "", []string{"commit -q --allow-empty -m unfinished", "checkout -q --detach"}},
		{"a clone knows it", "main", []string{"checkout -q -b feature", "commit -q --allow-empty -m unfinished"}},
		{"what the clone knew is old", "feature", []string{"checkout -q -b feature", "commit -q --allow-empty -m x",
			"push -q origin feature"}},
		{"what the clone knew is gone", "gone", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, gittest.Options{})
			main := gittest.Git(t, s.bare, "rev-parse", "main")
			for _, command := range c.prepare {
				gittest.Git(t, s.dir, strings.Fields(command)...)
			}
			if c.noted != "" {
				gittest.Git(t, s.dir, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/"+c.noted)
			}
			r := open(t, s.dir, Options{Remote: "origin"})
			tip := at(t, r, "l10n", "")
			if !tip.New() || tip.Hash() != main || tip.Base() == nil || tip.Base().Branch() != "main" {
				t.Errorf("built on %s, want main at %s", tip.Hash(), main)
			}
			if c.noted == "main" {
				if seen, err := r.Seen("l10n", ""); err != nil || seen.Base() == nil || seen.Base().Branch() != "main" {
					t.Errorf("without asking: %v, %v", seen, err)
				}
				if got, err := r.Branches.Base(); err != nil || got != "main" {
					t.Errorf("the default branch is %q, %v", got, err)
				}
				s.requests.Store(0)
				at(t, r, "l10n", "")
				again := s.requests.Load()
				s.requests.Store(0)
				at(t, r, "l10n", "main")
				if named := s.requests.Load(); again != named {
					t.Errorf("%d requests, and %d where main is configured", again, named)
				}
			}
			if c.noted != "gone" { // fsck does not like what the test has made
				gittest.Sound(t, s.dir)
			}
		})
	}
}

// Without a remote, or where it names no branch that it has, the current branch counts.
func TestDefaultBaseWithoutARemote(t *testing.T) {
	t.Parallel()
	s := serve(t, gittest.Options{})
	gittest.Git(t, s.dir, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	gittest.Git(t, s.dir, "checkout", "-q", "-b", "feature")
	if tip := at(t, open(t, s.dir, Options{}), "l10n", ""); tip.Base() == nil || tip.Base().Branch() != "feature" {
		t.Errorf("without a remote: %+v", tip.Base())
	}
	gittest.Git(t, s.dir, "symbolic-ref", "--delete", "refs/remotes/origin/HEAD")
	gittest.Git(t, s.dir, "push", "-q", "origin", "feature")
	gittest.Git(t, s.bare, "symbolic-ref", "HEAD", "refs/heads/unborn")
	r := open(t, s.dir, Options{Remote: "origin"})
	if tip := at(t, r, "l10n", ""); tip.Base() == nil || tip.Base().Branch() != "feature" {
		t.Errorf("the remote's HEAD names no branch: %+v", tip.Base())
	}
	gittest.Git(t, s.dir, "checkout", "-q", "--detach")
	if _, err := r.At(t.Context(), "l10n", ""); !errors.Is(err, ErrNoBranch) ||
		!strings.Contains(err.Error(), "set base") {
		t.Errorf("neither has one: %v", err)
	}
}
