package engine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// A branch that is deleted or set back at the remote while nobody had merged it is there again after the next pull, whether or not the service has news; one that was
// merged, in whatever way, stays deleted until there is something to deliver.
func TestBranchThatTheRemoteLost(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	const path = "locales/de/a.json"
	there := func(t *testing.T, bare string) string {
		out, err := gittest.TryGit(t, bare, "rev-parse", "-q", "--verify", "l10n")
		if err != nil {
			return ""
		}
		return out
	}
	delivered := func(t *testing.T) (w *world, bare string) {
		w = abc(t, settings, nil)
		bare = gittest.Bare(t, w.dir)
		w.final("de", "a", "A1")
		w.brings(path + " (de): +1 ~0 -0")
		w.final("de", "a", "A2")
		w.brings(path + " (de): +0 ~1 -0")
		w.brings()
		return w, bare
	}
	again := func(t *testing.T, w *world, bare string) {
		t.Helper()
		p := w.pulls(pull.Options{})
		if len(p.Problems) > 0 || !p.Pushed || p.Commit == "" || p.Commit != there(t, bare) || len(p.Files) > 0 {
			t.Errorf("%+v; the remote has %q", p, there(t, bare))
		}
		if p := w.pulls(pull.Options{}); p.Commit != "" {
			t.Errorf("delivered twice: %+v", p)
		}
		gittest.Sound(t, bare)
	}
	t.Run("deleted", func(t *testing.T) {
		t.Parallel()
		w, bare := delivered(t)
		gittest.Git(t, bare, "branch", "-D", "l10n")
		if p := w.pulls(pull.Options{DryRun: true}); p.Commit != "" || there(t, bare) != "" {
			t.Errorf("a dry run delivers: %+v", p)
		}
		again(t, w, bare)
	})
	t.Run("set back", func(t *testing.T) {
		t.Parallel()
		w, bare := delivered(t)
		gittest.Git(t, bare, "branch", "-f", "l10n", "l10n~1")
		again(t, w, bare)
	})
	t.Run("deleted, and refused", func(t *testing.T) { // the pull goes on, and offers it again
		t.Parallel()
		w, bare := delivered(t)
		gittest.Git(t, bare, "branch", "-D", "l10n")
		gittest.Hook(t, bare, "pre-receive", "echo the branch is closed >&2; exit 1")
		for range 2 {
			p := w.pulls(pull.Options{})
			w.problem(p.Problems, "branch l10n", "the branch is closed", "the next pull offers")
			if p.Commit != "" || p.Pushed || there(t, bare) != "" {
				t.Errorf("%+v; the remote has %q", p, there(t, bare))
			}
			if last := w.Status(t.Context()).Projects[0].LastPull; last.Result != report.ResultPartial {
				t.Errorf("%+v", last)
			}
		}
		w.check(os.Remove(filepath.Join(bare, "hooks", "pre-receive")))
		again(t, w, bare)
	})
	t.Run("deleted at both ends", func(t *testing.T) {
		t.Parallel()
		w, bare := delivered(t)
		gittest.Git(t, bare, "branch", "-D", "l10n")
		w.git("branch", "-D", "l10n")
		w.brings(path + " (de): +1 ~0 -0")
		w.has("origin/l10n", path, "{\n  \"a\": \"A2\"\n}")
		if there(t, bare) == "" {
			t.Error("the remote does not have it")
		}
	})
	for name, merge := range map[string][]string{"merged": {"merge", "-q", "--no-ff", "--no-edit", "origin/l10n"}, "squashed": {"merge", "-q", "--squash", "origin/l10n"}} {
		t.Run(name+", then deleted", func(t *testing.T) {
			t.Parallel()
			w, bare := delivered(t)
			other := gittest.Clone(t, bare, "-b", "main")
			gittest.Git(t, other, merge...)
			if name == "squashed" {
				gittest.Git(t, other, "commit", "-q", "-m", "translations")
			}
			gittest.Git(t, other, "push", "-q", "origin", "main", ":l10n")
			for range 2 {
				if p := w.pulls(pull.Options{}); p.Commit != "" || there(t, bare) != "" {
					t.Errorf("%+v; the remote has %q", p, there(t, bare))
				}
			}
			// What somebody corrects on base afterwards does not bring back what was merged.
			gittest.Commit(t, other, "a correction", map[string]string{path: "{\n  \"a\": \"A3\"\n}\n"})
			gittest.Git(t, other, "push", "-q", "origin", "main")
			w.git("fetch", "-q", "origin")
			w.git("reset", "-q", "--hard", "origin/main")
			for range 2 {
				if p := w.pulls(pull.Options{}); there(t, bare) != "" {
					t.Errorf("%+v; the remote has %q", p, there(t, bare))
				}
			}
			w.sends(path + " (de): a")
			w.translate("main", "de", service.Final, "a", "A3")
			w.final("de", "b", "B1")
			p := w.pulls(pull.Options{})
			if p.Commit == "" || p.Commit != there(t, bare) {
				t.Errorf("%+v; the remote has %q", p, there(t, bare))
			}
			w.has("origin/l10n", path, "{\n  \"a\": \"A3\",\n  \"b\": \"B1\"\n}")
		})
	}
}
