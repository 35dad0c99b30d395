//go:build unix

package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/local/folder"
	"github.com/locsync/locsync/sync/service/local/store"
	bolt "go.etcd.io/bbolt"
)

// The environment of a process of this test that is killed at a step.
const (
	envKillAt = "BACKUP_TEST_KILL_AT"
	envDir    = "BACKUP_TEST_DIR"
	envFile   = "BACKUP_TEST_FILE" // to restore; without it a backup is made,
	envTo     = "BACKUP_TEST_TO"   // or the service moved to this folder
)

func TestMain(m *testing.M) {
	if at, err := strconv.Atoi(os.Getenv(envKillAt)); err == nil {
		killedAt(at, os.Getenv(envDir), os.Getenv(envFile), os.Getenv(envTo))
	}
	os.Exit(m.Run())
}

// killedAt restores a file, makes a backup or moves a service, and kills itself at a step. It exits with 0 where there
// are fewer.
func killedAt(at int, dir, file, to string) {
	step := func() {
		if at--; at < 0 {
			self, _ := os.FindProcess(os.Getpid())
			self.Kill()
			select {}
		}
	}
	err := func() error {
		if file == "" {
			st, err := store.Open(dir, "me", time.Now)
			if err != nil {
				return err
			}
			if to != "" {
				atStep = step
				_, err = Move(st, to, time.Now)
				return err
			}
			_, err = Make(stepping{step}, st, time.Now())
			return err
		}
		atStep = step
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		_, err = Restore(f, dir, true, time.Now)
		return err
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// stepping is a step for each byte.
type stepping struct{ step func() }

func (s stepping) Write(p []byte) (int, error) {
	for range p {
		s.step()
	}
	return len(p), nil
}

// runs runs a process that is killed at a step, and tells whether it was.
func runs(t *testing.T, at int, dir, file, to string) (killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envKillAt+"="+strconv.Itoa(at), envDir+"="+dir, envFile+"="+file, envTo+"="+to)
	out, err := cmd.CombinedOutput()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) && failed.ExitCode() == -1 {
		return true
	}
	if err != nil {
		t.Fatalf("at step %d: %v\n%s", at, err, out)
	}
	return false
}

