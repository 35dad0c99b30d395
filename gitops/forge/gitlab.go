package forge

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// gitLab speaks GitLab's REST API, version 4.
type gitLab struct {
	api  *caller
	path string
}

func newGitLab(c *caller, repository string) (Forge, error) {
	c.header.Set("Authorization", "Bearer "+c.token) // personal, project, group and OAuth tokens alike
	return &gitLab{c, "/projects/" + url.PathEscape(repository) + "/merge_requests"}, nil
}

type gitLabRequest struct {
	IID             int        `json:"iid"`
	URL             string     `json:"web_url"`
	State           string     `json:"state"` // opened, closed, merged, locked
	Title           string     `json:"title"`
	Description     string     `json:"description"`
	Labels          []string   `json:"labels"`
	SHA             string     `json:"sha"`
	MergedAt        *time.Time `json:"merged_at"`
	ClosedAt        *time.Time `json:"closed_at"`
	SourceBranch    string     `json:"source_branch"`
	TargetBranch    string     `json:"target_branch"`
	SourceProjectID int        `json:"source_project_id"`
	TargetProjectID int        `json:"target_project_id"`
}

func (m *gitLabRequest) request() *Request {
	r := &Request{Number: m.IID, URL: m.URL, State: Open, Title: m.Title, Body: m.Description, Labels: m.Labels}
	switch m.State {
	case "closed":
		r.State, r.Commit = Closed, m.SHA
		if m.ClosedAt != nil {
			r.Ended = *m.ClosedAt
		}
	case "merged":
		r.State, r.Commit = Merged, m.SHA
		if m.MergedAt != nil {
			r.Ended = *m.MergedAt
		}
	}
	return r // locked is being merged at this moment
}

// Find asks for open requests, and only then for all, the youngest first.
func (g *gitLab) Find(ctx context.Context, head, base string) (found Found, err error) {
	for _, state := range []string{"opened", "all"} {
		query := url.Values{"state": {state}, "source_branch": {head}, "target_branch": {base}, "order_by": {"created_at"},
			"sort": {"desc"}, "per_page": {"100"}}
		err = pages(ctx, g.api, "look for the merge request", g.path, query, 100, func(m gitLabRequest) bool {
			if m.SourceProjectID != m.TargetProjectID || m.SourceBranch != head || m.TargetBranch != base {
				return false
			}
			return found.take(m.request())
		})
		if err != nil || found.Open != nil {
			return found, err
		}
	}
	return found, nil
}

func (g *gitLab) Put(ctx context.Context, c Change) (Request, error) {
	body := map[string]any{}
	if c.Title != "" {
		body["title"] = c.Title
	}
	if c.Body != "" {
		body["description"] = c.Body
	}
	if c.Number != 0 {
		if len(c.Labels) > 0 {
			body["add_labels"] = strings.Join(c.Labels, ",")
		}
		_, err := g.api.call(ctx, "update the merge request", http.MethodPut, fmt.Sprintf("%s/%d", g.path, c.Number),
			nil, body, nil)
		return Request{Number: c.Number}, err
	}
	body["source_branch"], body["target_branch"], body["remove_source_branch"] = c.Head, c.Base, c.RemoveBranch
	if len(c.Labels) > 0 {
		body["labels"] = strings.Join(c.Labels, ",")
	}
	var made gitLabRequest
	if _, err := g.api.call(ctx, "make the merge request", http.MethodPost, g.path, nil, body, &made); err != nil {
		return Request{}, err
	}
	return g.api.made("make the merge request", made.request())
}

func (g *gitLab) comments(ctx context.Context, number int, visit func(comment) bool) error {
	query := url.Values{"sort": {"asc"}, "order_by": {"created_at"}, "per_page": {"100"}}
	return pages(ctx, g.api, opRead, fmt.Sprintf("%s/%d/notes", g.path, number), query, 100, func(n note) bool {
		return visit(n.comment())
	})
}

func (g *gitLab) user(ctx context.Context) (string, error) { return accountOf(ctx, g.api) }

func (g *gitLab) say(ctx context.Context, number int, old comment, body string) error {
	method, path := http.MethodPost, fmt.Sprintf("%s/%d/notes", g.path, number)
	if old.id != "" {
		method, path = http.MethodPut, path+"/"+old.id
	}
	return put(ctx, g.api, method, path, map[string]string{"body": body})
}

func (g *gitLab) mark(ctx context.Context, _ int, commit string, s Status) error {
	body := map[string]string{"state": s.word("success", "failed"), "name": s.Name, "description": s.Title}
	if s.URL != "" {
		body["target_url"] = s.URL
	}
	path := strings.TrimSuffix(g.path, "/merge_requests") + "/statuses/" + url.PathEscape(commit)
	_, err := g.api.call(ctx, opStatus, http.MethodPost, path, nil, body, nil)
	return err
}
