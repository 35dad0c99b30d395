package engine

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// local keeps commits in the repository; it is added to settings.
const localOnly = settings + "[project.pull]\nremote = \"\"\n"

// gains compares what a pull wrote: "path (language): +added ~changed -removed", or deleted, in order of path.
func (w *world) gains(p report.ProjectPull, want ...string) {
	w.tb.Helper()
	got := []string{}
	for _, f := range p.Files {
		line := fmt.Sprintf("%s (%s): +%d ~%d -%d", f.Path, f.Language, f.Added, f.Changed, f.Removed)
		if f.Deleted {
			line = fmt.Sprintf("%s (%s): deleted", f.Path, f.Language)
		}
		got = append(got, line)
	}
	if !slices.Equal(got, append([]string{}, want...)) {
		w.tb.Fatalf("pulled %q, want %q\nproblems: %v", got, want, p.Problems)
	}
	if (p.Commit == "") != (len(want) == 0) {
		w.tb.Fatalf("commit %q for %q", p.Commit, want)
	}
}

// brings pulls without problems and compares what was written.
func (w *world) brings(want ...string) report.ProjectPull {
	w.tb.Helper()
	p := w.pulls(pull.Options{})
	if len(p.Problems) > 0 {
		w.tb.Fatalf("problems: %v", p.Problems)
	}
	w.gains(p, want...)
	return p
}

// has compares a file on a branch.
func (w *world) has(branch, path, want string) {
	w.tb.Helper()
	if got := w.show(branch, path); got != strings.TrimSpace(want) {
		w.tb.Fatalf("%s has %s as\n%s\nwant\n%s", branch, path, got, want)
	}
}

// final is a translator's finished work in collection main.
func (w *world) final(language string, keysAndTexts ...string) {
	w.tb.Helper()
	w.translate("main", language, service.Final, keysAndTexts...)
}

// abc is a world with three pushed keys.
func abc(t *testing.T, project string, more map[string]string) *world {
	t.Helper()
	files := map[string]string{"locales/en/a.json": "{\n  \"a\": \"A\",\n  \"b\": \"B\",\n  \"c\": \"C\"\n}\n"}
	for name, text := range more {
		files[name] = text
	}
	w := newWorld(t, project+jsonFiles, files)
	w.clean(push.Options{})
	return w
}

func TestPullMakesOneCommitAndTouchesNothingElse(t *testing.T) {
	t.Parallel()
	w := abc(t, localOnly, nil)
	w.write("locales/en/a.json", "{\"half\": \"edited", "mine.txt", "not committed")
	before := w.untouched()
	w.final("de", "a", "Ä", "b", "Bé")
	w.final("fr", "c", "Ç")
	w.translate("main", "de", service.Intermediate, "c", "not final")
	p := w.brings("locales/de/a.json (de): +2 ~0 -0", "locales/fr/a.json (fr): +1 ~0 -0")
	w.has("l10n", "locales/de/a.json", "{\n  \"a\": \"Ä\",\n  \"b\": \"Bé\"\n}")
	w.has("l10n", "locales/fr/a.json", "{\n  \"c\": \"Ç\"\n}")
	if got := w.git("log", "-1", "--format=%H|%an <%ae>|%s|%(trailers:key=Locsync-Project,valueonly)", "l10n"); got != p.Commit+"|locsync <locsync@localhost>|Update translations (de, fr)|app" {
		t.Errorf("the commit is %s", got)
	}
	if p.Keys != 3 || p.Pushed || p.Branch != "l10n" {
		t.Errorf("%+v", p)
	}
	w.brings()
	w.brings()
	w.final("de", "b", "Beh")
	w.brings("locales/de/a.json (de): +0 ~1 -0")
	if got := w.git("diff", "--numstat", "l10n~1", "l10n"); got != "1\t1\tlocales/de/a.json" {
		t.Errorf("the commit is %q", got)
	}
	if after := w.untouched(); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	gittest.Sound(t, w.dir)
}

