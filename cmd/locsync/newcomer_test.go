//go:build unix

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
)

// newcomer is someone's clone of a repository, its bare origin beside it, and the program as a process in it.
type newcomer struct {
	*testing.T
	tree, origin string
	env          []string
	spent        *spending
}

// spending is what the runs of the program took, all newcomers of one repository together.
type spending struct {
	runs     int
	time     time.Duration // of processors
	peak     int64         // bytes, of the largest process
	slowest  time.Duration
	slow     string
	greedy   string
	requests int // of the first push and pull
	imports  int
}

// treeFile is one file of a repository; a link's content is where it leads.
type treeFile struct {
	path, mode string
	content    []byte
}

// bareOf makes a bare repository with one commit of these files, byte for byte, whatever .gitattributes and
// .gitignore say.
func bareOf(t *testing.T, files []treeFile) string {
	t.Helper()
	bare := filepath.Join(t.TempDir(), "origin.git")
	gittest.Git(t, filepath.Dir(bare), "init", "--quiet", "--bare", bare)
	var in bytes.Buffer
	in.WriteString("commit refs/heads/main\ncommitter Ada <ada@example.org> 1700000000 +0000\ndata 5\nbegin\n")
	for _, f := range files {
		fmt.Fprintf(&in, "M %s inline %s\ndata %d\n%s\n", f.mode, f.path, len(f.content), f.content)
	}
	in.WriteString("done\n")
	cmd := exec.Command("git", "fast-import", "--quiet", "--done")
	cmd.Dir, cmd.Env, cmd.Stdin = bare, gittest.Environ(), &in
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git fast-import: %v\n%s", err, out)
	}
	return bare
}

// unpacked are the files of an archive.
func unpacked(t *testing.T, archive string) (files []treeFile) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		file := treeFile{path: strings.TrimPrefix(h.Name, "./"), mode: "100644", content: []byte(h.Linkname)}
		switch h.Typeflag {
		case tar.TypeReg:
			if h.Mode&0o111 != 0 {
				file.mode = "100755"
			}
			if file.content, err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		case tar.TypeSymlink:
			file.mode = "120000"
		default:
			continue
		}
		files = append(files, file)
	}
}

// arrive makes a clone of a repository, with an origin of its own.
func arrive(t *testing.T, bare string, spent *spending) *newcomer {
	t.Helper()
	gittest.Need(t)
	dir := t.TempDir()
	n := &newcomer{T: t, origin: filepath.Join(dir, "origin.git"), spent: spent}
	gittest.Git(t, dir, "clone", "--quiet", "--bare", bare, n.origin)
	n.env = append(gittest.Environ(), "HOME="+dir, "LOCSYNC_API_KEY=secret", "LOCSYNC_BUDGET_DIR="+dir,
		"GOGC=400", fmt.Sprint("GOMEMLIMIT=",
			mostMemory/5*4)) // more memory for less work; the bound holds all the same
	return n.clone(dir)
}

// clone is another clone of the same origin, with nothing in it that is not committed.
func (n *newcomer) clone(dir string) *newcomer {
	n.Helper()
	other := *n
	other.tree = filepath.Join(dir, "tree")
	gittest.Git(n, dir, "-c", "core.autocrlf=false", "clone", "--quiet", n.origin, other.tree)
	other.git("config", "core.autocrlf", "false")
	return &other
}

func (n *newcomer) git(args ...string) string {
	n.Helper()
	return gittest.Git(n, n.tree, args...)
}

// result is what one run of the program came to.
type result struct {
	code     int
	out, log string
}

func (n *newcomer) locsync(args ...string) result {
	n.Helper()
	exe, err := exec.LookPath("locsync")
	if err != nil {
		n.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	peakFile := filepath.Join(n.TempDir(), "peak")
	cmd.Dir, cmd.Env = n.tree, append(slices.Clone(n.env), testPeakFile+"="+peakFile)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		n.Fatal(err)
	}
	took := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	n.spent.runs++
	n.spent.time += took
	if peak := peakIn(n, peakFile); peak > n.spent.peak {
		n.spent.peak, n.spent.greedy = peak, strings.Join(args, " ")
	}
	if took > n.spent.slowest {
		n.spent.slowest, n.spent.slow = took, strings.Join(args, " ")
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), log.String()}
}

// passReport is what a pass says with --json; of a sync both halves.
type passReport struct {
	code     int
	Projects []struct {
		Commit          string
		Requests, Calls int
		Keys            int
		Files           []struct {
			Path, Language string
			Keys           []string
		}
		Problems []passProblem
		Error    string
	}
	Push, Pull *passReport
}

type passProblem struct {
	File, Key, Language, Problem string
}

