package push

import (
	"context"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
)

// export asks the service for one group's translations; see exportAll.
func (p *pushing) export(ctx context.Context, g *bundle.Group, languages []config.Language, completion string, age pass.ExportAge) (*pass.Exported, error) {
	all, err := p.branch.ExportAll(ctx, []pass.ExportAsk{{Group: g, Languages: languages, Completion: completion}}, age)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// forgetExports forgets the exports that wait to be taken up: imports are about to make their answers old, and one of them would take back a
// translation that was just sent.
func (p *pushing) forgetExports() error {
	jobs, err := ledger.Jobs.List(p.branch.Ledger, p.branch.StateName())
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if j.Kind == pass.JobExport {
			if err := p.branch.Forget(&j); err != nil {
				return err
			}
		}
	}
	return nil
}
