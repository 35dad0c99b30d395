//go:build unix

package gitops

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

// slowerThanGit is how much longer than git, which does the same, anything here may take.
const slowerThanGit = 1.2

// BenchmarkBesideGit does what a pass does in a repository of 100,000 files, and lets git do the same each time right
// after, so that whatever else the machine has to do slows both. With -benchtime=5x or more it fails where the fastest
// of ours is too far above git's.
func BenchmarkBesideGit(b *testing.B) {
	for _, n := range []int{5, largeFiles} {
		b.Run(fmt.Sprint("commit of ", n), func(b *testing.B) { commitBeside(b, n) })
	}
	for _, n := range []int{5, largeFiles} {
		b.Run(fmt.Sprint("push of ", n), func(b *testing.B) { pushBeside(b, n) })
	}
	for _, n := range []int{5, largeFiles} {
		b.Run(fmt.Sprint("open and read ", n), func(b *testing.B) { readBeside(b, n) })
	}
	for _, kind := range []string{"folder", "http"} {
		b.Run("200000 references, "+kind, func(b *testing.B) { referencesBeside(b, kind == "http") })
	}
}

// beside are the times of ours and git's, and of what they used of processors.
type beside struct{ wall, cpu [2][]time.Duration }

// processors is what this process and those that it waited for have used.
func processors() (all time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			all += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return all
}

func (t *beside) measure(side int, do func()) {
	began, used := time.Now(), processors()
	do()
	t.wall[side] = append(t.wall[side], time.Since(began))
	t.cpu[side] = append(t.cpu[side], processors()-used)
}

func (t *beside) report(b *testing.B) {
	best := func(list []time.Duration) float64 { return float64(slices.Min(list).Microseconds()) / 1000 }
	ours, git := best(t.wall[0]), best(t.wall[1])
	cpu := best(t.cpu[0]) / best(t.cpu[1])
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ours, "ours-ms")
	b.ReportMetric(git, "git-ms")
	b.ReportMetric(ours/git, "ours/git")
	b.ReportMetric(cpu, "cpu-ours/git")
	if ours > slowerThanGit*git && len(t.wall[0]) >= 5 {
		b.Errorf("%.1f ms, git takes %.1f; of processors %.2f of git's", ours, git, cpu)
	}
}

