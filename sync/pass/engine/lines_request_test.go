package engine

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/forge/forgetest"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
)

// Each branch has a request of its own, into the branch that it is for, and with commits for each language. What the remote refuses of one branch, at once or at
// the next offer, keeps nothing of another from arriving, and arrives whole when it may.
func TestRequestForEachBranch(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	s := forgetest.Start(t, "gitea")
	dir := t.TempDir()
	w := newWorld(t, settings+jsonFiles, map[string]string{appFile: mainText})
	w.git("checkout", "-q", "-b", "feature/x")
	w.write(appFile, featText)
	w.commit()
	w.git("checkout", "-q", "main")
	bare := gittest.Bare(t, w.dir)
	a := &asking{w, bare, s}
	s.Tip = a.tip
	token := filepath.Join(dir, "token")
	w.check(os.WriteFile(token, []byte(forgetest.Token+"\n"), 0o600))
	w.configure(strings.NewReplacer(`branches = ["main", "feature/*"]`, "source = \"main\"\nbranches = [\"feature/*\"]",
		"branch = \"l10n/{base}\"\n", "branch = \"l10n/{base}\"\n"+
			fmt.Sprintf("[project.pull.request]\nkind = \"gitea\"\nurl = %q\nrepository = %q\ntoken_file = %q\n", s.URL(), forgetest.Repository, token)).Replace(lineSettings))
	if _, err := w.Push(t.Context(), push.Options{}); err != nil {
		t.Fatal(err)
	}
	translate := func(text string) {
		w.translate("main", "de", service.Final, "a", "Apfel"+text)
		w.translate("main", "fr", service.Final, "a", "Pomme"+text)
		w.translate("feature/x", "de", service.Final, "c", "Käse"+text)
		w.translate("feature/x", "fr", service.Final, "c", "Fromage"+text)
	}
	commits := func(base string) int {
		t.Helper()
		out, err := gittest.TryGit(t, bare, "rev-list", "--count", base+"..l10n/"+base)
		n := 0
		if err == nil {
			fmt.Sscan(out, &n)
		}
		return n
	}
	state := func(when string, main, feature int) {
		t.Helper()
		if commits("main") != main || commits("feature/x") != feature {
			t.Errorf("%s: %d commits for main and %d for feature/x, want %d and %d", when, commits("main"), commits("feature/x"), main, feature)
		}
		for base, n := range map[string]int{"main": main, "feature/x": feature} {
			if open := s.Open("l10n/"+base, base); len(open) != min(n, 1) {
				t.Errorf("%s: %s is asked for %d times", when, base, len(open))
			}
		}
	}
	translate("")
	gittest.Hook(t, bare, "pre-receive", "while read old new ref; do case $ref in refs/heads/l10n/feature/*) exit 1;; esac; done")
	for _, when := range []string{"refused", "refused again"} {
		reports, err := w.Pull(t.Context(), pull.Options{})
		if err == nil || Permanent(err) || len(reports.Projects) != 2 || reports.Projects[0].Error != "" || reports.Projects[1].Error == "" {
			t.Fatalf("%s: %v, %+v", when, err, reports.Projects)
		}
		state(when, 1, 0)
	}
	translate(" 2") // what is offered now is other content
	if _, err := w.Pull(t.Context(), pull.Options{}); err == nil {
		t.Fatal("it was refused")
	}
	state("refused with news", 2, 0)
	w.check(os.Remove(filepath.Join(bare, "hooks", "pre-receive")))
	w.restart(w.Config)
	reports, err := w.Pull(t.Context(), pull.Options{})
	w.check(err)
	if p := reports.Projects; len(p) != 2 || p[0].Request != "kept" || p[1].Request != "made" || len(p[0].Problems)+len(p[1].Problems) > 0 {
		t.Fatalf("%+v", p)
	}
	state("taken", 2, 1)
	if got := gittest.Git(t, bare, "log", "--format=%s",
		"feature/x..l10n/feature/x"); got != "Update translations (de, fr)" {
		t.Errorf("want one commit: %s", got)
	}
	if got := compact(gittest.Git(t, bare, "show", "l10n/feature/x:"+appDE)); got != `{ "c": "Käse 2" }` {
		t.Error(got)
	}
	pushed, err := w.Push(t.Context(), push.Options{})
	w.check(err)
	for _, p := range pushed.Projects {
		if p.Requests > 0 {
			t.Errorf("its own translations are sent: %+v", p.Files)
		}
	}
	gittest.Sound(t, bare)
}

