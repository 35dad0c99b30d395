package engine

import (
	"context"
	"errors"

	"github.com/locsync/locsync/sync/branches"
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
	return twice(ctx, p.repository, o.DryRun, func() ([]pull.Report, error) { return p.pullOnce(ctx, o) })
}

func (p *project) pullOnce(ctx context.Context, o pull.Options) ([]pull.Report, error) {
	branch, c := p.passing(o.DryRun), branches.Census{}
	repo, err := p.repository.Open(ctx)
	if err == nil {
		defer p.repository.Close(repo)
		c, err = branches.ForPull(ctx, branches.With(branch, branch.Project, repo))
	}
	if err == nil {
		err = c.Remember(branch, ledger.PassPull)
	}
	if err != nil || len(c.Lines) == 0 {
		result, err := pull.None(branch, o, c.Found(), err)
		return []pull.Report{result}, err
	}
	var reports []pull.Report
	var errs []error
	for i, line := range c.Lines {
		var found pass.Found
		if i == 0 {
			found = c.Found()
		}
		result, err := pull.Make(ctx, line, o, found)
		reports = append(reports, result)
		errs = append(errs, err)
	}
	if !o.DryRun {
		p.repository.Maintain(ctx, repo)
	}
	return reports, errors.Join(errs...)
}
