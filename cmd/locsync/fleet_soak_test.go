//go:build soak && linux

package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

var (
	fleetSize   = flag.Int("fleet", 5000, "how many repositories TestFleet has in one daemon")
	fleetIdle   = flag.Int("fleet.idle", 1, "for how many minutes TestFleet measures a daemon without work")
	fleetPulls  = flag.String("fleet.pulls", "0 0 1 1 *", "the schedule of TestFleet's pulls, all at the same time")
	fleetTraced = flag.Bool("fleet.traced", false, "TestFleet counts git programs, which the log of each makes slower")
)

// What one daemon of thousands of repositories costs: until it is ready, until its first pushes were made, a minute in
// which nothing happens, and a status. Beside each is a floor of the same run.
func TestFleet(t *testing.T) {
	gittest.Need(t)
	f := newFleet(t, *fleetSize)
	for _, start := range []string{"first", "second"} {
		f.measure(start)
	}
}

// fleet is a configuration of many projects, each with a repository of its own.
type fleet struct {
	*testing.T
	dir, url string
	size     int
}

func newFleet(t *testing.T, size int) *fleet {
	t.Helper()
	f := &fleet{T: t, dir: t.TempDir(), url: "http://" + unusedAddress(t), size: size}
	seed := gittest.Init(t, map[string]string{"locales/en.json": `{"a": "A", "b": "B"}`, "locales/de.json": `{"a": "Ä"}`})
	f.file("locsync.toml", fmt.Sprintf("state_dir = \"state\"\ninclude = [\"projects/*.toml\"]\n[daemon]\nlisten = %q\n",
		strings.TrimPrefix(f.url, "http://")))
	f.check(os.Mkdir(filepath.Join(f.dir, "projects"), 0o700))
	for i := range size {
		repo := filepath.Join(f.dir, fmt.Sprintf("r%05d", i))
		f.copyOf(seed, repo)
		f.file(fmt.Sprintf("projects/p%05d.toml", i), fmt.Sprintf("[[project]]\nname = \"p%05[1]d\"\n"+
			"id = \"00000000-0000-4000-8000-%012[1]d\"\nrepository = %[2]q\nsource_language = \"en\"\n"+
			"target_languages = [\"de\"]\n[project.pull]\nschedule = %[3]q\n[[project.files]]\nsource = \"locales/en.json\"\n"+
			"output = \"locales/{LANGUAGE}.json\"\n", i, repo, *fleetPulls))
	}
	return f
}

func (f *fleet) file(name, text string) {
	f.Helper()
	f.check(os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600))
}

func (f *fleet) check(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// copyOf is a repository with the objects of another one.
func (f *fleet) copyOf(seed, dir string) {
	f.check(filepath.WalkDir(seed, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := dir + strings.TrimPrefix(path, seed)
		if e.IsDir() {
			return os.Mkdir(to, 0o755)
		}
		if strings.HasPrefix(path, filepath.Join(seed, ".git", "objects")) {
			return os.Link(path, to)
		}
		content, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(to, content, 0o644)
		}
		old := time.Now().Add(-time.Hour)
		return cmpErr(err, os.Chtimes(to, old, old))
	}))
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// measure starts a daemon and says what it costs.
func (f *fleet) measure(start string) {
	f.Helper()
	exe, err := exec.LookPath("locsync")
	f.check(err)
	level := "info"
	if *fleetTraced {
		level = "debug"
	}
	cmd := exec.Command(exe, "run", "--log-format", "json", "--log-level", level)
	cmd.Dir, cmd.Env = f.dir, append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+f.TempDir())
	log, err := os.Create(filepath.Join(f.TempDir(), "log"))
	f.check(err)
	defer log.Close()
	cmd.Stderr = log
	began := time.Now()
	f.check(cmd.Start())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = cmd.Wait()
	}()
	defer func() {
		_ = cmd.Process.Kill() // it may have ended
		<-gone
	}()
	pid := cmd.Process.Pid
	say := func(format string, args ...any) {
		f.Helper()
		f.Logf("%s start, %6.1f s: %s; processor %.2f s, %d MB, %d files open, %d threads", start,
			time.Since(began).Seconds(), fmt.Sprintf(format, args...), f.worked(pid).Seconds(),
			residentNow(pid)>>20, entriesIn(fmt.Sprintf("/proc/%d/fd", pid)), entriesIn(fmt.Sprintf("/proc/%d/task", pid)))
	}
	f.until(gone, 10*time.Minute, func() bool { return f.get("/healthz") == 200 })
	say("healthy")
	say("the first status took %s", f.status())
	f.until(gone, 20*time.Minute, func() bool { return f.get("/readyz") == 200 })
	say("ready; %s", f.programs(log.Name()))
	say("a status took %s", f.status())
	asked := time.Now()
	f.check(exec.Command(exe, "version").Run())
	say("floor of a status, a program that does nothing: %.2f s", time.Since(asked).Seconds())
	f.until(gone, 30*time.Minute, func() bool { // the first pushes, on a machine that may have other work
		before := f.worked(pid)
		time.Sleep(5 * time.Second) // the span whose processor time is measured
		return f.worked(pid)-before < 500*time.Millisecond && programsOf(pid) == 0
	})
	say("quiet; %s, %d inotify watches", f.programs(log.Name()), watches(pid))
	for range *fleetIdle {
		before, programs := f.worked(pid), f.programs(log.Name())
		idle := time.Now()
		most := f.most(pid, time.Minute)
		say("idle: %.2f %% of a core; %s; before %s, after %s", 100*(f.worked(pid)-before).Seconds()/
			time.Since(idle).Seconds(), most, programs, f.programs(log.Name()))
	}
	say("a status took %s", f.status())
	asked = time.Now()
	resp, err := http.Get(f.url + "/api/status")
	f.check(err)
	resp.Body.Close()
	say("the address's status took %.2f s", time.Since(asked).Seconds())
	ended := time.Now()
	f.check(cmd.Process.Signal(syscall.SIGTERM))
	<-gone
	f.Logf("it ended in %.1f s with %d", time.Since(ended).Seconds(), cmd.ProcessState.ExitCode())
	f.floor()
}

