package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/locsync/locsync/gitops"
)

// readiness is what is known of a project's working: nil once everything was seen to work, else why not yet.
type readiness struct{ why error }

var errNotLooked = errors.New("not looked yet")

// Ready returns nil once the repository of every project and the service have been seen to work, and else what does not. One success is
// enough: what fails later is for the status and its alerts.
func (e *Engine) Ready() error {
	var errs []error
	for _, p := range e.projects {
		r := p.readiness.Load()
		switch {
		case r == nil:
			errs = append(errs, fmt.Errorf("project %q: %w", p.cfg.Name, errNotLooked))
		case r.why != nil:
			errs = append(errs, fmt.Errorf("project %q: %w", p.cfg.Name, r.why))
		}
	}
	return errors.Join(errs...)
}

// isReady reports whether the project was seen to work.
func (p *project) isReady() bool {
	r := p.readiness.Load()
	return r != nil && r.why == nil
}

// prove looks whether repository and service work, without changing anything.
func (p *project) prove(ctx context.Context) {
	err := p.proof(ctx)
	if ctx.Err() == nil {
		p.readiness.Store(&readiness{err})
	}
}

func (p *project) proof(ctx context.Context) error {
	remote := ""
	if p.cfg.Cloned() {
		remote = gitops.CloneRemote // else there may be nothing to open yet
	}
	repo, err := p.openWith(ctx, remote)
	if err != nil {
		return err
	}
	if err := repo.Close(); err != nil {
		return err
	}
	if _, err := p.Service.Project(ctx, p.cfg.ID); err != nil {
		return err
	}
	return nil
}
