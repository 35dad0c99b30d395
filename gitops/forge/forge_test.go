package forge_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops/forge"
	"github.com/locsync/locsync/gitops/forge/forgetest"
	"github.com/locsync/locsync/gitops/gittest"
)

func TestMain(m *testing.M) {
	gittest.Flags(map[string]string{"rapid.checks": "40", "rapid.nofailfile": "true"})
	os.Exit(gittest.AtOnce(m))
}

func client(t testing.TB, s *forgetest.Server, change ...func(*forge.Options)) forge.Forge {
	t.Helper()
	o := forge.Options{Kind: s.Forge(), URL: s.URL(), Repository: forgetest.Repository,
		Token: forgetest.Token, UserAgent: "locsync/test"}
	for _, c := range change {
		c(&o)
	}
	f, err := forge.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func wanted(commit string) forge.Wanted {
	return forge.Wanted{Head: "l10n", Base: "main", Title: "Update translations (de)", Body: "3 translations",
		Labels: []string{"l10n", "bot"}, Commit: commit, When: time.Now()}
}

// The watchdog is told before and after each call, however many there are, so that many that are slow are no hang.
func TestAlive(t *testing.T) {
	for _, kind := range forgetest.Kinds {
		s := forgetest.Start(t, kind)
		for range 4 { // pages of two
			s.Add(forgetest.Request{Head: "l10n", Base: "main", Fork: true})
		}
		var told atomic.Int32
		var during []int32
		s.Fault = func(*http.Request, int) *forgetest.Fault {
			during = append(during, told.Load())
			return nil
		}
		f := client(t, s, func(o *forge.Options) { o.Alive = func() { told.Add(1) } })
		if _, err := forge.Ensure(t.Context(), f, wanted("1"), forge.Memory{}); err != nil {
			t.Fatal(err)
		}
		for i, n := range during {
			if int(n) != 2*i+1 {
				t.Errorf("%s: told %d times when call %d arrives", kind, n, i)
			}
		}
		if len(during) < 3 || int(told.Load()) != 2*len(during) {
			t.Errorf("%s: told %d times of %d calls", kind, told.Load(), len(during))
		}
	}
}

// The story of one request at each forge, told by its calls: made once with title, text and labels, found again among
// the requests of forks and other branches on pages of two, changed only where it differs, and people's title and text
// stand.
func TestRequestFromBeginToEnd(t *testing.T) {
	for _, kind := range forgetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			s := forgetest.Start(t, kind)
			for range 3 {
				s.Add(forgetest.Request{Head: "l10n", Base: "main", Fork: true, Title: "somebody else's"})
				s.Add(forgetest.Request{Head: fmt.Sprint("feature", len(s.Calls())), Base: "main"})
				s.Add(forgetest.Request{Head: "l10n", Base: "release"})
			}
			f := client(t, s)
			w := wanted(strings.Repeat("1", 40))
			labels := []string{"bot", "l10n"}
			if strings.HasPrefix(kind, "bitbucket") {
				labels = nil // it has none
			}
			s.Tip = func(string) string { return w.Commit }
			ensure := func(m forge.Memory, want forge.Did) forge.Outcome {
				t.Helper()
				out, err := forge.Ensure(t.Context(), f, w, m)
				if err != nil || out.Did != want {
					t.Fatalf("%s, %v; want %s", out.Did, err, want)
				}
				return out
			}
			open := func() forgetest.Request {
				t.Helper()
				all := s.Open("l10n", "main")
				if len(all) != 1 {
					t.Fatalf("%d open requests", len(all))
				}
				slices.Sort(all[0].Labels)
				return all[0]
			}
			made := ensure(forge.Memory{}, forge.Made)
			if r := open(); r.Title != w.Title || !strings.Contains(r.Body, w.Body) ||
				!slices.Equal(r.Labels, labels) || r.Number != made.Number || !strings.HasPrefix(made.URL, "http") {
				t.Fatalf("made %+v, and it is %+v", made, r)
			}
			memory := forge.Memory{Number: made.Number, Commit: w.Commit, Title: w.Title}
			s.Calls()
			ensure(memory, forge.Kept)
			for _, call := range s.Calls() {
				if !strings.HasPrefix(call, "GET ") {
					t.Errorf("nothing is to be changed, and it calls %s", call)
				}
			}
			// More translations: title and text follow; what a person wrote around ours stays, whatever line ends the
			// editor made.
			s.Do(func(all []*forgetest.Request) {
				r := all[made.Number-1]
				r.Body = "Please look at the plurals.\r\n\r\n" + strings.ReplaceAll(r.Body,
					"\n", "\r\n") + "\r\nThanks!"
			})
			ensure(memory, forge.Kept)
			w.Title, w.Body = "Update translations (de, fr)", "5 translations"
			ensure(memory, forge.Updated)
			if r := open(); r.Title != w.Title || !strings.HasPrefix(r.Body, "Please look") ||
				!strings.HasSuffix(r.Body, "Thanks!") || !strings.Contains(r.Body, "5 translations") ||
				strings.Contains(r.Body, "3 translations") {
				t.Errorf("it is %+v", r)
			}
			memory.Title = w.Title
			// A person's title and text stand, and a label that is missing comes back without touching them.
			s.Do(func(all []*forgetest.Request) {
				all[made.Number-1].Title, all[made.Number-1].Body, all[made.Number-1].Labels = "Ready: translations", "mine", []string{"bot"}
			})
			w.Title, w.Body = "Update translations (it)", "6 translations"
			if labels == nil {
				ensure(memory, forge.Kept)
			} else {
				ensure(memory, forge.Updated)
			}
			if r := open(); r.Title != "Ready: translations" || r.Body != "mine" || labels != nil &&
				!slices.Equal(r.Labels, labels) {
				t.Errorf("a person's words became %+v", r)
			}
			// Closed unmerged: not again for this commit, with or without memory; again for the next.
			s.End(made.Number, "closed")
			w.When = s.Now().Add(-time.Minute)
			ensure(memory, forge.Declined)
			ensure(forge.Memory{}, forge.Declined)
			w.Commit, w.When = strings.Repeat("2", 40), s.Now().Add(time.Minute)
			next := ensure(memory, forge.Made)
			s.End(next.Number, "merged")
			ensure(forge.Memory{Number: next.Number, Commit: w.Commit, Title: w.Title}, forge.Declined)
			// A request that a person makes from the branch is the one.
			w.Commit, w.When = strings.Repeat("3", 40), s.Now().Add(2*time.Minute)
			theirs := s.Add(forgetest.Request{Head: "l10n", Base: "main", Title: "by hand", Body: "by hand",
				Labels: []string{"bot", "l10n"}})
			if out := ensure(forge.Memory{}, forge.Kept); out.Number != theirs || open().Title != "by hand" {
				t.Errorf("%+v", out)
			}
		})
	}
}

