package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Look is what tells whether git has touched the working tree between two looks at it: HEAD, and the index, which
// every checkout, reset, stash or merge writes anew. The commit alone does not: a branch that is checked out and left
// again is back where it was, and whoever read files meanwhile has read the other branch's.
type Look struct {
	Branch string // "" when HEAD is detached
	Commit string

	index fs.FileInfo // nil when there is none
	at    time.Time
}

// Look looks at HEAD and the index of the working tree.
func (r *Repo) Look() (Look, error) {
	branch, commit, err := r.Head()
	if err != nil {
		return Look{}, err
	}
	index, err := os.Stat(filepath.Join(r.facts.GitDir, "index"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Look{}, fmt.Errorf("look at the index: %w", err)
	}
	if err != nil {
		index = nil
	}
	return Look{branch, commit, index, time.Now()}, nil
}

// Same reports whether git has written nothing between two looks.
func (l Look) Same(other Look) bool {
	if l.Branch != other.Branch || l.Commit != other.Commit || (l.index == nil) != (other.index == nil) {
		return false
	}
	return l.index == nil || os.SameFile(l.index, other.index) && l.index.Size() == other.index.Size() && l.index.ModTime().Equal(other.index.ModTime())
}

// rest is how long the index must be left alone before HEAD can be believed: a checkout writes the index, lets go of
// its lock, and only then moves HEAD.
const rest = 100 * time.Millisecond

// Fresh is how much longer to wait until what was seen can be believed; 0 when git has been quiet.
func (l Look) Fresh() time.Duration {
	if l.index == nil {
		return 0
	}
	age := l.at.Sub(l.index.ModTime())
	if age < 0 || age >= rest { // a time ahead of the clock says nothing
		return 0
	}
	return rest - age
}
