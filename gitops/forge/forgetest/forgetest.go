// Package forgetest serves the calls of GitHub, GitLab, Gitea, Bitbucket and Azure DevOps that a client of pull
// requests and their comments makes, over real HTTP, for tests: with bodies of the shape that each forge answers, the
// same refusals in the same words, short pages, and faults before and after the effect.
//
// Its law: it never lets a client do what the forge would refuse: two open requests for one pair of branches, a call
// without the token, a label that is not there. It knows nothing of this project's other packages, so that any of their
// tests may use it.
package forgetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Token is the one that the server accepts.
const Token = "forge-token-6d1f"

// Request is a pull or merge request. State is open, closed or merged.
type Request struct {
	Number      int
	Head, Base  string
	State       string
	Title, Body string
	Labels      []string
	Fork        bool   // from another repository
	Commit      string // of its head when it ended
	Made, Ended time.Time

	version int // that Bitbucket Data Center counts
}

// Fault is what happens to one call.
type Fault struct {
	Status int         // answered instead of the forge's answer, before anything is done
	Header http.Header // with Status
	Body   string      // with Status
	Cut    bool        // the connection breaks before anything is done
	Lose   bool        // it is done, then the connection breaks
}

// Server is one repository, acme/app, at a forge. Its fields are for before the first call.
type Server struct {
	Kind   string                     // of Kinds
	Tip    func(branch string) string // the commit of a branch; "" when there is none
	Now    func() time.Time
	Labels []string // that Gitea knows
	Page   int      // the most that a page has
	Fault  func(r *http.Request, n int) *Fault
	App    *App   // of GitHub; nil: Token counts
	Login  string // who makes requests at GitHub; "": a bot's
	Hidden bool   // the token may not ask for its account: one of a job, or of few scopes

	mu       sync.Mutex
	requests []*Request
	comments []*Comment
	statuses []Status
	calls    []string
	server   *httptest.Server
}

// Repository is what the server has.
const Repository = "acme/app"

// Start serves until the test ends.
func Start(t testing.TB, kind string) *Server {
	s := New(kind)
	t.Cleanup(s.Close)
	return s
}

// New is Start for tests that close it themselves.
func New(kind string) *Server {
	s := &Server{Kind: kind, Tip: func(string) string { return strings.Repeat("a", 40) }, Now: time.Now,
		Labels: []string{"l10n", "bot"}, Page: 2}
	s.server = httptest.NewServer(s)
	return s
}

// Close ends the server.
func (s *Server) Close() { s.server.Close() }

// URL is the forge's address.
func (s *Server) URL() string {
	if s.Kind == bitbucketCloud {
		return s.server.URL + "/2.0" // of its API, by which it is told from Data Center
	}
	return s.server.URL
}

// Do calls f with all requests, the oldest first, which it may change: people at work.
func (s *Server) Do(f func(all []*Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.requests)
}

// Add is a person, or a fork, that makes a request; 0 when there is one already.
func (s *Server) Add(r Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !r.Fork && s.open(r.Head, r.Base) != nil {
		return 0
	}
	return s.add(r).Number
}

// End is a person who closes or merges a request.
func (s *Server) End(number int, state string) {
	s.Do(func(all []*Request) {
		r := all[number-1]
		r.State, r.Ended, r.Commit = state, s.Now().UTC().Truncate(time.Second), s.Tip(r.Head)
	})
}

// Open are the open requests of a pair of branches of the repository itself.
func (s *Server) Open(head, base string) (all []Request) {
	s.Do(func(list []*Request) {
		for _, r := range list {
			if r.State == "open" && !r.Fork && r.Head == head && r.Base == base {
				all = append(all, *r)
			}
		}
	})
	return all
}

// Calls are the calls since the last time that it was asked: method and path.
func (s *Server) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := s.calls
	s.calls = nil
	return calls
}

func (s *Server) add(r Request) *Request {
	r.Number, r.State, r.Made = len(s.requests)+1, "open", s.Now().UTC()
	s.requests = append(s.requests, &r)
	return &r
}

func (s *Server) open(head, base string) *Request {
	for _, r := range s.requests {
		if r.State == "open" && !r.Fork && r.Head == head && r.Base == base {
			return r
		}
	}
	return nil
}

