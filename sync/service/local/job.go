package local

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

// How long the outcome of a job can be asked for after it ended.
const (
	keepImport = 7 * 24 * time.Hour
	keepExport = 24 * time.Hour
)

// job is a piece of work from the call that started it to the last one that asks for its outcome. It is stored before that
// call is answered, so that a crash at any later time repeats or resumes it.
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

	work
	Result *resultFile `json:"result,omitempty"` // of a job that makes a file: what it is called
}

// work is what is to be done: one of its members is set.
type work struct {
	Import *importJob `json:"import,omitempty"`
	Export *exportJob `json:"export,omitempty"`

	GlossaryImport *glossaryImport `json:"glossaryImport,omitempty"`
	GlossaryExport *glossaryExport `json:"glossaryExport,omitempty"`

	Documents      *documentExportJob `json:"documents,omitempty"`
	Pretranslation *pretranslationJob `json:"pretranslation,omitempty"`
	Translation    *translationJob    `json:"translation,omitempty"`
	Statistics     *statisticsJob     `json:"statistics,omitempty"`
}

// statisticsJob builds a project's statistics.
type statisticsJob struct{}

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

	kindDocumentExport = "document export"
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
	case j.Documents != nil:
		return kindDocumentExport
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
func (j *job) makesFile() bool {
	return j.kind() == kindExport || j.kind() == kindGlossaryExport || j.kind() == kindDocumentExport
}

// accept stores a new job, with its files, in a transaction of the caller's.
func accept(tx *Tx, j *job, uploads [][]byte) error {
	queue := tx.bucket(bucketQueue)
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
		if err := tx.bucket(bucketUploads).Put(uploadKey(j.ID, i), body); err != nil {
			return err
		}
	}
	return putJob(tx, j)
}

func uploadKey(id string, i int) []byte { return []byte(id + "/" + strconv.Itoa(i)) }

// upload is the n-th file that came with a job, until the job has ended.
func upload(tx *Tx, j *job, n int) []byte {
	return slices.Clone(tx.bucket(bucketUploads).Get(uploadKey(j.ID, n)))
}

// finish takes a job off the queue, in the transaction that has the last of its effects.
func finish(tx *Tx, j *job, status wire.Status) error {
	now := tx.now()
	j.Status, j.Ended = status, now
	if err := tx.bucket(bucketQueue).Delete(number(j.Queue)); err != nil {
		return err
	}
	for i := range j.Uploads {
		if err := tx.bucket(bucketUploads).Delete(uploadKey(j.ID, i)); err != nil {
			return err
		}
	}
	keep := keepImport
	if j.makesFile() {
		keep = keepExport
	}
	if err := tx.bucket(bucketExpiry).Put(append(number(uint64(now+int64(keep))), j.ID...), nil); err != nil {
		return err
	}
	return putJob(tx, j)
}

// forget drops jobs whose time is over, a few at a time, and returns those exports whose results can go.
func forget(tx *Tx) (exports []string, err error) {
	jobs, expiry := tx.bucket(bucketJobs), tx.bucket(bucketExpiry)
	for range 16 {
		k, _ := expiry.Cursor().First()
		if len(k) <= 8 || int64(binary.BigEndian.Uint64(k)) > tx.now() {
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

// jobIn returns a job, nil where there is none.
func jobIn(tx *Tx, id string) (*job, error) {
	j, _, err := getRecord[job](tx.bucket(bucketJobs), id)
	return j, err
}

func putJob(tx *Tx, j *job) error { return putRecord(tx.bucket(bucketJobs), j.ID, j) }

// eachJob calls do with every job that is remembered.
func eachJob(tx *Tx, do func(j *job) error) error {
	return tx.bucket(bucketJobs).ForEach(func(id, _ []byte) error {
		j, err := jobIn(tx, string(id))
		if err != nil {
			return err
		}
		return do(j)
	})
}

// queuedJobs are the jobs that have not ended, in the order they were accepted.
func queuedJobs(tx *Tx) (queued []*job, err error) {
	err = tx.bucket(bucketQueue).ForEach(func(_, id []byte) error {
		j, err := jobIn(tx, string(id))
		if err != nil || j == nil {
			return errors.Join(err, fmt.Errorf("queued job %s has no record", id))
		}
		queued = append(queued, j)
		return nil
	})
	return queued, err
}
