package engine

import (
	"context"

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
	return retryAfterRepair(ctx, p, o.DryRun, kind[pull.Report]{record: ledger.PassPull, census: branches.ForPull,
		make: func(ctx context.Context, b *pass.Branch, found pass.Found) (pull.Report, error) {
			return pull.Make(ctx, b, o, found)
		},
		none: func(b *pass.Branch, c branches.Census, err error) (pull.Report, error) {
			return pull.None(b, o, c.Found(), err)
		}})
}
