package boltledger

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

// writeFormat1 writes a store as the program wrote it before the format had a number of its own: the raw bytes of
// each key and value, sealed.
func writeFormat1(t *testing.T, dir string, records, marks map[string]string) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(dir, fileName), 0o600, nil)
	must(t, err)
	must(t, db.Update(func(tx *bbolt.Tx) error {
		for bucket, content := range map[string]map[string]string{"records": records, "marks": marks} {
			b, err := tx.CreateBucket([]byte(bucket))
			if err != nil {
				return err
			}
			for key, value := range content {
				if err := b.Put([]byte(key), seal([]byte(key), []byte(value))); err != nil {
					return err
				}
			}
		}
		meta, err := tx.CreateBucket([]byte("meta"))
		if err != nil {
			return err
		}
		return meta.Put([]byte("format"), []byte("locsync state 1"))
	}))
	must(t, db.Close())
}

// oldMarks is the greeting's mark under kind, path and the last part of the key in scope app.
func oldMarks(kind, path, of string) (key, value string) {
	return "app\x00\x01" + kind + "\x00\x01" + path + "\x00\x01" + of, "\x01\x00\x05hello\x000123456789abcdef"
}

// An old store is converted when it is opened, once: all is found again under its new name, and nothing else has
// changed.
func TestConvertFormat1(t *testing.T) {
	dir := t.TempDir()
	records := map[string]string{
		"app\x00\x01jobs\x00\x01j1": `{"id":"j1","kind":"import","at":"2026-11-20T10:00:00Z","conflicts":"report","collection":"main",` +
			`"language":"en","files":[{"name":"en.json","memory":{"kinds":["pushed"],"path":"en.json","language":"main"},` +
			`"units":[AAAA]}]}`,
		"app\x00\x01jobs\x00\x01j2": `{"id":"j2","kind":"import","at":"2026-11-20T10:00:00Z","files":[{"name":"de.json",` +
			`"memory":{"kinds":["known","delivered"],"path":"de.json","language":"de"},"units":null}]}`,
		"app\x00\x01seen\x00\x01head l10n": `"0123"`,
	}
	mark := catalog.MarkOf("Hello")
	text, err := json.Marshal(ledger.Text{Name: catalog.Name{Key: "hello"}, Mark: mark})
	must(t, err)
	for key, value := range records {
		records[key] = strings.ReplaceAll(value, "AAAA", string(text))
	}
	marks := make(map[string]string)
	slots := map[ledger.Slot][3]string{
		ledger.Pushed.Of("app", ledger.Source{Collection: "main", Path: "en.json"}):            {"pushed", "en.json", "main"},
		ledger.Merged.Of("app", "de.json", "de"):                                               {"merged", "de.json", "de"},
		ledger.Merged.Of("app", "de.json", "de").Stage(true):                                   {"staged merged", "de.json", "de"},
		ledger.Seen.Of("app", "de.json", "de"):                                                 {"seen", "de.json", "de"},
		ledger.Seen.In("l10n").Of("app", "de.json", "de"):                                      {"seen l10n", "de.json", "de"},
		ledger.Seen.In("l10n").Of("app", "de.json", "de").Stage(true):                          {"staged seen l10n", "de.json", "de"},
		ledger.SourceSeen.In("main").Of("app", ledger.Source{Collection: "main"}):              {"source seen main", "", "main"},
		ledger.Pushed.Of("app", ledger.Source{Collection: "o", Path: "b.json"}).Stage(true):    {"staged pushed", "b.json", "o"},
		ledger.LeftOut.Of("app", "de.json", "de"):                                              {"left out", "de.json", "de"},
		ledger.SourceKnown.Of("app", ledger.Source{Collection: "main"}):                        {"source known", "", "main"},
		ledger.Inherited.Of("app", ledger.Source{Collection: "main", Path: "locales/en.json"}): {"inherited", "locales/en.json", "main"},
	}
	for _, old := range slots {
		key, value := oldMarks(old[0], old[1], old[2])
		marks[key] = value
	}
	writeFormat1(t, dir, records, marks)
	for range 2 {
		s := open(t, dir)
		if aside, why := s.Rebuilt(); aside != "" {
			t.Fatalf("the old store was put aside: %v", why)
		}
		want := catalog.Mark([]byte("0123456789abcdef"))
		for slot, old := range slots {
			if got, err := s.Marks(slot); err != nil || len(got) != 1 || got[catalog.Name{Key: "hello"}] != want {
				t.Errorf("%q: %v %v", old, got, err)
			}
		}
		if commit, is, err := ledger.SeenAt.Get(s, "app", ledger.SeenID("l10n")); commit != "0123" || !is || err != nil {
			t.Error(commit, is, err)
		}
		source, is, err := ledger.Jobs.Get(s, "app", "j1")
		if err != nil || !is || source.Conflicts != "report" || len(source.Files) != 1 {
			t.Fatalf("%+v %v %v", source, is, err)
		}
		if f := source.Files[0]; !f.Memory.OfSource() || f.Memory.Collection != "main" || f.Memory.Language != "" || f.Memory.Path != "en.json" ||
			len(f.Units) != 1 || f.Units[0].Key != "hello" || f.Units[0].Mark != mark {
			t.Errorf("%+v", f)
		}
		target, _, err := ledger.Jobs.Get(s, "app", "j2")
		must(t, err)
		if m := target.Files[0].Memory; m.OfSource() || m.Language != "de" || len(m.Kinds) != 2 || m.Kinds[0] != ledger.Known || m.Kinds[1] != ledger.Delivered {
			t.Errorf("%+v", m)
		}
		closed(t, s)
	}
}
