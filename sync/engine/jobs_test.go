package engine

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
	"github.com/locsync/locsync/sync/state"
)

func isImport(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/import")
}

func isResult(r *http.Request) bool { return strings.Contains(r.URL.Path, "import-result") }

// A push that ends anywhere, by a crash or a failure, leaves its keys pending, and the next one ends where an undisturbed one would have: each
// text at the service, nothing pending, no job left.
func TestPushEndsTheSameWhateverHappens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault func(*http.Request) local.Fault
		ctx   bool // the process ends while it waits
	}{
		"import refused":     {fault: func(r *http.Request) local.Fault { return when(isImport(r), local.Fault{Refuse: 500}) }},
		"import answer lost": {fault: func(r *http.Request) local.Fault { return when(isImport(r), local.Fault{Drop: true}) }},
		"result refused":     {fault: func(r *http.Request) local.Fault { return when(isResult(r), local.Fault{Refuse: 403}) }},
		"result lost":        {fault: func(r *http.Request) local.Fault { return when(isResult(r), local.Fault{Refuse: 404}) }},
		"killed in import":   {fault: func(r *http.Request) local.Fault { return when(isImport(r), local.Fault{Delay: 5 * time.Second}) }, ctx: true},
		"killed in wait":     {fault: func(r *http.Request) local.Fault { return when(isResult(r), local.Fault{Delay: 5 * time.Second}) }, ctx: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A", "b": "B"}`})
			w.clean(PushOptions{})
			w.write("locales/en/a.json", `{"a": "A2", "b": "B2"}`)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.ctx {
				time.AfterFunc(400*time.Millisecond, cancel)
			}
			w.wire.failing(c.fault)
			if _, err := w.Push(ctx, PushOptions{}); err == nil {
				t.Fatal("the push went well")
			}
			w.wire.failing(nil)
			w.restart(w.Config)
			if s := w.Status(t.Context()).Projects[0]; s.Pending != 2 {
				t.Errorf("%d pending", s.Pending)
			}
			w.write("locales/en/a.json", `{"a": "A2", "b": "B3", "c": "C"}`)
			w.clean(PushOptions{})
			w.holds("main", "en", "a", "A2", "b", "B3", "c", "C")
			w.wire.take("")
			w.sends()
			w.silent()
			jobs, err := state.List[job](w.store, w.projects[0].stateName(), kindJobs)
			if err != nil || len(jobs) > 0 {
				t.Errorf("jobs left: %v %v", jobs, err)
			}
		})
	}
}

func when(is bool, f local.Fault) local.Fault {
	if is {
		return f
	}
	return local.Fault{}
}

// An import whose answer came before the process ended is taken up, not sent again.
func TestPushTakesUpAnImport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`})
	ctx, cancel := context.WithCancel(t.Context())
	w.wire.failing(func(r *http.Request) local.Fault {
		if isResult(r) {
			cancel()
		}
		return when(isResult(r), local.Fault{Delay: 5 * time.Second})
	})
	if _, err := w.Push(ctx, PushOptions{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	w.wire.failing(nil)
	w.wire.take("")
	w.restart(w.Config)
	w.sends()
	if got := w.wire.take("import"); len(got) > 0 {
		t.Errorf("%d imports", len(got))
	}
	w.holds("main", "en", "a", "A")
}

// An import that is not finished in time has failed for now: nothing is sent over it, and it is taken up when it is done.
func TestPushOfAnImportThatTakesLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`}, func(o *local.Options) { o.JobDelay = 3 * time.Second })
	w.Config.Service.JobTimeout = 300 * time.Millisecond
	for range 2 {
		if _, err := w.Push(t.Context(), PushOptions{}); err == nil || Permanent(err) || !strings.Contains(err.Error(), "not finished") {
			t.Fatal(err)
		}
	}
	if got := w.wire.take("import"); len(got) != 1 {
		t.Errorf("%d imports", len(got))
	}
	w.Config.Service.JobTimeout = 10 * time.Second
	w.sends()
	if got := w.wire.take("import"); len(got) != 0 {
		t.Errorf("%d imports", len(got))
	}
	w.sends()
	w.silent()
}

// A file that the service does not take is named with the service's reason and stays pending, with its translations; the others of the same
// import count.
func TestPushOfAFileThatTheServiceRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`, "locales/en/b.json": `{"b": "B"}`,
		"locales/de/a.json": `{"a": "A de"}`, "locales/de/b.json": `{"b": "B de"}`})
	w.wire.spoil("b.json", "not json")
	p := w.pushes(PushOptions{Translations: true})
	w.problem(p.Problems, "locales/en/b.json", "stay pending")
	w.holds("main", "en", "a", "A", "b", "")
	w.holds("main", "de", "a", "A de")
	if s := w.Status(t.Context()).Projects[0]; s.Pending != 2 { // the source text, and its translation
		t.Errorf("%d pending", s.Pending)
	}
	w.wire.spoil("", "")
	w.reports(w.clean(PushOptions{Translations: true}), "locales/de/b.json (de): b", "locales/en/b.json (en): b")
	w.holds("main", "de", "b", "B de")
	w.sends()
}

// Of a translation import that lacks source texts at the service nothing counts as delivered until they are there.
func TestPushOfATranslationThatTheServiceHasNoSourceFor(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	old := w.id
	w.write(deApp, de("A hand", "B hand"))
	// The project's keys are gone at the service: another project answers under the state of the first.
	w.id = "77777777-2222-3333-4444-555555555555"
	w.check(w.svc.EnsureProject(w.id, "other", "en", []string{"de", "fr"}))
	w.upload(service.ImportRequest{Project: w.id, Collection: "main", Language: "en", Format: "json", Files: []service.Upload{{Name: "x.json", Body: []byte(`{"b": "B"}`)}}})
	w.wire.redirect(old, w.id)
	p := w.pushes(PushOptions{})
	w.reports(p, deApp+" (de): a b")
	w.problem(p.Problems, deApp, "--all")
	p = w.pushes(PushOptions{})
	w.reports(p, deApp+" (de): a")
	w.reports(w.clean(PushOptions{All: true}), deApp+" (de): a", enApp+" (en): a b")
	w.holds("main", "de", "a", "A hand", "b", "B hand")
	w.sends()
}
