package engine

import (
	"maps"
	"testing"

	"github.com/locsync/locsync/sync/pull"
	"github.com/locsync/locsync/sync/push"
)

// How long translations take is measured once for each source text and language: by its first translation that a pull
// brings, and neither by a better one, nor by what first contact finds.
func TestTurnaround(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+jsonFiles, map[string]string{
		enApp: `{"a": "A", "b": "B"}`, "locales/en/b.json": `{"c": "C"}`, "locales/fr/app.json": `{"b": "B fr"}`})
	measured := func(want map[string]int) {
		t.Helper()
		got := make(map[string]int)
		for _, l := range w.Status(t.Context()).Projects[0].Turnaround {
			if got[l.Language] = l.Keys; l.Median < 0 || l.Median > 600 {
				t.Errorf("%+v", l)
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("measured by %v, want %v", got, want)
		}
	}
	w.clean(push.Options{Translations: true})
	w.pulls(pull.Options{})
	measured(map[string]int{})
	w.final("de", "a", "A de", "b", "B de")
	w.final("fr", "a", "A fr", "c", "C fr")
	w.pulls(pull.Options{})
	measured(map[string]int{"de": 2, "fr": 2})
	w.git("merge", "-q", "l10n")
	w.final("de", "a", "A de, better", "c", "C de")
	w.pulls(pull.Options{})
	measured(map[string]int{"de": 3, "fr": 2})
	w.git("merge", "-q", "l10n")
	w.write(enApp, `{"a": "A 2", "b": "B"}`)
	w.clean(push.Options{})
	w.pulls(pull.Options{})
	measured(map[string]int{"de": 3, "fr": 2})
	w.final("de", "a", "A 2 de")
	w.restart(w.Config)
	w.pulls(pull.Options{})
	measured(map[string]int{"de": 4, "fr": 2})
}
