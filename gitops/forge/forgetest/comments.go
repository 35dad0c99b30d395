package forgetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Comment is one at a request.
type Comment struct {
	Request int
	Author  string
	Body    string

	version int // that Bitbucket Data Center counts
}

// Status is what a commit, or at Azure DevOps a request, is marked with.
type Status struct {
	Of    string // the commit, or the request's number
	Name  string
	State string
	Title string
	URL   string
}

// own is whose the token is, and what it writes.
const own = "bot"

// id is the number of an account.
func id(user string) int {
	if user == own {
		return 7
	}
	return 8
}

// account is one as GitHub and Gitea show it; GitLab's has the same number.
func (s *Server) account(user string) object {
	kind := "User"
	if user == own && (s.App != nil || s.Hidden) {
		kind = "Bot"
	}
	return object{"login": user, "username": user, "id": id(user), "type": kind}
}

// whose are the calls that tell the token's account: path and answer.
var whose = map[string]struct {
	path string
	body func(s *Server) object
}{
	"github": {"/api/v3/user", func(s *Server) object { return s.account(own) }},
	"gitea":  {"/api/v1/user", func(s *Server) object { return s.account(own) }},
	"gitlab": {"/api/v4/user", func(s *Server) object { return s.account(own) }},
	bitbucketCloud: {"/2.0/user", func(*Server) object {
		return object{"type": "user", "uuid": uuid(own), "nickname": own}
	}},
	bitbucketDataCenter: {"/rest/api/1.0/application-properties", func(*Server) object {
		return object{"version": "8.19.0", "displayName": "Bitbucket"}
	}},
	azureDevOps: {"/_apis/connectionData", func(*Server) object {
		return object{"authenticatedUser": object{"id": uuid(own), "providerDisplayName": own}}
	}},
}

func uuid(user string) string { return fmt.Sprintf("{b2c3d4e5-0000-0000-0000-%012d}", id(user)) }

// answerUser answers whose the token is.
func (s *Server) answerUser(r *http.Request) (answer, bool) {
	is := whose[s.Kind]
	preview := strings.HasSuffix(r.URL.Query().Get("api-version"), "-preview")
	switch {
	case r.URL.EscapedPath() != is.path:
		return answer{}, false
	case s.Hidden && s.Kind == bitbucketCloud:
		return others[s.Kind].unauthorized, true
	case (s.Hidden || s.App != nil) && s.Kind != bitbucketDataCenter, !s.knows(r):
		return answer{status: http.StatusForbidden, body: object{"message": "Resource not accessible by integration"}}, true
	case s.Kind == azureDevOps && !preview:
		return answer{status: http.StatusBadRequest, body: object{"message": "The requested version \"7.0\" of the " +
			"resource is under preview. The -preview flag must be supplied in the api-version for such requests."}}, true
	}
	return answer{status: http.StatusOK, body: is.body(s)}, true
}

// refusesEdit is how a forge refuses a change of another's comment: GitHub and Gitea let who may write change it.
func (s *Server) refusesEdit(c *Comment) (answer, bool) {
	if c.Author == own || s.Kind == "github" || s.Kind == "gitea" {
		return answer{}, false
	}
	if s.Kind == bitbucketDataCenter {
		return answer{status: http.StatusUnauthorized, body: dataCenterError("You are not permitted to access this resource",
			"com.atlassian.bitbucket.AuthorisationException")}, true
	}
	return answer{status: http.StatusForbidden, body: object{"message": "403 Forbidden"}}, true
}

// remarks is where a forge has comments and statuses.
type remarks struct {
	list, one, status string // patterns of paths below the server's; %d is a request, %c a comment, %s a commit
	method            string // of a change of a comment
	text              func(body map[string]any) string
	show              func(s *Server, n int, c *Comment) object
}

func field(name string) func(map[string]any) string {
	return func(body map[string]any) string { text, _ := body[name].(string); return text }
}

// issueComment is a comment as GitHub and Gitea show it, and GitLab with another name for who wrote it.
func issueComment(s *Server, n int, c *Comment) object {
	author := "user"
	if s.Kind == "gitlab" {
		author = "author"
	}
	return object{"id": 900 + n, "node_id": "IC_kw", "body": c.Body, author: s.account(c.Author),
		"created_at": when(s.Now()), "system": false}
}

