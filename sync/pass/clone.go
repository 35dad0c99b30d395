package pass

import (
	"context"
	"io/fs"

	"github.com/locsync/locsync/gitops"
)

// makeRoom sees to it that the clone can have the branch of a pull's translations.
func (p *Branch) MakeRoom(ctx context.Context) error {
	if !p.Project.Cloned() {
		return nil
	}
	return p.Repo.Clone.MakeRoom(ctx, p.Project.Pull.Branch)
}

// fetchBlobs brings what a partial clone has left out of the files that a pass reads, in one request.
func (p *Branch) FetchBlobs(ctx context.Context, fsys fs.FS) error {
	tip, ok := fsys.(*gitops.Tip)
	if !ok {
		return nil
	}
	patterns := p.Project.WatchPatterns()
	return tip.Prefetch(ctx, patterns.Below, patterns.Match)
}
