package engine

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
)

// The numbers of the status are those of the next pass, at every step of a loop.
func TestStatusNumbers(t *testing.T) {
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A", "b": "B", "c": "C"}`})
	expect := func(when string, pending, removed, keys, de int) report.ProjectStatus {
		t.Helper()
		s := w.Status(t.Context()).Projects[0]
		if s.Pending != pending || s.Removed != removed || s.Files[0].Keys != keys || s.Files[0].Pending != pending || s.Languages[0] != (report.LanguageStatus{Language: "de", Keys: de, Missing: keys - de}) {
			t.Errorf("%s: pending %d, removed %d, files %+v, languages %+v", when, s.Pending, s.Removed, s.Files, s.Languages)
		}
		return s
	}
	if s := expect("before anything", 3, 0, 3, 0); s.LastPush != nil || s.LastPull != nil || s.NextPull != nil {
		t.Errorf("%+v", s)
	}
	w.pushes(push.Options{DryRun: true})
	expect("after a dry run", 3, 0, 3, 0)
	w.sends("locales/en/app.json (en): a b c")
	if s := expect("pushed", 0, 0, 3, 0); s.LastPush == nil || s.LastPush.Result != report.ResultOK || s.LastPush.Keys != 3 {
		t.Errorf("%+v", s.LastPush)
	}
	w.translate("main", "de", service.Final, "a", "Ä", "b", "B!")
	pulled := w.pulls(pull.Options{})
	if s := expect("pulled", 0, 0, 3, 2); s.LastPull.Commit != pulled.Commit || s.LastPull.Keys != 2 {
		t.Errorf("%+v, pulled %+v", s.LastPull, pulled)
	}
	w.write("locales/en/app.json", `{"a": "A changed", "c": "C", "d": "D"}`)
	expect("one changed, one removed, one new", 2, 1, 3, 1)
	w.pushes(push.Options{})
	expect("pushed again", 0, 1, 3, 1)
	w.write("locales/en/app.json", `{"a": `)
	s := w.Status(t.Context()).Projects[0]
	if s.Files[0].Keys != 3 || s.Languages[0].Keys != 1 || s.Languages[0].Missing != 2 {
		t.Errorf("not the counts of the last good state: %+v, %+v", s.Files[0], s.Languages[0])
	}
	if s.Files[0].Error == "" || s.Files[0].ErrorCode != report.FailedConfig || len(s.Problems) != 1 || !strings.HasPrefix(s.State, "1 source file cannot be read: locales/en/app.json:1:") {
		t.Errorf("broken: %+v", s)
	}
}

// A translation that somebody changed here waits until a push has sent it, wherever it stands and whatever a pull does meanwhile; one that waits for a decision
// is a conflict instead.
func TestStatusCountsTranslationsToPush(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := abc(t, settings, nil)
	expect := func(when string, de int) {
		t.Helper()
		s := w.Status(t.Context()).Projects[0]
		if s.Pending != de || s.Languages[0].Pending != de || strings.Contains(s.State, "everything is pushed") != (de == 0) {
			t.Errorf("%s: %d pending, %+v, %q", when, s.Pending, s.Languages, s.State)
		}
		dry := w.pushes(push.Options{DryRun: true})
		if dry.Keys != de {
			t.Errorf("%s: a push would send %+v", when, dry)
		}
	}
	w.final("de", "a", "A1", "b", "B1")
	w.pulls(pull.Options{})
	expect("pulled, not merged", 0)
	w.git("merge", "-q", "l10n")
	w.pushes(push.Options{})
	expect("merged", 0)
	w.write("locales/de/a.json", "{\n  \"a\": \"A2\",\n  \"b\": \"B1\"\n}\n")
	expect("changed here", 1)
	w.commitOn("l10n", "locales/de/a.json", "{\n  \"a\": \"A1\",\n  \"b\": \"B2\"\n}\n")
	expect("and on the branch", 2)
	w.configure(settings + "[project.push]\ntranslations = false\n" + jsonFiles)
	expect("not to be sent", 0)
	w.configure(settings + jsonFiles)
	w.pulls(pull.Options{})
	expect("pulled again", 2)
	w.pushes(push.Options{})
	expect("pushed", 0)
	w.write("locales/de/a.json", "{\n  \"a\": \"A3\",\n  \"b\": \"B1\"\n}\n")
	w.final("de", "a", "A4")
	w.pushes(push.Options{})
	if s := w.Status(t.Context()).Projects[0]; s.Pending != 0 || len(s.Conflicts) != 1 {
		t.Errorf("a conflict: %d pending, %+v", s.Pending, s.Conflicts)
	}
}

