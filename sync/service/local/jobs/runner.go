// Package jobs does what takes longer than a call: imports, exports and all other work that is accepted now, done later
// and asked for by its identifier.
//
// Its law: a job is stored before the call that starts it is answered, and ends in the transaction that has the last of
// its effects, so that a crash repeats or resumes it and counts nothing twice. How a job of a kind is done, its owner
// says (Handle); what goes wrong inside one ends that job, not the service.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
	"go.uber.org/zap"
)

// Runner does jobs: those of a queue one after the other, or as many at once as the queue has workers.
type Runner struct {
	store   *store.Store
	log     *zap.Logger
	delay   time.Duration // how long a job takes at least
	results string        // folder
	kinds   map[string]kind
	queues  []*Queue
	stop    context.CancelFunc
	workers sync.WaitGroup
}

// kind is how jobs of one kind are done.
type kind struct {
	queue  *Queue
	run    func(ctx context.Context, j *store.Job) error
	failed func(tx *store.Tx, j *store.Job) error // takes back what a failed job leaves behind; nil: nothing
}

// New makes a runner that keeps the files which jobs make in a folder.
func New(st *store.Store, results string, delay time.Duration, log *zap.Logger) (*Runner, error) {
	r := &Runner{store: st, log: log, delay: delay, results: results, kinds: map[string]kind{}}
	return r, errors.Join(os.MkdirAll(results, 0o700), r.sweepResults())
}

// NewQueue adds a queue with as many workers.
func (r *Runner) NewQueue(workers int) *Queue {
	q := &Queue{workers: workers, running: map[string]bool{}, wake: store.NewSignal()}
	r.queues = append(r.queues, q)
	return q
}

// Handle says how jobs of a kind are done. All kinds are known before the runner opens.
func (r *Runner) Handle(name string, q *Queue, run func(ctx context.Context, j *store.Job) error,
	failed func(tx *store.Tx, j *store.Job) error) {
	r.kinds[name] = kind{q, run, failed}
}

// Open puts the jobs that a former process left into the queues, and begins to work. Those of other accounts wait for
// a process that serves them.
func (r *Runner) Open() error {
	err := r.store.View(func(tx *store.Tx) error {
		queued, err := store.QueuedJobs(tx)
		for _, j := range queued {
			if j.Account == tx.Account() {
				r.kinds[j.Kind()].queue.add(j.ID)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	for _, q := range r.queues {
		for range q.workers {
			r.workers.Go(func() { fault.Keep(ctx, "a worker of jobs", func() { r.work(ctx, q) }) })
		}
	}
	return nil
}

// Close ends the work. A job that is cut short stays in the stored queue.
func (r *Runner) Close() {
	r.stop()
	r.workers.Wait()
}

// IsRunning tells whether a job is being worked on.
func (r *Runner) IsRunning(j *store.Job) bool { return r.kinds[j.Kind()].queue.isRunning(j.ID) }

// work runs the jobs of one queue, one after the other, until ctx ends.
func (r *Runner) work(ctx context.Context, q *Queue) {
	for {
		id, ok := q.next(ctx)
		if !ok {
			return
		}
		if !api.Pause(ctx, r.delay/2) {
			return
		}
		q.setRunning(id, true)
		if !api.Pause(ctx, r.delay-r.delay/2) {
			return
		}
		err := r.run(ctx, id)
		q.setRunning(id, false)
		if err != nil && ctx.Err() == nil {
			r.log.Error("job", zap.String("id", id), zap.Error(err))
		}
	}
}

// run does one job. Whatever goes wrong inside it ends the job, not the service.
func (r *Runner) run(ctx context.Context, id string) (err error) {
	var j *store.Job
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		if err == nil || ctx.Err() != nil || j == nil {
			return
		}
		var p *api.Problem
		if errors.As(err, &p) {
			err = r.fail(j, p.Detail)
		} else {
			err = errors.Join(err, r.fail(j, "an internal error; the service's log has it"))
		}
	}()
	err = r.store.View(func(tx *store.Tx) error {
		j, err = store.JobIn(tx, id)
		if err == nil && j == nil {
			err = fmt.Errorf("no record of job %s", id)
		}
		return err
	})
	if err != nil {
		return err
	}
	defer r.store.ReleasePages()
	return r.kinds[j.Kind()].run(ctx, j)
}

// fail ends a job as failed; why is what clients are told.
func (r *Runner) fail(j *store.Job, why string) error {
	j.Failure = why
	return r.store.Update(func(tx *store.Tx) error {
		if failed := r.kinds[j.Kind()].failed; failed != nil {
			if err := failed(tx, j); err != nil {
				return err
			}
		}
		return store.Finish(tx, j, wire.Failed)
	})
}

// Start accepts a job in a transaction that also runs prepare, and wakes its worker.
func (r *Runner) Start(j *store.Job, uploads [][]byte, prepare func(tx *store.Tx) error) error {
	return r.store.Update(func(tx *store.Tx) error {
		if prepare != nil {
			if err := prepare(tx); err != nil {
				return err
			}
		}
		return r.StartIn(tx, j, uploads)
	})
}

// StartIn accepts a job in a transaction of the caller's, and wakes its worker when that is on the disk.
func (r *Runner) StartIn(tx *store.Tx, j *store.Job, uploads [][]byte) error {
	j.ID, j.Account, j.Created = uuid.NewString(), tx.Account(), tx.Now()
	gone, err := store.Forget(tx)
	if err != nil {
		return err
	}
	tx.OnCommit(func() {
		r.dropResults(gone)
		r.kinds[j.Kind()].queue.add(j.ID)
	})
	return store.Accept(tx, j, uploads)
}

// Find returns a job of this account that is of one of these kinds. An identifier that is unknown, or too old, gives
// a 404; one of another account a 403.
func (r *Runner) Find(id string, kinds ...string) (*store.Job, error) {
	j, err := store.Read(r.store, func(tx *store.Tx) (*store.Job, error) { return store.JobIn(tx, id) })
	switch {
	case err != nil:
		return nil, err
	case j == nil || !slices.Contains(kinds, j.Kind()):
		return nil, api.Refuse(404, "there is no %s %q; start one anew", kinds[0], id)
	case j.Account != r.store.Account:
		return nil, api.Refuse(403, "the %s belongs to another account", kinds[0])
	}
	return j, nil
}
