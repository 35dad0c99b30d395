package events

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"
	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/ledger/boltledger"
	"github.com/locsync/locsync/sync/report"
)

// measured is a history of which how long translations take is known.
type measured struct {
	t   testing.TB
	log *Log
	now time.Time
}

func newMeasured(t testing.TB, store ledger.Store, project string) *measured {
	m := &measured{t: t, now: time.Date(2026, 11, 13, 12, 0, 0, 0, time.UTC)}
	m.log = &Log{Ledger: store, Project: project, Branch: "l10n", Log: zap.NewNop(),
		Now: func() time.Time { return m.now }}
	return m
}

func (m *measured) tells(tell func(*Entry)) {
	m.t.Helper()
	err := m.log.Ledger.Update(func(tx ledger.Writer) error {
		d := m.log.Open(tx, m.now)
		tell(d)
		d.Close()
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

// sends sends keys with a text, of which text is the digest.
func (m *measured) sends(text uint32, keys ...string) {
	m.tells(func(d *Entry) {
		d.Sent(report.ProjectPush{Keys: 1, Files: []report.PushedFile{
			{Path: "en.json", Language: "en", Keys: keys, Texts: slices.Repeat([]uint32{text}, len(keys))},
			{Path: "de.json", Language: "de", Keys: []string{"other"}},
		}}, "en")
	})
}

func (m *measured) brings(language string, keys ...string) {
	m.tells(func(d *Entry) {
		d.Brought(report.ProjectPull{Keys: 1, Commit: "0123456789", Files: []report.PulledFile{{Path: language + ".json",
			Language: language, Fresh: map[string][]string{"en.json": keys}}}}, "en")
	})
}

func (m *measured) takes() map[string]report.Turnaround {
	var s report.ProjectStatus
	m.log.Read(&s)
	all := make(map[string]report.Turnaround)
	for _, l := range s.Turnaround {
		all[l.Language] = l
	}
	return all
}

func (m *measured) record() ledger.Turnaround {
	t, _, err := ledger.Turnarounds.Get(m.log.Ledger, m.log.Project, "")
	if err != nil {
		m.t.Fatal(err)
	}
	return t
}

func named(from, to int) (keys []string) {
	for i := from; i < to; i++ {
		keys = append(keys, fmt.Sprint("key ", i))
	}
	return keys
}

func openStore(t testing.TB) ledger.Store {
	t.Helper()
	store, err := boltledger.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// near reports whether a median is as precise as is promised.
func near(got int64, want time.Duration) bool {
	return math.Abs(float64(got)/want.Seconds()-1) < 0.2
}

// The median is that of all first translations of the last 30 days, from the first push of the text that a key has last.
func TestTurnaroundOfLanguages(t *testing.T) {
	t.Parallel()
	m := newMeasured(t, openStore(t), "app")
	m.brings("de", "a")
	m.sends(1, "a", "b", "c")
	m.now = m.now.Add(4 * time.Hour)
	m.sends(2, "c")
	m.sends(1, "a", "b") // again
	m.now = m.now.Add(4 * time.Hour)
	m.sends(2, "c")
	m.brings("de", "a", "c", "unknown")
	m.brings("fr", "c")
	m.now = m.now.Add(4 * time.Hour)
	m.brings("de", "b")
	if got := m.takes(); len(got) != 2 || got["de"].Keys != 3 || !near(got["de"].Median, 8*time.Hour) ||
		got["fr"].Keys != 1 || !near(got["fr"].Median, 4*time.Hour) {
		t.Errorf("%+v", got)
	}
	m.now = m.now.AddDate(0, 0, 31)
	if got := m.takes(); len(got) != 0 {
		t.Errorf("a month later: %+v", got)
	}
	m.sends(1, "d")
	m.brings("fr", "a") // within 90 days
	if got := m.takes(); len(got) != 1 || got["fr"].Keys != 1 || !near(got["fr"].Median, 31*24*time.Hour+12*time.Hour) {
		t.Errorf("a month later: %+v", got)
	}
	m.now = m.now.AddDate(0, 0, 61)
	m.sends(1, "e")
	if got := m.record(); len(got.Sent) != 2 || len(got.Days) != 0 {
		t.Errorf("three months later: %+v", got)
	}
	if got := m.takes(); len(got) != 0 {
		t.Errorf("three months later: %+v", got)
	}
}

// However much is sent and brought, the record is bounded; and however thin the sample, it says what is true of all.
func TestTurnaroundIsBounded(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	thin, whole := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		now := time.Date(2026, 11, 13, 12, 0, 0, 0, time.UTC)
		var record ledger.Turnaround
		var took []time.Duration // all within the last 30 days
		sent := 0
		for range rapid.IntRange(1, 3).Draw(rt, "passes") {
			began := now
			n := rapid.SampledFrom([]int{120, 300, 5000}).Draw(rt, "keys")
			keys := named(sent, sent+n)
			sent += n
			d := &Entry{of: &Log{}, at: began, sent: []report.PushedFile{
				{Path: "en.json", Keys: keys, Texts: make([]uint32, n)}}}
			d.addTurnaround(&record)
			each := n / rapid.SampledFrom([]int{3, 120}).Draw(rt, "pulls")
			longest := rapid.Int64Range(1, 500).Draw(rt, "minutes")
			for pulled := range slices.Chunk(keys, each) {
				now = now.Add(time.Duration(rapid.Int64Range(1, longest).Draw(rt, "wait")) * time.Minute / 5)
				d := &Entry{of: &Log{}, at: now, brought: []report.PulledFile{
					{Language: "de", Fresh: map[string][]string{"en.json": pulled}}}}
				d.addTurnaround(&record)
				for range pulled {
					took = append(took, now.Sub(began))
				}
			}
		}
		waiting := 0
		for _, s := range record.Sent {
			if len(s.Keys) == 0 || len(s.Keys)%digestLen != 0 {
				rt.Fatalf("%d bytes of digests", len(s.Keys))
			}
			waiting += len(s.Keys) / digestLen
		}
		if waiting > mostSent || len(record.Days) > mostDays {
			rt.Fatalf("%d keys, and %d days", waiting, len(record.Days))
		}
		for _, d := range record.Days {
			if len(d.Took["de"]) > 35 {
				rt.Fatalf("%d buckets", len(d.Took["de"]))
			}
		}
		got := medians(record, now)
		if len(got) != 1 {
			rt.Fatalf("%+v is measured of %d", got, len(took))
		}
		slices.Sort(took)
		spread := 0.0
		if thin++; record.Thin > 0 {
			spread = 3 / math.Sqrt(float64(got[0].Keys>>record.Thin))
		} else if whole++; got[0].Keys != len(took) {
			rt.Fatalf("%+v is measured of %d", got, len(took))
		}
		at := func(share float64) float64 {
			return took[min(max(0, int(math.Ceil(share*float64(len(took))))-1), len(took)-1)].Seconds()
		}
		least, most, median := at(0.5-spread), at(0.5+spread), float64(got[0].Median)
		if median < 0.8*least-60 || median > 1.2*most+60 {
			rt.Fatalf("%+v, and not %v to %v, among %d", got, least, most, len(took))
		}
	})
	if thin -= whole; thin == 0 || whole == 0 {
		t.Errorf("%d samples, and %d wholes", thin, whole)
	}
}
