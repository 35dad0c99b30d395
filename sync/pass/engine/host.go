package engine

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/trigger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"go.uber.org/zap"
)

// Parts are what an Engine works with. It closes none of them.
type Parts struct {
	Config  *config.Config
	Service *service.Client
	State   ledger.Store
	Log     *zap.Logger
	Now     func() time.Time // time.Now when nil
	Clones  string           // the folder for clones of remote repositories; "" where there are none
	// Progress, when not nil, is told what is going on, from several goroutines. It must not block.
	Progress func(report.Doing)
	// Beats, when not nil, has the heartbeats of what moves while Run runs, and of every pass.
	Beats *heartbeat.Set
	// Using, when not nil, is told that Service is about to be called, by a loop, a pass or a check, and done when it is
	// not any more, from several goroutines.
	Using func() (done func())
	// Claim, when not nil, is asked before every pass for the sole use of a repository that is on this machine, whose
	// common git folder it gets, from several goroutines. An error keeps the pass from being made.
	Claim func(ctx context.Context, p *config.Project, commonDir string) error
	Meter Meter // may be zero
	// Cluster, when not nil, is what this process shares with others that make passes of the same projects.
	Cluster Cluster
	// Patience is how long a status waits for the files of a repository before it tells the last one; 10 s when 0.
	Patience time.Duration

	// ProbeFrom is from how many texts on a pull asks what changed before it asks for everything; probeFrom when 0.
	ProbeFrom int
}

// Meter is told, from several goroutines, of every pass that ended, dry runs left out, and of what was asked of git
// remotes and of every commit (see gitops.Options.Done). Its functions may be nil.
type Meter struct {
	Passed  func(pass.Passed)
	GitDone func(op, outcome string, took time.Duration)
}

// Cluster is what several processes share that make the passes of one configuration. With one, projects have no loops
// here: the cluster decides when a pass is made, and which process makes it (see Make). Its methods may be called from
// any goroutine.
type Cluster interface {
	// Ledger is the ledger for the passes of a project, the same one each time. It writes under the right that Hold got.
	Ledger(project string) ledger.Store
	// Hold waits for the sole right to a project's passes. Its context ends, with the cause, when the right is lost; done
	// gives it back. A *ledger.LeaseError says that another process has it.
	Hold(ctx context.Context, project, passOf string) (_ context.Context, done func(), err error)
	// Ask has a pass made soon. It never blocks. Passes for notices from outside are kept apart.
	Ask(project, passOf string, notice bool)
	// Ready returns nil while this process takes part, and else why it does not.
	Ready() error
	// Away is why what the processes share could not be used last; nil where it could, or was not asked yet.
	Away() error
	// Leads reports whether this process speaks for all of them.
	Leads() bool
}

// probeFrom is how many texts an export has that is worth a probe (see Parts.ProbeFrom).
const probeFrom = 20_000

// filled is parts with the defaults in place.
func (parts Parts) filled() Parts {
	if parts.Now == nil {
		parts.Now = time.Now
	}
	if parts.Using == nil {
		parts.Using = func() func() { return func() {} }
	}
	parts.ProbeFrom = cmp.Or(parts.ProbeFrom, probeFrom)
	parts.Patience = cmp.Or(parts.Patience, glancePatience)
	return parts
}

// process is what the engines of one process share.
type process struct {
	run     string        // names it in what is stored
	ended   *atomic.Int64 // passes
	changes *trigger.Changes
	order   *order
}

// host is what an engine and its projects work with.
type host struct {
	Parts
	process
}
