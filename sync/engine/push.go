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
	reports, err := retryAfterRepair(ctx, p, o.DryRun, kind[push.Report]{record: ledger.PassPush, census: branches.ForPush,
		make: func(ctx context.Context, b *pass.Branch, found pass.Found) (push.Report, error) {
			return push.Make(ctx, b, o, found)
		},
		none: func(b *pass.Branch, c branches.Census, err error) (push.Report, error) {
			return push.None(b, o, c.Skipped, c.Found(), err)
		}})
	p.branch.GitBusy.Is(p.branch.Now())
	if !errors.Is(err, gitops.ErrBusy) {
		p.branch.GitBusy.Ends()
	}
	return reports, err
}
