package forge

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// basicOrBearer is the header of a token: an access token as it is, or a user and a password or API token with a colon
// between them.
func basicOrBearer(token string) string {
	if strings.Contains(token, ":") {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(token))
	}
	return "Bearer " + token
}

// newBitbucket tells Cloud from Data Center by the address: two interfaces of one name.
func newBitbucket(c *caller, repository string) (Forge, error) {
	c.header.Set("Authorization", basicOrBearer(c.token))
	before, rest, is := strings.Cut("/"+repository, "/scm/") // Data Center's addresses for git over https
	if is {
		repository = rest
	}
	owner, name, _ := strings.Cut(repository, "/")
	if strings.Contains(name, "/") {
		return nil, fmt.Errorf("%q is not a repository at Bitbucket: workspace/name, at Data Center project/name", repository)
	}
	own, its := url.PathEscape(owner), url.PathEscape(name)
	if strings.HasSuffix(c.api.Path, cloudPath) {
		return &bitbucketCloud{c, repository, "/repositories/" + own + "/" + its + "/pullrequests"}, nil
	}
	if is && before != "" { // below a folder of its host
		c.api = c.api.JoinPath(before)
	}
	if !strings.HasSuffix(c.api.Path, dataCenterPath) {
		c.api = c.api.JoinPath(dataCenterPath)
	}
	return &dataCenter{c, owner, name, "/projects/" + own + "/repos/" + its + "/pull-requests"}, nil
}

const dataCenterPath = "/rest/api/1.0"

// bitbucketCloud speaks Bitbucket Cloud's REST API, version 2.0.
type bitbucketCloud struct {
	api        *caller
	repository string
	path       string
}

type cloudRequest struct {
	ID          int       `json:"id"`
	State       string    `json:"state"` // OPEN, MERGED, DECLINED, SUPERSEDED
	Title       string    `json:"title"`
	Description string    `json:"description"`
	Updated     time.Time `json:"updated_on"`
	CloseBranch bool      `json:"close_source_branch"`
	Reviewers   []struct {
		UUID string `json:"uuid"`
	} `json:"reviewers"`
	Source      cloudEnd `json:"source"`
	Destination cloudEnd `json:"destination"`
	Links       struct {
		HTML struct {
			Href string `json:"href"`
		} `json:"html"`
	} `json:"links"`
}

// cloudEnd is a side of a request. Its repository is null when a fork is gone; its commit is cut to 12 digits.
type cloudEnd struct {
	Branch struct {
		Name string `json:"name"`
	} `json:"branch"`
	Commit struct {
		Hash string `json:"hash"`
	} `json:"commit"`
	Repository *struct {
		FullName string `json:"full_name"`
	} `json:"repository"`
}

func (p *cloudRequest) request() *Request {
	r := &Request{Number: p.ID, URL: p.Links.HTML.Href, State: Open, Title: p.Title, Body: p.Description}
	if p.State != "OPEN" {
		r.State, r.Commit, r.Ended = Closed, p.Source.Commit.Hash, p.Updated
		if p.State == "MERGED" {
			r.State = Merged
		}
	}
	return r
}

// Find asks for open requests, and only then for all, the youngest first.
func (b *bitbucketCloud) Find(ctx context.Context, head, base string) (found Found, err error) {
	for _, states := range [][]string{{"OPEN"}, {"OPEN", "MERGED", "DECLINED", "SUPERSEDED"}} {
		query := url.Values{"state": states, "pagelen": {"50"}, "sort": {"-created_on"},
			"q": {fmt.Sprintf("source.branch.name = %q AND destination.branch.name = %q", head, base)}}
		for page := 1; page <= maxPages; page++ {
			query.Set("page", fmt.Sprint(page))
			var list struct {
				Values []cloudRequest
				Next   string
			}
			if _, err := b.api.call(ctx, "look for the pull request", http.MethodGet, b.path, query, nil, &list); err != nil {
				return found, err
			}
			for _, p := range list.Values {
				from, to := p.Source, p.Destination
				if from.Repository == nil || to.Repository == nil || from.Repository.FullName != to.Repository.FullName ||
					from.Branch.Name != head || to.Branch.Name != base {
					continue
				}
				if found.take(p.request()) {
					list.Next = ""
					break
				}
			}
			if list.Next == "" {
				break
			}
		}
		if found.Open != nil {
			return found, nil
		}
	}
	return found, nil
}

