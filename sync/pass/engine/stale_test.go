package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// staleWorld is a world whose source text "a" changed after its translation into de, and whose clock is now.
func staleWorld(t *testing.T, project string, now *time.Time) *world {
	w := newWorld(t, project, map[string]string{"locales/en/a.json": `{"a": "A", "b": "B"}`,
		"locales/de/a.json": `{"a": "Ah", "b": "Beh"}`})
	w.now = func() time.Time { return *now }
	w.restart(w.Config)
	w.write("locales/en/a.json", `{"a": "A new", "b": "B"}`)
	w.commit()
	return w
}

// Stale translations are counted at most once an hour, where the commit changed; the status has the counts after that.
func TestStaleCounts(t *testing.T) {
	now := time.Now()
	w := staleWorld(t, settings+jsonFiles, &now)
	counts := func() string {
		t.Helper()
		w.check(CountStale(t.Context(), w.Engine))
		last, now := w.LastStatus().Projects, w.Status(t.Context()).Projects[0].Stale
		if len(last) > 0 && fmt.Sprint(last[0].Stale) != fmt.Sprint(now) {
			t.Errorf("the last status has %v, the status %v", last[0].Stale, now)
		}
		return now.String()
	}
	is := func(want string) {
		t.Helper()
		if got := counts(); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%q, want %q", got, want)
		}
	}
	is("1 in de; locsync check --stale lists them")
	w.write("locales/en/a.json", `{"a": "A new", "b": "B new"}`)
	w.commit()
	is(": 1 in de")
	now = now.Add(2 * staleEvery)
	is(": 2 in de")
	w.restart(w.Config)
	is(": 2 in de")
	now = now.Add(2 * staleEvery)
	w.write("locales/de/a.json", `{"a": "Ah neu", "b": "Beh neu"}`)
	is(": 2 in de") // what is not committed does not count
	w.commit()
	now = now.Add(2 * staleEvery)
	is("")
	if zero := w.Status(t.Context()).Projects[0].Stale; len(zero.Languages) != 2 || zero.Languages[0].Keys != 0 {
		t.Errorf("the counts are %v", zero)
	}
	w.configure(settings + jsonFiles + "[project.check]\nstale = \"off\"\n")
	is("")
	if none := w.Status(t.Context()).Projects[0].Stale; none != nil {
		t.Errorf("a project that is not checked for them has %v", none)
	}
}

// In a shallow clone the counts are unknown, and not 0.
func TestStaleCountsOfAShallowClone(t *testing.T) {
	now := time.Now()
	w := staleWorld(t, settings+jsonFiles, &now)
	w.check(os.WriteFile(filepath.Join(w.dir, ".git", "shallow"), []byte(w.git("rev-parse", "HEAD")+"\n"), 0o600))
	w.check(CountStale(t.Context(), w.Engine))
	of := w.Status(t.Context()).Projects[0].Stale
	if of == nil || !of.Unknown || len(of.Languages) > 0 || !strings.Contains(of.String(), "unknown") {
		t.Errorf("the counts are %v", of)
	}
}
