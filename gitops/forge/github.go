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
	api        *caller
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
	g := &gitHub{c, repository, "/repos/" + url.PathEscape(owner) + "/" + url.PathEscape(name)}
	if c.appID == "" {
		c.signWith(c.token)
		return g, nil
	}
	a, err := newApp(c, g.path, name)
	if err != nil {
		return nil, err
	}
	c.sign = a.sign
	return g, nil
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
	User struct {
		Login string `json:"login"`
	} `json:"user"`
	Head, Base struct {
		Ref  string `json:"ref"`
		SHA  string `json:"sha"`
		Repo *struct {
			FullName string `json:"full_name"`
		} `json:"repo"` // null when a fork is gone
	}
}

func (p *gitHubPull) request() *Request {
	r := &Request{Number: p.Number, URL: p.URL, State: Open, Title: p.Title, Body: p.Body, Author: p.User.Login}
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

// ByGitHubsJob reports whether the token that GitHub gives each job made the request.
func (r Request) ByGitHubsJob() bool { return r.Author == "github-actions[bot]" }

// Find asks for open requests, and only then for all, the youngest first. The filter for the head wants its owner; one
// that GitHub does not understand filters nothing, so everything is compared here too.
func (g *gitHub) Find(ctx context.Context, head, base string) (found Found, err error) {
	owner, _, _ := strings.Cut(g.repository, "/")
	for _, state := range []string{"open", "all"} {
		query := url.Values{"state": {state}, "head": {owner + ":" + head}, "base": {base}, "sort": {"created"},
			"direction": {"desc"}, "per_page": {"100"}}
		err = pages(ctx, g.api, "look for the pull request", g.path+"/pulls", query, 100, func(p gitHubPull) bool {
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
		_, err := g.api.call(ctx, "make the pull request", http.MethodPost, g.path+"/pulls", nil, body, &made)
		if err != nil {
			return r, err
		}
		r, err = g.api.made("make the pull request", made.request())
		if err != nil {
			return r, err
		}
	} else if len(body) > 0 {
		if _, err := g.api.call(ctx, "update the pull request", http.MethodPatch,
			fmt.Sprintf("%s/pulls/%d", g.path, c.Number),
			nil, body, nil); err != nil {
			return r, err
		}
	}
	if len(c.Labels) == 0 {
		return r, nil
	}
	_, err := g.api.call(ctx, "label the pull request", http.MethodPost,
		fmt.Sprintf("%s/issues/%d/labels", g.path, r.Number), nil, map[string]any{"labels": c.Labels}, nil)
	if err == nil {
		r.Labels = c.Labels
	}
	return r, err
}

func (g *gitHub) comments(ctx context.Context, number int, visit func(comment) bool) error {
	path := fmt.Sprintf("%s/issues/%d/comments", g.path, number)
	query := url.Values{"per_page": {"100"}}
	return pages(ctx, g.api, opRead, path, query, 100, func(n note) bool {
		c := n.comment()
		c.foreign = n.User.Type != "Bot"
		return visit(c)
	})
}

// user is "" for the token of a job or an App, whose comments are a bot's: those of people are foreign then.
func (g *gitHub) user(ctx context.Context) (string, error) { return accountOf(ctx, g.api) }

func (g *gitHub) say(ctx context.Context, number int, old comment, body string) error {
	return sayIssue(ctx, g.api, g.path, number, old, body)
}

func (g *gitHub) mark(ctx context.Context, _ int, commit string, s Status) error {
	return markCommit(ctx, g.api, g.path, commit, s)
}

// sayIssue comments where a request is an issue, too: GitHub, Gitea.
func sayIssue(ctx context.Context, c *caller, path string, number int, old comment, body string) error {
	text := map[string]string{"body": body}
	if old.id == "" {
		return put(ctx, c, http.MethodPost, fmt.Sprintf("%s/issues/%d/comments", path, number), text)
	}
	return put(ctx, c, http.MethodPatch, path+"/issues/comments/"+old.id, text)
}

// markCommit sets a commit's status at GitHub and Gitea.
func markCommit(ctx context.Context, c *caller, path, commit string, s Status) error {
	body := map[string]string{"state": s.word("success", "failure"), "context": s.Name, "description": s.Title}
	if s.URL != "" {
		body["target_url"] = s.URL
	}
	_, err := c.call(ctx, opStatus, http.MethodPost, path+"/statuses/"+url.PathEscape(commit), nil, body, nil)
	return err
}