var remarksOf = map[string]remarks{
	"github": {list: "/api/v3/repos/acme/app/issues/%d/comments", one: "/api/v3/repos/acme/app/issues/comments/%c",
		status: "/api/v3/repos/acme/app/statuses/%s", method: http.MethodPatch, text: field("body"), show: issueComment},
	"gitea": {list: "/api/v1/repos/acme/app/issues/%d/comments", one: "/api/v1/repos/acme/app/issues/comments/%c",
		status: "/api/v1/repos/acme/app/statuses/%s", method: http.MethodPatch, text: field("body"), show: issueComment},
	"gitlab": {list: "/api/v4/projects/acme%2Fapp/merge_requests/%d/notes",
		one:    "/api/v4/projects/acme%2Fapp/merge_requests/%d/notes/%c",
		status: "/api/v4/projects/acme%2Fapp/statuses/%s", method: http.MethodPut, text: field("body"), show: issueComment},
	bitbucketCloud: {list: "/2.0/repositories/acme/app/pullrequests/%d/comments",
		one:    "/2.0/repositories/acme/app/pullrequests/%d/comments/%c",
		status: "/2.0/repositories/acme/app/commit/%s/statuses/build", method: http.MethodPut,
		text: func(body map[string]any) string {
			content, _ := body["content"].(map[string]any)
			return field("raw")(content)
		},
		show: func(s *Server, n int, c *Comment) object {
			return object{"id": 900 + n, "deleted": false, "created_on": when(s.Now()),
				"user":    object{"type": "user", "uuid": uuid(c.Author), "nickname": c.Author},
				"content": object{"type": "rendered", "raw": c.Body, "markup": "markdown", "html": "<p></p>"}}
		}},
	bitbucketDataCenter: {list: "/rest/api/1.0/projects/acme/repos/app/pull-requests/%d/comments",
		one:    "/rest/api/1.0/projects/acme/repos/app/pull-requests/%d/comments/%c",
		status: "/rest/build-status/1.0/commits/%s", method: http.MethodPut, text: field("text"),
		show: func(_ *Server, n int, c *Comment) object {
			return object{"id": 900 + n, "version": c.version, "text": c.Body, "author": object{"name": c.Author},
				"severity": "NORMAL", "state": "OPEN"}
		}},
	azureDevOps: {list: "/acme/_apis/git/repositories/app/pullrequests/%d/threads",
		one:    "/acme/_apis/git/repositories/app/pullrequests/%d/threads/%c/comments/1",
		status: "/acme/_apis/git/repositories/app/pullrequests/%d/statuses", method: http.MethodPatch,
		text: func(body map[string]any) string {
			if all, _ := body["comments"].([]any); len(all) == 1 {
				body, _ = all[0].(map[string]any)
			}
			return field("content")(body)
		},
		show: func(s *Server, n int, c *Comment) object {
			return object{"id": 900 + n, "isDeleted": false, "status": "closed", "publishedDate": when(s.Now()),
				"comments": []object{{"id": 1, "parentCommentId": 0, "content": c.Body, "commentType": "text",
					"author": object{"displayName": c.Author, "id": uuid(c.Author)}}}}
		}},
}

// matched reads the parts of a path that a pattern names.
func matched(pattern, path string) (request, comment int, commit string, ok bool) {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return 0, 0, "", false
	}
	for i, part := range want {
		switch part {
		case "%d":
			request, _ = strconv.Atoi(have[i])
		case "%c":
			comment, _ = strconv.Atoi(have[i])
		case "%s":
			commit = have[i]
		default:
			if part != have[i] {
				return 0, 0, "", false
			}
		}
	}
	return request, comment - 900, commit, true
}

