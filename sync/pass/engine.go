package pass

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/accepted"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/events"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/trigger"
	"go.uber.org/zap"
)

// Passed is a pass that ended. Result is that of a Past, or ResultSkipped.
type Passed struct {
	Project, Pass string // Pass is push or pull
	Result        string
	Took          time.Duration
	Sent          int            // values, of a push
	Brought       map[string]int // of a pull: translations added, changed and removed, by language
	Committed     bool           // a pull made a commit, or delivered one that had waited
}

// branch is what the passes of a project work with; or those of one branch, in a project whose branches are translated beside each other.
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

// say tells what is going on, for a person who watches and for the status.
func (p *Branch) Say(format string, args ...any) {
	p.Announce(report.Doing{What: fmt.Sprintf(format, args...)})
}

// announce is say of something that is done one by one.
func (p *Branch) Announce(d report.Doing) {
	d.Project = p.Project.Name
	p.OnDoing(d)
}

// reading tells how many of the files are read.
func (p *Branch) Reading(done, total int) {
	p.Announce(report.Doing{What: "reading the source files", Done: int64(done), Total: int64(total)})
}

// downloading is a context whose downloads tell how far they are.
func (p *Branch) downloading(ctx context.Context, what string) context.Context {
	return service.Downloading(ctx, func(done, total int64) { p.Announce(report.Doing{What: what, Done: done, Total: total, Bytes: true}) })
}

// givesWay logs that a text is about to give way to another. It is in the report, too, but a crash takes that along, and the next pass may find nothing to
// report any more. In a dry run nothing gives way.
func (p *Branch) GivesWay(text report.Problem, dry bool) {
	if !dry {
		p.Log.Info("a text gives way", zap.Stringer("text", text))
	}
}

// keeper is for what the service accepted of the source files.
func (p *Branch) Keeper() *accepted.Store {
	if p == nil {
		return nil
	}
	return &accepted.Store{Ledger: p.Ledger, Scope: p.StateName(), Project: p.Project, Trunk: p.Trunk.Keeper(), Run: p.Run, Now: p.Now,
		Rescan: p.Config.Daemon.Rescan}
}

// pushedSlot is where a source file's accepted texts are remembered.
func (p *Branch) PushedSlot(at ledger.Source) ledger.Slot {
	return ledger.Pushed.Of(p.StateName(), at)
}

// events are where the project's events are remembered.
func (p *Branch) Events() *events.Log {
	return &events.Log{Ledger: p.Ledger, Project: p.ProjectName(), Scope: p.StateName(), Line: p.Base, Branch: p.Project.Pull.Branch,
		Now: p.Now, Log: p.Log, Shown: func(c ledger.Conflict) report.Conflict { return p.Shown(Conflict{c}) }}
}

// slot addresses marks of a target file of this project.
func (p *Branch) Slot(kind ledger.TargetMarks, path, language string) ledger.Slot {
	return kind.Of(p.StateName(), path, language)
}

// past writes down how a pass ended, with what it has to tell.
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
				p.Log.Error("read how the last pass ended", zap.Error(err))
			}
			past = stillHolding(past, last)
			if past.Result == report.ResultFailed {
				past.GoodAt = last.GoodAt
			}
		}
		d := p.Events().Open(tx, past.At)
		if err := more(tx, d); err != nil {
			return err
		}
		d.Close()
		return ledger.Passes.Put(tx, p.StateName(), id, past)
	})
	if err != nil {
		p.Log.Error("remember how the pass ended", zap.Error(err))
	}
	p.OnPassed(passed)
}

// languagesOf are the codes of languages, for requests.
func languagesOf(languages []config.Language) []string {
	codes := make([]string, len(languages))
	for i, l := range languages {
		codes[i] = l.Code
	}
	slices.Sort(codes)
	return codes
}
