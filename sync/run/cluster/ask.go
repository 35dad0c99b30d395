package cluster

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/memory/ledger/pgledger"
	"github.com/locsync/locsync/sync/pass/engine"
)

const (
	// askEvery is how long the database may be away before it is told again what was asked for.
	askEvery = time.Second
	// checkEvery is how often it is seen whether each pass of the configuration has a job.
	checkEvery = time.Minute
	// insertMost is how many jobs are made at once.
	insertMost = 1000
)

// asleep is whether a job j is not handed out yet. The queue has those of a short pause among the available ones.
const asleep = `(j.state IN ('scheduled', 'retryable') OR j.state = 'available' AND j.scheduled_at > now())`

// asking is how a pass was asked for.
type asking struct{ asked, noticed bool }

// Ask is engine.Cluster's. What is asked for while the database is away is told when it is back.
func (c *Cluster) Ask(project, passOf string, notice bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := passArgs{project, passOf}
	a := c.asked[of]
	if a == nil {
		a = &asking{}
		c.asked[of] = a
	}
	a.asked, a.noticed = a.asked || !notice, a.noticed || notice
	select {
	case c.pending <- struct{}{}:
	default:
	}
}

// tell tells the database what was asked for, until ctx ends.
func (c *Cluster) tell(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.pending:
		}
		for ctx.Err() == nil {
			err := c.ask(ctx)
			if err == nil {
				break
			}
			c.log.Debug("ask for passes", zap.Error(err))
			select {
			case <-ctx.Done():
			case <-time.After(askEvery):
			}
		}
	}
}

// ask writes down what was asked for, and brings the jobs forward. A job that is under way is made again after it.
func (c *Cluster) ask(ctx context.Context) error {
	c.mu.Lock()
	asked := c.asked
	c.asked = make(map[passArgs]*asking)
	c.mu.Unlock()
	var projects, passes []string
	var urgent []bool
	for of, a := range asked {
		projects, passes, urgent = append(projects, of.Project), append(passes, of.Pass), append(urgent, a.asked)
	}
	_, err := c.db.Pool().Exec(ctx, `WITH wanted AS (
			UPDATE locsync.passes p SET asked = p.asked OR w.urgent, noticed = p.noticed OR NOT w.urgent
			FROM unnest($1::text[], $2::text[], $3::boolean[]) AS w (project, pass, urgent)
			WHERE p.project = w.project AND p.pass = w.pass RETURNING p.job)
		UPDATE locsync.river_job j SET state = 'available', scheduled_at = now() FROM wanted
		WHERE j.id = wanted.job AND `+asleep, projects, passes, urgent)
	if err == nil {
		return nil
	}
	for of, a := range asked {
		if a.asked {
			c.Ask(of.Project, of.Pass, false)
		}
		if a.noticed {
			c.Ask(of.Project, of.Pass, true)
		}
	}
	return err
}

// sweep gives back to the queue what processes had that are silent, and brings forward what was asked for while its job
// was under way, and what is due by the database's clock: the queue goes by this machine's. Processes that were killed
// are forgotten after a day.
func (c *Cluster) sweep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leaseFor)
	defer cancel()
	from, to := c.leases.clock.ages()
	rows, err := c.db.Pool().Query(ctx, `WITH freed AS (
			UPDATE locsync.river_job j SET state = 'available', scheduled_at = now(), queue = $2
			WHERE j.kind = 'pass' AND j.state = 'running' AND clock_timestamp() BETWEEN $3 AND $4
				AND NOT EXISTS (SELECT FROM locsync.processes p
				WHERE p.id = j.attempted_by[array_upper(j.attempted_by, 1)]
					AND p.seen BETWEEN clock_timestamp() - $1::interval AND clock_timestamp() + $1::interval)
			RETURNING j.id)
		UPDATE locsync.passes p SET asked = true FROM freed WHERE p.job = freed.id
		RETURNING p.project || ': ' || p.pass`, leaseFor, river.QueueDefault, from, to)
	if err != nil {
		return fmt.Errorf("take over passes: %w", err)
	}
	taken, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("take over passes: %w", err)
	}
	if len(taken) > 0 {
		c.log.Warn("a process is silent; the passes that it was making are made again", zap.Strings("passes", taken))
	}
	_, err = c.db.Pool().Exec(ctx, `UPDATE locsync.river_job j SET state = 'available', scheduled_at = now()
		FROM locsync.passes p
		WHERE (p.asked OR p.noticed AND (p.quiet IS NULL OR p.quiet < clock_timestamp()) OR p.due < clock_timestamp())
			AND j.id = p.job AND `+asleep)
	if err != nil {
		return fmt.Errorf("bring passes forward: %w", err)
	}
	_, err = c.db.Pool().Exec(ctx, "DELETE FROM locsync.processes WHERE seen < clock_timestamp() - interval '1 day'")
	if err != nil {
		return fmt.Errorf("forget processes that ended: %w", err)
	}
	return giveBack(ctx, c.db)
}

