package boltledger

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

func open(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closed(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// someMarks are n marks as a file of n keys has them; seed changes the texts, not the keys.
func someMarks(n, seed int) catalog.Marks {
	marks := make(catalog.Marks, n)
	for i := range n {
		marks[catalog.Name{Key: fmt.Sprintf("screen/settings/section%02d/label%03d", i/20, i)}] = catalog.MarkOf(fmt.Sprint("text ", i, " ", seed))
	}
	return marks
}

var aSlot = at("app", "known", "locales/en/app.json", "en")

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes mean nothing here")
	}
	dir := filepath.Join(t.TempDir(), "state")
	s := open(t, dir)
	defer closed(t, s)
	for name, want := range map[string]os.FileMode{"": 0o700, fileName: 0o600, "lock": 0o600, "holder": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%q has mode %o, want %o", name, info.Mode().Perm(), want)
		}
	}
}

// What is sealed is unsealed again, and no turned bit of it or its key goes unnoticed.
func TestSealLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := rapid.SliceOf(rapid.Byte()).Draw(t, "content")
		key := []byte(rapid.StringN(1, 8, -1).Draw(t, "key"))
		sealed := seal(key, content)
		if back, err := unseal(key, sealed); err != nil || !bytes.Equal(back, content) {
			t.Fatalf("unsealed: %v", err)
		}
		bit := rapid.IntRange(0, (len(sealed)+len(key))*8-1).Draw(t, "bit")
		if at := bit / 8; at < len(sealed) {
			sealed[at] ^= 1 << (bit % 8)
		} else {
			key[at-len(sealed)] ^= 1 << (bit % 8)
		}
		if _, err := unseal(key, sealed); err == nil {
			t.Fatalf("a turned bit %d goes unnoticed", bit)
		}
	})
}

func TestKeysAreTheirParts(t *testing.T) {
	part := rapid.OneOf(rapid.SampledFrom([]string{"", "\x00", "\x01", "\x00\x01", "\xff", "\x00\xff", "a"}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(part, 4, 4).Draw(t, "a")
		b := rapid.SliceOfN(part, 4, 4).Draw(t, "b")
		if back, err := splitKey(joinKey(a...), 4); err != nil || !slices.Equal(back, a) {
			t.Fatalf("%q came back as %q, %v", a, back, err)
		}
		if sameParts, sameKey := slices.Equal(a, b), bytes.Equal(joinKey(a...), joinKey(b...)); sameParts != sameKey {
			t.Fatalf("%q and %q: one key is %v", a, b, sameKey)
		}
		inside := a[0] == b[0] && a[1] == b[1]
		if bytes.HasPrefix(joinKey(a...), joinKey(b[0], b[1], "")) != inside {
			t.Fatalf("%q counts among those of %q: %v", a, b[:2], !inside)
		}
	})
}

// A file that is no sound store is put aside, named, and a new one begun.
func TestUnsoundStoreIsPutAside(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, path string)
	}{
		{"a text file", func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte("hello\n"), 0o600)) }},
		{"zeros", func(t *testing.T, path string) { must(t, os.WriteFile(path, make([]byte, 1<<16), 0o600)) }},
		{"cut short", func(t *testing.T, path string) { must(t, os.Truncate(path, 5*4096)) }},
		{"cut to almost nothing", func(t *testing.T, path string) { must(t, os.Truncate(path, 100)) }},
		{"another program's database", func(t *testing.T, path string) {
			must(t, os.Remove(path))
			rewrite(t, path, func(tx *bbolt.Tx) error {
				_, err := tx.CreateBucket([]byte("theirs"))
				return err
			})
		}},
		{"a turned bit in a value", func(t *testing.T, path string) {
			rewrite(t, path, func(tx *bbolt.Tx) error {
				b := tx.Bucket(marksBucket)
				value := bytes.Clone(b.Get(slotKey(aSlot)))
				value[len(value)/2] ^= 4
				return b.Put(slotKey(aSlot), value)
			})
		}},
		{"a missing bucket", func(t *testing.T, path string) {
			rewrite(t, path, func(tx *bbolt.Tx) error { return tx.DeleteBucket(recordBucket) })
		}},
		{"another format", func(t *testing.T, path string) {
			rewrite(t, path, func(tx *bbolt.Tx) error { return tx.Bucket(metaBucket).Put(formatKey, []byte("x")) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir)
			must(t, s.SetMarks(aSlot, someMarks(500, 1)))
			closed(t, s)
			path := filepath.Join(dir, fileName)
			c.spoil(t, path)
			before, err := os.ReadFile(path)
			must(t, err)

			s = open(t, dir)
			aside, why := s.Rebuilt()
			if aside == "" || why == nil || !strings.HasPrefix(filepath.Base(aside), "state.db.damaged-20") {
				t.Fatalf("got %q, %v", aside, why)
			}
			if after, err := os.ReadFile(aside); err != nil || !bytes.Equal(before, after) {
				t.Errorf("what was put aside is not what was there: %v", err)
			}
			if got, err := s.Marks(aSlot); err != nil || got != nil {
				t.Errorf("the new store is not empty: %v, %v", got, err)
			}
			must(t, s.SetMarks(aSlot, someMarks(5, 2)))
			closed(t, s)

			s = open(t, dir)
			defer closed(t, s)
			if again, _ := s.Rebuilt(); again != "" {
				t.Errorf("the new store was put aside too")
			}
			if got, err := s.Marks(aSlot); err != nil || !maps.Equal(got, someMarks(5, 2)) {
				t.Errorf("the new store does not keep: %v", err)
			}
		})
	}
}

