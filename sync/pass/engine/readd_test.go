package engine

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

// A key that the source lost and has again gets the translation back that a pull took out of the branch, though the service holds it only as a draft: the branch
// lacks it by a commit of ours, which says nothing against the text that the base branch has all the time.
func TestKeyRemovedAndAddedAgain(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	between := map[string]func(w *world){
		"one state":    func(*world) {},
		"a lost state": func(w *world) { w.lose() },
		"two clones":   (&clones{}).change,
	}
	for name, other := range between {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, settings+"[project.pull]\n"+jsonFiles, map[string]string{enApp: `{"a": "A", "b": "B"}`, deApp: `{"a": "A de", "b": "B de"}`})
			w.bare()
			w.configure(w.config)
			sync := func() {
				t.Helper()
				w.clean(push.Options{})
				if p := w.pulls(pull.Options{}); len(p.Problems) > 0 {
					t.Fatalf("%v", p.Problems)
				}
			}
			sync()
			w.write(enApp, `{"a": "A"}`)
			w.commit()
			w.git("push", "-q", "origin", "main")
			sync()
			w.has("l10n", deApp, `{"a": "A de"}`)
			other(w)
			w.git("revert", "--no-edit", "HEAD")
			w.git("push", "-q", "origin", "main")
			sync()
			w.has("l10n", deApp, `{"a": "A de", "b": "B de"}`)
			other(w)
			sync()
			w.git("merge", "-q", "l10n")
			if got := gittest.Git(t, w.dir, "show", "HEAD:"+deApp); !strings.Contains(got, "B de") {
				t.Errorf("the merge leaves %s", got)
			}
			w.holds("main", "de", "a", "A de", "b", "B de")
		})
	}
}

// clones are two states that work on one repository by turns, as two clones of one remote do.
type clones struct{ other string }

func (c *clones) change(w *world) {
	if c.other == "" {
		c.other = w.tb.TempDir()
	}
	w.home, c.other = c.other, w.home
	w.restart(w.Config)
}

// What a person took out of the branch, and what a pull took out for another reason, stays out.
func TestRemovedTranslationStaysOut(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	meet := func(t *testing.T, more string) (w *world, sync func()) {
		w = newWorld(t, settings+"[project.pull]\n"+more+jsonFiles, map[string]string{enApp: `{"a": "A", "b": "B"}`, deApp: `{"a": "A de", "b": "B de"}`})
		w.bare()
		w.configure(w.config)
		return w, func() {
			t.Helper()
			w.clean(push.Options{})
			if p := w.pulls(pull.Options{}); len(p.Problems) > 0 {
				t.Fatalf("%v", p.Problems)
			}
		}
	}
	edit := func(w *world, path, text string) {
		w.write(path, text)
		w.commit()
		w.git("push", "-q", "origin", "main")
	}
	t.Run("a person's removal", func(t *testing.T) {
		t.Parallel()
		w, sync := meet(t, "")
		sync()
		edit(w, enApp, `{"a": "A"}`)
		sync()
		edit(w, enApp, `{"a": "A", "b": "B"}`)
		sync()
		w.has("origin/l10n", deApp, `{"a": "A de", "b": "B de"}`)
		w.elsewhere(w.git("remote", "get-url", "origin"), "l10n", map[string]string{deApp: `{"a": "A de"}`})
		sync()
		edit(w, "other", "of no interest")
		sync()
		w.has("origin/l10n", deApp, `{"a": "A de"}`)
	})
	t.Run("a source text that changed", func(t *testing.T) {
		t.Parallel()
		w, sync := meet(t, "source_changed = \"blank\"\n")
		w.translate("main", "en", service.Final, "a", "A", "b", "B")
		w.final("de", "a", "A de", "b", "B de")
		sync()
		edit(w, enApp, `{"a": "A", "b": "B, but otherwise"}`)
		sync()
		w.has("origin/l10n", deApp, `{"a": "A de"}`)
		edit(w, "other", "of no interest")
		sync()
		w.has("origin/l10n", deApp, `{"a": "A de"}`)
	})
	t.Run("another translation at the service", func(t *testing.T) {
		t.Parallel()
		w, sync := meet(t, "")
		w.wire.another = true
		sync()
		edit(w, enApp, `{"a": "A"}`)
		sync()
		w.final("de", "b", "B improved")
		edit(w, enApp, `{"a": "A", "b": "B"}`)
		sync()
		w.has("origin/l10n", deApp, `{"a": "A de", "b": "B improved"}`)
	})
}
