package engine

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/forge/forgetest"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service/local"
	"pgregory.net/rapid"
)

// asking is a world whose branch is asked to be merged, at a forge that looks at the same bare repository.
type asking struct {
	*world
	bare  string
	forge *forgetest.Server
}

// asks makes one; request is what stands in [project.pull.request] besides what leads to the forge.
func asks(t *testing.T, kind, request string) *asking {
	t.Helper()
	return asksAt(t, t.TempDir(), forgetest.Start(t, kind), request)
}

func asksAt(t *testing.T, dir string, s *forgetest.Server, request string) *asking {
	t.Helper()
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte(forgetest.Token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := abc(t, settings+fmt.Sprintf("[project.pull.request]\nkind = %q\nurl = %q\nrepository = %q\ntoken_file = %q\n%s\n", s.Forge(), s.URL(), forgetest.Repository, token, request), nil)
	a := &asking{w, gittest.Bare(t, w.dir), s}
	s.Tip = a.tip
	return a
}

// tip is a branch of the bare repository as the forge sees it.
func (a *asking) tip(branch string) string {
	tip, err := gittest.TryGit(a.tb, a.bare, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch)
	if err != nil {
		return ""
	}
	return tip
}

// one is the only open request.
func (a *asking) one() forgetest.Request {
	a.tb.Helper()
	open := a.forge.Open("l10n", "main")
	if len(open) != 1 {
		a.tb.Fatalf("%d open requests", len(open))
	}
	return open[0]
}

// done pulls without problems and compares what became of the request.
func (a *asking) done(want string) report.ProjectPull {
	a.tb.Helper()
	p := a.pulls(pull.Options{})
	if len(p.Problems) > 0 || p.Request != want {
		a.tb.Fatalf("request %q, want %q; problems %v", p.Request, want, p.Problems)
	}
	return p
}

// The first run that makes a request with the token of GitHub's job says that its checks do not start, and what to do;
// no later one, and none with another token, does.
func TestRequestOfGitHubsJob(t *testing.T) {
	for _, c := range []struct {
		job   string // the variable that the job has
		login string
		warns bool
	}{{forgetest.Token, "", true}, {"of-the-job", "", false}, {"", "github-actions[bot]", true}} {
		t.Setenv("GITHUB_ACTIONS", "true")
		t.Setenv("GITHUB_TOKEN", c.job)
		a := asks(t, "github", "")
		a.forge.Login = c.login
		for i, text := range []string{"A1", "A2", ""} {
			if text == "" { // a second request
				a.forge.End(1, "merged")
				text = "A3"
			}
			a.final("de", "a", text)
			p := a.pulls(pull.Options{})
			warned := len(p.Problems) == 1 && p.Problems[0].Severity == report.Warning &&
				strings.Contains(p.Problems[0].Problem, "GitHub starts no checks for the request") &&
				strings.Contains(p.Problems[0].Remedy, "pull.request.app_id")
			if warned != (c.warns && i == 0) || !warned && len(p.Problems) > 0 {
				t.Errorf("%+v, pull %d: %s, %+v", c, i, p.Request, p.Problems)
			}
		}
	}
}

// The life of a request at each forge: made with the commit, left alone while nothing changes, brought up to date, built upon when a person commits to the
// branch, not opened again when it was closed, made anew for the next translation, and forgotten when the branch is merged.
func TestRequest(t *testing.T) {
	t.Parallel()
	kinds := forgetest.Kinds
	if !gittest.All() {
		kinds = kinds[:2]
	}
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			labels, set := []string{"l10n"}, "labels = [\"l10n\"]\n"
			if strings.HasPrefix(kind, "bitbucket") {
				labels, set = nil, "" // it has none
			}
			a := asks(t, kind, set)
			a.done("") // there is nothing to ask for
			if calls := a.forge.Calls(); len(calls) > 0 {
				t.Errorf("nothing is to be merged, and the forge was called: %q", calls)
			}
			a.final("de", "a", "A1", "b", "B1")
			a.final("fr", "a", "Af")
			p := a.done("made")
			r := a.one()
			if r.Title != "Update translations (de, fr)" || !strings.Contains(r.Body, "3 translations added, 0 changed, 0 removed") || !strings.Contains(r.Body, "\n| `de` | 2 | 0 | 66 % |") || !slices.Equal(r.Labels, labels) {
				t.Errorf("%+v", r)
			}
			if s := a.Status(t.Context()).Projects[0]; p.RequestURL == "" || s.RequestURL != p.RequestURL {
				t.Errorf("the pull says %q, the status %q", p.RequestURL, s.RequestURL)
			}
			a.forge.Calls()
			a.done("kept")
			a.done("kept")
			if calls := a.forge.Calls(); len(calls) > 0 {
				t.Errorf("nothing changed, and the forge was called: %q", calls)
			}
			a.final("de", "a", "A2", "c", "C1")
			a.done("updated")
			if r := a.one(); r.Number != 1 || !strings.Contains(r.Body, "4 translations added, 0 changed") {
				t.Errorf("%+v", r)
			}
			theirs := a.elsewhere(a.bare, "l10n", map[string]string{"notes.md": "looked at\n"})
			a.final("fr", "b", "Bf")
			a.done("updated")
			gittest.Git(t, a.bare, "merge-base", "--is-ancestor", theirs, "l10n")
			if r := a.one(); r.Number != 1 || !strings.Contains(r.Body, "5 translations added") {
				t.Errorf("%+v", r)
			}

			a.forge.End(1, "closed")
			a.done("kept") // nothing changed: nobody looks
			a.lose()       // a new daemon looks, and leaves it closed
			a.brings()
			if p := a.done("declined"); p.RequestURL != "" {
				t.Errorf("%+v", p)
			}
			if open := a.forge.Open("l10n", "main"); len(open) > 0 || a.Status(t.Context()).Projects[0].RequestURL != "" {
				t.Errorf("it was opened again: %+v", open)
			}
			a.forge.Now = func() time.Time { return time.Now().Add(-time.Hour) }
			a.forge.End(1, "closed") // an hour ago
			a.final("fr", "c", "Cf")
			a.done("made")
			if r := a.one(); r.Number != 2 || !strings.Contains(r.Body, "6 translations added") {
				t.Errorf("%+v", r)
			}

			squash(t, a.bare)
			a.forge.End(2, "merged")
			a.forge.Calls()
			if p := a.done(""); p.RequestURL != "" || a.Status(t.Context()).Projects[0].RequestURL != "" {
				t.Errorf("%+v", p)
			}
			if calls := a.forge.Calls(); len(calls) > 0 {
				t.Errorf("all is merged, and the forge was called: %q", calls)
			}
		})
	}
}

