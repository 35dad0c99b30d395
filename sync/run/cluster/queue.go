package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/ledger/pgledger"
	"github.com/locsync/locsync/sync/pass/engine"
)

// pgTx is a transaction of the queue.
type pgTx = pgx.Tx

const (
	// passesAtOnce is how many passes a process makes at once of projects whose clone it has, and as many of others.
	// Most of them wait for the service.
	passesAtOnce = 16
	// heldAgain is after how long a job is tried again whose project another pass has.
	heldAgain = 2 * time.Second
	// unknownAgain is after how long a job is tried again whose project is not in this process's configuration. Another
	// process may have it, while a new configuration is rolled out.
	unknownAgain = 5 * time.Second
	// unknownMost is after how long a project that no process knows is gone.
	unknownMost = 10 * time.Minute
	// restLeast and restMost bound the pause between passes that are asked for from outside (see trigger.Notices).
	restLeast = time.Second
	restMost  = 30 * time.Second
	// clockTrust is how much the clocks may differ without being corrected.
	clockTrust = 2 * time.Second
	// never is when a pass is due that has no schedule.
	never = time.Hour
	// lostAfter is for how long a job may be on its way from the database to this process.
	lostAfter = time.Minute
	// attemptsMost is never reached: a job is put off whatever happens, which the queue does not count.
	attemptsMost = 1000
)

// passArgs is a job: a pass of a project.
type passArgs struct {
	Project string `json:"project"`
	Pass    string `json:"pass"`
}

// Kind is river.JobArgs'.
func (passArgs) Kind() string { return "pass" }

// InsertOpts is river.JobArgsWithInsertOpts': there is one job of a pass, whatever state it is in.
func (passArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: attemptsMost, UniqueOpts: river.UniqueOpts{ByArgs: true,
		ByState: []rivertype.JobState{rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
			rivertype.JobStateRunning, rivertype.JobStateScheduled}}}
}

// worker makes the passes that the queue hands out.
type worker struct {
	river.WorkerDefaults[passArgs]
	c *Cluster
}

// Work is river.Worker's. Its error is always one that puts the job off: a job ends only with its project.
func (w *worker) Work(ctx context.Context, job *river.Job[passArgs]) error {
	defer w.c.has(job.ID)()
	return w.c.run(ctx, job.Args)
}

// has notes that this process has a job, until what it returns is called.
func (c *Cluster) has(job int64) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inHand[job] = true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.inHand, job)
	}
}

// free gives back to the queue the jobs that are this process's by what the database says, but not by what it knows:
// the answer that handed them out, or the word that they were put off, got lost on its way.
func (c *Cluster) free(ctx context.Context) error {
	c.mu.Lock()
	inHand := slices.AppendSeq([]int64{}, maps.Keys(c.inHand)) // not nil, which would be NULL
	c.mu.Unlock()
	_, err := c.db.Pool().Exec(ctx, `UPDATE locsync.river_job SET state = 'available', scheduled_at = now()
		WHERE kind = 'pass' AND state = 'running' AND attempted_by[array_upper(attempted_by, 1)] = $1
			AND attempted_at < now() - $2::interval AND id <> ALL ($3)`, c.me.id, lostAfter, inHand)
	if err != nil {
		return fmt.Errorf("give back jobs that got lost: %w", err)
	}
	return nil
}

// openQueue brings the queue's schema to the present one, and makes its client.
func (c *Cluster) openQueue(ctx context.Context) error {
	driver := riverpgxv5.New(c.db.Pool())
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Schema: pgledger.Schema, Logger: slogger(c.log)})
	if err != nil {
		return err
	}
	// The migrator commits each step by itself. The lock keeps other processes from beginning with it.
	err = pgledger.Migrating(ctx, c.db.Pool(), func(pgx.Tx) error {
		_, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	})
	if err != nil {
		return err
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{c: c})
	c.queue, err = river.NewClient(driver, &river.Config{ID: c.me.id, Schema: pgledger.Schema, Logger: slogger(c.log),
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: passesAtOnce},
			c.me.ownQueue: {MaxWorkers: passesAtOnce}}, Workers: workers,
		JobTimeout: -1, RescueStuckJobsAfter: 100 * 24 * time.Hour, MaxAttempts: attemptsMost})
	return err
}

// work has the queue hand out passes until ctx ends.
func (c *Cluster) work(ctx context.Context) error {
	for {
		err := c.queue.Start(context.WithoutCancel(ctx))
		if err == nil {
			break
		}
		c.noted(err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(beatEvery):
		}
	}
	<-ctx.Done()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := c.queue.StopAndCancel(stop); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stop the cluster's queue: %w", err)
	}
	return nil
}

// attempt is a job that this process has.
type attempt struct{ made int64 }

type attemptKey struct{}

func attemptOf(ctx context.Context) *attempt {
	a, _ := ctx.Value(attemptKey{}).(*attempt)
	return a
}

// planned is what is written down of a pass.
type planned struct {
	Now            time.Time
	Due, Quiet     *time.Time
	Asked, Noticed bool
	Wait           time.Duration

	read time.Time // when that was, on this machine's clock
}

// pause is for how long the pass is put off; 0: it is made now.
func (p planned) pause() time.Duration {
	until := p.Now.Add(never)
	if p.Due != nil {
		until = *p.Due
	}
	if p.Noticed && (p.Quiet == nil || p.Quiet.Before(until)) {
		until = p.Now
		if p.Quiet != nil {
			until = *p.Quiet
		}
	}
	if p.Asked {
		until = p.Now
	}
	return max(0, until.Sub(p.Now))
}

