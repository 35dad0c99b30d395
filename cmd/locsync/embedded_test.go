//go:build unix

package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/service/local"
)

// embedded writes the configuration with the embedded service in place of the one over HTTP.
func (w *daemonWorld) embedded() {
	w.t.Helper()
	w.configure("")
	file := filepath.Join(w.repo, "locsync.toml")
	text, err := os.ReadFile(file)
	w.check(err)
	_, rest, ok := strings.Cut(string(text), "[daemon]")
	if !ok {
		w.t.Fatalf("no [daemon] in %s", text)
	}
	w.write("locsync.toml", "[service]\nurl = \"embedded\"\n[daemon]"+rest)
}

// A daemon that is turned to another service closes the embedded one when its last pass has ended, so that another process may open it; turned back it opens it again,
// with all that it had.
func TestEmbeddedServiceIsLeft(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	w.embedded()
	cmd := w.start()
	pushed := func(n int) {
		t.Helper()
		w.until("it is pushed", func() bool { return strings.Count(w.logs.String(), "pushed {") == n })
	}
	pushed(1)
	dir := filepath.Join(w.repo, ".git", "locsync", "service")
	options := local.Options{AccountID: embeddedAccount, Keys: []string{string(embeddedKey)}}
	if other, err := local.Open(dir, options); err == nil {
		w.check(other.Close())
		t.Fatal("somebody else opens it while the daemon has it")
	}
	beside := func() {
		t.Helper()
		if out, err := w.command("project", "plan").CombinedOutput(); err != nil {
			t.Errorf("a command beside it: %v\n%s", err, out)
		}
	}
	beside()

	w.configure("")
	w.hup(cmd.Process)
	pushed(2)
	w.until("it is closed", func() bool {
		other, err := local.Open(dir, options)
		if err != nil {
			return false
		}
		w.check(other.Close())
		return true
	})
	if _, err := os.Stat(filepath.Join(dir, "..", "service.json")); !os.IsNotExist(err) {
		t.Errorf("commands are still told where it is: %v", err)
	}
	w.embedded()
	w.write("locales/en.json", `{"a": "A", "b": "B", "c": "C"}`)
	w.hup(cmd.Process)
	pushed(3)
	if log := w.logs.String(); !strings.Contains(log[strings.LastIndex(log, "pushed {"):], `"keys": 1,`) {
		t.Errorf("it did not have what was pushed to it before:\n%s", log)
	}
	beside()
	w.check(cmd.Process.Signal(syscall.SIGTERM))
	w.ends(cmd, 10*time.Second)
}

// What left the embedded service leaves nothing of it behind, waits for who uses it, and keeps it where it is needed again meanwhile.
func TestEmbeddedServiceOfAHouse(t *testing.T) {
	cfg, err := config.Parse(filepath.Join(t.TempDir(), "locsync.toml"), []byte("[service]\nurl = \"embedded\"\n[[project]]\nname = \"app\"\nid = \""+daemonProject+"\"\nsource_language = \"en\"\ntarget_languages = [\"de\"]\n[[project.files]]\nsource = \"en.json\"\noutput = \"{LANGUAGE}.json\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := *cfg
	elsewhere.Service.URL, elsewhere.Service.AccountID = "http://127.0.0.1:9", "acc"
	h := &house{cfg: cfg, log: zap.NewNop(), dir: t.TempDir()}
	ask := func() {
		t.Helper()
		client, err := h.connect(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Project(t.Context(), daemonProject); err != nil {
			t.Fatal(err)
		}
	}
	closes := func(p *inProcess, want bool) {
		t.Helper()
		if done, err := h.closeLeft(p); done != want || err != nil {
			t.Fatalf("closed %v, want %v: %v", done, want, err)
		}
	}
	ask()
	first := h.embedded
	if h.leave(cfg) != nil {
		t.Error("it is left though it is needed")
	}
	done := h.usingEmbedded(cfg)()
	if h.leave(&elsewhere) != first || h.leave(&elsewhere) != nil {
		t.Error("not one, and one only, closes it")
	}
	closes(first, false)
	ask() // it is needed again
	closes(first, true)
	if h.embedded != first || h.leave(&elsewhere) != first {
		t.Error("it was closed though it was needed again")
	}
	done()
	done()
	t.Setenv("LOCSYNC_API_KEY", "key")
	client, err := h.connect(&elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	closes(first, true)
	if h.embedded != nil {
		t.Error("it is open still")
	}
	if again, err := h.connect(&elsewhere); again != client || err != nil {
		t.Errorf("the client of the other service is made again when the embedded one is closed: %v", err)
	}
	stacks := make([]byte, 1<<20)
	for end := time.Now().Add(guard); ; time.Sleep(time.Millisecond) {
		left := string(stacks[:runtime.Stack(stacks, true)])
		if !strings.Contains(left, "service/local.") && !strings.Contains(left, "pipeListener") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("goroutines of it are left:\n%s", left)
		}
	}
	ask() // with the project that it had, and a client that does not call the one that is closed
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}
