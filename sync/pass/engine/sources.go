package engine

import (
	"context"
	"io/fs"

	"github.com/locsync/locsync/sync/pass/branches"
	"github.com/locsync/locsync/sync/pass/tree"
)

// Unknown is a text that the service's project of an identifier has in a collection of a configured one, in any
// language, and that its repository has neither in its files nor on the translation branch; "" for none. collections
// are those that were compared.
func (e *Engine) Unknown(ctx context.Context, name, id string) (text string, collections map[string]bool, err error) {
	picked, err := e.pick(name)
	if err != nil {
		return "", nil, err
	}
	p := picked[0]
	repo, err := p.openToCheck(ctx)
	if err != nil {
		return "", nil, err
	}
	defer repo.Close()
	line, fsys, err := branches.Tree(ctx, p.branch, repo, true)
	if err != nil {
		return "", nil, err
	}
	there, project := *line, *line.Project
	there.Project, project.ID = &project, id
	t, err := tree.Find(fsys, there.Project, nil)
	if err != nil {
		return "", nil, err
	}
	trees := []fs.FS{fsys}
	if tip, err := repo.Seen(project.Pull.Branch, project.Pull.Base); err == nil {
		trees = append(trees, tip)
	}
	return there.Unknown(ctx, t, trees)
}