// putOff puts the job off. The queue reckons with this machine's clock: what that is behind is added, and where it is
// ahead, the job sleeps too long and is brought forward.
func (p planned) putOff() error {
	pause := p.pause()
	if behind := p.Now.Sub(p.read); behind > clockTrust || behind < -clockTrust {
		pause = max(0, pause+behind)
	}
	return river.JobSnooze(pause)
}

const plannedColumns = `clock_timestamp(), due, quiet, asked, noticed, wait`

func scanPlanned(row pgx.Row) (p planned, err error) {
	err = row.Scan(&p.Now, &p.Due, &p.Quiet, &p.Asked, &p.Noticed, &p.Wait)
	p.read = time.Now()
	return p, err
}

// run makes a pass, where it is due, and puts its job off until it is again.
func (c *Cluster) run(ctx context.Context, of passArgs) error {
	known, err := c.configured(ctx, of)
	if err != nil || !known {
		return err
	}
	p, err := scanPlanned(c.db.Pool().QueryRow(ctx, "SELECT "+plannedColumns+
		" FROM locsync.passes WHERE project = $1 AND pass = $2", of.Project, of.Pass))
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return river.JobCancel(errors.New("the project is not configured any more"))
	case err != nil:
		return putOff(c, err)
	case p.pause() > 0:
		return p.putOff()
	}
	a := &attempt{}
	began := time.Now()
	next, err := engine.Make(context.WithValue(ctx, attemptKey{}, a), c.using(), of.Project, of.Pass, p.Wait)
	if ctx.Err() != nil { // this process ends: another one takes it up
		return c.interrupted(ctx, of, a)
	}
	if errors.As(err, new(*ledger.LeaseError)) {
		c.again(of, a)
		return c.leases.clock.later(heldAgain)
	}
	if err != nil {
		return putOff(c, err)
	}
	var due *time.Duration
	if !next.Due.IsZero() {
		due = new(time.Until(next.Due))
	}
	queue := c.me.ownQueue
	if next.Failed {
		queue = river.QueueDefault
	}
	// A pass that was taken over meanwhile has another number: what comes of this one does not count.
	p, err = scanPlanned(c.db.Pool().QueryRow(ctx, `WITH noted AS (
			UPDATE locsync.passes SET due = clock_timestamp() + $4::interval, wait = $5, quiet = clock_timestamp() + $6,
				changed = clock_timestamp() WHERE project = $1 AND pass = $2 AND made = $3 RETURNING *),
		moved AS (
			UPDATE locsync.river_job j SET queue = $7 FROM locsync.passes p
			WHERE p.project = $1 AND j.id = p.job AND j.queue <> $7 AND EXISTS (SELECT FROM noted))
		SELECT `+plannedColumns+` FROM noted`, of.Project, of.Pass, a.made, due,
		next.Wait, min(max(time.Since(began), restLeast), restMost), queue))
	if errors.Is(err, pgx.ErrNoRows) {
		return c.leases.clock.later(heldAgain)
	}
	if err != nil {
		c.again(of, a)
		return putOff(c, err)
	}
	return p.putOff()
}

// putOff is for a job about which the database could not be asked.
func putOff(c *Cluster, err error) error {
	c.log.Debug("a job is put off", zap.Error(err))
	return c.leases.clock.later(heldAgain)
}

// again asks for a pass that had begun, as what it was to answer is noted as answered. It is told when the database is
// back.
func (c *Cluster) again(of passArgs, a *attempt) {
	if a.made > 0 {
		c.Ask(of.Project, of.Pass, false)
	}
}

// interrupted has a pass that was given up made again at once.
func (c *Cluster) interrupted(ctx context.Context, of passArgs, a *attempt) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if _, err := c.db.Pool().Exec(ctx, `WITH given AS (
			UPDATE locsync.passes SET asked = true WHERE project = $1 AND pass = $2 AND made = $3 RETURNING job)
		UPDATE locsync.river_job j SET queue = $4 FROM given WHERE j.id = given.job`,
		of.Project, of.Pass, a.made, river.QueueDefault); err != nil {
		c.log.Debug("hand a pass over", zap.Error(err))
	}
	return c.leases.clock.later(0)
}

// configured reports whether the project is in this process's configuration; where it is not, the error puts the job
// off to any process, and ends it where none has known the project for long.
func (c *Cluster) configured(ctx context.Context, of passArgs) (bool, error) {
	if e := c.using(); e != nil && engine.Makes(e, of.Project, of.Pass) {
		return true, nil
	}
	gone, err := c.db.Pool().Exec(ctx, `DELETE FROM locsync.passes WHERE project = $1 AND pass = $2
		AND unknown < clock_timestamp() - $3::interval`, of.Project, of.Pass, unknownMost)
	if err == nil && gone.RowsAffected() > 0 {
		return false, river.JobCancel(errors.New("the project is not configured any more"))
	}
	if err == nil {
		_, err = c.db.Pool().Exec(ctx, `WITH given AS (
				UPDATE locsync.passes SET unknown = COALESCE(unknown, clock_timestamp())
				WHERE project = $1 AND pass = $2 RETURNING job)
			UPDATE locsync.river_job j SET queue = $3 FROM given WHERE j.id = given.job`,
			of.Project, of.Pass, river.QueueDefault)
	}
	if err != nil {
		return false, putOff(c, err)
	}
	return false, c.leases.clock.later(unknownAgain)
}
