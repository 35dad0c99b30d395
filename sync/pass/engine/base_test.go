package engine

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

// Unfinished work on the branch that is checked out does not get onto the translation branch, published or not; translations are built on the
// remote's default branch, and pulls go on.
func TestUnfinishedWorkStaysOffTheTranslationBranch(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, published := range []bool{false, true} {
		w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A", "b": "B"}`})
		bare := gittest.Bare(t, w.dir)
		w.clean(push.Options{})
		w.translate("main", "de", service.Final, "a", "Ah")
		w.pulls(pull.Options{})
		gittest.Git(t, w.dir, "checkout", "-q", "-b", "feature")
		gittest.Commit(t, w.dir, "unfinished work", map[string]string{"secret.txt": "secret"})
		if published {
			gittest.Git(t, w.dir, "push", "-q", "origin", "feature")
		}
		w.translate("main", "de", service.Final, "b", "Beh")
		if p := w.pulls(pull.Options{}); len(p.Problems) > 0 || p.Commit == "" {
			t.Errorf("published %v: %v, commit %q", published, p.Problems, p.Commit)
		}
		if files := gittest.Git(t, bare, "ls-tree", "-r", "--name-only", "l10n"); strings.Contains(files, "secret.txt") {
			t.Errorf("published %v: the translation branch has %s", published, files)
		}
		if text := gittest.Git(t, bare, "show", "l10n:locales/de/app.json"); !strings.Contains(text, "Beh") {
			t.Errorf("published %v: the translation branch has %s", published, text)
		}
		gittest.Git(t, w.dir, "checkout", "-q", "main")
		gittest.Commit(t, w.dir, "finished work", map[string]string{"done.txt": "done"})
		gittest.Git(t, w.dir, "push", "-q", "origin", "main")
		gittest.Git(t, w.dir, "checkout", "-q", "feature")
		w.translate("main", "de", service.Final, "b", "Bee")
		w.pulls(pull.Options{})
		if files := gittest.Git(t, bare, "ls-tree", "-r", "--name-only", "l10n"); !strings.Contains(files, "done.txt") {
			t.Errorf("published %v: the base's work is missing: %s", published, files)
		}
	}
}
