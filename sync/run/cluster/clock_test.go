package cluster

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/locsync/locsync/sync/memory/ledger/pgledger/pgtest"
)

// Where the database's clock is set, forward and back, no process takes over what another one has that is alive, and a
// process that is silent since is replaced a little later. What is due is due after as long as before.
func TestAClockThatWasSetTakesNothingOver(t *testing.T) {
	t.Parallel()
	if found, _ := filepath.Glob(pgtest.Faketime); len(found) == 0 {
		t.Skip("NOTE: no libfaketime here (Debian's package faketime)")
	}
	server := pgtest.Start(t, "locsync")
	a, b := join(t, server.Address("locsync")), join(t, server.Address("locsync"))
	ctx := context.WithValue(t.Context(), attemptKey{}, &attempt{})
	made, err := a.queue.Insert(ctx, passArgs{"app", "pull"}, nil)
	must(t, err)
	_, err = a.db.Pool().Exec(ctx, "INSERT INTO locsync.passes (project, pass, due) VALUES ('app', 'pull', $1)",
		time.Now().Add(time.Hour))
	must(t, err)
	for _, clock := range []string{"+5m", ""} {
		must(t, again(func() error { return a.beat(ctx) }))
		must(t, b.beat(ctx))
		held, done, err := b.Hold(ctx, "app", "pull")
		must(t, err)
		_, err = b.db.Pool().Exec(ctx, "UPDATE locsync.river_job SET state = 'running', attempted_by = ARRAY[$1]",
			b.me.id)
		must(t, err)
		server.Stop()
		server.Clock = clock
		must(t, server.Start())
		must(t, again(func() error { return a.beat(ctx) }))
		must(t, a.sweep(ctx))
		job, err := a.queue.JobGet(ctx, made.Job.ID)
		must(t, err)
		if job.State != "running" {
			t.Errorf("the clock %q: the job of a process that is alive is %s", clock, job.State)
		}
		if _, _, err := a.Hold(ctx, "app", "push"); err == nil {
			t.Errorf("the clock %q: the lease of a process that is alive is taken over", clock)
		}
		must(t, again(func() error { return b.beat(ctx) }))
		must(t, context.Cause(held))
		done()
		var due time.Duration
		must(t, a.db.Pool().QueryRow(ctx, "SELECT due - clock_timestamp() FROM locsync.passes").Scan(&due))
		if due < 59*time.Minute || due > 61*time.Minute {
			t.Errorf("the clock %q: what was due in an hour is due in %v", clock, due)
		}
	}
	a.leases.clock.trusted = time.Now() // as time does
	_, err = a.db.Pool().Exec(ctx,
		"UPDATE locsync.processes SET seen = clock_timestamp() - interval '1 minute' WHERE id = $1", b.me.id)
	must(t, err)
	must(t, a.beat(ctx))
	must(t, a.sweep(ctx))
	if job, err := a.queue.JobGet(ctx, made.Job.ID); err != nil || job.State != "available" {
		t.Errorf("the job of a process that is silent: %v, %v", job.State, err)
	}
}

// again tries until a database that was restarted answers.
func again(try func() error) (err error) {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err = try(); err == nil {
			return nil
		}
	}
	return err
}

// A pass that a command makes, which is no process of the cluster, keeps its lease for as long as it takes.
func TestACommandKeepsItsLease(t *testing.T) {
	t.Parallel()
	c := join(t, pgtest.Database(t))
	held, done, err := c.Hold(t.Context(), "app", "push")
	must(t, err)
	defer done()
	if c.leases.clock.there.IsZero() {
		t.Error("a command does not compare the clock")
	}
	_, err = c.db.Pool().Exec(t.Context(), "UPDATE locsync.leases SET until = clock_timestamp() + interval '1 second'")
	must(t, err)
	for end := time.Now().Add(2 * leaseFor); ; time.Sleep(50 * time.Millisecond) {
		var renewed bool
		must(t, c.db.Pool().QueryRow(t.Context(), "SELECT until > clock_timestamp() + interval '5 seconds' "+
			"FROM locsync.leases WHERE project = 'app'").Scan(&renewed))
		if renewed {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the lease of a command is not renewed")
		}
	}
	must(t, context.Cause(held))
}

