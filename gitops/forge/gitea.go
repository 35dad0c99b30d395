package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// gitea speaks the part of Gitea's REST API, version 1, that Forgejo has too, as both have had it for years.
type gitea struct {
	api   *caller
	owner string
	path  string
}

func newGitea(c *caller, repository string) (Forge, error) {
	owner, name, _ := strings.Cut(repository, "/")
	if strings.Contains(name, "/") {
		return nil, fmt.Errorf("%q is not a repository at Gitea or Forgejo: write owner/name", repository)
	}
	c.header.Set("Authorization", "token "+c.token)
	return &gitea{c, owner, "/repos/" + url.PathEscape(owner) + "/" + url.PathEscape(name)}, nil
}

// giteaPage is the most that a page has where an administrator has not allowed more.
const giteaPage = 50

type giteaPull struct {
	Number   int          `json:"number"`
	URL      string       `json:"html_url"`
	State    string       `json:"state"` // open, closed
	Title    string       `json:"title"`
	Body     string       `json:"body"`
	Merged   bool         `json:"merged"`
	MergedAt *time.Time   `json:"merged_at"`
	ClosedAt *time.Time   `json:"closed_at"`
	Labels   []giteaLabel `json:"labels"`
	Head     giteaEnd     `json:"head"`
	Base     giteaEnd     `json:"base"`
}

// giteaEnd is a side of a request. Ref is refs/pull/…/head once the branch is gone, Label is its name still.
type giteaEnd struct {
	Label  string `json:"label"`
	Ref    string `json:"ref"`
	RepoID int64  `json:"repo_id"`
}

type giteaLabel struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// request leaves Commit empty: whatever became of a request, Gitea shows the commit that its branch has now.
func (p *giteaPull) request() *Request {
	r := &Request{Number: p.Number, URL: p.URL, State: Open, Title: p.Title, Body: p.Body}
	for _, l := range p.Labels {
		r.Labels = append(r.Labels, l.Name)
	}
	switch {
	case p.Merged:
		r.State = Merged
		if p.MergedAt != nil {
			r.Ended = *p.MergedAt
		}
	case p.State != "open":
		r.State = Closed
		if p.ClosedAt != nil {
			r.Ended = *p.ClosedAt
		}
	}
	return r
}

// Find reads the lists, the youngest first: they cannot be filtered by branch.
func (g *gitea) Find(ctx context.Context, head, base string) (found Found, err error) {
	for _, state := range []string{"open", "all"} {
		query := url.Values{"state": {state}, "limit": {fmt.Sprint(giteaPage)}}
		err = pages(ctx, g.api, "look for the pull request", g.path+"/pulls", query, giteaPage, func(p giteaPull) bool {
			if p.Head.RepoID != p.Base.RepoID || p.Base.Ref != base || p.Head.Ref != head && p.Head.Label != head {
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

// Put makes requests with their labels, which it must know by number.
func (g *gitea) Put(ctx context.Context, c Change) (Request, error) {
	ids, missing := []int64(nil), error(nil)
	if len(c.Labels) > 0 {
		var err error
		if ids, missing, err = g.labels(ctx, c.Labels); err != nil {
			return Request{}, err
		}
	}
	body := map[string]any{}
	if c.Title != "" {
		body["title"] = c.Title
	}
	if c.Body != "" {
		body["body"] = c.Body
	}
	if c.Number == 0 {
		body["head"], body["base"] = c.Head, c.Base
		if len(ids) > 0 {
			body["labels"] = ids
		}
		var made giteaPull
		_, err := g.api.call(ctx, "make the pull request", http.MethodPost, g.path+"/pulls", nil, body, &made)
		if err != nil {
			return Request{}, err
		}
		r, err := g.api.made("make the pull request", made.request())
		return r, cmp.Or(err, missing)
	}
	r := Request{Number: c.Number}
	if len(body) > 0 {
		if _, err := g.api.call(ctx, "update the pull request", http.MethodPatch,
			fmt.Sprintf("%s/pulls/%d", g.path, c.Number),
			nil, body, nil); err != nil {
			return r, err
		}
	}
	if len(ids) > 0 {
		path := fmt.Sprintf("%s/issues/%d/labels", g.path, c.Number)
		if _, err := g.api.call(ctx, "label the pull request", http.MethodPost, path, nil,
			map[string]any{"labels": ids}, nil); err != nil {
			return r, err
		}
	}
	return r, missing
}

// labels finds labels by name, in the repository and in its organisation. missing names those that neither has: only
// people choose their colour.
func (g *gitea) labels(ctx context.Context, names []string) (ids []int64, missing, err error) {
	left := append([]string(nil), names...)
	for _, path := range []string{g.path + "/labels", "/orgs/" + url.PathEscape(g.owner) + "/labels"} {
		err := pages(ctx, g.api, "read the labels", path, url.Values{"limit": {fmt.Sprint(giteaPage)}}, giteaPage,
			func(l giteaLabel) bool {
				for i, name := range left {
					if strings.EqualFold(l.Name, name) {
						ids, left = append(ids, l.ID), append(left[:i:i], left[i+1:]...)
						break
					}
				}
				return len(left) == 0
			})
		if len(left) == 0 {
			return ids, nil, nil
		}
		if err != nil && !(errors.Is(err, ErrNotFound) && strings.HasPrefix(path, "/orgs/")) { // the owner may be a person
			return nil, nil, err
		}
	}
	return ids, &Error{Kind: g.api.kind, Op: "label the pull request",
		Detail: fmt.Sprintf("no label is called %q", left[0]),
		Try:    "make it in the repository's settings, or take it out of labels", is: ErrInvalid}, nil
}

func (g *gitea) comments(ctx context.Context, number int, visit func(comment) bool) error {
	// Gitea gives all comments of an issue in one answer, whatever page is asked for.
	var all []note
	_, err := g.api.call(ctx, opRead, http.MethodGet, fmt.Sprintf("%s/issues/%d/comments", g.path, number), nil, nil, &all)
	for _, n := range all {
		if visit(n.comment()) {
			break
		}
	}
	return err
}

// user is "" for a token without the scope read:user.
func (g *gitea) user(ctx context.Context) (string, error) { return accountOf(ctx, g.api) }

func (g *gitea) say(ctx context.Context, number int, old comment, body string) error {
	return sayIssue(ctx, g.api, g.path, number, old, body)
}

func (g *gitea) mark(ctx context.Context, _ int, commit string, s Status) error {
	return markCommit(ctx, g.api, g.path, commit, s)
}