// byGit runs git as a person would, with its own choice of what is synced.
func byGit(b *testing.B, dir, stdin string, args ...string) string {
	b.Helper()
	cmd := exec.Command("git", append([]string{"-c", "core.fsync=default"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, gittest.Environ(), strings.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

var versions = int(time.Now().UnixNano())

// fresh are n files as no one had them before.
func (l *large) fresh(n int) map[string][]byte {
	versions++
	files := l.files(n, 1)
	for name, content := range files {
		files[name] = fmt.Appendf(nil, "%s%d\n", content, versions)
	}
	return files
}

// commitBeside: the files are in memory here, and in the working tree for git.
func commitBeside(b *testing.B, n int) {
	l := largeRepo(b)
	gittest.Git(b, l.dir, "checkout", "-q", "-B", "bygit", "main")
	defer func() {
		gittest.Git(b, l.dir, "checkout", "-q", "-f", "main")
		gittest.Git(b, l.dir, "branch", "-q", "-D", "bygit")
	}()
	var t beside
	for b.Loop() {
		files := l.fresh(n)
		t.measure(0, func() {
			r := must[*Repo](b)(Open(b.Context(), l.dir, Options{}))
			commitOn(b, r, at(b, r, "main", ""), "main", files)
			if err := errors.Join(r.Drop("main"), r.Close()); err != nil {
				b.Fatal(err)
			}
		})
		for name, content := range files {
			if err := os.WriteFile(filepath.Join(l.dir, name), append(content, ' '),
				0o666); err != nil { // not ours already
				b.Fatal(err)
			}
		}
		t.measure(1, func() {
			byGit(b, l.dir, "", append([]string{"add", "--"}, sortedKeys(files)...)...)
			byGit(b, l.dir, "", "commit", "-q", "-m", "x")
		})
	}
	t.report(b)
}

// pushBeside: a commit on the branch, and another one beside it on a branch for git, over http.
func pushBeside(b *testing.B, n int) {
	l := largeRepo(b)
	gittest.Git(b, l.dir, "remote", "set-url", "origin", gittest.Serve(b, l.bare, gittest.Options{}))
	var t beside
	for b.Loop() {
		r := must[*Repo](b)(Open(b.Context(), l.dir, Options{Remote: "origin"}))
		made := commitOn(b, r, at(b, r, "ours", "main"), "ours", l.fresh(n))
		t.measure(0, func() { push(b, r, made) })
		made = commitOn(b, r, at(b, r, "gits", "main"), "gits", l.fresh(n))
		t.measure(1, func() { byGit(b, l.dir, "", "push", "-q", "origin", made.Hash()+":refs/heads/gits") })
		push(b, r, made) // what is left to do: the references here
		r.Close()
	}
	t.report(b)
}

func readBeside(b *testing.B, n int) {
	l := largeRepo(b)
	names := sortedKeys(l.files(n, 0))
	var in strings.Builder
	for _, name := range names {
		fmt.Fprintf(&in, "main:%s\n", name)
	}
	var t beside
	for b.Loop() {
		var ours, gits int
		t.measure(0, func() {
			r := must[*Repo](b)(Open(b.Context(), l.dir, Options{}))
			tip := at(b, r, "main", "")
			for _, name := range names {
				ours += len(must[[]byte](b)(tip.ReadFile(name)))
			}
			r.Close()
		})
		t.measure(1, func() {
			byGit(b, l.dir, "", "rev-parse", "HEAD", "main") // what Open and At tell
			byGit(b, l.dir, "", "config", "-l")
			gits = len(byGit(b, l.dir, in.String(), "cat-file", "--batch", "--buffer"))
		})
		if gits < ours {
			b.Fatalf("%d bytes, and %d", ours, gits)
		}
	}
	t.report(b)
}

// referencesBeside: a whole pass that changes one file, where both sides have 200,000 references.
func referencesBeside(b *testing.B, http bool) {
	dir := gittest.Init(b, sample)
	bare := gittest.Bare(b, dir)
	head := gittest.Git(b, dir, "rev-parse", "HEAD")
	var here, there strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&here, "%s refs/remotes/origin/b%06d\n", head, i)
		fmt.Fprintf(&there, "%s refs/heads/b%06d\n", head, i)
	}
	const header = "# pack-refs with: peeled fully-peeled sorted \n"
	gittest.Write(b, dir, map[string]string{".git/packed-refs": header + here.String()})
	gittest.Write(b, bare, map[string]string{"packed-refs": header + there.String() + head + " refs/heads/main\n"})
	if http {
		gittest.Git(b, dir, "remote", "set-url", "origin", gittest.Serve(b, bare, gittest.Options{}))
	}
	gittest.Git(b, dir, "checkout", "-q", "-b", "gits")
	var t beside
	b.ResetTimer()
	for b.Loop() {
		versions++
		t.measure(0, func() {
			r := must[*Repo](b)(Open(b.Context(), dir, Options{Remote: "origin"}))
			push(b, r, commitOn(b, r, at(b, r, "ours", "main"), "ours",
				files("locales/de/app.json", fmt.Sprint(versions))))
			r.Close()
		})
		gittest.Write(b, dir, map[string]string{"locales/de/app.json": fmt.Sprint(versions, " by git")})
		t.measure(1, func() {
			byGit(b, dir, "", "fetch", "-q", "--no-tags", "origin", "main")
			byGit(b, dir, "", "commit", "-q", "-a", "-m", "x")
			byGit(b, dir, "", "push", "-q", "origin", "gits")
		})
	}
	t.report(b)
}