// Whatever the interleaving of passes, commits, lost memory, calls that fail before or after their effect, and of
// people who close, merge, reopen and make requests: at most one request is open at any time, none is made for a commit
// for which people ended one, and once calls work there is one for every commit without one that was ended.
func TestAtMostOneOpen(t *testing.T) {
	for _, kind := range forgetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
				tip, commits := strings.Repeat("0", 40), 0
				var fault *forgetest.Fault
				in := 0 // calls until the fault
				s := forgetest.New(kind)
				defer s.Close()
				s.Tip, s.Now = func(string) string { return tip }, func() time.Time { return now }
				s.Fault = func(*http.Request, int) *forgetest.Fault {
					if in--; in == 0 {
						return fault
					}
					return nil
				}
				f := clientOf(s)
				ended := map[string]bool{} // commits for which people have ended a request
				memory := forge.Memory{}
				w := forge.Wanted{Head: "l10n", Base: "main", Title: "t", Body: "b", Labels: []string{"l10n"}}
				pass := func() error {
					w.Commit = tip
					made := 0
					s.Do(func(all []*forgetest.Request) { made = len(all) })
					out, err := forge.Ensure(t.Context(), f, w, memory)
					s.Do(func(all []*forgetest.Request) { made = len(all) - made })
					if made > 0 && ended[tip] {
						t.Fatalf("a request is made for %.3s, for which people have ended one", tip)
					}
					if err == nil {
						memory = forge.Memory{Number: out.Number, Commit: w.Commit, Title: w.Title}
					}
					return err
				}
				commit := func(*rapid.T) {
					now = now.Add(time.Minute)
					commits++
					tip, w.When = fmt.Sprintf("%012x%028d", commits, 0), now
					w.Title = fmt.Sprint("t", commits)
				}
				commit(t)
				end := func(state string) {
					for _, r := range s.Open("l10n", "main") {
						now = now.Add(time.Minute)
						s.End(r.Number, state)
						ended[tip] = true
					}
				}
				t.Repeat(map[string]func(*rapid.T){
					"commit": commit,
					"pass":   func(*rapid.T) { _ = pass() },
					"faulty pass": func(t *rapid.T) {
						in = rapid.IntRange(1, 5).Draw(t, "calls until")
						fault = rapid.SampledFrom([]*forgetest.Fault{{Cut: true}, {Lose: true},
							{Status: 502, Body: "<html>Bad Gateway</html>"}}).Draw(t, "fault")
						_ = pass()
						in = 0
					},
					"forget": func(*rapid.T) { memory = forge.Memory{} },
					"close":  func(*rapid.T) { end("closed") },
					"merge":  func(*rapid.T) { end("merged") },
					"reopen": func(*rapid.T) {
						if len(s.Open("l10n", "main")) == 0 {
							s.Do(func(all []*forgetest.Request) {
								if len(all) > 0 && all[len(all)-1].State == "closed" {
									all[len(all)-1].State, all[len(all)-1].Ended = "open", time.Time{}
								}
							})
						}
					},
					"by hand": func(*rapid.T) {
						s.Add(forgetest.Request{Head: "l10n", Base: "main", Title: "mine", Body: "mine"})
					},
					"": func(t *rapid.T) {
						if all := s.Open("l10n", "main"); len(all) > 1 {
							t.Fatalf("%d open requests: %+v", len(all), all)
						}
					},
				})
				if err := pass(); err != nil {
					t.Fatalf("nothing is in the way, and: %v", err)
				}
				if open := len(s.Open("l10n", "main")); open == 0 && !ended[tip] {
					t.Fatalf("no request is open for %.3s", tip)
				}
			})
		})
	}
}