// A forge that wants no call until later means whoever has the token: one branch's call finds that out for all branches, of all projects, in this process
// and the next. Another token is another account.
func TestForgeThatWantsFewerCalls(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	s := forgetest.Start(t, "gitea")
	w := newWorld(t, settings+jsonFiles, map[string]string{appFile: mainText})
	w.git("checkout", "-q", "-b", "feature/x")
	w.write(appFile, featText)
	w.commit()
	w.git("checkout", "-q", "main")
	a := &asking{w, gittest.Bare(t, w.dir), s}
	s.Tip = a.tip
	token := filepath.Join(t.TempDir(), "token")
	writeToken := func(text string) { w.check(os.WriteFile(token, []byte(text+"\n"), 0o600)) }
	writeToken(forgetest.Token)
	w.configure(strings.NewReplacer(`branches = ["main", "feature/*"]`, "source = \"main\"\nbranches = [\"feature/*\"]",
		"branch = \"l10n/{base}\"\n", "branch = \"l10n/{base}\"\n"+
			fmt.Sprintf("[project.pull.request]\nkind = \"gitea\"\nurl = %q\nrepository = %q\ntoken_file = %q\n", s.URL(), forgetest.Repository, token)).Replace(lineSettings))
	second := *w.Config
	second.Projects = append(slices.Clone(second.Projects), second.Projects[0])
	second.Projects[1].Name = "beside"
	second.Projects[1].Pull.Branch = "beside/{base}"
	w.restart(&second)
	now := time.Now()
	w.Engine.Now = func() time.Time { return now }
	if _, err := w.Push(t.Context(), push.Options{Project: "app"}); err != nil {
		t.Fatal(err)
	}
	w.translate("main", "de", service.Final, "a", "Apfel")
	w.translate("feature/x", "de", service.Final, "c", "Käse")
	var limited atomic.Bool
	s.Fault = func(*http.Request, int) *forgetest.Fault {
		if limited.Load() {
			return &forgetest.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"600"}}, Body: "{}"}
		}
		return nil
	}
	got := func(when string, calls int) (asked []string) {
		t.Helper()
		reports, err := w.Pull(t.Context(), pull.Options{})
		w.check(err)
		if len(reports.Projects) != 4 {
			t.Fatalf("%s: %+v", when, reports.Projects)
		}
		for _, p := range reports.Projects {
			if p.RequestURL == "" {
				w.problem(p.Problems, "wants fewer calls", "until "+now.UTC().Add(10*time.Minute).Format("15:04"), "the commit is delivered")
			} else {
				asked = append(asked, p.Branch)
			}
		}
		if got := s.Calls(); calls >= 0 && len(got) != calls {
			t.Errorf("%s: %d calls, want %d: %q", when, len(got), calls, got)
		}
		return asked
	}
	limited.Store(true)
	got("limited", 1)
	got("again", 0)
	a.restartKeeping(func() time.Time { return now })
	got("in the next process", 0)
	writeToken("another")
	limited.Store(false)
	s.Fault = func(r *http.Request, _ int) *forgetest.Fault {
		r.Header.Set("Authorization", strings.ReplaceAll(r.Header.Get("Authorization"), "another", forgetest.Token))
		return nil
	}
	if asked := got("with another token", -1); len(asked) != 4 {
		t.Errorf("only %q are asked for", asked)
	}
}

// The online check asks for the request of a branch that is translated, whatever is checked out.
func TestForgeIsCheckedForABranch(t *testing.T) {
	t.Parallel()
	s := forgetest.Start(t, "github")
	var heads []string
	s.Fault = func(r *http.Request, _ int) *forgetest.Fault {
		heads = append(heads, r.URL.Query().Get("head")+" into "+r.URL.Query().Get("base"))
		return nil
	}
	w := newWorld(t, settings+jsonFiles, map[string]string{appFile: mainText})
	token := filepath.Join(t.TempDir(), "token")
	w.check(os.WriteFile(token, []byte(forgetest.Token+"\n"), 0o600))
	request := fmt.Sprintf("[project.pull.request]\nkind = \"github\"\nurl = %q\nrepository = %q\ntoken_file = %q\n", s.URL(), forgetest.Repository, token)
	covered, all := `branches = ["main", "feature/*"]`, ""
	for _, c := range [][3]string{
		{"main", covered, "acme:l10n/main into main"},
		{"feature/x", covered, "acme:l10n/feature/x into feature/x"},
		{"wip", covered, "acme:l10n/main into main"},
		{"wip", all, "acme:l10n/wip into wip"},
		{"", covered, "acme:l10n/main into main"},
		{"", all, "acme:l10n/HEAD into HEAD"}, // it is about the token and the repository
	} {
		if c[0] == "" {
			w.git("checkout", "-q", "--detach")
		} else {
			w.git("checkout", "-q", "-B", c[0])
		}
		w.configure(strings.NewReplacer(covered, c[1], "branch = \"l10n/{base}\"\n", "branch = \"l10n/{base}\"\n"+request).Replace(lineSettings))
		heads = nil
		w.check(w.CheckOnline(t.Context()))
		if heads = slices.Compact(heads); !slices.Equal(heads, []string{c[2]}) {
			t.Errorf("%q is checked out: %q, want %q", c[0], heads, c[2])
		}
	}
}

// A branch that is refused, or that a person has to change, puts off no repetition for another one that only met a service or remote that is down.
func TestRepetitionOfTheLineThatMayWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{appFile: mainText})
	refused, wrong, down := fmt.Errorf("deliver: %w", &gitops.Refused{}), &failure.UsageError{Err: errors.New("wrong")}, fmt.Errorf("export: %w", &service.Error{Status: 503})
	for name, c := range map[string]struct {
		err  error
		want time.Duration
	}{
		"down":              {errors.Join(down), retryFirst},
		"refused":           {errors.Join(refused), retrySlow},
		"refused, down":     {errors.Join(refused, down), retryFirst},
		"down, wrong":       {errors.Join(down, wrong), retryFirst},
		"refused and wrong": {errors.Join(refused, wrong), retrySlow},
		"refused, busy":     {errors.Join(refused, gitops.ErrBusy), time.Second},
	} {
		l := schedule{project: w.projects[0]}
		before := w.Now()
		l.after(t.Context(), "pull", c.err, &l.pulls.retry)
		took := w.Now().Sub(before)
		if wait := l.pulls.retry.at.Sub(before); wait < c.want || wait > c.want+took {
			t.Errorf("%s: repeated after %s, want %s", name, wait, c.want)
		}
	}
}
