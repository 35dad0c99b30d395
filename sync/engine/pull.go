package engine

import (
	"context"
	"errors"

	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pull"
)

// pull makes one pass for each line that translations are wanted for: the branch as it is now, the service's
// translations and where asked for its source texts, merged key by key, as one delivery. The failure of one line does
// not keep the others from being pulled.
func (p *project) pull(ctx context.Context, o pull.Options) ([]pull.Report, error) {
	ctx, done, err := p.lock(ctx, "pull")
	if err != nil {
		return []pull.Report{pull.Failed(p.branch, o, err)}, err
	}
	defer done()
	if !p.branch.Project.Pull.Enabled {
		return []pull.Report{pull.Failed(p.branch, o, nil)}, nil
	}
	defer p.finished()
	if !o.DryRun {
		p.began(p.branch.Now())
	}
	return twice(ctx, p, o.DryRun, func() ([]pull.Report, error) { return p.pullOnce(ctx, o) })
}

func (p *project) pullOnce(ctx context.Context, o pull.Options) ([]pull.Report, error) {
	var c census
	opened, err := p.open(ctx)
	if err == nil {
		defer opened.close()
		c, err = opened.pullLines(ctx, o.DryRun)
	}
	if err == nil && !o.DryRun {
		err = p.registry().keepWaiting(ledger.PassPull, c.waiting)
	}
	if err != nil || len(c.lines) == 0 {
		result, err := pull.None(p.branch, o, c.found(), err)
		return []pull.Report{result}, err
	}
	var reports []pull.Report
	var errs []error
	for i, line := range c.lines {
		var found pass.Found
		if i == 0 {
			found = c.found()
		}
		result, err := pull.Make(ctx, line.branch, o, found)
		reports = append(reports, result)
		errs = append(errs, err)
	}
	if !o.DryRun {
		opened.maintain(ctx)
	}
	return reports, errors.Join(errs...)
}
