package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
	"pgregory.net/rapid"
)

// universe is a team with a remote, a service and a locsync: in one clone that keeps its state, or in a fresh clone for each pass.
type universe struct {
	*world
	clock     *clock
	bare, dev string        // the remote, and a developer's clone
	address   string        // of the remote
	patience  time.Duration // with it
	fresh     []string      // how it is cloned for each pass; nil: one clone stays
	project   string
}

const cloneProject = settings + "[project.push]\ncompletion_state = \"%s\"\n[project.pull]\ncompletion_state = \"%s\"\n" + jsonFiles

// cloneFiles are what every universe begins with: old translations that no commit of ours brought.
func cloneFiles() map[string]string {
	return map[string]string{enApp: jsonText(map[string]string{"a": "A", "b": "B", "c": "C", "d": "D"}),
		deApp:                  jsonText(map[string]string{"a": "A de", "b": "B de", "c": "C de"}),
		"locales/en/more.json": jsonText(map[string]string{"m": "M", "n": "N"}),
		"locales/de/more.json": jsonText(map[string]string{"m": "M de"})}
}

func jsonText(texts map[string]string) string {
	b, err := json.MarshalIndent(texts, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(b) + "\n"
}

// lateBy is how late a service may be: longer than a pass takes on a slow machine, so that all universes see the same.
const lateBy = 90 * time.Second

// newUniverse has a service that shows what it accepted after late.
func newUniverse(tb testing.TB, project string, fresh []string, late time.Duration) *universe {
	return universeOf(tb, project, cloneFiles(), fresh, late)
}

// universeOf is newUniverse with other files.
func universeOf(tb testing.TB, project string, files map[string]string, fresh []string, late time.Duration) *universe {
	u := &universe{fresh: fresh, project: project, clock: new(clock)}
	u.world = newWorld(tb, project, files, func(o *local.Options) { o.Late, o.Now = late, u.clock.now })
	u.now = u.clock.now
	u.bare = u.world.bare()
	gittest.Git(tb, u.bare, "config", "uploadpack.allowFilter", "true")
	gittest.Git(tb, u.bare, "config", "uploadpack.allowAnySHA1InWant", "true")
	u.address = "file://" + u.bare
	u.dev = gittest.Clone(tb, u.address)
	u.git("remote", "set-url", "origin", u.address)
	u.configure(project)
	return u
}

// ready is the clone of the next pass, as main is at the remote.
func (u *universe) ready() {
	u.tb.Helper()
	if u.fresh == nil {
		u.git("fetch", "-q", "origin")
		u.git("reset", "-q", "--hard", "origin/main")
		return
	}
	u.dir, u.home = gittest.Clone(u.tb, "file://"+u.bare, u.fresh...), u.tb.TempDir()
	u.git("remote", "set-url", "origin", u.address)
	u.configure(u.project)
}

// asked is what a pass asked the service for, since a clone may ask for what another one knows, and when it was.
var asked = regexp.MustCompile(`(?m)^ *"(calls|exports|requests|since)": ("[^"]*"|\d+),?\n`)

var commitName = regexp.MustCompile(`\b[0-9a-f]{7,40}\b`)

// passes makes a pass in the clone that is ready, and gives what it reports.
func (u *universe) passes(kind string, o push.Options, p pull.Options) string {
	u.tb.Helper()
	u.ready()
	ctx := gitops.Patient(u.tb.Context(), u.patience, func(*gitops.Wait) {})
	var result any
	var err error
	switch kind {
	case "push":
		var r report.PushReport
		r, err = u.Push(ctx, o)
		result = r
	case "pull":
		var r report.PullReport
		r, err = u.Pull(ctx, p)
		result = r
	default:
		var r report.SyncReport
		r, err = u.Sync(ctx, o, p)
		result = r
	}
	text, merr := json.MarshalIndent(result, "", " ")
	u.check(merr)
	said := commitName.ReplaceAllString(asked.ReplaceAllString(string(text), ""), "COMMIT")
	if err != nil {
		said += commitName.ReplaceAllString(err.Error(), "COMMIT")
	}
	return said
}

// whole is what all of it has: trees of the branches, texts and states at the service, open questions.
func (u *universe) whole() string {
	u.tb.Helper()
	var b strings.Builder
	for _, branch := range []string{"main", "l10n"} {
		tree, err := gittest.TryGit(u.tb, u.bare, "ls-tree", "-r", "--name-only", branch)
		if err != nil {
			continue
		}
		fmt.Fprintf(&b, "%s:\n", branch)
		for _, f := range strings.Fields(tree) {
			fmt.Fprintf(&b, "%s: %s\n", f, gittest.Git(u.tb, u.bare, "show", branch+":"+f))
		}
	}
	for _, language := range []string{"en", "de", "fr"} {
		for _, state := range []service.CompletionState{service.Draft, service.Final} {
			texts := u.atLeast("main", language, state)
			fmt.Fprintf(&b, "service %s %v:", language, state)
			for _, k := range slices.Sorted(maps.Keys(texts)) {
				fmt.Fprintf(&b, " %s=%q", k, texts[k])
			}
			b.WriteString("\n")
		}
	}
	for _, c := range u.Status(u.tb.Context()).Projects[0].Conflicts {
		fmt.Fprintf(&b, "conflict %s %s %v %v\n", c.Key, c.Language, c.Ours, c.Theirs)
	}
	return b.String()
}

// develops commits what a developer does in a clone of main, and pushes it.
func (u *universe) develops(do func()) {
	u.tb.Helper()
	gittest.Git(u.tb, u.dev, "fetch", "-q", "origin")
	gittest.Git(u.tb, u.dev, "checkout", "-q", "main")
	gittest.Git(u.tb, u.dev, "reset", "-q", "--hard", "origin/main")
	do()
	gittest.Git(u.tb, u.dev, "add", "-A")
	gittest.Git(u.tb, u.dev, "commit", "-q", "--allow-empty", "-m", "by a developer")
	gittest.Git(u.tb, u.dev, "push", "-q", "origin", "main")
}

// edits changes a file on main.
func (u *universe) edits(path string, change func(texts map[string]string)) {
	u.tb.Helper()
	u.develops(func() {
		texts := u.textsOf(path)
		change(texts)
		gittest.Write(u.tb, u.dev, map[string]string{path: jsonText(texts)})
	})
}

// textsOf are those of a file in the developer's clone.
func (u *universe) textsOf(path string) map[string]string {
	u.tb.Helper()
	texts := make(map[string]string)
	if old, err := os.ReadFile(filepath.Join(u.dev, path)); err == nil {
		u.check(json.Unmarshal(old, &texts))
	}
	return texts
}

// sources are the source files in the developer's clone.
func (u *universe) sources() []string {
	found, err := filepath.Glob(filepath.Join(u.dev, "locales/en/*.json"))
	u.check(err)
	for i := range found {
		found[i], err = filepath.Rel(u.dev, found[i])
		u.check(err)
	}
	return found
}

// fileOf is the source file that has a key, else the first.
func (u *universe) fileOf(key string) string {
	all := u.sources()
	for _, f := range all {
		if _, is := u.textsOf(f)[key]; is {
			return f
		}
	}
	return all[0]
}

// germanOf is the translated file of a source file.
func germanOf(source string) string { return strings.Replace(source, "/en/", "/de/", 1) }

// merges takes l10n into main: "merge", "squash", or "squash and delete".
func (u *universe) merges(how string) {
	u.tb.Helper()
	gittest.Git(u.tb, u.dev, "fetch", "-q", "--prune", "origin")
	if _, err := gittest.TryGit(u.tb, u.dev, "rev-parse", "origin/l10n"); err != nil {
		return
	}
	gittest.Git(u.tb, u.dev, "checkout", "-q", "main")
	gittest.Git(u.tb, u.dev, "reset", "-q", "--hard", "origin/main")
	args := []string{"merge", "-q", "-X", "ours", "origin/l10n", "-m", "merge"}
	if how != "merge" {
		args = []string{"merge", "-q", "-X", "ours", "--squash", "origin/l10n"}
	}
	if _, err := gittest.TryGit(u.tb, u.dev, args...); err != nil {
		gittest.Git(u.tb, u.dev, "reset", "-q", "--hard", "origin/main")
		return
	}
	if how != "merge" {
		gittest.Git(u.tb, u.dev, "commit", "-q", "--allow-empty", "-m", "squashed")
	}
	gittest.Git(u.tb, u.dev, "push", "-q", "origin", "main")
	if how == "squash and delete" {
		gittest.Git(u.tb, u.dev, "push", "-q", "origin", ":l10n")
	}
}

// event is something that happens in every universe alike.
type event struct {
	name string
	do   func(u *universe)
}

// drawEvent draws what happens between two passes.
func drawEvent(rt *rapid.T, n int) event {
	key := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "m", "n", "ax", "mx"}).Draw(rt, "key")
	text := fmt.Sprintf("text %d", n)
	what := rapid.SampledFrom([]string{"source", "source", "edit", "edit", "translator", "translator", "translator", "draft",
		"remove", "rename", "pass along", "move", "file", "file and translations", "new file", "merge", "merge", "merge",
		"squash", "squash and delete", "branch", "rewrite", "time"}).Draw(rt, "what")
	develops := func(do func(u *universe)) event {
		return event{what + " " + key, func(u *universe) { u.develops(func() { do(u) }) }}
	}
	write := func(u *universe, path string, texts map[string]string) {
		gittest.Write(u.tb, u.dev, map[string]string{path: jsonText(texts)})
	}
	change := func(of func(u *universe) string, do func(texts map[string]string)) event {
		return develops(func(u *universe) {
			path := of(u)
			texts := u.textsOf(path)
			do(texts)
			write(u, path, texts)
		})
	}
	source := func(u *universe) string { return u.fileOf(key) }
	switch what {
	case "source":
		return change(source, func(t map[string]string) { t[key] = text })
	case "edit":
		return change(func(u *universe) string { return germanOf(u.fileOf(key)) }, func(t map[string]string) { t[key] = text })
	case "remove":
		return change(source, func(t map[string]string) { delete(t, key) })
	case "rename":
		return change(source, func(t map[string]string) {
			if old, is := t[key]; is {
				delete(t, key)
				t[key+"x"] = old
			}
		})
	case "pass along": // the text of a key goes to another one, which has a new one
		return change(source, func(t map[string]string) {
			if old, is := t[key]; is {
				t[key+"x"], t[key] = old, text
			}
		})
	case "move":
		return develops(func(u *universe) {
			from, all := u.fileOf(key), u.sources()
			to := all[(slices.Index(all, from)+1)%len(all)]
			texts, others := u.textsOf(from), u.textsOf(to)
			if old, is := texts[key]; is && from != to {
				delete(texts, key)
				others[key] = old
				write(u, from, texts)
				write(u, to, others)
			}
		})
	case "file", "file and translations":
		return develops(func(u *universe) {
			from := u.fileOf(key)
			to := strings.TrimSuffix(from, ".json") + "2.json"
			gittest.Git(u.tb, u.dev, "mv", from, to)
			if _, err := os.Stat(filepath.Join(u.dev, germanOf(from))); err == nil && what != "file" {
				gittest.Git(u.tb, u.dev, "mv", germanOf(from), germanOf(to))
			}
		})
	case "new file":
		return develops(func(u *universe) {
			write(u, fmt.Sprintf("locales/en/new%d.json", n), map[string]string{fmt.Sprint("k", n): text})
		})
	case "translator", "draft":
		state := service.Final
		if what == "draft" {
			state = service.Draft
		}
		return event{what + " " + key, func(u *universe) {
			if _, is := u.at("main", "en")[key]; is {
				u.translate("main", "de", state, key, text)
			}
		}}
	case "branch":
		return event{"edit on l10n " + key, func(u *universe) {
			path := germanOf(u.fileOf(key))
			tip, err := gittest.TryGit(u.tb, u.bare, "show", "l10n:"+path)
			if err != nil {
				return
			}
			texts := make(map[string]string)
			u.check(json.Unmarshal([]byte(tip), &texts))
			texts[key] = text
			u.elsewhere(u.bare, "l10n", map[string]string{path: jsonText(texts)})
		}}
	case "rewrite":
		return event{what, func(u *universe) {
			gittest.Git(u.tb, u.dev, "fetch", "-q", "origin")
			gittest.Git(u.tb, u.dev, "checkout", "-q", "main")
			gittest.Git(u.tb, u.dev, "reset", "-q", "--hard", "origin/main")
			gittest.Git(u.tb, u.dev, "commit", "-q", "--amend", "--allow-empty", "-m", fmt.Sprint("rewritten ", n))
			gittest.Git(u.tb, u.dev, "push", "-q", "--force", "origin", "main")
		}}
	case "time":
		return event{what, func(u *universe) { u.clock.pass(lateBy + 10*time.Second) }}
	default:
		return event{what, func(u *universe) { u.merges(what) }}
	}
}

