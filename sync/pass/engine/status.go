package engine

import (
	"context"
	"time"

	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/report"
)

// Ended is how many passes have ended in this process: with another number, an older status may not hold any more.
func (e *Engine) Ended() int64 { return e.ended.Load() }

// Speaks reports whether this process is the one that tells what is to be told once: messages to people, and metrics
// of projects.
func Speaks(e *Engine) bool { return e.Cluster == nil || e.Cluster.Leads() }

// Doing is what the pass that runs is about, of one project or of the first that has one; empty when none runs.
func (e *Engine) Doing(name string) report.Doing {
	for _, p := range e.projects {
		if d := p.view.current(); d != nil && (name == "" || name == p.branch.Project.Name) {
			return *d
		}
	}
	return report.Doing{}
}

// Status looks at every project as it is now and changes nothing: files, state and the local repository, without a
// call to a server and without waiting for a pass that runs, or for long for repositories that do not answer, however
// many.
func (e *Engine) Status(ctx context.Context) report.Status {
	s := e.told(make([]report.ProjectStatus, len(e.projects)))
	var glances fault.Group
	for i, p := range e.projects {
		looked := make(chan struct{})
		glances.Go(func() {
			defer close(looked)
			s.Projects[i] = p.view.glance(ctx)
		})
		select { // one after the other, as long as they answer
		case <-looked:
		case <-time.After(glanceApart):
		}
	}
	glances.Wait()
	return s
}

// Look is the status of one project as it is now; nil where none has that name. See Status.
func (e *Engine) Look(ctx context.Context, name string) *report.ProjectStatus {
	picked, err := e.pick(name)
	if err != nil || name == "" {
		return nil
	}
	s := picked[0].view.glance(ctx)
	return &s
}

// Busy are the projects that passes run in.
func Busy(e *Engine) (busy []string) {
	for _, p := range e.projects {
		if p.view.doing.Load() != nil {
			busy = append(busy, p.branch.Project.Name)
		}
	}
	return busy
}

// mostRead is how many projects are read for one status. Of more, each is told as its last pass has left it: to open
// and read thousands of repositories takes minutes.
const mostRead = 100

// Many reports whether an engine has more projects than are read for one status.
func Many(e *Engine) bool { return len(e.Config.Projects) > mostRead }

// Overview is LastStatus with all projects: each as its last pass has left it, and one without a pass by its name.
func Overview(e *Engine) report.Status {
	s := e.told(make([]report.ProjectStatus, len(e.projects)))
	for i, p := range e.projects {
		s.Projects[i], _ = p.view.latest()
	}
	return s
}

// glanceApart is how long the glance at one project keeps the next one waiting.
const glanceApart = 500 * time.Millisecond

// Changed returns a channel that is closed when what a status tells may have changed. Ask for it before the status, to
// miss nothing; a change of files alone shows when the pass that it wakes begins.
func (e *Engine) Changed() <-chan struct{} { return e.changes.Next() }

// LastStatus is the last status of each project that has one, without reading anything again. How watching goes, and
// whether git is waited for, is as it is now.
func (e *Engine) LastStatus() report.Status {
	s := e.told([]report.ProjectStatus{})
	for _, p := range e.projects {
		if last, known := p.view.latest(); known {
			s.Projects = append(s.Projects, last)
		}
	}
	return s
}
