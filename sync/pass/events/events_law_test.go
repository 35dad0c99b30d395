package events

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"pgregory.net/rapid"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/report"
)

// Against a model: any history of events, failures, recoveries and days, with a clock that goes both ways, leaves at
// most 50 events, the latest last, each row of equal failures once, and sums of days in which each event counts once.
func TestEventsLaw(t *testing.T) {
	t.Parallel()
	store, err := boltledger.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
		l := &Log{Ledger: store, Project: fmt.Sprint("run ", run), Log: zap.NewNop(), Now: func() time.Time { return now }}
		kinds, days, events, failures, last := map[string]bool{}, map[string]int{}, 0, 0, ""
		err := store.Update(func(tx ledger.Writer) error {
			for range rapid.IntRange(1, 120).Draw(rt, "passes") {
				now = now.Add(time.Duration(rapid.IntRange(-2, 30).Draw(rt, "hours")) * time.Hour)
				var failure error
				sent := 0
				switch rapid.IntRange(0, 3).Draw(rt, "what") {
				case 0:
					kind := rapid.SampledFrom([]string{"down", "refused", "no route"}).Draw(rt, "kind")
					failure = fmt.Errorf("%s: request %d from port %d", kind, rapid.IntRange(1, 1<<30).Draw(rt, "request"),
						rapid.IntRange(1024, 65535).Draw(rt, "port"))
					if failures++; !kinds[kind] {
						kinds[kind] = true
						events++
					}
					last = "Push did not work: " + failure.Error()
				case 1:
					sent = rapid.IntRange(1, 9).Draw(rt, "sent")
				}
				day := dateOf(now)
				d := l.Open(tx, now)
				if d.day.Pushed += sent; sent > 0 {
					last = fmt.Sprintf("Sent %d.", sent)
					events++
					d.Tell(report.Event{What: "push", Result: report.ResultOK, Text: last})
				}
				if d.Ended("push", failure); failure == nil && failures > 0 {
					last = fmt.Sprintf("Push works again, after %s.", report.Counted(failures, "failure", "failures"))
					failures, kinds = 0, map[string]bool{}
					events++
				}
				d.Close()
				if days[day] += sent; sent > 0 {
					for other := range days {
						if other > day {
							delete(days, other) // a clock that is set back has told them too early
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			rt.Fatal(err)
		}
		var s report.ProjectStatus
		l.Read(&s)
		if len(s.Events) > mostEvents || events <= mostEvents && len(s.Events) > events || events > 0 && last != "" &&
			s.Events[0].Text != last {
			rt.Fatalf("%d events, want at most %d; the newest is %q, want %q", len(s.Events), min(events, mostEvents),
				s.Events[0].Text, last)
		}
		if len(s.Activity) != mostDays || s.Activity[mostDays-1].Date != dateOf(now) {
			rt.Fatalf("%+v", s.Activity)
		}
		for _, d := range s.Activity {
			if d.Pushed != days[d.Date] {
				rt.Fatalf("on %s %d were sent, want %d", d.Date, d.Pushed, days[d.Date])
			}
		}
	})
}

// BenchmarkEntry is what events add to the end of a pass that has nothing to tell, and of one that has, when there are
// as many as are kept.
func BenchmarkEntry(b *testing.B) {
	store, err := boltledger.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	l := &Log{Ledger: store, Project: "app", Log: zap.NewNop(), Now: time.Now}
	for range 2 * mostEvents {
		l.Tell(report.Event{What: "push", Result: report.ResultOK, Text: strings.Repeat("Sent 3 keys. ", 10)})
	}
	for name, tell := range map[string]func(*Entry){
		"quiet": func(d *Entry) { d.Ended("push", nil) },
		"told": func(d *Entry) {
			d.day.Pushed++
			d.Tell(report.Event{What: "push", Result: report.ResultOK, Text: strings.Repeat("Sent 3 keys. ", 10)})
			d.Ended("push", nil)
		},
	} {
		b.Run(name, func(b *testing.B) {
			err := store.Update(func(tx ledger.Writer) error { // one transaction, which the pass has anyway
				for b.Loop() {
					d := l.Open(tx, time.Now())
					d.Conflicts()
					tell(d)
					d.Close()
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