// untouched is what no pull may change: working tree, index, HEAD, other branches.
func (w *world) untouched() string {
	w.tb.Helper()
	index, err := os.ReadFile(filepath.Join(w.dir, ".git", "index"))
	w.check(err)
	return fmt.Sprintf("%s\n%s\n%s\n%x", w.git("status", "--porcelain"), w.git("symbolic-ref", "HEAD"), w.git("rev-parse", "main"), index)
}

func TestPullOfADryRunChangesNothing(t *testing.T) {
	t.Parallel()
	w := abc(t, settings, nil)
	gittest.Bare(t, w.dir)
	w.final("de", "a", "Ä")
	before, refs := w.untouched(), w.git("for-each-ref")
	p := w.pulls(pull.Options{DryRun: true})
	if p.Commit != "" || p.Keys != 1 || !strings.Contains(p.Diff, "+  \"a\": \"Ä\"") || len(p.Files) != 1 {
		t.Errorf("%+v", p)
	}
	if w.untouched() != before || w.git("for-each-ref") != refs {
		t.Error("the repository changed")
	}
	p = w.brings("locales/de/a.json (de): +1 ~0 -0")
	if !p.Pushed || w.git("rev-parse", "origin/l10n") != p.Commit {
		t.Errorf("%+v", p)
	}
	if p := w.pulls(pull.Options{DryRun: true}); p.Keys != 0 || p.Diff != "" {
		t.Errorf("%+v", p)
	}
}

// A dry run foretells that the branch stays where it is, whether there is something to bring or was brought before.
func TestDryRunOfABranchThatStays(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := abc(t, settings+"[project.pull]\nbranch = \"main\"\n", nil)
	gittest.Bare(t, w.dir)
	w.git("push", "-q", "origin", "main")
	w.write("locales/fr/a.json", `{"a": "not committed"}`)
	w.git("add", "-A")
	w.final("de", "a", "Ä")
	for _, files := range []int{1, 0} {
		before, refs := w.untouched(), w.git("for-each-ref")
		p := w.pulls(pull.Options{DryRun: true})
		w.problem(p.Problems, "the local branch main was left", "not committed")
		if w.untouched() != before || w.git("for-each-ref") != refs || len(p.Files) != files {
			t.Errorf("a dry run changed something, or says %+v", p)
		}
		if did := w.pulls(pull.Options{}); !slices.Equal(did.Problems, p.Problems) || len(did.Files) != files {
			t.Errorf("the dry run says %v, the real one %v", p.Problems, did.Problems)
		}
	}
	w.git("rm", "-q", "-f", "locales/fr/a.json")
	for _, dry := range []bool{true, false} {
		if p := w.pulls(pull.Options{DryRun: dry}); len(p.Problems) > 0 {
			t.Errorf("dry run %v: %v", dry, p.Problems)
		}
	}
}

func TestPullKeepsWhatPeopleChanged(t *testing.T) {
	t.Parallel()
	w := abc(t, localOnly, nil)
	w.final("de", "a", "A1", "b", "B1", "c", "C1")
	w.brings("locales/de/a.json (de): +3 ~0 -0")
	w.commitOn("l10n", "locales/de/a.json", "{\n  \"a\": \"A person\",\n  \"b\": \"B person\",\n  \"c\": \"C1\"\n}\n")
	w.final("de", "b", "B2", "c", "C2")
	p := w.pulls(pull.Options{})
	w.problem(p.Problems, `"b" (de)`, "B person", "B2")
	w.gains(p, "locales/de/a.json (de): +0 ~2 -0")
	w.has("l10n", "locales/de/a.json", "{\n  \"a\": \"A person\",\n  \"b\": \"B2\",\n  \"c\": \"C2\"\n}")
	w.brings()
	w.brings()
	w.sends("locales/de/a.json (de): a")
	w.holds("main", "de", "a", "A person")
	w.brings()
}