// Put changes a request with all that it has: what is left out of a change, reviewers among it, is taken away there.
func (b *bitbucketCloud) Put(ctx context.Context, c Change) (Request, error) {
	if c.Number != 0 {
		path := fmt.Sprintf("%s/%d", b.path, c.Number)
		var now cloudRequest
		if _, err := b.api.call(ctx, "read the pull request", http.MethodGet, path, nil, nil, &now); err != nil {
			return Request{Number: c.Number}, err
		}
		reviewers := []map[string]string{}
		for _, r := range now.Reviewers {
			reviewers = append(reviewers, map[string]string{"uuid": r.UUID})
		}
		body := map[string]any{"title": either(c.Title, now.Title), "description": either(c.Body, now.Description),
			"reviewers": reviewers, "close_source_branch": now.CloseBranch}
		_, err := b.api.call(ctx, "update the pull request", http.MethodPut, path, nil, body, nil)
		return Request{Number: c.Number}, err
	}
	branch := func(name string) any { return map[string]any{"branch": map[string]string{"name": name}} }
	body := map[string]any{"title": c.Title, "description": c.Body, "source": branch(c.Head),
		"destination": branch(c.Base), "close_source_branch": c.RemoveBranch}
	var made cloudRequest
	if _, err := b.api.call(ctx, "make the pull request", http.MethodPost, b.path, nil, body, &made); err != nil {
		return Request{}, err
	}
	return b.api.made("make the pull request", made.request())
}

// either is a text, or the one that is there where it is empty.
func either(text, there string) string {
	if text != "" {
		return text
	}
	return there
}

// dataCenter speaks the REST API of Bitbucket Data Center, and Server before it, version 1.0.
type dataCenter struct {
	api           *caller
	project, slug string
	path          string
}

type dataCenterRequest struct {
	ID          int           `json:"id"`
	Version     int           `json:"version"`
	State       string        `json:"state"` // OPEN, MERGED, DECLINED
	Title       string        `json:"title"`
	Description string        `json:"description"`
	Closed      int64         `json:"closedDate"` // milliseconds
	From        dataCenterEnd `json:"fromRef"`
	To          dataCenterEnd `json:"toRef"`
	Reviewers   []struct {
		User struct {
			Name string `json:"name"`
		} `json:"user"`
	} `json:"reviewers"`
	Links struct {
		Self []struct {
			Href string `json:"href"`
		} `json:"self"`
	} `json:"links"`
}

type dataCenterEnd struct {
	ID         string `json:"id"` // refs/heads/…
	Commit     string `json:"latestCommit"`
	Repository struct {
		ID int `json:"id"`
	} `json:"repository"`
}

func (p *dataCenterRequest) request() *Request {
	r := &Request{Number: p.ID, State: Open, Title: p.Title, Body: p.Description}
	if len(p.Links.Self) > 0 {
		r.URL = p.Links.Self[0].Href
	}
	if p.State != "OPEN" {
		r.State, r.Commit, r.Ended = Closed, p.From.Commit, time.UnixMilli(p.Closed)
		if p.State == "MERGED" {
			r.State = Merged
		}
	}
	return r
}

// Find asks for open requests, and only then for all, the youngest first.
func (d *dataCenter) Find(ctx context.Context, head, base string) (found Found, err error) {
	const refs = "refs/heads/"
	for _, state := range []string{"OPEN", "ALL"} {
		query := url.Values{"state": {state}, "direction": {"OUTGOING"}, "at": {refs + head}, "order": {"NEWEST"},
			"limit": {"100"}}
		start, last := 0, false
		for page := 0; page < maxPages && !last; page++ {
			query.Set("start", fmt.Sprint(start))
			var list struct {
				Values        []dataCenterRequest
				IsLastPage    bool
				NextPageStart int
			}
			if _, err := d.api.call(ctx, "look for the pull request", http.MethodGet, d.path, query, nil, &list); err != nil {
				return found, err
			}
			start, last = list.NextPageStart, list.IsLastPage || list.NextPageStart <= start
			for _, p := range list.Values {
				own := p.From.Repository.ID == p.To.Repository.ID && p.From.ID == refs+head && p.To.ID == refs+base
				if own && found.take(p.request()) {
					last = true
					break
				}
			}
		}
		if found.Open != nil {
			return found, nil
		}
	}
	return found, nil
}

// Put changes a request as it was read last: with its version, which the server compares, and its reviewers.
func (d *dataCenter) Put(ctx context.Context, c Change) (Request, error) {
	if c.Number != 0 {
		path := fmt.Sprintf("%s/%d", d.path, c.Number)
		var now dataCenterRequest
		if _, err := d.api.call(ctx, "read the pull request", http.MethodGet, path, nil, nil, &now); err != nil {
			return Request{Number: c.Number}, err
		}
		reviewers := []any{}
		for _, r := range now.Reviewers {
			reviewers = append(reviewers, map[string]any{"user": map[string]string{"name": r.User.Name}})
		}
		body := map[string]any{"version": now.Version, "title": either(c.Title, now.Title),
			"description": either(c.Body, now.Description), "reviewers": reviewers}
		_, err := d.api.call(ctx, "update the pull request", http.MethodPut, path, nil, body, nil)
		return Request{Number: c.Number}, err
	}
	end := func(branch string) any {
		return map[string]any{"id": "refs/heads/" + branch,
			"repository": map[string]any{"slug": d.slug, "project": map[string]string{"key": d.project}}}
	}
	body := map[string]any{"title": c.Title, "description": c.Body, "fromRef": end(c.Head), "toRef": end(c.Base)}
	var made dataCenterRequest
	if _, err := d.api.call(ctx, "make the pull request", http.MethodPost, d.path, nil, body, &made); err != nil {
		return Request{}, err
	}
	return d.api.made("make the pull request", made.request())
}