// fill makes a service in a folder whose database, files and engines all have a mark.
func fill(t *testing.T, dir, mark string) {
	t.Helper()
	st, err := store.Open(dir, "me", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	st.SetDurable(false)
	put(t, filepath.Join(dir, store.FilesFolder, "blob-"+mark), mark)
	put(t, filepath.Join(dir, store.ResultsFolder, "left"), "of a crash")
	put(t, filepath.Join(dir, "engines.json"), mark)
	put(t, filepath.Join(dir, "keys", "engine"), mark)
	err = st.Update(func(tx *store.Tx) error {
		return store.PutFile(tx, "mark", &store.StoredFile{Blob: "blob-" + mark, Size: int64(len(mark))})
	})
	if err := errors.Join(err, st.Close()); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// markOf is the mark that everything in a folder has.
func markOf(t *testing.T, dir string) string {
	t.Helper()
	read := func(names ...string) string {
		text, err := os.ReadFile(filepath.Join(append([]string{dir}, names...)...))
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	st, err := store.OpenToRead(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	blobs := make(map[string]bool)
	if err := st.View(func(tx *store.Tx) error {
		blobs, err = store.BlobsOf(tx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	mark := read("engines.json")
	if !blobs["blob-"+mark] || len(blobs) != 1 {
		t.Errorf("engines.json is %q, and the database has %v", mark, blobs)
	}
	for _, other := range []string{read("keys", "engine"), read(store.FilesFolder, "blob-"+mark)} {
		if other != mark {
			t.Errorf("%q beside %q", other, mark)
		}
	}
	return mark
}

// made is a backup of a stopped service.
func made(t *testing.T, dir string) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := MakeStopped(&b, dir, time.Now()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// entries are the files of a backup.
func entries(t *testing.T, copy []byte) map[string]string {
	t.Helper()
	all := make(map[string]string)
	if _, err := read(bytes.NewReader(copy), func(name string, content io.Reader) error {
		text, err := io.ReadAll(content)
		all[filepath.ToSlash(name)] = string(text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

// What was backed up and restored is backed up as the same files; what is of a process, a restore or a crash is not.
func TestInverse(t *testing.T) {
	dir, to := t.TempDir(), filepath.Join(t.TempDir(), "new", "data")
	fill(t, dir, "one")
	put(t, filepath.Join(dir, ticketFile), "{}")
	put(t, filepath.Join(dir, replacedName+"x", "old"), "old")
	put(t, filepath.Join(dir, folder.TemporaryName+"x"), "x")
	before := namesIn(t, dir)
	first := made(t, dir)
	if after := namesIn(t, dir); !slices.Equal(before, after) {
		t.Errorf("the backup made %q of %q", after, before)
	}
	done, err := Restore(bytes.NewReader(first), to, false, time.Now)
	if err != nil || done.Replaced != "" || done.Copy.Files != 4 {
		t.Fatalf("%+v, %v", done, err)
	}
	if mark := markOf(t, to); mark != "one" {
		t.Errorf("%q was restored", mark)
	}
	if names := namesIn(t, to); !slices.Equal(names, []string{"engines.json", "files", "keys", store.DatabaseFile}) {
		t.Errorf("the folder has %q", names)
	}
	one, two := entries(t, first), entries(t, made(t, to))
	delete(one, store.DatabaseFile) // sync/service/local compares what is in it
	delete(two, store.DatabaseFile)
	if fmt.Sprint(one) != fmt.Sprint(two) || len(one) != 3 {
		t.Errorf("%v, and restored %v", one, two)
	}
}

// A folder with anything in it is replaced only where that is meant; what was there is moved aside. One that is served
// is left alone in any case.
func TestRestoreReplaces(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	fill(t, from, "new")
	fill(t, dir, "old")
	copy := made(t, from)
	if _, err := Restore(bytes.NewReader(copy), dir, false, time.Now); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("not empty: %v", err)
	}
	st, err := store.Open(dir, "me", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(bytes.NewReader(copy), dir, true, time.Now); !errors.Is(err, store.ErrInUse) {
		t.Errorf("in use: %v", err)
	}
	if _, err := MakeStopped(io.Discard, dir, time.Now()); !errors.Is(err, store.ErrInUse) {
		t.Errorf("a backup of a folder in use: %v", err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if mark := markOf(t, dir); mark != "old" {
		t.Errorf("a refused restore left %q", mark)
	}
	done, err := Restore(bytes.NewReader(copy), dir, true, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if is, was := markOf(t, dir), markOf(t, done.Replaced); is != "new" || was != "old" {
		t.Errorf("%q in place of %q", is, was)
	}
	put(t, filepath.Join(dir, store.DatabaseFile), "damaged") // a backup is for that, too
	if done, err = Restore(bytes.NewReader(copy), dir, true, time.Now); err != nil || markOf(t, dir) != "new" {
		t.Errorf("%+v, %v", done, err)
	}
}

// Of a backup that was cut, or has a wrong bit, nothing is used, wherever that is.
func TestDamage(t *testing.T) {
	from := t.TempDir()
	fill(t, from, "new")
	copy := made(t, from)
	whole, err := Check(bytes.NewReader(copy))
	if err != nil || whole.Files != 4 {
		t.Fatalf("%+v, %v", whole, err)
	}
	parent := t.TempDir()
	dir, want, harmless := filepath.Join(parent, "data"), entries(t, copy), 0
	for at := range copy {
		flipped := bytes.Clone(copy)
		flipped[at] ^= 1 << (at % 8)
		for what, bad := range map[string][]byte{"cut": copy[:at], "flipped": flipped} {
			_, err := Check(bytes.NewReader(bad))
			if err == nil && what == "flipped" && maps.Equal(entries(t, bad), want) {
				harmless++ // a time in gzip's header, and bits that its decoder does not read
				continue
			}
			if !errors.Is(err, ErrUnusable) {
				t.Fatalf("%s at %d of %d: %v", what, at, len(copy), err)
			}
			if at%191 != 0 {
				continue
			}
			if _, err := Restore(bytes.NewReader(bad), dir, false, time.Now); !errors.Is(err, ErrUnusable) {
				t.Errorf("restored what was %s at %d: %v", what, at, err)
			}
			if names := namesIn(t, parent); len(names) > 0 {
				t.Fatalf("%s at %d: it left %q", what, at, names)
			}
		}
	}
	if harmless > len(copy)/20 {
		t.Errorf("%d of %d wrong bits were not noticed", harmless, len(copy))
	}
	for _, more := range [][]byte{append(bytes.Clone(copy), 0), append(bytes.Clone(copy), copy...)} {
		if _, err := Check(bytes.NewReader(more)); !errors.Is(err, ErrUnusable) {
			t.Errorf("%d bytes: %v", len(more), err)
		}
	}
}

// What another program made, or a newer one, is refused by name.
func TestOtherFiles(t *testing.T) {
	packed := func(files ...string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		p := packer{tar: tar.NewWriter(z)}
		for i := 0; i < len(files); i += 2 {
			if err := p.add(files[i], int64(len(files[i+1])), strings.NewReader(files[i+1])); err != nil {
				t.Fatal(err)
			}
		}
		sums := p.sums.String()
		err := p.add(sumsName, int64(len(sums)), strings.NewReader(sums))
		if err := errors.Join(err, p.tar.Close(), z.Close()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	const header = `{"format": 1, "accounts": ["me"]}`
	for want, file := range map[string][]byte{
		"a newer locsync made it (format 2": packed(headerName, `{"format": 2}`, "data/service.db", "x"),
		"not one of locsync service":        packed("x", "y"),
		"damaged at its beginning":          []byte("PK"),
		`it has "data/../x"`:                packed(headerName, header, "data/../x", "x"),
		`it has "data//x"`:                  packed(headerName, header, "data//x", "x"),
		`it has "x"`:                        packed(headerName, header, "x", "x"),
		`it has "a" twice`:                  packed(headerName, header, "data/a", "x", "data/a", "x"),
		"its sums differ":                   packed(headerName, header, "data/a", "x"),
	} {
		dir := t.TempDir()
		_, err := Restore(bytes.NewReader(file), dir, false, time.Now)
		if !errors.Is(err, ErrUnusable) || !strings.Contains(err.Error(), want) || len(namesIn(t, dir)) > 0 {
			t.Errorf("%v, want %s; the folder has %q", err, want, namesIn(t, dir))
		}
	}
}

// A restore that is killed at any step has changed nothing, or is finished by the next start.
func TestKilledRestore(t *testing.T) {
	from := t.TempDir()
	fill(t, from, "new")
	file := filepath.Join(t.TempDir(), "copy")
	if err := os.WriteFile(file, made(t, from), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, occupied := range []bool{true, false} {
		seen := make(map[string]int)
		for at := 0; ; at++ {
			dir := t.TempDir()
			if occupied {
				fill(t, dir, "old")
			}
			killed := runs(t, at, dir, file, "")
			if err := Finish(dir); err != nil {
				t.Fatalf("killed at step %d: %v", at, err)
			}
			if !occupied && len(namesIn(t, dir)) == 1 { // what was unpacked
				seen["old"]++
			} else {
				mark := markOf(t, dir)
				seen[mark]++
				for _, aside := range namesIn(t, dir) {
					if strings.HasPrefix(aside, replacedName) && markOf(t, filepath.Join(dir, aside)) != "old" {
						t.Errorf("killed at step %d: %s is not the old service", at, aside)
					}
				}
				st, err := store.Open(dir, "me", time.Now) // removes what was unpacked
				if err != nil {
					t.Fatal(err)
				}
				if err := st.Close(); err != nil {
					t.Fatal(err)
				}
				aside := map[bool]int{true: 1}[occupied && mark == "new"]
				if names := namesIn(t, dir); len(names) > 5+aside {
					t.Errorf("killed at step %d: the folder has %q", at, names)
				}
			}
			if !killed {
				break
			}
		}
		if seen["old"] != 1 || seen["new"] < 6 {
			t.Errorf("occupied %v: %v", occupied, seen)
		}
	}
}

// A service that is killed while a backup of it is made has what it had, and nothing else after its next start.
func TestKilledBackup(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, "one")
	size := len(made(t, dir))
	for _, at := range []int{0, 1, size / 3, size / 2, size * 9 / 10} {
		if !runs(t, at, dir, "", "") {
			t.Fatalf("it was not killed at byte %d of %d", at, size)
		}
		st, err := store.Open(dir, "me", time.Now)
		if err != nil {
			t.Fatal(err)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
		if mark, names := markOf(t, dir), namesIn(t, dir); mark != "one" || len(names) != 5 {
			t.Errorf("killed at byte %d: %q, and the folder has %q", at, mark, names)
		}
	}
}

// A database of an earlier version, which has fewer buckets, is backed up and opens again; so is one that was written
// anew at its opening, and has another name in the library's memory.
func TestEarlierVersions(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	fill(t, dir, "one")
	db, err := bolt.Open(filepath.Join(dir, store.DatabaseFile), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		for _, name := range []string{"people", "audit", "protected", "glossaries"} {
			if err := tx.DeleteBucket([]byte(name)); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(bytes.NewReader(made(t, dir)), to, false, time.Now); err != nil || markOf(t, to) != "one" {
		t.Error(err)
	}
}

// What root restores belongs to whom the folder does.
func TestRestoreKeepsTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	from, dir := t.TempDir(), t.TempDir()
	fill(t, from, "new")
	fill(t, dir, "old")
	if err := os.Chown(dir, 65532, 65532); err != nil {
		t.Fatal(err)
	}
	done, err := Restore(bytes.NewReader(made(t, from)), dir, true, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	belongsTo(t, 65532, done.Replaced, filepath.Join(dir, store.DatabaseFile), filepath.Join(dir, "keys"),
		filepath.Join(dir, store.FilesFolder, "blob-new"))
}

func belongsTo(t *testing.T, owner uint32, paths ...string) {
	t.Helper()
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if is := info.Sys().(*syscall.Stat_t).Uid; is != owner {
			t.Errorf("%s belongs to %d", path, is)
		}
	}
}