func TestPullNeverBlanks(t *testing.T) {
	t.Parallel()
	w := abc(t, localOnly, map[string]string{"locales/de/a.json": "{\n  \"a\": \"old\",\n  \"b\": \"only here\",\n  \"c\": \"here\"\n}\n"})
	w.final("de", "a", "A1", "c", "C")
	p := w.pulls(pull.Options{})
	w.problem(p.Problems, `"c" (de)`, "source text")
	w.gains(p, "locales/de/a.json (de): +0 ~1 -0")
	w.has("l10n", "locales/de/a.json", "{\n  \"a\": \"A1\",\n  \"b\": \"only here\",\n  \"c\": \"here\"\n}")
	w.sends() // a translation that only the repository has is brought in by push --translations alone
}

func TestPullFillsIn(t *testing.T) {
	t.Parallel()
	for incomplete, want := range map[string][3]string{
		"skip":     {`{ "a": "Ä" }`, `{ "a": "Ä", "b": "Beh" }`, `{ "a": "Ä", "b": "Beh" }`},
		"blank":    {`{ "a": "Ä", "b": "", "c": "" }`, `{ "a": "Ä", "b": "Beh", "c": "" }`, `{ "a": "Ä", "b": "Beh", "c": "" }`},
		"fallback": {`{ "a": "Ä", "b": "B", "c": "C" }`, `{ "a": "Ä", "b": "Beh", "c": "C" }`, `{ "a": "Ä", "b": "Beh", "c": "New" }`},
	} {
		t.Run(incomplete, func(t *testing.T) {
			t.Parallel()
			w := abc(t, localOnly+"incomplete = \""+incomplete+"\"\n", nil)
			file := func() string { return compact(w.show("l10n", "locales/de/a.json")) }
			w.final("de", "a", "Ä")
			w.brings("locales/de/a.json (de): +1 ~0 -0")
			if w.show("l10n", "locales/fr/a.json") != "" {
				t.Error("a language without a translation has a file")
			}
			if file() != want[0] {
				t.Errorf("%s, want %s", file(), want[0])
			}
			w.git("merge", "-q", "--ff-only", "l10n")
			w.sends()
			w.brings()
			w.final("de", "b", "Beh")
			p := w.pulls(pull.Options{})
			if file() != want[1] || p.Keys != 1 || len(p.Problems) > 0 {
				t.Errorf("%s, want %s; %+v", file(), want[1], p)
			}
			// The source text changes. The working tree still has the older filler, which is nobody's translation.
			w.write("locales/en/a.json", strings.Replace(w.show("main", "locales/en/a.json"), `"C"`, `"New"`, 1))
			w.commit()
			w.sends("locales/en/a.json (en): c")
			if p := w.pulls(pull.Options{}); p.Keys != 0 || len(p.Problems) > 0 {
				t.Errorf("%+v", p)
			}
			if file() != want[2] {
				t.Errorf("%s, want %s", file(), want[2])
			}
			w.sends()
			w.brings()
			if status := w.Status(t.Context()); status.Projects[0].Languages[0].Keys != 2 {
				t.Errorf("%+v", status.Projects[0].Languages)
			}
		})
	}
}

