package events

import (
	"maps"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/report"
)

// What pulls bring is counted by day and language: added and changed translations, and no source texts.
func TestArrivalsByLanguage(t *testing.T) {
	t.Parallel()
	store, err := boltledger.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	now := time.Date(2026, 11, 13, 12, 0, 0, 0, time.UTC)
	l := &Log{Ledger: store, Project: "app", Branch: "l10n", Log: zap.NewNop(), Now: func() time.Time { return now }}
	brings := func(files ...report.PulledFile) {
		t.Helper()
		err := store.Update(func(tx ledger.Writer) error {
			d := l.Open(tx, now)
			d.Brought(report.ProjectPull{Keys: 1, Commit: "0123456789", Files: files}, "en")
			d.Close()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	file := func(language string, added, changed, removed int) report.PulledFile {
		return report.PulledFile{Path: language + ".json", Language: language, Added: added, Changed: changed, Removed: removed}
	}
	brings(file("fr", 7, 0, 0))
	now = now.AddDate(0, 0, 7)
	brings(file("de", 1, 2, 4), file("en", 5, 0, 0), file("ja", 0, 0, 3))
	brings(file("de", 10, 0, 0), file("fr", 0, 1, 0))
	var s report.ProjectStatus
	l.Read(&s)
	if got := report.Arrived(s.Activity, 7); !maps.Equal(got, map[string]int{"de": 13, "fr": 1}) {
		t.Errorf("in a week: %v", got)
	}
	if got := report.Arrived(s.Activity, 8); !maps.Equal(got, map[string]int{"de": 13, "fr": 8}) {
		t.Errorf("in eight days: %v", got)
	}
	if got := report.Arrived(s.Activity, 1000); got["fr"] != 8 {
		t.Errorf("in all days: %v", got)
	}
}
