package engine

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
)

// A text that waits for the service, on a branch that does not have what was seen before, keeps nothing of that: to take
// it back brings back no older text.
func TestATextOfAnOldBranchIsTakenBack(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for what, gone := range map[string]func(*world){
		"checked out": func(w *world) { w.git("checkout", "-q", "-b", "old", "main~1") },
		"set back":    func(w *world) { w.git("reset", "-q", "--hard", "main~1") },
		"set back, and the rest is gone": func(w *world) {
			w.git("reset", "-q", "--hard", "main~1")
			w.git("branch", "-D", "l10n")
			w.git("reflog", "expire", "--expire=now", "--all")
			w.git("gc", "-q", "--prune=now")
		},
		"the branch made anew": func(w *world) {
			w.git("branch", "-f", "l10n", "main~1")
			w.git("reset", "-q", "--hard", "main~1")
		},
	} {
		for _, on := range []string{"main", "l10n"} {
			if on == "l10n" && what != "the branch made anew" {
				continue
			}
			t.Run(what+" "+on, func(t *testing.T) {
				t.Parallel()
				w := translatedAB(t, "[project.push]\ncompletion_state = \"final\"\n")
				w.final("de", "a", "A2")
				w.pulls(pull.Options{})
				w.git("merge", "-q", "--no-ff", "l10n")
				w.clean(push.Options{})
				gone(w)
				write := func(a string) {
					text := flat(map[string]string{"a": a, "b": "B1"})
					if on == "main" {
						w.write(deApp, text)
						return
					}
					w.commitOn("l10n", deApp, text)
				}
				write("A hand")
				w.wire.lying(`{"errors":[{"fileName":"` + deApp + `","error":"x"}]}`)
				w.pushes(push.Options{})
				w.wire.lying("")
				w.final("de", "a", "A2") // the service did not take it
				write("A1")
				w.pushes(push.Options{})
				w.holds("main", "de", "a", "A2")
			})
		}
	}
}

// So it is with source texts, where pulls bring those.
func TestASourceTextOfAnOldBranchIsTakenBack(t *testing.T) {
	t.Parallel()
	w := abc(t, withSource, nil)
	w.brings()
	w.edits("b", "B, edited")
	w.pulls(pull.Options{})
	before := w.git("rev-parse", "HEAD")
	w.git("merge", "-q", "l10n")
	w.sends()
	w.git("checkout", "-q", "-b", "old", before)
	had := w.show("old", enA)
	w.write(enA, strings.Replace(had, `"B"`, `"B by hand"`, 1))
	w.wire.lying(`{"errors":[{"fileName":"` + enA + `","error":"x"}]}`)
	w.pushes(push.Options{})
	w.wire.lying("")
	w.edits("b", "B, edited") // the service did not take it
	w.write(enA, had)
	w.pushes(push.Options{})
	w.holds("main", "en", "b", "B, edited")
}

// A commit that brings a text back, and is amended before the service takes it, brings it back still.
func TestATextThatAnAmendedCommitBringsBack(t *testing.T) {
	t.Parallel()
	for _, merge := range [][]string{{"merge", "-q", "--squash", "l10n"}, {"merge", "-q", "--no-ff", "--no-commit",
		"l10n"}} {
		w := translatedAB(t, "[project.push]\ncompletion_state = \"final\"\n")
		w.final("de", "a", "A2")
		w.pulls(pull.Options{})
		w.git(merge...)
		w.git("commit", "-q", "-m", "merged")
		w.clean(push.Options{})
		w.write(deApp, flat(map[string]string{"a": "A1", "b": "B1"}))
		w.commit()
		w.wire.lying(`{"errors":[{"fileName":"` + deApp + `","error":"x"}]}`)
		w.pushes(push.Options{})
		w.wire.lying("")
		w.final("de", "a", "A2") // the service did not take it
		w.git("commit", "-q", "--amend", "-m", "amended")
		w.pushes(push.Options{})
		w.holds("main", "de", "a", "A1")
	}
}
