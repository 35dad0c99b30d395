package local

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/local/backup"
	"github.com/locsync/locsync/sync/service/local/folder"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
	bolt "go.etcd.io/bbolt"
)

// copied is a backup that the address for commands makes.
func (s *server) copied() []byte {
	s.t.Helper()
	h := httptest.NewServer(s.s.Commands())
	defer h.Close()
	answer, err := http.Post(h.URL+wire.CommandBackup, "", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	copy, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		s.t.Fatalf("%s, %v: %.200s", answer.Status, err, copy)
	}
	return copy
}

// restored serves what a backup has.
func restored(t *testing.T, copy []byte) *server {
	t.Helper()
	dir := t.TempDir()
	if _, err := backup.Restore(bytes.NewReader(copy), dir, false, time.Now); err != nil {
		t.Fatal(err)
	}
	return serveIn(t, dir, Options{})
}

// What was answered before a backup began is in it, whatever is written, replaced and deleted while it is made; and
// the service goes on working.
func TestBackupOfAServiceAtWork(t *testing.T) {
	s := serve(t, Options{})
	s.s.store.SetDurable(false)
	p := s.create("en", "de")
	for _, result := range []string{"one", "two"} { // the file of an export
		s.completed(p, "?language=en&collection="+result, file{"a.json", `{"a":"A"}`})
		s.one(p, "?languages=en&collections="+result)
	}
	var answered, stored atomic.Int64
	var writers sync.WaitGroup
	stop := make(chan struct{})
	again := func(do func(n int64)) {
		writers.Go(func() {
			for n := int64(1); ; n++ {
				select {
				case <-stop:
					return
				default:
					do(n)
				}
			}
		})
	}
	again(func(n int64) {
		s.completed(p, "?language=en", file{"a.json", fmt.Sprintf(`{"k%d":"Text %d"}`, n, n)})
		answered.Store(n)
	})
	again(func(n int64) { // replaces a file, whose bytes are gone from the disk then
		text := strings.Repeat(fmt.Sprintf("%d.", n), 5000)
		s.call("PUT", wire.Prefix+wire.PathStorageFile+"replaced", "", strings.NewReader(text)).want(t, 201, nil)
		stored.Store(n)
	})
	again(func(int64) {
		s.call("PUT", wire.Prefix+wire.PathStorageFile+"deleted", "", strings.NewReader("x")).want(t, 201, nil)
		s.call("DELETE", wire.Prefix+wire.PathStorageFile+"deleted", "", nil).want(t, 204, nil)
	})
	for round := range 6 {
		for answered.Load() < int64(4*round+1) || stored.Load() < int64(4*round+1) {
			time.Sleep(time.Millisecond)
		}
		keys, files := answered.Load(), stored.Load()
		copy := s.copied()
		r := restored(t, copy)
		have := flat(t, r.one(p, "?languages=en&collections=main"))
		for n := range keys {
			if key := fmt.Sprintf("k%d", n+1); have[key] == "" {
				t.Errorf("round %d: %s of %d is missing", round, key, keys)
			}
		}
		a := r.stored("replaced")
		n, _, _ := strings.Cut(string(a.body), ".")
		var of int64
		fmt.Sscan(n, &of)
		if a.status != 200 || of < files || string(a.body) != strings.Repeat(n+".", 5000) {
			t.Errorf("round %d: %d, and a file %d of %d", round, a.status, of, files)
		}
		if a := r.stored("deleted"); a.status != 200 && a.status != 404 {
			t.Errorf("round %d: %d %s", round, a.status, a.body)
		}
	}
	close(stop)
	writers.Wait()
	if blobs := s.blobs(); blobs != 1 {
		t.Errorf("%d files are on the disk after the last backup", blobs)
	}
}

