package pull

import (
	"slices"

	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
)

// conflict reports one whose text of the repository a pull leaves behind.
func (r *pulling) conflict(c pass.Conflict, met bool) {
	if p := r.branch.ProblemOf(c, met); !slices.Contains(r.report.Problems, p) {
		r.elsewhere[p] = true
		r.problem(p)
		if !c.Open {
			r.branch.GivesWay(p, r.o.DryRun)
		}
	}
}

// acceptService lets the service's texts of all open conflicts stand. Those that the export of a pull does not show, as their state is too low, are merged when
// it does.
func (r *pulling) acceptService() error {
	if !r.o.AcceptService || r.o.DryRun {
		return nil
	}
	all, err := r.branch.Conflicts()
	if err != nil {
		return err
	}
	return r.branch.Ledger.Update(func(tx ledger.Writer) error {
		for _, c := range all {
			if c.Open && c.Beside == "" {
				if err := r.branch.Yields(tx, c); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
