package engine

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"pgregory.net/rapid"
)

// asks runs a pull that must leave nothing out, and checks its exports since the last take: "since" for one of what changed, "all" for one of
// everything.
func (w *world) asks(what string, o pull.Options, want ...string) report.ProjectPull {
	w.tb.Helper()
	w.wire.take("")
	result := w.pulls(o)
	var got []string
	requests := w.wire.take("")
	for _, r := range requests {
		if r.is("export") {
			kind := "all"
			if r.query.Get("modified-since") != "" {
				kind = "since"
			}
			got = append(got, kind)
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		w.tb.Errorf("%s: asked for %q, want %q", what, got, want)
	}
	if result.Requests != len(want) || result.Calls != len(requests) {
		w.tb.Errorf("%s: reports %d exports and %d calls, made %d and %d", what, result.Requests, result.Calls, len(want), len(requests))
	}
	return result
}

// newProbed is a world in which the smallest answer is worth a probe.
func newProbed(t *testing.T, project string, files map[string]string) *world {
	w := newWorld(t, project, files)
	w.probeFrom, w.projects[0].branch.ProbeFrom = 1, 1
	return w
}

// A pull with no news asks for what changed; any reason to think that something may have, brings the full export.
func TestPullAsksForNewsFirst(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	project := settings + "[project.push]\ncompletion_state = \"final\"\n" + jsonFiles
	w := newProbed(t, project, map[string]string{"locales/en/app.json": `{"a": "A", "b": "B", "c": "C"}`})
	w.sends("locales/en/app.json (en): a b c")
	w.translate("main", "de", service.Final, "a", "Ä", "b", "B!")
	w.asks("first", pull.Options{}, "all")
	if p := w.asks("no news", pull.Options{}, "since"); p.Commit != "" || p.Calls > 3 {
		t.Errorf("%+v", p)
	}
	w.asks("no news again", pull.Options{}, "since")

	w.translate("main", "fr", service.Final, "a", "À")
	if p := w.asks("news", pull.Options{}, "since", "all"); p.Commit == "" || p.Keys != 1 {
		t.Errorf("%+v", p)
	}
	w.asks("after the news", pull.Options{}, "since")

	w.translate("main", "fr", service.Draft, "b", "pas encore")
	w.asks("a draft", pull.Options{}, "since")
	w.translate("main", "fr", service.Final, "b", "pas encore")
	if p := w.asks("the draft became final", pull.Options{}, "since", "all"); p.Keys != 1 {
		t.Errorf("%+v", p)
	}

	w.commitOn("l10n", "locales/de/app.json", `{"a": "von jemand", "b": "B!"}`)
	w.asks("somebody changed the branch", pull.Options{}, "all")
	w.asks("the branch did not move", pull.Options{}, "since")
	w.write("README", "changed")
	w.commit()
	w.asks("base moved", pull.Options{}, "all")
	w.asks("base did not move", pull.Options{}, "since")
	w.write("locales/en/app.json", `{"a": "A", "b": "B", "c": "C", "d": "D"}`)
	w.clean(push.Options{})
	w.asks("something was sent", pull.Options{}, "all")
	w.asks("nothing was sent", pull.Options{}, "since")

	w.asks("full", pull.Options{Full: true}, "all")
	w.asks("forced", pull.Options{Force: true}, "all")
	w.asks("dry run", pull.Options{DryRun: true}, "since")
	w.asks("after them", pull.Options{}, "since")
	w.configure(project + "[project.pull]\nincomplete = \"fallback\"\n")
	w.asks("another configuration", pull.Options{}, "all")
	w.asks("the same configuration", pull.Options{}, "since")
	w.git("branch", "-D", "l10n")
	w.asks("the branch is gone", pull.Options{}, "all")
	w.lose()
	w.asks("lost state", pull.Options{}, "all")
	w.asks("after the loss", pull.Options{}, "since")
}

// As long as something is left out, every pull looks at everything, and says so.
func TestPullWithProblemsAsksForAll(t *testing.T) {
	t.Parallel()
	w := newProbed(t, settings+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A {n}", "b": "B"}`})
	w.pushes(push.Options{})
	w.translate("main", "de", service.Final, "a", "ohne", "b", "B!")
	for range 2 {
		if p := w.asks("a translation that breaks the program", pull.Options{}, "all"); len(p.Problems) != 1 {
			t.Errorf("%+v", p.Problems)
		}
	}
	w.translate("main", "de", service.Final, "a", "mit {n}")
	w.asks("repaired", pull.Options{}, "all")
	w.asks("nothing is left out any more", pull.Options{}, "since")
}

// A service that says nothing changed although it did is believed for less than a day.
func TestPullHealsWithinADay(t *testing.T) {
	t.Parallel()
	w := newProbed(t, settings+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A", "b": "B"}`})
	w.pushes(push.Options{})
	w.translate("main", "de", service.Final, "a", "Ä")
	w.asks("first", pull.Options{}, "all")
	w.wire.before = func(r *http.Request) {
		if q := r.URL.Query(); q.Has("modified-since") {
			q.Set("modified-since", "2099-01-01T00:00:00Z")
			r.URL.RawQuery = q.Encode()
		}
	}
	w.translate("main", "de", service.Final, "b", "B!")
	if p := w.asks("the service keeps it to itself", pull.Options{}, "since"); p.Commit != "" {
		t.Fatalf("%+v", p)
	}
	start := time.Now()
	w.Now = func() time.Time { return time.Now().Add(19 * time.Hour) }
	w.asks("hours later", pull.Options{}, "since")
	w.Now = func() time.Time { return start.Add(20*time.Hour + time.Minute) }
	if p := w.asks("the next day", pull.Options{}, "all"); p.Keys != 1 {
		t.Errorf("%+v", p)
	}
	w.Now = time.Now
	w.asks("the clock was set back", pull.Options{}, "all")
}

// A service that cannot be asked for what changed is asked for everything.
func TestPullWithoutProbes(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(rw http.ResponseWriter){
		"refused":   func(rw http.ResponseWriter) { http.Error(rw, `{"detail":"no such parameter"}`, http.StatusBadRequest) },
		"forbidden": func(rw http.ResponseWriter) { http.Error(rw, "", http.StatusUnprocessableEntity) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newProbed(t, settings+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A", "b": "B"}`})
			inner := w.server.Config.Handler
			w.server.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Has("modified-since") {
					answer(rw)
					return
				}
				inner.ServeHTTP(rw, r)
			})
			w.pushes(push.Options{})
			w.pulls(pull.Options{})
			w.translate("main", "de", service.Final, "b", "B!")
			if p := w.pulls(pull.Options{}); p.Keys != 1 || p.Requests != 2 {
				t.Errorf("%+v", p)
			}
		})
	}
}

// The law of probes: a pull that asked for news first leaves nothing for one that asks for everything, whatever happened before.
func TestProbesMissNothing(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newProbed(t, strings.Replace(settings, `"de", "fr"`, `"de"`, 1)+jsonFiles+`
[project.pull]
remote = ""
`, map[string]string{"locales/en/app.json": `{"a": "A", "b": "B", "c": "C", "d": "D"}`, "locales/en/web.json": `{"e": "E"}`})
		w.pushes(push.Options{})
		n := 0
		text := func() string { n++; return fmt.Sprint("text ", n) }
		translates := func(state service.CompletionState) { // a key that the service still lists
			key := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(rt, "key")
			if text := text(); w.at("main", "en")[key] != "" {
				w.translate("main", "de", state, key, text)
			}
		}
		for range rapid.IntRange(4, 10).Draw(rt, "steps") {
			switch rapid.SampledFrom([]string{"final", "draft", "final", "branch", "source", "drop", "push", "nothing", "nothing"}).Draw(rt, "step") {
			case "final":
				translates(service.Final)
			case "draft":
				translates(service.Draft)
			case "branch":
				if _, err := ledger.Merged.Slots(w.projects[0].branch.Ledger, w.projects[0].branch.StateName()); err == nil && w.show("l10n", "locales/de/app.json") != "" {
					w.commitOn("l10n", "locales/de/app.json", fmt.Sprintf(`{"a": %q, "b": %q}`, text(), text()))
				}
			case "source":
				w.write("locales/en/app.json", fmt.Sprintf(`{"a": %q, "b": "B", "c": "C", "d": "D"}`, text()))
				w.git("commit", "-q", "--allow-empty", "-am", "by a person")
			case "drop":
				w.write("locales/en/app.json", `{"a": "A", "b": "B", "d": "D"}`)
				w.git("commit", "-q", "--allow-empty", "-am", "by a person")
			case "push":
				w.pushes(push.Options{})
			}
			w.pulls(pull.Options{})
			w.check(ledger.Reconciled.Delete(w.store, w.projects[0].branch.StateName(), "l10n"))
			before := w.show("l10n", "locales/de/app.json") + w.show("l10n", "locales/de/web.json")
			if p := w.pulls(pull.Options{}); p.Commit != "" {
				rt.Fatalf("a full pull found %+v that one with a probe did not; before it the branch had %s", p, before)
			}
		}
	})
}
