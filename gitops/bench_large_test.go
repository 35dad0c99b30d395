package gitops

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/object"
)

// The other measure: a repository of 100,000 files, and a change to all of its 300 translation files, 84 MB. Each
// benchmark has beside it what git needs for the same, with the same bytes in the same repository; what must hold:
//
//	300 files   at most the time of git add + git commit, and 160 MB of memory, the 84 MB of content among them
//	5 files     at most twice git's
//	nothing     at most twice reading and hashing
//	push of 5   at most twice git push
//
//	go test ./gitops/ -run '^$' -bench Large -benchmem -cpu 1 -count 3

const (
	largeOthers = 100_000
	largeFiles  = 300
)

// large is the repository, made once for all benchmarks of a process.
type large struct {
	dir  string      // with a working tree on main
	bare string      // its remote, served at http
	now  [2][][]byte // two versions of each translation file: 2 % of the lines differ
}

var largeOnce = sync.OnceValues(makeLarge)

func largeName(i int) string { return fmt.Sprintf("locales/l%02d/file%02d.json", i/6, i%6) }

func largeOther(i int) string { return fmt.Sprintf("src/%02d/%02d/f%d.go", i%100, i/100%50, i) }

// largeContent is a file of 50 to 500 kB; version changes every fiftieth line.
func largeContent(i, version int) []byte {
	rnd := rand.New(rand.NewPCG(uint64(i), 1))
	lines := 1100 + 34*i // 84 MB in all
	var b bytes.Buffer
	b.WriteString("{\n")
	for k := range lines {
		v := 0
		if k%50 == i%50 {
			v = version
		}
		fmt.Fprintf(&b, "  \"screen.%d.label.%d\": \"Text %x of %d\",\n", i, k, rnd.Uint32(), v)
	}
	b.WriteString("  \"end\": \"\"\n}\n")
	return b.Bytes()
}

