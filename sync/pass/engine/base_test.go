package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/failure"
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

// A push that cannot read the branch sends the source texts, and says that the translations wait, where there are any.
func TestPushWithoutTheBase(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(w *world){
		"a base that is not there": func(w *world) { w.configure(w.config + "[project.pull]\nbase = \"nosuch\"\n") },
		"a remote that is gone":    func(w *world) { w.git("remote", "set-url", "origin", w.dir+"/gone.git") },
	} {
		for _, translated := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " ", translated), func(t *testing.T) {
				t.Parallel()
				files := map[string]string{enApp: `{"a": "A"}`}
				if translated {
					files[deApp] = `{"a": "DE A"}`
				}
				w := newWorld(t, settings+jsonFiles, files)
				w.bare()
				breaks(w)
				_, err := w.Push(t.Context(), push.Options{})
				if (err != nil) != translated || err != nil && !strings.Contains(err.Error(), "translations wait") {
					t.Errorf("the push ends with %v", err)
				}
				if wrong := new(failure.UsageError); translated && errors.As(err, &wrong) != strings.Contains(name, "base") {
					t.Errorf("to be repaired: %v", err)
				}
				w.holds("main", "en", "a", "A")
			})
		}
	}
}