// A pass in a fresh clone without any state does what it does in the clone that made all passes before.
func TestAFreshCloneDoesTheSame(t *testing.T) {
	gittest.Long(t)
	rapid.Check(t, func(rt *rapid.T) {
		clones := [][]string{nil, {}, {"--depth=1"}, {"--filter=blob:none"}}
		clones = [][]string{nil, rapid.SampledFrom(clones[1:]).Draw(rt, "clone")}
		project := fmt.Sprintf(cloneProject, rapid.SampledFrom([]string{"draft", "final"}).Draw(rt, "push"),
			rapid.SampledFrom([]string{"draft", "final"}).Draw(rt, "pull"))
		late := rapid.SampledFrom([]time.Duration{0, 0, lateBy}).Draw(rt, "late")
		var all []*universe
		for _, fresh := range clones {
			all = append(all, newUniverse(t, project, fresh, late))
		}
		var story []string
		n := 0
		for range rapid.IntRange(2, 8).Draw(rt, "passes") {
			for range rapid.IntRange(0, 3).Draw(rt, "events") {
				n++
				e := drawEvent(rt, n)
				story = append(story, e.name)
				for _, u := range all {
					e.do(u)
				}
			}
			kind := rapid.SampledFrom([]string{"sync", "sync", "sync", "push", "pull", "decide", "ours", "theirs"}).Draw(rt, "pass")
			story = append(story, kind)
			o := push.Options{}
			switch kind {
			case "decide":
				kind, o = "push", push.Options{Translations: true}
			case "ours", "theirs":
				o = push.Options{Ours: kind == "ours", Theirs: kind == "theirs"}
				kind = "push"
			}
			want := all[0].passes(kind, o, pull.Options{})
			wholly := all[0].whole()
			for _, u := range all[1:] {
				if got := u.passes(kind, o, pull.Options{}); got != want {
					rt.Fatalf("%q: a clone with %q reports\n%s\nthe clone with the state reports\n%s", story, u.fresh, got, want)
				}
				if got := u.whole(); got != wholly {
					rt.Fatalf("%q: with a clone with %q there is\n%s\nwith the state there is\n%s", story, u.fresh, got, wholly)
				}
			}
		}
	})
}

