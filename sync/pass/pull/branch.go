package pull

import (
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
)

// noteUnsent remembers that the branch has texts for a push, and finds whether to start one for them. It comes before
// anything is remembered of this pass.
func (r *pull) noteUnsent() error {
	if r.account.report.Unsent {
		err := ledger.UnsentAt.Put(r.branch.Ledger, r.branch.StateName(), r.branch.Project.Pull.Branch, r.to.tip.Hash())
		if err != nil {
			return err
		}
	}
	rung, err := r.branch.Memory().Rung()
	if err == nil && rung {
		rung, err = r.pushReads()
	}
	r.account.report.Unsent = rung
	return err
}

// pushReads reports whether a push made now would read the branch.
func (p *pull) pushReads() (bool, error) {
	push := p.branch.Project.Push
	if !push.Enabled || !push.Translations || push.Source != config.Worktree {
		return push.Enabled && push.Translations, nil
	}
	head, commit, err := p.branch.Repo.Head()
	if err != nil || p.branch.Base != "" && p.branch.Base != head {
		return false, err
	}
	return p.branch.Covered(head, commit)
}

// acceptService lets the service's texts of all open conflicts stand. Those that the export of a pull does not show,
// as their state is too low, are merged when it does.
func (r *pull) acceptService() error {
	if !r.o.AcceptService {
		return nil
	}
	all, err := r.branch.Memory().Conflicts()
	if err != nil {
		return err
	}
	return r.branch.Ledger.Update(func(tx ledger.Writer) error {
		for _, c := range all {
			if c.Open && c.Beside == "" && r.o.Has(c.Language) {
				if err := r.branch.Memory().Yields(tx, c, r.branch.Now()); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
