package local

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"

	"github.com/locsync/locsync/sync/service/wire"
)

// task is one stage of a project's work in one language. It lies in the bucket tasks, under the project's identifier and its number. Tasks
// come with the first document of their language, and stay; how far they are follows from the documents.
type task struct {
	ID       string       `json:"id"`
	Number   uint64       `json:"number"`
	Project  string       `json:"project"`
	Language string       `json:"language"`
	Stage    string       `json:"stage"` // identifier of the project's stage
	Created  int64        `json:"created"`
	ScopeAt  int64        `json:"scopeAt"` // when documents came, changed or went last
	Deadline string       `json:"deadline,omitempty"`
	Assigned []assignment `json:"assigned,omitempty"`
}

type assignment struct {
	User   string                `json:"user"`
	Status wire.AssignmentStatus `json:"status"`
}

func (t *task) key() []byte { return append([]byte(t.Project), number(t.Number)...) }

// tasksOf are the tasks of a project, in the order they were made.
func tasksOf(tx *bolt.Tx, projectID string) ([]*task, error) {
	var out []*task
	c := tx.Bucket(bucketTasks).Cursor()
	for k, _ := c.Seek([]byte(projectID)); strings.HasPrefix(string(k), projectID); k, _ = c.Next() {
		t, _, err := getRecord[task](tx.Bucket(bucketTasks), string(k))
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func putTask(tx *bolt.Tx, t *task) error {
	return putRecord(tx.Bucket(bucketTasks), string(t.key()), t)
}

// scopeChanged notes that documents in these languages came, changed or went: their tasks are made where they are missing, and statistics that
// were built are of no use any more.
func (s *Service) scopeChanged(tx *bolt.Tx, p *project, codes []string) error {
	p.DocumentsRevision++
	p.Modified = s.now()
	have, err := tasksOf(tx, p.ID)
	if err != nil {
		return err
	}
	for _, code := range codes {
		for _, st := range p.Stages {
			i := slices.IndexFunc(have, func(t *task) bool { return t.Language == code && t.Stage == st.ID })
			var t *task
			if i >= 0 {
				t = have[i]
			} else {
				n, err := tx.Bucket(bucketTasks).NextSequence()
				if err != nil {
					return err
				}
				t = &task{ID: uuid.NewString(), Number: n, Project: p.ID, Language: code, Stage: st.ID, Created: s.now()}
			}
			t.ScopeAt = s.now()
			if err := putTask(tx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeTasks takes away the tasks of a project that is deleted.
func removeTasks(tx *bolt.Tx, projectID string) error {
	all, err := tasksOf(tx, projectID)
	if err != nil {
		return err
	}
	for _, t := range all {
		if err := tx.Bucket(bucketTasks).Delete(t.key()); err != nil {
			return err
		}
	}
	return nil
}

var currencyCode = regexp.MustCompile(`^[A-Za-z]{3}$`)

// listTasks answers GET /v1/projectTask/{projectId}/list, page by page.
func (s *Service) listTasks(c *call) error {
	p, err := s.documentProject(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	currency, given, err := c.params.word(wire.QueryCurrency)
	if err != nil || !given {
		return orElse(err, invalid(wire.QueryCurrency, "is missing; give a currency code like USD"))
	}
	if !currencyCode.MatchString(currency) {
		return invalid(wire.QueryCurrency, "%q is not a currency code like USD", currency)
	}
	skip, err := c.params.count(wire.QuerySkip, 0)
	if err != nil {
		return err
	}
	limit, err := c.params.count(wire.QueryLimit, wire.MaxTasksPerPage)
	if err != nil {
		return err
	}
	if limit < 1 || limit > wire.MaxTasksPerPage {
		return invalid(wire.QueryLimit, "is from 1 to %d", wire.MaxTasksPerPage)
	}
	only, _, err := c.params.word(wire.QueryDocumentID)
	if err != nil {
		return err
	}
	out := []wire.Task{}
	err = s.store.db.View(func(tx *bolt.Tx) error {
		all, err := s.taskRecords(tx, p, strings.ToUpper(currency))
		for _, t := range all {
			if only == "" || slices.ContainsFunc(t.DocumentIDs, func(id string) bool { return id == only || strings.HasPrefix(id, only+"_") }) {
				out = append(out, t)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	from := min(skip, len(out))
	return c.json(http.StatusOK, out[from:min(from+limit, len(out))])
}

// taskRecords are the tasks of a project as the interface shows them.
func (s *Service) taskRecords(tx *bolt.Tx, p *project, currency string) ([]wire.Task, error) {
	tasks, err := tasksOf(tx, p.ID)
	if err != nil {
		return nil, err
	}
	documents, err := documentsOf(tx, p.ID)
	if err != nil {
		return nil, err
	}
	var out []wire.Task
	for _, t := range tasks {
		stage := slices.IndexFunc(p.Stages, func(st stage) bool { return st.ID == t.Stage })
		if stage < 0 {
			continue
		}
		out = append(out, t.record(p, stage, documents, currency))
	}
	return out, nil
}

func (t *task) record(p *project, stage int, documents []*document, currency string) wire.Task {
	out := wire.Task{
		ID:                     t.ID,
		Number:                 "T-" + strconv.FormatUint(t.Number, 10),
		SourceLanguage:         p.Source,
		TargetLanguage:         t.Language,
		StageType:              wire.StageType(p.Stages[stage].Type),
		StageID:                t.Stage,
		DocumentIDs:            []string{},
		CreateDate:             timestamp(t.Created),
		LastUpdateScopeDate:    timestamp(t.ScopeAt),
		Deadline:               t.Deadline,
		IndividualAssignments:  []wire.IndividualAssignment{},
		VendorAssignments:      []wire.VendorAssignment{},
		InvitationStrategyType: "crowd",
	}
	var done, all size
	for _, d := range documents {
		r := d.rendition(t.Language)
		if r == nil {
			continue
		}
		out.DocumentIDs = append(out.DocumentIDs, d.compositeID(t.Language))
		all.Segments += r.Size.Segments
		all.Words += r.Size.Words
		if stage < len(r.Stages) {
			done.Segments += r.Stages[stage].Segments
			done.Words += r.Stages[stage].Words
		}
	}
	out.ProgressPercentage = done.percent(all)
	for _, a := range t.Assigned {
		out.IndividualAssignments = append(out.IndividualAssignments, wire.IndividualAssignment{UserID: a.User, Currency: currency, Status: a.Status, Rate: teamRate})
	}
	if len(t.Assigned) > 1 {
		out.InvitationStrategyType = "rocket" // the first to accept gets it
	}
	out.Status = t.status(all.Segments > 0 && done == all)
	return out
}

func (t *task) status(done bool) wire.TaskStatus {
	is := func(status wire.AssignmentStatus) bool {
		return slices.ContainsFunc(t.Assigned, func(a assignment) bool { return a.Status == status })
	}
	switch {
	case done:
		return wire.TaskCompleted
	case is(wire.AssignmentInProgress):
		return wire.TaskInProgress
	case is(wire.AssignmentInvited):
		return wire.TaskInvited
	case is(wire.AssignmentShortlisted):
		return wire.TaskShortlisted
	}
	return wire.TaskCreated
}

// changeTask runs do on the task that the path names, in a transaction, and answers true.
func (s *Service) changeTask(c *call, do func(t *task) error) error {
	if _, err := uuid.Parse(c.PathValue(wire.TaskID)); err != nil {
		return invalid(wire.TaskID, "%q is not the identifier of a task", c.PathValue(wire.TaskID))
	}
	err := s.store.db.Update(func(tx *bolt.Tx) error {
		p, err := s.projectIn(tx, c.PathValue(wire.ProjectID))
		if err != nil {
			return err
		}
		if err := p.forDocuments(); err != nil {
			return err
		}
		all, err := tasksOf(tx, p.ID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(t *task) bool { return strings.EqualFold(t.ID, c.PathValue(wire.TaskID)) })
		if i < 0 {
			return refuse(http.StatusNotFound, "the project %s has no task %s", p.ID, c.PathValue(wire.TaskID))
		}
		if err := do(all[i]); err != nil {
			return err
		}
		return putTask(tx, all[i])
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, true)
}

// assignTask answers PUT …/individual-assignment: the members join the task, on its shortlist or at once; one alone begins to work, several are invited.
func (s *Service) assignTask(c *call) error {
	if _, err := s.documentProject(c.PathValue(wire.ProjectID)); err != nil {
		return err
	}
	raw, err := readBody(c, maxModel)
	if err != nil {
		return err
	}
	b, err := readMembers("body", raw)
	if err != nil {
		return err
	}
	users, shortlist := member[[]string](b, "userIds"), member[bool](b, "shouldAssignInShortlistStatus")
	if b.err != nil {
		return b.err
	}
	if len(users) == 0 {
		return invalid("userIds", "is missing or empty; name members of the team")
	}
	team := s.team()
	for _, user := range users {
		if !slices.ContainsFunc(team, func(m wire.TeamMember) bool { return m.ID == user }) {
			return invalid("userIds", "%q is no member of the team; POST %s lists them", user, wire.Prefix+wire.PathTeam)
		}
	}
	return s.changeTask(c, func(t *task) error {
		status := wire.AssignmentInvited
		switch {
		case shortlist:
			status = wire.AssignmentShortlisted
		case len(users) == 1:
			status = wire.AssignmentInProgress
		}
		for _, user := range users {
			t.Assigned = slices.DeleteFunc(t.Assigned, func(a assignment) bool { return a.User == user })
			t.Assigned = append(t.Assigned, assignment{user, status})
		}
		return nil
	})
}

// setTaskDeadline answers PUT …/deadline. An empty deadline takes it away.
func (s *Service) setTaskDeadline(c *call) error {
	if _, err := s.documentProject(c.PathValue(wire.ProjectID)); err != nil {
		return err
	}
	all, given := c.params.values(wire.QueryDeadline)
	if !given {
		return invalid(wire.QueryDeadline, "is missing; give an ISO 8601 timestamp in UTC")
	}
	deadline := strings.TrimSpace(all[0])
	if err := checkDeadline(deadline); err != nil {
		return err
	}
	if deadline != "" {
		at, err := readTime(deadline)
		if err != nil {
			return err
		}
		deadline = timestamp(at.UnixNano())
	}
	return s.changeTask(c, func(t *task) error {
		t.Deadline = deadline
		return nil
	})
}
