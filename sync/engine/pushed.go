package engine

import (
	"context"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops/forge"
	"github.com/locsync/locsync/sync/config"
)

// PushEvent is what a git host tells about a push: the repository's name there (owner/name) and the branch. Empty fields are not known.
type PushEvent struct{ Repository, Branch string }

// PushedTo rings for a push of the projects that an event can concern, and returns their names. What cannot be told, concerns: a look costs little,
// and an event that is dropped is missed until the next scheduled look.
func (e *Engine) PushedTo(ctx context.Context, event PushEvent, reason string) []string {
	var names []string
	for _, p := range e.projects {
		if !p.concerned(ctx, event) {
			continue
		}
		p.log.Debug("woken", zap.String("by", reason), zap.String("branch", event.Branch))
		p.far.Store(true)
		p.pushBell.ring()
		names = append(names, p.cfg.Name)
	}
	return names
}

// concerned tells whether a push of the branch to the repository can change what passes of the project look at.
func (p *project) concerned(ctx context.Context, event PushEvent) bool {
	repo, err := p.openWith(ctx, p.cfg.Pull.Remote)
	if err != nil {
		return true
	}
	defer repo.Close()
	if _, name, err := forge.Locate(repo.Address()); err == nil && event.Repository != "" {
		own, named := strings.ToLower("/"+name), strings.ToLower("/"+event.Repository)
		if !strings.HasSuffix(own, named) { // a forge may be below a folder of its host
			return false
		}
	}
	branches := []string{p.cfg.Pull.Branch, p.cfg.Pull.Base}
	if p.cfg.Push.Source != config.Worktree {
		branches = append(branches, p.cfg.Push.Source)
	}
	if event.Branch == "" || slices.Contains(branches, event.Branch) || len(p.cfg.Push.Branches) > 0 && p.cfg.Push.Covers(event.Branch) {
		return true
	}
	head, _, err := repo.Head()
	return err != nil || p.cfg.Pull.Base == "" && head == event.Branch // the current branch is the base, and what a working tree has
}
