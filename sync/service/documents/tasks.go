package documents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// Tasks are the operations on the tasks of projects, and on the team that they are given to.
type Tasks struct{ client *service.Client }

// TasksOf are the operations of a client on tasks.
func TasksOf(c *service.Client) Tasks { return Tasks{c} }

// TaskFilter narrows Tasks.List; empty fields do not.
type TaskFilter struct {
	Currency string // that costs are shown in, a code like EUR; empty: USD, since the service wants one
	Document string // composite identifier: only the tasks of this document (published description)
}

// List lists the tasks of a project, page by page: GET /v1/projectTask/{projectId}/list (service interface,
// project tasks and team; its pages are the published description's). A project without tasks is ErrAuth (403)
// at some services.
func (t Tasks) List(ctx context.Context, project string, f TaskFilter) ([]Task, error) {
	page := func(skip int) ([]Task, error) {
		q := url.Values{
			wire.QueryCurrency: {cmp.Or(f.Currency, "USD")}, wire.QuerySkip: {strconv.Itoa(skip)},
			wire.QueryLimit: {strconv.Itoa(wire.MaxTasksPerPage)},
		}
		if f.Document != "" {
			q.Set(wire.QueryDocumentID, f.Document)
		}
		return service.Get[wire.List[Task]](ctx, t.client, service.Call{Op: "list tasks",
			Bad: service.Named("project", project), Path: service.PathOf(wire.PathTasks, project), Query: q},
			service.Reader.UnlessEmpty)
	}
	return service.Pages(wire.MaxTasksPerPage, func(t Task) string { return t.ID }, page)
}

// Assign gives a task to members of the team, several at once where wanted: PUT
// /v1/projectTask/{projectId}/{taskId}/individual-assignment (service interface, project tasks and team; its
// answer, true or false, is the published description's). shortlist only puts them on the list of candidates.
// ErrRefused: the service says false, or 400.
func (t Tasks) Assign(ctx context.Context, project, task string, users []string, shortlist bool) error {
	bad := checkTask(project, task)
	if len(users) == 0 {
		bad = errors.New("no users")
	}
	return t.client.Do(ctx, service.Call{
		Op: "assign task", Bad: bad, Method: http.MethodPut, Path: service.PathOf(wire.PathTaskAssignment, project, task),
		Body:       wire.AssignRequest{ShouldAssignInShortlistStatus: shortlist, UserIDs: users},
		Repeatable: true, Changes: true, Read: service.Accepted,
	})
}

// SetDeadline sets until when a task is to be done; the zero time takes the deadline away, by an empty value
// (published description): PUT /v1/projectTask/{projectId}/{taskId}/deadline with the query parameter deadline
// (service interface, project tasks and team; its answer, true or false, is the published description's).
// ErrRefused: the service says false, or 400.
func (t Tasks) SetDeadline(ctx context.Context, project, task string, deadline time.Time) error {
	q := url.Values{wire.QueryDeadline: {""}}
	if !deadline.IsZero() {
		q.Set(wire.QueryDeadline, deadline.UTC().Format(time.RFC3339))
	}
	return t.client.Do(ctx, service.Call{
		Op: "set deadline of task", Bad: checkTask(project, task), Method: http.MethodPut,
		Path: service.PathOf(wire.PathTaskDeadline, project, task), Query: q, Repeatable: true, Changes: true,
		Read: service.Accepted,
	})
}

func checkTask(project, task string) error {
	return cmp.Or(service.Named("project", project), service.Named("task", task))
}

// SearchTeam reads one page of the members of the account's team that match: POST /v1/account/searchMyTeam
// (service interface, project tasks and team). It changes nothing, so a lost answer is repeated.
func (t Tasks) SearchTeam(ctx context.Context, search TeamSearch) ([]TeamMember, error) {
	const op = "search team"
	if search.Limit < 1 || search.Limit > wire.MaxTeamPerPage || search.Skip < 0 {
		return nil, fmt.Errorf("%s: limit %d, skip %d: want a limit from 1 to %d and a skip of 0 or more", op,
			search.Limit, search.Skip, wire.MaxTeamPerPage)
	}
	return service.Get[wire.List[TeamMember]](ctx, t.client, service.Call{
		Op: op, Method: http.MethodPost, Path: wire.PathTeam, Body: search, Repeatable: true,
	}, service.Reader.UnlessEmpty)
}

// Team lists all members of the account's team, page by page; see SearchTeam.
func (t Tasks) Team(ctx context.Context) ([]TeamMember, error) {
	return service.Pages(wire.MaxTeamPerPage, func(m TeamMember) string { return m.ID },
		func(skip int) ([]TeamMember, error) {
			return t.SearchTeam(ctx, TeamSearch{Skip: skip, Limit: wire.MaxTeamPerPage})
		})
}