// remark answers a call about comments and statuses; false for any other.
func (s *Server) remark(r *http.Request) (answer, bool) {
	of, path := remarksOf[s.Kind], r.URL.EscapedPath()
	activities := s.Kind == bitbucketDataCenter && strings.HasSuffix(path, "/activities")
	if activities {
		path = strings.TrimSuffix(path, "activities") + "comments"
	}
	request, _, commit, isStatus := matched(of.status, path)
	listed, _, _, isList := matched(of.list, path)
	_, number, _, isOne := matched(of.one, path)
	if !isStatus && !isList && !isOne {
		return answer{}, false
	}
	if !s.knows(r) {
		return answer{status: http.StatusForbidden, body: object{"message": "Resource not accessible by integration"}}, true
	}
	var body map[string]any
	if r.Method != http.MethodGet {
		if json.NewDecoder(r.Body).Decode(&body) != nil {
			return answer{status: http.StatusBadRequest, body: object{"message": "bad body"}}, true
		}
	}
	switch {
	case isStatus && r.Method == http.MethodPost:
		return s.markedStatus(body, max(request, 0), commit), true
	case isList && r.Method == http.MethodGet:
		return s.listComments(r, of, listed, activities), true
	case isList && r.Method == http.MethodPost && of.text(body) != "":
		c := &Comment{Request: listed, Author: own, Body: of.text(body)}
		s.comments = append(s.comments, c)
		return answer{status: http.StatusCreated, body: of.show(s, len(s.comments)-1, c)}, true
	case isOne && r.Method == of.method && number >= 0 && number < len(s.comments):
		c := s.comments[number]
		if a, is := s.refusesEdit(c); is {
			return a, true
		}
		if version, is := body["version"].(float64); s.Kind == bitbucketDataCenter && (!is || int(version) != c.version) {
			return answer{status: http.StatusConflict, body: dataCenterError("The comment has been modified since",
				"com.atlassian.bitbucket.comment.CommentOutOfDateException")}, true
		}
		c.Body = of.text(body)
		c.version++
		return answer{status: http.StatusOK, body: of.show(s, number, c)}, true
	}
	return answer{status: http.StatusMethodNotAllowed, body: object{"message": "method not allowed"}}, true
}

func (s *Server) markedStatus(body map[string]any, request int, commit string) answer {
	first := func(names ...string) string {
		for _, name := range names {
			if text := field(name)(body); text != "" {
				return text
			}
		}
		return ""
	}
	status := Status{Of: commit, Name: first("context", "key", "name"), State: first("state"), Title: first("description"),
		URL: first("url", "target_url", "targetUrl")}
	if s.Kind == azureDevOps {
		context, _ := body["context"].(map[string]any)
		status.Of, status.Name = fmt.Sprint(request), field("genre")(context)+"/"+field("name")(context)
	}
	if strings.HasPrefix(s.Kind, "bitbucket") && status.URL == "" {
		return answer{status: http.StatusBadRequest, body: object{"message": "url is required"}}
	}
	s.statuses = append(s.statuses, status)
	return answer{status: http.StatusCreated, body: object{"id": len(s.statuses), "state": status.State}}
}

func (s *Server) listComments(r *http.Request, of remarks, request int, activities bool) answer {
	all := []object{}
	for n, c := range s.comments {
		if c.Request != request {
			continue
		}
		shown := of.show(s, n, c)
		if activities {
			shown = object{"id": n, "action": "COMMENTED", "commentAction": "ADDED", "comment": shown}
		}
		all = append(all, shown)
	}
	switch s.Kind {
	case azureDevOps:
		return answer{status: http.StatusOK, body: object{"value": all, "count": len(all)}}
	case "gitea": // all of an issue at once
		return answer{status: http.StatusOK, body: all}
	case bitbucketCloud, bitbucketDataCenter:
		q := r.URL.Query()
		start, _ := strconv.Atoi(q.Get("start"))
		if page, _ := strconv.Atoi(q.Get("page")); page > 0 {
			start = (page - 1) * s.Page
		}
		end := min(start+s.Page, len(all))
		body := object{"values": all[min(start, len(all)):end], "isLastPage": end == len(all), "nextPageStart": end}
		if end < len(all) {
			body["next"] = s.server.URL + r.URL.Path
		}
		return answer{status: http.StatusOK, body: body}
	}
	return s.page(r, all)
}

// knows reports whether a call has the token.
func (s *Server) knows(r *http.Request) bool {
	got := r.Header.Get("Authorization")
	_, token, _ := strings.Cut(got, " ")
	return s.accepts(token) || got == others[s.Kind].authorization && got != ""
}

// AddComment is a person who comments.
func (s *Server) AddComment(c Comment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.comments = append(s.comments, &c)
}

// Comments are those of a request, the oldest first.
func (s *Server) Comments(request int) (all []Comment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.comments {
		if c.Request == request {
			all = append(all, *c)
		}
	}
	return all
}

// Statuses are all that were set, the oldest first.
func (s *Server) Statuses() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Status(nil), s.statuses...)
}
