package engine

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
	"go.uber.org/zap"
)

// far is a world whose repository is elsewhere: served over http, with a clone in the state directory.
type far struct {
	*world
	bare    string
	down    atomic.Bool // pushes to the remote fail
	fetches atomic.Int32
}

func newFar(t *testing.T, project string) *far {
	t.Helper()
	f := &far{world: newWorld(t, settings+jsonFiles, map[string]string{appFile: mainText, "src/big.txt": strings.Repeat("x", 1000)})}
	f.bare = gittest.Bare(t, f.dir)
	gittest.Git(t, f.bare, "config", "uploadpack.allowFilter", "true")
	gittest.Git(t, f.bare, "config", "uploadpack.allowAnySHA1InWant", "true")
	f.world.dir = gittest.Serve(t, f.bare, gittest.Options{Fault: func(r *http.Request, _ int) *gittest.Fault {
		if gittest.IsFetch(r) {
			f.fetches.Add(1)
		}
		if f.down.Load() && (gittest.IsPush(r) || gittest.IsPushList(r)) {
			return &gittest.Fault{Status: http.StatusServiceUnavailable}
		}
		return nil
	}})
	f.configure(project)
	f.cloneInto(filepath.Join(t.TempDir(), "clones"))
	return f
}

// cloneInto names the folder for clones.
func (f *far) cloneInto(folder string) {
	f.Clones = folder
	for _, p := range f.projects {
		p.repository.Clones = folder
	}
}

// edits commits a file to a branch at the remote, as somebody would elsewhere.
func (f *far) edits(branch, path, text string) {
	f.tb.Helper()
	dir := gittest.Clone(f.tb, f.bare, "--branch", branch)
	gittest.Commit(f.tb, dir, "by a person", map[string]string{path: text})
	gittest.Git(f.tb, dir, "push", "-q", "origin", branch)
}

func (f *far) clone() string {
	f.tb.Helper()
	dirs, err := filepath.Glob(filepath.Join(f.Clones, "*.git"))
	if err != nil || len(dirs) != 1 {
		f.tb.Fatal("clones: ", dirs, err)
	}
	return dirs[0]
}

func (f *far) there(ref, path string) string {
	f.tb.Helper()
	return compact(gittest.Git(f.tb, f.bare, "show", ref+":"+path))
}

func TestRepositoryElsewhere(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	f := newFar(t, settings+jsonFiles)
	if s := f.Status(t.Context()).Projects[0]; len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Problem, "not cloned yet") {
		t.Fatalf("%v", s.Problems)
	}
	f.sends(appFile + " (en): a b")
	f.translate("main", "de", service.Final, "a", "Apfel", "b", "Brot")
	if p := f.pulls(pull.Options{}); !p.Pushed || p.Keys != 2 {
		t.Fatalf("%+v", p)
	}
	if got := f.there("l10n", appDE); got != `{ "a": "Apfel", "b": "Brot" }` {
		t.Fatal(got)
	}
	f.edits("main", appFile, strings.Replace(mainText, "Bread", "Bun", 1))
	f.sends(appFile + " (en): b")
	f.edits("l10n", appDE, "{\n  \"a\": \"Apfelbaum\",\n  \"b\": \"Brot\"\n}\n")
	f.sends(appDE + " (de): a")
	s := f.Status(t.Context()).Projects[0]
	if s.Pending != 0 || len(s.Files) != 1 || s.Languages[0].Keys != 2 {
		t.Fatalf("%+v", s)
	}
	if big := gittest.Git(t, f.bare, "rev-parse", "main:src/big.txt"); strings.Contains(gittest.Git(t, f.clone(), "cat-file", "--batch-all-objects", "--batch-check"), big) {
		t.Error("a file that nobody asked for was fetched")
	}
	if c, err := f.Check(t.Context(), inspect.Options{}); err != nil || c.Projects[0].Keys != 2 {
		t.Errorf("%+v, %v", c, err)
	}
	gittest.Git(t, f.bare, "branch", "-m", "main", "trunk") // the default branch is renamed
	f.edits("trunk", appFile, strings.Replace(mainText, "Bread", "Bagel", 1))
	f.sends(appFile + " (en): b")
}

// The look at start may make the clone. When it has ended, nobody says any more that one is made.
func TestProofOfAClone(t *testing.T) {
	t.Parallel()
	f := newFar(t, settings+jsonFiles)
	if err := f.proof(t); err != nil {
		t.Fatal(err)
	}
	f.clone()
	if d := f.Doing(""); d.What != "" {
		t.Errorf("it is said to be %s", d)
	}
}

// Whatever happens to the clone, at whatever moment: it is made again, and what it had not delivered is delivered.
func TestDamagedCloneLosesNothing(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for name, damage := range map[string]func(dir string){
		"gone":          func(dir string) { os.RemoveAll(dir) },
		"not a git dir": func(dir string) { os.Remove(filepath.Join(dir, "HEAD")) },
		"no objects": func(dir string) {
			packs, _ := filepath.Glob(filepath.Join(dir, "objects", "pack", "*"))
			for _, pack := range packs {
				os.Remove(pack)
			}
		},
		"bad reference": func(dir string) {
			os.WriteFile(filepath.Join(dir, "refs", "remotes", "origin", "main"), []byte("?\n"), 0o600)
		},
		"bad outbox": func(dir string) {
			os.WriteFile(filepath.Join(dir, "refs", "locsync", "l10n"), []byte("?\n"), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFar(t, settings+jsonFiles)
			f.clean(push.Options{})
			f.translate("main", "de", service.Final, "a", "Apfel")
			f.down.Store(true)
			if _, err := f.Pull(t.Context(), pull.Options{}); err == nil {
				t.Fatal("the remote was down")
			}
			waiting := gittest.Git(t, f.clone(), "rev-parse", "refs/locsync-outbox/l10n^{commit}")
			f.down.Store(false)
			damage(f.clone())
			clones := f.Clones
			f.restart(f.Config)
			f.cloneInto(clones)
			f.pulls(pull.Options{})
			if got := f.there("l10n", appDE); got != `{ "a": "Apfel" }` {
				t.Fatalf("delivered %s instead of commit %s", got, waiting)
			}
			if f.pulls(pull.Options{}).Commit != "" {
				t.Fatal("the same again makes a commit")
			}
			f.sends()
		})
	}
}

