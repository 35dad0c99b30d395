package local

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/locsync/locsync/sync/service/wire"
)

// tasksService answers the calls about tasks, and about the people they are assigned to.
type tasksService struct{ store *store }

func newTasksService(st *store) *tasksService { return &tasksService{st} }

// routes are the calls that are answered here, by path.
func (s *tasksService) routes() map[string]methods {
	return map[string]methods{
		wire.PathTeam:           {"POST": s.searchTeam},
		wire.PathTasks:          {"GET": s.listTasks},
		wire.PathTaskAssignment: {"PUT": s.assignTask},
		wire.PathTaskDeadline:   {"PUT": s.setTaskDeadline},
	}
}

var currencyCode = regexp.MustCompile(`^[A-Za-z]{3}$`)

// listTasks answers GET /v1/projectTask/{projectId}/list, page by page.
func (s *tasksService) listTasks(c *call) error {
	p, err := s.store.documentProject(c.pathValue(wire.ProjectID))
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
	err = s.store.view(func(tx *Tx) error {
		all, err := taskRecords(tx, p, strings.ToUpper(currency))
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
func taskRecords(tx *Tx, p *project, currency string) ([]wire.Task, error) {
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
		out = append(out, taskRecord(t, p, stage, documents, currency))
	}
	return out, nil
}

func taskRecord(t *task, p *project, stage int, documents []*document, currency string) wire.Task {
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
	out.Status = taskStatus(t, all.Segments > 0 && done == all)
	return out
}

func taskStatus(t *task, done bool) wire.TaskStatus {
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
func (s *tasksService) changeTask(c *call, do func(t *task) error) error {
	if _, err := uuid.Parse(c.pathValue(wire.TaskID)); err != nil {
		return invalid(wire.TaskID, "%q is not the identifier of a task", c.pathValue(wire.TaskID))
	}
	err := s.store.update(func(tx *Tx) error {
		p, err := projectIn(tx, c.pathValue(wire.ProjectID))
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
		i := slices.IndexFunc(all, func(t *task) bool { return strings.EqualFold(t.ID, c.pathValue(wire.TaskID)) })
		if i < 0 {
			return refuse(http.StatusNotFound, "the project %s has no task %s", p.ID, c.pathValue(wire.TaskID))
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
func (s *tasksService) assignTask(c *call) error {
	if _, err := s.store.documentProject(c.pathValue(wire.ProjectID)); err != nil {
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
			t.Assigned = append(t.Assigned, assignment{User: user, Status: status})
		}
		return nil
	})
}

// setTaskDeadline answers PUT …/deadline. An empty deadline takes it away.
func (s *tasksService) setTaskDeadline(c *call) error {
	if _, err := s.store.documentProject(c.pathValue(wire.ProjectID)); err != nil {
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