// ServeHTTP answers one call.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	n := len(s.calls)
	s.calls = append(s.calls, r.Method+" "+r.URL.EscapedPath())
	s.mu.Unlock()
	fault := &Fault{}
	if s.Fault != nil {
		if f := s.Fault(r, n); f != nil { // it may call the server's methods
			fault = f
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case fault.Cut:
		panic(http.ErrAbortHandler)
	case fault.Status != 0:
		for name, values := range fault.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(fault.Status)
		_, _ = w.Write([]byte(fault.Body))
		return
	}
	a := s.answer(r)
	if fault.Lose {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if a.link != "" {
		w.Header().Set("Link", a.link)
	}
	if s.Kind == bitbucketDataCenter && !s.Hidden && s.knows(r) {
		w.Header().Set("X-AUSERNAME", own)
	}
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(a.body)
}

type answer struct {
	status int
	body   any
	link   string
}

type object = map[string]any

// tongue is what differs between the forges: where things are and in which words they are refused.
type tongue struct {
	root, requests, labels   string // paths; labels holds the number
	method                   string // of a change
	unauthorized, gone, same object
	exists                   func(r *Request) (int, object)
	show                     func(s *Server, r *Request) object
}

// gitHubError is how GitHub refuses: page is of its documentation.
func gitHubError(status, message, page string) object {
	return object{"message": message, "documentation_url": "https://docs.github.com/rest" + page, "status": status}
}

// gitHubRefusal is GitHub's word on a pull request that cannot be made.
func gitHubRefusal(why string) object {
	o := gitHubError("422", "Validation Failed", "/pulls/pulls#create-a-pull-request")
	o["errors"] = []object{{"resource": "PullRequest", "code": "custom", "message": why}}
	return o
}

const giteaSwagger = "https://gitea.example.com/api/swagger"

var tongues = map[string]tongue{
	"github": {
		root: "/api/v3/repos/acme/app", requests: "/pulls", labels: "/issues/%d/labels", method: http.MethodPatch,
		unauthorized: gitHubError("401", "Bad credentials", ""),
		gone:         gitHubError("404", "Not Found", "/pulls/pulls#list-pull-requests"),
		same:         gitHubRefusal("No commits between main and l10n"),
		exists: func(r *Request) (int, object) {
			return 422, gitHubRefusal("A pull request already exists for acme:" + r.Head + ".")
		},
		show: showGitHub,
	},
	"gitlab": {
		root: "/api/v4/projects/acme%2Fapp", requests: "/merge_requests", method: http.MethodPut,
		unauthorized: object{"message": "401 Unauthorized"}, gone: object{"message": "404 Project Not Found"}, same: nil,
		exists: func(r *Request) (int, object) {
			return 409, object{"message": []string{
				fmt.Sprintf("Another open merge request already exists for this source branch: !%d", r.Number)}}
		},
		show: showGitLab,
	},
	"gitea": {
		root: "/api/v1/repos/acme/app", requests: "/pulls", labels: "/issues/%d/labels", method: http.MethodPatch,
		unauthorized: object{"message": "invalid username, password or token", "url": giteaSwagger},
		gone:         object{"errors": []string{}, "message": "The target couldn't be found.", "url": giteaSwagger},
		exists: func(r *Request) (int, object) {
			return 409, object{"message": fmt.Sprintf("pull request already exists for these targets [id: %d, issue_id: %d, "+
				"head_repo_id: 31, base_repo_id: 31, head_branch: %s, base_branch: %s]",
				r.Number+900, r.Number+4000, r.Head, r.Base), "url": giteaSwagger}
		},
		show: showGitea,
	},
}

func (s *Server) answer(r *http.Request) answer {
	if a, is := s.answerApp(r); is {
		return a
	}
	if a, is := s.remark(r); is {
		return a
	}
	if a, is := s.answerUser(r); is {
		return a
	}
	if o, is := others[s.Kind]; is {
		return s.answerOther(o, r)
	}
	t := tongues[s.Kind]
	if _, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); !s.accepts(token) {
		return answer{status: http.StatusUnauthorized, body: t.unauthorized}
	}
	path := r.URL.EscapedPath()
	rest, ours := strings.CutPrefix(path, t.root)
	var body struct {
		Title, Body, Description *string
		Head, Base               string
		SourceBranch             string `json:"source_branch"`
		TargetBranch             string `json:"target_branch"`
		AddLabels                string `json:"add_labels"`
		Labels                   json.RawMessage
	}
	if r.Body != nil && r.ContentLength != 0 {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			return answer{status: http.StatusBadRequest, body: object{"message": err.Error()}}
		}
	}
	if s.Kind == "gitlab" {
		body.Head, body.Base, body.Body = body.SourceBranch, body.TargetBranch, body.Description
	}
	number, _ := strconv.Atoi(strings.TrimPrefix(rest, t.requests+"/"))
	labelled := 0
	if t.labels != "" {
		_, _ = fmt.Sscanf(rest, t.labels, &labelled)
	}
	switch {
	case !ours:
		return answer{status: http.StatusNotFound, body: t.gone}
	case rest == t.requests && r.Method == http.MethodGet:
		return s.list(r, t)
	case rest == t.requests && r.Method == http.MethodPost:
		if s.Tip(body.Head) == "" {
			return answer{status: http.StatusNotFound, body: t.gone}
		}
		if there := s.open(body.Head, body.Base); there != nil {
			status, words := t.exists(there)
			return answer{status: status, body: words}
		}
		made := s.add(Request{Head: body.Head, Base: body.Base, Title: *body.Title, Body: *body.Body,
			Labels: s.named(body.Labels)})
		return answer{status: http.StatusCreated, body: t.show(s, made)}
	case number > 0 && number <= len(s.requests) && r.Method == t.method:
		changed := s.requests[number-1]
		if body.Title != nil {
			changed.Title = *body.Title
		}
		if body.Body != nil {
			changed.Body = *body.Body
		}
		if body.AddLabels != "" {
			changed.label(strings.Split(body.AddLabels, ","))
		}
		return answer{status: http.StatusOK, body: t.show(s, changed)}
	case labelled > 0 && labelled <= len(s.requests) && r.Method == http.MethodPost:
		s.requests[labelled-1].label(s.named(body.Labels))
		return answer{status: http.StatusOK, body: t.show(s, s.requests[labelled-1])["labels"]}
	case s.Kind == "gitea" && rest == "/labels":
		return s.page(r, s.giteaLabels())
	}
	return answer{status: http.StatusNotFound, body: t.gone}
}

