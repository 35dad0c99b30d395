package engine

import (
	"context"
	"errors"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/branches"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/push"
)

// push makes one pass for each line that pushes are for: what changed in the source files, then renamed keys'
// translations, then what people changed in the target files. The failure of one line does not keep the others from
// being pushed.
func (p *project) push(ctx context.Context, o push.Options) ([]push.Report, error) {
	ctx, done, err := p.lock(ctx, "push")
	if err != nil {
		return []push.Report{push.Failed(p.branch, o, err)}, err
	}
	defer done()
	if !p.branch.Project.Push.Enabled {
		return []push.Report{push.Failed(p.branch, o, nil)}, nil
	}
	defer p.finished()
	reports, err := twice(ctx, p.repository, o.DryRun, func() ([]push.Report, error) { return p.pushOnce(ctx, o) })
	p.branch.GitBusy.Is(p.branch.Now())
	if !errors.Is(err, gitops.ErrBusy) {
		p.branch.GitBusy.Ends()
	}
	return reports, err
}

func (p *project) pushOnce(ctx context.Context, o push.Options) ([]push.Report, error) {
	branch, c := p.passing(o.DryRun), branches.Census{}
	repo, err := p.repository.Open(ctx)
	if err == nil {
		defer p.repository.Close(repo)
		c, err = branches.ForPush(ctx, branches.With(branch, branch.Project, repo))
	}
	if err == nil {
		err = c.Remember(branch, ledger.PassPush)
	}
	if err != nil || len(c.Lines) == 0 {
		result, err := push.None(branch, o, c.Skipped, c.Found(), err)
		return []push.Report{result}, err
	}
	var reports []push.Report
	var errs []error
	for i, line := range c.Lines {
		var found pass.Found
		if i == 0 {
			found = c.Found()
		}
		result, err := push.Make(ctx, line, o, found)
		reports = append(reports, result)
		errs = append(errs, err)
	}
	return reports, errors.Join(errs...)
}
