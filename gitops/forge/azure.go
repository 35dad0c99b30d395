package forge

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

// azure speaks the REST API of Azure DevOps Services, and of Azure DevOps Server 2022 and newer.
type azure struct {
	api  *caller
	path string
	page string // of a request, for people, without its number

	organisation *url.URL // or a server's collection
}

// azureVersion is one that Services and Server 2022 have.
const azureVersion = "7.0"

func newAzure(c *caller, repository string) (Forge, error) {
	project, name := path.Split(repository) // with the organisation, or a server's folders, before the project
	c.header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(":"+c.token)))
	page := c.api.JoinPath(project, "_git", name, "pullrequest").String() + "/"
	organisation := c.api.JoinPath(path.Dir(path.Clean(project)))
	organisation.Path = strings.TrimSuffix(organisation.Path, "/")
	c.api = c.api.JoinPath(project, "_apis/git/repositories", name)
	return &azure{c, "/pullrequests", page, organisation}, nil
}

type azureRequest struct {
	ID          int       `json:"pullRequestId"`
	Status      string    `json:"status"` // active, completed, abandoned
	Title       string    `json:"title"`
	Description string    `json:"description"`
	Closed      time.Time `json:"closedDate"`
	Source      string    `json:"sourceRefName"`
	Target      string    `json:"targetRefName"`
	Fork        *struct{} `json:"forkSource"`
	Commit      struct {
		ID string `json:"commitId"`
	} `json:"lastMergeSourceCommit"`
}

func (a *azure) request(p *azureRequest) *Request {
	r := &Request{Number: p.ID, URL: a.page + fmt.Sprint(p.ID), State: Open, Title: p.Title, Body: p.Description}
	if p.Status != "active" {
		r.State, r.Commit, r.Ended = Closed, p.Commit.ID, p.Closed
		if p.Status == "completed" {
			r.State = Merged
		}
	}
	return r
}

func version(query url.Values) url.Values {
	if query == nil {
		query = url.Values{}
	}
	query.Set("api-version", azureVersion)
	return query
}

// Find asks for open requests, and only then for all, the youngest first. An open one is read again: lists cut its
// text, and have no labels.
func (a *azure) Find(ctx context.Context, head, base string) (found Found, err error) {
	const refs, size = "refs/heads/", 100
	for _, status := range []string{"active", "all"} {
		for page := range maxPages {
			query := version(url.Values{"searchCriteria.status": {status}, "searchCriteria.sourceRefName": {refs + head},
				"searchCriteria.targetRefName": {refs + base}, "$top": {fmt.Sprint(size)}, "$skip": {fmt.Sprint(page * size)}})
			var list struct{ Value []azureRequest }
			if _, err := a.api.call(ctx, "look for the pull request", http.MethodGet, a.path, query, nil, &list); err != nil {
				return found, err
			}
			enough := len(list.Value) == 0
			for _, p := range list.Value {
				if p.Fork == nil && p.Source == refs+head && p.Target == refs+base && found.take(a.request(&p)) {
					enough = true
					break
				}
			}
			if enough {
				break
			}
		}
		if found.Open != nil {
			return found, a.whole(ctx, found.Open)
		}
	}
	return found, nil
}

// whole reads what lists leave out of a request.
func (a *azure) whole(ctx context.Context, r *Request) error {
	at := fmt.Sprintf("%s/%d", a.path, r.Number)
	var p azureRequest
	if _, err := a.api.call(ctx, "read the pull request", http.MethodGet, at, version(nil), nil, &p); err != nil {
		return err
	}
	r.Title, r.Body = p.Title, p.Description
	var labels struct{ Value []struct{ Name string } }
	_, err := a.api.call(ctx, "read the pull request's labels", http.MethodGet, at+"/labels", version(nil), nil, &labels)
	if err != nil {
		return err
	}
	for _, l := range labels.Value {
		r.Labels = append(r.Labels, l.Name)
	}
	return nil
}

