package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops/gittest"
)

// history makes a repository with many versions of a few files, so that repacking it makes long chains of deltas.
func history(t testing.TB, commits int) string {
	t.Helper()
	dir := gittest.Init(t, nil)
	rnd := rand.New(rand.NewPCG(1, 2))
	lines := make([]string, 400)
	for i := range lines {
		lines[i] = fmt.Sprintf("\"key.%d\": \"%x\",", i, rnd.Uint64())
	}
	var in bytes.Buffer
	for c := range commits {
		for range 5 {
			lines[rnd.IntN(len(lines))] = fmt.Sprintf("\"key\": \"%x\",", rnd.Uint64())
		}
		content := strings.Join(lines, "\n")
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter Ada <ada@example.org> %d +0000\ndata 2\nc\nM 100644 inline locales/%d/app.json\ndata %d\n%s\n",
			1700000000+c, c%3, len(content), content)
	}
	in.WriteString("M 100644 inline empty\ndata 0\n\n")
	fastImport(t, dir, in.Bytes())
	return dir
}

func fastImport(t testing.TB, dir string, stream []byte) {
	t.Helper()
	cmd := exec.Command("git", "fast-import", "--quiet", "--force")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, gittest.Environ(), bytes.NewReader(stream)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git fast-import: %v\n%s", err, out)
	}
}

// compareWithGit reads every object as git does and as we do.
func compareWithGit(t *testing.T, dir string) {
	t.Helper()
	objects := gittest.Git(t, dir, "rev-parse", "--path-format=absolute", "--git-path", "objects")
	s := must[*store](t)(openStore(objects))
	defer s.close()
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
		h, _ := parseHash(name)
		k, n1, err := s.size(h)
		if err != nil || n1 != int64(size) || k.String() != word {
			t.Fatalf("%s: size says %s %d %v, git %s %d", name, k, n1, err, word, size)
		}
		k, got, err := s.read(h)
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
	if _, _, err := s.read(hash{1}); !errors.Is(err, errMissing) {
		t.Errorf("an object that is nowhere: %v", err)
	}
}

// Law: whatever way git stores objects, we read what git reads.
func TestReadsWhatGitReads(t *testing.T) {
	t.Parallel()
	made := history(t, 60)
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
			gittest.Git(t, dir, "index-pack", "--index-version=2,0x40", "-o", filepath.Join(t.TempDir(), "x.idx"), packs[0])
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
		t.Run(name, func(t *testing.T) { compareWithGit(t, way(t)) })
	}
}

// A store that is open while git repacks, prunes and repacks again reads on.
func TestReadsWhileGitRepacks(t *testing.T) {
	t.Parallel()
	dir := history(t, 30)
	s := must[*store](t)(openStore(filepath.Join(dir, ".git/objects")))
	defer s.close()
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
				h, _ := parseHash(tips[i%len(tips)])
				if _, _, err := s.read(h); err != nil {
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
	head, _ := parseHash(gittest.Git(t, dir, "rev-parse", "HEAD"))
	if !s.has(head) {
		t.Error("a commit that came later is not seen")
	}
}

// Law: a pack that we write is one that git takes without a remark and that reads back the same.
func TestPacksAreWhatGitTakes(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, nil)
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(rt, "n")
		seen := map[hash]bool{}
		var objects []object
		for range n {
			data := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(rt, "data")
			o := newObject(kindBlob, bytes.Repeat(data, rapid.SampledFrom([]int{1, 1, 1, 50, 900, largeObject/100 + 1}).Draw(rt, "times")))
			if !seen[o.hash] {
				seen[o.hash] = true
				objects = append(objects, o)
			}
		}
		tmp := must[string](t)(os.MkdirTemp(dir, "pack-"))
		defer os.RemoveAll(tmp)
		f := must[*os.File](t)(os.Create(filepath.Join(tmp, "x.pack")))
		sum, places, err := encodePack(f, len(objects), func(i int) (object, error) { return objects[i], nil })
		if err != nil {
			rt.Fatal(err)
		}
		f.Close()
		ours := encodeIndex(sum, places)
		gittest.Git(t, dir, "index-pack", "--strict", f.Name())
		theirs := must[[]byte](t)(os.ReadFile(filepath.Join(tmp, "x.idx")))
		if !bytes.Equal(ours, theirs) {
			rt.Fatalf("our index of %d objects is not git's", len(objects))
		}
		s := &store{bases: newBaseCache(1 << 20)}
		p, err := openPack(filepath.Join(tmp, "x"))
		if err != nil {
			rt.Fatal(err)
		}
		defer p.close()
		for _, o := range objects {
			off, ok, err := p.find(o.hash)
			if err != nil || !ok {
				rt.Fatal(o.hash, ok, err)
			}
			if k, data, err := s.unpack(p, off); err != nil || k != o.kind || !bytes.Equal(data, o.data) {
				rt.Fatalf("%s reads back as %s %v", o.hash, k, err)
			}
		}
	})
}

func TestAnErrorWhileWritingAPackIsReturned(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	for _, bad := range []int{0, 7, 99} {
		_, _, err := encodePack(&bytes.Buffer{}, 100, func(i int) (object, error) {
			if i == bad {
				return object{}, boom
			}
			return newObject(kindBlob, []byte{byte(i)}), nil
		})
		if !errors.Is(err, boom) {
			t.Errorf("object %d failed, and the pack said %v", bad, err)
		}
	}
}

// Law: no bytes on disk make a reader panic or allocate without measure.
func FuzzApplyDelta(f *testing.F) {
	f.Add([]byte("base"), []byte{4, 4, 0x90, 4})
	f.Add([]byte("base"), []byte{4, 2, 2, 'h', 'i'})
	f.Add([]byte("base"), []byte{4, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x80})
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		out, err := applyDelta(base, delta)
		if err == nil && len(out) > len(delta)*0x1000000 {
			t.Error("larger than its commands")
		}
	})
}

func FuzzPack(f *testing.F) {
	var pack bytes.Buffer
	objects := []object{newObject(kindBlob, []byte("hello")), newObject(kindTree, nil)}
	sum, places, err := encodePack(&pack, 2, func(i int) (object, error) { return objects[i], nil })
	if err != nil {
		f.Fatal(err)
	}
	f.Add(pack.Bytes(), encodeIndex(sum, places))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, pack, idx []byte) {
		base := filepath.Join(dir, "p")
		if os.WriteFile(base+".pack", pack, 0o666) != nil || os.WriteFile(base+".idx", idx, 0o666) != nil {
			t.Skip()
		}
		p, err := openPack(base)
		if err != nil {
			return
		}
		defer p.close()
		s := &store{bases: newBaseCache(1 << 16), known: nil}
		for _, o := range objects {
			if off, ok, err := p.find(o.hash); err == nil && ok {
				_, _, _ = s.unpack(p, off)
				_, _, _ = s.packedSize(p, off)
			}
		}
		for off := range int64(len(pack)) {
			_, _, _ = s.unpack(p, off)
		}
	})
}

func FuzzTreeAndCommit(f *testing.F) {
	f.Add([]byte("100644 a\x0012345678901234567890"))
	f.Add([]byte("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nparent 4b825dc642cb6eb9a060e54bf8d69288fbee4904\ncommitter A <a> 1 +0000\n\nx\n\nLocsync-Project: a\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if entries, err := parseTree(b); err == nil {
			for _, e := range entries {
				if strings.ContainsRune(e.name, 0) {
					t.Errorf("name %q", e.name)
				}
			}
		}
		if c, err := parseCommit(hash{}, b); err == nil {
			_, _ = c.ours(), c.subject()
		}
	})
}
