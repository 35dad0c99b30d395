package pass

import (
	"github.com/locsync/locsync/sync/ledger"
)

// beside makes a conflict one of a divided key where another file is given.
func (c Conflict) InFile(path string) Conflict {
	if path != "" {
		c.Beside, c.Open, c.Base = path, true, nil
	}
	return c
}

// group is the same for the conflicts that files of one collection have about a key.
func (c Conflict) Group() string { return ledger.ConflictID(min(c.Path, c.Beside), c.Language, c.Key) }
