package engine

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
)

func isImport(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/import")
}

func isResult(r *http.Request) bool { return strings.Contains(r.URL.Path, "import-result") }

// A push that ends anywhere, by a crash or a failure, leaves its keys pending, and the next one ends where an undisturbed one would have: each
// text at the service, nothing pending, no job left.
func TestPushEndsTheSameWhateverHappens(t *testing.T) {
	gittest.Long(t)
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
			w.clean(push.Options{})
			w.write("locales/en/a.json", `{"a": "A2", "b": "B2"}`)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.ctx {
				time.AfterFunc(400*time.Millisecond, cancel)
			}
			w.wire.failing(c.fault)
			if _, err := w.Push(ctx, push.Options{}); err == nil {
				t.Fatal("the push went well")
			}
			w.wire.failing(nil)
			w.restart(w.Config)
			if s := w.Status(t.Context()).Projects[0]; s.Pending != 2 {
				t.Errorf("%d pending", s.Pending)
			}
			w.write("locales/en/a.json", `{"a": "A2", "b": "B3", "c": "C"}`)
			w.clean(push.Options{})
			w.holds("main", "en", "a", "A2", "b", "B3", "c", "C")
			w.wire.take("")
			w.sends()
			w.silent()
			jobs, err := ledger.Jobs.List(w.store, w.projects[0].branch.StateName())
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
	if _, err := w.Push(ctx, push.Options{}); !errors.Is(err, context.Canceled) {
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
	gittest.Long(t)
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`}, func(o *local.Options) { o.JobDelay = 2 * time.Second })
	w.clean(push.Options{})
	w.write("locales/en/a.json", `{"a": "A2"}`)
	w.wire.take("")
	w.Config.Service.JobTimeout = 300 * time.Millisecond
	for range 2 {
		if _, err := w.Push(t.Context(), push.Options{}); err == nil || Permanent(err) || !strings.Contains(err.Error(), "not finished") {
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
	p := w.pushes(push.Options{Translations: true})
	w.problem(p.Problems, "locales/en/b.json", "stay pending")
	w.holds("main", "en", "a", "A", "b", "")
	w.holds("main", "de", "a", "A de")
	if s := w.Status(t.Context()).Projects[0]; s.Pending != 2 { // the source text, and its translation
		t.Errorf("%d pending", s.Pending)
	}
	w.wire.spoil("", "")
	w.reports(w.clean(push.Options{Translations: true}), "locales/de/b.json (de): b", "locales/en/b.json (en): b")
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
	p := w.pushes(push.Options{})
	w.reports(p, deApp+" (de): a b")
	w.problem(p.Problems, deApp, "--all")
	p = w.pushes(push.Options{})
	w.reports(p, deApp+" (de): a")
	w.reports(w.clean(push.Options{All: true}), deApp+" (de): a", enApp+" (en): a b")
	w.holds("main", "de", "a", "A hand", "b", "B hand")
	w.sends()
}

// A file counts as taken only when the service says so for that file. What may be about any file, in whatever spelling or shape, leaves all of them
// pending and named.
func TestPushBelievesNoFileThatTheServiceDoesNotName(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	const zero = `"keysCreated":0,"keysUpdated":0,"keyValuesNotChanged":0,"keysWithoutSource":0`
	for members, want := range map[string]string{
		`{"errors":[{"fileName":"a.json","error":"x"}],"failedFileNames":null}`: "a",
		`{"failedFileNames":["a.json"]}`:                                        "a",
		`{"errors":[{"fileName":"App.json","error":"x"}]}`:                      "ab",
		`{"errors":[{"fileName":"A.JSON","error":"x"}]}`:                        "ab",
		`{"errors":[{"fileName":"a","error":"x"}]}`:                             "ab",
		`{"errors":[{"fileName":"./locales/en/a.json","error":"x"}]}`:           "ab",
		`{"errors":[{"fileName":"locales/en/a.json","error":"x"}]}`:             "ab",
		`{"errors":[{"fileName":"locales\\en\\a.json","error":"x"}]}`:           "ab",
		`{"errors":[{"fileName":"locales_en_a.json","error":"x"}]}`:             "ab",
		`{"errors":[{"fileName":"","error":"x"}]}`:                              "ab",
		`{"errors":[{}]}`:  "ab",
		`{"errors":["x"]}`: "ab",
		`{"errors":"x"}`:   "ab",
		`{"errors":{"fileName":"a.json","error":"x"}}`: "a",
		`{"errors":{"a.json":"x"}}`:                    "ab",
		`{"errors":[{"name":"a.json","reason":"x"}]}`:  "ab",
		`{"errors":3}`: "ab",
		`{"failedFileNames":["locales/en/a.json"]}`:                       "ab",
		`{"failedFileNames":"a.json"}`:                                    "a",
		`{"failedFileNames":{"count":1}}`:                                 "ab",
		`{"failedFileNames":[{"path":"a.json"}]}`:                         "ab",
		`{` + zero + `,"keysCreated":3,"errors":[{"fileName":"b.json"}]}`: "b",
		`{"keysCreated":"4"}`:                                             "ab",
		`{"keysUpdated":{"json":4}}`:                                      "ab",
		`{"conflictingKeyValues":7}`:                                      "ab",
		// and what says nothing against any file: fewer keys than were sent are a warning
		`{` + zero + `}`:                                         "",
		`{` + zero + `,"keysCreated":3}`:                         "",
		`{` + zero + `,"keysCreated":1,"keyValuesNotChanged":3}`: "",
		`{"keysCreated":null,"keysUpdated":null,"keyValuesNotChanged":null,"keysWithoutSource":null}`: "",
		`{"errors":null,"failedFileNames":"","conflictingKeyValues":[]}`:                              "",
		`{"errors":{},"more":[{"error":"x"}]}`:                                                        "",
	} {
		t.Run(members, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A", "a2": "A"}`, "locales/en/b.json": `{"b": "B", "b2": "B"}`})
			w.wire.lying(members)
			p := w.pushes(push.Options{})
			named := ""
			for _, problem := range p.Problems {
				if problem.Severity == report.Warning && strings.Contains(problem.Problem, "the service counts") {
					continue
				}
				if !strings.Contains(problem.Problem, "stay pending") {
					t.Errorf("a problem says %q", problem)
				}
				named += strings.TrimSuffix(strings.TrimPrefix(problem.File, "locales/en/"), ".json")
			}
			if named != want {
				t.Errorf("named are %q, want %q: %v", named, want, p.Problems)
			}
			if s := w.Status(t.Context()).Projects[0]; s.Pending != 2*len(want) {
				t.Errorf("%d pending", s.Pending)
			}
			w.wire.lying("")
			if p := w.clean(push.Options{}); p.Keys != 2*len(want) {
				t.Errorf("the next push sends %d", p.Keys)
			}
			w.sends()
		})
	}
}

