// Package tasks is the work on documents as people have it: tasks, their deadlines, and the team that they are
// assigned to.
//
// Its law: how far a task is follows from its documents and is not stored. The team follows from the account.
package tasks

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// Service answers the calls about tasks, and about the people they are assigned to.
type Service struct{ store *store.Store }

func New(st *store.Store) *Service { return &Service{st} }

// Routes are the calls that are answered here, by path.
func (s *Service) Routes() map[string]api.Methods {
	return map[string]api.Methods{
		wire.PathTeam:           {"POST": s.searchTeam},
		wire.PathTasks:          {"GET": s.listTasks},
		wire.PathTaskAssignment: {"PUT": s.assignTask},
		wire.PathTaskDeadline:   {"PUT": s.setTaskDeadline},
	}
}

var currencyCode = regexp.MustCompile(`^[A-Za-z]{3}$`)

// listTasks answers GET /v1/projectTask/{projectId}/list, page by page.
func (s *Service) listTasks(c *api.Call) error {
	p, err := s.store.DocumentProject(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	currency, given, err := c.Params.Word(wire.QueryCurrency)
	if err != nil || !given {
		return cmp.Or(err, api.Invalid(wire.QueryCurrency, "is missing; give a currency code like USD"))
	}
	if !currencyCode.MatchString(currency) {
		return api.Invalid(wire.QueryCurrency, "%q is not a currency code like USD", currency)
	}
	skip, err := c.Params.Count(wire.QuerySkip, 0)
	if err != nil {
		return err
	}
	limit, err := c.Params.Count(wire.QueryLimit, wire.MaxTasksPerPage)
	if err != nil {
		return err
	}
	if limit < 1 || limit > wire.MaxTasksPerPage {
		return api.Invalid(wire.QueryLimit, "is from 1 to %d", wire.MaxTasksPerPage)
	}
	only, _, err := c.Params.Word(wire.QueryDocumentID)
	if err != nil {
		return err
	}
	out := []wire.Task{}
	err = s.store.View(func(tx *store.Tx) error {
		all, err := taskRecords(tx, p, strings.ToUpper(currency))
		for _, t := range all {
			if only == "" || slices.ContainsFunc(t.DocumentIDs, func(id string) bool {
				return id == only ||
					strings.HasPrefix(id, only+"_")
			}) {
				out = append(out, t)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	from := min(skip, len(out))
	return c.Answer(http.StatusOK, out[from:min(from+limit, len(out))])
}

// taskRecords are the tasks of a project as the interface shows them.
func taskRecords(tx *store.Tx, p *store.Project, currency string) ([]wire.Task, error) {
	tasks, err := store.TasksOf(tx, p.ID)
	if err != nil {
		return nil, err
	}
	documents, err := store.DocumentsOf(tx, p.ID)
	if err != nil {
		return nil, err
	}
	var out []wire.Task
	for _, t := range tasks {
		stage := slices.IndexFunc(p.Stages, func(st store.Stage) bool { return st.ID == t.Stage })
		if stage < 0 {
			continue
		}
		out = append(out, taskRecord(t, p, stage, documents, currency))
	}
	return out, nil
}

func taskRecord(t *store.Task, p *store.Project, stage int, documents []*store.Document, currency string) wire.Task {
	out := wire.Task{
		ID:                     t.ID,
		Number:                 "T-" + strconv.FormatUint(t.Number, 10),
		SourceLanguage:         p.Source,
		TargetLanguage:         t.Language,
		StageType:              wire.StageType(p.Stages[stage].Type),
		StageID:                t.Stage,
		DocumentIDs:            []string{},
		CreateDate:             api.Timestamp(t.Created),
		LastUpdateScopeDate:    api.Timestamp(t.ScopeAt),
		Deadline:               t.Deadline,
		IndividualAssignments:  []wire.IndividualAssignment{},
		VendorAssignments:      []wire.VendorAssignment{},
		InvitationStrategyType: "crowd",
	}
	var done, all store.Size
	for _, d := range documents {
		r := d.Rendition(t.Language)
		if r == nil {
			continue
		}
		out.DocumentIDs = append(out.DocumentIDs, d.CompositeID(t.Language))
		all.Segments += r.Size.Segments
		all.Words += r.Size.Words
		if stage < len(r.Stages) {
			done.Segments += r.Stages[stage].Segments
			done.Words += r.Stages[stage].Words
		}
	}
	out.ProgressPercentage = done.Percent(all)
	for _, a := range t.Assigned {
		out.IndividualAssignments = append(out.IndividualAssignments, wire.IndividualAssignment{UserID: a.User,
			Currency: currency, Status: a.Status, Rate: teamRate})
	}
	if len(t.Assigned) > 1 {
		out.InvitationStrategyType = "rocket" // the first to accept gets it
	}
	out.Status = taskStatus(t, all.Segments > 0 && done == all)
	return out
}

func taskStatus(t *store.Task, done bool) wire.TaskStatus {
	is := func(status wire.AssignmentStatus) bool {
		return slices.ContainsFunc(t.Assigned, func(a store.Assignment) bool { return a.Status == status })
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
func (s *Service) changeTask(c *api.Call, do func(t *store.Task) error) error {
	if _, err := uuid.Parse(c.PathValue(wire.TaskID)); err != nil {
		return api.Invalid(wire.TaskID, "%q is not the identifier of a task", c.PathValue(wire.TaskID))
	}
	err := s.store.Update(func(tx *store.Tx) error {
		p, err := store.ProjectIn(tx, c.PathValue(wire.ProjectID))
		if err != nil {
			return err
		}
		if err := p.ForDocuments(); err != nil {
			return err
		}
		all, err := store.TasksOf(tx, p.ID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(t *store.Task) bool { return strings.EqualFold(t.ID, c.PathValue(wire.TaskID)) })
		if i < 0 {
			return api.Refuse(http.StatusNotFound, "the project %s has no task %s", p.ID, c.PathValue(wire.TaskID))
		}
		if err := do(all[i]); err != nil {
			return err
		}
		return store.PutTask(tx, all[i])
	})
	return c.Reply(true, err)
}

// assignTask answers PUT …/individual-assignment: the members join the task, on its shortlist or at once; one alone
// begins to work, several are invited.
func (s *Service) assignTask(c *api.Call) error {
	if _, err := s.store.DocumentProject(c.PathValue(wire.ProjectID)); err != nil {
		return err
	}
	b, err := api.ReadObject(c)
	if err != nil {
		return err
	}
	users, shortlist := api.Member[[]string](b, "userIds"), api.Member[bool](b, "shouldAssignInShortlistStatus")
	if b.Err != nil {
		return b.Err
	}
	if len(users) == 0 {
		return api.Invalid("userIds", "is missing or empty; name members of the team")
	}
	team, err := s.team()
	if err != nil {
		return err
	}
	for _, user := range users {
		if !slices.ContainsFunc(team, func(m wire.TeamMember) bool { return m.ID == user }) {
			return api.Invalid("userIds", "%q is not a member of the team; POST %s lists them", user,
				wire.Prefix+wire.PathTeam)
		}
	}
	return s.changeTask(c, func(t *store.Task) error {
		status := wire.AssignmentInvited
		switch {
		case shortlist:
			status = wire.AssignmentShortlisted
		case len(users) == 1:
			status = wire.AssignmentInProgress
		}
		for _, user := range users {
			t.Assigned = slices.DeleteFunc(t.Assigned, func(a store.Assignment) bool { return a.User == user })
			t.Assigned = append(t.Assigned, store.Assignment{User: user, Status: status})
		}
		return nil
	})
}

// setTaskDeadline answers PUT …/deadline. An empty deadline takes it away.
func (s *Service) setTaskDeadline(c *api.Call) error {
	if _, err := s.store.DocumentProject(c.PathValue(wire.ProjectID)); err != nil {
		return err
	}
	all, given := c.Params.Values(wire.QueryDeadline)
	if !given {
		return api.Invalid(wire.QueryDeadline, "is missing; give an ISO 8601 timestamp in UTC")
	}
	deadline := strings.TrimSpace(all[0])
	if err := api.CheckDeadline(deadline); err != nil {
		return err
	}
	if deadline != "" {
		at, err := api.ReadTime(deadline)
		if err != nil {
			return err
		}
		deadline = api.Timestamp(at.UnixNano())
	}
	return s.changeTask(c, func(t *store.Task) error {
		t.Deadline = deadline
		return nil
	})
}