func (a *azure) Put(ctx context.Context, c Change) (Request, error) {
	body := map[string]any{}
	if c.Title != "" {
		body["title"] = c.Title
	}
	if c.Body != "" {
		body["description"] = c.Body
	}
	if c.Number == 0 {
		body["sourceRefName"], body["targetRefName"] = "refs/heads/"+c.Head, "refs/heads/"+c.Base
		labels := []any{}
		for _, l := range c.Labels {
			labels = append(labels, map[string]string{"name": l})
		}
		body["labels"] = labels
		var made azureRequest
		_, err := a.api.call(ctx, "make the pull request", http.MethodPost, a.path, version(nil), body, &made)
		if err != nil {
			return Request{}, err
		}
		return a.api.made("make the pull request", a.request(&made))
	}
	r, at := Request{Number: c.Number}, fmt.Sprintf("%s/%d", a.path, c.Number)
	if len(body) > 0 {
		if _, err := a.api.call(ctx, "update the pull request", http.MethodPatch, at, version(nil), body, nil); err != nil {
			return r, err
		}
	}
	for _, l := range c.Labels {
		label := map[string]string{"name": l}
		_, err := a.api.call(ctx, "label the pull request", http.MethodPost, at+"/labels", version(nil), label, nil)
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

func (a *azure) comments(ctx context.Context, number int, visit func(comment) bool) error {
	var list struct {
		Value []struct {
			ID        int64
			IsDeleted bool
			Comments  []struct {
				ID        int64
				Content   string
				IsDeleted bool
				Author    struct{ ID string }
			}
		}
	}
	path := fmt.Sprintf("%s/%d/threads", a.path, number)
	if _, err := a.api.call(ctx, opRead, http.MethodGet, path, version(nil), nil, &list); err != nil {
		return err
	}
	for _, t := range list.Value {
		for _, c := range t.Comments {
			own := comment{id: fmt.Sprint(c.ID), in: fmt.Sprint(t.ID), user: c.Author.ID, body: c.Content}
			if !t.IsDeleted && !c.IsDeleted && visit(own) {
				return nil
			}
		}
	}
	return nil
}

// user asks the organisation, which has no version of this interface but previews.
func (a *azure) user(ctx context.Context) (string, error) {
	organisation := *a.api
	organisation.api = a.organisation
	var now struct{ AuthenticatedUser struct{ ID string } }
	query := url.Values{"api-version": {azureVersion + "-preview"}}
	_, err := userOf(ctx, &organisation, "/_apis/connectionData", query, &now)
	return now.AuthenticatedUser.ID, err
}

// say makes a thread that is closed from the beginning: branch policies may ask that open ones are answered.
func (a *azure) say(ctx context.Context, number int, old comment, body string) error {
	method, path := http.MethodPost, fmt.Sprintf("%s/%d/threads", a.path, number)
	var content any = map[string]any{"status": "closed",
		"comments": []any{map[string]any{"parentCommentId": 0, "commentType": "text", "content": body}}}
	if old.id != "" {
		method, path = http.MethodPatch, fmt.Sprintf("%s/%s/comments/%s", path, old.in, old.id)
		content = map[string]string{"content": body}
	}
	_, err := a.api.call(ctx, opWrite, method, path, version(nil), content, nil)
	return err
}

// mark sets a status of the request, which its branch's policies can ask for; those of commits they cannot.
func (a *azure) mark(ctx context.Context, number int, _ string, s Status) error {
	genre, name, _ := strings.Cut(s.Name, "/")
	body := map[string]any{"state": s.word("succeeded", "failed"), "description": s.Title,
		"context": map[string]string{"genre": genre, "name": name}}
	if s.URL != "" {
		body["targetUrl"] = s.URL
	}
	path := fmt.Sprintf("%s/%d/statuses", a.path, number)
	_, err := a.api.call(ctx, opStatus, http.MethodPost, path, version(nil), body, nil)
	return err
}
