package local

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/service/wire"
)

// How long the outcome of a job can be asked for after it ended.
const (
	keepImport = 7 * 24 * time.Hour
	keepExport = 24 * time.Hour
)

// job is a piece of work from the call that started it to the last one that asks for its outcome. It is stored before that
// call is answered, so that a crash at any later time repeats or resumes it. One of the members below Uploads says what is to be done.
type job struct {
	ID      string      `json:"id"`
	Account string      `json:"account"`
	Project string      `json:"project"`
	Queue   uint64      `json:"queue"` // its number in the queue while it waits or runs
	Created int64       `json:"created"`
	Ended   int64       `json:"ended,omitempty"`
	Status  wire.Status `json:"status"` // Pending until it ended: that it is being worked on is not stored
	Failure string      `json:"failure,omitempty"`
	Uploads int         `json:"uploads,omitempty"` // files that came with the call; they are kept until it ended

	Import *importJob `json:"import,omitempty"`
	Export *exportJob `json:"export,omitempty"`

	GlossaryImport *glossaryImport `json:"glossaryImport,omitempty"`
	GlossaryExport *glossaryExport `json:"glossaryExport,omitempty"`

	Documents      *documentExportJob `json:"documents,omitempty"`
	Pretranslation *pretranslationJob `json:"pretranslation,omitempty"`
	Translation    *translationJob    `json:"translation,omitempty"`
	Statistics     *statisticsJob     `json:"statistics,omitempty"`

	Result *resultFile `json:"result,omitempty"` // of a job that makes a file: what it is called
}

// resultFile is what the download of a job's result says about it.
type resultFile struct {
	Name        string `json:"name"`
	ContentType string `json:"contentType"`
}

// The kinds of jobs, by which their outcomes are asked for.
const (
	kindImport = "import"
	kindExport = "export"

	kindGlossaryImport = "glossary import"
	kindGlossaryExport = "glossary export"

	kindPretranslation = "pretranslation"
	kindTranslation    = "translation"
	kindStatistics     = "statistics"
)

func (j *job) kind() string {
	switch {
	case j.Import != nil:
		return kindImport
	case j.GlossaryImport != nil:
		return kindGlossaryImport
	case j.GlossaryExport != nil:
		return kindGlossaryExport
	case j.Pretranslation != nil:
		return kindPretranslation
	case j.Translation != nil:
		return kindTranslation
	case j.Statistics != nil:
		return kindStatistics
	}
	return kindExport
}

// makesFile tells jobs that read what is stored and make a file of it from those that change it, which run in the order they were accepted.
func (j *job) makesFile() bool { return j.kind() == kindExport || j.kind() == kindGlossaryExport }

// accept stores a new job, with its files, in a transaction of the caller's.
func accept(tx *bolt.Tx, j *job, uploads [][]byte) error {
	queue := tx.Bucket(bucketQueue)
	n, err := queue.NextSequence()
	if err != nil {
		return err
	}
	j.Queue, j.Uploads = n, len(uploads)
	j.Status = wire.Pending
	if err := queue.Put(number(n), []byte(j.ID)); err != nil {
		return err
	}
	for i, body := range uploads {
		if err := tx.Bucket(bucketUploads).Put(uploadKey(j.ID, i), body); err != nil {
			return err
		}
	}
	return putRecord(tx.Bucket(bucketJobs), j.ID, j)
}

func uploadKey(id string, i int) []byte { return []byte(id + "/" + strconv.Itoa(i)) }

// finish takes a job off the queue, in the transaction that has the last of its effects.
func finish(tx *bolt.Tx, j *job, status wire.Status, now int64) error {
	j.Status, j.Ended = status, now
	if err := tx.Bucket(bucketQueue).Delete(number(j.Queue)); err != nil {
		return err
	}
	for i := range j.Uploads {
		if err := tx.Bucket(bucketUploads).Delete(uploadKey(j.ID, i)); err != nil {
			return err
		}
	}
	keep := keepImport
	if j.makesFile() {
		keep = keepExport
	}
	if err := tx.Bucket(bucketExpiry).Put(append(number(uint64(now+int64(keep))), j.ID...), nil); err != nil {
		return err
	}
	return putRecord(tx.Bucket(bucketJobs), j.ID, j)
}

// forget drops jobs whose time is over, a few at a time, and returns those exports whose results can go.
func forget(tx *bolt.Tx, now int64) (exports []string, err error) {
	jobs, expiry := tx.Bucket(bucketJobs), tx.Bucket(bucketExpiry)
	for range 16 {
		k, _ := expiry.Cursor().First()
		if len(k) <= 8 || int64(binary.BigEndian.Uint64(k)) > now {
			break
		}
		k = slices.Clone(k)
		id := string(k[8:])
		j, found, err := getRecord[job](jobs, id)
		if err != nil {
			return nil, err
		}
		if found && j.makesFile() {
			exports = append(exports, id)
		}
		if err := errors.Join(jobs.Delete([]byte(id)), expiry.Delete(k)); err != nil {
			return nil, err
		}
	}
	return exports, nil
}

// queue hands out the jobs of one kind in the order they were accepted. Imports have one worker: of two of them the later one has the last
// word.
type queue struct {
	mu      sync.Mutex
	waiting []string
	running map[string]bool
	bell    bell
}

func newQueue() *queue { return &queue{running: map[string]bool{}, bell: newBell()} }

func (q *queue) add(id string) {
	q.mu.Lock()
	q.waiting = append(q.waiting, id)
	q.mu.Unlock()
	q.bell.ring()
}

