package engine

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

// otherStates are the states that the next pass may have: that of the last commit of ours, none, or another clone's.
var otherStates = map[string]func(*world){
	"kept": func(*world) {},
	"lost": (*world).lose,
	"lost, and a pull was first": func(w *world) {
		w.lose()
		w.pulls(pull.Options{})
	},
	"another clone's": func(w *world) { (&clones{}).change(w) },
}

// A person's translation moves with its key or its file in a pull's commit before a push has sent it. The commit did not
// bring it from the service: it is sent, or named where nothing tells what was agreed on, whatever became of the state.
func TestUnsentTextOfARenamedKeyIsSent(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	const enMoved, deMoved = "locales/en/moved.json", "locales/de/moved.json"
	for name, c := range map[string]struct {
		move           func(*world)
		source, target string // afterwards
		key            string
	}{
		"key":  {func(w *world) { w.write(enApp, `{"new": "A", "b": "B"}`) }, enApp, deApp, "new"},
		"file": {func(w *world) { w.git("mv", enApp, enMoved) }, enMoved, deMoved, "a"},
		"both": {func(w *world) {
			w.git("rm", "-q", enApp)
			w.write(enMoved, `{"new": "A", "b": "B"}`)
		}, enMoved, deMoved, "new"},
	} {
		for _, reused := range []bool{false, true} {
			for what, state := range otherStates {
				if reused && c.key == "a" {
					continue
				}
				t.Run(name+map[bool]string{true: " that is used again"}[reused]+", "+what, func(t *testing.T) {
					t.Parallel()
					w := mergedWorld(t, localFinal+jsonFiles)
					w.commitOn("l10n", deApp, `{"a": "by hand", "b": "B de"}`)
					c.move(w)
					w.commit()
					w.pulls(pull.Options{})
					has := `{"` + c.key + `": "by hand", "b": "B de"`
					if got := compact(w.show("l10n", c.target)); got != has+"}" {
						t.Fatalf("the branch has %s", got)
					}
					if reused {
						w.write(c.source, strings.TrimSuffix(w.show("main", c.source), "}")+`, "a": "Another"}`)
						w.commit()
					}
					state(w)
					p := w.pushes(push.Options{})
					w.pulls(pull.Options{})
					if name == "file" && strings.HasPrefix(what, "lost") {
						if what != "lost, and a pull was first" {
							w.problem(p.Problems, deMoved+`: "a" (de)`, "by hand", "A de")
						}
						w.pushes(push.Options{Ours: true})
					}
					w.pushes(push.Options{})
					if got := w.at("main", "de")[c.key]; got != "by hand" {
						t.Errorf("the service has %q", got)
					}
					w.pulls(pull.Options{})
					if got := compact(w.show("l10n", c.target)); !strings.HasPrefix(got, has) {
						t.Errorf("the branch has %s", got)
					}
				})
			}
		}
	}
}

// A text that a pull brought and that moved with its key later is agreed on as before: what a translator made of it
// under either name since is taken over.
func TestAgreedTextOfARenamedKeyIsReplaced(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for when, translates := range map[string]func(*world){
		"old name": func(w *world) { w.translate("main", "de", service.Final, "a", "A newer") },
		"new name": func(w *world) {
			w.translate("main", "en", service.Final, "new", "A")
			w.translate("main", "de", service.Final, "new", "A newer")
		},
	} {
		for what, state := range otherStates {
			t.Run(when+", "+what, func(t *testing.T) {
				t.Parallel()
				w := mergedWorld(t, localFinal+jsonFiles)
				w.write(enApp, `{"new": "A", "b": "B"}`)
				w.commit()
				w.pulls(pull.Options{})
				translates(w)
				state(w)
				w.clean(push.Options{})
				w.pulls(pull.Options{})
				w.clean(push.Options{})
				if got := w.at("main", "de")["new"]; got != "A newer" {
					t.Errorf("the service has %q", got)
				}
				if got := compact(w.show("l10n", deApp)); got != `{"new": "A newer", "b": "B de"}` {
					t.Errorf("the branch has %s", got)
				}
			})
		}
	}
}

// A key gets another source text after a pull has moved its translation, and before a push: its rename is not to be seen
// any more. The translation fills the gap that the service has under the new name.
func TestTextOfARenamedKeyFillsAGap(t *testing.T) {
	t.Parallel()
	for what, state := range otherStates {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := mergedWorld(t, localFinal+jsonFiles)
			w.write(enApp, `{"new": "A", "b": "B"}`)
			w.commit()
			w.pulls(pull.Options{})
			w.write(enApp, `{"new": "A reworded", "b": "B"}`)
			w.commit()
			state(w)
			w.clean(push.Options{})
			if got := w.at("main", "de")["new"]; got != "A de" {
				t.Errorf("the service has %q", got)
			}
			w.pulls(pull.Options{})
			w.sends()
		})
	}
}

// Two keys with one translation move, of which a person wrote one that no push has sent. Nothing tells afterwards which
// is which: what a translator writes under the new name meanwhile does not replace it without a word.
func TestTextOfTwoRenamesIsNotAgreed(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, localFinal+jsonFiles)
	w.commitOn("l10n", deApp, de("B de", "B de"))
	w.write(enApp, `{"x": "A", "y": "B"}`)
	w.commit()
	w.pulls(pull.Options{})
	w.translate("main", "en", service.Final, "x", "A", "y", "B")
	w.translate("main", "de", service.Final, "x", "X newer")
	w.lose()
	w.pushes(push.Options{})
	w.pulls(pull.Options{})
	if got := compact(w.show("l10n", deApp)); got != `{"x": "B de", "y": "B de"}` {
		t.Errorf("the branch has %s", got)
	}
}

// So it is where the file gets another ending.
func TestUnsentTextOfAFileWithAnotherEndingIsSent(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	const source, target = "locales/en/app.yaml", "locales/de/app.yaml"
	for what, state := range otherStates {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			const files = "[[project.files]]\nsource = \"locales/en/*.y*ml\"\nformat = \"yaml\"\n" +
				"output = \"locales/{LANGUAGE}/{NAME}.{EXT}\"\n"
			w := newWorld(t, localFinal+files, map[string]string{"locales/en/app.yml": "a: A\nb: B\n"})
			w.clean(push.Options{})
			w.final("de", "a", "A de", "b", "B de")
			w.pulls(pull.Options{})
			w.git("merge", "-q", "l10n")
			w.clean(push.Options{})
			w.commitOn("l10n", "locales/de/app.yml", "a: by hand\nb: B de\n")
			w.git("mv", "locales/en/app.yml", source)
			w.commit()
			w.pulls(pull.Options{})
			if got := w.show("l10n", target); !strings.Contains(got, "by hand") {
				t.Fatalf("the branch has %s; %s", got, w.git("ls-tree", "-r", "--name-only", "l10n"))
			}
			state(w)
			p := w.pushes(push.Options{})
			w.pulls(pull.Options{})
			if strings.HasPrefix(what, "lost") {
				if what != "lost, and a pull was first" {
					w.problem(p.Problems, target+`: "a" (de)`, "by hand", "A de")
				}
				w.pushes(push.Options{Ours: true})
			}
			w.holds("main", "de", "a", "by hand")
			w.pulls(pull.Options{})
			if got := w.show("l10n", target); !strings.Contains(got, "by hand") {
				t.Errorf("the branch has %s", got)
			}
		})
	}
}
