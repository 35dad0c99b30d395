package engine

import (
	"context"

	"github.com/locsync/locsync/sync/push"
	"github.com/locsync/locsync/sync/repository"
)

// A pass for which a clone had to be made again (see package repository) is two runs, and one report: what the first
// run did before the clone broke is done, so the second finds nothing of it to do.

// runReport is a line's report of a run, which can be continued by the report of another run.
type runReport[R any] interface {
	Line() string
	Then(R) R
}

// twice makes a pass, and makes it again where what it failed for could be repaired.
func twice[R runReport[R]](
	ctx context.Context, of *repository.Repository, dry bool, run func() ([]R, error),
) ([]R, error) {
	first, err := run()
	if !of.Mended(ctx, err) {
		return first, err
	}
	second, err := run()
	if dry { // nothing was done
		return second, err
	}
	return continued(first, second), err
}

// pushAgain makes a push again while imports of it are lost on their way and the service may come back. What is still
// pending is then sent as it is by that time, after the service's present texts were read again.
func (p *project) pushAgain(
	ctx context.Context, o push.Options, reports []push.Report, err error,
) ([]push.Report, error) {
	for r := p.branch.Service.Recovery(); r.Worth(ctx, err); {
		var second []push.Report
		second, err = p.push(ctx, o)
		reports = continued(reports, second)
	}
	return reports, err
}

// continued are the reports of two runs by line, in the second's order.
func continued[R runReport[R]](first, second []R) []R {
	at := make(map[string]int, len(second))
	for i, r := range second {
		at[r.Line()] = i
	}
	for _, r := range first {
		i, both := at[r.Line()]
		switch {
		case both:
			second[i] = r.Then(second[i])
		case r.Line() == "": // it did not come as far as to the lines
			second[0] = r.Then(second[0])
		default: // its branch is gone since
			second = append(second, r)
		}
	}
	return second
}
