package engine

import (
	"context"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

// Saves on the page of the embedded service lead to one commit: when nothing was saved for a while, at once where a
// language is complete by it, and at the end.
func TestSavesAreCommittedTogether(t *testing.T) {
	t.Parallel()
	const path = "locales/de/app.json"
	for name, c := range map[string]struct {
		settle   string
		complete bool // the last save makes the language complete
		ends     bool // the daemon ends after it
	}{
		"after a quiet time": {settle: "400ms"},
		"complete":           {settle: "1h", complete: true},
		"at the end":         {settle: "1h", ends: true},
		"each at once":       {settle: "0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, settings+"[project.pull]\nremote = \"\"\nschedule = \"@every 1h\"\nsettle = \""+c.settle+"\"\n"+
				jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A", "b": "B", "c": "C"}`})
			w.clean(push.Options{})
			ctx, end := context.WithCancel(t.Context())
			defer end()
			done := make(chan error, 1)
			go func() { done <- w.Run(ctx) }()
			w.until("it does not get ready", func() bool { return w.Ready() == nil })
			ours := func(id string) bool { return id == w.id }
			for _, key := range []string{"a", "b", "c"} {
				w.translate("main", "de", service.Final, key, key+" de")
				w.Saved(ours, c.complete && key == "c")
			}
			if c.ends {
				end()
				w.check(<-done)
			}
			want := `{"a": "a de", "b": "b de", "c": "c de"}`
			has := func() bool { return compact(w.show("l10n", path)) == want }
			if c.ends && !has() {
				t.Fatalf("l10n has %s at the end", w.show("l10n", path))
			}
			w.until("nothing is committed", has)
			if commits := w.git("rev-list", "--count", "main..l10n"); commits != "1" && c.settle != "0s" {
				t.Errorf("%s commits", commits)
			}
			if !c.ends {
				end()
				w.check(<-done)
			}
		})
	}
}

// until waits for what a daemon is to bring about.
func (w *world) until(what string, is func() bool) {
	w.tb.Helper()
	deadline := time.After(30 * time.Second)
	for changed := w.Changed(); !is(); changed = w.Changed() {
		select {
		case <-changed:
		case <-time.After(time.Second):
		case <-deadline:
			w.tb.Fatal(what)
		}
	}
}