func clientOf(s *forgetest.Server) forge.Forge {
	f, err := forge.New(forge.Options{Kind: s.Forge(), URL: s.URL(), Repository: forgetest.Repository,
		Token: forgetest.Token})
	if err != nil {
		panic(err)
	}
	return f
}

// A request that another process makes between our search and our call is found and used; so it is among several
// processes at once.
func TestRequestMadeMeanwhile(t *testing.T) {
	for _, kind := range forgetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			s := forgetest.Start(t, kind)
			f := client(t, s)
			w := wanted("")
			w.Labels = nil
			theirs := 0
			s.Fault = func(r *http.Request, _ int) *forgetest.Fault {
				if r.Method == http.MethodPost && theirs == 0 {
					theirs = s.Add(forgetest.Request{Head: "l10n", Base: "main", Title: "faster", Body: "faster"})
				}
				return nil
			}
			did := forge.Kept
			if kind == "bitbucket-cloud" { // it takes making one again for a change of the one that there is
				did = forge.Made
			}
			if out, err := forge.Ensure(t.Context(), f, w, forge.Memory{}); err != nil || out.Did != did ||
				out.Number != theirs || theirs == 0 {
				t.Fatalf("%+v, %v; theirs is %d", out, err, theirs)
			}
			s.Fault = nil
			s.End(theirs, "closed")
			w.Commit, w.When = "2", time.Now().Add(time.Minute)
			var all sync.WaitGroup
			outs := make([]forge.Outcome, 4)
			for i := range outs {
				all.Go(func() {
					var err error
					if outs[i], err = forge.Ensure(t.Context(), f, w, forge.Memory{}); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			open := s.Open("l10n", "main")
			if len(open) != 1 {
				t.Fatalf("%d open requests", len(open))
			}
			for _, out := range outs {
				if out.Number != open[0].Number {
					t.Errorf("one ended with %d, the request is %d", out.Number, open[0].Number)
				}
			}
		})
	}
}

