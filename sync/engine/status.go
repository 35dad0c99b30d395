package engine

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pull"
	"github.com/locsync/locsync/sync/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/status"
	"github.com/locsync/locsync/sync/tree"
)

// finished is said at the end of a pass.
func (p *project) finished() {
	p.common.doing.Store(nil)
	p.engine.changes.Send()
}

// Ended is how many passes have ended in this process: with another number, an older status may not hold any more.
func (e *Engine) Ended() int64 { return e.ended.Load() }

// Doing is what the pass that runs is about, of one project or of the first that has one; empty when none runs.
func (e *Engine) Doing(name string) report.Doing {
	for _, p := range e.projects {
		if d := p.common.doing.Load(); d != nil && (name == "" || name == p.branch.Project.Name) {
			return *d
		}
	}
	return report.Doing{}
}

// Status looks at every project as it is now and changes nothing: files, state and the local repository, without a
// call to a server and without waiting for a pass that runs, or for long for repositories that do not answer, however
// many.
func (e *Engine) Status(ctx context.Context) report.Status {
	s := report.Status{Projects: make([]report.ProjectStatus, len(e.projects))}
	var glances sync.WaitGroup
	for i, p := range e.projects {
		looked := make(chan struct{})
		glances.Go(func() {
			defer close(looked)
			s.Projects[i] = p.glance(ctx)
		})
		select { // one after the other, as long as they answer
		case <-looked:
		case <-time.After(glanceApart):
		}
	}
	glances.Wait()
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
	s := report.Status{Projects: []report.ProjectStatus{}}
	for _, p := range e.projects {
		if last := p.statuses.last.Load(); last != nil {
			now := *last
			if began := p.glances.began.Load(); began != nil && time.Since(*began) > p.engine.Patience {
				now = p.unseen(*began)
			}
			now.Watch, now.GitBusy = p.watching(), p.branch.GitBusy.For(p.branch.Now())
			s.Projects = append(s.Projects, now)
		}
	}
	return s
}

// watching is how changes of files are noticed now; nil while nothing is watched.
func (p *project) watching() *report.Watching {
	w := p.watcher.Load()
	if w == nil {
		return nil
	}
	stats := w.Stats()
	return &report.Watching{Mode: stats.Mode, Why: stats.Why, Watches: stats.Watches, Events: stats.Events,
		Overflows: stats.Overflows, Unannounced: stats.Unannounced}
}

func (p *project) blank() report.ProjectStatus {
	return report.ProjectStatus{Name: p.branch.Project.Name, ID: p.branch.Project.ID,
		Files: []report.FileStatus{}, Languages: []report.LanguageStatus{},
		Findings: report.Findings{Problems: []report.Problem{}},
		Process:  report.Process{Watch: p.watching(), GitBusy: p.branch.GitBusy.For(p.branch.Now())}}
}

func (p *project) statusNow(ctx context.Context) report.ProjectStatus {
	s := p.blank()
	began := time.Now()
	p.branch.Events().Read(&s)
	line, err := p.statusLine(ctx, &s)
	if err == nil {
		err = line.look(ctx, &s)
	}
	s.Took, s.Seen, s.Overdue = time.Since(began), p.branch.Now(),
		status.Overdue(p.branch.Project, &s, p.statuses.last.Load(), p.born)
	if err != nil {
		p.recall(&s, err)
	}
	report.Advise(s.Problems)
	report.Advise(s.Orphaned)
	if s.Problems = status.Unique(s.Problems); err == nil {
		s.State = s.Sentence()
	}
	if doing := p.common.doing.Load(); doing != nil {
		s.State = doing.String()
	}
	if ctx.Err() == nil { // one that was cut short tells nothing of the project
		p.statuses.last.Store(&s)
		if err == nil {
			p.statuses.whole.Store(&s)
		}
	}
	return s
}

// recall makes the status of a glance that failed: what it could not tell is as the last one told it, so that what was
// held back or unreadable then does not look repaired.
func (p *project) recall(s *report.ProjectStatus, why error) {
	text := why.Error() + "; until that is repaired nothing can be told of this project"
	s.State, s.Unseen, s.Seen = "what waits to be pushed cannot be told now", true, time.Time{}
	if _, silent := errors.AsType[*Silent](why); silent {
		s.State = "its repository does not answer"
	}
	before := p.statuses.whole.Load()
	if before == nil {
		s.Problems = append(s.Problems, report.Problem{Code: report.CodeRepository, Problem: text})
		return
	}
	s.Seen = before.Seen
	s.Problems = slices.Concat([]report.Problem{{Code: report.CodeRepository, Problem: text + " but what was seen at " +
		s.Seen.UTC().Format(time.DateTime) + " UTC"}}, s.Problems, before.Problems)
	s.Pending, s.Removed, s.Held, s.Orphaned = before.Pending, before.Removed, before.Held, slices.Clone(before.Orphaned)
	s.Files, s.Languages = before.Files, before.Languages
	s.Branch, s.BranchURL = before.Branch, before.BranchURL
}

// look reads the status of one line.
func (p *project) look(ctx context.Context, s *report.ProjectStatus) error {
	s.NextPull = p.next.Load() // without a daemon nothing is going to pull
	v := &status.View{Config: p.branch.Project, Ledger: p.branch.Ledger, Project: p.branch.ProjectName(),
		Scope: p.branch.StateName(),
		Line:  p.branch.Base, Accepted: p.branch.Keeper(), Shown: p.branch.Events().Shown, Find: p.branch.FindTree,
		Unsent:  func(repo *gitops.Repo, t *tree.Tree) (map[string]int, error) { return push.Unsent(p.branch, repo, t) },
		Subject: func(tip *gitops.Tip) string { return p.branch.Subject(pull.Look(tip)) }}
	if err := v.Remembered(s); err != nil {
		return err
	}
	repo, err := p.openToLook(ctx)
	if err != nil {
		return err
	}
	defer repo.Close()
	fsys, err := p.statusTree(repo)
	if err != nil {
		return err
	}
	return v.Read(repo, fsys, s)
}

// statusTree is where the status looks: what pushes read, or of a line that is not checked out what is committed.
func (p *project) statusTree(repo *gitops.Repo) (fs.FS, error) {
	if p.branch.Project.Push.Source == config.Worktree {
		if head, _, err := repo.Head(); err != nil || p.branch.Base == "" || p.branch.Base == head {
			return repo.Worktree()
		}
		if tip, err := repo.Here(p.branch.Base); err == nil {
			return tip, nil // as a push would find it when it is checked out
		}
		return repo.Seen(p.branch.Base, p.branch.Base)
	}
	there, err := repo.Seen(p.branch.Project.Push.Source, p.branch.Project.Push.Source)
	return p.branch.Committed(repo, there, err)
}
