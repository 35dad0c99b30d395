package engine

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
)

// metWorld has a remote and nothing at the service.
func metWorld(t *testing.T, project string) *world {
	w := newWorld(t, settings+project+jsonFiles, map[string]string{enApp: `{"k0": "Text 0", "k1": "Text 1"}`})
	w.bare()
	w.configure(w.config)
	return w
}

// A tree without a state that lies behind base keeps its hands off what base has later, whether git was asked for it before or not.
func TestStaleCloneWithoutState(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := metWorld(t, "")
	w.sends(enApp + " (en): k0 k1")
	old := w.git("rev-parse", "HEAD")
	w.write(enApp, `{"k0": "Text 0 new", "k1": "Text 1"}`)
	w.commit()
	w.git("push", "-q", "origin", "main")
	w.sends(enApp + " (en): k0")
	for _, fetched := range []bool{true, false} {
		w.git("reset", "-q", "--hard", old)
		if !fetched {
			w.git("update-ref", "refs/remotes/origin/main", old)
		}
		w.lose()
		w.sends(enApp + " (en): k1")
		w.holds("main", "en", "k0", "Text 0 new", "k1", "Text 1")
		w.sends()
		w.reports(w.clean(push.Options{All: true}), enApp+" (en): k1")
		w.holds("main", "en", "k0", "Text 0 new", "k1", "Text 1")
		w.write(enApp, `{"k0": "Text 0 here", "k1": "Text 1"}`)
		w.lose()
		dry, p := w.pushes(push.Options{DryRun: true}), w.pushes(push.Options{})
		w.problem(p.Problems, `"Text 0 new", which branch main has later than this tree`, `"Text 0 here"`)
		if !slices.Equal(dry.Problems, p.Problems) {
			t.Errorf("%v, and in a dry run %v", p.Problems, dry.Problems)
		}
		w.holds("main", "en", "k0", "Text 0 new", "k1", "Text 1")
		w.git("checkout", "-q", ".")
		w.git("merge", "-q", "--ff-only", "origin/main")
		w.write(enApp, `{"k0": "Text 0 here", "k1": "Text 1"}`)
		w.sends(enApp + " (en): k0")
		w.holds("main", "en", "k0", "Text 0 here", "k1", "Text 1")
		w.git("checkout", "-q", ".")
		w.sends(enApp + " (en): k0")
	}
}

// What the service has of source texts is read where nothing is remembered: what a commit had is replaced without a word, about the rest conflicts decides,
// and a dry run names the same.
func TestSourceTextsOfTheService(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for _, c := range []struct{ mode, sent, there, named, problem string }{
		{"overwrite", " (en): k0 k1", "Text 0", `the service's text "Service source 0", which is not in the history of this tree, is replaced by "Text 0"`, ""},
		{"skip", " (en): k0 k1", "Service source 0", `the service keeps its text "Service source 0"`, ""},
		{"report", " (en): k0 k1", "Service source 0", "", `the service holds another text than "Text 0" and keeps it`},
	} {
		w := metWorld(t, "[project.push]\nconflicts = \""+c.mode+"\"\n")
		for i := range 2 { // at first contact, and with the state lost
			w.upload(service.ImportRequest{Project: w.id, Collection: "main", Language: "en", Format: "json", Conflicts: service.Overwrite,
				Files: []service.Upload{{Name: "a.json", Body: []byte(`{"k0": "Service source 0"}`)}}})
			dry, p := w.pushes(push.Options{DryRun: true}), w.pushes(push.Options{})
			w.reports(p, enApp+c.sent)
			w.reports(dry, enApp+c.sent)
			if c.problem != "" {
				w.problem(p.Problems, c.problem)
			} else {
				w.problem(p.Replaced, c.named)
			}
			if fmt.Sprint(dry.Problems, dry.Replaced) != fmt.Sprint(p.Problems, p.Replaced) {
				t.Errorf("%s, %d: %v %v, and in a dry run %v %v", c.mode, i, p.Problems, p.Replaced, dry.Problems, dry.Replaced)
			}
			if v := dry.Files[0].Changes[0]; c.mode == "overwrite" && (v.Old == nil || *v.Old != "Service source 0") {
				t.Errorf("the dry run shows %+v", v)
			}
			w.holds("main", "en", "k0", c.there, "k1", "Text 1")
			w.lose()
		}
	}
	w := metWorld(t, "")
	w.sends(enApp + " (en): k0 k1")
	w.write(enApp, `{"k0": "Text 0 new", "k1": "Text 1"}`)
	w.commit()
	gittest.Git(t, w.dir, "push", "-q", "origin", "main")
	w.lose()
	if p := w.clean(push.Options{}); len(p.Replaced) > 0 {
		t.Errorf("an older text of the repository is named: %v", p.Replaced)
	}
	w.holds("main", "en", "k0", "Text 0 new", "k1", "Text 1")
}