// What the forges answer when they do not want to, as they answer it, with what a person is told and whether it may
// work later.
func TestRefusals(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, kind string
		status     int
		header     http.Header
		body       string
		is         error
		until      time.Duration
		says       []string
	}{
		{"GitHub, bad token", "github", 401, nil,
			`{"message":"Bad credentials","documentation_url":"https://docs.github.com/rest","status":"401"}`,
			forge.ErrToken, 0, []string{"Bad credentials", "token_env"}},
		{"GitHub, weak token", "github", 403, nil,
			`{"message":"Resource not accessible by personal access token","documentation_url":"https://docs.github.com/rest/pulls/pulls#create-a-pull-request","status":"403"}`,
			forge.ErrForbidden, 0, []string{"Resource not accessible", "Pull requests: read and write"}},
		{"GitHub, Actions may not", "github", 403, nil,
			`{"message":"GitHub Actions is not permitted to create or approve pull requests.","documentation_url":"https://docs.github.com/","status":"403"}`, forge.ErrForbidden, 0, []string{"not permitted"}},
		{"GitHub, hidden", "github", 404, nil,
			`{"message":"Not Found","documentation_url":"https://docs.github.com/rest/pulls/pulls#list-pull-requests","status":"404"}`, forge.ErrNotFound, 0, []string{"check repository"}},
		{"GitHub, window used up", "github", 403, http.Header{"X-Ratelimit-Limit": {"5000"},
			"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {fmt.Sprint(now.Add(17 * time.Minute).Unix())}},
			`{"message":"API rate limit exceeded for user ID 12.","documentation_url":"https://docs.github.com/rest/overview/resources-in-the-rest-api#rate-limiting"}`, forge.ErrLimited, 17 * time.Minute, []string{"rate limit exceeded"}},
		{"GitHub, secondary limit", "github", 403, http.Header{"Retry-After": {"60"}},
			`{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}`,
			forge.ErrLimited, time.Minute, nil},
		{"GitHub, a day", "github", 429, http.Header{"Retry-After": {"86400"}}, `{}`, forge.ErrLimited, 2 * time.Hour,
			nil},
		{"GitHub, a date", "github", 503,
			http.Header{"Retry-After": {now.Add(5 * time.Minute).Format(http.TimeFormat)}}, `{}`,
			forge.ErrTemporary, 5 * time.Minute, nil},
		{"GitHub, renamed", "github", 301,
			http.Header{"Location": {"https://api.github.com/repositories/1296269/pulls"}},
			`{"message":"Moved Permanently","url":"https://api.github.com/repositories/1296269/pulls"}`,
			forge.ErrMoved, 0, []string{"repositories/1296269", "set repository"}},
		{"GitHub, invalid", "github", 422, nil,
			`{"message":"Validation Failed","errors":[{"resource":"PullRequest","field":"base","code":"invalid"}],"documentation_url":"https://docs.github.com/","status":"422"}`,
			forge.ErrInvalid, 0, []string{"Validation Failed", "base of PullRequest: invalid"}},
		{"GitHub, nothing new", "github", 422, nil,
			`{"message":"Validation Failed","errors":[{"resource":"PullRequest","code":"custom","message":"No commits between main and l10n"}],"status":"422"}`, forge.ErrSame, 0, nil},
		{"GitLab, bad token", "gitlab", 401, nil, `{"message":"401 Unauthorized"}`, forge.ErrToken, 0, nil},
		{"GitLab, weak token", "gitlab", 403, nil,
			`{"error":"insufficient_scope","error_description":"The request requires higher privileges than provided by the access token.","scope":"api"}`,
			forge.ErrForbidden, 0, []string{"higher privileges", "scope api"}},
		{"GitLab, hidden", "gitlab", 404, nil, `{"message":"404 Project Not Found"}`,
			forge.ErrNotFound, 0, []string{"Developer"}},
		{"GitLab, limited", "gitlab", 429, http.Header{"Retry-After": {"12"}, "Ratelimit-Reset": {"1"}},
			"Retry later\n", forge.ErrLimited, 12 * time.Second, nil},
		{"GitLab, invalid", "gitlab", 400, nil,
			`{"message":{"target_branch":["does not exist"],"title":["is too long (maximum is 255 characters)"]}}`,
			forge.ErrInvalid, 0, []string{"target_branch: does not exist; title: is too long"}},
		{"GitLab, list of words", "gitlab", 422, nil, `{"message":["Branch is locked","Try again"]}`, forge.ErrInvalid,
			0, []string{"Branch is locked; Try again"}},
		{"Gitea, bad token", "gitea", 401, nil,
			`{"message":"invalid username, password or token","url":"https://gitea.example.com/api/swagger"}`,
			forge.ErrToken, 0, nil},
		{"Gitea, weak token", "gitea", 403, nil,
			`{"message":"token does not have at least one of required scope(s): [write:repository]","url":"https://gitea.example.com/api/swagger"}`, forge.ErrForbidden, 0, []string{"write:repository"}},
		{"Gitea, hidden", "gitea", 404, nil,
			`{"errors":null,"message":"The target couldn't be found.","url":"https://gitea.example.com/api/swagger"}`,
			forge.ErrNotFound, 0, nil},
		{"Gitea, out of order", "gitea", 500, nil, `{"message":"","url":"https://gitea.example.com/api/swagger"}`,
			forge.ErrTemporary, 0, nil},
		{"Bitbucket Cloud, bad token", "bitbucket-cloud", 401, nil,
			`{"type":"error","error":{"message":"Token is invalid, expired, or not supported for this endpoint."}}`,
			forge.ErrToken, 0, []string{"Token is invalid"}},
		{"Bitbucket Cloud, weak token", "bitbucket-cloud", 403, nil,
			`{"type":"error","error":{"message":"Your credentials lack one or more required privilege scopes.","detail":{"granted":["repository"],"required":["pullrequest"]}}}`,
			forge.ErrForbidden, 0, []string{"privilege scopes", "pullrequest:write"}},
		{"Bitbucket Cloud, nothing new", "bitbucket-cloud", 400, nil,
			`{"type":"error","error":{"message":"There are no changes to be pulled"}}`, forge.ErrSame, 0, nil},
		{"Bitbucket Cloud, limited", "bitbucket-cloud", 429, nil,
			`{"type":"error","error":{"message":"Rate limit for this resource has been exceeded"}}`, forge.ErrLimited,
			0, nil},
		{"Bitbucket Data Center, hidden", "bitbucket", 404, nil,
			`{"errors":[{"context":null,"message":"Repository acme/app does not exist.","exceptionName":"com.atlassian.bitbucket.repository.NoSuchRepositoryException"}]}`,
			forge.ErrNotFound, 0, []string{"does not exist", "Repository write"}},
		{"Bitbucket Data Center, nothing new", "bitbucket", 409, nil,
			`{"errors":[{"context":null,"message":"app is already up-to-date with branch main","exceptionName":"com.atlassian.bitbucket.pull.EmptyPullRequestException"}]}`, forge.ErrSame, 0, nil},
		{"Azure DevOps, a page to sign in", "azure", 203, nil,
			`<html><title>Azure DevOps Services | Sign In</title></html>`, forge.ErrToken, 0, []string{"token_env"}},
		{"Azure DevOps, the way to that page", "azure", 302,
			http.Header{"Location": {"https://spsprodweu4.vssps.visualstudio.com/_signin?realm=dev.azure.com"}}, ``,
			forge.ErrToken, 0, nil},
		{"Azure DevOps, weak token", "azure", 403, nil,
			`{"$id":"1","message":"TF401027: You need the Git 'PullRequestContribute' permission to perform this action.","typeKey":"GitNeedsPermissionException"}`,
			forge.ErrForbidden, 0, []string{"TF401027", "Read & Write"}},
		{"a proxy's page", "gitea", 502, nil, `<html><body>Bad Gateway</body></html>`, forge.ErrTemporary, 0, nil},
		{"not this forge", "gitea", 200, nil, `<!doctype html><title>Sign in</title>`, forge.ErrInvalid,
			0, []string{"kind and url"}},
		{"another's words with the token", "github", 400, nil, `{"message":"what is ` + forgetest.Token +
			`?\u001b[31m"}`, forge.ErrInvalid, 0, []string{"what is [redacted]? [31m"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := forgetest.Start(t, c.kind)
			s.Fault = func(*http.Request, int) *forgetest.Fault {
				return &forgetest.Fault{Status: c.status, Header: c.header, Body: c.body}
			}
			f := client(t, s, func(o *forge.Options) { o.Now = func() time.Time { return now } })
			_, err := forge.Ensure(t.Context(), f, wanted("1"), forge.Memory{})
			e, ok := errors.AsType[*forge.Error](err)
			if !ok || !errors.Is(err, c.is) {
				t.Fatalf("%v", err)
			}
			if want := c.is == forge.ErrTemporary || c.is == forge.ErrLimited; e.Temporary() != want {
				t.Errorf("temporary %v", e.Temporary())
			}
			if got := e.Until; c.until == 0 != got.IsZero() || c.until != 0 && !got.Equal(now.Add(c.until)) {
				t.Errorf("not before %v, want %v", got, c.until)
			}
			for _, text := range c.says {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%q does not say %q", err, text)
				}
			}
			if strings.Contains(err.Error(), forgetest.Token) || strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("%q", err)
			}
			if calls := s.Calls(); len(calls) != 1 {
				t.Errorf("it was tried %d times", len(calls))
			}
		})
	}
}