// A clone that breaks in the middle of a pass: the report says what was done before it was made again, too, and nothing twice.
func TestReportOfAPassWhoseCloneWasMadeAgain(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	f := newFar(t, strings.Replace(lineSettings, `branches = ["main", "feature/*"]`, `branches = ["feature/*"]`, 1))
	f.edits("main", appDE, "{\n  \"b\": \"Brot\"\n}\n")
	gittest.Git(t, f.bare, "branch", "feature/x", "main")
	f.edits("feature/x", appFile, featText)
	breaks := func(when string, times int) (broke *atomic.Int32) { // at the nth request of a kind
		broke = new(atomic.Int32)
		f.wire.before = func(r *http.Request) {
			if strings.HasSuffix(r.URL.Path, when) && r.Method == http.MethodPost && broke.Add(1) == int32(times) {
				packs, _ := filepath.Glob(filepath.Join(f.clone(), "objects", "pack", "*.pack"))
				for _, pack := range packs {
					os.Chmod(pack, 0o600)
					os.Truncate(pack, 0)
				}
			}
		}
		return broke
	}
	imports := breaks("/import", 2)
	pushed, err := f.Push(t.Context(), push.Options{})
	f.check(err)
	if len(pushed.Projects) != 2 || imports.Load() != 4 {
		t.Fatalf("%d imports, %+v", imports.Load(), pushed.Projects)
	}
	f.reports(pushed.Projects[0], appDE+" (de): b", appFile+" (en): a b")
	f.reports(pushed.Projects[1], appDE+" (de): b", appFile+" (en): b c")
	for _, p := range pushed.Projects {
		if p.Requests != 2 || p.Keys != 3 || p.Calls < 2 || p.Error != "" {
			t.Errorf("%+v", p)
		}
	}

	f.translate("main", "de", service.Final, "a", "Apfel")
	f.translate("feature/x", "de", service.Final, "c", "Käse")
	exports := breaks("/export", 2) // the first branch's commit is delivered by then
	pulled, err := f.Pull(t.Context(), pull.Options{})
	f.check(err)
	if len(pulled.Projects) != 2 || exports.Load() != 3 && exports.Load() != 4 {
		t.Fatalf("%d exports, %+v", exports.Load(), pulled.Projects)
	}
	requests := 0
	for i, branch := range []string{"l10n/main", "l10n/feature/x"} {
		p := pulled.Projects[i]
		requests += p.Requests
		if p.Branch != branch || p.Commit != gittest.Git(t, f.bare, "rev-parse", branch) || !p.Pushed || p.Keys != 1 || len(p.Files) != 1 || p.Files[0].Added != 1 || p.Error != "" {
			t.Errorf("%+v", p)
		}
	}
	if requests != int(exports.Load()) {
		t.Errorf("%d of %d exports are reported", requests, exports.Load())
	}
}

func TestLinesOfARepositoryElsewhere(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	f := newFar(t, strings.Replace(lineSettings, `branches = ["main", "feature/*"]`, `branches = ["feature/*"]`, 1))
	gittest.Git(t, f.bare, "branch", "feature/x", "main")
	gittest.Git(t, f.bare, "branch", "wip", "main")
	f.edits("feature/x", appFile, featText)
	reports, err := f.Push(t.Context(), push.Options{})
	f.check(err)
	if len(reports.Projects) != 2 || reports.Projects[0].Base != "main" || reports.Projects[1].Base != "feature/x" {
		t.Fatalf("%+v", reports.Projects)
	}
	f.reports(reports.Projects[1], appFile+" (en): b c")
	f.translate("feature/x", "de", service.Final, "c", "Käse")
	_, err = f.Pull(t.Context(), pull.Options{})
	f.check(err)
	if got := f.there("l10n/feature/x", appDE); got != `{ "c": "Käse" }` {
		t.Fatal(got)
	}
	if s := f.Status(t.Context()).Projects[0]; s.Base != "main" || len(s.Lines) != 2 {
		t.Fatalf("%+v", s)
	}
}

// A push event wakes the projects of the repository, and makes no clone for that.
func TestPushEventsWakeTheirProjects(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for name, repository := range map[string]string{"https": "https://git.example.com/team/app.git", "ssh": "ssh://git@git.example.com:2222/team/app", "scp": "git@internal:Team/App.git",
		"other": "https://git.example.com/team/app2.git"} {
		fmt.Fprintf(&text, "[[project]]\nname = %q\nrepository = %q\n%s", name, repository, settings+jsonFiles)
	}
	cfg, err := config.Parse("locsync.toml", []byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	e := New(Parts{Config: cfg, Log: zap.NewNop()})
	for event, want := range map[PushEvent]string{
		{Repository: "team/app", Branch: "any"}: "https scp ssh",
		{Repository: "team/app2"}:               "other",
		{Repository: "else/app"}:                "",
		{}:                                      "https other scp ssh",
	} {
		woken := e.PushedTo(t.Context(), event, "test")
		slices.Sort(woken)
		if got := strings.Join(woken, " "); got != want {
			t.Errorf("%+v wakes %q, want %q", event, got, want)
		}
	}
}