func (s *Server) giteaLabels() (all []object) {
	for i, name := range s.Labels {
		all = append(all, object{"id": 70 + i, "name": name, "color": "00aabb", "description": "", "exclusive": false,
			"is_archived": false})
	}
	return all
}

// label adds labels, each once.
func (r *Request) label(names []string) {
	for _, name := range names {
		if !slices.Contains(r.Labels, name) {
			r.Labels = append(r.Labels, name)
		}
	}
}

// named are labels as they came: names, a list behind commas, or Gitea's numbers.
func (s *Server) named(raw json.RawMessage) (names []string) {
	var ids []int
	var text string
	switch {
	case len(raw) == 0:
	case json.Unmarshal(raw, &ids) == nil:
		for _, id := range ids {
			names = append(names, s.Labels[id-70])
		}
	case json.Unmarshal(raw, &text) == nil:
		names = strings.Split(text, ",")
	default:
		_ = json.Unmarshal(raw, &names)
	}
	return names
}

func (s *Server) list(r *http.Request, t tongue) answer {
	q := r.URL.Query()
	all := []object{}
	for i := len(s.requests) - 1; i >= 0; i-- {
		x := s.requests[i]
		state := q.Get("state")
		if open := state == "open" || state == "opened"; open && x.State != "open" {
			continue
		}
		switch s.Kind {
		case "github":
			owner := "acme"
			if x.Fork {
				owner = "mallory"
			}
			if head := q.Get("head"); head != "" && head != owner+":"+x.Head {
				continue
			}
			if base := q.Get("base"); base != "" && base != x.Base {
				continue
			}
		case "gitlab":
			if q.Get("source_branch") != x.Head || q.Get("target_branch") != x.Base {
				continue
			}
		}
		all = append(all, t.show(s, x))
	}
	return s.page(r, all)
}

// page cuts a list, and says where the next page is as the forges do.
func (s *Server) page(r *http.Request, all []object) answer {
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	page = max(page, 1)
	begin, end := min((page-1)*s.Page, len(all)), min(page*s.Page, len(all))
	a := answer{status: http.StatusOK, body: all[begin:end]}
	if begin == end {
		a.body = []object{}
	}
	if len(all) > s.Page {
		link := func(p int, rel string) string {
			u := *r.URL
			q := u.Query()
			q.Set("page", strconv.Itoa(p))
			u.RawQuery = q.Encode()
			return fmt.Sprintf("<%s%s>; rel=%q", s.server.URL, u.String(), rel)
		}
		a.link = link(1, "first")
		if end < len(all) {
			a.link = link(page+1, "next") + ", " + a.link
		}
	}
	return a
}