// Jobs in a row, each in a fresh clone, bring every correction of old texts, and end without a question.
func TestJobsInFreshClones(t *testing.T) {
	gittest.Need(t)
	t.Parallel()
	for _, c := range []struct {
		state string
		clone []string
		merge bool
	}{{"final", []string{}, true}, {"draft", []string{"--depth=1"}, false}, {"draft", []string{"--depth=1"}, true},
		{"final", []string{"--filter=blob:none"}, false}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			u := newUniverse(t, fmt.Sprintf(cloneProject, c.state, "final"), c.clone, 0)
			job := func(want ...string) {
				t.Helper()
				u.ready()
				r, err := u.Sync(t.Context(), push.Options{}, pull.Options{})
				u.check(err)
				if problems := slices.Concat(r.Push.Projects[0].Problems, r.Pull.Projects[0].Problems); len(problems) > 0 {
					t.Fatalf("problems: %v", problems)
				}
				var sent []string
				for _, f := range r.Push.Projects[0].Files {
					for _, k := range f.Keys {
						sent = append(sent, f.Language+" "+k)
					}
				}
				if !slices.Equal(sent, want) {
					t.Fatalf("sent %q, want %q", sent, want)
				}
			}
			has := func(key, text string) {
				t.Helper()
				texts := make(map[string]string)
				u.check(json.Unmarshal([]byte(gittest.Git(t, u.bare, "show", "l10n:"+deApp)), &texts))
				if texts[key] != text {
					t.Fatalf("l10n has %q for %s, want %q", texts[key], key, text)
				}
			}
			job("en a", "en b", "en c", "en d", "en m", "en n", "de a", "de b", "de c", "de m")
			for n, key := range []string{"a", "b", "d", "c", "a"} {
				text := fmt.Sprint(key, " corrected ", n)
				u.translate("main", "de", service.Final, key, text)
				if job(); c.merge {
					u.merges("merge")
				}
				has(key, text)
			}
			// A developer's edit of an old text goes to the service, and nothing takes it back.
			u.merges("merge")
			u.edits(deApp, func(texts map[string]string) { texts["b"] = "b by hand" })
			job("de b")
			u.holds("main", "de", "b", "b by hand")
			job()
			if u.merges("merge"); u.mainText("b") != "b by hand" {
				t.Fatalf("main has %q", u.mainText("b"))
			}
		})
	}
}

