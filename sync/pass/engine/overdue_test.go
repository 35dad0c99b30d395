package engine

import (
	"net/http"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/service/local"
)

// Pulls are overdue when two of them were due since the last that worked, however unevenly they are scheduled; one that fails, and a process that begins anew,
// put nothing off.
func TestOverdue(t *testing.T) {
	w := newWorld(t, settings+"[project.pull]\nschedule = \"0 3 * * 1-5\"\n"+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A"}`})
	at := time.Time{}
	clock := func() time.Time { return at }
	day := func(d, hour int) time.Time { return time.Date(2026, 5, d, hour, 0, 0, 0, time.UTC) } // the 1st is a Friday
	overdue := func() time.Time {
		w.Status(t.Context())
		return w.LastStatus().Projects[0].Overdue
	}
	expect := func(when string, want time.Time) {
		t.Helper()
		if got := overdue(); !got.Equal(want) {
			t.Errorf("%s: overdue from %s, want %s", when, got, want)
		}
	}
	begin := func(now time.Time) {
		at = now
		w.restart(w.Config)
		w.Now = clock
		w.projects[0].view.born = now
	}
	begin(day(1, 2))
	expect("nothing was ever pulled", day(4, 3)) // Friday, then Monday
	at = day(1, 3)
	w.pulls(pull.Options{})
	expect("after Friday's", day(5, 3)) // not on Sunday
	no := func(*http.Request) local.Fault { return local.Fault{Refuse: http.StatusForbidden} }
	w.wire.failing(no)
	at = day(4, 3)
	if _, err := w.Pull(t.Context(), pull.Options{}); err == nil {
		t.Fatal("the service refuses, and a pull worked")
	}
	expect("Monday's failed", day(5, 3))
	begin(day(4, 12))
	expect("begun anew", day(5, 3))
	w.wire.failing(nil)
	at = day(5, 4)
	w.pulls(pull.Options{})
	expect("Tuesday's worked", day(7, 3))
}
