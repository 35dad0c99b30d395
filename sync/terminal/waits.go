package terminal

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/service"
)

const (
	waitDelay  = 5 * time.Second  // a shorter wait is not worth a line
	waitRepeat = 30 * time.Second // between two lines of one wait whose cause stays
)

// Waits says on standard error what a command waits for: the service, its request budget, the remote.
type Waits struct {
	say func(string)

	mu     sync.Mutex
	active map[any]*activeWait
	said   string    // the cause in the last line
	last   time.Time // of the last line
}

type activeWait struct {
	service.Wait
	since, changed time.Time
}

// NewWaits tells of waits by saying a line.
func NewWaits(say func(line string)) *Waits {
	return &Waits{active: make(map[any]*activeWait), say: say}
}

// Git logs a git command when it has ended. Until then a remote that it talks to is waited for.
func (w *Waits) Git(log *zap.Logger, c gitops.Command) (ended func(time.Duration, error)) {
	command := "git " + strings.Join(c.Args, " ")
	if c.Remote {
		w.Note(&c, &service.Wait{For: "the remote (" + command + ")"})
	}
	return func(took time.Duration, err error) {
		if c.Remote {
			w.Note(&c, nil)
		}
		log.Debug(command, zap.String("in", c.Dir), zap.Duration("took", took), zap.Error(err))
	}
}

// Note is told of a wait that begins, changes or ends (nil).
func (w *Waits) Note(id any, now *service.Wait) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now == nil {
		delete(w.active, id)
		return
	}
	at := time.Now()
	was := w.active[id]
	if was == nil {
		was = &activeWait{since: at}
		w.active[id] = was
	}
	if was.Cause != now.Cause {
		was.changed = at
	}
	was.Wait = *now
}

// Run tells of waits until done is closed.
func (w *Waits) Run(done <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case now := <-tick.C:
			if line := w.line(now); line != "" {
				w.say(line)
			}
		}
	}
}

// line is what is to be said now: of the wait that has lasted longest, with the cause that was heard last; else "".
func (w *Waits) line(now time.Time) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var oldest, latest *activeWait
	for _, a := range w.active {
		if oldest == nil || a.since.Before(oldest.since) {
			oldest = a
		}
		if a.Cause != "" && (latest == nil || a.changed.After(latest.changed)) {
			latest = a
		}
	}
	if oldest == nil || now.Sub(oldest.since) < waitDelay {
		return ""
	}
	latest = cmp.Or(latest, oldest)
	if latest.Cause == w.said && now.Sub(w.last) < waitRepeat {
		return ""
	}
	w.said, w.last = latest.Cause, now
	line := fmt.Sprintf("waiting for %s, for %v now", oldest.For, now.Sub(oldest.since).Round(time.Second))
	if latest.Cause != "" {
		line += ": " + latest.Cause
	}
	if next := latest.Next; next.After(now) {
		line += "; next attempt at " + next.Local().Format(time.TimeOnly)
	}
	return line
}