// A request that Gitea cannot label is made all the same, and what is missing is said until somebody makes the label.
func TestGiteaLabels(t *testing.T) {
	s := forgetest.Start(t, "gitea")
	s.Labels = []string{"bug", "other", "BOT", "more"}
	f := client(t, s)
	w := wanted("1")
	out, err := forge.Ensure(t.Context(), f, w, forge.Memory{})
	if !errors.Is(err, forge.ErrInvalid) || !strings.Contains(err.Error(), `no label is called "l10n"; make it`) ||
		out.Did != forge.Made || out.Number != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	m := forge.Memory{Number: 1, Commit: "1", Title: w.Title}
	if _, err := forge.Ensure(t.Context(), f, w, m); !errors.Is(err, forge.ErrInvalid) {
		t.Errorf("%v", err)
	}
	s.Labels = append(s.Labels, "l10n")
	if out, err := forge.Ensure(t.Context(), f, w, m); err != nil || out.Did != forge.Updated {
		t.Errorf("%+v, %v", out, err)
	}
	if got := s.Open("l10n", "main")[0].Labels; !slices.Equal(got, []string{"BOT", "l10n"}) {
		t.Errorf("labels %q", got)
	}
}

// The token travels over no line that others can read, and to no other address.
func TestTokenStays(t *testing.T) {
	for _, address := range []string{"http://git.example.com", "ftp://git.example.com", "git.example.com", ""} {
		if _, err := forge.New(forge.Options{Kind: "gitea", URL: address, Repository: "a/b", Token: "t"}); err == nil {
			t.Errorf("%q is accepted", address)
		}
	}
	other := forgetest.Start(t, "github")
	s := forgetest.Start(t, "github")
	s.Fault = func(r *http.Request, _ int) *forgetest.Fault {
		return &forgetest.Fault{Status: 307, Header: http.Header{"Location": {other.URL() + r.URL.Path}}}
	}
	if _, err := forge.Ensure(t.Context(), client(t, s), wanted("1"), forge.Memory{}); !errors.Is(err, forge.ErrMoved) {
		t.Errorf("%v", err)
	}
	if calls := other.Calls(); len(calls) > 0 {
		t.Errorf("the other address was called: %q", calls)
	}
}