func TestPullGuards(t *testing.T) {
	t.Parallel()
	keys := func(from, to int, text string) string {
		var lines []string
		for i := from; i < to; i++ {
			lines = append(lines, fmt.Sprintf("  \"k%02d\": \"%s%d\"", i, text, i))
		}
		return "{\n" + strings.Join(lines, ",\n") + "\n}\n"
	}
	w := newWorld(t, localOnly+jsonFiles, map[string]string{"locales/en/a.json": keys(0, 30, "E"), "locales/en/b.json": "{\"other\": \"O\"}",
		"locales/de/a.json": keys(0, 30, "D"), "locales/fr/a.json": keys(0, 12, "F")})
	w.clean(push.Options{})
	w.brings()
	w.write("locales/en/a.json", keys(9, 30, "E"))
	w.commit()
	w.brings("locales/de/a.json (de): +0 ~0 -9", "locales/fr/a.json (fr): +0 ~0 -9") // fewer than ten
	w.write("locales/en/a.json", keys(20, 30, "E"))
	w.commit()
	w.final("de", "other", "Andere")
	p := w.pulls(pull.Options{})
	w.problem(p.Problems, "locales/de/a.json", "11 of its 21", "--force")
	w.gains(p, "locales/de/b.json (de): +1 ~0 -0", "locales/fr/a.json (fr): +0 ~0 -3")
	w.has("l10n", "locales/de/a.json", keys(9, 30, "D"))
	if p := w.pulls(pull.Options{DryRun: true}); len(p.Problems) != 1 {
		t.Errorf("%+v", p)
	}
	w.gains(w.pulls(pull.Options{Force: true}), "locales/de/a.json (de): +0 ~0 -11")
	w.has("l10n", "locales/de/a.json", keys(20, 30, "D"))
	w.brings()
}

func TestPullLeavesOutWhatBreaksTheProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+jsonFiles, map[string]string{"locales/en/a.json": `{"n": "{count} files", "t": "Text"}`})
	w.clean(push.Options{})
	w.final("de", "n", "Dateien: {anzahl}", "t", "Text!")
	p := w.pulls(pull.Options{})
	if len(p.Problems) == 0 || p.Problems[0].Key != "n" || p.Problems[0].Language != "de" {
		t.Errorf("%+v", p.Problems)
	}
	w.gains(p, "locales/de/a.json (de): +1 ~0 -0")
	w.final("de", "n", "{count} Dateien")
	w.brings("locales/de/a.json (de): +1 ~0 -0")
}

func TestPullRemovesDeadKeysAndPlacesNewOnes(t *testing.T) {
	t.Parallel()
	w := abc(t, localOnly, nil)
	w.final("de", "a", "Ä", "c", "Zeh")
	w.brings("locales/de/a.json (de): +2 ~0 -0")
	w.write("locales/en/a.json", "{\n  \"x\": \"X\",\n  \"b\": \"B\",\n  \"c\": \"C\"\n}\n")
	w.commit()
	w.clean(push.Options{})
	w.final("de", "b", "Beh", "x", "Ix")
	w.brings("locales/de/a.json (de): +2 ~0 -1")
	w.has("l10n", "locales/de/a.json", "{\n  \"x\": \"Ix\",\n  \"b\": \"Beh\",\n  \"c\": \"Zeh\"\n}")
	w.brings()
}

// A remote that refuses a commit is offered it once in each pull, and what the service has by then as soon as that is something else: a
// hook that wants better translations gets them, without the commit that it refused.
func TestPullOffersWhatTheRemoteWants(t *testing.T) {
	t.Parallel()
	w := abc(t, settings, nil)
	bare := gittest.Bare(t, w.dir)
	offers := filepath.Join(t.TempDir(), "offers")
	gittest.Hook(t, bare, "pre-receive", "while read old new ref; do case $ref in refs/locsync/*) exit 0;; esac; echo x >> "+offers+`; if git show $new:locales/de/a.json | grep -q rude; then echo mind your words >&2; exit 1; fi; done`)
	offered := func(n int) {
		t.Helper()
		if b, err := os.ReadFile(offers); err != nil || len(b) != 2*n {
			t.Errorf("offered %d times, not %d (%v)", len(b)/2, n, err)
		}
	}
	w.final("de", "a", "rude")
	var first string
	for n := range 3 {
		result, err := w.Pull(t.Context(), pull.Options{})
		if !errors.Is(err, gitops.ErrRefused) || Permanent(err) || !strings.Contains(err.Error(), "mind your words") {
			t.Fatalf("%v %+v", err, result)
		}
		offered(n + 1)
		if commit := result.Projects[0].Commit; first == "" {
			first = commit
		} else if commit != first {
			t.Errorf("the commit that waits was %s and is %s", first, commit)
		}
	}
	w.final("de", "a", "kind")
	p := w.brings("locales/de/a.json (de): +1 ~0 -0")
	offered(5) // the old one, then the new one
	w.has("l10n", "locales/de/a.json", "{\n  \"a\": \"kind\"\n}\n")
	if got := gittest.Git(t, bare, "log", "--format=%H", "main..l10n"); got != p.Commit {
		t.Errorf("the remote has %s, not %s", got, p.Commit)
	}
	w.brings()
	w.sends()

	l := schedule{project: w.projects[0]}
	l.after(t.Context(), "pull", fmt.Errorf("deliver: %w", &gitops.Refused{}), &l.pulls.retry)
	if wait := l.pulls.retry.at.Sub(w.Now()); wait < retryMost {
		t.Errorf("offered again after %s", wait)
	}
}

