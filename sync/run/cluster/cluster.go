// Package cluster lets many processes on many machines make the passes of one configuration, through PostgreSQL.
//
// Its law: a pass is made by one process at a time, under a lease. What a process that does not have the lease any more
// still does has no effect: the ledger compares the epoch of the lease with each write, and the budget with each
// request. The queue only says who tries when; were it wrong, a pass would be made too often or late, never twice at
// once.
//
// A pass is a job of River, unique by project and kind. The job lives as long as the project is configured: it is put
// off to the time at which the pass is due next, by schedule or after a failure, and brought forward when it is asked
// for. When that is, and who asked, is in the table of passes (see package pgledger), in which nothing gets lost while
// a job is under way.
//
// Every process has a row that it renews each beat. What a process had that is silent for longer than leaseFor goes
// back to the queue; one process, which has a lease for that, sees to it. The database's clock counts, no other one. A
// process that sees that it was set by more than clockTrust takes nothing over for leaseFor; one that starts later does
// not see it. A process that cannot reach the database gives up its passes when their leases end, and makes no request
// until then that the budget does not know.
//
// The package decides nothing about texts and schedules. It calls the engine for a pass and takes from it when the next
// one is due.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/ledger/pgledger"
	"github.com/locsync/locsync/sync/pass/engine"
)

const (
	// beatEvery is how often a process says that it is there, and renews its leases.
	beatEvery = 3 * time.Second
	// leaseFor is how long a process may be silent before another one takes over.
	leaseFor = 15 * time.Second
	// leaseMost is how long a lease may have left. One that has longer is of before the clock was set back.
	leaseMost = leaseFor + clockTrust
)

// self is what this process is called.
type self struct {
	id       string
	ownQueue string // the one for passes of projects whose clones it has
}

// Cluster is what this process shares with the others.
type Cluster struct {
	me  self
	db  *pgledger.Database
	log *zap.Logger

	leases leases

	mu      sync.Mutex
	asked   map[passArgs]*asking  // what is to be told to the database
	pending chan struct{}         // full while asked is not empty
	engine  func() *engine.Engine // nil before Run
	inHand  map[int64]bool        // the jobs that this process has, by their number
	known   known

	beaten atomic.Pointer[beat]
	leads  atomic.Bool
	away   atomic.Bool // the database did not answer last
	queue  *river.Client[pgTx]
}

// known is what the engine was told.
type known struct {
	of      *engine.Engine       // a new one knows nothing
	since   time.Time            // the database's time up to which it was
	changed map[string]time.Time // by project: when the last change was that it was told of
}

// beat is how the last one went.
type beat struct {
	at  time.Time
	err error
}

// Options are what a process takes part with.
type Options struct {
	Database string // its address
	Folder   string // of this process's clones
	Log      *zap.Logger
}

// Open takes part in the cluster of a database, whose schema is brought to the present one. A *ledger.NewerError tells
// of a database that a newer locsync has written.
func Open(ctx context.Context, o Options) (*Cluster, error) {
	id := uuid.NewString()
	db, err := pgledger.Connect(ctx, o.Database, "locsync "+id)
	if err != nil {
		return nil, err
	}
	c := &Cluster{me: self{id, ownQueueOf(o.Folder)}, db: db, log: o.Log,
		leases: leases{db: db, process: id, log: o.Log,
			ledgers: make(map[string]*pgledger.Store), held: make(map[string]*lease)},
		asked: make(map[passArgs]*asking), pending: make(chan struct{}, 1), inHand: make(map[int64]bool),
		known: known{changed: make(map[string]time.Time)}}
	if err := c.openQueue(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the cluster's queue: %w", err), db.Close())
	}
	return c, nil
}

// Close leaves the cluster.
func (c *Cluster) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, err := c.db.Pool().Exec(ctx, "DELETE FROM locsync.processes WHERE id = $1", c.me.id)
	if err == nil {
		_, err = c.db.Pool().Exec(ctx, "DELETE FROM locsync.leases WHERE project = '' AND holder = $1", c.me.id)
	}
	if err != nil {
		c.log.Debug("leave the cluster", zap.Error(err)) // it is over when the others have waited for long enough
	}
	return c.db.Close()
}

