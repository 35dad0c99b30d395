package service

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

// TaskFilter narrows Tasks; empty fields do not.
type TaskFilter struct {
	Currency string // that costs are shown in, a code like EUR; empty: USD, since the service wants one
	Document string // composite identifier: only the tasks of this document (published description)
}

// Tasks lists the tasks of a project, page by page: GET /v1/projectTask/{projectId}/list (service interface, project tasks and team;
// its pages are the published description's). A project without tasks is ErrAuth (403) at some services.
func (c *Client) Tasks(ctx context.Context, project string, f TaskFilter) ([]Task, error) {
	const op = "list tasks"
	if err := checkID(project); err != nil {
		return nil, fmt.Errorf("%s: project id: %w", op, err)
	}
	page := func(skip int) ([]Task, error) {
		q := url.Values{
			wire.QueryCurrency: {cmp.Or(f.Currency, "USD")}, wire.QuerySkip: {strconv.Itoa(skip)}, wire.QueryLimit: {strconv.Itoa(wire.MaxTasksPerPage)},
		}
		if f.Document != "" {
			q.Set(wire.QueryDocumentID, f.Document)
		}
		var tasks wire.List[Task]
		err := c.do(ctx, call{op: op, method: http.MethodGet, path: fill(wire.PathTasks, project), query: q, repeatable: true, read: unlessEmpty(c.record(&tasks))})
		return tasks, err
	}
	return pages(wire.MaxTasksPerPage, func(t Task) string { return t.ID }, page)
}

// AssignTask gives a task to members of the team, several at once where wanted: PUT
// /v1/projectTask/{projectId}/{taskId}/individual-assignment (service interface, project tasks and team; its answer, true or false, is
// the published description's). shortlist only puts them on the list of candidates. ErrRefused: the service says false, or 400.
func (c *Client) AssignTask(ctx context.Context, project, task string, users []string, shortlist bool) error {
	const op = "assign task"
	if err := checkTask(project, task); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	if len(users) == 0 {
		return fmt.Errorf("%s: no users", op)
	}
	body, err := json.Marshal(wire.AssignRequest{ShouldAssignInShortlistStatus: shortlist, UserIDs: users})
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return c.do(ctx, call{
		op: op, method: http.MethodPut, path: fill(wire.PathTaskAssignment, project, task), body: body, bodyType: jsonType,
		repeatable: true, changes: true, read: c.accepted,
	})
}

// SetTaskDeadline sets until when a task is to be done; the zero time takes the deadline away, by an empty value (published description): PUT
// /v1/projectTask/{projectId}/{taskId}/deadline with the query parameter deadline (service interface, project tasks and team; its
// answer, true or false, is the published description's). ErrRefused: the service says false, or 400.
func (c *Client) SetTaskDeadline(ctx context.Context, project, task string, deadline time.Time) error {
	const op = "set deadline of task"
	if err := checkTask(project, task); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	q := url.Values{wire.QueryDeadline: {""}}
	if !deadline.IsZero() {
		q.Set(wire.QueryDeadline, deadline.UTC().Format(time.RFC3339))
	}
	return c.do(ctx, call{
		op: op, method: http.MethodPut, path: fill(wire.PathTaskDeadline, project, task), query: q, repeatable: true, changes: true, read: c.accepted,
	})
}

// accepted reads an answer that is true or false; one without words counts as true.
func (c *Client) accepted(_ *http.Response, body io.Reader) error {
	b, err := within(body, c.limits.problem)
	if err == nil && strings.EqualFold(strings.Trim(strings.TrimSpace(string(b)), `"`), "false") {
		err = local{fmt.Errorf("%w: it answers false", ErrRefused)}
	}
	return err
}

func checkTask(project, task string) error {
	if err := checkID(project); err != nil {
		return fmt.Errorf("project id: %w", err)
	}
	if err := checkID(task); err != nil {
		return fmt.Errorf("task id: %w", err)
	}
	return nil
}

// SearchTeam reads one page of the members of the account's team that match: POST /v1/account/searchMyTeam (service interface,
// project tasks and team). It changes nothing, so a lost answer is repeated.
func (c *Client) SearchTeam(ctx context.Context, search TeamSearch) ([]TeamMember, error) {
	const op = "search team"
	if search.Limit < 1 || search.Limit > wire.MaxTeamPerPage || search.Skip < 0 {
		return nil, fmt.Errorf("%s: limit %d, skip %d: want a limit from 1 to %d and a skip of 0 or more", op, search.Limit, search.Skip, wire.MaxTeamPerPage)
	}
	body, err := json.Marshal(search)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	var members wire.List[TeamMember]
	err = c.do(ctx, call{
		op: op, method: http.MethodPost, path: wire.PathTeam, body: body, bodyType: jsonType, repeatable: true, read: unlessEmpty(c.record(&members)),
	})
	return members, err
}

// Team lists all members of the account's team, page by page; see SearchTeam.
func (c *Client) Team(ctx context.Context) ([]TeamMember, error) {
	return pages(wire.MaxTeamPerPage, func(m TeamMember) string { return m.ID }, func(skip int) ([]TeamMember, error) {
		return c.SearchTeam(ctx, TeamSearch{Skip: skip, Limit: wire.MaxTeamPerPage})
	})
}