// most is the most that a process takes of the machine in a span, as it is seen four times a second.
func (f *fleet) most(pid int, span time.Duration) string {
	var threads, programs int
	var memory int64
	for end := time.Now().Add(span); time.Now().Before(end); time.Sleep(250 * time.Millisecond) {
		threads = max(threads, entriesIn(fmt.Sprintf("/proc/%d/task", pid)))
		programs, memory = max(programs, programsOf(pid)), max(memory, residentNow(pid))
	}
	return fmt.Sprintf("at most %d threads, %d programs, %d MB", threads, programs, memory>>20)
}

// programsOf counts the programs that a process runs.
func programsOf(pid int) (n int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range tasks {
		text, _ := os.ReadFile(file)
		n += len(strings.Fields(string(text)))
	}
	return n
}

// floor is what it costs to look at all repositories.
func (f *fleet) floor() {
	began := time.Now()
	for i := range f.size {
		for _, name := range []string{".git/HEAD", ".git/config", "locales/en.json"} {
			_, err := os.ReadFile(filepath.Join(f.dir, fmt.Sprintf("r%05d", i), name))
			f.check(err)
		}
	}
	f.Logf("floor: three files of each were read in %.2f s", time.Since(began).Seconds())
	began = time.Now()
	const some = 50
	for i := range some {
		f.check(exec.Command("git", "-C", filepath.Join(f.dir, fmt.Sprintf("r%05d", i%f.size)), "rev-parse", "HEAD").Run())
	}
	f.Logf("floor: one git program for each would take %.1f s", time.Since(began).Seconds()*float64(f.size)/some)
}

// status is one by the command: how long that took, and how much of a processor.
func (f *fleet) status() string {
	f.Helper()
	began := time.Now()
	cmd := exec.Command("locsync", "status", "--json")
	cmd.Dir, cmd.Stderr = f.dir, os.Stderr
	out, err := cmd.Output()
	var s struct {
		Projects []struct{ State string }
	}
	if jerr := json.Unmarshal(out, &s); err != nil && cmd.ProcessState.ExitCode() != 3 || jerr != nil {
		f.Fatalf("status: %v, %v: %s", err, jerr, out[:min(len(out), 1000)])
	}
	if len(s.Projects) != f.size {
		f.Fatalf("a status of %d projects, want %d", len(s.Projects), f.size)
	}
	return fmt.Sprintf("%.2f s, %.2f s of a processor", time.Since(began).Seconds(),
		(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
}

func (f *fleet) get(path string) int {
	resp, err := http.Get(f.url + path)
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

func (f *fleet) until(gone <-chan struct{}, most time.Duration, holds func() bool) {
	f.Helper()
	for end := time.After(most); !holds(); {
		select {
		case <-gone:
			f.Fatal("the daemon ended")
		case <-end:
			f.Fatal("it took too long")
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// worked is the processor time of a process and of the programs that it ran.
func (f *fleet) worked(pid int) time.Duration {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	f.check(err)
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	ticks := 0
	for _, field := range fields[11:15] {
		n, err := strconv.Atoi(field)
		f.check(err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// programs are the git programs that were run, as the log has them.
func (f *fleet) programs(log string) string {
	if !*fleetTraced {
		return "git programs not counted"
	}
	text, err := os.ReadFile(log)
	f.check(err)
	return fmt.Sprint(bytes.Count(text, []byte(`:"git `)), " git programs")
}

func entriesIn(dir string) int {
	all, _ := os.ReadDir(dir)
	return len(all)
}

// watches counts the folders that a process watches.
func watches(pid int) (n int) {
	all, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", pid))
	for _, file := range all {
		text, _ := os.ReadFile(file)
		n += strings.Count(string(text), "inotify wd:")
	}
	return n
}
