package object

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/run"
)

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func open(t testing.TB, dir string, f Format) *Store {
	t.Helper()
	s := Open(dir, f, must[*run.Program](t)(run.Find(t.Context(), "")))
	t.Cleanup(func() { s.Close() })
	return s
}

// compareWithGit reads every object as git does and as we do.
func compareWithGit(t *testing.T, dir string, f Format) {
	t.Helper()
	objects := gittest.Git(t, dir, "rev-parse", "--path-format=absolute", "--git-path", "objects")
	s := open(t, objects, f)
	cmd := exec.Command("git", "cat-file", "--batch", "--batch-all-objects", "--unordered")
	cmd.Dir, cmd.Env = dir, gittest.Environ()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for len(out) > 0 {
		line, rest, _ := bytes.Cut(out, []byte("\n"))
		var name, word string
		var size int
		if _, err := fmt.Sscan(string(line), &name, &word, &size); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		want := rest[:size]
		out = rest[size+1:]
		h, _ := Parse(name)
		k, n1, err := s.Size(h)
		if err != nil || n1 != int64(size) || k.String() != word {
			t.Fatalf("%s: size says %s %d %v, git %s %d", name, k, n1, err, word, size)
		}
		k, got, err := s.Read(h)
		if err != nil || k.String() != word || !bytes.Equal(got, want) {
			t.Fatalf("%s: %s %v, %d bytes differ from git's %d", name, k, err, len(got), len(want))
		}
		for i := range got { // the caller may do what it likes
			got[i] = 'x'
		}
		n++
	}
	if n < 100 {
		t.Fatalf("only %d objects were compared", n)
	}
	if _, _, err := s.Read(SHA1.New(Blob, []byte("nowhere")).Name); !errors.Is(err, ErrMissing) {
		t.Errorf("an object that is nowhere: %v", err)
	}
}

// Law: whatever way git stores objects, we read what git reads.
func TestReadsWhatGitReads(t *testing.T) {
	t.Parallel()
	made := gittest.History(t, "sha1", 60)
	repack := func(config ...string) func(*testing.T) string {
		return func(t *testing.T) string {
			dir := filepath.Join(t.TempDir(), "r")
			gittest.Git(t, "", "clone", "-q", "--bare", made, dir)
			gittest.Git(t, dir, append(config, "repack", "-adfq", "--depth=200", "--window=20")...)
			return dir
		}
	}
	ways := map[string]func(*testing.T) string{
		"delta by distance": repack(),
		"delta by name":     repack("-c", "repack.useDeltaBaseOffset=false"),
		"index version 1":   repack("-c", "pack.indexVersion=1"),
		"many packs":        func(*testing.T) string { return made },
		"64-bit offsets": func(t *testing.T) string {
			dir := repack()(t)
			packs, _ := filepath.Glob(filepath.Join(dir, "objects/pack/*.pack"))
			gittest.Git(t, dir, "index-pack", "--index-version=2,0x40", "-o", filepath.Join(t.TempDir(), "x.idx"),
				packs[0])
			idx := strings.TrimSuffix(packs[0], ".pack") + ".idx"
			if err := os.Remove(idx); err != nil {
				t.Fatal(err)
			}
			gittest.Git(t, dir, "index-pack", "--index-version=2,0x40", packs[0])
			return dir
		},
		"loose": func(t *testing.T) string {
			dir := filepath.Join(t.TempDir(), "r")
			gittest.Git(t, "", "init", "-q", "--bare", dir)
			pack := gittest.Git(t, made, "rev-parse", "--path-format=absolute", "--git-path", "objects/pack")
			packs, _ := filepath.Glob(pack + "/*.pack")
			for _, p := range packs {
				f := must[*os.File](t)(os.Open(p))
				cmd := exec.Command("git", "unpack-objects", "-q")
				cmd.Dir, cmd.Env, cmd.Stdin = dir, gittest.Environ(), f
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				f.Close()
			}
			return dir
		},
		"borrowed": func(t *testing.T) string {
			one := gittest.Clone(t, repack()(t), "--shared")
			return gittest.Clone(t, one, "--shared", "--bare")
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) { compareWithGit(t, way(t), SHA1) })
	}
	t.Run("SHA-256", func(t *testing.T) { compareWithGit(t, gittest.History(t, "sha256", 60), SHA256) })
}

// A store that is open while git repacks, prunes and repacks again reads on.
func TestReadsWhileGitRepacks(t *testing.T) {
	t.Parallel()
	dir := gittest.History(t, "sha1", 30)
	s := open(t, filepath.Join(dir, ".git/objects"), SHA1)
	tips := strings.Fields(gittest.Git(t, dir, "rev-list", "--all"))
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				h, _ := Parse(tips[i%len(tips)])
				if _, _, err := s.Read(h); err != nil {
					t.Errorf("%s: %v", h, err)
					return
				}
			}
		})
	}
	for i := range 6 {
		gittest.Git(t, dir, "gc", "-q", "--prune=now")
		gittest.Git(t, dir, "commit", "-q", "--allow-empty", "-m", fmt.Sprint(i))
		gittest.Git(t, dir, "-c", "pack.indexVersion=1", "repack", "-adfq")
	}
	close(done)
	wg.Wait()
	head, _ := Parse(gittest.Git(t, dir, "rev-parse", "HEAD"))
	if !s.Has(head) {
		t.Error("a commit that came later is not seen")
	}
}