// People who close a request like to delete its branch: what is made anew of the same translations is not asked for again, the next translation is.
func TestRequestClosedWithItsBranch(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	a := asks(t, "github", "")
	a.final("de", "a", "A1", "b", "B1")
	a.done("made")
	a.forge.End(1, "closed")
	a.Engine.Now = func() time.Time { return time.Now().Add(time.Minute) } // in the same second, the same commit would be made
	gittest.Git(t, a.bare, "update-ref", "-d", "refs/heads/l10n")
	a.git("branch", "-q", "-D", "l10n")
	a.pulls(pull.Options{})
	if p := a.pulls(pull.Options{}); p.Request != "declined" || p.RequestURL != "" || a.tip("l10n") == "" {
		t.Errorf("%+v", p)
	}
	a.final("de", "c", "C1")
	a.done("made")
	if r := a.one(); r.Number != 2 || !strings.Contains(r.Body, "3 translations added") {
		t.Errorf("%+v", r)
	}
}

// squash merges the branch into main at the remote as one commit, as forges do.
func squash(t *testing.T, bare string) {
	t.Helper()
	other := gittest.Clone(t, bare, "-b", "main")
	gittest.Git(t, other, "merge", "-q", "--squash", "origin/l10n")
	gittest.Git(t, other, "commit", "-q", "-m", "squashed")
	gittest.Git(t, other, "push", "-q", "origin", "main")
}

