package doctor

import (
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
)

// checkout is a repository with the projects that use it in the same way.
type checkout struct {
	cfg      *config.Config
	projects []*config.Project // none: it is where the doctor was called, and there is no configuration
	dir      string
	repo     *fact[*gitops.Repo]
}

func (c *checkout) names() string {
	var names []string
	for _, p := range c.projects {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// cloned is the project whose repository is elsewhere; nil where it is on this machine.
func (c *checkout) cloned() *config.Project {
	if len(c.projects) > 0 && c.projects[0].Cloned() {
		return c.projects[0]
	}
	return nil
}

// watched says whether files of a working tree are watched.
func (c *checkout) watched() bool {
	return slices.ContainsFunc(c.projects, func(p *config.Project) bool {
		return !p.Cloned() && p.Push.Enabled && p.Push.Source == config.Worktree
	})
}
