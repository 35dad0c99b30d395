package events

import (
	"fmt"
	"testing"
	"time"

	"go.uber.org/zap"
	"pgregory.net/rapid"

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

func (m *measured) sends(keys ...string) {
	m.tells(func(d *Entry) {
		d.Sent(report.ProjectPush{Keys: 1, Files: []report.PushedFile{
			{Path: "en.json", Language: "en", Keys: keys}, {Path: "de.json", Language: "de", Keys: []string{"other"}},
		}}, "en")
	})
}

func (m *measured) brings(language string, keys ...string) {
	m.tells(func(d *Entry) {
		d.Brought(report.ProjectPull{Keys: 1, Commit: "0123456789", Files: []report.PulledFile{{Path: language + ".json",
			Language: language, Fresh: report.Fresh{Keys: keys, Sources: []string{"en.json"}}}}}, "en")
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

// The median is that of all first translations of the last 30 days, and the last push of a key counts.
func TestTurnaroundOfLanguages(t *testing.T) {
	t.Parallel()
	m := newMeasured(t, openStore(t), "app")
	m.sends("a", "b", "c")
	m.now = m.now.Add(time.Hour)
	m.sends("c")
	m.now = m.now.Add(time.Hour)
	m.brings("de", "a", "c", "unknown")
	m.now = m.now.Add(time.Hour)
	m.brings("de", "b")
	m.brings("fr", "c")
	if got := m.takes(); len(got) != 2 || got["de"] != (report.Turnaround{Language: "de", Keys: 3, Median: 2 * 3600}) ||
		got["fr"] != (report.Turnaround{Language: "fr", Keys: 1, Median: 2 * 3600}) {
		t.Errorf("%+v", got)
	}
	m.now = m.now.AddDate(0, 0, 31)
	if got := m.takes(); len(got) != 0 {
		t.Errorf("a month later: %+v", got)
	}
	m.sends("d")
	m.brings("fr", "a") // within 90 days
	if got := m.takes(); got["fr"].Keys != 1 || got["fr"].Median < 31*24*3600 || len(m.record().Took["de"]) != 0 {
		t.Errorf("a month later: %+v", got)
	}
	m.now = m.now.AddDate(0, 0, 61)
	m.sends("e")
	if got := m.record(); len(got.Sent) != 2 || len(got.Took) != 0 && len(m.takes()) != 0 {
		t.Errorf("three months later: %+v", got)
	}
}

// However much is sent and brought, the record is bounded; and however thin the sample, it says what is true of all.
func TestTurnaroundIsBounded(t *testing.T) {
	t.Parallel()
	store, run := openStore(t), 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		m := newMeasured(t, store, fmt.Sprint("run ", run))
		sent := 0
		for range rapid.IntRange(1, 12).Draw(rt, "passes") {
			m.now = m.now.Add(time.Duration(rapid.IntRange(-1, 200).Draw(rt, "hours")) * time.Hour)
			n := rapid.SampledFrom([]int{1, 7, 300, 5000}).Draw(rt, "keys")
			m.sends(named(sent, sent+n)...)
			m.now = m.now.Add(3 * time.Hour)
			m.brings("de", named(sent, sent+n)...)
			sent += n
		}
		record, keys := m.record(), 0
		for _, s := range record.Sent {
			if len(s.Keys) == 0 || len(s.Keys)%digestLen != 0 {
				rt.Fatalf("%d bytes of digests", len(s.Keys))
			}
			keys += len(s.Keys) / digestLen
		}
		if keys > mostSent || len(record.Took["de"]) > mostTook {
			rt.Fatalf("%d keys, and %d measures", keys, len(record.Took["de"]))
		}
		if got, is := m.takes()["de"]; is && got.Median != 3*3600 || sent > 5000 && record.Thin == 0 && keys == 0 {
			rt.Fatalf("%+v", got)
		}
	})
}