// Passes in fresh clones whose connection to the remote breaks, before or after the effect of a request, end where they
// end without that, and leave no question.
func TestFreshClonesOverABrokenConnection(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	// ends makes three passes in fresh clones, the n-th request of which has a fault, and then one more.
	ends := func(t *testing.T, n int64, fault gittest.Fault) (whole string, requests int64) {
		u := newUniverse(t, fmt.Sprintf(cloneProject, "draft", "final"), []string{"--depth=1"}, 0)
		u.patience = 20 * time.Second
		var count atomic.Int64
		u.address = gittest.Serve(t, u.bare, gittest.Options{Fault: func(*http.Request, int) *gittest.Fault {
			if count.Add(1) == n {
				return &fault
			}
			return nil
		}})
		for _, key := range []string{"a", "d", "m"} {
			u.passes("sync", push.Options{}, pull.Options{})
			u.translate("main", "de", service.Final, key, key+" corrected")
			u.edits(deApp, func(texts map[string]string) { texts["b"] = "b by hand, with " + key })
		}
		requests = count.Load()
		u.passes("sync", push.Options{}, pull.Options{})
		return u.whole(), requests
	}
	want, requests := ends(t, 0, gittest.Fault{})
	if requests < 9 || !strings.Contains(want, "d corrected") || strings.Contains(want, "conflict") {
		t.Fatalf("%d requests end with\n%s", requests, want)
	}
	for _, drawn := range rand.Perm(2 * int(requests))[:6] {
		n, fault := 1+int64(drawn/2), gittest.Fault{Cut: true}
		if drawn%2 == 0 {
			fault = gittest.Fault{LoseReply: true}
		}
		t.Run(fmt.Sprint(n, " of ", requests, " lost ", fault.LoseReply), func(t *testing.T) {
			t.Parallel()
			if got, _ := ends(t, n, fault); got != want {
				t.Errorf("it ends with\n%s\nwithout the fault with\n%s", got, want)
			}
		})
	}
}

