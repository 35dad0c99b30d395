package engine

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

// A person's translation that no push has sent goes along when its key moves to another file, also of one collection.
// With the state lost, nothing tells what a key became that has another name or collection: the text goes, and is
// named.
func TestUnsentTextOfAKeyThatMovesToAnotherFile(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	const one, two = "locales/en/one.json", "locales/en/two.json"
	const deOne, deTwo = "locales/de/one.json", "locales/de/two.json"
	for name, c := range map[string]struct{ files, from, into, key string }{
		"the same name":      {jsonFiles, "main", "main", "a"},
		"another name":       {jsonFiles, "main", "main", "x"},
		"another collection": {jsonFiles + "collection = \"{NAME}\"\n", "one", "two", "a"},
	} {
		for where, edit := range map[string]func(w *world, text string){
			"l10n": func(w *world, text string) { w.commitOn("l10n", deOne, text) },
			"main": func(w *world, text string) { w.write(deOne, text); w.commit() },
			"":     func(w *world, text string) { w.write(deOne, text) },
		} {
			for first, passes := range map[string]func(*world){
				"push":                 func(w *world) { w.clean(push.Options{}) },
				"pull":                 func(w *world) { w.pulls(pull.Options{}) },
				"pull without a state": func(w *world) { w.lose(); w.pulls(pull.Options{}) },
				"push without a state": func(w *world) { w.lose(); w.pushes(push.Options{}) },
			} {
				t.Run(name+", "+where+", then "+first, func(t *testing.T) {
					t.Parallel()
					w := newWorld(t, localFinal+c.files, map[string]string{one: `{"a": "A", "b": "B"}`, two: `{"c": "C"}`})
					w.clean(push.Options{})
					w.translate(c.from, "de", service.Final, "a", "A de", "b", "B de")
					w.translate(c.into, "de", service.Final, "c", "C de")
					w.pulls(pull.Options{})
					w.git("merge", "-q", "l10n")
					w.clean(push.Options{})
					edit(w, `{"a": "by hand", "b": "B de"}`)
					w.write(one, `{"b": "B"}`, two, `{"c": "C", "`+c.key+`": "A"}`)
					w.git("add", one, two)
					w.git("commit", "-q", "-m", "by a person")
					passes(w)
					w.pushes(push.Options{})
					pulled := w.pulls(pull.Options{})
					w.pushes(push.Options{})
					if strings.HasSuffix(first, "state") && name != "the same name" {
						if where == "l10n" && !strings.Contains(fmt.Sprint(pulled.Problems), `"by hand", which was never sent`) {
							t.Errorf("the pull tells %v", pulled.Problems)
						}
						if got := compact(w.show("main", deOne)); where == "main" && !strings.Contains(got, `"a": "by hand"`) {
							t.Errorf("main has %s", got)
						}
						return
					}
					w.holds(c.into, "de", c.key, "by hand")
					w.pulls(pull.Options{})
					if got := compact(w.show("l10n", deOne)); !strings.HasPrefix(got, `{"b": "B de"`) {
						t.Errorf("the branch has %s", got)
					}
					if got := compact(w.show("l10n", deTwo)); !strings.Contains(got, `"`+c.key+`": "by hand"`) {
						t.Errorf("the branch has %s", got)
					}
				})
			}
		}
	}
}

// What a translator has written meanwhile is not replaced by it, and both are named. So are two texts that people wrote
// in the two files.
func TestUnsentTextOfAKeyThatMovesMeetsAnother(t *testing.T) {
	t.Parallel()
	const one, two = "locales/en/one.json", "locales/en/two.json"
	const deOne, deTwo = "locales/de/one.json", "locales/de/two.json"
	for what, other := range map[string]func(*world){
		"translator": func(w *world) { w.final("de", "a", "A newer") },
		"pulled": func(w *world) {
			w.final("de", "a", "A newer")
			w.pulls(pull.Options{})
		},
		"person": func(w *world) { w.write(deTwo, `{"c": "C de", "a": "A newer"}`); w.commit() },
	} {
		w := newWorld(t, localFinal+jsonFiles, map[string]string{one: `{"a": "A", "b": "B"}`, two: `{"c": "C"}`})
		w.clean(push.Options{})
		w.final("de", "a", "A de", "b", "B de", "c", "C de")
		w.pulls(pull.Options{})
		w.git("merge", "-q", "l10n")
		w.clean(push.Options{})
		w.commitOn("l10n", deOne, `{"a": "by hand", "b": "B de"}`)
		w.write(one, `{"b": "B"}`, two, `{"c": "C", "a": "A"}`)
		w.commit()
		other(w)
		p := w.pushes(push.Options{})
		told := fmt.Sprint(p.Problems, p.Replaced)
		if !strings.Contains(told, "by hand") || !strings.Contains(told, "A newer") {
			t.Errorf("%s: %s", what, told)
		}
	}
}