// Only a clock that was set parts from the time that passes here, however long answers take.
func TestAClockIsCompared(t *testing.T) {
	start := time.Now()
	for name, of := range map[string]struct {
		asked, answered, there time.Duration // since the answer before
		trusted                bool
	}{
		"as it is":        {3 * time.Second, 3 * time.Second, 3 * time.Second, true},
		"a slow answer":   {3 * time.Second, 9 * time.Second, 8 * time.Second, true},
		"stopped":         {time.Hour, time.Hour, time.Hour, true},
		"set back":        {3 * time.Second, 3 * time.Second, -time.Minute, false},
		"set forward":     {3 * time.Second, 9 * time.Second, time.Minute, false},
		"a little of all": {3 * time.Second, 3 * time.Second, 4 * time.Second, true},
	} {
		c := clock{there: start.Add(time.Hour), asked: start, answered: start}
		from, to := c.expected(start.Add(of.asked), start.Add(of.answered))
		there := start.Add(time.Hour + of.there)
		if trusted := !there.Before(from) && !there.After(to); trusted != of.trusted {
			t.Errorf("%s: trusted: %v", name, trusted)
		}
	}
}

// Before it is seen that the clock was set forward, no lease is over that a beat would have renewed.
func TestAgesCountForLessThanALease(t *testing.T) {
	var c clock
	c.saw(time.Now(), time.Now())
	if from, to := c.ages(); to.Sub(c.there) > leaseFor-beatEvery-clockTrust || !from.Before(c.there) {
		t.Errorf("ages count from %v to %v after the last answer", from.Sub(c.there), to.Sub(c.there))
	}
}

// While this machine sleeps the database's clock goes on. Ages wait for the others; what is due is not moved.
func TestAClockIsNotSetBySleep(t *testing.T) {
	for _, slept := range []time.Duration{0, time.Hour} {
		now := time.Now()
		c := clock{there: now, asked: now, answered: now, asleep: sleepTime() - slept}
		c.saw(now.Add(time.Hour), now)
		if c.trusted.IsZero() {
			t.Errorf("slept %v: ages count at once", slept)
		}
		if want := time.Hour - slept; c.set.Round(time.Minute) != want {
			t.Errorf("slept %v: the clock was set by %v, want %v", slept, c.set, want)
		}
	}
}

// What is due is moved once, however often that is tried, and not where it is by the new clock.
func TestDueJobsAreMovedOnce(t *testing.T) {
	c := join(t, pgtest.Database(t))
	_, err := c.db.Pool().Exec(t.Context(), `INSERT INTO locsync.passes (project, pass, due, changed)
		SELECT project, 'pull', clock_timestamp() + interval '1 hour', clock_timestamp() + changed
		FROM (VALUES ('before', interval '-1 day'), ('set back', '1 day'), ('after', '0')) AS v (project, changed)`)
	must(t, err)
	for range 2 {
		c.leases.clock.set, c.leases.clock.since = 5*time.Minute, time.Now().Add(-time.Minute)
		must(t, c.leases.clock.correct(t.Context(), true, &c.leases))
	}
	for project, want := range map[string]time.Duration{"before": 65, "set back": 65, "after": 60} {
		var due time.Duration
		must(t, c.db.Pool().QueryRow(t.Context(),
			"SELECT due - clock_timestamp() FROM locsync.passes WHERE project = $1",
			project).Scan(&due))
		if due.Round(time.Minute) != want*time.Minute {
			t.Errorf("%s: due in %v, want %v", project, due, want*time.Minute)
		}
	}
}

// A job that is put off is handed out after the pause by the database's clock, or sleeps until it is brought forward.
func TestAPauseIsByTheDatabasesClock(t *testing.T) {
	for ahead, want := range map[time.Duration]time.Duration{
		0: time.Minute, time.Second: time.Minute, 5 * time.Minute: 6 * time.Minute, -5 * time.Minute: 0,
	} {
		c := clock{there: time.Now().Add(ahead), answered: time.Now()}
		if pause := snoozed(t, c.later(time.Minute)); pause.Round(time.Second) != want {
			t.Errorf("the database's clock is %v ahead: put off by %v, want %v", ahead, pause, want)
		}
	}
	if pause := snoozed(t, new(clock).later(time.Minute)); pause != time.Minute {
		t.Errorf("put off by %v before the clock is known", pause)
	}
}

// A process that was killed is forgotten after a day, and not before: it is named where its passes are taken over.
func TestKilledProcessesAreForgotten(t *testing.T) {
	a := join(t, pgtest.Database(t))
	ctx := t.Context()
	must(t, a.beat(ctx))
	for _, age := range []string{"1 hour", "2 days"} {
		_, err := a.db.Pool().Exec(ctx,
			"INSERT INTO locsync.processes VALUES ($1::text, 'host', 1, clock_timestamp(), "+
				"clock_timestamp() - $1::text::interval)", age)
		must(t, err)
	}
	must(t, a.sweep(ctx))
	rows, err := a.db.Pool().Query(ctx, "SELECT id FROM locsync.processes ORDER BY seen")
	must(t, err)
	left, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	if want := []string{"1 hour", a.me.id}; !slices.Equal(left, want) {
		t.Errorf("%q, want %q", left, want)
	}
}
