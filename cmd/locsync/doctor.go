package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/report"
)

// lookLimit bounds each look of the doctor. They all begin at once, so that it bounds the whole as well, whatever
// hangs.
const lookLimit = 12 * time.Second

func (a *app) doctorCommand() *cobra.Command {
	offline := false
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Look at everything that has to work, and say what to do about what does not",
		Long: "Looks at the program, the configuration, the state, the repositories and their remotes, the files, file " +
			"events, the service, the\n" +
			"daemon and the hooks, and says of each what was found and, where something is wrong, what to do. It changes " +
			"nothing, works\n" +
			"without a configuration, beside a daemon and without a network, and ends within half a minute. No secret is in " +
			"what it prints.\n\n" +
			"Ends with 0 where nothing is wrong but for warnings, 1 where a fault may pass, 2 where something has to be " +
			"changed, 3 where\n" +
			"nothing is in the way but some files would be left out.",
		Example: "  locsync doctor\n  locsync doctor --offline   # calls nobody\n  locsync doctor --json      # for a " +
			"report or a program",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.doctor(cmd.Context(), offline)
		},
	}
	c.Flags().BoolVar(&offline, "offline", false, "call nobody: neither the service nor remotes")
	return c
}

// notes are what one look has found so far. A look that takes too long is not waited for; what it finds later does not
// count.
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
	f := report.Finding{Check: check, Level: report.LevelFault, Found: err.Error(), Do: do, Code: exitLater}
	if head, tail, ok := cutLast(f.Found, "; "); ok && !strings.Contains(tail, ": ") {
		f.Found, f.Do = head, tail
	}
	permanent := []error{gitops.ErrGit, gitops.ErrOwner, gitops.ErrNotRepo, gitops.ErrUnsupported, gitops.ErrAuth,
		gitops.ErrUntrusted, gitops.ErrNoRemote, gitops.ErrNoBranch, gitops.ErrSign}
	if wrong(err) || slices.ContainsFunc(permanent, func(kind error) bool { return errors.Is(err, kind) }) {
		f.Code = exitWrong
	}
	return f
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// look is one thing to look at, by itself.
type look struct {
	area, project, what string
	at                  func(ctx context.Context, n *notes)
}

// examine makes all looks at once and gives what they found in their order. One that does not end in time is a fault of
// its own; nobody waits for it any more, and hung says so.
func examine(ctx context.Context, limit time.Duration, looks []look) (found []report.Finding, hung bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	notebooks := make([]*notes, len(looks))
	ended := make([]chan struct{}, len(looks))
	for i, l := range looks {
		notebooks[i], ended[i] = &notes{area: l.area, project: l.project}, make(chan struct{})
		go func() {
			defer close(ended[i])
			l.at(ctx, notebooks[i])
		}()
	}
	// Who is told that the time is up gets a moment to say so himself.
	last := time.NewTimer(limit + limit/4)
	defer last.Stop()
	for i, l := range looks {
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
			notebooks[i].fault(l.what, exitLater, "look what it waits for: a network drive that is gone, a program that asks "+
				"for something", "no answer within %v", limit)
		}
		found = append(found, notebooks[i].close()...)
	}
	return found, hung
}

// fact is found out once, by a goroutine of its own, for all looks that need it.
type fact[T any] struct {
	done  chan struct{}
	value T
	err   error
}

func newFact[T any](find func() (T, error)) *fact[T] {
	f := &fact[T]{done: make(chan struct{})}
	go func() {
		defer close(f.done)
		f.value, f.err = find()
	}()
	return f
}

// get waits for it, no longer than the look that needs it lasts.
func (f *fact[T]) get(ctx context.Context) (T, error) {
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("it takes too long: %w", context.Cause(ctx))
	}
}

// errUnwell ends a doctor whose findings are printed and that found a fault which may pass.
var errUnwell = errors.New("something does not work now")

func (a *app) doctor(ctx context.Context, offline bool) error {
	p := a.progress()
	defer p.End()
	p.Show(report.Doing{What: "looking at everything that has to work"})
	d := a.newDoctor(ctx, offline, lookLimit)
	found, hung := examine(ctx, lookLimit, d.looks())
	p.End()
	if !hung {
		d.close()
	}
	if ctx.Err() != nil {
		return ctx.Err() // what was given up for it is no finding
	}
	b := version()
	result := report.Diagnosis{Version: b.Version, At: d.now().UTC().Truncate(time.Second), Code: outcome(found),
		Findings: found}
	result.OK = result.Code == exitDone
	var err error
	if a.asJSON {
		err = a.print(result)
	} else {
		a.screen().Diagnosis(result)
	}
	switch result.Code {
	case exitWrong:
		return errors.Join(err, errMisconfigured)
	case exitLater:
		return errors.Join(err, errUnwell)
	case exitPartial:
		return errors.Join(err, errPartial)
	}
	return err
}

// outcome is the exit code: what has to be changed comes before what may pass, and that before what is only left out.
func outcome(found []report.Finding) int {
	for _, code := range []int{exitWrong, exitLater, exitPartial} {
		if slices.ContainsFunc(found, func(f report.Finding) bool { return f.Level == report.LevelFault && f.Code == code }) {
			return code
		}
	}
	return exitDone
}