// While the service cannot be asked, texts of which nothing is remembered wait, and the others are sent.
func TestSourceTextsThatCannotBeCompared(t *testing.T) {
	t.Parallel()
	w := metWorld(t, "")
	w.sends(enApp + " (en): k0 k1")
	w.write(enApp, `{"k0": "Text 0 new", "k1": "Text 1", "k2": "Text 2"}`)
	w.wire.failing(func(r *http.Request) local.Fault {
		return when(strings.HasSuffix(r.URL.Path, "/export"), local.Fault{Refuse: 500})
	})
	r, err := w.Push(t.Context(), push.Options{})
	if err == nil || Permanent(err) || !strings.Contains(err.Error(), "export of") {
		t.Errorf("the push ends with %v", err)
	}
	w.reports(r.Projects[0], enApp+" (en): k0")
	w.wire.failing(nil)
	w.sends(enApp + " (en): k2")
}

// What the service exported and cannot be read is not nothing: neither source texts nor translations replace it, and
// it is named.
func TestTextsThatCannotBeRead(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("with the race detector the service takes too long for a text of 1 MB")
	}
	w := newWorld(t, settings+"[project.push]\ntranslations = true\n"+jsonFiles, map[string]string{
		enApp: `{"k0": "Text 0", "k1": "Text 1"}`})
	upload := func(language, body string) {
		w.upload(service.ImportRequest{Project: w.id, Collection: "main", Language: language, Format: "json",
			Conflicts: service.Overwrite, Files: []service.Upload{{Name: "a.json", Body: []byte(body)}}})
	}
	var long strings.Builder // longer than a text may be, and not suspiciously easy to pack
	for i := range 140_000 {
		fmt.Fprintf(&long, "%07d ", i*7919%9_999_991)
	}
	upload("en", `{"k0": "Service source 0", "long": "`+long.String()+`"}`)
	p := w.pushes(push.Options{})
	w.problem(p.Problems, enApp, "cannot be read")
	w.reports(p)
	w.holds("main", "en", "k0", "Service source 0")
	upload("en", `{"long": "short"}`)
	w.write("locales/de/app.json", `{"k0": "Eins"}`)
	w.commit()
	upload("de", `{"k0": "Service 0", "long": "`+long.String()+`"}`)
	p = w.pushes(push.Options{})
	w.problem(p.Problems, "locales/de/app.json", "cannot be read")
	w.holds("main", "de", "k0", "Service 0")
	p = w.pushes(push.Options{Translations: true})
	w.problem(p.Problems, "locales/de/app.json", "cannot be read")
	w.holds("main", "de", "k0", "Service 0")
}

// A service that was reset refuses the question, and gets what is sent.
func TestSourceTextsOfACollectionThatIsGone(t *testing.T) {
	t.Parallel()
	w := metWorld(t, "")
	w.sends(enApp + " (en): k0 k1")
	w.wire.failing(func(r *http.Request) local.Fault {
		return when(strings.HasSuffix(r.URL.Path, "/export"), local.Fault{Refuse: http.StatusBadRequest})
	})
	w.write(enApp, `{"k0": "Text 0", "k1": "Text 1", "k2": "Text 2"}`)
	w.sends(enApp + " (en): k2")
}

// Source texts that only the service has are named when their collection is met, in one warning, and are no fault. Keys that
// are here and are not sent are none of them.
func TestSourceTextsThatOnlyTheServiceHas(t *testing.T) {
	t.Parallel()
	w := metWorld(t, "")
	w.translate("main", "en", service.Final, "gone", "Gone", "k1", "Text 1", "k2", "Clash", "never", "Never")
	w.write(enApp, `{"k0": "Text 0", "k1": "Text 1", "k2": "One", "k2": "Two"}`)
	w.commit()
	for _, dry := range []bool{true, false} {
		p := w.pushes(push.Options{DryRun: dry})
		w.problem(p.Orphaned, `2 texts in collection "main" that no source file has: gone, never`)
		if p.Orphaned[0].Severity != report.Warning {
			t.Errorf("%+v", p.Orphaned)
		}
	}
	w.write(enApp, `{"k0": "Text 0", "k1": "Text 1", "k3": "Three"}`)
	if p := w.pushes(push.Options{}); len(p.Orphaned) > 0 {
		t.Errorf("named again: %v", p.Orphaned)
	}
	w.holds("main", "en", "gone", "Gone", "k3", "Three")
}