// Lists of the documents are [] where they are empty, and every name of the contract is there.
func TestDocuments(t *testing.T) {
	w := newWorld(t, settings+jsonFiles, map[string]string{"README": "x"})
	sent, err := w.Push(t.Context(), push.Options{})
	w.check(err)
	status := w.Status(t.Context())
	check, err := w.Check(t.Context(), inspect.Options{})
	w.check(err)
	w.write("locales/en/app.json", `{"a": "A"}`)
	w.commit()
	got, err := w.Pull(t.Context(), pull.Options{})
	w.check(err)
	for name, c := range map[string]struct {
		document any
		members  string
	}{
		"push":   {sent, "name requests keys files problems"},
		"pull":   {got, "name commit branch pushed files problems"},
		"status": {status, "name id pending removed last_push last_pull next_pull files languages problems"},
		"check":  {check, "name root files keys problems"},
	} {
		text, err := json.Marshal(c.document)
		w.check(err)
		var doc struct{ Projects []map[string]any }
		w.check(json.Unmarshal(text, &doc))
		for _, member := range strings.Fields(c.members) {
			value, ok := doc.Projects[0][member]
			if list := member == "files" || member == "languages" || member == "problems"; !ok || list && value == nil {
				t.Errorf("%s: %s is missing or null: %s", name, member, text)
			}
		}
	}
	past, err := json.Marshal(w.Status(t.Context()).Projects[0].LastPull)
	w.check(err)
	for _, member := range []string{`"at":`, `"result":"ok"`, `"keys":0`, `"commit":""`, `"error":""`} {
		if !strings.Contains(string(past), member) {
			t.Errorf("last_pull %s has no %s", past, member)
		}
	}
}

// A status is had without a repository.
func TestStatusWithoutRepository(t *testing.T) {
	w := newWorld(t, settings+jsonFiles, nil)
	w.check(os.RemoveAll(w.dir))
	s := w.Status(t.Context()).Projects[0]
	if len(s.Problems) != 1 || strings.Contains(s.State, "everything") {
		t.Errorf("%+v", s)
	}
	if err := w.proof(t); err == nil || !strings.Contains(err.Error(), `project "app"`) {
		t.Errorf("ready: %v", err)
	}
}

// proof has the only project look whether it works, as the daemon does.
func (w *world) proof(t *testing.T) error {
	w.projects[0].prove(t.Context())
	return w.Ready()
}

// Ready names the project and what is wrong with it, until it was seen to work once.
func TestReady(t *testing.T) {
	w := newWorld(t, settings+jsonFiles, nil)
	if err := w.Ready(); err == nil || !strings.Contains(err.Error(), `project "app": not checked yet`) {
		t.Errorf("%v", err)
	}
	if err := w.proof(t); err != nil {
		t.Errorf("%v", err)
	}
	w.check(os.RemoveAll(w.dir))
	if err := w.Ready(); err != nil {
		t.Errorf("it was seen to work, and that is enough: %v", err)
	}
}

