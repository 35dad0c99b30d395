package store

import (
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/locsync/locsync/sync/service/wire"
)

// Task is one stage of a project's work in one language. It is in the bucket tasks, under the project's identifier
// and its number. Tasks come with the first document of their language, and stay; how far they are follows from the
// documents.
type Task struct {
	ID       string       `json:"id"`
	Number   uint64       `json:"number"`
	Project  string       `json:"project"`
	Language string       `json:"language"`
	Stage    string       `json:"stage"` // identifier of the project's stage
	Created  int64        `json:"created"`
	ScopeAt  int64        `json:"scopeAt"` // when documents came, changed or went last
	Deadline string       `json:"deadline,omitempty"`
	Assigned []Assignment `json:"assigned,omitempty"`
}

type Assignment struct {
	User   string                `json:"user"`
	Status wire.AssignmentStatus `json:"status"`
}

func (t *Task) key() []byte { return append([]byte(t.Project), number(t.Number)...) }

// TasksOf are the tasks of a project, in the order they were made.
func TasksOf(tx *Tx, projectID string) ([]*Task, error) {
	var out []*Task
	c := tx.bucket(bucketTasks).Cursor()
	for k, _ := c.Seek([]byte(projectID)); strings.HasPrefix(string(k), projectID); k, _ = c.Next() {
		t, _, err := getRecord[Task](tx.bucket(bucketTasks), string(k))
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func PutTask(tx *Tx, t *Task) error {
	return putRecord(tx.bucket(bucketTasks), string(t.key()), t)
}

// ScopeChanged notes that documents in these languages came, changed or went: their tasks are made where they are
// missing, and statistics that were built are of no use any more.
func ScopeChanged(tx *Tx, p *Project, codes []string) error {
	p.DocumentsRevision++
	p.Modified = tx.Now()
	have, err := TasksOf(tx, p.ID)
	if err != nil {
		return err
	}
	for _, code := range codes {
		for _, st := range p.Stages {
			i := slices.IndexFunc(have, func(t *Task) bool { return t.Language == code && t.Stage == st.ID })
			var t *Task
			if i >= 0 {
				t = have[i]
			} else {
				n, err := tx.bucket(bucketTasks).NextSequence()
				if err != nil {
					return err
				}
				t = &Task{ID: uuid.NewString(), Number: n, Project: p.ID, Language: code, Stage: st.ID, Created: tx.Now()}
			}
			t.ScopeAt = tx.Now()
			if err := PutTask(tx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeTasks takes away the tasks of a project that is deleted.
func removeTasks(tx *Tx, projectID string) error {
	all, err := TasksOf(tx, projectID)
	if err != nil {
		return err
	}
	for _, t := range all {
		if err := tx.bucket(bucketTasks).Delete(t.key()); err != nil {
			return err
		}
	}
	return nil
}
