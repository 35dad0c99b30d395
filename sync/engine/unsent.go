package engine

import (
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
)

// ringing writes down that the branch has texts for a push, and works out whether to start a push for them. It comes before anything is remembered of this pass.
func (r *pulling) ringing() error {
	if r.o.DryRun {
		return nil
	}
	if r.report.unsent {
		if err := ledger.UnsentAt.Put(r.State, r.stateName(), r.cfg.Pull.Branch, r.tip.Hash()); err != nil {
			return err
		}
	}
	rung, err := r.rung()
	if err == nil && rung {
		rung, err = r.pushLooks()
	}
	r.report.unsent = rung
	return err
}

// rung reports whether a pull found texts on the branch that no push has looked at since.
func (p *branch) rung() (bool, error) {
	_, rung, err := ledger.UnsentAt.Get(p.State, p.stateName(), p.cfg.Pull.Branch)
	return rung, err
}

// pushLooks reports whether a push made now would look at the branch.
func (p *pulling) pushLooks() (bool, error) {
	if !p.cfg.Push.Enabled || !p.cfg.Push.Translations || p.cfg.Push.Source != config.Worktree {
		return p.cfg.Push.Enabled && p.cfg.Push.Translations, nil
	}
	head, commit, err := p.repo.Head()
	if err != nil || p.line != "" && p.line != head {
		return false, err
	}
	return p.covered(head, commit)
}
