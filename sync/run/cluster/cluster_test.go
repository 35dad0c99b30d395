package cluster

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/ledger/pgledger/pgtest"
	"github.com/locsync/locsync/sync/service/budget"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func join(t testing.TB, address string) *Cluster {
	t.Helper()
	c, err := Open(context.Background(), Options{Database: address, Log: zap.NewNop()})
	must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func snoozed(t *testing.T, err error) time.Duration {
	t.Helper()
	put, is := errors.AsType[*river.JobSnoozeError](err)
	if !is {
		t.Fatalf("not put off: %v", err)
	}
	return put.Duration
}

// One process has a project at a time. What the one before still does is refused, its requests too.
func TestALeaseIsOneProcesss(t *testing.T) {
	address := pgtest.Database(t)
	a, b := join(t, address), join(t, address)
	ctx := context.WithValue(t.Context(), attemptKey{}, &attempt{})
	held, done, err := a.Hold(ctx, "app", "pull")
	must(t, err)
	if _, _, err := b.Hold(ctx, "app", "push"); !errors.As(err, new(*ledger.LeaseError)) {
		t.Fatalf("a second process gets the project: %v", err)
	}
	key := ledger.Key{Scope: "app", Kind: "jobs", ID: "1"}
	must(t, a.Ledger("app").PutRecord(key, []byte("a")))
	asks := func(ctx context.Context, c *Cluster) error {
		return c.Update(ctx, "account", func(time.Duration, []byte) []byte { return []byte("x") })
	}
	must(t, asks(held, a))
	_, err = a.db.Pool().Exec(ctx,
		"UPDATE locsync.leases SET until = '-infinity' WHERE project = 'app'") // as time does
	must(t, err)
	_, other, err := b.Hold(ctx, "app", "push")
	must(t, err)
	for what, err := range map[string]error{"a write": a.Ledger("app").PutRecord(key, []byte("late")),
		"a request": asks(held, a)} {
		if !errors.As(err, new(*ledger.LeaseError)) {
			t.Errorf("%s of the process that had the project: %v", what, err)
		}
	}
	must(t, a.leases.renew(t.Context()))
	if _, lost := errors.AsType[*ledger.LeaseError](context.Cause(held)); !lost {
		t.Errorf("the pass goes on: %v", context.Cause(held))
	}
	done() // it must not give back what is another one's
	must(t, b.Ledger("app").PutRecord(key, []byte("b")))
	other()
	_, again, err := a.Hold(ctx, "app", "pull")
	must(t, err)
	again()
}

// A lease of before the database's clock was set back does not last until the clock is there again. A small step does
// not end one of a process that is alive.
func TestALeaseOfAClockThatWasSetBack(t *testing.T) {
	address := pgtest.Database(t)
	a, b := join(t, address), join(t, address)
	ctx := context.WithValue(t.Context(), attemptKey{}, &attempt{})
	_, done, err := a.Hold(ctx, "app", "pull")
	must(t, err)
	defer done()
	must(t, a.beat(ctx))
	_, err = a.db.Pool().Exec(ctx, "UPDATE locsync.leases SET until = clock_timestamp() + $1", leaseFor+clockTrust/2)
	must(t, err)
	if _, _, err := b.Hold(ctx, "app", "pull"); !errors.As(err, new(*ledger.LeaseError)) {
		t.Errorf("after a small step back a second process gets the project: %v", err)
	}
	if must(t, b.beat(ctx)); b.Leads() {
		t.Error("after a small step back a second process leads")
	}
	_, err = a.db.Pool().Exec(ctx, "UPDATE locsync.leases SET until = until + interval '5 minutes'")
	must(t, err)
	_, other, err := b.Hold(ctx, "app", "pull")
	must(t, err)
	defer other()
	if must(t, b.beat(ctx)); !b.Leads() {
		t.Error("nothing leads until the clock is there again")
	}
}

// A write to the ledger that takes long keeps the lease, and those of other projects too.
func TestALeaseLastsAsLongAsAWrite(t *testing.T) {
	c := join(t, pgtest.Database(t))
	ctx := context.WithValue(t.Context(), attemptKey{}, &attempt{})
	var held []context.Context
	for _, project := range []string{"app", "other"} {
		h, done, err := c.Hold(ctx, project, "pull")
		must(t, err)
		defer done()
		held = append(held, h)
	}
	short := func(project string) bool {
		var is bool
		must(t, c.db.Pool().QueryRow(ctx, "SELECT until < clock_timestamp() + interval '1 hour' FROM locsync.leases "+
			"WHERE project = $1", project).Scan(&is))
		return is
	}
	_, err := c.db.Pool().Exec(ctx, "UPDATE locsync.leases SET until = clock_timestamp() + interval '2 hours'")
	must(t, err)
	must(t, c.Ledger("app").Update(func(ledger.Writer) error { return c.leases.renew(t.Context()) }))
	if short("app") || !short("other") { // the one that is locked is left as it is
		t.Errorf("renewed: app %v, other %v", short("app"), short("other"))
	}
	must(t, c.leases.renew(t.Context()))
	if !short("app") {
		t.Error("the lease is not renewed after the write")
	}
	for _, h := range held {
		must(t, context.Cause(h))
	}
}

// A job whose handing out got lost goes back to the queue; one that this process has does not, nor one of another
// process.
func TestAJobThatGotLostIsFreed(t *testing.T) {
	c := join(t, pgtest.Database(t))
	ctx := t.Context()
	state := make(map[string]int64)
	for _, project := range []string{"lost", "had", "new", "other"} {
		made, err := c.queue.Insert(ctx, passArgs{project, "pull"}, nil)
		must(t, err)
		state[project] = made.Job.ID
	}
	_, err := c.db.Pool().Exec(ctx, `UPDATE locsync.river_job SET state = 'running',
		attempted_at = now() - CASE id WHEN $3 THEN interval '1 second' ELSE interval '1 hour' END,
		attempted_by = CASE id WHEN $2 THEN ARRAY[$1, 'another'] ELSE ARRAY['another', $1] END`,
		c.me.id, state["other"], state["new"])
	must(t, err)
	defer c.has(state["had"])()
	must(t, c.free(ctx))
	for project, id := range state {
		job, err := c.queue.JobGet(ctx, id)
		must(t, err)
		if free := job.State == "available"; free != (project == "lost") {
			t.Errorf("%s: %s", project, job.State)
		}
	}
}

// A job waits for the process that has the clone; one that it does not take soon after it is due is any other one's.
func TestAJobThatIsNotTakenWhereItsCloneIs(t *testing.T) {
	c := join(t, pgtest.Database(t))
	ctx := t.Context()
	if again, other := ownQueueOf("/state"), ownQueueOf("/other"); again != ownQueueOf("/state") || again == other {
		t.Errorf("queues are %s and %s", again, other)
	}
	ids := make(map[string]int64)
	for _, project := range []string{"due", "overdue", "later", "under way"} {
		made, err := c.queue.Insert(ctx, passArgs{project, "pull"}, &river.InsertOpts{Queue: c.me.ownQueue})
		must(t, err)
		ids[project] = made.Job.ID
	}
	_, err := c.db.Pool().Exec(ctx, `UPDATE locsync.river_job SET
		state = (CASE id WHEN $1 THEN 'running' WHEN $2 THEN 'scheduled' ELSE 'available' END)::locsync.river_job_state,
		scheduled_at = now() - CASE id WHEN $3 THEN interval '0' ELSE $4 + interval '1 second' END`,
		ids["under way"], ids["later"], ids["due"], ownPatience)
	must(t, err)
	must(t, giveBack(ctx, c.db))
	for project, id := range ids {
		job, err := c.queue.JobGet(ctx, id)
		must(t, err)
		if given := job.Queue == river.QueueDefault; given != (project == "overdue") {
			t.Errorf("%s: in the queue %s", project, job.Queue)
		}
	}
}

// A job is handed out when its pass is due by the database's clock, whatever the clock of the leading process, and of
// the one that put it off, says.
func TestADueJobIsBroughtForward(t *testing.T) {
	c := join(t, pgtest.Database(t))
	ctx := t.Context()
	ids := make(map[string]int64)
	for project, due := range map[string]string{"due": "-1 second", "later": "1 hour", "held": "-1 second"} {
		made, err := c.queue.Insert(ctx, passArgs{project, "pull"},
			&river.InsertOpts{ScheduledAt: time.Now().Add(time.Hour)})
		must(t, err)
		ids[project] = made.Job.ID
		_, err = c.db.Pool().Exec(ctx,
			`WITH job AS (UPDATE locsync.river_job SET scheduled_at = now() + $3::interval WHERE id = $2)
			INSERT INTO locsync.passes (project, pass, job, due) VALUES ($1, 'pull', $2, now() + $3::interval)`,
			project, made.Job.ID, due)
		must(t, err)
	}
	_, err := c.db.Pool().Exec(ctx, `UPDATE locsync.river_job SET state = 'available',
		scheduled_at = now() + interval '1 hour' WHERE id = $1`, ids["held"])
	must(t, err)
	must(t, c.sweep(ctx))
	for project, id := range ids {
		job, err := c.queue.JobGet(ctx, id)
		must(t, err)
		if handed := job.State == "available" && job.ScheduledAt.Before(time.Now()); handed == (project == "later") {
			t.Errorf("%s: %s", project, job.State)
		}
	}
}

// A job of a project that this process does not know is any process's again.
func TestAJobOfAnUnknownProjectIsGivenBack(t *testing.T) {
	c := join(t, pgtest.Database(t))
	of := passArgs{"app", "pull"}
	made, err := c.queue.Insert(t.Context(), of, &river.InsertOpts{Queue: c.me.ownQueue})
	must(t, err)
	_, err = c.db.Pool().Exec(t.Context(), "INSERT INTO locsync.passes (project, pass, job) VALUES ($1, $2, $3)",
		of.Project, of.Pass, made.Job.ID)
	must(t, err)
	known, err := c.configured(t.Context(), of)
	if pause := snoozed(t, err); known || pause != unknownAgain {
		t.Errorf("known: %v, put off by %v", known, pause)
	}
	job, err := c.queue.JobGet(t.Context(), made.Job.ID)
	must(t, err)
	if job.Queue != river.QueueDefault {
		t.Errorf("the job is in the queue %s", job.Queue)
	}
}

// A schedule that is new counts, also where there was none; when notices may begin a pass stays as it is.
func TestANewScheduleCounts(t *testing.T) {
	c := join(t, pgtest.Database(t))
	ctx, soon := t.Context(), time.Minute
	for project, due := range map[string]string{"none": "NULL", "later": "now() + interval '1 day'",
		"sooner": "now()"} {
		_, err := c.db.Pool().Exec(ctx, "INSERT INTO locsync.passes (project, pass, due) VALUES ($1, 'pull', "+due+")",
			project)
		must(t, err)
		must(t, sooner(ctx, c.db, []string{project}, []string{"pull"}, []*time.Duration{&soon}))
		var right, quiet bool
		must(t, c.db.Pool().QueryRow(ctx,
			"SELECT due < now() + interval '2 minutes', quiet IS NULL FROM locsync.passes "+
				"WHERE project = $1", project).Scan(&right, &quiet))
		if !right || !quiet {
			t.Errorf("%s: due soon: %v, notices at any time: %v", project, right, quiet)
		}
	}
}

// Requests of several processes leave as the budget of one would let them.
func TestABudgetOfSeveralProcesses(t *testing.T) {
	t.Parallel()
	address := pgtest.Database(t)
	const perSecond, processes = 20, 3
	var mu sync.Mutex
	var left []time.Time
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
	defer stop()
	var all sync.WaitGroup
	for range processes {
		b := budget.Open(budget.Options{Origin: "http://service", Account: "acc", Keeper: join(t, address)})
		for range 2 {
			all.Go(func() {
				for {
					ticket, err := b.Claim(ctx, budget.NewPace(perSecond), budget.Request{Rank: budget.Changes})
					if err != nil {
						return
					}
					if ticket.Lapsed() {
						t.Error("a ticket has lapsed at once")
					}
					mu.Lock()
					left = append(left, time.Now())
					mu.Unlock()
					_ = b.Answered(ctx, ticket, budget.NewPace(perSecond), false, 0)
				}
			})
		}
	}
	all.Wait()
	slices.SortFunc(left, time.Time.Compare)
	for i := perSecond; i < len(left); i++ {
		if window := left[i].Sub(left[i-perSecond]); window < time.Second {
			t.Errorf("%d requests in %v", perSecond+1, window)
		}
	}
	if len(left) < processes { // how many there are depends on the machine
		t.Errorf("only %d requests in 3 seconds", len(left))
	}
}

// A clock of the database that is set back does not begin the budget anew, and time goes on.
func TestTheTimeOfABudgetNeverGoesBack(t *testing.T) {
	c := join(t, pgtest.Database(t))
	var last time.Duration
	tick := func() {
		must(t, c.Update(t.Context(), "account", func(now time.Duration, _ []byte) []byte {
			if now < last {
				t.Errorf("time went back by %v", last-now)
			}
			last = now
			return []byte("x")
		}))
	}
	tick()
	_, err := c.db.Pool().Exec(t.Context(), "UPDATE locsync.budgets SET at = at + interval '5 minutes'")
	must(t, err)
	last += 5 * time.Minute
	tick()
	before, begun := last, time.Now()
	for last-before < 20*time.Millisecond && time.Since(begun) < time.Minute {
		tick()
	}
	if went := last - before; went < 20*time.Millisecond || went > time.Since(begun)+time.Minute {
		t.Errorf("time went on by %v in %v", went, time.Since(begun))
	}
}

// What requests cost at the database, while three processes ask for them at once. A request is claimed and answered.
func BenchmarkRequest(b *testing.B) {
	address := pgtest.Database(b)
	var next atomic.Int64
	var budgets []*budget.Budget
	for range 3 {
		budgets = append(budgets, budget.Open(budget.Options{Origin: "http://service", Account: "acc",
			Keeper: join(b, address)}))
	}
	const unbounded = 1e6 // the database is what is measured
	b.ResetTimer()
	b.SetParallelism(2)
	b.RunParallel(func(pb *testing.PB) {
		of := budgets[int(next.Add(1))%len(budgets)]
		for pb.Next() {
			ticket, err := of.Claim(b.Context(), budget.NewPace(unbounded), budget.Request{Rank: budget.Changes})
			if err != nil {
				b.Error(err)
				return
			}
			_ = of.Answered(b.Context(), ticket, budget.NewPace(unbounded), false, 0)
		}
	})
}