func TestPullDeliversLater(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := abc(t, settings, nil)
	bare := gittest.Bare(t, w.dir)
	w.final("de", "a", "A1", "b", "B1")
	w.brings("locales/de/a.json (de): +2 ~0 -0")
	gittest.Hook(t, bare, "pre-receive", "exit 1")
	w.final("de", "a", "A2")
	result, err := w.Pull(t.Context(), pull.Options{})
	if err == nil || Permanent(err) || result.Projects[0].Commit == "" || result.Projects[0].Pushed {
		t.Fatalf("%v %+v", err, result)
	}
	made := result.Projects[0].Commit
	if _, err := w.Pull(t.Context(), pull.Options{}); err == nil {
		t.Fatal("the remote refuses and the pull does not fail")
	}
	w.check(os.Remove(filepath.Join(bare, "hooks", "pre-receive")))
	w.final("de", "a", "A3") // only the service changed, twice
	w.restart(w.Config)
	p := w.brings("locales/de/a.json (de): +0 ~1 -0")
	if gittest.Git(t, bare, "rev-parse", "l10n") != p.Commit || gittest.Git(t, bare, "rev-parse", "l10n~1") != made {
		t.Error("the kept commit was not delivered before the new one")
	}
	w.sends()
	w.brings()

	// The same, and somebody pushes to the branch before the delivery: what was kept is computed again on theirs.
	gittest.Hook(t, bare, "pre-receive", "exit 1")
	w.final("de", "a", "A4")
	if _, err = w.Pull(t.Context(), pull.Options{}); err == nil {
		t.Fatal("the remote refuses and the pull does not fail")
	}
	w.check(os.Remove(filepath.Join(bare, "hooks", "pre-receive")))
	theirs := w.elsewhere(bare, "l10n", map[string]string{"locales/de/a.json": "{\n  \"a\": \"A3\",\n  \"b\": \"a person's\"\n}\n"})
	w.brings("locales/de/a.json (de): +0 ~1 -0")
	w.git("merge-base", "--is-ancestor", theirs, "origin/l10n")
	w.has("origin/l10n", "locales/de/a.json", "{\n  \"a\": \"A4\",\n  \"b\": \"a person's\"\n}")
	w.brings()
	gittest.Sound(t, bare)
}

// elsewhere commits and pushes files to a branch from another clone.
func (w *world) elsewhere(bare, branch string, files map[string]string) string {
	w.tb.Helper()
	other := gittest.Clone(w.tb, bare, "-b", branch)
	made := gittest.Commit(w.tb, other, "by a person", files)
	gittest.Git(w.tb, other, "push", "-q", "origin", branch)
	return made
}