// Readdress prepares to use another address of the same database for new connections; what it returns begins with
// that.
func (c *Cluster) Readdress(database string) (begin func(), err error) {
	return c.db.Readdress(database)
}

// Store is the ledger of what belongs to no project, and of all projects for those that only read.
func (c *Cluster) Store() ledger.Store { return c.db.Store() }

// Ledger is engine.Cluster's.
func (c *Cluster) Ledger(project string) ledger.Store { return c.leases.ledger(project) }

// Leads is engine.Cluster's.
func (c *Cluster) Leads() bool { return c.leads.Load() }

// Ready is engine.Cluster's.
func (c *Cluster) Ready() error {
	switch b := c.beaten.Load(); {
	case b == nil:
		return errors.New("the cluster's database was not asked yet")
	case b.err != nil:
		return fmt.Errorf("no pass is made, because the cluster's database cannot be used: %w", b.err)
	}
	return nil
}

// Away is engine.Cluster's.
func (c *Cluster) Away() error {
	if b := c.beaten.Load(); b != nil {
		return b.err
	}
	return nil
}

// Run makes passes until ctx ends, with the engine that is used at the time. Passes under way are given up then; what
// they began is stored and taken up again.
func (c *Cluster) Run(ctx context.Context, used func() *engine.Engine) error {
	c.mu.Lock()
	c.engine = used
	c.mu.Unlock()
	var all sync.WaitGroup
	all.Go(func() { fault.Keep(ctx, "the beats of the cluster", func() { c.beats(ctx) }) })
	all.Go(func() { fault.Keep(ctx, "the events of the cluster", func() { c.tell(ctx) }) })
	err := c.work(ctx)
	all.Wait()
	return err
}

func (c *Cluster) using() *engine.Engine {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.engine == nil {
		return nil
	}
	return c.engine()
}

// beats says that this process is there, until ctx ends.
func (c *Cluster) beats(ctx context.Context) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	var checked time.Time
	for ctx.Err() == nil {
		err := c.beat(ctx)
		if err == nil && c.Leads() {
			err = c.sweep(ctx)
		}
		if err == nil && time.Since(checked) > checkEvery {
			if err = errors.Join(c.Check(ctx), c.free(ctx)); err == nil {
				checked = time.Now()
			}
		}
		if e := c.using(); err == nil && e != nil {
			err = c.Learn(ctx, e)
		}
		if ctx.Err() == nil {
			c.noted(err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// noted says once that the database is away, and once that it is back.
func (c *Cluster) noted(err error) {
	c.beaten.Store(&beat{time.Now(), err})
	away := err != nil
	if c.away.Swap(away) == away {
		return
	}
	if away {
		c.log.Error("the cluster's database cannot be used; passes pause and no request is made until it can", zap.Error(err))
	} else {
		c.log.Warn("the cluster's database is used again")
	}
}

// beat says that this process is there, and leads where no other process does.
func (c *Cluster) beat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leaseFor/2)
	defer cancel()
	if err := c.leases.present(ctx); err != nil {
		c.leads.Store(false)
		return err
	}
	from, to := c.leases.clock.ages()
	led, err := c.db.Pool().Exec(ctx, `INSERT INTO locsync.leases AS l
		VALUES ('', 1, $1, '', clock_timestamp(), clock_timestamp() + $2, '-infinity')
		ON CONFLICT (project) DO UPDATE SET epoch = l.epoch + (l.holder <> $1)::int, holder = $1,
			until = clock_timestamp() + $2
			WHERE l.holder = $1 OR NOT l.until BETWEEN clock_timestamp() AND clock_timestamp() + $5
				AND clock_timestamp() BETWEEN $3 AND $4`, c.me.id, leaseFor, from, to, leaseMost)
	if err != nil {
		c.leads.Store(false)
		return fmt.Errorf("lead the cluster: %w", err)
	}
	c.leads.Store(led.RowsAffected() == 1)
	return c.leases.clock.correct(ctx, c.Leads(), &c.leases)
}

// slogger has the queue's own log in ours. What it warns of, it tries again.
func slogger(log *zap.Logger) *slog.Logger { return slog.New(&handler{log: log}) }