// Whatever becomes of the call, the commit is delivered and its merges are remembered; the problem is named in report and status, the forge is left
// alone as long as it wants, and then the request is there.
func TestRequestThatFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault forgetest.Fault
		says  string
		wait  time.Duration
	}{
		"down":         {forgetest.Fault{Cut: true}, "cannot be reached", 0},
		"answer lost":  {forgetest.Fault{Lose: true}, "cannot be reached", 0},
		"limited":      {forgetest.Fault{Status: 429, Header: http.Header{"Retry-After": {"600"}}, Body: "{}"}, "wants fewer calls", 10 * time.Minute},
		"bad token":    {forgetest.Fault{Status: 401, Body: `{"message":"401 Unauthorized"}`}, "put a token that is valid now where token_env or token_file says", 0},
		"out of order": {forgetest.Fault{Status: 503, Header: http.Header{"Retry-After": {"60"}}, Body: "<html>"}, "out of order", time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := asks(t, "gitlab", "")
			now := time.Now()
			a.Engine.Now = func() time.Time { return now }
			broken := true
			a.forge.Fault = func(r *http.Request, n int) *forgetest.Fault {
				if broken && (r.Method == http.MethodPost || c.fault.Status != 0) {
					return &c.fault
				}
				return nil
			}
			a.final("de", "a", "A1")
			p := a.pulls(pull.Options{})
			a.problem(p.Problems, c.says, "the commit is delivered, and the next pull tries this again")
			if !p.Pushed || p.Commit != a.tip("l10n") {
				t.Fatalf("the commit was not delivered: %+v", p)
			}
			s := a.Status(t.Context()).Projects[0]
			a.problem(s.Problems, c.says)
			if s.LastPull.Result != report.ResultPartial {
				t.Errorf("%+v", s.LastPull)
			}
			a.forge.Calls()
			a.restartKeeping(func() time.Time { return now })
			p = a.pulls(pull.Options{})
			a.gains(p)
			if calls := a.forge.Calls(); (len(calls) == 0) != (c.wait > 0) {
				t.Errorf("calls while the forge wants none until %v: %q", c.wait, calls)
			}
			if name != "answer lost" {
				a.problem(p.Problems, c.says)
			}
			broken, now = false, now.Add(c.wait+time.Second)
			p = a.pulls(pull.Options{})
			if len(p.Problems) > 0 || p.RequestURL == "" || p.RequestURL != a.Status(t.Context()).Projects[0].RequestURL {
				t.Errorf("%+v", p)
			}
			if r := a.one(); r.Number != 1 {
				t.Errorf("%+v", r)
			}
		})
	}
}

// restartKeeping is the end of a process and the start of another, at a time.
func (a *asking) restartKeeping(now func() time.Time) {
	a.tb.Helper()
	a.restart(a.Config)
	a.Engine.Now = now
}

// A token that is not there keeps no translation from being delivered, and the online check tells it before.
func TestRequestWithoutToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := asksAt(t, dir, forgetest.Start(t, "github"), "")
	if err := a.CheckOnline(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.check(os.Remove(filepath.Join(dir, "token")))
	if err := a.CheckOnline(t.Context()); err == nil || !Permanent(err) || !strings.Contains(err.Error(), "token_file: read the secret") {
		t.Errorf("%v", err)
	}
	a.final("de", "a", "A1")
	p := a.pulls(pull.Options{})
	a.problem(p.Problems, "token_file: read the secret")
	if !p.Pushed {
		t.Errorf("%+v", p)
	}
	a.check(os.WriteFile(filepath.Join(dir, "token"), []byte("another"), 0o600))
	if err := a.CheckOnline(t.Context()); err == nil || !Permanent(err) || !strings.Contains(err.Error(), "does not accept the token") {
		t.Errorf("%v", err)
	}
	a.check(os.WriteFile(filepath.Join(dir, "token"), []byte(forgetest.Token), 0o600))
	a.done("made")
	a.one()
}