// A translation that people changed on base is on the branch with the next pull, whether or not the service has news and
// whether the branch was merged, has commits of its own, or the pull runs without any state.
func TestTextsOfBaseAreOnTheBranch(t *testing.T) {
	t.Parallel()
	for _, merges := range []bool{true, false} {
		for _, loses := range []bool{true, false} {
			w := abc(t, settings, nil)
			bare := gittest.Bare(t, w.dir)
			w.final("de", "a", "A1", "b", "B1")
			w.final("fr", "a", "F1")
			w.brings("locales/de/a.json (de): +2 ~0 -0", "locales/fr/a.json (fr): +1 ~0 -0")
			w.git("merge", "-q", "--ff-only", "l10n")
			w.git("push", "-q", "origin", "main")
			var want []string
			if !merges { // the branch goes on alone, in another file
				w.final("fr", "a", "F2")
				w.brings("locales/fr/a.json (fr): +0 ~1 -0")
				want = []string{"locales/de/a.json (de): +0 ~0 -0"}
			}
			w.write("locales/de/a.json", "{\n  \"a\": \"A person\",\n  \"b\": \"B1\"\n}\n")
			w.commit()
			w.git("push", "-q", "origin", "main")
			w.clean(push.Options{})
			if loses {
				w.loseState()
			}
			w.brings(want...)
			w.has("origin/l10n", "locales/de/a.json", "{\n  \"a\": \"A person\",\n  \"b\": \"B1\"\n}")
			w.has("l10n", "locales/de/a.json", "{\n  \"a\": \"A person\",\n  \"b\": \"B1\"\n}")
			if at := w.git("rev-parse", "origin/l10n"); merges && at != w.git("rev-parse", "main") {
				t.Errorf("the branch is at %s, not where main is", at)
			}
			w.brings()
			gittest.Sound(t, bare)
		}
	}
}

func TestPullOnABranchThatMovesMeanwhile(t *testing.T) {
	t.Parallel()
	w := abc(t, settings, nil)
	bare := gittest.Bare(t, w.dir)
	w.final("de", "a", "A1", "b", "B1")
	w.brings("locales/de/a.json (de): +2 ~0 -0")
	w.final("de", "a", "A2")
	other := gittest.Clone(t, bare, "-b", "l10n")
	gittest.Commit(t, other, "a note", map[string]string{"note.txt": "mine\n"})
	var once sync.Once
	w.wire.before = func(*http.Request) { once.Do(func() { gittest.Git(t, other, "push", "-q", "origin", "l10n") }) }
	w.wire.take("")
	w.brings("locales/de/a.json (de): +0 ~1 -0")
	if got := gittest.Git(t, bare, "log", "--format=%s", "l10n"); got != "Update translations (de)\na note\nUpdate translations (de)\nfirst" {
		t.Errorf("the branch is\n%s", got)
	}
	w.has("origin/l10n", "locales/de/a.json", "{\n  \"a\": \"A2\",\n  \"b\": \"B1\"\n}")
	var asked []string
	for _, r := range w.wire.take("export") {
		asked = append(asked, r.query.Get("modified-since"))
	}
	if len(asked) != 1 || asked[0] != "" {
		t.Errorf("asked for what changed since %q; want everything, once", asked)
	}
	w.brings()
}

