package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/forge/forgetest"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/service"
)

// Each branch has a request of its own, into the branch that it is for, and with commits for each language. What the remote refuses of one branch, at once or at
// the next offer, keeps nothing of another from arriving, and arrives whole when it may.
func TestRequestForEachBranch(t *testing.T) {
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
		"branch = \"l10n/{base}\"\n", "branch = \"l10n/{base}\"\ncommit_per = \"language\"\n"+
			fmt.Sprintf("[project.pull.request]\nkind = \"gitea\"\nurl = %q\nrepository = %q\ntoken_file = %q\n", s.URL(), forgetest.Repository, token)).Replace(lineSettings))
	if _, err := w.Push(t.Context(), PushOptions{}); err != nil {
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
		reports, err := w.Pull(t.Context(), PullOptions{})
		if err == nil || Permanent(err) || len(reports.Projects) != 2 || reports.Projects[0].Error != "" || reports.Projects[1].Error == "" {
			t.Fatalf("%s: %v, %+v", when, err, reports.Projects)
		}
		state(when, 2, 0)
	}
	translate(" 2") // what is offered now is other content
	if _, err := w.Pull(t.Context(), PullOptions{}); err == nil {
		t.Fatal("it was refused")
	}
	state("refused with news", 4, 0)
	w.check(os.Remove(filepath.Join(bare, "hooks", "pre-receive")))
	w.restart(w.Config)
	reports, err := w.Pull(t.Context(), PullOptions{})
	w.check(err)
	if p := reports.Projects; len(p) != 2 || p[0].Request != "kept" || p[1].Request != "made" || len(p[0].Problems)+len(p[1].Problems) > 0 {
		t.Fatalf("%+v", p)
	}
	state("taken", 4, 2)
	if got := gittest.Git(t, bare, "log", "--format=%s", "feature/x..l10n/feature/x"); !strings.Contains(got, "(de)") || !strings.Contains(got, "(fr)") {
		t.Errorf("want a commit for each language: %s", got)
	}
	if got := compact(gittest.Git(t, bare, "show", "l10n/feature/x:"+appDE)); got != `{ "c": "Käse 2" }` {
		t.Error(got)
	}
	pushed, err := w.Push(t.Context(), PushOptions{})
	w.check(err)
	for _, p := range pushed.Projects {
		if p.Requests > 0 {
			t.Errorf("its own translations are sent: %+v", p.Files)
		}
	}
	gittest.Sound(t, bare)
}

// A branch that is refused, or that a person has to change, puts off no repetition for another one that only met a service or remote that is down.
func TestRepetitionOfTheLineThatMayWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{appFile: mainText})
	refused, wrong, down := fmt.Errorf("deliver: %w", &gitops.Refused{}), &UsageError{errors.New("wrong")}, fmt.Errorf("export: %w", &service.Error{Status: 503})
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
		l := looping{project: w.projects[0], pullRetry: newBackoff()}
		before := w.Now()
		l.after(t.Context(), "pull", c.err, l.pullRetry)
		if wait := l.pullRetry.at.Sub(before).Round(time.Second); wait != c.want {
			t.Errorf("%s: repeated after %s, want %s", name, wait, c.want)
		}
	}
}