// Whatever the order of translations, pulls, ends of processes, lost states, failing calls, and people's commits, merges, closings and own requests:
// at most one request is open, none is made for a commit for which people have ended one, and once everything works there is one when the branch has
// something that nobody has turned down.
func TestRequestLaw(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := forgetest.New(rapid.SampledFrom(forgetest.Kinds).Draw(rt, "forge"))
		defer s.Close()
		a := asksAt(t, t.TempDir(), s, "")
		now := time.Now()
		tick := func() time.Time { now = now.Add(time.Minute); return now }
		s.Now, a.Engine.Now = tick, tick
		in, fault := 0, (*forgetest.Fault)(nil)
		s.Fault = func(*http.Request, int) *forgetest.Fault {
			if in--; in == 0 {
				return fault
			}
			return nil
		}
		ended := map[string]bool{}
		n := 0
		translate := func(*rapid.T) { n++; a.final("de", "a", fmt.Sprint("A", n)) }
		end := func(state string) {
			for _, r := range s.Open("l10n", "main") {
				s.End(r.Number, state)
				ended[a.tip("l10n")] = true
			}
		}
		got := func(t *rapid.T) {
			made := 0
			s.Do(func(all []*forgetest.Request) { made = -len(all) })
			a.pulls(pull.Options{})
			s.Do(func(all []*forgetest.Request) { made += len(all) })
			if tip := a.tip("l10n"); made > 0 && ended[tip] {
				t.Fatalf("a request is made for %.7s, for which people have ended one", tip)
			}
		}
		steps := map[string]func(*rapid.T){
			"translate": translate,
			"pull":      got,
			"translate and pull": func(t *rapid.T) {
				translate(t)
				in = rapid.IntRange(0, 3).Draw(t, "calls until")
				fault = rapid.SampledFrom([]*forgetest.Fault{{Cut: true}, {Lose: true}, {Status: 500, Body: "{}"}}).Draw(t, "fault")
				got(t)
				in = 0
			},
			"restart": func(*rapid.T) { a.restartKeeping(tick) },
			"lose":    func(*rapid.T) { a.lose(); a.Engine.Now = tick },
			"close":   func(*rapid.T) { end("closed") },
			"merge": func(t *rapid.T) {
				if len(s.Open("l10n", "main")) > 0 && a.tip("l10n") != "" {
					gittest.Git(a.tb, a.bare, "update-ref", "refs/heads/main", mergeAt(a.tb, a.bare))
					end("merged")
				}
			},
			"commit": func(*rapid.T) {
				if a.tip("l10n") != "" {
					n++
					a.elsewhere(a.bare, "l10n", map[string]string{"notes.md": fmt.Sprint(n)})
				}
			},
			"by hand": func(*rapid.T) {
				if a.tip("l10n") != "" {
					s.Add(forgetest.Request{Head: "l10n", Base: "main", Title: "mine"})
				}
			},
		}
		names := []string{"translate", "pull", "translate and pull", "translate and pull", "restart", "lose", "close", "merge", "commit", "by hand"}
		for range rapid.IntRange(3, 10).Draw(rt, "steps") {
			name := rapid.SampledFrom(names).Draw(rt, "step")
			steps[name](rt)
			if open := s.Open("l10n", "main"); len(open) > 1 {
				rt.Fatalf("after %q: %d open requests", name, len(open))
			}
		}
		for range 2 { // the second with nothing in its way
			got(rt)
		}
		tip := a.tip("l10n")
		asked := tip != "" && gittest.Git(a.tb, a.bare, "rev-parse", tip+"^{tree}") != gittest.Git(a.tb, a.bare, "rev-parse", "main^{tree}")
		if open := len(s.Open("l10n", "main")); asked && !ended[tip] && open != 1 {
			rt.Fatalf("%d open requests for %.7s", open, tip)
		}
	})
}

// mergeAt is a merge commit of the branch into main, made as a forge makes it.
func mergeAt(tb testing.TB, bare string) string {
	tb.Helper()
	tree := gittest.Git(tb, bare, "rev-parse", "l10n^{tree}") // the branch has all of main: nobody else commits there
	return gittest.Git(tb, bare, "commit-tree", "-p", "main", "-p", "l10n", "-m", "merged", tree)
}

