package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

var errNotChecked = errors.New("not checked yet")

// Ready returns nil once the repository of every project and the service have been seen to work, and else everything
// that was not, a line each. One success is enough: what fails later is for the status and its alerts. In a cluster
// it is about this process alone: repositories and service are met where a pass is made.
func (e *Engine) Ready() error {
	if e.Cluster != nil {
		return e.Cluster.Ready()
	}
	var errs []error
	for _, p := range e.projects {
		for _, err := range p.readiness.Load().why {
			errs = append(errs, fmt.Errorf("project %q: %w", p.branch.Project.Name, err))
		}
	}
	return errors.Join(errs...)
}

// isReady reports whether the project was seen to work.
func (p *project) isReady() bool { return len(p.readiness.Load().why) == 0 }

// prove looks whether repository and service work, without changing anything.
func (p *project) prove(ctx context.Context) {
	repository := p.proveRepository(ctx)
	_, account := p.branch.Service.Projects().Read(ctx, p.branch.Project.ID) // takes address, credentials and identifier
	why := slices.DeleteFunc([]error{repository, account}, func(err error) bool { return err == nil })
	if ctx.Err() == nil {
		p.readiness.Store(&readiness{why})
		p.changes.Send()
	}
}

// proveRepository opens the repository as passes do. A clone may be made for that, or made again, which no pass is to
// have happen under it.
func (p *project) proveRepository(ctx context.Context) error {
	if p.branch.Project.Cloned() {
		var done func()
		var err error
		if ctx, done, err = p.lock(ctx, "look"); err != nil {
			return err
		}
		defer done()
		defer p.finished()
	}
	repo, err := p.repository.Open(ctx)
	if err != nil {
		return err
	}
	return repo.Close()
}

// reach waits for the first contact with the repository. It reports false where ctx ends before.
func (p *project) reach(ctx context.Context) bool {
	return p.repository.Reach(ctx, func(silent error) {
		p.readiness.Store(&readiness{[]error{silent}})
		p.view.now(ctx) // what the state alone tells
		p.changes.Send()
	})
}
