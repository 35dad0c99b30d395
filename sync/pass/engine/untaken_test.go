package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
)

// A translation that the service did not take is as unsent as before, also one that was only brought back: whatever
// comes next, it reaches the service, which has others of the same push.
func TestTranslationsThatTheServiceDidNotTake(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	text := func(a string) string { return fmt.Sprintf("{\n  \"a\": %q\n}\n", a) }
	const path = "locales/fr/a.json"
	for _, written := range []string{"Pomme 1", "Une pomme"} {
		for _, branch := range []string{"main", "l10n"} {
			for next, also := range map[string]func(w *world){
				"push":           func(*world) {},
				"pull":           func(w *world) { w.pulls(pull.Options{}) },
				"pull, merge":    func(w *world) { w.pulls(pull.Options{}); w.git("merge", "-q", "--no-edit", "l10n") },
				"another commit": func(w *world) { w.write("code.txt", "y"); w.commit() },
				"another text": func(w *world) {
					w.final("de", "a", "Apfel 3")
					w.pulls(pull.Options{})
				},
			} {
				t.Run(fmt.Sprint(written, " on ", branch, ", then ", next), func(t *testing.T) {
					t.Parallel()
					w := abc(t, settings+"[project.push]\ncompletion_state = \"final\"\n[project.pull]\nremote = \"\"\n", nil)
					for _, n := range []string{"1", "2"} {
						w.final("de", "a", "Apfel "+n)
						w.final("fr", "a", "Pomme "+n)
						w.pulls(pull.Options{})
						w.git("merge", "-q", "--no-edit", "l10n")
						w.pushes(push.Options{})
					}
					if branch == "main" {
						w.write(path, text(written))
						w.commit()
					} else {
						w.commitOn("l10n", path, text(written))
					}
					w.wire.lying(`{"errors":[{"fileName":"` + path + `","error":"x"}]}`)
					if p := w.pushes(push.Options{}); len(p.Problems) == 0 || len(p.Files) != 1 {
						t.Errorf("%+v", p)
					}
					w.wire.lying("")
					w.translate("main", "fr", "final", "a", "Pomme 2") // the service did not take it
					also(w)
					w.pushes(push.Options{})
					w.holds("main", "fr", "a", written)
					w.pulls(pull.Options{})
					w.has(branch, path, text(written))
				})
			}
		}
	}
}

// A source text that was brought back, and that the service did not take, is sent by the next push.
func TestSourceTextThatTheServiceDidNotTake(t *testing.T) {
	t.Parallel()
	w := abc(t, withSource, nil)
	w.edits("b", "B, edited")
	w.brings(enA + " (en): +0 ~1 -0")
	w.git("merge", "-q", "l10n")
	w.sends()
	text := func(b string) string { return "{\"a\": \"A\", \"b\": \"" + b + "\", \"c\": \"C\"}" }
	w.write(enA, text("B by hand"))
	w.sends(enA + " (en): b")
	w.write(enA, text("B, edited"))
	w.wire.lying(`{"errors":[{"error":"x"}]}`)
	w.problem(w.pushes(push.Options{}).Problems, enA, "stay pending")
	w.wire.lying("")
	w.edits("b", "B by hand") // the service did not take it
	w.sends(enA + " (en): b")
	w.holds("main", "en", "b", "B, edited")
	w.sends()
}

// A source file that the service does not take keeps nothing from being seen of another one.
func TestSourceTextBesideOneThatTheServiceDidNotTake(t *testing.T) {
	t.Parallel()
	const enO = "locales/en/o.json"
	w := abc(t, withSource, map[string]string{enO: `{"o": "O", "p": "P"}`})
	w.edits("o", "O, edited")
	w.brings(enO + " (en): +0 ~1 -0")
	w.git("merge", "-q", "l10n")
	w.sends()
	text := func(o string) string { return `{"o": "` + o + `", "p": "P"}` }
	w.write(enA, `{"a": "A by hand", "b": "B", "c": "C"}`, enO, text("O by hand"))
	w.wire.lying(`{"errors":[{"fileName":"a.json","error":"x"}]}`)
	w.problem(w.pushes(push.Options{}).Problems, enA, "stay pending")
	w.holds("main", "en", "o", "O by hand")
	w.write(enO, text("O, edited"))
	w.problem(w.pushes(push.Options{}).Problems, enA, "stay pending")
	w.holds("main", "en", "o", "O, edited")
}

// A translation that was brought back, and that could not be sent for whatever reason, is sent once it can be.
func TestTranslationsThatWait(t *testing.T) {
	t.Parallel()
	const path, settled = "locales/fr/a.json", `{"a": "A", "b": "B", "c": "C"}`
	for name, hinder := range map[string]func(w *world) (end func()){
		"the source is broken": func(w *world) func() {
			w.write(enA, `{"a": `)
			return func() { w.write(enA, settled) }
		},
		"the source is refused": func(w *world) func() {
			w.write(enA, `{"a": "A", "b": "B", "c": "C changed"}`)
			w.wire.lying(`{"errors":[{"error":"x"}]}`)
			return func() { w.wire.lying("") }
		},
		"the service has it unreadable": func(w *world) func() {
			unreadable := true
			w.replies(t, func(body []byte) []byte {
				if unreadable {
					return zipped(t, path, `{"a": `)
				}
				return body
			})
			return func() { unreadable = false }
		},
		"the service keeps its own": func(w *world) func() {
			project := w.config
			w.configure(strings.Replace(project, "[project.push]\n", "[project.push]\nconflicts = \"report\"\n", 1))
			return func() { w.configure(project) }
		},
		"the file has it twice": func(w *world) func() {
			w.write(path, `{"a": "Pomme 1", "a": "Pomme 3"}`)
			return func() { w.write(path, `{"a": "Pomme 1"}`) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := abc(t, settings+"[project.push]\ncompletion_state = \"final\"\n[project.pull]\nremote = \"\"\n", nil)
			for _, n := range []string{"1", "2"} {
				w.final("fr", "a", "Pomme "+n)
				w.pulls(pull.Options{})
				w.git("merge", "-q", "--no-edit", "l10n")
				w.pushes(push.Options{})
			}
			w.final("de", "a", "Apfel")
			w.pulls(pull.Options{}) // the branch is ahead, and says nothing of the working tree
			w.write(path, `{"a": "Pomme 1"}`)
			end := hinder(w)
			if p := w.pushes(push.Options{}); len(p.Problems) == 0 {
				t.Errorf("%+v", p)
			}
			end()
			w.holds("main", "fr", "a", "Pomme 2")
			w.clean(push.Options{})
			w.holds("main", "fr", "a", "Pomme 1")
			w.sends()
		})
	}
}

// So is a source text that was brought back, and that the service kept its own against.
func TestSourceTextThatTheServiceKeepsItsOwnAgainst(t *testing.T) {
	t.Parallel()
	w := abc(t, withSource, nil)
	text := func(b string) string { return "{\"a\": \"A\", \"b\": \"" + b + "\", \"c\": \"C\"}" }
	w.edits("b", "B, edited")
	w.brings(enA + " (en): +0 ~1 -0")
	w.git("merge", "-q", "l10n")
	w.sends()
	w.write(enA, text("B by hand"))
	w.sends(enA + " (en): b")
	project := w.config
	w.configure(withSource + "[project.push]\nconflicts = \"report\"\n" + jsonFiles)
	w.write(enA, text("B, edited"))
	w.problem(w.pushes(push.Options{}).Problems, "B, edited")
	w.configure(project)
	w.sends(enA + " (en): b")
	w.holds("main", "en", "b", "B, edited")
	w.sends()
}
