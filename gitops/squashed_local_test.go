package gitops

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// A local branch of ours that base took in as one commit, and that the forge deleted, has no commits of its own: it
// goes on with the new branch, also where another clone began that one. Unpublished work of others is left alone, and a
// working tree that has the branch checked out is not moved.
func TestASquashedBranchGoesOn(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, map[string]string{"de.json": "1"})
	bare := gittest.Bare(t, dir)
	r := open(t, dir, Options{Remote: "origin"})
	for _, text := range []string{"2", "3"} {
		push(t, r, commitOn(t, r, at(t, r, "l10n", "main"), "l10n", files("de.json", text)))
	}
	clone := func() (string, *Repo) {
		folder := gittest.Clone(t, bare)
		gittest.Git(t, folder, "branch", "-q", "l10n", "origin/l10n")
		return folder, open(t, folder, Options{Remote: "origin"})
	}
	_, second := clone()
	mine, third := clone()
	held, fourth := clone()
	gittest.Git(t, held, "checkout", "-q", "l10n")
	gittest.Git(t, mine, "checkout", "-q", "l10n")
	gittest.Commit(t, mine, "mine", map[string]string{"de.json": "x"})
	gittest.Commit(t, mine, "back", map[string]string{"de.json": "3"})
	gittest.Git(t, mine, "checkout", "-q", "main")

	gittest.Git(t, bare, "branch", "-D", "l10n")
	gittest.CommitTo(t, bare, "main", map[string]string{"de.json": "3"})
	deliver := func(r *Repo, text string) (PushResult, string) {
		tip := at(t, r, "l10n", "main")
		return push(t, r, commitOn(t, r, tip, "l10n", files("de.json", text))), tip.Note()
	}
	for text, r := range map[string]*Repo{"4": r, "5": second} {
		if result, note := deliver(r, text); result.Local != Moved || note != "" {
			t.Errorf("%s: the local branch was %s: %s; note %q", text, result.Local, result.Why, note)
		}
	}
	if result, note := deliver(third, "6"); result.Local != Left || !strings.Contains(result.Why, "commits of its own") ||
		!strings.Contains(note, "diverged") {
		t.Errorf("with work of others: the local branch was %s: %s; note %q", result.Local, result.Why, note)
	}
	before := gittest.Git(t, held, "rev-parse", "HEAD")
	result, _ := deliver(fourth, "7")
	if result.Local != Left || !strings.Contains(result.Why, "git reset --keep "+result.Commit) {
		t.Errorf("checked out: the local branch was %s: %s", result.Local, result.Why)
	}
	if now := gittest.Git(t, held, "rev-parse", "HEAD"); now != before {
		t.Errorf("HEAD moved from %s to %s", before, now)
	}
}