// next takes the oldest job, waiting for one; ok is false when ctx ended.
func (q *queue) next(ctx context.Context) (id string, ok bool) {
	for {
		q.mu.Lock()
		if len(q.waiting) > 0 {
			id, q.waiting = q.waiting[0], q.waiting[1:]
			more := len(q.waiting) > 0
			q.mu.Unlock()
			if more {
				q.bell.ring() // another worker may be waiting
			}
			return id, true
		}
		q.mu.Unlock()
		select {
		case <-q.bell:
		case <-ctx.Done():
			return "", false
		}
	}
}

// setRunning notes that a job is being worked on, or no longer.
func (q *queue) setRunning(id string, on bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if on {
		q.running[id] = true
	} else {
		delete(q.running, id)
	}
}

func (q *queue) isRunning(id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running[id]
}

// resume puts the jobs that a former process left into the queues. Those of other accounts wait for a process that serves them.
func (s *Service) resume() error {
	return s.store.db.View(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketQueue).ForEach(func(_, id []byte) error {
			j, found, err := getRecord[job](tx.Bucket(bucketJobs), string(id))
			if err != nil || !found {
				return errors.Join(err, fmt.Errorf("queued job %s has no record", id))
			}
			if j.Account == s.o.AccountID {
				s.queueOf(j).add(j.ID)
			}
			return nil
		})
	})
}

func (s *Service) queueOf(j *job) *queue {
	switch {
	case j.Documents != nil || j.Pretranslation != nil || j.Translation != nil || j.Statistics != nil:
		return s.documents // in one order: a document is written after the translations that were accepted before
	case j.makesFile():
		return s.exports
	}
	return s.imports
}

// work runs the jobs of one queue, one after the other, until ctx ends. A job that is cut short stays in the stored queue.
func (s *Service) work(ctx context.Context, q *queue) {
	defer s.workers.Done()
	for {
		id, ok := q.next(ctx)
		if !ok {
			return
		}
		if !pause(ctx, s.o.JobDelay/2) {
			return
		}
		q.setRunning(id, true)
		if !pause(ctx, s.o.JobDelay-s.o.JobDelay/2) {
			return
		}
		err := s.run(ctx, id)
		q.setRunning(id, false)
		if err != nil && ctx.Err() == nil {
			s.log.Error("job", zap.String("id", id), zap.Error(err))
		}
	}
}

// run does one job. Whatever goes wrong inside it ends the job, not the service.
func (s *Service) run(ctx context.Context, id string) (err error) {
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
			err = s.fail(j, p.detail)
		} else {
			err = errors.Join(err, s.fail(j, "an internal error; the service's log has it"))
		}
	}()
	err = s.store.db.View(func(tx *bolt.Tx) error {
		found := false
		j, found, err = getRecord[job](tx.Bucket(bucketJobs), id)
		if err == nil && !found {
			err = fmt.Errorf("no record of job %s", id)
		}
		return err
	})
	if err != nil {
		return err
	}
	switch j.kind() {
	case kindImport:
		return s.runImport(ctx, j)
	case kindGlossaryImport:
		return s.runGlossaryImport(j)
	case kindGlossaryExport:
		return s.runGlossaryExport(j)
	case kindPretranslation:
		return s.runPretranslation(j)
	case kindTranslation:
		return s.runTranslation(j)
	case kindStatistics:
		return s.runStatistics(j)
	}
	if j.Documents != nil {
		return s.runDocumentExport(j)
	}
	return s.runExport(j)
}

// fail ends a job as failed, in words for whoever asks.
func (s *Service) fail(j *job, why string) error {
	j.Failure = why
	return s.store.db.Update(func(tx *bolt.Tx) error {
		if j.Pretranslation != nil {
			if err := s.dropPretranslation(tx, j); err != nil {
				return err
			}
		}
		return finish(tx, j, wire.Failed, s.now())
	})
}

// start accepts a job in a transaction that also runs prepare, and rings its worker.
func (s *Service) start(j *job, uploads [][]byte, prepare func(tx *bolt.Tx) error) error {
	return s.store.db.Update(func(tx *bolt.Tx) error {
		if prepare != nil {
			if err := prepare(tx); err != nil {
				return err
			}
		}
		return s.startIn(tx, j, uploads)
	})
}

// startIn accepts a job in a transaction of the caller's, and rings its worker when that is on the disk.
func (s *Service) startIn(tx *bolt.Tx, j *job, uploads [][]byte) error {
	j.ID, j.Account, j.Created = uuid.NewString(), s.o.AccountID, s.now()
	gone, err := forget(tx, j.Created)
	if err != nil {
		return err
	}
	tx.OnCommit(func() {
		s.dropResults(gone)
		s.queueOf(j).add(j.ID)
	})
	return accept(tx, j, uploads)
}

// find returns a job of this account. An identifier that is unknown, or too old, gives a 404; one of another account a 403.
func (s *Service) find(id, what string) (*job, error) {
	var j *job
	err := s.store.db.View(func(tx *bolt.Tx) error {
		var err error
		j, _, err = getRecord[job](tx.Bucket(bucketJobs), id)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case j == nil || j.kind() != what:
		return nil, refuse(404, "there is no %s %q; start one anew", what, id)
	case j.Account != s.o.AccountID:
		return nil, refuse(403, "the %s belongs to another account", what)
	}
	return j, nil
}

// pause waits; false means that ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
