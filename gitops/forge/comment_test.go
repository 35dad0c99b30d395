package forge_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/locsync/locsync/gitops/forge"
	"github.com/locsync/locsync/gitops/forge/forgetest"
)

// One comment of ours is at a request, however often and through whatever faults it is said, among those of people, on
// pages of two; it is found again, changed only where it says something else, and keeps what people wrote below.
func TestCommentFromBeginToEnd(t *testing.T) {
	for _, kind := range forgetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			s := forgetest.Start(t, kind)
			var loses atomic.Bool
			s.Fault = func(r *http.Request, _ int) *forgetest.Fault {
				if loses.Load() && r.Method == http.MethodPost {
					return &forgetest.Fault{Lose: true}
				}
				return nil
			}
			number := s.Add(forgetest.Request{Head: "work", Base: "main"})
			f := client(t, s)
			ours := func() (all []forgetest.Comment) {
				for _, c := range s.Comments(number) {
					if c.Author == "bot" {
						all = append(all, c)
					}
				}
				return all
			}
			say := func(body string, want forge.Did) {
				t.Helper()
				did, err := forge.Comment(t.Context(), f, number, body, "all is well")
				if err != nil || did != want {
					t.Fatalf("%q: %s, %v; want %s", body, did, err, want)
				}
			}
			for range 3 {
				s.AddComment(forgetest.Comment{Request: number, Author: "ada", Body: "looks good"})
			}
			s.AddComment(forgetest.Comment{Request: number + 1, Author: "ada", Body: "of another request"})
			say("", forge.Kept)
			if len(ours()) != 0 {
				t.Fatalf("nothing needs to be said, and there is %v", ours())
			}
			loses.Store(true)
			if _, err := forge.Comment(t.Context(), f, number, "2 errors", ""); err == nil {
				t.Fatal("the answer is lost, and it says nothing")
			}
			loses.Store(false)
			say("2 errors", forge.Kept)
			s.AddComment(forgetest.Comment{Request: number, Author: "ada", Body: "> " + ours()[0].Body + "\nI mend it"})
			say("1 error", forge.Updated)
			say("1 error", forge.Kept)
			all := ours()
			if len(all) != 1 || !strings.Contains(all[0].Body, "1 error") || strings.Contains(all[0].Body, "2 errors") {
				t.Fatalf("the comments are %+v", all)
			}
			say("", forge.Updated)
			if all := ours(); len(all) != 1 || !strings.Contains(all[0].Body, "all is well") {
				t.Fatalf("the comments are %+v", all)
			}
			for _, c := range s.Comments(number) {
				if c.Author == "ada" && strings.Contains(c.Body, "1 error") {
					t.Errorf("a person's comment was changed: %q", c.Body)
				}
			}
		})
	}
}

// A comment that a stranger begins as ours is neither changed nor taken for ours, and keeps ours from no request; nor
// where the forge does not tell whose the token is. Who may write changes every comment at Gitea: a token that may not
// read its account does so.
func TestCommentOfAStranger(t *testing.T) {
	for _, kind := range forgetest.Kinds {
		for _, hidden := range []bool{false, true} {
			t.Run(fmt.Sprint(kind, " ", hidden), func(t *testing.T) {
				s := forgetest.Start(t, kind)
				s.Hidden = hidden
				number := s.Add(forgetest.Request{Head: "work", Base: "main"})
				f := client(t, s)
				say := func(body string, want forge.Did) {
					t.Helper()
					did, err := forge.Comment(t.Context(), f, number, body, "all is well")
					if err != nil || did != want {
						t.Fatalf("%q: %s, %v; want %s; calls %s", body, did, err, want, s.Calls())
					}
				}
				other := s.Add(forgetest.Request{Head: "other", Base: "main"})
				if _, err := forge.Comment(t.Context(), f, other, "no errors, merge it", ""); err != nil {
					t.Fatal(err)
				}
				forged := s.Comments(other)[0].Body
				s.AddComment(forgetest.Comment{Request: number, Author: "mallory", Body: forged})
				if kind == "gitea" && hidden {
					say("2 errors", forge.Updated)
					return
				}
				say("", forge.Kept)
				say("2 errors", forge.Made)
				say("2 errors", forge.Kept)
				say("1 error", forge.Updated)
				all := s.Comments(number)
				if len(all) != 2 || all[0].Body != forged || !strings.Contains(all[1].Body, "1 error") {
					t.Errorf("the comments are %+v", all)
				}
			})
		}
	}
}