// A result of which not even the status can be read is a failure that says so; nothing counts as accepted, and the import is taken up by the next push.
func TestPushOfAnImportWithoutAStatus(t *testing.T) {
	t.Parallel()
	for members, want := range map[string]string{`{"status":{"code":"completed"}}`: `"status" is {"code":"completed"}`, `{"status":2}`: `"status" is 2`,
		`{"status":null}`: `no "status"`} {
		t.Run(members, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`})
			w.wire.lying(members)
			if _, err := w.Push(t.Context(), push.Options{}); err == nil || Permanent(err) || !strings.Contains(err.Error(), want) {
				t.Errorf("the push ended with %v", err)
			}
			if s := w.Status(t.Context()).Projects[0]; s.Pending != 1 {
				t.Errorf("%d pending", s.Pending)
			}
			w.wire.lying("")
			w.wire.take("")
			w.sends()
			if got := w.wire.take("import"); len(got) > 0 {
				t.Errorf("%d imports", len(got))
			}
		})
	}
}

// The same rule for translations.
func TestPushBelievesNoTranslationThatTheServiceDoesNotName(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.write(deApp, de("A hand", "B de"))
	w.wire.lying(`{"errors":[{"fileName":"locales/de/app.json","error":"x"}]}`)
	w.problem(w.pushes(push.Options{}).Problems, deApp, "stay pending")
	w.wire.lying("")
	for _, asks := range []int{1, 0} { // the service has it, in truth: that is seen when it is asked, and then no more
		w.wire.take("")
		w.sends()
		if got := w.wire.take("export"); len(got) != asks {
			t.Errorf("%d exports, want %d", len(got), asks)
		}
	}
}

// A dry run leaves the export of an interrupted pull where it is.
func TestDryRunsKeepJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "A"}`})
	w.clean(push.Options{})
	scope := w.projects[0].branch.StateName()
	w.check(ledger.Jobs.Put(w.store, scope, "x", ledger.Job{ID: "x", Kind: pass.JobExport, Service: "1", At: time.Now()}))
	w.pulls(pull.Options{DryRun: true})
	if jobs, err := ledger.Jobs.List(w.store, scope); err != nil || len(jobs) != 1 {
		t.Errorf("%d jobs: %v", len(jobs), err)
	}
}
