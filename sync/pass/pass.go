// Package pass has what pushes and pulls of a branch share: the branch with its configuration, ledger, service and
// repository; the exports that are asked for; the conflicts that wait for a decision; what was accepted, agreed and
// seen.
//
// Its law: effect first, memory second, and every effect repeatable. A job is written down as intended before it is
// started and forgotten after its result is remembered, so that a crash may repeat work and never skips it. What is
// remembered is listed in package ledger, schema.go; bookkeeping of any size is done in short transactions, each of
// which may be the last.
//
// It decides nothing about texts and sends none: push and pull do.
package pass

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/accepted"
	"github.com/locsync/locsync/sync/pass/events"
	"github.com/locsync/locsync/sync/pass/renames"
	"github.com/locsync/locsync/sync/pass/request"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/pass/trigger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
	"go.uber.org/zap"
)

// Found is what was found about the branches of a project before a pass over one of them.
type Found struct {
	Problems []report.Problem      // of branches that have no pass, or not yet; the status finds them itself
	Finished []report.FinishedLine // branches that are gone
}

// Passed is a pass that ended. Result is that of a Past, or ResultSkipped.
type Passed struct {
	Project, Pass string // Pass is push or pull
	Result        string
	Took          time.Duration
	Sent          int            // values, of a push
	Brought       map[string]int // of a pull: translations added, changed and removed, by language
	Committed     bool           // a pull made a commit, or delivered one that had waited
	Part          bool           // of the project: how the last whole one ended stays true
}

// Branch is what the passes of a project work with; or those of one branch, in a project whose branches are translated
// beside each other.
type Branch struct {
	Config    *config.Config
	Project   *config.Project
	Service   *service.Client
	Ledger    ledger.Store
	Log       *zap.Logger
	Now       func() time.Time
	Repo      *gitops.Repo // open during a pass only
	Base      string       // the branch that is translated; "" where there is but one
	Trunk     *Branch      // the one that this one inherits from; nil for none
	Run       string       // names this process in what is stored
	ProbeFrom int
	GitBusy   *trigger.Busy

	OnDoing  func(report.Doing) // told of what is going on
	OnPassed func(Passed)       // told of a pass that ended and is remembered
}

// Say tells what is going on, for a person who watches and for the status.
func (p *Branch) Say(format string, args ...any) {
	p.Announce(report.Doing{What: fmt.Sprintf(format, args...)})
}

// Announce is Say for something that is done one by one.
func (p *Branch) Announce(d report.Doing) {
	d.Project = p.Project.Name
	p.OnDoing(d)
}

// Reading tells how many of the files are read.
func (p *Branch) Reading(done, total int) {
	p.Announce(report.Doing{What: "reading the source files", Done: int64(done), Total: int64(total)})
}

// Draft is the branch for a dry run: what is remembered with it goes with it, and nothing is logged or told as done.
func (p *Branch) Draft() *Branch {
	d := *p
	d.Ledger, d.OnPassed = ledger.Draft(p.Ledger), func(Passed) {}
	if p.Log.Core().Enabled(zap.InfoLevel) { // a level that is not logged cannot be the least
		d.Log = p.Log.WithOptions(zap.IncreaseLevel(zap.WarnLevel))
	}
	return &d
}

// LogReplaced logs that a text is about to be replaced by another. After a crash the report is lost, and the next pass
// may find nothing to report.
func (p *Branch) LogReplaced(text report.Problem) {
	p.Log.Info("a text is replaced", zap.Stringer("text", text))
}

// Keeper is for what the service accepted of the source files.
func (p *Branch) Keeper() *accepted.Store {
	if p == nil {
		return nil
	}
	return &accepted.Store{Ledger: p.Ledger, Scope: p.StateName(), Project: p.Project, Trunk: p.Trunk.Keeper(),
		Run: p.Run,
		Now: p.Now, Rescan: p.Config.Daemon.Rescan, Archives: p.Archives(), Base: p.baseKeys, Repo: p.Repo, Had: p.had}
}

// Snapshot is a tree, read of the working tree or a branch, as renames are looked for in it.
func (p *Branch) Snapshot(t *tree.Tree, of string, past ...string) *renames.Snapshot {
	return &renames.Snapshot{Ledger: p.Ledger, Scope: p.StateName(), Repo: p.Repo, Tree: t, Of: of, Past: past}
}

// had are those of some names that a tree had in a source file; all where there is no repository to ask. What joins
// several commits is looked for in HEAD.
func (p *Branch) had(
	repo *gitops.Repo, t *tree.Tree, b *bundle.Bundle, names map[catalog.Name]bool,
) (map[catalog.Name]bool, error) {
	if repo == nil {
		return names, nil
	}
	in := p.Snapshot(t, p.Project.Pull.Branch, t.Commit())
	if _, committed := t.FS.(*gitops.Tip); !committed {
		in.Of = config.Worktree
		_, head, err := repo.Head()
		if err == nil {
			in.Past = append(in.Past, head)
		}
	}
	in.Repo = repo
	return in.Had(b, b.Path, names)
}

// PushedSlot is where a source file's accepted texts are remembered.
func (p Memory) PushedSlot(at ledger.Source) ledger.Slot {
	return ledger.Pushed.Of(p.Scope, at)
}

// Events are where the project's events are remembered.
func (p *Branch) Events() *events.Log {
	return &events.Log{Ledger: p.Ledger, Project: p.ProjectName(), Scope: p.StateName(), Line: p.Base,
		Branch: p.Project.Pull.Branch, Now: p.Now, Log: p.Log,
		Shown: func(c ledger.Conflict) report.Conflict { return p.Shown(Conflict{c}) }}
}

