package gitops

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

// The measure: 50 languages with 20 files each, 500 keys a file; about 25 MB.
const benchLanguages, benchFiles, benchKeys = 50, 20, 500

func benchContent(language, file, version int) []byte {
	var b bytes.Buffer
	b.WriteString("{\n")
	for k := range benchKeys {
		fmt.Fprintf(&b, "  \"screen.%d.label.%d\": \"Text %x in v%d\",\n", file, k,
			uint32(language*7919+file*104729+k*1299709), version)
	}
	b.WriteString("  \"end\": \"\"\n}\n")
	return b.Bytes()
}

func benchName(language, file int) string {
	return fmt.Sprintf("locales/l%02d/file%02d.json", language, file)
}

func benchAll(version int) map[string][]byte {
	all := map[string][]byte{}
	for l := range benchLanguages {
		for f := range benchFiles {
			all[benchName(l, f)] = benchContent(l, f, version)
		}
	}
	return all
}

// benchRepo is a repository with all files, packed, and some thousand others beside them.
func benchRepo(b *testing.B) (string, *Repo) {
	b.Helper()
	dir := gittest.Init(b, nil)
	var in bytes.Buffer
	fmt.Fprintf(&in, "commit refs/heads/main\ncommitter A <a@b> 1700000000 +0000\ndata 1\nx\n")
	for name, content := range benchAll(0) {
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", name, len(content), content)
	}
	for i := range 5000 {
		fmt.Fprintf(&in, "M 100644 inline src/%d/%d.go\ndata 10\n%010d\n", i%100, i, i)
	}
	fastImport(b, dir, in.Bytes())
	gittest.Git(b, dir, "repack", "-adq")
	gittest.Git(b, dir, "checkout", "-q", "-f", "main")
	r, err := Open(b.Context(), dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close() })
	return dir, r
}

