package engine

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/pass/push"
)

// The time that pushes have waited for git counts from the first push that met it busy, over all that came back in vain, and ends with the push that did not.
func TestTimeThatPushesWaitForGit(t *testing.T) {
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A"}`})
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	w.Now = func() time.Time { // a look at it takes six seconds, so that nobody waits here
		now = now.Add(6 * time.Second)
		return now
	}
	gate := func() time.Duration {
		w.Status(t.Context())
		return w.LastStatus().Projects[0].GitBusy
	}
	if got := gate(); got != 0 {
		t.Errorf("shut for %s before anything", got)
	}
	rebase := filepath.Join(w.dir, ".git", "rebase-merge")
	w.check(os.Mkdir(rebase, 0o755))
	var before time.Duration
	for range 2 {
		if _, err := w.Push(t.Context(), push.Options{}); !errors.Is(err, gitops.ErrBusy) {
			t.Fatalf("a push within a rebase: %v", err)
		}
		got := gate()
		if got <= before || got < 6*time.Second {
			t.Errorf("shut for %s, before for %s", got, before)
		}
		before = got
	}
	w.check(os.Remove(rebase))
	if got := gate(); got <= before {
		t.Errorf("opened by a look: shut for %s", got)
	}
	w.pushes(push.Options{})
	if got := gate(); got != 0 {
		t.Errorf("shut for %s after a push", got)
	}
}