func rewrite(t *testing.T, path string, f func(tx *bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, db.Update(f))
	must(t, db.Close())
}

// Turned bytes anywhere in the file never stop the program: either nothing that is stored was hit and
// all of it is there, or the file is put aside.
func TestFlippedBytes(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	want := map[ledger.Slot]catalog.Marks{}
	for i := range 12 {
		slot := at("app", "merged", fmt.Sprint("locales/", i), "de")
		want[slot] = someMarks(60, i)
		must(t, s.SetMarks(slot, want[slot]))
	}
	closed(t, s)
	path := filepath.Join(dir, fileName)
	sound, err := os.ReadFile(path)
	must(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	rebuilt := 0
	for round := range 100 {
		spoiled := bytes.Clone(sound)
		for range 1 + random.IntN(3) {
			// Half of the hits go to the first bytes of a page, where its structure stands.
			at := random.IntN(len(spoiled))
			if random.IntN(2) == 0 {
				at = at/4096*4096 + random.IntN(64)
			}
			spoiled[at] ^= byte(1 + random.IntN(255))
		}
		must(t, os.WriteFile(path, spoiled, 0o600))
		s, err := Open(dir)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if aside, _ := s.Rebuilt(); aside != "" {
			rebuilt++
			must(t, os.Remove(aside))
		} else {
			for slot, marks := range want {
				if got, err := s.Marks(slot); err != nil || got != nil && !maps.Equal(got, marks) {
					t.Fatalf("round %d: %v holds other marks than were stored (%v)", round, slot, err)
				}
			}
			must(t, s.SetMarks(aSlot, someMarks(5, 2)))
		}
		closed(t, s)
	}
	if rebuilt < 30 {
		t.Errorf("only %d of 100 spoiled files were noticed", rebuilt)
	}
	t.Logf("%d of 100 put aside", rebuilt)
}

func TestANewerStoreIsRefusedNotPutAside(t *testing.T) {
	dir := t.TempDir()
	closed(t, open(t, dir))
	rewrite(t, filepath.Join(dir, fileName), func(tx *bbolt.Tx) error {
		return tx.Bucket(metaBucket).Put(formatKey, []byte("locsync state 3"))
	})
	if _, err := Open(dir); !errors.As(err, new(*ledger.NewerError)) || !strings.Contains(err.Error(), "state_dir of its own") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, fileName)); err != nil {
		t.Error(err)
	}
}

func TestAFolderThatCannotBeWritten(t *testing.T) {
	if os.Getuid() == 0 {
		// Root writes everywhere; a file in the folder's place represents it.
		path := filepath.Join(t.TempDir(), "file")
		must(t, os.WriteFile(path, nil, 0o600))
		if _, err := Open(filepath.Join(path, "state")); err == nil || !strings.Contains(err.Error(), "state_dir") {
			t.Errorf("got %v", err)
		}
		return
	}
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o500))
	defer os.Chmod(dir, 0o700)
	for _, d := range []string{dir, filepath.Join(dir, "state")} {
		if _, err := Open(d); err == nil || !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), "state_dir") {
			t.Errorf("%s: got %v", d, err)
		}
	}
}