// Damage is never read as absence, and a git program that was killed is started again.
func TestDamageAndDeath(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, map[string]string{"a": "a\n", "b": strings.Repeat("b", 2*(64<<10))})
	objects := filepath.Join(dir, ".git/objects")
	s := open(t, objects, SHA1)
	names := map[string]Name{}
	for _, file := range []string{"a", "b"} {
		names[file], _ = Parse(gittest.Git(t, dir, "rev-parse", "HEAD:"+file))
	}
	for range 2 {
		if _, data, err := s.Read(names["b"]); err != nil || len(data) != 2*(64<<10) {
			t.Fatalf("%d bytes, %v", len(data), err)
		}
		if err := s.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	for file, n := range names {
		loose := filepath.Join(objects, n.String()[:2], n.String()[2:])
		if err := errors.Join(os.Chmod(loose, 0o666), os.WriteFile(loose, []byte("damaged"), 0o666)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Read(n); err == nil || errors.Is(err, ErrMissing) {
			t.Errorf("%s is damaged: %v", file, err)
		}
		if _, _, err := s.Size(n); err == nil || errors.Is(err, ErrMissing) {
			t.Errorf("the size of %s, which is damaged: %v", file, err)
		}
	}
	folder := s.folder
	s.Close()
	if _, err := os.Stat(folder); folder == "" || err == nil {
		t.Errorf("%s is left: %v", folder, err)
	}
}

// Law: a pack that we write is one that git takes without a remark and that reads back the same.
func TestPacksAreWhatGitTakes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(rt, "n")
		seen := map[Name]bool{}
		var objects []Object
		for range n {
			data := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(rt, "data")
			o := SHA1.New(Blob, bytes.Repeat(data, rapid.SampledFrom([]int{1, 1, 1, 50, 900, 50_000}).Draw(rt,
				"times")))
			if !seen[o.Name] {
				seen[o.Name] = true
				objects = append(objects, o)
			}
		}
		if len(objects) == 0 {
			return
		}
		dir := gittest.Init(t, nil)
		defer os.RemoveAll(dir)
		store := open(t, filepath.Join(dir, ".git/objects"), SHA1)
		release := must[func()](t)(store.WritePack(t.Context(), objects))
		reserved := filepath.Join(dir, ".git/objects/pack/*.keep")
		if kept, _ := filepath.Glob(reserved); len(kept) != 1 {
			rt.Fatalf("reserved: %v", kept)
		}
		gittest.Git(t, dir, "gc", "-q", "--prune=now")
		release()
		if kept, _ := filepath.Glob(reserved); len(kept) > 0 {
			rt.Fatalf("still reserved: %v", kept)
		}
		gittest.Git(t, dir, "fsck", "--strict", "--no-dangling")
		for _, o := range objects {
			if k, data, err := store.Read(o.Name); err != nil || k != o.Kind || !bytes.Equal(data, o.Data) {
				rt.Fatalf("%s reads back as %s %v", o.Name, k, err)
			}
		}
	})
}

// What killed processes reserved is free after an hour; what others reserved stays.
func TestReservationsThatKilledProcessesLeft(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, nil)
	store := open(t, filepath.Join(dir, ".git/objects"), SHA1)
	old := time.Now().Add(-2 * keepsLast)
	for name, content := range map[string]string{"pack-old.keep": "locsync 1\n", "pack-new.keep": "locsync 1\n",
		"pack-theirs.keep": ""} {
		file := filepath.Join(dir, ".git/objects/pack", name)
		gittest.Write(t, dir, map[string]string{".git/objects/pack/" + name: content})
		if err := os.Chtimes(file, old, old); err != nil && name != "pack-new.keep" {
			t.Fatal(err)
		}
		if now := time.Now(); name == "pack-new.keep" {
			_ = os.Chtimes(file, now, now)
		}
		must[func()](t)(store.WritePack(t.Context(), []Object{SHA1.New(Blob, []byte(name))}))()
		if _, err := os.Stat(file); (err != nil) != (name == "pack-old.keep") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnErrorWhileWritingAPackIsReturned(t *testing.T) {
	t.Parallel()
	large := make([]byte, 1<<20)
	_, _ = rand.Read(large)
	objects := []Object{SHA1.New(Blob, []byte("a")), SHA1.New(Blob, large), SHA1.New(Blob, []byte("b"))}
	var whole bytes.Buffer
	if _, err := SHA1.encodePack(&whole, objects); err != nil {
		t.Fatal(err)
	}
	for _, room := range []int{0, 11, 300 << 10, whole.Len() - 30, whole.Len() - 1} {
		if _, err := SHA1.encodePack(&fullDisk{room}, objects); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("room for %d of %d bytes, and the pack said %v", room, whole.Len(), err)
		}
	}
}

// fullDisk takes so many bytes.
type fullDisk struct{ room int }

func (d *fullDisk) Write(b []byte) (int, error) {
	n := min(d.room, len(b))
	if d.room -= n; n < len(b) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func FuzzTreeAndCommit(f *testing.F) {
	f.Add([]byte("100644 a\x0012345678901234567890"))
	f.Add([]byte("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nparent 4b825dc642cb6eb9a060e54bf8d69288fbee4904\ncommitter A <a> 1 +0000\n\nx\n\nLocsync-Project: a\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, format := range []Format{SHA1, SHA256} {
			entries, err := format.ParseTree(b)
			for _, e := range entries {
				if strings.ContainsRune(e.Name, 0) {
					t.Errorf("name %q", e.Name)
				}
			}
			if err == nil && len(entries) > len(b)/(format.size()+3) {
				t.Error("more entries than fit")
			}
		}
		if c, err := ParseCommit(Name{}, b); err == nil {
			_ = c.Subject()
		}
	})
}