// Check sees to it that every pass of the configuration is written down and has a job.
func (c *Cluster) Check(ctx context.Context) error {
	e := c.using()
	if e == nil {
		return nil
	}
	wanted := engine.Wanted(e, time.Now())
	var projects, passes []string
	var due, latest []*time.Duration
	until := func(at time.Time) *time.Duration {
		if at.IsZero() {
			return nil
		}
		return new(time.Until(at))
	}
	for _, w := range wanted {
		projects, passes = append(projects, w.Project), append(passes, w.Pass)
		due, latest = append(due, until(w.Due)), append(latest, until(w.Latest))
	}
	if err := sooner(ctx, c.db, projects, passes, latest); err != nil {
		return err
	}
	rows, err := c.db.Pool().Query(ctx, `WITH wanted AS (
			SELECT w.project, w.pass, clock_timestamp() + w.due AS due
			FROM unnest($1::text[], $2::text[], $3::interval[]) AS w (project, pass, due)),
		noted AS (
			INSERT INTO locsync.passes AS p (project, pass, due) SELECT * FROM wanted
			ON CONFLICT (project, pass) DO UPDATE SET due = least(p.due, excluded.due), unknown = NULL
				WHERE p.unknown IS NOT NULL)
		SELECT w.project, w.pass, w.due FROM wanted w LEFT JOIN locsync.passes p USING (project, pass)
		WHERE NOT EXISTS (SELECT FROM locsync.river_job j
			WHERE j.id = p.job AND j.state NOT IN ('cancelled', 'completed', 'discarded'))`, projects, passes, due)
	if err != nil {
		return fmt.Errorf("write down the passes of the configuration: %w", err)
	}
	missing, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		Project, Pass string
		Due           *time.Time
	}])
	if err != nil {
		return fmt.Errorf("write down the passes of the configuration: %w", err)
	}
	var jobs []river.InsertManyParams
	for _, m := range missing {
		at := time.Now().Add(never)
		if m.Due != nil {
			at = *m.Due
		}
		jobs = append(jobs, river.InsertManyParams{Args: passArgs{m.Project, m.Pass},
			InsertOpts: &river.InsertOpts{ScheduledAt: at}})
	}
	for len(jobs) > 0 {
		n := min(len(jobs), insertMost)
		if err := c.insert(ctx, jobs[:n]); err != nil {
			return fmt.Errorf("make the jobs of the configuration: %w", err)
		}
		jobs = jobs[n:]
	}
	return nil
}

// sooner has passes made by the time that they are due at the latest: what is written down is later where the schedule
// is a new one, and where the clock was set back.
func sooner(ctx context.Context, db *pgledger.Database, projects, passes []string, latest []*time.Duration) error {
	_, err := db.Pool().Exec(ctx, `UPDATE locsync.passes p
		SET due = least(p.due, clock_timestamp() + w.latest), changed = clock_timestamp(),
			quiet = CASE WHEN p.quiet IS NOT NULL THEN least(p.quiet, clock_timestamp() + $4) END
		FROM unnest($1::text[], $2::text[], $3::interval[]) AS w (project, pass, latest)
		WHERE p.project = w.project AND p.pass = w.pass
			AND (p.due IS NULL AND w.latest IS NOT NULL OR p.due > clock_timestamp() + w.latest
				OR p.quiet > clock_timestamp() + $4)`,
		projects, passes, latest, restMost)
	if err != nil {
		return fmt.Errorf("write down when passes are due: %w", err)
	}
	return nil
}

// insert makes those jobs that no other process has made meanwhile, and writes down which they are.
func (c *Cluster) insert(ctx context.Context, jobs []river.InsertManyParams) error {
	made, err := c.queue.InsertMany(ctx, jobs)
	if err != nil {
		return err
	}
	var ids []int64
	var projects, passes []string
	for i, m := range made {
		of := jobs[i].Args.(passArgs)
		ids, projects, passes = append(ids, m.Job.ID), append(projects, of.Project), append(passes, of.Pass)
	}
	_, err = c.db.Pool().Exec(ctx, `UPDATE locsync.passes p SET job = m.id
		FROM unnest($1::bigint[], $2::text[], $3::text[]) AS m (id, project, pass)
		WHERE p.project = m.project AND p.pass = m.pass`, ids, projects, passes)
	return err
}

// learnOverlap is how far back is asked again: a change may be committed later than one with a later time.
const learnOverlap = 10 * time.Second

// Learn tells an engine what other processes do, and which passes have ended, since it did last.
func (c *Cluster) Learn(ctx context.Context, e *engine.Engine) error {
	if c.known.of != e {
		c.known = known{of: e, changed: make(map[string]time.Time)}
	}
	ctx, cancel := context.WithTimeout(ctx, leaseFor)
	defer cancel()
	rows, err := c.db.Pool().Query(ctx, `SELECT clock_timestamp(), p.project, p.due,
			COALESCE(l.holder, ''), COALESCE(l.pass, ''), COALESCE(l.until < clock_timestamp(), true),
			COALESCE(l.changed, p.changed), COALESCE(o.host || ', process ' || o.pid, '')
		FROM locsync.passes p LEFT JOIN locsync.leases l ON l.project = p.project
			LEFT JOIN locsync.processes o ON o.id = l.holder
			JOIN (SELECT least($1, clock_timestamp()) - $2::interval AS at) AS since
				ON l.changed > since.at OR p.changed > since.at
		WHERE p.pass = 'pull' OR NOT EXISTS (
			SELECT FROM locsync.passes other WHERE other.project = p.project AND other.pass = 'pull')`,
		c.known.since, learnOverlap)
	if err != nil {
		return fmt.Errorf("see what other processes do: %w", err)
	}
	type row struct {
		Now          time.Time
		Project      string
		Due          *time.Time
		Holder, Pass string
		Free         bool
		Changed      time.Time
		Where        string
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		return fmt.Errorf("see what other processes do: %w", err)
	}
	var known []engine.Known
	for _, r := range all {
		k := engine.Known{Project: r.Project, Pull: r.Due, Ended: !r.Changed.Equal(c.known.changed[r.Project])}
		if !r.Free && r.Holder != c.me.id {
			k.Doing = r.Pass + " on " + r.Where
		}
		known = append(known, k)
		c.known.since = r.Now
		c.known.changed[r.Project] = r.Changed
	}
	if len(known) == 0 {
		return nil
	}
	if err := engine.Learn(e, known); err != nil {
		clear(c.known.changed) // it is learned again
		return err
	}
	return nil
}
