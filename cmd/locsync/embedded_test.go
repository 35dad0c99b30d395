//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

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

// A daemon that is turned to another service closes the embedded one when its last pass has ended, so that another
// process may open it; turned back it opens it again, with all that it had.
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
	options := local.Options{AccountID: "embedded", Keys: []string{"embedded"}}
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
