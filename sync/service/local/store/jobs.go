package store

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

// Job is a piece of work from the call that started it to the last one that asks for its outcome. It is stored before
// that call is answered, so that a crash at any later time repeats or resumes it.
type Job struct {
	ID      string      `json:"id"`
	Account string      `json:"account"`
	Project string      `json:"project"`
	Queue   uint64      `json:"queue"` // its number in the queue while it waits or runs
	Created int64       `json:"created"`
	Ended   int64       `json:"ended,omitempty"`
	Status  wire.Status `json:"status"` // Pending until it ended: that it is being worked on is not stored
	Failure string      `json:"failure,omitempty"`
	Uploads int         `json:"uploads,omitempty"` // files that came with the call; they are kept until it ended

	Work
	Result *ResultFile `json:"result,omitempty"` // of a job that makes a file: what it is called
}

// Work is what is to be done: one of its members is set.
type Work struct {
	Import *ImportJob `json:"import,omitempty"`
	Export *ExportJob `json:"export,omitempty"`

	GlossaryImport *GlossaryImport `json:"glossaryImport,omitempty"`
	GlossaryExport *GlossaryExport `json:"glossaryExport,omitempty"`

	Documents      *DocumentExportJob `json:"documents,omitempty"`
	Pretranslation *PretranslationJob `json:"pretranslation,omitempty"`
	Translation    *TranslationJob    `json:"translation,omitempty"`
	Statistics     *StatisticsJob     `json:"statistics,omitempty"`
}

// StatisticsJob builds a project's statistics.
type StatisticsJob struct{}

// ResultFile is what the download of a job's result says about it.
type ResultFile struct {
	Name        string `json:"name"`
	ContentType string `json:"contentType"`
}

// The kinds of jobs, by which their outcomes are asked for.
const (
	KindImport = "import"
	KindExport = "export"

	KindGlossaryImport = "glossary import"
	KindGlossaryExport = "glossary export"

	KindDocumentExport = "document export"
	KindPretranslation = "pretranslation"
	KindTranslation    = "translation"
	KindStatistics     = "statistics"
)

func (j *Job) Kind() string {
	switch {
	case j.Import != nil:
		return KindImport
	case j.GlossaryImport != nil:
		return KindGlossaryImport
	case j.GlossaryExport != nil:
		return KindGlossaryExport
	case j.Documents != nil:
		return KindDocumentExport
	case j.Pretranslation != nil:
		return KindPretranslation
	case j.Translation != nil:
		return KindTranslation
	case j.Statistics != nil:
		return KindStatistics
	}
	return KindExport
}

// makesFile tells jobs that read what is stored and make a file of it from those that change it, which run in the
// order they were accepted.
func (j *Job) makesFile() bool {
	return j.Kind() == KindExport || j.Kind() == KindGlossaryExport || j.Kind() == KindDocumentExport
}

// Accept stores a new job, with its files, in a transaction of the caller's.
func Accept(tx *Tx, j *Job, uploads [][]byte) error {
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
	return PutJob(tx, j)
}

func uploadKey(id string, i int) []byte { return []byte(id + "/" + strconv.Itoa(i)) }

// Upload is the n-th file that came with a job, until the job has ended.
func Upload(tx *Tx, j *Job, n int) []byte {
	return slices.Clone(tx.bucket(bucketUploads).Get(uploadKey(j.ID, n)))
}

// Finish takes a job off the queue, in the transaction that has the last of its effects.
func Finish(tx *Tx, j *Job, status wire.Status) error {
	now := tx.Now()
	j.Status, j.Ended = status, now
	if err := tx.bucket(bucketQueue).Delete(number(j.Queue)); err != nil {
		return err
	}
	for i := range j.Uploads {
		if err := tx.bucket(bucketUploads).Delete(uploadKey(j.ID, i)); err != nil {
			return err
		}
	}
	if in := j.Import; in != nil && status == wire.Completed {
		what := Noted{Project: j.Project, Collection: in.Collection, Language: in.Language,
			Count: in.Result.KeysCreated + in.Result.KeysUpdated}
		for _, f := range in.Files {
			what.Files = append(what.Files, f.Name)
		}
		if err := PutNote(tx, NotedImport, "", what); err != nil {
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
	return PutJob(tx, j)
}

// Forget drops jobs whose time is over, a few at a time, and returns those exports whose results can go.
func Forget(tx *Tx) (exports []string, err error) {
	jobs, expiry := tx.bucket(bucketJobs), tx.bucket(bucketExpiry)
	for range 16 {
		k, _ := expiry.Cursor().First()
		if len(k) <= 8 || int64(binary.BigEndian.Uint64(k)) > tx.Now() {
			break
		}
		k = slices.Clone(k)
		id := string(k[8:])
		j, found, err := getRecord[Job](jobs, id)
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

// JobIn returns a job, nil where there is none.
func JobIn(tx *Tx, id string) (*Job, error) {
	j, _, err := getRecord[Job](tx.bucket(bucketJobs), id)
	return j, err
}

func PutJob(tx *Tx, j *Job) error { return putRecord(tx.bucket(bucketJobs), j.ID, j) }

// EachJob calls do with every job that is remembered.
func EachJob(tx *Tx, do func(j *Job) error) error {
	return tx.bucket(bucketJobs).ForEach(func(id, _ []byte) error {
		j, err := JobIn(tx, string(id))
		if err != nil {
			return err
		}
		return do(j)
	})
}

// QueuedJobs are the jobs that have not ended, in the order they were accepted.
func QueuedJobs(tx *Tx) (queued []*Job, err error) {
	err = tx.bucket(bucketQueue).ForEach(func(_, id []byte) error {
		j, err := JobIn(tx, string(id))
		if err != nil || j == nil {
			return errors.Join(err, fmt.Errorf("queued job %s has no record", id))
		}
		queued = append(queued, j)
		return nil
	})
	return queued, err
}