// The address that the remote prints is in the report and in the status until the branch is merged.
func TestOfferedRequest(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := abc(t, settings, nil)
	bare := gittest.Bare(t, w.dir)
	const address = "https://github.com/acme/app/pull/new/l10n"
	gittest.Hook(t, bare, "post-receive", "echo >&2; echo \"Create a pull request for 'l10n' on GitHub by visiting:\" >&2; echo '     "+address+"' >&2")
	w.final("de", "a", "A1")
	if p := w.brings("locales/de/a.json (de): +1 ~0 -0"); p.RequestURL != address || p.Request != "offered" {
		t.Errorf("%+v", p)
	}
	w.check(os.Remove(filepath.Join(bare, "hooks", "post-receive"))) // it is printed once only
	w.final("de", "a", "A2")
	if p := w.brings("locales/de/a.json (de): +0 ~1 -0"); p.RequestURL != address {
		t.Errorf("%+v", p)
	}
	if s := w.Status(t.Context()).Projects[0]; s.RequestURL != address {
		t.Errorf("%+v", s)
	}
	squash(t, bare)
	if p := w.brings(); p.RequestURL != "" || w.Status(t.Context()).Projects[0].RequestURL != "" {
		t.Errorf("%+v", p)
	}
}

// GitLab is told by push options, also with a commit that could not be delivered at first; a remote that takes none gets the commit, and the report says
// what to do.
func TestRequestByPushOptions(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := abc(t, settings+"[project.pull.request]\nkind = \"options\"\nlabels = [\"l10n\", \"bot\"]\nremove_branch = true\n", nil)
	bare := gittest.Bare(t, w.dir)
	log := filepath.Join(t.TempDir(), "log")
	options := func() string {
		text, err := os.ReadFile(log)
		w.check(err)
		w.check(os.Remove(log))
		return string(text)
	}
	gittest.Hook(t, bare, "post-receive", `i=0; while [ $i -lt ${GIT_PUSH_OPTION_COUNT:-0} ]; do eval "echo \"\$GIT_PUSH_OPTION_$i\"" >>'`+log+`'; i=$((i+1)); done
echo "View merge request for l10n:" >&2; echo "  https://gitlab.example.com/acme/app/-/merge_requests/7" >&2`)
	gittest.Git(t, bare, "config", "receive.advertisePushOptions", "true")
	w.final("de", "a", "A1", "b", "B1")
	p := w.brings("locales/de/a.json (de): +2 ~0 -0")
	want := "merge_request.create\nmerge_request.target=main\nmerge_request.title=Update translations (de)\n" +
		"merge_request.description=2 translations added, 0 changed, 0 removed.<br><br>- `de`: 2 added, 0 changed, 0 removed\n" +
		"merge_request.label=l10n\nmerge_request.label=bot\nmerge_request.remove_source_branch\n"
	if got := options(); got != want || p.RequestURL != "https://gitlab.example.com/acme/app/-/merge_requests/7" {
		t.Errorf("the server heard\n%s\nwant\n%s\n%+v", got, want, p)
	}
	gittest.Hook(t, bare, "pre-receive", "exit 1")
	w.final("de", "a", "A2", "c", "C1")
	if _, err := w.Pull(t.Context(), pull.Options{}); err == nil {
		t.Fatal("the remote refuses and the pull does not fail")
	}
	w.check(os.Remove(filepath.Join(bare, "hooks", "pre-receive")))
	w.pulls(pull.Options{})
	if got := options(); !strings.Contains(got, "3 translations added") {
		t.Errorf("the server heard\n%s", got)
	}
	gittest.Git(t, bare, "branch", "-D", "l10n")
	w.pulls(pull.Options{}) // it is delivered again
	if got := options(); !strings.Contains(got, "3 translations added") {
		t.Errorf("the server heard\n%s", got)
	}
	gittest.Git(t, bare, "config", "receive.advertisePushOptions", "false")
	w.final("de", "a", "A3")
	p = w.pulls(pull.Options{})
	w.problem(p.Problems, "the remote takes no push options")
	if !p.Pushed {
		t.Errorf("%+v", p)
	}
}