func BenchmarkOpen(b *testing.B) {
	dir := gittest.Init(b, sample)
	b.ReportAllocs()
	for b.Loop() {
		r, err := Open(b.Context(), dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}

// A tip is opened, its languages are listed, and every file is read.
func BenchmarkReadTip(b *testing.B) {
	dir, _ := benchRepo(b)
	b.ReportAllocs()
	for b.Loop() {
		r, err := Open(b.Context(), dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		tip, err := r.At(b.Context(), "main", "")
		if err != nil {
			b.Fatal(err)
		}
		names, err := fs.Glob(tip, "locales/*/*.json")
		if err != nil || len(names) != benchLanguages*benchFiles {
			b.Fatal(len(names), err)
		}
		n := 0
		for _, name := range names {
			data, err := tip.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			n += len(data)
		}
		b.SetBytes(int64(n))
		r.Close()
	}
}

func BenchmarkReadTipByGit(b *testing.B) {
	dir, _ := benchRepo(b)
	b.ReportAllocs()
	for b.Loop() {
		names := gittest.Git(b, dir, "ls-tree", "-r", "--name-only", "main", "locales/")
		var in strings.Builder
		for name := range strings.Lines(names + "\n") {
			in.WriteString("main:" + name)
		}
		cmd := exec.Command("git", "cat-file", "--batch")
		cmd.Dir, cmd.Env, cmd.Stdin = dir, gittest.Environ(), strings.NewReader(in.String())
		out, err := cmd.Output()
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(out)))
	}
}

func benchCommit(b *testing.B, n int) {
	_, r := benchRepo(b)
	version := 1
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		files := map[string][]byte{}
		for i := range n {
			l, f := i%benchLanguages, i/benchLanguages
			files[benchName(l, f)] = benchContent(l, f, version)
		}
		version++
		tip, err := r.At(b.Context(), "main", "")
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		made, err := r.Commit(b.Context(), tip, "main", files, message("x"))
		b.StopTimer()
		if err == nil { // the branch is checked out: nothing but the outbox moves
			err = r.Drop("main")
		}
		if err != nil || made == nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

func BenchmarkCommit5(b *testing.B)    { benchCommit(b, 5) }
func BenchmarkCommit1000(b *testing.B) { benchCommit(b, 1000) }

// What it costs to find out that nothing differs.
func BenchmarkCommitNothing(b *testing.B) {
	_, r := benchRepo(b)
	files := benchAll(0)
	tip, err := r.At(b.Context(), "main", "")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Commit(b.Context(), tip, "main", files, message("x")); err == nil {
			b.Fatal("a commit was made")
		}
	}
}

// The same through a working tree: files written, git add, git commit.
func benchCommitByGit(b *testing.B, n int) {
	dir, _ := benchRepo(b)
	version := 1
	for b.Loop() {
		b.StopTimer()
		files := map[string]string{}
		for i := range n {
			l, f := i%benchLanguages, i/benchLanguages
			files[benchName(l, f)] = string(benchContent(l, f, version))
		}
		version++
		b.StartTimer()
		gittest.Write(b, dir, files)
		gittest.Git(b, dir, "add", "-A")
		gittest.Git(b, dir, "commit", "-q", "-m", "x")
	}
}

func BenchmarkCommit5ByGit(b *testing.B)    { benchCommitByGit(b, 5) }
func BenchmarkCommit1000ByGit(b *testing.B) { benchCommitByGit(b, 1000) }

func BenchmarkCommit1000ByFastImport(b *testing.B) {
	dir, _ := benchRepo(b)
	version := 1
	for b.Loop() {
		b.StopTimer()
		var in bytes.Buffer
		fmt.Fprintf(&in, "commit refs/heads/l10n\ncommitter A <a@b> %d +0000\ndata 1\nx\nfrom refs/heads/main\n",
			1700000000+version)
		for name, content := range benchAll(version) {
			fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", name, len(content), content)
		}
		version++
		b.StartTimer()
		fastImport(b, dir, in.Bytes())
	}
}

// Pushing that commit, to a folder and to a server on this machine.
func benchPush(b *testing.B, n int, http bool) {
	dir, _ := benchRepo(b)
	bare := gittest.Bare(b, dir)
	if http {
		gittest.Git(b, dir, "remote", "set-url", "origin", gittest.Serve(b, bare, gittest.Options{}))
	}
	r, err := Open(b.Context(), dir, Options{Remote: "origin"})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	version := 1
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		files := map[string][]byte{}
		for i := range n {
			l, f := i%benchLanguages, i/benchLanguages
			files[benchName(l, f)] = benchContent(l, f, version)
		}
		version++
		tip, err := r.At(b.Context(), "l10n", "")
		if err != nil {
			b.Fatal(err)
		}
		msg := message("x")
		msg.When = when.Add(time.Duration(version) * time.Minute)
		made, err := r.Commit(b.Context(), tip, "l10n", files, msg)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := r.Push(b.Context(), made); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPush5Folder(b *testing.B)    { benchPush(b, 5, false) }
func BenchmarkPush5HTTP(b *testing.B)      { benchPush(b, 5, true) }
func BenchmarkPush1000Folder(b *testing.B) { benchPush(b, 1000, false) }
func BenchmarkPush1000HTTP(b *testing.B)   { benchPush(b, 1000, true) }

// BenchmarkLargeRepository opens and commits where LOCSYNC_BENCH_REPO names a repository with a long history.
func BenchmarkLargeRepository(b *testing.B) {
	dir := os.Getenv("LOCSYNC_BENCH_REPO")
	if dir == "" {
		b.Skip("LOCSYNC_BENCH_REPO names no repository")
	}
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil {
		b.Skip("not a bare repository: ", dir)
	}
	b.ReportAllocs()
	for b.Loop() {
		r, err := Open(b.Context(), dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		tip, err := r.At(b.Context(), "l10n", "")
		if err != nil {
			b.Fatal(err)
		}
		if _, err = r.Preview(b.Context(), tip, files("locales/de/new.json", "{}\n")); err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}