func makeLarge() (*large, error) {
	dir, err := os.MkdirTemp("", "locsync-large-")
	if err != nil {
		return nil, err
	}
	atExit = append(atExit, func() { os.RemoveAll(dir) })
	l := &large{dir: filepath.Join(dir, "work"), bare: filepath.Join(dir, "origin.git")}
	for v := range l.now {
		for i := range largeFiles {
			l.now[v] = append(l.now[v], largeContent(i, v))
		}
	}
	git := func(in string, args ...string) error {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, gittest.Environ(), strings.NewReader(in)
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("git %v: %w\n%s", args, err, out)
		}
		return err
	}
	var in strings.Builder
	rnd := rand.New(rand.NewPCG(1, 1))
	in.WriteString("commit refs/heads/main\ncommitter Ada <ada@example.org> 1700000000 +0000\ndata 1\nx\n")
	for i := range largeOthers {
		var text strings.Builder
		for range 20 + i%40 {
			fmt.Fprintf(&text, "func f%x() { return }\n", rnd.Uint32())
		}
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", largeOther(i), text.Len(), text.String())
	}
	for i, content := range l.now[0] {
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", largeName(i), len(content), content)
	}
	for _, step := range [][]string{{"", "init", "-q", "--template=", "work"},
		{in.String(), "-C", "work", "fast-import", "--quiet"},
		{"", "-C", "work", "checkout", "-q", "-f", "main"}, {"", "clone", "-q", "--bare", "work", "origin.git"},
		{"", "-C", "work", "remote", "add", "origin", l.bare},
		{"", "-C", "work", "fetch", "-q", "origin"}, {"", "-C", "work", "status"}} {
		if err := git(step[0], step[1:]...); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func largeRepo(b *testing.B) *large {
	b.Helper()
	gittest.Need(b)
	l, err := largeOnce()
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	return l
}

func (l *large) files(n, version int) map[string][]byte {
	files := map[string][]byte{}
	if n == huge {
		data := make([]byte, 100<<20)
		rand.NewChaCha8([32]byte{byte(version)}).Read(data)
		return map[string][]byte{"locales/huge.bin": data}
	}
	if n > largeFiles {
		for i := range n {
			files[largeOther(i)] = fmt.Appendf(nil, "%d %s", version, l.now[1][0][i:i+1000+i%2000])
		}
		return files
	}
	for i := range n {
		at := i * largeFiles / n
		files[largeName(at)] = l.now[version][at]
	}
	return files
}

func BenchmarkLargeCommit300(b *testing.B) { largeCommit(b, largeFiles) }
func BenchmarkLargeCommit5(b *testing.B)   { largeCommit(b, 5) }

// Ten thousand files, and one of 100 MB that does not compress.
func BenchmarkLargeCommit10000(b *testing.B) { largeCommit(b, 10_000) }
func BenchmarkLargeCommitHuge(b *testing.B)  { largeCommit(b, huge) }

const huge = -1

// largeCommit is one pass of a daemon that is running: open, the tip, the commit.
func largeCommit(b *testing.B, n int) {
	l := largeRepo(b)
	files := l.files(n, 1)
	b.ResetTimer()
	b.ReportAllocs()
	for b.Loop() {
		r := must[*Repo](b)(Open(b.Context(), l.dir, Options{}))
		commitOn(b, r, at(b, r, "main", ""), "main", files)
		if err := errors.Join(r.Drop("main"), r.Close()); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(largePeak(b, l, n), "peak-MB")
}

func BenchmarkLargeCommit300ByGit(b *testing.B)   { largeCommitByGit(b, largeFiles) }
func BenchmarkLargeCommit5ByGit(b *testing.B)     { largeCommitByGit(b, 5) }
func BenchmarkLargeCommit10000ByGit(b *testing.B) { largeCommitByGit(b, 10_000) }
func BenchmarkLargeCommitHugeByGit(b *testing.B)  { largeCommitByGit(b, huge) }

// largeCommitByGit is `git add` of the files by name, which lie in the working tree already, and `git commit`.
func largeCommitByGit(b *testing.B, n int) {
	l := largeRepo(b)
	gittest.Git(b, l.dir, "checkout", "-q", "-b", "bygit")
	defer func() {
		gittest.Git(b, l.dir, "checkout", "-q", "-f", "main")
		gittest.Git(b, l.dir, "branch", "-q", "-D", "bygit")
	}()
	files := l.files(n, 1)
	for version := 2; b.Loop(); version++ {
		b.StopTimer()
		texts := map[string]string{}
		for name, content := range files { // new to git each time
			texts[name] = fmt.Sprintf("%s%d\n", content, version)
		}
		gittest.Write(b, l.dir, texts)
		b.StartTimer()
		for _, args := range [][]string{append([]string{"add", "--"}, sortedKeys(files)...),
			{"commit", "-q", "-m", "x"}} {
			cmd := exec.Command("git", args...)
			cmd.Dir, cmd.Env = l.dir, gittest.Environ()
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
		}
	}
}

// BenchmarkLargeNothing is a pass that finds everything as it is.
func BenchmarkLargeNothing(b *testing.B) {
	l := largeRepo(b)
	files := l.files(largeFiles, 0)
	b.ReportAllocs()
	for b.Loop() {
		r := must[*Repo](b)(Open(b.Context(), l.dir, Options{}))
		if _, err := r.Commit(b.Context(), at(b, r, "main", ""), "main", files, message("x")); !errors.Is(err,
			ErrNothing) {
			b.Fatal(err)
		}
		r.Close()
	}
}

// BenchmarkLargeNothingFloor reads and hashes the same files.
func BenchmarkLargeNothingFloor(b *testing.B) {
	l := largeRepo(b)
	for b.Loop() {
		for i := range largeFiles {
			data, err := os.ReadFile(filepath.Join(l.dir, largeName(i)))
			if err != nil {
				b.Fatal(err)
			}
			object.SHA1.New(object.Blob, data)
		}
	}
}

func BenchmarkLargePush5HTTP(b *testing.B)        { largePush(b, 5, true, false) }
func BenchmarkLargePush5HTTPByGit(b *testing.B)   { largePush(b, 5, true, true) }
func BenchmarkLargePush5Folder(b *testing.B)      { largePush(b, 5, false, false) }
func BenchmarkLargePush5FolderByGit(b *testing.B) { largePush(b, 5, false, true) }
func BenchmarkLargePush300HTTP(b *testing.B)      { largePush(b, largeFiles, true, false) }
func BenchmarkLargePush300HTTPByGit(b *testing.B) { largePush(b, largeFiles, true, true) }

// largePush delivers a commit of n files; made by us both times, pushed by us or by git push.
func largePush(b *testing.B, n int, http, byGit bool) {
	l := largeRepo(b)
	address := l.bare
	if http {
		address = gittest.Serve(b, l.bare, gittest.Options{})
	}
	gittest.Git(b, l.dir, "remote", "set-url", "origin", address)
	b.ReportAllocs()
	for version := int(time.Now().UnixNano()); b.Loop(); version++ {
		b.StopTimer()
		r := must[*Repo](b)(Open(b.Context(), l.dir, Options{Remote: "origin"}))
		files := l.files(n, 1)
		for name, content := range files {
			files[name] = fmt.Appendf(nil, "%s%d\n", content, version)
		}
		made := commitOn(b, r, at(b, r, "l10n", "main"), "l10n", files)
		b.StartTimer()
		if byGit {
			gittest.Git(b, l.dir, "push", "-q", "origin", made.Hash()+":refs/heads/l10n")
		} else {
			push(b, r, made)
		}
		b.StopTimer()
		if byGit {
			push(b, r, made) // what is left to do: the references here
		}
		r.Close()
		b.StartTimer()
	}
}

// largePeak runs one pass in a process of its own and gives the most memory that it held.
func largePeak(b *testing.B, l *large, n int) float64 {
	b.Helper()
	in := filepath.Join(b.TempDir(), "files")
	var list strings.Builder
	files := l.files(n, 1)
	for i, name := range sortedKeys(files) {
		file := filepath.Join(filepath.Dir(in), strconv.Itoa(i))
		if err := os.WriteFile(file, files[name], 0o666); err != nil {
			b.Fatal(err)
		}
		fmt.Fprintf(&list, "%s\t%s\n", name, file)
	}
	if err := os.WriteFile(in, []byte(list.String()), 0o666); err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LOCSYNC_BENCH_DIR="+l.dir, "LOCSYNC_BENCH_FILES="+in)
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	kb, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		b.Skip("the system does not tell how much memory a process had: ", err)
	}
	return float64(kb) / 1024
}

// benchPass is the pass of that process: the files' contents in memory, as the engine has them.
func benchPass(dir, list string) {
	ctx := context.Background()
	runtime.GOMAXPROCS(1)
	f, err := os.Open(list)
	if err != nil {
		panic(err)
	}
	files := map[string][]byte{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, file, _ := strings.Cut(lines.Text(), "\t")
		if files[name], err = os.ReadFile(file); err != nil {
			panic(err)
		}
	}
	r, err := Open(ctx, dir, Options{})
	if err != nil {
		panic(err)
	}
	tip, err := r.At(ctx, "main", "")
	if err != nil {
		panic(err)
	}
	if _, err := r.Commit(ctx, tip, "main", files, message("x")); err != nil {
		panic(err)
	}
	if err := errors.Join(r.Drop("main"), r.Close()); err != nil {
		panic(err)
	}
	status, _ := os.ReadFile("/proc/self/status") // not the rusage, which begins with the parent's memory
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Println(strings.TrimSuffix(strings.TrimSpace(strings.SplitN(after, "\n", 2)[0]), " kB"))
}

// Files are read of a repository that is opened for it: large ones, and many small ones.
func BenchmarkLargeRead5(b *testing.B)        { largeRead(b, 5) }
func BenchmarkLargeRead300(b *testing.B)      { largeRead(b, largeFiles) }
func BenchmarkLargeRead5000(b *testing.B)     { largeRead(b, 5000) }
func BenchmarkLargeRead5ByGit(b *testing.B)   { largeReadByGit(b, 5) }
func BenchmarkLargeRead300ByGit(b *testing.B) { largeReadByGit(b, largeFiles) }
func BenchmarkLargeRead5000ByGit(b *testing.B) {
	largeReadByGit(b, 5000)
}

// largeNames are names of n files: of the large ones, or of the small ones where there are more than those.
func largeNames(n int) (names []string) {
	for i := range n {
		if n > largeFiles {
			names = append(names, largeOther(i))
		} else {
			names = append(names, largeName(i*largeFiles/n))
		}
	}
	return names
}

func largeRead(b *testing.B, n int) {
	l := largeRepo(b)
	b.ReportAllocs()
	for b.Loop() {
		r, err := Open(b.Context(), l.dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		tip, err := r.At(b.Context(), "main", "")
		if err != nil {
			b.Fatal(err)
		}
		for _, name := range largeNames(n) {
			if _, err := tip.ReadFile(name); err != nil {
				b.Fatal(err)
			}
		}
		r.Close()
	}
}

func largeReadByGit(b *testing.B, n int) {
	l := largeRepo(b)
	for b.Loop() {
		cmd := exec.Command("git", "cat-file", "--batch", "--buffer")
		cmd.Dir, cmd.Env, cmd.Stdin = l.dir, gittest.Environ(), strings.NewReader("main:"+strings.Join(largeNames(n),
			"\nmain:")+"\n")
		if out, err := cmd.Output(); err != nil || len(out) < n*100 {
			b.Fatal(len(out), err)
		}
	}
}