func TestPullTakesInTheBase(t *testing.T) {
	t.Parallel()
	w := abc(t, localOnly, map[string]string{"code.txt": "1\n"})
	w.final("de", "a", "A1", "b", "B1")
	w.brings("locales/de/a.json (de): +2 ~0 -0")

	// Base moves alone: nothing to commit for that.
	w.write("code.txt", "2\n")
	w.commit()
	w.brings()
	// With the next translation it comes along, as a merge commit.
	w.final("de", "a", "A2")
	w.brings("locales/de/a.json (de): +0 ~1 -0")
	w.has("l10n", "code.txt", "2")
	w.git("merge-base", "--is-ancestor", "main", "l10n")
	if got := w.git("rev-list", "--parents", "-1", "l10n"); len(strings.Fields(got)) != 3 {
		t.Errorf("no merge commit: %s", got)
	}
	// The branch was merged: it is fast-forwarded with the next commit.
	w.git("merge", "-q", "--no-ff", "-m", "take translations", "l10n")
	w.final("de", "b", "B2")
	w.brings("locales/de/a.json (de): +0 ~1 -0")
	if got := w.git("rev-list", "--parents", "-1", "l10n"); len(strings.Fields(got)) != 2 || w.git("rev-parse", "l10n~1") != w.git("rev-parse", "main") {
		t.Errorf("not fast-forwarded: %s", got)
	}
	// Both change our file: the person's text on base stands, each other text is the newer one, and the merge does not conflict.
	w.write("locales/de/a.json", "{\n    \"a\": \"A person\",\n    \"b\": \"B1\"\n}\n")
	w.commit()
	w.final("de", "c", "C3")
	w.brings("locales/de/a.json (de): +1 ~0 -0")
	w.has("l10n", "locales/de/a.json", "{\n    \"a\": \"A person\",\n    \"b\": \"B2\",\n    \"c\": \"C3\"\n}")
	w.git("merge", "-q", "--ff-only", "l10n")
	// A file that is not ours conflicts: the branch stays behind, the translations come all the same.
	w.commitOn("l10n", "code.txt", "branch\n")
	w.write("code.txt", "base\n")
	w.commit()
	w.final("de", "c", "C4")
	p := w.pulls(pull.Options{})
	w.problem(p.Problems, "code.txt", "by hand")
	w.gains(p, "locales/de/a.json (de): +0 ~1 -0")
	w.has("l10n", "code.txt", "branch")
	gittest.Sound(t, w.dir)
}

func TestPullAfterASquashedMerge(t *testing.T) {
	t.Parallel()
	w := abc(t, localOnly, nil)
	squash := func() {
		w.git("merge", "-q", "--squash", "l10n")
		w.commit()
	}
	w.final("de", "a", "A1", "b", "B1")
	w.brings("locales/de/a.json (de): +2 ~0 -0")
	squash()
	w.final("de", "a", "A2")
	w.brings("locales/de/a.json (de): +0 ~1 -0")
	w.write("code.txt", "more\n") // base goes on
	w.commit()
	w.final("de", "b", "B2")
	w.brings("locales/de/a.json (de): +0 ~1 -0")
	w.has("l10n", "locales/de/a.json", "{\n  \"a\": \"A2\",\n  \"b\": \"B2\"\n}")
	squash()
	w.final("de", "a", "A3")
	w.brings("locales/de/a.json (de): +0 ~1 -0")
	w.has("l10n", "locales/de/a.json", "{\n  \"a\": \"A3\",\n  \"b\": \"B2\"\n}")
	w.git("merge", "-q", "l10n")
	w.sends()
	w.brings()
}

func TestPullOnANewBranchKeepsWhatPeopleChanged(t *testing.T) {
	t.Parallel()
	w := abc(t, localOnly, nil)
	w.final("de", "a", "A1", "b", "B1", "c", "C1")
	w.brings("locales/de/a.json (de): +3 ~0 -0")
	w.git("merge", "-q", "--ff-only", "l10n")
	w.final("de", "b", "B2")
	w.brings("locales/de/a.json (de): +0 ~1 -0")
	w.git("branch", "-q", "-D", "l10n") // not merged
	w.write("locales/de/a.json", "{\n  \"a\": \"A person\",\n  \"b\": \"B1\",\n  \"c\": \"C1\"\n}\n")
	w.commit()
	w.brings("locales/de/a.json (de): +0 ~1 -0")
	w.has("l10n", "locales/de/a.json", "{\n  \"a\": \"A person\",\n  \"b\": \"B2\",\n  \"c\": \"C1\"\n}")
}