// So it does where its key gets another name, and its file another path later, whether or not a pull was between.
func TestUnsentTextOfARenamedKeyOfAFileThatMoves(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	const enMoved, deMoved = "locales/en/moved.json", "locales/de/moved.json"
	for into, files := range map[string]string{"main": jsonFiles, "moved": jsonFiles + "collection = \"{NAME}\"\n"} {
		for between, pass := range map[string]func(*world){
			"nothing": func(*world) {},
			"pull":    func(w *world) { w.pulls(pull.Options{}) },
			"pull and merge": func(w *world) {
				w.pulls(pull.Options{})
				w.git("merge", "-q", "l10n")
			},
		} {
			for _, both := range []bool{false, true} {
				for first, passes := range map[string]func(*world){
					"push": func(*world) {},
					"pull": func(w *world) { w.pulls(pull.Options{}) },
				} {
					t.Run(fmt.Sprint(into, ", ", between, ", both ", both, ", then ", first), func(t *testing.T) {
						t.Parallel()
						w := newWorld(t, localFinal+files, map[string]string{enApp: `{"a": "A", "b": "B"}`})
						w.clean(push.Options{})
						w.translate(strings.Replace(into, "moved", "app", 1), "de", service.Final, "a", "A de", "b", "B de")
						w.pulls(pull.Options{})
						w.git("merge", "-q", "l10n")
						w.clean(push.Options{})
						w.commitOn("l10n", deApp, `{"a": "by hand", "b": "B de"}`)
						w.write(enApp, `{"new": "A", "b": "B"}`)
						w.commit()
						pass(w)
						w.git("mv", enApp, enMoved)
						if both {
							w.git("mv", deApp, deMoved)
						}
						w.commit()
						passes(w)
						w.clean(push.Options{})
						w.pulls(pull.Options{})
						w.clean(push.Options{})
						w.holds(into, "de", "new", "by hand")
						w.pulls(pull.Options{})
						got := compact(w.show("l10n", deMoved) + w.show("l10n", deApp)) // of base nothing new may have come
						if got != `{"new": "by hand", "b": "B de"}` {
							t.Errorf("the branch has %s", got)
						}
					})
				}
			}
		}
	}
}

// So it does where a person has moved the translations, too, and where the file has moved twice.
func TestUnsentTextOfARenamedKeyAfterMoves(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	const moved, again = "locales/en/moved.json", "locales/en/again.json"
	hand := func(key string) string { return `{"` + key + `": "by hand", "b": "B de"}` }
	for name, edit := range map[string]func(*world){
		"on the branch": func(w *world) { w.commitOn("l10n", deApp, hand("a")) },
		"moved by hand": func(w *world) {
			w.git("mv", deApp, "locales/de/moved.json")
			w.write("locales/de/moved.json", hand("a"))
		},
		"moved and renamed too": func(w *world) {
			w.git("mv", deApp, "locales/de/moved.json")
			w.write("locales/de/moved.json", hand("new"))
		},
	} {
		for _, collection := range []string{"", "collection = \"{NAME}\"\n"} {
			for _, moves := range [][]string{{enApp, moved}, {enApp, moved, again}} {
				if len(moves) > 2 && (name != "on the branch" || collection != "") { // which collection became which is not guessed
					continue
				}
				for _, pushed := range []bool{false, true} {
					t.Run(fmt.Sprint(name, " ", collection != "", " ", len(moves), " pushed ", pushed), func(t *testing.T) {
						t.Parallel()
						w := newWorld(t, localFinal+jsonFiles+collection, map[string]string{enApp: `{"a": "A", "b": "B"}`})
						w.clean(push.Options{})
						from, into := "main", "main"
						if collection != "" {
							from, into = "app", strings.TrimSuffix(path.Base(moves[len(moves)-1]), ".json")
						}
						w.translate(from, "de", service.Final, "a", "A de", "b", "B de")
						w.pulls(pull.Options{})
						w.git("merge", "-q", "l10n")
						w.clean(push.Options{})
						for i, to := range moves[1:] {
							w.git("mv", moves[i], to)
							w.commit()
							if pushed || i < len(moves)-2 {
								w.clean(push.Options{})
							}
						}
						w.write(moves[len(moves)-1], `{"new": "A", "b": "B"}`)
						w.commit()
						edit(w)
						w.git("add", "-A")
						_, _ = gittest.TryGit(t, w.dir, "commit", "-q", "-m", "by a person")
						told := ""
						for range 2 {
							p, l := w.pushes(push.Options{}), w.pulls(pull.Options{})
							told += fmt.Sprint(p.Problems, p.Replaced, l.Problems)
						}
						if got := w.at(into, "de")["new"]; got != "by hand" && !strings.Contains(told, "by hand") {
							t.Errorf("the service has %q; the reports have %s", got, told)
						}
					})
				}
			}
		}
	}
}

// A text in the file that its key is in now comes before one that was left in the file that it was in.
func TestTextInTheKeysOwnFileComesFirst(t *testing.T) {
	t.Parallel()
	const one, two = "locales/en/one.json", "locales/en/two.json"
	const deOne, deTwo = "locales/de/one.json", "locales/de/two.json"
	w := newWorld(t, localFinal+jsonFiles, map[string]string{one: `{"a": "A", "b": "B"}`, two: `{"c": "C"}`})
	w.clean(push.Options{})
	w.final("de", "a", "A de", "b", "B de", "c", "C de")
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.clean(push.Options{})
	w.write(deOne, `{"a": "by hand", "b": "B de"}`)
	w.commit()
	w.write(one, `{"b": "B"}`, two, `{"c": "C", "a": "A"}`, deTwo, `{"c": "C de", "a": "by hand, better"}`)
	w.commit()
	p := w.pushes(push.Options{})
	if told := fmt.Sprint(p.Problems, p.Replaced); !strings.Contains(told, `"by hand"`) || !strings.Contains(told,
		`"by hand, better"`) {
		t.Errorf("told %s", told)
	}
	if got := w.at("main", "de")["a"]; got == "by hand" {
		t.Errorf("the service has %q", got)
	}
}