func (b *bitbucketCloud) comments(ctx context.Context, number int, visit func(comment) bool) error {
	query := url.Values{"pagelen": {"100"}, "sort": {"created_on"}}
	for page := 1; page <= maxPages; page++ {
		query.Set("page", fmt.Sprint(page))
		var list struct {
			Values []struct {
				ID      int64
				Deleted bool
				Content struct{ Raw string }
				User    struct{ UUID string }
			}
			Next string
		}
		path := fmt.Sprintf("%s/%d/comments", b.path, number)
		if _, err := b.api.call(ctx, opRead, http.MethodGet, path, query, nil, &list); err != nil {
			return err
		}
		for _, c := range list.Values {
			if !c.Deleted && visit(comment{id: fmt.Sprint(c.ID), user: c.User.UUID, body: c.Content.Raw}) {
				return nil
			}
		}
		if list.Next == "" {
			break
		}
	}
	return nil
}

// user is "" for a token without the permission to read its account.
func (b *bitbucketCloud) user(ctx context.Context) (string, error) {
	var account struct{ UUID string }
	_, err := userOf(ctx, b.api, "/user", nil, &account)
	return account.UUID, err
}

func (b *bitbucketCloud) say(ctx context.Context, number int, old comment, body string) error {
	method, path := http.MethodPost, fmt.Sprintf("%s/%d/comments", b.path, number)
	if old.id != "" {
		method, path = http.MethodPut, path+"/"+old.id
	}
	return put(ctx, b.api, method, path, map[string]any{"content": map[string]string{"raw": body}})
}

func (b *bitbucketCloud) mark(ctx context.Context, number int, commit string, s Status) error {
	if s.URL == "" {
		s.URL = fmt.Sprintf("https://bitbucket.org/%s/pull-requests/%d", b.repository, number)
	}
	body := map[string]string{"state": s.word("SUCCESSFUL", "FAILED"), "key": s.Name, "name": s.Name,
		"description": s.Title, "url": s.URL}
	path := strings.TrimSuffix(b.path, "/pullrequests") + "/commit/" + url.PathEscape(commit) + "/statuses/build"
	_, err := b.api.call(ctx, opStatus, http.MethodPost, path, nil, body, nil)
	return err
}

func (d *dataCenter) comments(ctx context.Context, number int, visit func(comment) bool) error {
	query := url.Values{"limit": {"100"}}
	start, last := 0, false
	for page := 0; page < maxPages && !last; page++ {
		query.Set("start", fmt.Sprint(start))
		var list struct {
			Values []struct {
				Action  string
				Comment struct {
					ID      int64
					Version int
					Text    string
					Author  struct{ Name string }
				}
			}
			IsLastPage    bool
			NextPageStart int
		}
		path := fmt.Sprintf("%s/%d/activities", d.path, number)
		if _, err := d.api.call(ctx, opRead, http.MethodGet, path, query, nil, &list); err != nil {
			return err
		}
		for _, v := range list.Values {
			c := comment{id: fmt.Sprint(v.Comment.ID), version: v.Comment.Version, user: v.Comment.Author.Name,
				body: v.Comment.Text}
			if v.Action == "COMMENTED" && v.Comment.ID > 0 && visit(c) {
				return nil
			}
		}
		start, last = list.NextPageStart, list.IsLastPage || list.NextPageStart <= start
	}
	return nil
}

// user is in a header of each answer.
func (d *dataCenter) user(ctx context.Context) (string, error) {
	header, err := userOf[any](ctx, d.api, "/application-properties", nil, nil)
	if err != nil {
		return "", err
	}
	return url.PathUnescape(header.Get("X-AUSERNAME"))
}

func (d *dataCenter) say(ctx context.Context, number int, old comment, body string) error {
	path := fmt.Sprintf("%s/%d/comments", d.path, number)
	if old.id == "" {
		return put(ctx, d.api, http.MethodPost, path, map[string]any{"text": body})
	}
	return put(ctx, d.api, http.MethodPut, path+"/"+old.id, map[string]any{"text": body, "version": old.version})
}

// mark uses the interface that every version has: it is beside that of the repositories.
func (d *dataCenter) mark(ctx context.Context, number int, commit string, s Status) error {
	root := *d.api.api
	root.Path = strings.TrimSuffix("/"+strings.TrimPrefix(root.Path, "/"), dataCenterPath)
	if s.URL == "" {
		s.URL = fmt.Sprintf("%s/projects/%s/repos/%s/pull-requests/%d", root.String(), url.PathEscape(d.project),
			url.PathEscape(d.slug), number)
	}
	builds := *d.api
	builds.api = root.JoinPath("/rest/build-status/1.0")
	body := map[string]string{"state": s.word("SUCCESSFUL", "FAILED"), "key": s.Name, "name": s.Name,
		"description": s.Title, "url": s.URL}
	_, err := builds.call(ctx, opStatus, http.MethodPost, "/commits/"+url.PathEscape(commit), nil, body, nil)
	return err
}
