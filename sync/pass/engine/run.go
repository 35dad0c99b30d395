package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/locsync/locsync/sync/bound/fault"
)

// Run pushes once, pushes after every change and pulls on schedule, for each project in a loop of its own, until ctx
// ends. A pass under way then is given up at its next wait; what it began is stored and taken up again. With a Cluster,
// that decides about passes, and Run only waits.
func (e *Engine) Run(ctx context.Context) error { return e.RunReloading(ctx, nil) }

// RunReloading is Run, where an engine that comes from reloads replaces the one before (see Reconfigured):
// the loops of projects that it does not have end, and those of its new ones begin.
func (e *Engine) RunReloading(ctx context.Context, reloads <-chan *Engine) error {
	r := running{stop: make(map[*project]context.CancelFunc)}
	for {
		r.become(ctx, e)
		select {
		case e = <-reloads:
		case <-ctx.Done():
			r.all.Wait()
			return nil
		}
	}
}

// running is the projects whose loops run.
type running struct {
	all  sync.WaitGroup
	stop map[*project]context.CancelFunc
}

// become starts the loops of an engine's projects that do not run yet and stops all others.
func (r *running) become(ctx context.Context, e *Engine) {
	if e.Cluster != nil {
		return // it calls Make
	}
	for p, stop := range r.stop {
		if !slices.Contains(e.projects, p) {
			stop()
			delete(r.stop, p)
		}
	}
	for _, p := range e.projects {
		if r.stop[p] != nil {
			continue
		}
		own, stop := context.WithCancel(ctx)
		r.stop[p] = stop
		used := p.Using()
		r.all.Go(func() {
			defer used()
			of := " of project " + p.branch.Project.Name
			fault.Keep(own, "the loop"+of, func() {
				proof := p.order.proofs.take(own, nil)
				if !p.reach(own) {
					proof()
					return
				}
				watching, stop := context.WithCancel(own)
				defer stop() // where the loop begins again, so does this
				r.all.Go(func() { fault.Keep(watching, "the watcher"+of, func() { p.watch(watching) }) })
				p.loop(own, proof)
			})
		})
	}
}
