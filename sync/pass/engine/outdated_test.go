package engine

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

// A source text that changes leaves translations behind that were made for another one: they are counted, and stay or go as the configuration says.
func TestSourceChanged(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for name, c := range map[string]struct{ pull, then string }{
		"keep":               {``, `{"a": "A de", "b": "B de"}`},
		"blank, skip":        {`source_changed = "blank"`, `{"b": "B de"}`},
		"blank, fallback":    {"source_changed = \"blank\"\nincomplete = \"fallback\"", `{"a": "A, but better", "b": "B de"}`},
		"blank, with blanks": {"source_changed = \"blank\"\nincomplete = \"blank\"", `{"a": "", "b": "B de"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := mergedWorld(t, settings+"[project.pull]\n"+c.pull+"\n"+jsonFiles)
			w.write(enApp, `{"a": "A, but better", "b": "B"}`)
			w.commit()
			w.clean(push.Options{})
			p := w.pulls(pull.Options{})
			blanked := strings.Contains(name, "blank")
			if p.SourceChanged != 1 || (p.Blanked == 1) != blanked || len(p.Problems) > 0 {
				t.Errorf("%+v", p)
			}
			if got := compact(w.show("l10n", deApp)); got != c.then {
				t.Errorf("the branch has %s, want %s", got, c.then)
			}
			if p := w.pulls(pull.Options{}); p.Commit != "" {
				t.Errorf("a second pull: %+v", p)
			}
			w.git("merge", "-q", "l10n")
			w.wire.take("")
			w.sends()
			w.silent()
			w.translate("main", "de", service.Final, "a", "A, aber besser")
			if p := w.pulls(pull.Options{}); p.SourceChanged != 0 || p.Blanked != 0 {
				t.Errorf("%+v", p)
			}
			if got := w.show("l10n", deApp); !strings.Contains(got, `"A, aber besser"`) {
				t.Errorf("the branch has %s", got)
			}
			w.sends()
		})
	}
}

// What was blanked comes back when the service says that it fits the new text as well, by having it again. Somebody's own new translation is not blanked.
func TestSourceChangedBack(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := mergedWorld(t, settings+"[project.pull]\nsource_changed = \"blank\"\n"+jsonFiles)
	source := func(text string) {
		w.write(enApp, text)
		w.commit()
		w.clean(push.Options{})
		w.pulls(pull.Options{})
	}
	expect := func(want string) {
		t.Helper()
		if got := compact(w.show("l10n", deApp)); got != want {
			t.Errorf("the branch has %s, want %s", got, want)
		}
	}
	source(`{"a": "A 2", "b": "B"}`)
	expect(`{"b": "B de"}`)
	w.translate("main", "de", service.Final, "a", "A de")
	w.pulls(pull.Options{})
	expect(`{"a": "A de", "b": "B de"}`)
	w.git("merge", "-q", "l10n")
	source(`{"a": "A 3", "b": "B"}`)
	expect(`{"b": "B de"}`)
	source(`{"a": "A 2", "b": "B"}`)
	w.translate("main", "de", service.Final, "a", "A de")
	w.pulls(pull.Options{Full: true})
	expect(`{"a": "A de", "b": "B de"}`)
	w.git("merge", "-q", "l10n")
	w.clean(push.Options{})
	w.write(deApp, de("A 4 de", "B de"))
	w.write(enApp, `{"a": "A 4", "b": "B"}`)
	w.commit()
	w.clean(push.Options{})
	if p := w.pulls(pull.Options{}); p.Blanked != 0 || p.SourceChanged != 0 || p.Commit != "" {
		t.Errorf("%+v", p)
	}
}
