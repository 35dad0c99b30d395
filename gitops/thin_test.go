package gitops

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops/gittest"
)

// Law: the library's difference of two texts makes the one of the other.
func TestDifferencesApply(t *testing.T) {
	t.Parallel()
	piece := rapid.SliceOfN(rapid.Byte(), 0, 40)
	rapid.Check(t, func(rt *rapid.T) {
		pieces := rapid.SliceOfN(piece, 0, 6).Draw(rt, "pieces")
		text := func(label string) []byte {
			var b []byte
			for range rapid.IntRange(0, 8).Draw(rt, label) {
				if len(pieces) > 0 {
					b = append(b, rapid.SampledFrom(pieces).Draw(rt, label)...)
				}
			}
			return bytes.Repeat(b, rapid.SampledFrom([]int{1, 1, 3, 2000}).Draw(rt, label))
		}
		old, new := text("old"), text("new")
		got, err := applyDelta(old, packfile.DiffDelta(old, new))
		if err != nil || !bytes.Equal(got, new) {
			rt.Fatalf("%d bytes from %d: %v", len(new), len(old), err)
		}
	})
}

// thinRemote is a repository with 10 MB in 24 files, its remote over http, and the sizes of what is pushed there.
func thinRemote(t *testing.T) (dir, bare string, pushed *atomic.Int64, pushes *atomic.Int32) {
	t.Helper()
	texts := map[string]string{"README.md": "x\n"}
	for i := range 24 {
		texts[fmt.Sprintf("l10n/%02d.json", i)] = fmt.Sprintf("%x\n", noise(200_000, uint64(i)))
	}
	dir = gittest.Init(t, texts)
	bare = gittest.Bare(t, dir)
	pushed, pushes = new(atomic.Int64), new(atomic.Int32)
	gittest.Git(t, dir, "remote", "set-url", "origin", gittest.Serve(t, bare, gittest.Options{Fault: func(r *http.Request, _ int) *gittest.Fault {
		if gittest.IsPush(r) {
			pushed.Add(r.ContentLength)
			pushes.Add(1)
		}
		return nil
	}}))
	return dir, bare, pushed, pushes
}

func changedEverywhere(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	changed := map[string][]byte{}
	for i := range 24 {
		name := fmt.Sprintf("l10n/%02d.json", i)
		old := must[[]byte](t)(os.ReadFile(filepath.Join(dir, name)))
		changed[name] = append(bytes.Replace(old, []byte("00"), []byte("changed"), 20), '\n')
	}
	changed["l10n/new.json"] = []byte("{}\n")
	return changed
}

// A large change travels as differences, whether the pack was made in this process or before a crash, and arrives whole; a
// small one travels as it is.
func TestLargeChangesTravelAsDifferences(t *testing.T) {
	t.Parallel()
	for _, again := range []bool{false, true} {
		t.Run(fmt.Sprintf("after a crash %v", again), func(t *testing.T) {
			t.Parallel()
			dir, bare, pushed, _ := thinRemote(t)
			r := open(t, dir, Options{Remote: "origin"})
			made := commitOn(t, r, at(t, r, "l10n", "main"), "l10n", changedEverywhere(t, dir))
			if again {
				r = open(t, dir, Options{Remote: "origin"})
				made = must[*Tip](t)(r.Pending("l10n"))
			}
			push(t, r, made)
			if n := pushed.Load(); n <= 0 || n > 100_000 {
				t.Errorf("%d bytes were sent", n)
			}
			if out := gittest.Git(t, bare, "diff", "--stat", "main", "l10n"); !strings.Contains(out, "25 files changed") {
				t.Errorf("%s", out)
			}
			if got := gittest.Git(t, bare, "rev-parse", "l10n"); got != made.Hash() {
				t.Errorf("the remote has %s", got)
			}
			gittest.Sound(t, bare)
			gittest.Sound(t, dir)
		})
	}
}

// A server that lost what the differences stand on gets everything.
func TestServerWithoutTheOldVersion(t *testing.T) {
	t.Parallel()
	dir, bare, pushed, pushes := thinRemote(t)
	packs, _ := filepath.Glob(filepath.Join(bare, "objects/pack/*.pack"))
	for _, p := range packs { // into loose objects, of which one can be lost
		moved := filepath.Join(t.TempDir(), "x.pack")
		if err := os.Rename(p, moved); err != nil {
			t.Fatal(err)
		}
		in := must[*os.File](t)(os.Open(moved))
		cmd := exec.Command("git", "unpack-objects", "-q")
		cmd.Dir, cmd.Env, cmd.Stdin = bare, gittest.Environ(), in
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		in.Close()
	}
	lost := gittest.Git(t, bare, "rev-parse", "main:l10n/07.json")
	if err := os.Remove(filepath.Join(bare, "objects", lost[:2], lost[2:])); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir, Options{Remote: "origin"})
	made := commitOn(t, r, at(t, r, "l10n", "main"), "l10n", changedEverywhere(t, dir))
	if result := push(t, r, made); !result.Pushed {
		t.Errorf("%+v", result)
	}
	if pushes.Load() != 2 || pushed.Load() < 4<<20 {
		t.Errorf("%d requests with %d bytes", pushes.Load(), pushed.Load())
	}
	if got := gittest.Git(t, bare, "rev-parse", "l10n"); got != made.Hash() {
		t.Errorf("the remote has %s", got)
	}
}

// noise is content that does not compress.
func noise(n int, seed uint64) []byte {
	rnd := rand.New(rand.NewPCG(seed, seed))
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(rnd.Uint32())
	}
	return data
}
