package remote

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/run"
)

// Wait is the next attempt to reach a remote that fails in a way that may pass.
type Wait struct {
	Remote string // its address, without a password
	Cause  string
	Next   time.Time
}

// patience is for how long a context's calls go on, and since when all of them failed.
type patience struct {
	most time.Duration
	told func(*Wait) // nil: the wait is over

	mu   sync.Mutex
	away map[string]outage // of remotes that the last attempt did not reach, by their addresses
}

// outage is since when a remote is away, and whether it was silent.
type outage struct {
	began  time.Time
	silent bool
}

type patienceKey struct{}

// Patient makes a context whose calls go on for so long where a remote fails in a way that may pass, for callers that
// wait for nothing else. A remote that is away, or says nothing, is waited for once, not by each call. told hears of
// each wait.
func Patient(ctx context.Context, most time.Duration, told func(*Wait)) context.Context {
	return context.WithValue(ctx, patienceKey{}, &patience{most: most, told: told, away: make(map[string]outage)})
}

// The pauses between attempts, and the part of patience for which a remote may be silent that used it up before.
const (
	firstPause = 500 * time.Millisecond
	mostPause  = 8 * time.Second
	lastPart   = 36
)

// patiently makes an attempt again while it fails in a way that may pass, as long as the context allows.
func (m *Remote) patiently(ctx context.Context, attempt func() error) error {
	p, patient := ctx.Value(patienceKey{}).(*patience)
	if !patient || p.most <= 0 {
		return attempt()
	}
	began, pause, waits := time.Time{}, firstPause, false
	for {
		restore := func() {}
		if before := p.of(m.Address); before.silent {
			restore = run.Shorten(ctx, max(p.most/lastPart, time.Until(before.began.Add(p.most))))
		}
		err := attempt()
		restore()
		passes := mayPass(err) && ctx.Err() == nil
		p.note(m.Address, err)
		if since := p.since(); began.IsZero() || since.Before(began) {
			began = since // an earlier call may have waited already
		}
		left := time.Until(began.Add(p.most))
		if !passes || left <= 0 {
			if waits {
				p.told(nil)
			}
			return err
		}
		waits = true
		p.told(&Wait{Remote: run.Redact(m.Address), Cause: cause(err), Next: time.Now().Add(min(pause, left))})
		run.Moved(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(min(pause, left)):
		}
		pause = min(2*pause, mostPause)
	}
}

// note takes note of whether an attempt reached its remote. One that was silent did not while it was.
func (p *patience) note(remote string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	silent, is := errors.AsType[*run.Silent](err)
	if !is && !mayPass(err) {
		delete(p.away, remote)
		return
	}
	before, known := p.away[remote]
	if !known {
		before.began = time.Now()
		if is {
			before.began = before.began.Add(-silent.For)
		}
	}
	before.silent = is
	p.away[remote] = before
}

// of is what is known of a remote's outage.
func (p *patience) of(remote string) outage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.away[remote]
}

// since says since when a remote is away, the first of several; zero where none is.
func (p *patience) since() (first time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, of := range p.away {
		if first.IsZero() || of.began.Before(first) {
			first = of.began
		}
	}
	return first
}

// mayPass says whether the remote may be reached again soon.
func mayPass(err error) bool { return errors.Is(err, outcome.ErrUnavailable) }

// lostWords are what git, curl and ssh say where a remote was not reached, or the connection was cut.
var lostWords = []string{"Could not resolve host", "Connection refused", "Network is unreachable", "No route to host",
	"Connection timed out", "Operation timed out", "Couldn't connect", "Failed to connect", "Could not connect to server",
	"Connection reset", "Connection closed by", "Empty reply from server", "RPC failed; curl", "unexpected disconnect",
	"early EOF"}

// lostLine is the line that says why a remote was not reached, without what git was doing.
func lostLine(words string) string {
	for line := range strings.Lines(words) {
		line = strings.TrimSpace(line)
		if slices.ContainsFunc(lostWords, func(w string) bool { return strings.Contains(line, w) }) {
			return gitDoing.ReplaceAllString(line, "")
		}
	}
	return strings.TrimSpace(words)
}

var gitDoing = regexp.MustCompile(`^(fatal: |error: |ssh: )*(unable to access '[^']*': )?`)

// cause is what went wrong, in one line of the git program.
func cause(err error) string {
	failed, ok := errors.AsType[*run.Error](err)
	if !ok {
		return err.Error()
	}
	said := failed.Stderr
	for line := range strings.Lines(failed.Stderr) {
		if line = strings.TrimSpace(line); line != "" {
			said = line
		}
		if strings.HasPrefix(line, "fatal: ") || strings.HasPrefix(line, "error: ") {
			break
		}
	}
	return strings.TrimPrefix(strings.TrimPrefix(said, "fatal: "), "error: ")
}
