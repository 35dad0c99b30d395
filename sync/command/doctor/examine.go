package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/process"
)

// usualLimit bounds each probe. They all begin at once, so that it bounds the whole as well, whatever
// hangs.
const usualLimit = 12 * time.Second

// notes are what one probe has found so far. A probe that takes too long is not waited for; what it finds later does
// not count.
type notes struct {
	area, project string

	mu     sync.Mutex
	found  []report.Finding
	closed bool
}

func (n *notes) add(f report.Finding) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.closed {
		f.Area, f.Project = n.area, n.project
		n.found = append(n.found, f)
	}
}

// close returns what was found.
func (n *notes) close() []report.Finding {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	return n.found
}

func (n *notes) ok(check, format string, args ...any) {
	n.add(report.Finding{Check: check, Level: report.LevelOK, Found: fmt.Sprintf(format, args...)})
}

func (n *notes) skip(check, why string) {
	n.add(report.Finding{Check: check, Level: report.LevelSkipped, Found: why})
}

func (n *notes) warn(check, do, format string, args ...any) {
	n.add(report.Finding{Check: check, Level: report.LevelWarning, Found: fmt.Sprintf(format, args...), Do: do})
}

func (n *notes) fault(check string, code int, do, format string, args ...any) {
	n.add(report.Finding{Check: check, Level: report.LevelFault, Found: fmt.Sprintf(format, args...), Do: do, Code: code})
}

// failed is a fault that an error tells of. Errors end with what to do; where one does not, do says it.
func (n *notes) failed(check string, err error, do string) {
	n.add(faultOf(check, err, do))
}

func faultOf(check string, err error, do string) report.Finding {
	f := report.Finding{Check: check, Level: report.LevelFault, Found: failure.Text(err), Do: do,
		Code: report.ExitLater}
	if head, tail, ok := cutLast(f.Found, "; "); ok && !strings.Contains(tail, ": ") {
		f.Found, f.Do = head, tail
	}
	permanent := []error{gitops.ErrGit, gitops.ErrOwner, gitops.ErrNotRepo, gitops.ErrUnsupported, gitops.ErrAuth,
		gitops.ErrUntrusted, gitops.ErrNoRemote, gitops.ErrNoBranch, gitops.ErrSign}
	if process.Lasting(err) || slices.ContainsFunc(permanent, func(kind error) bool { return errors.Is(err, kind) }) {
		f.Code = report.ExitWrong
	}
	return f
}

// wrongUse marks an error that stays until something is changed.
func wrongUse(err error) error { return &failure.UsageError{Err: err} }

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// probe is one thing to find out, by itself.
type probe struct {
	area, project, what string
	at                  func(ctx context.Context, n *notes)
}

// examine makes all probes at once and gives what they found in their order. One that does not end in time is a fault
// of its own; it is not waited for any more, and hung says so.
func examine(ctx context.Context, limit time.Duration, probes []probe) (found []report.Finding, hung bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	notebooks := make([]*notes, len(probes))
	ended := make([]chan struct{}, len(probes))
	for i, l := range probes {
		notebooks[i], ended[i] = &notes{area: l.area, project: l.project}, make(chan struct{})
		go func() {
			defer close(ended[i])
			var err error
			defer func() {
				if err != nil {
					notebooks[i].fault(l.what, report.ExitLater, fault.Remedy, "%v", err)
				}
			}()
			defer fault.Catch(l.what, &err)
			l.at(ctx, notebooks[i])
		}()
	}
	// Who is told that the time is up gets a moment to say so himself.
	last := time.NewTimer(limit + limit/4)
	defer last.Stop()
	for i, l := range probes {
		select {
		case <-ended[i]:
			found = append(found, notebooks[i].close()...)
			continue
		default:
		}
		select {
		case <-ended[i]:
		case <-last.C:
			last.Reset(0) // for the others
			hung = true
			notebooks[i].fault(l.what, report.ExitLater, "look what it waits for: a network drive that is gone, a "+
				"program that asks "+
				"for something", "no answer within %v", limit)
		}
		found = append(found, notebooks[i].close()...)
	}
	return found, hung
}

// fact is found out once, by a goroutine of its own, for all probes that need it.
type fact[T any] struct {
	done  chan struct{}
	value T
	err   error
}

func newFact[T any](find func() (T, error)) *fact[T] {
	f := &fact[T]{done: make(chan struct{})}
	go func() {
		defer close(f.done)
		defer fault.Catch("what several checks need", &f.err)
		f.value, f.err = find()
	}()
	return f
}

// get waits for it, no longer than the probe that needs it lasts.
func (f *fact[T]) get(ctx context.Context) (T, error) {
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("it takes too long: %w", context.Cause(ctx))
	}
}

// outcome is the exit code: what has to be changed comes before what may pass, and that before what is only left out.
func outcome(found []report.Finding) int {
	for _, code := range []int{report.ExitWrong, report.ExitLater, report.ExitPartial} {
		if slices.ContainsFunc(found, func(f report.Finding) bool { return f.Level == report.LevelFault && f.Code == code }) {
			return code
		}
	}
	return report.ExitDone
}
