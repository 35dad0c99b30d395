package pass

import (
	"github.com/locsync/locsync/sync/ledger"
)

// rung reports whether a pull found texts on the branch that no push has looked at since.
func (p *Branch) Rung() (bool, error) {
	_, rung, err := ledger.UnsentAt.Get(p.Ledger, p.StateName(), p.Project.Pull.Branch)
	return rung, err
}