// A fresh clone sends no source text again that the service accepted and does not show yet.
func TestAFreshCloneAtALateService(t *testing.T) {
	gittest.Need(t)
	t.Parallel()
	u := newUniverse(t, fmt.Sprintf(cloneProject, "draft", "draft"), []string{"--depth=1"}, 20*time.Second)
	u.passes("sync", push.Options{}, pull.Options{})
	u.wire.take("")
	for range 3 {
		u.passes("sync", push.Options{}, pull.Options{})
	}
	if sent := u.wire.take("import"); len(sent) > 0 {
		t.Errorf("sent again: %v", sent)
	}
}

// mainText is the German text of a key on main.
func (u *universe) mainText(key string) string {
	u.tb.Helper()
	texts := make(map[string]string)
	u.check(json.Unmarshal([]byte(gittest.Git(u.tb, u.bare, "show", "main:"+deApp)), &texts))
	return texts[key]
}

// A remote that takes branches only gets the translations, and the status says what it does not take; a branch does as well.
func TestARemoteThatTakesBranchesOnly(t *testing.T) {
	t.Parallel()
	for _, memory := range []string{"remote", "branch", "local"} {
		t.Run(memory, func(t *testing.T) {
			t.Parallel()
			project := fmt.Sprintf("memory = %q\n", memory) + fmt.Sprintf(cloneProject, "draft", "final")
			u := newUniverse(t, project, []string{}, 0)
			gittest.Hook(t, u.bare, "update", `case "$1" in refs/heads/*) ;; *) echo branches only >&2; exit 1;; esac`)
			u.passes("sync", push.Options{}, pull.Options{})
			u.translate("main", "de", service.Final, "a", "A new")
			u.passes("sync", push.Options{}, pull.Options{})
			var told []report.Problem
			for _, p := range u.Status(t.Context()).Projects[0].Problems {
				if p.Code == report.CodeMemory {
					told = append(told, p)
				}
			}
			if want := map[string]int{"remote": 1}[memory]; len(told) != want {
				t.Errorf("told are %v", told)
			}
			texts := make(map[string]string)
			if tip, err := gittest.TryGit(t, u.bare, "show", "l10n:"+deApp); err == nil {
				u.check(json.Unmarshal([]byte(tip), &texts))
			}
			// Without a memory the correction of an old text is asked about; with one it comes.
			if came := texts["a"] == "A new"; came != (memory == "branch") {
				t.Errorf("l10n has %q", texts["a"])
			}
			u.translate("main", "de", service.Final, "d", "D new")
			u.passes("sync", push.Options{}, pull.Options{})
			u.check(json.Unmarshal([]byte(gittest.Git(t, u.bare, "show", "l10n:"+deApp)), &texts))
			if texts["d"] != "D new" {
				t.Errorf("l10n has %q for d", texts["d"])
			}
		})
	}
}
