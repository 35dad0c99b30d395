package engine

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

// lostStates are the ways in which a pass has no state: it was deleted, or the clone is another one.
var lostStates = map[string]func(w *world, bare string){
	"kept":    func(*world, string) {},
	"deleted": func(w *world, _ string) { w.lose() },
	"full": func(w *world, bare string) {
		w.dir = gittest.Clone(w.tb, "file://"+bare)
		w.configure(w.config)
		w.lose()
	},
	"shallow": func(w *world, bare string) {
		w.dir = gittest.Clone(w.tb, "file://"+bare, "--depth=1")
		w.configure(w.config)
		w.lose()
	},
}

// syncs is a push and a pull, whatever they report.
func (w *world) syncs() {
	w.tb.Helper()
	w.pushes(push.Options{})
	w.pulls(pull.Options{})
}

// A developer's edit that is merged into main while l10n has a commit that is not merged is not replaced by the
// branch's older text, whatever became of the state, and whoever pulls.
func TestAMergedEditIsNotReverted(t *testing.T) {
	t.Parallel()
	passes := map[string]func(*world){
		"sync": (*world).syncs,
		"pull": func(w *world) { w.pulls(pull.Options{}) },
	}
	for _, state := range []string{"draft", "final"} {
		for name, lose := range lostStates {
			for with, passes := range passes {
				t.Run(fmt.Sprint(state, " ", name, " ", with), func(t *testing.T) {
					t.Parallel()
					w := newWorld(t, settings+"[project.push]\ncompletion_state = \""+state+"\"\n"+jsonFiles, map[string]string{
						enApp: `{"a": "A", "b": "B", "n": "New"}`, deApp: `{"a": "DE A", "b": "DE B"}`})
					bare := w.bare()
					w.configure(w.config)
					w.syncs()
					w.final("de", "n", "Neu")
					w.syncs()
					w.elsewhere(bare, "main", map[string]string{deApp: `{"a": "DE A", "b": "EDIT BY HAND"}`})
					w.git("pull", "-q", "origin", "main")
					lose(w, bare)
					passes(w)
					w.git("fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*")
					if got := parsed(t, w.show("origin/l10n", deApp))["b"]; got != "EDIT BY HAND" {
						t.Errorf("the branch has %q", got)
					}
					if with == "sync" && name == "kept" {
						w.holds("main", "de", "b", "EDIT BY HAND")
					}
					passes(w)
					w.git("fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*")
					if got := parsed(t, w.show("origin/l10n", deApp)); got["b"] != "EDIT BY HAND" || got["n"] != "Neu" {
						t.Errorf("the branch has %q", got)
					}
				})
			}
		}
	}
}

// A text that lost to a draft, which no pull takes, is not replaced by the older text of the branch either.
func TestAnEditThatLostToADraftIsNotReverted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{
		enApp: `{"a": "A", "b": "B", "n": "New"}`, deApp: `{"a": "DE A", "b": "DE B"}`})
	bare := w.bare()
	w.configure(w.config)
	w.syncs()
	w.final("de", "n", "Neu")
	w.syncs()
	w.elsewhere(bare, "main", map[string]string{deApp: `{"a": "DE A", "b": "EDIT BY HAND"}`})
	w.git("pull", "-q", "origin", "main")
	w.translate("main", "de", service.Draft, "b", "A draft")
	for range 2 {
		w.syncs()
		w.git("fetch", "-q")
		if got := parsed(t, w.show("origin/l10n", deApp))["b"]; got != "EDIT BY HAND" {
			t.Errorf("the branch has %q", got)
		}
	}
}

// parsed are the texts of a flat JSON file.
func parsed(t *testing.T, src string) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	if err := json.Unmarshal([]byte(src), &texts); err != nil {
		t.Fatalf("%v in %s", err, src)
	}
	return texts
}