// pass runs a pass, which has to end with 0, or with 3 and what was left out.
func (n *newcomer) pass(args ...string) passReport {
	n.Helper()
	command := strings.Join(args, " ")
	r := n.locsync(append(args, "--json")...)
	var report passReport
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		n.Fatalf("locsync %s ended with %d and without a report: %v\n%s%s",
			command, r.code, err, clipped(r.out), clipped(r.log))
	}
	report.code = r.code
	switch problems := report.problems(); {
	case r.code == 3 && len(problems) == 0:
		n.Errorf("locsync %s ended with 3 and names nothing: %s", command, clipped(r.out))
	case r.code != 0 && r.code != 3:
		n.Fatalf("locsync %s ended with %d: %s%s", command, r.code, report.failure(), clipped(r.log))
	}
	return report
}

func (r *passReport) halves() []*passReport {
	if r.Push == nil {
		return []*passReport{r}
	}
	return []*passReport{r.Push, r.Pull}
}

func (r *passReport) problems() (all []passProblem) {
	for _, half := range r.halves() {
		for _, p := range half.Projects {
			all = append(all, p.Problems...)
		}
	}
	return all
}

func (r *passReport) failure() (all string) {
	for _, half := range r.halves() {
		for _, p := range half.Projects {
			all += p.Error + "\n"
		}
	}
	return all
}

// clipped is text for a failure's message.
func clipped(s string) string {
	if len(s) > 1500 {
		return s[:1500] + " ..."
	}
	return s
}

// snapshot is everything that a pass may move: the branches here and at the origin, what is checked out, and
// what the working tree has beside its commit.
func (n *newcomer) snapshot() string {
	n.Helper()
	return strings.Join([]string{
		n.git("for-each-ref", "--format=%(HEAD) %(refname) %(objectname)", "refs/heads", "refs/remotes", "refs/tags"),
		// with a star before what is checked out
		"origin:", gittest.Git(n, n.origin, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags"),
		"changed: " + n.git("status", "--porcelain", "--untracked-files=all"),
	}, "\n")
}

// unmoved fails where anything of the snapshot is different now.
func (n *newcomer) unmoved(before, after string) {
	n.Helper()
	now := n.snapshot()
	if now == before {
		return
	}
	n.Errorf("after %s there is\n%s\nand before there was\n%s\n%s", after, now, before, clipped(n.diff()))
}

// diff is what the branch of translations has that the base lacks.
func (n *newcomer) diff() string {
	out, _ := gittest.TryGit(n, n.tree, "diff", "main..."+n.branch(), "--")
	return out
}

func (n *newcomer) configFile() string { return filepath.Join(n.tree, "locsync.toml") }

func (n *newcomer) config() *config.Config {
	n.Helper()
	c, err := config.Load(n.configFile())
	if err != nil {
		n.Fatalf("the configuration that init wrote: %v", err)
	}
	return c
}

func (n *newcomer) branch() string { return n.config().Projects[0].Pull.Branch }

// set gives a key of the configuration a value, which is written as it is; init's own line for it goes.
func (n *newcomer) set(table, key, value string) {
	n.Helper()
	text, err := os.ReadFile(n.configFile())
	if err != nil {
		n.Fatal(err)
	}
	var out strings.Builder
	inside, found := false, false
	for line := range strings.Lines(string(text)) {
		if header := regexp.MustCompile(`^\[.*\]`).FindString(line); header != "" {
			inside = header == table
			out.WriteString(line)
			if inside {
				found = true
				fmt.Fprintf(&out, "%s = %s\n", key, value)
			}
			continue
		}
		if !inside || !regexp.MustCompile(`^`+key+`\s*=`).MatchString(line) {
			out.WriteString(line)
		}
	}
	if !found {
		n.Fatalf("init wrote no table %s:\n%s", table, text)
	}
	if err := os.WriteFile(n.configFile(), []byte(out.String()), 0o644); err != nil {
		n.Fatal(err)
	}
}

// unset takes a key out of the configuration, with its line or from a table in one line.
func (n *newcomer) unset(key string) {
	n.Helper()
	text, err := os.ReadFile(n.configFile())
	if err != nil {
		n.Fatal(err)
	}
	key = regexp.QuoteMeta(key)
	pair := regexp.MustCompile(`(?m)^` + key + ` = .*\n|, ` + key + ` = "[^"]*"|` + key + ` = "[^"]*",?`)
	if err := os.WriteFile(n.configFile(), pair.ReplaceAll(text, nil), 0o644); err != nil {
		n.Fatal(err)
	}
}

// peakIn is what notePeak wrote, in bytes; 0 on systems without /proc.
func peakIn(t testing.TB, file string) int64 {
	status, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && runtime.GOOS != "linux" {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	var kilobytes int64
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(peak, &kilobytes); err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}
