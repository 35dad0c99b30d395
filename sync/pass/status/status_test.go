package status

import (
	"io/fs"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/pass/accepted"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/catalog"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func project(t *testing.T, dir string) *config.Project {
	t.Helper()
	c, err := config.Parse(filepath.Join(dir, "locsync.toml"), []byte("[[project]]\nname = \"app\"\n"+
		"source_language = \"en\"\ntarget_languages = [\"de\"]\n[project.pull]\nschedule = \"0 3 * * 1-5\"\nremote = \"\"\n"+
		"[[project.files]]\nsource = \"en/*.json\"\noutput = \"{LANGUAGE}/{NAME}.json\"\n"))
	check(t, err)
	return &c.Projects[0]
}

// A status counts what the files have, what the service has accepted, and what waits, without the problems of passes
// that are about what is gone.
func TestStatus(t *testing.T) {
	gittest.Need(t)
	dir := gittest.Init(t, map[string]string{"en/a.json": `{"a": "A", "b": "B", "c": "C", "d": "Dee"}`,
		"de/a.json": `{"a": "Ah", "b": ""}`})
	cfg := project(t, dir)
	state, err := boltledger.Open(t.TempDir())
	check(t, err)
	defer state.Close()
	v := &View{Config: cfg, Ledger: state, Project: "app", Scope: "app",
		Accepted: &accepted.Store{Ledger: state, Scope: "app", Project: cfg, Now: time.Now},
		Shown: func(c ledger.Conflict) report.Conflict {
			return report.Conflict{File: c.Path, Language: c.Language, Key: c.Key}
		},
		Unsent: func(*gitops.Repo, *tree.Tree) (map[string]int, error) { return map[string]int{"de": 1}, nil },
		Find: func(fsys fs.FS, reading func(done, total int)) (*tree.Tree, error) {
			return tree.Find(fsys, cfg, reading)
		},
		Subject: func(tip *gitops.Tip) string { return "as it is" }}
	problem := func(file, key string) report.Problem {
		return report.Problem{Code: report.CodeService, File: file, Key: key, Language: "de", Problem: "left out"}
	}
	at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	check(t, state.Update(func(tx ledger.Writer) error {
		name := catalog.Name{Key: "a"}
		check(t, tx.SetMarks(ledger.Pushed.Of("app", ledger.Source{Collection: "main", Path: "en/a.json"}),
			catalog.Marks{name: catalog.MarkOf("A"), {Key: "gone"}: catalog.MarkOf("G")}))
		check(t, ledger.Passes.Put(tx, "app", ledger.PassPush, report.Past{At: at, Result: report.ResultOK,
			Problems: []report.Problem{problem("de/a.json", "b"), problem("de/a.json", "gone"),
				problem("de/other.json", "x")}}))
		for _, key := range []string{"c", "b"} {
			c := ledger.Conflict{Path: "de/a.json", Language: "de", Key: key, At: at}
			check(t, ledger.Conflicts.Put(tx, "app", c.ID(), c))
		}
		return nil
	}))
	repo, err := gitops.Open(t.Context(), dir, gitops.Options{})
	check(t, err)
	defer repo.Close()
	fsys, err := repo.Worktree()
	check(t, err)

	var s report.ProjectStatus
	check(t, v.Remembered(&s))
	check(t, v.Read(repo, fsys, &s))
	if s.Pending != 4 || s.Removed != 1 || len(s.Files) != 1 || s.Files[0].Keys != 4 || s.Files[0].Pending != 3 {
		t.Errorf("pending %d, removed %d, files %+v", s.Pending, s.Removed, s.Files)
	}
	if l := s.Languages; len(l) != 1 || l[0].Keys != 1 || l[0].Missing != 3 || l[0].Pending != 1 || l[0].Held != 2 {
		t.Errorf("languages %+v", l)
	}
	if want := []report.Gap{{File: "en/a.json", Key: "d", Text: "Dee"}}; !slices.Equal(s.Gaps["de"], want) {
		t.Errorf("without a translation: %v, want %v", s.Gaps, want)
	}
	if c := s.Conflicts; len(c) != 2 || c[0].Key != "b" || s.LastPush.Result != report.ResultPartial ||
		s.LastPull != nil {
		t.Errorf("conflicts %+v, last push %+v", c, s.LastPush)
	}
	told := slices.DeleteFunc(slices.Clone(s.Problems),
		func(p report.Problem) bool { return p.Code != report.CodeService })
	if len(told) != 1 || told[0].Key != "b" {
		t.Errorf("problems of the last push: %v", told)
	}
}

// The last pass of a line is its own, or a later one of the project that did not come as far as to a line.
func TestLastPassOfALine(t *testing.T) {
	state, err := boltledger.Open(t.TempDir())
	check(t, err)
	defer state.Close()
	v := &View{Config: project(t, t.TempDir()), Ledger: state, Project: "app", Scope: "app line", Line: "main"}
	at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for _, put := range []struct {
		scope  string
		past   report.Past
		result string
	}{
		{"app", report.Past{At: at, Result: report.ResultFailed}, report.ResultFailed},
		{"app line", report.Past{At: at.Add(time.Hour), GoodAt: at.Add(time.Hour), Result: report.ResultOK},
			report.ResultOK},
		{"app", report.Past{At: at.Add(2 * time.Hour), GoodAt: at, Result: report.ResultFailed}, report.ResultFailed},
	} {
		check(t, ledger.Passes.Put(state, put.scope, ledger.PassPull, put.past))
		past, ok, err := v.lastPast(ledger.PassPull)
		if err != nil || !ok || past.Result != put.result {
			t.Errorf("%+v, %v, %v", past, ok, err)
		}
		if put.past.At.After(at.Add(time.Hour)) && !past.GoodAt.Equal(at.Add(time.Hour)) {
			t.Errorf("worked last at %s", past.GoodAt)
		}
	}
}

// Pulls are overdue when two were due since the last one that worked.
func TestOverdue(t *testing.T) {
	cfg := project(t, t.TempDir())
	day := func(d, hour int) time.Time { return time.Date(2026, 5, d, hour, 0, 0, 0, time.UTC) } // the 1st is a Friday
	good := &report.ProjectStatus{}
	good.LastPull = &report.Past{GoodAt: day(1, 4)}
	lines := &report.ProjectStatus{}
	lines.Lines = []report.LineStatus{{Base: "a", LastPull: &report.Past{GoodAt: day(5, 4)}},
		{Base: "b", LastPull: &report.Past{GoodAt: day(1, 4)}}, {Base: "c", Finished: new(time.Time)}}
	for name, c := range map[string]struct {
		s, before *report.ProjectStatus
		want      time.Time
	}{
		"nothing was ever pulled": {&report.ProjectStatus{}, nil, day(4, 3)}, // Friday, then Monday
		"after Friday's":          {good, nil, day(5, 3)},
		"it cannot be told now":   {&report.ProjectStatus{}, good, day(5, 3)},
		"of the slowest line":     {lines, nil, day(5, 3)},
	} {
		if got := Overdue(cfg, c.s, c.before, day(1, 2)); !got.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
