package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locsync/locsync/gitops/forge"
	"github.com/locsync/locsync/sync/config"
	"go.uber.org/zap"
)

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
		p.signals.pushNotice.Send()
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
	address, heads, err := p.whence(ctx)
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

// origin is where a repository comes from and which branch is checked out in it, as passes open it. To look starts the
// git program, and events may come by the thousand: one look serves all that come at one time, and those after it for
// so many times as it took.
type origin struct {
	mu      sync.Mutex // held while looking
	address string
	heads   []string // the current branch, and base
	err     error
	until   time.Time
}

const (
	originShare = 20
	originMost  = 2 * time.Second // the sender of the event waits for the answer; what takes longer cannot be told
)

// whence is the origin as it is, or was a moment ago.
func (p *project) whence(ctx context.Context) (address string, heads []string, err error) {
	o := &p.origin
	o.mu.Lock()
	defer o.mu.Unlock()
	if began := time.Now(); began.After(o.until) {
		o.address, o.heads, o.err = p.lookWhence(ctx)
		if end := time.Now(); ctx.Err() == nil {
			o.until = end.Add(originShare * end.Sub(began))
		}
	}
	return o.address, o.heads, o.err
}

func (p *project) lookWhence(ctx context.Context) (address string, heads []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, originMost)
	defer cancel()
	repo, err := p.opened(ctx)
	if err != nil {
		return "", nil, err
	}
	head, _, err := repo.Head()
	base, berr := repo.Branches.Base()
	return repo.Address(), []string{head, base}, errors.Join(err, berr, repo.Close())
}
