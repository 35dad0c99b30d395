package engine

import (
	"context"
	"errors"

	"github.com/locsync/locsync/sync/branches"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/push"
	"github.com/locsync/locsync/sync/service"
)

// A pass for which a clone had to be made again (see package repository) is two runs, and one report: what the first
// run did before the clone broke is done, so the second finds nothing of it to do.

// runReport is a line's report of a run, which can be continued by the report of another run.
type runReport[R any] interface {
	Line() string
	Then(R) R
}

// kind is what pushes and pulls differ in: which branches have one, how it is made, and the report of none.
type kind[R any] struct {
	record string // in the ledger
	census func(context.Context, *pass.Branch) (branches.Census, error)
	make   func(context.Context, *pass.Branch, pass.Found) (R, error)
	none   func(*pass.Branch, branches.Census, error) (R, error)
}

// once makes a pass of each branch that has one. The failure of one does not keep the others from theirs.
func once[R any](ctx context.Context, p *project, dry bool, of kind[R]) ([]R, error) {
	branch, c := p.passing(dry), branches.Census{}
	repo, err := p.repository.Open(ctx)
	if err == nil {
		defer p.repository.Close(repo)
		c, err = of.census(ctx, branches.With(branch, branch.Project, repo))
	}
	if err == nil {
		err = c.Remember(branch, of.record)
	}
	if err != nil || len(c.Lines) == 0 {
		result, err := of.none(branch, c, err)
		return []R{result}, err
	}
	var reports []R
	var errs []error
	for i, line := range c.Lines {
		var found pass.Found
		if i == 0 {
			found = c.Found()
		}
		result, err := of.make(ctx, line, found)
		reports = append(reports, result)
		errs = append(errs, err)
	}
	if !dry && of.record == ledger.PassPull {
		p.repository.Maintain(ctx, repo)
	}
	if !dry {
		p.repository.Shrink(ctx)
	}
	return reports, errors.Join(errs...)
}

// retryAfterRepair makes a pass, and makes it again where what it failed for could be repaired.
func retryAfterRepair[R runReport[R]](ctx context.Context, p *project, dry bool, of kind[R]) ([]R, error) {
	first, err := once(ctx, p, dry, of)
	if !p.repository.Mended(ctx, err) {
		return first, err
	}
	second, err := once(ctx, p, dry, of)
	if dry { // nothing was done
		return second, err
	}
	return mergeReports(first, second), err
}

// pushAgain makes a push again while imports of it are lost on their way and the service may come back. What is still
// pending is then sent as it is by that time, after the service's present texts were read again.
func (p *project) pushAgain(
	ctx context.Context, o push.Options, reports []push.Report, err error,
) ([]push.Report, error) {
	for r := service.NewRecovery(p.branch.Service); r.Worth(ctx, err); {
		var second []push.Report
		second, err = p.push(ctx, o)
		reports = mergeReports(reports, second)
	}
	return reports, err
}

// mergeReports are the reports of two runs by line, in the second's order.
func mergeReports[R runReport[R]](first, second []R) []R {
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
