//go:build unix

package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
)

// A repository that stops to answer, for good and for real (a file of it is a pipe that nobody writes to): its status is the last one and says so, to everybody who
// asks and after one wait only, and is as it should be when it answers.
func TestStatusOfARepositoryThatHangs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A"}`})
	p := w.projects[0]
	if s := w.Status(t.Context()).Projects[0]; s.Unseen || s.Pending != 1 {
		t.Fatalf("before: %+v", s)
	}
	gittest.Commit(t, w.dir, "a commit to read", map[string]string{"README": "more\n"})
	w.Patience = 200 * time.Millisecond
	pipe := filepath.Join(w.dir, ".git", "objects", "info", "alternates")
	gittest.Pipe(t, pipe)
	seen := func(what string, s report.ProjectStatus) {
		t.Helper()
		if !s.Unseen || s.Pending != 1 || len(s.Files) != 1 || len(s.Problems) == 0 || !strings.Contains(s.Problems[0].Problem, "has not ended") {
			t.Errorf("%s: %+v", what, s)
		}
	}
	for _, what := range []string{"the first who asks", "the second", "the third"} {
		seen(what, w.Status(t.Context()).Projects[0])
	}
	began := *p.view.began.Load()
	seen("another one", w.Status(t.Context()).Projects[0])
	seen("who does not look", w.LastStatus().Projects[0])
	if now := *p.view.began.Load(); now != began {
		t.Errorf("looks begun at %s and at %s hang at a time", began, now)
	}
	writer, err := os.OpenFile(pipe, os.O_RDWR|syscall.O_NONBLOCK, 0) // also where nothing reads it just now
	w.check(err)
	w.check(os.Remove(pipe))
	w.check(writer.Close())
	w.Patience = time.Minute
	if s := w.Status(t.Context()).Projects[0]; s.Unseen || s.Pending != 1 || len(s.Problems) > 0 {
		t.Errorf("when it answers: %+v", s)
	}
}

// Several repositories that stop to answer are waited for together.
func TestStatusOfRepositoriesThatHang(t *testing.T) {
	t.Parallel()
	second := strings.ReplaceAll("[[project]]\nname = \"docs\"\nid = \"11111111-2222-3333-4444-666666666666\"\n"+settings+jsonFiles, "locales", "docs")
	w := newWorld(t, settings+jsonFiles+second, map[string]string{"locales/en/app.json": `{"a": "A"}`, "docs/en/app.json": `{"a": "A"}`})
	w.Patience = time.Hour
	pipe := filepath.Join(w.dir, ".git", "objects", "info", "alternates")
	gittest.Pipe(t, pipe)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := make(chan report.Status)
	go func() { told <- w.Status(ctx) }()
	for end := time.Now().Add(20 * time.Second); w.projects[0].view.began.Load() == nil || w.projects[1].view.began.Load() == nil; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("one is looked at when the other one has answered only")
		}
	}
	cancel()
	for i, s := range (<-told).Projects {
		if !s.Unseen || s.Name != w.projects[i].branch.Project.Name {
			t.Errorf("%+v", s)
		}
	}
	writer, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	w.check(err)
	w.check(os.Remove(pipe))
	w.check(writer.Close())
}

// Who may not have the repository for himself makes no pass, is not ready, and changes nothing.
func TestClaimRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A"}`})
	var refused error
	asked := 0
	w.projects[0].repository.Claim = func(_ context.Context, p *config.Project, commonDir string) error {
		if asked++; p.Name != w.projects[0].branch.Project.Name || !strings.HasSuffix(commonDir, ".git") {
			t.Errorf("asked for %s in %s", p.Name, commonDir)
		}
		return refused
	}
	refused = errors.New("somebody else has it")
	_, perr := w.Push(t.Context(), push.Options{})
	_, lerr := w.Pull(t.Context(), pull.Options{})
	w.silent()
	w.projects[0].prove(t.Context())
	for what, err := range map[string]error{"push": perr, "pull": lerr, "ready": w.Ready()} {
		if !errors.Is(err, refused) || what != "ready" && !Permanent(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if asked != 3 {
		t.Errorf("asked %d times", asked)
	}
	refused = nil
	w.sends("locales/en/app.json (en): a")
}