func TestPullIntoTheCheckedOutBranch(t *testing.T) {
	t.Parallel()
	for _, remote := range []bool{false, true} {
		t.Run(fmt.Sprintf("remote %v", remote), func(t *testing.T) {
			t.Parallel()
			where := ""
			if remote {
				where = "origin"
			}
			w := abc(t, settings+"[project.pull]\nbranch = \"main\"\nremote = \""+where+"\"\n", nil)
			bare := ""
			if remote {
				bare = gittest.Bare(t, w.dir)
			}
			w.final("de", "a", "A1")
			p := w.brings("locales/de/a.json (de): +1 ~0 -0")
			if w.git("rev-parse", "HEAD") != p.Commit || w.git("status", "--porcelain") != "" || p.Pushed != remote {
				t.Errorf("the working tree does not follow: %s", w.git("status"))
			}
			w.write("locales/en/a.json", "{\n  \"a\": \"A is edited\"\n}\n")
			w.final("de", "a", "A2")
			before, head := w.git("status", "--porcelain"), w.git("rev-parse", "HEAD")
			p = w.pulls(pull.Options{})
			w.problem(p.Problems, "main", "not committed")
			if w.git("rev-parse", "HEAD") != head || w.git("status", "--porcelain") != before {
				t.Error("something moved")
			}
			if remote && gittest.Git(t, bare, "rev-parse", "main") != p.Commit {
				t.Error("the remote has no commit")
			}
			w.final("de", "b", "B2") // and again, with something new, and after a restart
			w.restart(w.Config)
			p = w.pulls(pull.Options{})
			w.problem(p.Problems, "main", "not committed")
			w.git("checkout", "-q", "--", ".")
			if p = w.pulls(pull.Options{}); len(p.Problems) > 0 {
				t.Errorf("%+v", p)
			}
			if remote {
				w.git("merge", "-q", "--ff-only", "origin/main")
			}
			w.has("main", "locales/de/a.json", "{\n  \"a\": \"A2\",\n  \"b\": \"B2\"\n}")
			if w.git("rev-parse", "HEAD") != w.git("rev-parse", "main") || w.git("status", "--porcelain") != "" {
				t.Errorf("the working tree does not follow: %s", w.git("status"))
			}
			w.sends()
			w.brings()
		})
	}
}

func TestPullWithoutWhatItNeeds(t *testing.T) {
	t.Parallel()
	w := abc(t, settings, nil)
	w.final("de", "a", "A1")
	w.brings("locales/de/a.json (de): +1 ~0 -0") // no remote called origin: everything stays here
	for _, c := range []string{"[project.pull]\nremote = \"upstream\"\n", "[project.pull]\nremote = \"\"\nbranch = \"new\"\nbase = \"nope\"\n"} {
		w.configure(settings + c + jsonFiles)
		if _, err := w.Pull(t.Context(), pull.Options{}); err == nil || !Permanent(err) {
			t.Errorf("%s: %v", c, err)
		}
	}
	w.configure(settings + jsonFiles)
	w.git("remote", "add", "origin", filepath.Join(t.TempDir(), "gone"))
	if _, err := w.Pull(t.Context(), pull.Options{}); err == nil || Permanent(err) {
		t.Errorf("a remote that is not there: %v", err)
	}
	if _, err := w.Pull(t.Context(), pull.Options{Project: "other"}); err == nil || !Permanent(err) {
		t.Errorf("a project that is not there: %v", err)
	}
}

func TestPullDoesNotWriteThroughALink(t *testing.T) {
	t.Parallel()
	w := abc(t, localOnly, nil)
	w.check(os.MkdirAll(filepath.Join(w.dir, "locales", "de"), 0o777))
	w.check(os.Symlink("../../elsewhere.json", filepath.Join(w.dir, "locales", "de", "a.json")))
	w.write("elsewhere.json", "{\n  \"b\": \"mine\"\n}\n")
	w.commit()
	w.final("de", "a", "A1")
	for _, o := range []pull.Options{{DryRun: true}, {}, {}} {
		p := w.pulls(o)
		w.problem(p.Problems, "locales/de/a.json", "link")
		w.gains(p)
		if p.Keys != 0 {
			t.Errorf("%+v", p)
		}
	}
	w.final("fr", "a", "F1")
	w.gains(w.pulls(pull.Options{}), "locales/fr/a.json (fr): +1 ~0 -0")
	w.has("l10n", "elsewhere.json", "{\n  \"b\": \"mine\"\n}")
}
