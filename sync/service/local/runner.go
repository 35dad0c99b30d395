package local

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
	"github.com/locsync/locsync/sync/service/wire"
	"go.uber.org/zap"
)

// runner does jobs: those of a queue one after the other, or as many at once as the queue has workers.
type runner struct {
	store   *store
	log     *zap.Logger
	delay   time.Duration // how long a job takes at least
	results string        // folder
	kinds   map[string]kind
	queues  []*queue
	stop    context.CancelFunc
	workers sync.WaitGroup
}

// kind is how jobs of one kind are done.
type kind struct {
	queue  *queue
	run    func(ctx context.Context, j *job) error
	failed func(tx *Tx, j *job) error // takes back what a failed job leaves behind; nil: nothing
}

// newRunner makes a runner that keeps the files which jobs make in a folder.
func newRunner(st *store, results string, delay time.Duration, log *zap.Logger) (*runner, error) {
	r := &runner{store: st, log: log, delay: delay, results: results, kinds: map[string]kind{}}
	return r, errors.Join(os.MkdirAll(results, 0o700), r.sweepResults())
}

// newQueue adds a queue with as many workers.
func (r *runner) newQueue(workers int) *queue {
	q := &queue{workers: workers, running: map[string]bool{}, wake: newSignal()}
	r.queues = append(r.queues, q)
	return q
}

// handle says how jobs of a kind are done. All kinds are known before the runner opens.
func (r *runner) handle(name string, q *queue, run func(ctx context.Context, j *job) error, failed func(tx *Tx, j *job) error) {
	r.kinds[name] = kind{q, run, failed}
}

// open puts the jobs that a former process left into the queues, and begins to work. Those of other accounts wait for a process that serves
// them.
func (r *runner) open() error {
	err := r.store.view(func(tx *Tx) error {
		queued, err := queuedJobs(tx)
		for _, j := range queued {
			if j.Account == tx.account() {
				r.kinds[j.kind()].queue.add(j.ID)
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
			r.workers.Go(func() { r.work(ctx, q) })
		}
	}
	return nil
}

// close ends the work. A job that is cut short stays in the stored queue.
func (r *runner) close() {
	r.stop()
	r.workers.Wait()
}

// isRunning tells whether a job is being worked on.
func (r *runner) isRunning(j *job) bool { return r.kinds[j.kind()].queue.isRunning(j.ID) }

// work runs the jobs of one queue, one after the other, until ctx ends.
func (r *runner) work(ctx context.Context, q *queue) {
	for {
		id, ok := q.next(ctx)
		if !ok {
			return
		}
		if !pause(ctx, r.delay/2) {
			return
		}
		q.setRunning(id, true)
		if !pause(ctx, r.delay-r.delay/2) {
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
func (r *runner) run(ctx context.Context, id string) (err error) {
	var j *job
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		if err == nil || ctx.Err() != nil || j == nil {
			return
		}
		var p *problem
		if errors.As(err, &p) {
			err = r.fail(j, p.detail)
		} else {
			err = errors.Join(err, r.fail(j, "an internal error; the service's log has it"))
		}
	}()
	err = r.store.view(func(tx *Tx) error {
		j, err = jobIn(tx, id)
		if err == nil && j == nil {
			err = fmt.Errorf("no record of job %s", id)
		}
		return err
	})
	if err != nil {
		return err
	}
	return r.kinds[j.kind()].run(ctx, j)
}

// fail ends a job as failed, in words for whoever asks.
func (r *runner) fail(j *job, why string) error {
	j.Failure = why
	return r.store.update(func(tx *Tx) error {
		if failed := r.kinds[j.kind()].failed; failed != nil {
			if err := failed(tx, j); err != nil {
				return err
			}
		}
		return finish(tx, j, wire.Failed)
	})
}

// start accepts a job in a transaction that also runs prepare, and wakes its worker.
func (r *runner) start(j *job, uploads [][]byte, prepare func(tx *Tx) error) error {
	return r.store.update(func(tx *Tx) error {
		if prepare != nil {
			if err := prepare(tx); err != nil {
				return err
			}
		}
		return r.startIn(tx, j, uploads)
	})
}

// startIn accepts a job in a transaction of the caller's, and wakes its worker when that is on the disk.
func (r *runner) startIn(tx *Tx, j *job, uploads [][]byte) error {
	j.ID, j.Account, j.Created = uuid.NewString(), tx.account(), tx.now()
	gone, err := forget(tx)
	if err != nil {
		return err
	}
	tx.onCommit(func() {
		r.dropResults(gone)
		r.kinds[j.kind()].queue.add(j.ID)
	})
	return accept(tx, j, uploads)
}

// find returns a job of this account that is of one of these kinds. An identifier that is unknown, or too old, gives a 404; one of another
// account a 403.
func (r *runner) find(id string, kinds ...string) (*job, error) {
	var j *job
	err := r.store.view(func(tx *Tx) (err error) {
		j, err = jobIn(tx, id)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case j == nil || !slices.Contains(kinds, j.kind()):
		return nil, refuse(404, "there is no %s %q; start one anew", kinds[0], id)
	case j.Account != r.store.account:
		return nil, refuse(403, "the %s belongs to another account", kinds[0])
	}
	return j, nil
}
