package terminal

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/service"
)

// linesOf is what people read while waits go on, one line each.
func linesOf(t *testing.T, waiting func(*Waits)) []string {
	t.Helper()
	var lines []string
	done := make(chan struct{})
	w := NewWaits(func(line string) { lines = append(lines, line) })
	go w.Run(done)
	waiting(w)
	close(done)
	synctest.Wait()
	return lines
}

func expectLines(t *testing.T, lines []string, want ...string) {
	t.Helper()
	if len(lines) != len(want) {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	for i, w := range want {
		if !strings.Contains(lines[i], w) {
			t.Errorf("line %d is %q, not %q", i, lines[i], w)
		}
	}
}

// Short waits are silent, however many follow one another.
func TestShortWaitsAreSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		expectLines(t, linesOf(t, func(w *Waits) {
			for range 20 {
				w.Note(1, &service.Wait{For: "the answer"})
				time.Sleep(4 * time.Second)
				w.Note(1, nil)
			}
		}))
	})
}

// A long wait is told of within the sixth second, then when its cause changes, else every half minute.
func TestLongWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		expectLines(t, linesOf(t, func(w *Waits) {
			w.Note("job", &service.Wait{For: "2 jobs"})
			time.Sleep(6500 * time.Millisecond)
			w.Note("call", &service.Wait{For: "the answer", Cause: "503 Service Unavailable",
				Next: time.Now().Add(time.Minute)})
			time.Sleep(35 * time.Second)
			w.Note("call", nil)
			w.Note("job", nil)
			time.Sleep(time.Minute)
		}),
			"waiting for 2 jobs, for 5s now",
			"waiting for 2 jobs, for 7s now: 503 Service Unavailable; next attempt at ",
			"waiting for 2 jobs, for 37s now: 503 Service Unavailable; next attempt at ")
	})
}

// A remote is waited for as the service is; every git command is logged at the level debug, when it has ended.
func TestGitIsTraced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logged := observer.New(zap.DebugLevel)
		log := zap.New(core)
		expectLines(t, linesOf(t, func(w *Waits) {
			w.Git(log, gitops.Command{Args: []string{"version"}})(time.Millisecond, nil)
			ended := w.Git(log, gitops.Command{Args: []string{"fetch", "origin"}, Remote: true})
			time.Sleep(8 * time.Second)
			ended(8*time.Second, nil)
			time.Sleep(time.Minute)
		}), "waiting for the remote (git fetch origin), for 5s now")
		if n := logged.FilterMessage("git fetch origin").Len() + logged.FilterMessage("git version").Len(); n != 2 ||
			logged.Len() != 2 {
			t.Errorf("%d commands are in the log: %v", logged.Len(), logged.All())
		}
	})
}
