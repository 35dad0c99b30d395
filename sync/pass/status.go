package pass

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/locsync/locsync/sync/ledger"
)

// stateName is the project's name in the state: that of one project of one service, and of one line.
func (p *Branch) StateName() string {
	if p.Base != "" {
		return ledger.BranchScope(p.ProjectName(), p.Base)
	}
	return p.ProjectName()
}

func (p *Branch) ProjectName() string {
	s := p.Config.Service
	sum := sha256.Sum256([]byte(s.URL + "\x00" + s.AccountID + "\x00" + p.Project.ID))
	return p.Project.Name + "@" + hex.EncodeToString(sum[:6])
}
