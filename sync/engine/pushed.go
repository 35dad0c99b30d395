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

// PushedTo rings for a push of the projects that an event can concern, and returns their names. Where the event's repository is that of no project's
// remote (it was renamed, or is reached by another name), it may be any project's: a look costs little, and an event that is dropped
// may be missed.
func (e *Engine) PushedTo(ctx context.Context, event PushEvent, reason string) []string {
	type look struct {
		*project
		branch     bool
		repository remoteIs
	}
	var looks []look
	named := false
	for _, p := range e.projects {
		branch, repository := p.concerned(ctx, event)
		looks = append(looks, look{p, branch, repository})
		named = named || repository == remoteNamed
	}
	var names []string
	for _, p := range looks {
		if !p.branch || named && p.repository == remoteOther {
			continue
		}
		p.log.Debug("woken", zap.String("by", reason), zap.String("branch", event.Branch))
		p.far.Store(true)
		p.pushBell.ring()
		names = append(names, p.cfg.Name)
	}
	return names
}

// How a project's remote stands to the repository of an event.
type remoteIs int

const (
	remoteUnknown remoteIs = iota // its address tells no name
	remoteNamed                   // it is the one
	remoteOther
)

// concerned tells whether a push of the branch can change what passes of the project look at, and whether its remote is the repository. What cannot
// be told now concerns it.
func (p *project) concerned(ctx context.Context, event PushEvent) (branch bool, repository remoteIs) {
	branches := []string{p.cfg.Pull.Branch, p.cfg.Pull.Base}
	if p.cfg.Push.Source != config.Worktree {
		branches = append(branches, p.cfg.Push.Source)
	}
	branch = event.Branch == "" || slices.Contains(branches, event.Branch) || len(p.cfg.Push.Branches) > 0 && p.cfg.Push.Covers(event.Branch)
	repo, err := p.openWith(ctx, p.cfg.Pull.Remote)
	if err != nil {
		return true, remoteUnknown
	}
	defer repo.Close()
	if head, _, err := repo.Head(); err != nil || p.cfg.Pull.Base == "" && head == event.Branch {
		branch = true // the current branch is the base, and what a working tree has
	}
	_, name, err := forge.Locate(repo.Address())
	switch {
	case err != nil || event.Repository == "":
		return branch, remoteUnknown
	case strings.EqualFold(name, event.Repository), strings.HasSuffix(strings.ToLower(name), "/"+strings.ToLower(event.Repository)):
		return branch, remoteNamed // below a folder of its host, where the forge is
	}
	return branch, remoteOther
}