// Everything that keeps a project from being ready is told at once, a line each, and each goes by itself.
func TestReadyReasons(t *testing.T) {
	w := newWorld(t, settings+jsonFiles, nil)
	moved := w.dir + ".moved"
	for _, c := range []struct {
		name   string
		answer int
		gone   bool
		remote string
		want   []string // a line each, in order
	}{
		{"everything", 401, true, "origin", []string{"project.repository: ", "401"}},
		{"the credentials", 401, false, "origin", []string{"401"}},
		{"the project's identifier", 404, false, "origin", []string{"404"}},
		{"the service", 503, false, "origin", []string{"503"}},
		{"a remote that is not configured, and the credentials", 401, false, "upstream", []string{"no remote is called \"upstream\"", "401"}},
		{"the repository", 0, true, "origin", []string{"project.repository: "}},
		{"nothing", 0, false, "origin", nil},
	} {
		w.configure(settings + "[project.pull]\nremote = \"" + c.remote + "\"\n" + jsonFiles)
		w.wire.failing(func(*http.Request) local.Fault { return local.Fault{Refuse: c.answer} })
		if c.gone {
			w.check(os.Rename(w.dir, moved))
		}
		err := w.proof(t)
		if c.gone {
			w.check(os.Rename(moved, w.dir))
		}
		var lines []string
		if err != nil {
			lines = strings.Split(err.Error(), "\n")
		}
		if len(lines) != len(c.want) {
			t.Errorf("%s: %q", c.name, lines)
			continue
		}
		for i, line := range lines {
			if !strings.HasPrefix(line, `project "app": `) || !strings.Contains(line, c.want[i]) {
				t.Errorf("%s: %q, want %q", c.name, line, c.want[i])
			}
		}
	}
	w.dir = "http://127.0.0.1:1/x.git"
	w.configure(settings + jsonFiles)
	w.projects[0].repository.Clones = filepath.Join(t.TempDir(), "clones")
	if err := w.proof(t); err == nil || !strings.HasPrefix(err.Error(), `project "app": clone http://127.0.0.1:1/x.git: `) || strings.Contains(err.Error(), "\n") {
		t.Errorf("a repository elsewhere that nobody serves: %v", err)
	}
}

// A scheduled time that passed since the last pull is made good at start, once; any other start waits for the schedule.
func TestMissedPull(t *testing.T) {
	w := newWorld(t, settings+"[project.pull]\nschedule = \"0 6 * * *\"\n"+jsonFiles, nil)
	day := func(d, hour int) time.Time { return time.Date(2026, 5, d, hour, 0, 0, 0, time.UTC) }
	p := w.projects[0]
	starts := func(at time.Time) bool {
		t.Helper()
		w.Now = func() time.Time { return at }
		l := schedule{project: p}
		l.start()
		due, next := at, p.branch.Project.Pull.Schedule.Next(at)
		if l.isDue(at) {
			l.project.began(at)
		} else {
			due = next
		}
		if !l.due.Equal(due) || !p.view.next.Load().Equal(next) {
			t.Errorf("at %s: due %s, told %s, want %s and %s", at, l.due, p.view.next.Load(), due, next)
		}
		return l.isDue(at)
	}
	for _, c := range []struct {
		at   time.Time
		want bool
		why  string
	}{
		{day(1, 12), false, "the first start: the schedule begins now"},
		{day(1, 13), false, "no time was missed"},
		{day(2, 7), true, "six o'clock was missed"},
		{day(2, 8), false, "it was made good"},
		{day(9, 5), true, "a week was missed: once"},
		{day(9, 5), false, "only once"},
		{day(8, 5), false, "the clock went back"},
	} {
		if got := starts(c.at); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
	w.Now = func() time.Time { return day(12, 7) }
	w.pulls(pull.Options{DryRun: true})
	if !starts(day(12, 8)) {
		t.Error("a dry run was taken for a pull")
	}
	w.Now = func() time.Time { return day(14, 7) }
	w.pulls(pull.Options{}) // from the command line
	if starts(day(14, 8)) {
		t.Error("a time counts as missed although somebody pulled since")
	}
}

// The pause before a repetition grows with repetitions only, and is what the service asks for where it asks.
func TestBackoff(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	b := new(backoff)
	b.failed(now, gitops.ErrMoved)
	first := b.at
	for range 10 {
		b.failed(now.Add(time.Second), gitops.ErrMoved)
	}
	if !b.at.Equal(first) || !first.Equal(now.Add(retryFirst)) {
		t.Errorf("woken early, the repetition moved from %s to %s", first, b.at)
	}
	for range 20 {
		now = b.at
		b.failed(now, gitops.ErrMoved)
	}
	if got := b.at.Sub(now); got != retryMost {
		t.Errorf("after many: %s", got)
	}
	now = b.at
	b.failed(now, &service.Error{Status: 503, RetryAfter: 17 * time.Second})
	if got := b.at.Sub(now); got != 17*time.Second {
		t.Errorf("asked to wait 17s: %s", got)
	}
	b.reset()
	if b.due(now.Add(time.Hour)) {
		t.Error("nothing is due after a success")
	}
}