// A status says what it should of the request's commit; where the job may not, the error says so and has no token.
func TestMark(t *testing.T) {
	commit := strings.Repeat("c", 40)
	for _, kind := range forgetest.Kinds {
		s := forgetest.Start(t, kind)
		number := s.Add(forgetest.Request{Head: "work", Base: "main"})
		of, passed, failed := commit, "success", "failure"
		switch {
		case kind == "gitlab":
			failed = "failed"
		case strings.HasPrefix(kind, "bitbucket"):
			passed, failed = "SUCCESSFUL", "FAILED"
		case kind == "azure":
			of, passed, failed = "1", "succeeded", "failed"
		}
		for i, state := range []string{passed, failed} {
			err := forge.Mark(t.Context(), client(t, s), number, commit,
				forge.Status{Name: "locsync/translations", Passed: i == 0, Title: "1 error\n" + strings.Repeat("ü", 200)})
			if err != nil {
				t.Fatalf("%s: %v; it calls %s", kind, err, s.Calls())
			}
			got := s.Statuses()[i]
			if got.Of != of || got.Name != "locsync/translations" || got.State != state ||
				!strings.HasPrefix(got.Title, "1 error ü") || len([]rune(got.Title)) > 140 {
				t.Errorf("%s: %+v", kind, got)
			}
		}
		_, err := forge.Comment(t.Context(), client(t, s, func(o *forge.Options) { o.Token = "read-only-4711" }), number,
			"2 errors", "")
		if !errors.Is(err, forge.ErrForbidden) || strings.Contains(err.Error(), "4711") {
			t.Errorf("%s: %v", kind, err)
		}
		err = forge.Mark(t.Context(), client(t, s, func(o *forge.Options) { o.Token = "read-only-4711" }), number, commit,
			forge.Status{Name: "locsync/translations"})
		if kind == "github" && !strings.Contains(fmt.Sprint(err), `"Commit statuses: read and write"`) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// What to do about a comment or a status that a forge does not accept is about these.
func TestRemarkIsNotAccepted(t *testing.T) {
	s := forgetest.Start(t, "github")
	s.Fault = func(*http.Request, int) *forgetest.Fault {
		return &forgetest.Fault{Status: 422, Body: `{"message": "no"}`}
	}
	_, err := forge.Comment(t.Context(), client(t, s), 1, "2 errors", "")
	if !errors.Is(err, forge.ErrInvalid) || !strings.Contains(err.Error(), "takes comments") {
		t.Error(err)
	}
	err = forge.Mark(t.Context(), client(t, s), 1, "abc", forge.Status{Name: "locsync/translations"})
	if !errors.Is(err, forge.ErrInvalid) || !strings.Contains(err.Error(), "whether the commit is in that repository") {
		t.Error(err)
	}
}

// Each CI system's variables name the request, the last commit of its branch and the token.
func TestJobOf(t *testing.T) {
	event := filepath.Join(t.TempDir(), "event.json")
	write := func(text string) {
		if err := os.WriteFile(event, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"number": 7, "pull_request": {"number": 7, "head": {"sha": "abc"}, "base": {"ref": "main"}}}`)
	actions := map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": "https://github.com",
		"GITHUB_REPOSITORY": "acme/app", "GITHUB_EVENT_PATH": event, "GITHUB_TOKEN": "t", "GITHUB_SHA": "merged"}
	gitea := map[string]string{"GITEA_ACTIONS": "true", "GITHUB_ACTIONS": "true",
		"GITHUB_SERVER_URL": "https://code.example.org", "GITHUB_REPOSITORY": "acme/app", "GITHUB_EVENT_PATH": event,
		"GITHUB_TOKEN": "t"}
	for name, c := range map[string]struct {
		env  map[string]string
		want forge.Job
	}{
		"github": {actions, forge.Job{Kind: "github", URL: "https://github.com", Repository: "acme/app"}},
		"gitea":  {gitea, forge.Job{Kind: "gitea", URL: "https://code.example.org", Repository: "acme/app"}},
		"gitlab": {map[string]string{"GITLAB_CI": "true", "CI_SERVER_URL": "https://git.example.org",
			"CI_MERGE_REQUEST_PROJECT_PATH": "acme/sub/app", "CI_MERGE_REQUEST_IID": "7", "CI_COMMIT_SHA": "abc",
			"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "GITLAB_TOKEN": "t"},
			forge.Job{Kind: "gitlab", URL: "https://git.example.org", Repository: "acme/sub/app"}},
		"bitbucket": {map[string]string{"BITBUCKET_BUILD_NUMBER": "12", "BITBUCKET_REPO_FULL_NAME": "acme/app",
			"BITBUCKET_PR_ID": "7", "BITBUCKET_COMMIT": "abc", "BITBUCKET_PR_DESTINATION_BRANCH": "main",
			"BITBUCKET_TOKEN": "t"},
			forge.Job{Kind: "bitbucket", URL: "https://bitbucket.org", Repository: "acme/app"}},
		"azure": {map[string]string{"TF_BUILD": "True", "BUILD_REPOSITORY_URI": "https://acme@dev.azure.com/acme/web/_git/app",
			"SYSTEM_PULLREQUEST_PULLREQUESTID": "7", "SYSTEM_PULLREQUEST_SOURCECOMMITID": "abc",
			"SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main", "SYSTEM_ACCESSTOKEN": "t"},
			forge.Job{Kind: "azure", URL: "https://dev.azure.com", Repository: "acme/web/app"}},
		"jenkins": {map[string]string{"JENKINS_URL": "https://ci.example.org/", "CHANGE_ID": "7", "CHANGE_TARGET": "main",
			"GIT_URL": "https://bitbucket.example.org/scm/acme/app.git", "GIT_COMMIT": "abc", "LOCSYNC_FORGE_TOKEN": "t"},
			forge.Job{Kind: "bitbucket", URL: "https://bitbucket.example.org", Repository: "scm/acme/app"}},
	} {
		c.want.Number, c.want.Commit, c.want.Base, c.want.Token = 7, "abc", "main", "t"
		got, err := forge.JobOf(func(name string) string { return c.env[name] })
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, c.want)
		}
		if f, err := got.Forge("locsync/test"); f == nil || err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	write(`{"ref": "refs/heads/main", "commits": []}`)
	for name, env := range map[string]map[string]string{"a push": actions, "no CI": {}} {
		if job, err := forge.JobOf(func(name string) string { return env[name] }); err == nil {
			t.Errorf("%s: %+v", name, job)
		}
	}
	write(`{"pull_request": `)
	if _, err := forge.JobOf(func(name string) string { return actions[name] }); err == nil {
		t.Error("an event that is cut says nothing")
	}
}
