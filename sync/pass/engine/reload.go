package engine

import (
	"fmt"
	"slices"
)

// Reconfigured is the engine of another configuration. Projects whose configuration and parts are the same are shared,
// and go on where they run. One that changed waits for a pass of its former self before it begins its own.
func (e *Engine) Reconfigured(parts Parts) *Engine {
	next := e.process.engine(parts.filled(), e)
	for i, p := range next.projects {
		if at := slices.IndexFunc(e.projects, p.equivalent); at >= 0 {
			next.projects[i] = e.projects[at]
		}
	}
	return next
}

// equivalent reports whether a project of an engine before does exactly what this one would do.
func (p *project) equivalent(before *project) bool {
	watched := func(p *project) string {
		d := p.branch.Config.Daemon
		return fmt.Sprint(d.Debounce, d.MaxDelay, d.Rescan)
	}
	return before.branch.Project.Name == p.branch.Project.Name && before.branch.Service == p.branch.Service &&
		before.state == p.state && watched(before) == watched(p) &&
		meaning(before.branch.Config, before.branch.Project, asWritten) ==
			meaning(p.branch.Config, p.branch.Project, asWritten)
}
