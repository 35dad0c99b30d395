//go:build unix

package main

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

// hang makes the next pass hang for good: git keeps the folders that objects are borrowed from in a file, and opening
// a pipe without a writer in its place waits without a timeout.
func (w *daemonWorld) hang() {
	w.t.Helper()
	gittest.Pipe(w.t, filepath.Join(w.repo, ".git", "objects", "info", "alternates"))
}

// hear is what systemd is told in a time.
func (w *daemonWorld) hear(within time.Duration) (said []string) {
	for end := time.After(within); ; {
		select {
		case got := <-w.notify:
			said = append(said, got)
		case <-end:
			return said
		}
	}
}

// The watchdog gets its sign of life all the while that a pass waits for the service, for longer than any step may
// take; not any more when a pass hangs. Then the daemon says which part it is, wherever it is asked; and when systemd
// ends it, it shows where it hung, and ends so that it is started again.
func TestWatchdog(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newRestingWorld(t)
	const step = 3 * time.Second
	w.env = append(w.env, "WATCHDOG_USEC=900000", testHangsAfter+"="+step.String())
	cmd := w.start()
	w.told("WATCHDOG=1")
	w.until("the first push", func() bool { return strings.Contains(w.logs.String(), "pushed") })

	held := w.holdOn("/export")
	w.post("/trigger?action=pull", "")
	<-held.reached
	w.told("STATUS=app: asking for the translations of ")
	for _, said := range w.hear(step + step/2) {
		if said != "WATCHDOG=1" {
			t.Errorf("systemd is told of a daemon that waits: %q", said)
		}
	}
	for range 3 { // how often they come is for TestPingsWhileAllMoves; that they still do tells that waiting is no hanging
		w.told("WATCHDOG=1")
	}
	if strings.Contains(w.logs.String(), "hangs") {
		t.Error("waiting is taken for hanging")
	}
	if code, said := w.get("/healthz"); code != http.StatusOK {
		t.Errorf("healthz of a daemon that waits: %d %s", code, said)
	}
	held.release()
	w.until("the pull", func() bool { return strings.Contains(w.logs.String(), "pulled") })
	if got := w.told("STATUS=app: everything is pushed"); !strings.Contains(got, "last pulled") {
		t.Errorf("the status of a daemon with nothing to do: %q", got)
	}

	w.hang()
	w.post("/trigger", "")
	w.told(`STATUS=project "app" hangs; `)
	if said := w.hear(time.Second); len(said) > 0 {
		t.Errorf("systemd is told more of a daemon that hangs: %q", said)
	}
	if code, said := w.get("/healthz"); code != http.StatusServiceUnavailable ||
		!strings.HasPrefix(said, `project "app" has not moved for `) {
		t.Errorf("healthz of a daemon that hangs: %d %s", code, said)
	}
	if log := w.logs.String(); strings.Count(log, "the daemon hangs; the watchdog is not told any more") != 1 {
		t.Errorf("the log:\n%s", log)
	}
	w.check(cmd.Process.Signal(syscall.SIGABRT)) // what systemd does then
	_ = cmd.Wait()                               // it says how it was killed
	if !killedBy(cmd, syscall.SIGABRT) {
		t.Errorf("it ended with %v: systemd would not start it again after an exit code of 2", cmd.ProcessState)
	}
	if log := w.logs.String(); !strings.Contains(log, "gitops/object.(*Store).exchange(") {
		t.Errorf("it does not say where it hung:\n%s", log[max(0, len(log)-4000):])
	}
}

// A process that systemd does not watch, because it watches another one, tells of itself all the same but for its signs
// of life.
func TestWatchdogOfAnother(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	w.env = append(w.env, "WATCHDOG_USEC=30000", "WATCHDOG_PID=1")
	cmd := w.start()
	w.until("the first push", func() bool { return strings.Contains(w.logs.String(), "pushed") })
	w.told("STATUS=app: everything is pushed")
	w.check(cmd.Process.Signal(syscall.SIGTERM))
	w.ends(cmd, 10*time.Second)
	for _, said := range w.hear(10 * time.Millisecond) {
		if said == "WATCHDOG=1" {
			t.Error("it tells somebody else's watchdog that it moves")
		}
	}
}

// A daemon of which a pass hangs ends within ten seconds of the first signal all the same, and well; at once with the
// second one.
func TestEndsThoughAPassHangs(t *testing.T) {
	t.Parallel()
	for name, signals := range map[string]int{"one signal": 1, "two signals": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRestingWorld(t)
			w.env = append(w.env, testHangsAfter+"=50ms")
			cmd := w.start()
			w.until("the first push", func() bool { return strings.Contains(w.logs.String(), "pushed") })
			w.hang()
			w.post("/trigger", "")
			long := regexp.MustCompile(`project "app" has not moved for ([2-9]|\d\d)`)
			w.until("it hangs", func() bool { _, said := w.get("/healthz"); return long.MatchString(said) })
			w.check(cmd.Process.Signal(syscall.SIGTERM))
			w.told("STOPPING=1")
			if signals == 1 {
				w.ends(cmd, 10*time.Second)
				if log := w.logs.String(); !strings.Contains(log, "work did not end in time") {
					t.Errorf("the log:\n%s", log)
				}
				return
			}
			ended := make(chan struct{})
			go func() { // a signal that comes together with the one before it is the same one
				for {
					select {
					case <-ended:
						return
					case <-time.After(50 * time.Millisecond):
						_ = cmd.Process.Signal(syscall.SIGTERM)
					}
				}
			}()
			_ = cmd.Wait() // it says how it was killed
			close(ended)
			if !killedBy(cmd, syscall.SIGTERM) {
				t.Errorf("it ended with %v, which is in order, and not at once", cmd.ProcessState)
			}
		})
	}
}

// killedBy reports whether a process was ended by a signal, and not by itself.
func killedBy(cmd *exec.Cmd, signal syscall.Signal) bool {
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == signal
}