// Gitea and Forgejo make the request of a push to refs/for/<base>, once for each commit.
func TestRequestByAGit(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := abc(t, settings+"[project.pull.request]\nkind = \"agit\"\n", nil)
	bare := gittest.Bare(t, w.dir)
	proposed := gittest.AGit(t, bare)
	w.final("de", "a", "A1")
	p := w.brings("locales/de/a.json (de): +1 ~0 -0")
	first := fmt.Sprintf("refs/for/main %s [\"topic=l10n\" \"title=Update translations (de)\"]\n", p.Commit)
	if got := proposed(); got != first || p.RequestURL != "https://gitea.example.com/acme/app/pulls/3" {
		t.Errorf("proposed %q, want %q; %+v", got, first, p)
	}
	w.brings()
	w.lose()
	w.brings() // the server has it, and says so
	if got := proposed(); got != first {
		t.Errorf("proposed %q", got)
	}
	w.final("fr", "a", "Af")
	p = w.brings("locales/fr/a.json (fr): +1 ~0 -0")
	if got := proposed(); !strings.HasPrefix(got, first) || !strings.Contains(got[len(first):], p.Commit) {
		t.Errorf("proposed %q", got)
	}
	gittest.Git(t, bare, "config", "receive.advertisePushOptions", "false")
	w.final("fr", "b", "Bf")
	p = w.pulls(pull.Options{})
	w.problem(p.Problems, "takes no push options, which agit needs")
	gittest.Sound(t, bare)
}

// A template that fails with what there really is keeps nothing from being delivered.
func TestRequestTemplateThatFails(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, kind := range []string{"options", "agit", "gitlab"} {
		w := abc(t, settings+"[project.pull.request]\nkind = \""+kind+"\"\ntitle = \"{{ index .Languages 1 }}\"\n", nil)
		w.problem(w.pulls(pull.Options{}).Problems, `no remote called "origin"`)
		gittest.Bare(t, w.dir)
		w.final("de", "a", "A1")
		p := w.pulls(pull.Options{})
		w.problem(p.Problems, "locsync.toml", "project.pull.request: no request is made or brought up to date", "index out of range")
		if !p.Pushed {
			t.Errorf("%s: %+v", kind, p)
		}
	}
}

// The text of a request names who translated, where the service tells that, and is made without where it does not.
func TestRequestNamesTranslators(t *testing.T) {
	t.Parallel()
	a := asks(t, "github", "")
	a.final("de", "a", "A1")
	a.final("fr", "a", "Af")
	a.wire.lie = func(r *http.Request, body []byte) []byte {
		switch {
		case strings.Contains(r.URL.Path, "/segment-confirmation-statistics/") && r.URL.Query().Get("from") != "":
			return []byte(`[{"userId": "1", "language": "de", "date": "2026-01-01", "wordcounts": {"tmMatches": {"x": 3}}},
				{"language": "fr", "wordcounts": {"mt": 12}, "isConfirmedByPretranslate": true}]`)
		case strings.HasSuffix(r.URL.Path, "/searchMyTeam"):
			return []byte(`[{"id": "1", "firstName": "@ada", "lastName": "<b>", "email": "ada@example.com"}]`)
		}
		return body
	}
	a.done("made")
	body := a.one().Body
	for _, want := range []string{"| `de` | 1 | 0 | 33 % | `@ada <b>` |  |", "| `fr` | 1 | 0 | 33 % |  | 12 words |"} {
		if !strings.Contains(body, want) || strings.Contains(body, "ada@example.com") {
			t.Errorf("%s\nlacks %s", body, want)
		}
	}
	a.wire.lie = nil
	a.wire.failing(func(r *http.Request) local.Fault {
		if strings.Contains(r.URL.Path, "/segment-confirmation-statistics/") {
			return local.Fault{Refuse: 404}
		}
		return local.Fault{}
	})
	a.final("de", "b", "B1")
	a.done("updated")
	if body := a.one().Body; !strings.Contains(body, "| `de` | 2 | 0 | 66 % |\n") || strings.Contains(body, "who translated") {
		t.Errorf("%s", body)
	}
}