// Slot addresses marks of a target file of this project.
func (p Memory) Slot(kind ledger.TargetMarks, path, language string) ledger.Slot {
	return kind.Of(p.Scope, path, language)
}

// Marks are those of a target file by their kinds; nil where none were ever stored.
type Marks map[ledger.TargetMarks]catalog.Marks

// Read reads marks of a target file. They are not to be changed: kinds that have the same marks, as most have while
// nothing waits, share them.
func (p Memory) Read(path, language string, kinds ...ledger.TargetMarks) (Marks, error) {
	of := make(Marks, len(kinds))
	var apart []catalog.Marks
	return of, p.Ledger.View(func(tx ledger.Reader) error {
		return ledger.Each(kinds, func(kind ledger.TargetMarks) error {
			marks, err := tx.Marks(p.Slot(kind, path, language))
			same := func(m catalog.Marks) bool { return maps.Equal(m, marks) }
			if at := slices.IndexFunc(apart, same); at >= 0 && marks != nil {
				marks = apart[at]
			} else if marks != nil {
				apart = append(apart, marks)
			}
			of[kind] = marks
			return err
		})
	})
}

// Past writes down how a pass ended, with what it has to tell.
func (p *Branch) Past(id string, past report.Past, passed Passed, more func(ledger.Writer, *events.Entry) error) {
	if passed.Result == "" {
		passed.Result = past.Result
	}
	passed.Project, passed.Pass = p.Project.Name, id
	past.GoodAt = past.At
	err := p.Ledger.Update(func(tx ledger.Writer) error {
		if past.Result == report.ResultFailed || passed.Result == report.ResultSkipped {
			last, _, err := ledger.Passes.Get(tx, p.StateName(), id)
			if err != nil {
				p.Log.Error("cannot read how the last pass ended", zap.Error(err))
			}
			// What the last one left out is left out still, as far as is known.
			past.Subject, past.Held = last.Subject, max(past.Held, last.Held)
			past.Problems, past.Unread = Union(past.Problems, last.Problems), Union(past.Unread, last.Unread)
			if past.Result == report.ResultFailed {
				past.GoodAt, past.FailingSince = last.GoodAt, last.FailingSince
				if past.FailingSince.IsZero() {
					past.FailingSince = past.At
				}
			}
		}
		d := p.Events().Open(tx, past.At)
		d.Part = passed.Part
		if err := more(tx, d); err != nil {
			return err
		}
		if d.Close(); passed.Part {
			return nil
		}
		return ledger.Passes.Put(tx, p.StateName(), id, past)
	})
	if err != nil {
		p.Log.Error("cannot record how the pass ended", zap.Error(err))
	}
	p.OnPassed(passed)
}

// Scope is what a pass of the project, or of a part of it, is for.
func Scope(p *Branch, part []string) report.Scope {
	return report.Scope{Name: p.Project.Name, Base: p.Base, Part: part}
}

// NoProblems is the outcome that a pass begins with.
func NoProblems() report.Outcome { return report.Outcome{Problems: []report.Problem{}} }

// Union are the problems of two runs, each once.
func Union(first, second []report.Problem) []report.Problem {
	all := slices.Clone(first)
	for _, p := range second {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// StateName is the project's name in the state: that of one project of one service, and of one line.
func (p *Branch) StateName() string {
	return ledger.BranchScope(p.ProjectName(), p.Base)
}

// ProjectName is the project's name in the ledger: that of one project of one account at one service.
func (p *Branch) ProjectName() string {
	s := p.Config.Service
	return p.Project.Name + "@" + ledger.Digest([]byte(s.URL + "\x00" + s.AccountID + "\x00" + p.Project.ID))[:12]
}

// Called is the project, and the line where it is one, for messages.
func (p *Branch) Called() string {
	if p.Base == "" {
		return fmt.Sprintf("%q", p.Project.Name)
	}
	return fmt.Sprintf("%q, branch %s", p.Project.Name, p.Base)
}

// PushedSlots are where the accepted texts of source files are remembered: the project's, and those of other lines,
// which may share a collection.
func (p Memory) PushedSlots(tx ledger.Reader) ([]ledger.Slot, error) {
	slots, err := ledger.Pushed.Slots(tx, p.Scope)
	if err != nil || p.Base == "" {
		return slots, err
	}
	lines, err := ledger.Lines.List(tx, p.Project)
	if err != nil {
		return nil, err
	}
	for _, other := range lines {
		if other.Base == p.Base {
			continue
		}
		more, err := ledger.Pushed.Slots(tx, ledger.BranchScope(p.Project, other.Base))
		if err != nil {
			return nil, err
		}
		slots = append(slots, more...)
	}
	return slots, nil
}

// MergeRequest is the request to merge the branch.
func (p *Branch) MergeRequest(repo *gitops.Repo) *request.Branch {
	return &request.Branch{Config: p.Config, Project: p.Project, Ledger: p.Ledger, Scope: p.StateName(), Repo: repo,
		Service: p.Service,
		Now:     p.Now, Log: p.Log, Announce: p.Announce, Problems: new([]report.Problem)}
}

// Rung reports whether a pull found texts on the branch that no push has looked at since.
func (p Memory) Rung() (bool, error) {
	_, rung, err := ledger.UnsentAt.Get(p.Ledger, p.Scope, p.Branch)
	return rung, err
}

// Configured is a digest of the project's configuration.
func (p *Branch) Configured() string {
	text, err := json.Marshal(p.Project)
	if err != nil {
		text = fmt.Appendf(nil, "%+v", *p.Project)
	}
	return ledger.Digest(text)
}

// Subject says what the problems of a pull are about: where branch and base were, with which configuration.
func (p *Branch) Subject(of string) string { return p.Configured() + " " + of }