// rows are all rows of a database but those of its audit log, in which a restore is noted.
func rows(t *testing.T, dir string) map[string]string {
	t.Helper()
	db, err := bolt.Open(filepath.Join(dir, store.DatabaseFile), 0o600, &bolt.Options{ReadOnly: true,
		Timeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all := make(map[string]string)
	var walk func(at string, b *bolt.Bucket) error
	walk = func(at string, b *bolt.Bucket) error {
		all[at+"#"] = fmt.Sprint(b.Sequence())
		return b.ForEach(func(k, v []byte) error {
			if v == nil {
				return walk(fmt.Sprintf("%s/%q", at, k), b.Bucket(k))
			}
			all[fmt.Sprintf("%s/%q", at, k)] = string(v)
			return nil
		})
	}
	err = db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
			if string(name) == "audit" {
				return nil
			}
			return walk(string(name), b)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A backup that is restored and backed up again has the same rows and files.
func TestBackupIsExact(t *testing.T) {
	dir := t.TempDir()
	s, stop := child(t, dir)
	p := s.create("en", "de")
	s.completed(p, "?language=en", file{"a.json", `{"a":"A","b":"B"}`})
	s.completed(p, "?language=de", file{"a.json", `{"a":"Ä"}`})
	s.one(p, "?languages=de")
	s.upload("docs", file{"one.txt", "1"}).want(t, 201, nil)
	stop()
	if err := os.WriteFile(filepath.Join(dir, "api-keys"), []byte("key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := rows(t, dir)
	var first, second bytes.Buffer
	one, err := backup.MakeStopped(&first, dir, time.Now())
	if err != nil || len(one.Accounts) != 1 || one.Accounts[0] != testAccount {
		t.Fatalf("%+v, %v", one, err)
	}
	to := t.TempDir()
	if _, err := backup.Restore(&first, to, false, time.Now); err != nil {
		t.Fatal(err)
	}
	after := rows(t, to)
	if len(before) < 20 || fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("%v\nrestored as\n%v", before, after)
	}
	two, err := backup.MakeStopped(&second, to, time.Now())
	if err != nil || two.Files != one.Files {
		t.Errorf("%+v, then %+v, %v", one, two, err)
	}
}

// A backup that an earlier version made is restored, with what people had written: testdata has one of each format.
func TestBackupsOfEarlierVersions(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "backup-*.tar.gz"))
	if err != nil || len(files) < backup.Format {
		t.Fatalf("%q, %v", files, err)
	}
	for _, name := range files {
		copy, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s := restored(t, copy)
		var projects wire.List[wire.Project]
		s.get("/v2/project/list").want(t, 200, &projects)
		if len(projects) != 1 {
			t.Fatalf("%s: %+v", name, projects)
		}
		sameJSON(t, s.one(projects[0].ID, "?languages=de&completion-state=draft"), `{"save":"Speichern"}`)
		if a := s.stored("docs/one.txt"); string(a.body) != "1" {
			t.Errorf("%s: %d %q", name, a.status, a.body)
		}
		if empty, err := s.s.Page().Empty(); err != nil || empty {
			t.Errorf("%s: no people, %v", name, err)
		}
	}
}

// The start of a service finishes a restore that was killed when it had all files.
func TestStartFinishesARestore(t *testing.T) {
	copy, err := os.ReadFile(filepath.Join("testdata", "backup-1.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := backup.Restore(bytes.NewReader(copy), filepath.Join(dir, "restore-unpacked-20261130T120000.000Z"), false,
		time.Now); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, store.DatabaseFile), []byte("what was there"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serveIn(t, dir, Options{})
	if a := s.stored("docs/one.txt"); string(a.body) != "1" {
		t.Errorf("%d %q", a.status, a.body)
	}
	was, err := os.ReadFile(filepath.Join(dir, "replaced-20261130T120000.000Z", store.DatabaseFile))
	if err != nil || string(was) != "what was there" {
		t.Errorf("%q, %v", was, err)
	}
}

// A second backup at a time is refused, and one that ends early, with its reader, leaves nothing behind.
func TestBackupEndsWithItsReader(t *testing.T) {
	s := serve(t, Options{})
	s.create("en", "de")
	second := make(chan error, 1)
	err := s.s.Backup(writing(func(p []byte) (int, error) {
		if len(second) == 0 {
			second <- s.s.Backup(io.Discard)
		}
		return 0, io.ErrClosedPipe
	}))
	if refused := <-second; refused != errCopying || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%v; a second one: %v", err, refused)
	}
	if left, err := filepath.Glob(filepath.Join(s.dir, folder.TemporaryName+"*")); err != nil || len(left) > 0 {
		t.Errorf("%q, %v", left, err)
	}
}

type writing func(p []byte) (int, error)

func (w writing) Write(p []byte) (int, error) { return w(p) }
