package forge

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// gitHub speaks GitHub's REST API, version 2022-11-28, as github.com, ghe.com and GitHub Enterprise Server have it.
type gitHub struct {
	*caller
	repository string // owner/name
	path       string
}

func newGitHub(c *caller, repository string) (Forge, error) {
	owner, name, _ := strings.Cut(repository, "/")
	if strings.Contains(name, "/") {
		return nil, fmt.Errorf("%q is not a repository at GitHub: write owner/name", repository)
	}
	c.header.Set("Accept", "application/vnd.github+json")
	c.header.Set("X-GitHub-Api-Version", "2022-11-28")
	c.header.Set("Authorization", "Bearer "+c.token)
	return &gitHub{c, repository, "/repos/" + url.PathEscape(owner) + "/" + url.PathEscape(name)}, nil
}

type gitHubPull struct {
	Number   int        `json:"number"`
	URL      string     `json:"html_url"`
	State    string     `json:"state"` // open, closed
	Title    string     `json:"title"`
	Body     string     `json:"body"`
	MergedAt *time.Time `json:"merged_at"`
	ClosedAt *time.Time `json:"closed_at"`
	Labels   []struct {
		Name string `json:"name"`
	} `json:"labels"`
	Head, Base struct {
		Ref  string `json:"ref"`
		SHA  string `json:"sha"`
		Repo *struct {
			FullName string `json:"full_name"`
		} `json:"repo"` // null when a fork is gone
	}
}

func (p *gitHubPull) request() *Request {
	r := &Request{Number: p.Number, URL: p.URL, State: Open, Title: p.Title, Body: p.Body}
	for _, l := range p.Labels {
		r.Labels = append(r.Labels, l.Name)
	}
	if p.State != "open" {
		r.State, r.Commit = Closed, p.Head.SHA
		if p.MergedAt != nil {
			r.State = Merged
		}
		if p.ClosedAt != nil {
			r.Ended = *p.ClosedAt
		}
	}
	return r
}

// Find asks for open requests, and only then for all, the youngest first. The filter for the head wants its owner; one
// that GitHub does not understand filters nothing, so everything is compared here too.
func (g *gitHub) Find(ctx context.Context, head, base string) (found Found, err error) {
	owner, _, _ := strings.Cut(g.repository, "/")
	for _, state := range []string{"open", "all"} {
		query := url.Values{"state": {state}, "head": {owner + ":" + head}, "base": {base}, "sort": {"created"},
			"direction": {"desc"}, "per_page": {"100"}}
		err = pages(ctx, g.caller, "look for the pull request", g.path+"/pulls", query, 100, func(p gitHubPull) bool {
			if p.Head.Repo == nil || p.Base.Repo == nil || p.Head.Repo.FullName != p.Base.Repo.FullName ||
				p.Head.Ref != head || p.Base.Ref != base {
				return false
			}
			return found.take(p.request())
		})
		if err != nil || found.Open != nil {
			return found, err
		}
	}
	return found, nil
}

// take keeps a request of a list that has the youngest first; enough when the rest of the list cannot change anything.
func (f *Found) take(r *Request) (enough bool) {
	switch {
	case r.Number <= 0:
		return false
	case r.State == Open:
		f.Open = r
	case f.Past == nil:
		f.Past = r
	}
	return true
}

// Put takes two calls where there are labels: GitHub makes requests without any, and labels that do not exist yet with
// them.
func (g *gitHub) Put(ctx context.Context, c Change) (Request, error) {
	body := map[string]any{}
	if c.Title != "" {
		body["title"] = c.Title
	}
	if c.Body != "" {
		body["body"] = c.Body
	}
	r := Request{Number: c.Number}
	if c.Number == 0 {
		body["head"], body["base"] = c.Head, c.Base
		var made gitHubPull
		if _, err := g.call(ctx, "make the pull request", http.MethodPost, g.path+"/pulls", nil, body, &made); err != nil {
			return r, err
		}
		var err error
		if r, err = g.made("make the pull request", made.request()); err != nil {
			return r, err
		}
	} else if len(body) > 0 {
		if _, err := g.call(ctx, "update the pull request", http.MethodPatch, fmt.Sprintf("%s/pulls/%d", g.path, c.Number),
			nil, body, nil); err != nil {
			return r, err
		}
	}
	if len(c.Labels) == 0 {
		return r, nil
	}
	_, err := g.call(ctx, "label the pull request", http.MethodPost,
		fmt.Sprintf("%s/issues/%d/labels", g.path, r.Number), nil, map[string]any{"labels": c.Labels}, nil)
	if err == nil {
		r.Labels = c.Labels
	}
	return r, err
}
