package web

import (
	"context"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/locsync/locsync/sync/bound/serve"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/report"
)

// reuse bounds what readers of the status cost: one is served again until this many times its duration has passed.
const reuse = 20

// statuses makes the status that all readers are answered with.
//
// The last one is served again for a while: a new one reads every file, so in a large repository a page that is open in
// many browsers must not mean many of them; in a small one it is as good as new.
type statuses struct {
	engine *engine.Engine
	ends   <-chan struct{}

	mu    sync.Mutex // held while one is made, so that readers at one time share it
	last  report.Status
	until time.Time
	ended int64    // passes before it: another one makes it stale
	busy  []string // projects that passes ran in, which it tells
}

// now is the status as it is, or was a moment ago. One that was begun is finished for the next reader where this one
// leaves: else impatient readers would begin it again and again.
func (s *statuses) now(ctx context.Context) report.Status {
	if engine.Many(s.engine) {
		return engine.Overview(s.engine)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	begin, ended := time.Now(), s.engine.Ended()
	if begin.After(s.until) || ended != s.ended || slices.ContainsFunc(s.busy, s.idle) {
		looking, cut := context.WithCancel(context.WithoutCancel(ctx))
		defer cut()
		defer context.AfterFunc(ctx, func() { s.outlast(looking, cut) })()
		busy := engine.Busy(s.engine)
		status := s.engine.Status(looking)
		if looking.Err() != nil {
			return status // cut short; the next reader makes its own
		}
		var took time.Duration // as work: what does not answer is waited for, and should be asked again soon
		for _, p := range status.Projects {
			took += p.Took
		}
		s.last, s.until, s.ended, s.busy = status, time.Now().Add(reuse*took), ended, busy
	}
	return s.last
}

// outlast cuts a status that no reader waits for when the handler ends, or when it takes longer than an answer may.
func (s *statuses) outlast(looking context.Context, cut context.CancelFunc) {
	wait := time.NewTimer(serve.AnswerTime)
	defer wait.Stop()
	select {
	case <-looking.Done():
	case <-s.ends:
		cut()
	case <-wait.C:
		cut()
	}
}

func (s *statuses) idle(project string) bool { return s.engine.Doing(project).What == "" }

// serve answers with the status, or the part of it that was asked for, as JSON.
func (s *statuses) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	now, err := chosen(s.now(r.Context()), r.URL.Query())
	if err != nil {
		plain(w, http.StatusBadRequest, err.Error())
		return
	}
	now.Daemon = itself()
	doc, err := report.Indented(now, report.Failure{})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(doc) // the reader is gone when this fails
}

// began is when this process did.
var began = time.Now().UTC().Truncate(time.Second)

// itself is the daemon that this process is.
func itself() report.Daemon { return report.Daemon{Running: true, PID: os.Getpid(), Since: began} }
