package pass

import (
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
)

// lookAt names a place that is looked at: the working tree or a branch.
type LookAt string

// record is where the commit of the last look is remembered.
func (l LookAt) Record() string {
	if l == config.Worktree {
		return ledger.SeenID("")
	}
	return ledger.SeenID(string(l))
}

// kind is the kind of the slots of what was seen there.
func (l LookAt) Kind() ledger.TargetMarks {
	if l == config.Worktree {
		return ledger.Seen
	}
	return ledger.Seen.In(string(l))
}

// where is the place in words.
func (l LookAt) Where() string {
	if l == config.Worktree {
		return "the worktree"
	}
	return "branch " + string(l)
}
