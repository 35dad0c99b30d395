package push

import (
	"errors"

	"github.com/locsync/locsync/gitops"
)

// noBranch reports whether a line's branch is not where its translations could be built on it: it is somebody's own yet.
func (p *pushing) noBranch(err error) bool {
	return p.branch.Base != "" && errors.Is(err, gitops.ErrNoBranch)
}