func TestAStoreThatCannotBeReadIsNotDamaged(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, fileName), 0o700)) // a folder in the file's place
	if _, err := Open(dir); err == nil {
		t.Error("got no error")
	}
	if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || !info.IsDir() {
		t.Errorf("what is there was moved: %v", err)
	}
}

// One file with 500 keys, on the disk when the call returns.
func BenchmarkSetMarks500(b *testing.B) {
	s := open(b, b.TempDir())
	defer closed(b, s)
	sets := []catalog.Marks{someMarks(500, 1), someMarks(500, 2)}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		must(b, s.SetMarks(aSlot, sets[i%2]))
	}
}

// A store of 50 languages and 20 files with 500 keys each, opened, checked and read.
func BenchmarkOpenAndRead1000Slots(b *testing.B) {
	dir := b.TempDir()
	fill(b, dir, 1000, 500)
	b.ReportAllocs()
	for b.Loop() {
		s := open(b, dir)
		readAll(b, s, 1000)
		closed(b, s)
	}
}

func BenchmarkRead1000Slots(b *testing.B) {
	dir := b.TempDir()
	fill(b, dir, 1000, 500)
	s := open(b, dir)
	defer closed(b, s)
	b.ReportAllocs()
	for b.Loop() {
		readAll(b, s, 1000)
	}
}

// All of them in one transaction, as after a first pull.
func BenchmarkSet1000Slots(b *testing.B) {
	dir := b.TempDir()
	s := open(b, dir)
	defer closed(b, s)
	marks := someMarks(500, 1)
	b.ReportAllocs()
	for b.Loop() {
		must(b, s.Update(func(tx ledger.Writer) error {
			for i := range 1000 {
				if err := tx.SetMarks(at("app", "merged", fmt.Sprint("file", i), "de"), marks); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

func fill(b *testing.B, dir string, slots, keys int) {
	b.Helper()
	s := open(b, dir)
	must(b, s.Update(func(tx ledger.Writer) error {
		for i := range slots {
			if err := tx.SetMarks(at("app", "merged", fmt.Sprint("file", i), "de"), someMarks(keys, i)); err != nil {
				return err
			}
		}
		return nil
	}))
	closed(b, s)
}

func readAll(b *testing.B, s *Store, want int) {
	b.Helper()
	slots, err := s.Slots(ledger.Slot{Scope: "app", Kind: "merged"})
	if err != nil || len(slots) != want {
		b.Fatal(len(slots), err)
	}
	must(b, s.View(func(tx ledger.Reader) error {
		for _, slot := range slots {
			if marks, err := tx.Marks(slot); err != nil || len(marks) == 0 {
				return fmt.Errorf("%v: %d marks, %w", slot, len(marks), err)
			}
		}
		return nil
	}))
}

// A claim is one process's at a time; who asks is told whose, and is in nobody's way.
func TestClaim(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "claim")
	if got := Claimed(dir); got != nil {
		t.Errorf("nobody's claim is %v's", got)
	}
	claim, err := TakeClaim(dir, "/state")
	must(t, err)
	_, err = TakeClaim(dir, "/other")
	if other, ok := errors.AsType[*Locked](err); !ok || other.PID != os.Getpid() || other.Address != "/state" {
		t.Errorf("a second claim: %v", err)
	}
	if got := Claimed(dir); got == nil || got.PID != os.Getpid() || got.Address != "/state" {
		t.Errorf("claimed by %+v", got)
	}
	claim.Release()
	if got := Claimed(dir); got != nil {
		t.Errorf("a claim that was given up is %v's", got)
	}
	claim, err = TakeClaim(dir, "/other")
	must(t, err)
	claim.Release()
	// What a killed process leaves behind claims nothing.
	must(t, os.WriteFile(filepath.Join(dir, "holder"), []byte(`{"pid": 1}`), 0o600))
	if got := Claimed(dir); got != nil {
		t.Errorf("a process that is gone claims: %+v", got)
	}
}