// A title and a text of any length and content fit, and ours can be found again in what is there.
func TestTextsFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.OneOf(rapid.String(), rapid.Just(strings.Repeat("größer", 20000)),
			rapid.Just("a <!-- locsync: end --> b <!-- locsync: what is here")).Draw(t, "body")
		title := rapid.OneOf(rapid.String(), rapid.Just(strings.Repeat("日本語 ", 100))).Draw(t, "title")
		s := forgetest.New("gitlab")
		defer s.Close()
		w := forge.Wanted{Head: "l10n", Base: "main", Title: title, Body: body, Commit: "1"}
		out, err := forge.Ensure(t.Context(), clientOf(s), w, forge.Memory{})
		if err != nil {
			t.Fatal(err)
		}
		r := s.Open("l10n", "main")[0]
		if len(r.Title) > 255 || strings.ContainsAny(r.Title, "\n\r") || len(r.Body) > 65000 {
			t.Fatalf("%d bytes of title, %d of text", len(r.Title), len(r.Body))
		}
		again, err := forge.Ensure(t.Context(), clientOf(s), w, forge.Memory{Number: out.Number,
			Commit: "1", Title: r.Title})
		if err != nil || again.Did != forge.Kept {
			t.Fatalf("the same once more is %s, %v", again.Did, err)
		}
		w.Body = "next"
		if _, err := forge.Ensure(t.Context(), clientOf(s), w, forge.Memory{}); err != nil {
			t.Fatal(err)
		}
		if got := s.Open("l10n", "main")[0].Body; strings.Count(got, "locsync:") != 2 ||
			!strings.Contains(got, "\nnext\n") {
			t.Fatalf("the text is %q", got)
		}
	})
}

