package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/forge"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"go.uber.org/zap"
)

// Soon rings for passes of a project, or of all projects when the name is empty: Push, Pull. It never blocks, and
// reports whether there is such a project.
func (e *Engine) Soon(name, reason string, passes ...string) bool {
	projects, err := e.pick(name)
	for _, p := range projects {
		p.branch.Log.Debug("woken", zap.String("by", reason))
		for _, passOf := range passes {
			if passOf == Push {
				p.far.Store(true) // the caller may know of more than the watcher
			}
			p.ask(passOf, false)
		}
	}
	return err == nil
}

// The passes of a project.
const (
	Push = ledger.PassPush
	Pull = ledger.PassPull
)

// Notified rings for pulls of the projects with an identifier at the service that a notification names, and returns how
// many there are. However often it is called, pulls are kept apart (see notices).
func (e *Engine) Notified(reason string, named func(id string) bool) (n int) {
	for _, p := range e.projects {
		if p.branch.Project.Pull.Enabled && named(p.branch.Project.ID) {
			p.branch.Log.Debug("woken", zap.String("by", reason))
			p.ask(ledger.PassPull, true)
			n++
		}
	}
	return n
}

// Saved has the projects with an identifier at the service, in which a person saved a translation, pulled when nothing
// was saved for pull.settle; at once where a language is complete by that.
func (e *Engine) Saved(named func(id string) bool, complete bool) {
	for _, p := range e.projects {
		if !p.branch.Project.Pull.Enabled || !named(p.branch.Project.ID) {
			continue
		}
		p.branch.Log.Debug("a translation was saved", zap.Bool("complete", complete))
		if complete || p.branch.Project.Pull.Settle == 0 || p.Cluster != nil {
			p.ask(ledger.PassPull, true)
		} else {
			p.saved.Send()
		}
	}
}

// PushEvent is what a git host tells about a push: the repository's name there (owner/name) and the branch. Empty
// fields are not known.
type PushEvent struct{ Repository, Branch string }

// PushedTo rings for a push of the projects that an event can concern, and returns their names; pushes for events are
// kept apart (see notices). What cannot be told, concerns: a pass costs little, and an event that is dropped is missed
// until the next scheduled one.
func (e *Engine) PushedTo(ctx context.Context, event PushEvent, reason string) []string {
	var names []string
	for _, p := range e.projects {
		if !p.concerned(ctx, event) {
			continue
		}
		p.branch.Log.Debug("woken", zap.String("by", reason), zap.String("branch", event.Branch))
		p.far.Store(true)
		p.ask(ledger.PassPush, true)
		names = append(names, p.branch.Project.Name)
	}
	return names
}

// concerned tells whether a push of the branch to the repository can change what passes of the project look at.
func (p *project) concerned(ctx context.Context, event PushEvent) bool {
	if p.branch.Project.Cloned() { // the clone may not be there, and is not made for this
		address, _, _ := p.branch.Project.Address()
		return mayBe(address, event.Repository)
	}
	address, heads, err := p.repository.Origin(ctx)
	if err != nil {
		return true
	}
	if !mayBe(address, event.Repository) {
		return false
	}
	if p.branch.Project.PerBranch() {
		return true // any branch may be one that is translated, or have translations
	}
	branches := []string{p.branch.Project.Pull.Branch, p.branch.Project.Pull.Base}
	if p.branch.Project.Push.Source != config.Worktree {
		branches = append(branches, p.branch.Project.Push.Source)
	}
	if event.Branch == "" || slices.Contains(branches, event.Branch) ||
		len(p.branch.Project.Push.Branches) > 0 && p.branch.Project.Push.Covers(event.Branch) {
		return true
	}
	// the base, and what a working tree has
	return p.branch.Project.Pull.Base == "" && slices.Contains(heads, event.Branch)
}

// mayBe reports whether an address may be that of a repository that a host calls so.
func mayBe(address, repository string) bool {
	_, name, err := forge.Locate(address)
	// a forge may be below a folder of its host
	return err != nil || repository == "" || strings.HasSuffix(strings.ToLower("/"+name), strings.ToLower("/"+repository))
}
