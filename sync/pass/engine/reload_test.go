package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"go.uber.org/zap"
)

// configured is a configuration with the projects of these names, and what stands above and in them.
func configured(t *testing.T, dir, above, within string, names ...string) *config.Config {
	t.Helper()
	text := above
	for _, name := range names {
		text += fmt.Sprintf("[[project]]\nname = %q\nsource_language = \"en\"\ntarget_languages = [\"de\"]\n%s[[project.files]]\nsource = \"%s/en.json\"\noutput = \"%s/{LANGUAGE}.json\"\n", name, within, name, name)
	}
	cfg, err := config.Parse(filepath.Join(dir, "locsync.toml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// A repository that has not answered is asked once, however often the configuration is read again; one that has is asked again by a project that begins.
func TestContactsOfAReload(t *testing.T) {
	gittest.Need(t)
	dir := t.TempDir()
	gittest.Git(t, dir, "init", "-q", "-b", "main")
	gittest.Commit(t, dir, "first", map[string]string{"README": "a repository"})
	pipe := filepath.Join(dir, ".git", "config") // which git reads before anything else
	kept := pipe + ".kept"
	if err := os.Rename(pipe, kept); err != nil {
		t.Fatal(err)
	}
	gittest.Pipe(t, pipe)
	parts := func(names ...string) Parts {
		return Parts{Config: configured(t, dir, "", "", names...), Log: zap.NewNop()}
	}
	first := New(parts("a", "b"))
	told, stop := context.WithCancel(t.Context())
	stop()
	if first.projects[0].reach(told) {
		t.Error("a loop that is told to end begins")
	}
	without := first.Reconfigured(Parts{Config: configured(t, dir, "", "repository = \"elsewhere\"\n", "c"), Log: zap.NewNop()})
	back := without.Reconfigured(parts("a"))
	if back.contacts[dir] != first.contacts[dir] {
		t.Error("it is asked again")
	}
	end, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(os.Remove(pipe), os.Rename(kept, pipe), end.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if !back.projects[0].reach(t.Context()) {
		t.Error("the repository answers, and the project does not begin")
	}
	if back.Reconfigured(parts("b")).contacts[dir] == first.contacts[dir] {
		t.Error("what answered once is believed to answer now")
	}
}

// A project goes on as it is where nothing that it does has changed, and only there; who takes its place waits for its turn.
func TestReconfigured(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := New(Parts{Config: configured(t, dir, "", "", "a", "b"), Log: zap.NewNop()})
	a, b := before.projects[0], before.projects[1]
	for name, c := range map[string]struct {
		next   *config.Config
		goesOn bool
	}{
		"the same":                {configured(t, dir, "", "", "b"), true},
		"another order":           {configured(t, dir, "", "", "b", "a"), true},
		"another address":         {configured(t, dir, "[daemon]\nlisten = \"127.0.0.1:1\"\n", "", "b", "c"), true},
		"comments":                {configured(t, dir, "# so\n", "# so\n", "b"), true},
		"another schedule":        {configured(t, dir, "", "[project.pull]\nschedule = \"@hourly\"\n", "b"), false},
		"another watch":           {configured(t, dir, "[daemon]\ndebounce = \"1s\"\n", "", "b"), false},
		"another service":         {configured(t, dir, "[service]\njob_timeout = \"1m\"\n", "", "b"), false},
		"another folder":          {configured(t, t.TempDir(), "", "", "b"), false},
		"another language":        {configured(t, dir, "", "language_paths = {de = \"DE\"}\n", "b"), false},
		"another signature":       {configured(t, dir, "", "[project.pull]\nsign = \"never\"\n", "b"), false},
		"another branch to watch": {configured(t, dir, "", "[project.push]\nsource = \"main\"\n", "b"), false},
	} {
		next := before.Reconfigured(Parts{Config: c.next, Log: zap.NewNop()})
		if got := next.projects[0] == b; got != c.goesOn {
			t.Errorf("%s: goes on %v, want %v", name, got, c.goesOn)
		}
		if next.projects[0].mu != b.mu {
			t.Errorf("%s: two passes of one project at a time", name)
		}
		if next.run != before.run {
			t.Errorf("%s: it counts as another process", name)
		}
	}

	// One that is gone for a while may still be at its last pass when it comes back.
	without := before.Reconfigured(Parts{Config: configured(t, dir, "", "", "b"), Log: zap.NewNop()})
	back := without.Reconfigured(Parts{Config: configured(t, dir, "", "", "a", "b"), Log: zap.NewNop()})
	if back.projects[0] == a || back.projects[0].mu != a.mu || back.projects[1] != b {
		t.Error("a project that came back does not wait for itself")
	}
}

// A configuration has another identity where its commands would do something else.
func TestIdentity(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	same := Identity(configured(t, dir, "", "", "a", "b"))
	for name, c := range map[string]struct {
		cfg  *config.Config
		same bool
	}{
		"comments":        {configured(t, dir, "# so\n", "", "a", "b"), true},
		"another address": {configured(t, dir, "[daemon]\nlisten = \"\"\ndebounce = \"1s\"\n", "", "a", "b"), true},
		"the same folder": {configured(t, dir+"/x/..", "", "", "a", "b"), true},
		"fewer projects":  {configured(t, dir, "", "", "a"), false},
		"another folder":  {configured(t, t.TempDir(), "", "", "a", "b"), false},
		"another account": {configured(t, dir, "[service]\nurl = \"https://example.com\"\naccount_id = \"x\"\n", "id = \"11111111-2222-3333-4444-555555555555\"\n", "a", "b"), false},
		"another guard":   {configured(t, dir, "", "[project.pull]\nguard = 0.5\n", "a", "b"), false},
		"a schedule":      {configured(t, dir, "", "[project.pull]\nschedule = \"@daily\"\n", "a", "b"), false},
	} {
		if got := Identity(c.cfg) == same; got != c.same {
			t.Errorf("%s: the same %v, want %v", name, got, c.same)
		}
	}
}

// The loops of projects that are gone end while the others run; all end with the context.
func TestRunReloading(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+"[project.pull]\nschedule = \"0 0 1 1 *\"\n"+jsonFiles, map[string]string{enApp: `{"a": "A"}`})
	kept := w.projects[0]
	ctx, cancel := context.WithCancel(t.Context())
	reloads, done := make(chan *Engine), make(chan error, 1)
	go func() { done <- w.RunReloading(ctx, reloads) }()
	reloads <- w.Reconfigured(w.Parts) // everything stays
	changed := *w.Config
	changed.Projects = append([]config.Project(nil), w.Config.Projects...)
	changed.Projects[0].Name = "renamed"
	parts := w.Parts
	parts.Config = &changed
	next := w.Reconfigured(parts)
	reloads <- next
	reloads <- next // the exchange before it is done
	if next.projects[0] == kept || next.projects[0].branch.Project.Name != "renamed" {
		t.Errorf("it runs %s", next.projects[0].branch.Project.Name)
	}
	if !next.Soon("renamed", "test", Push) || next.Soon("app", "test", Push) {
		t.Error("the wrong project can be rung")
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if s := next.Status(t.Context()); len(s.Projects) != 1 || !strings.HasPrefix(s.Projects[0].Name, "renamed") {
		t.Errorf("%+v", s)
	}
}