func TestLocate(t *testing.T) {
	for remote, want := range map[string]string{
		"https://github.com/acme/app.git":                              "https://github.com acme/app",
		"https://github.com/acme/app/":                                 "https://github.com acme/app",
		"https://git.example.com:8443/a/b/c.git":                       "https://git.example.com:8443 a/b/c",
		"http://127.0.0.1:3000/acme/app.git":                           "http://127.0.0.1:3000 acme/app",
		"git@github.com:acme/app.git":                                  "https://github.com acme/app",
		"gitlab.example.com:group/sub/app.git":                         "https://gitlab.example.com group/sub/app",
		"ssh://git@gitea.example.com:2222/acme/app.git":                "https://gitea.example.com acme/app",
		"ssh://git@ssh.github.com:443/acme/app.git":                    "https://github.com acme/app",
		"/srv/git/app.git":                                             "",
		"file:///srv/git/acme/app.git":                                 "",
		"../acme/app.git":                                              "",
		"https://dev.azure.com/acme/My%20Project/_git/app":             "https://dev.azure.com acme/My Project/app",
		"https://me@dev.azure.com/acme/_git/app":                       "https://dev.azure.com acme/app/app",
		"https://acme.visualstudio.com/DefaultCollection/web/_git/app": "https://dev.azure.com acme/web/app",
		"https://acme.visualstudio.com/_git/app":                       "https://dev.azure.com acme/app/app",
		"git@ssh.dev.azure.com:v3/acme/My%20Project/app":               "https://dev.azure.com acme/My Project/app",
		"acme@vs-ssh.visualstudio.com:v3/acme/web/app":                 "https://dev.azure.com acme/web/app",
		"https://tfs.example.com/tfs/Main/web/_git/app":                "https://tfs.example.com tfs/Main/web/app",
		"https://bitbucket.example.com/scm/acme/app.git":               "https://bitbucket.example.com scm/acme/app",
		"git@github.com:app.git":                                       "",
		"":                                                             "",
	} {
		f, repository, err := forge.Locate(remote)
		got := strings.TrimSpace(f + " " + repository)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v; want %q", remote, got, err, want)
		}
	}
}
