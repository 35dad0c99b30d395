package engine

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
)

// A key that was renamed keeps its translations, in the state that pulls ask for, and the next pull finds them.
func TestPushOfARenamedKey(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.translate("main", "fr", service.Final, "a", "A fr")
	w.translate("main", "fr", service.Draft, "b", "B draft")
	w.write(enApp, `{"new": "A", "b": "B"}`)
	dry := w.clean(push.Options{DryRun: true})
	p := w.clean(push.Options{})
	for i := range dry.Files {
		dry.Files[i].Changes = nil // only a dry run says them
	}
	if fmt.Sprint(dry.Files, dry.Renamed) != fmt.Sprint(p.Files, p.Renamed) {
		t.Errorf("the dry run promised %v, and the push did %v", dry, p)
	}
	w.reports(p, deApp+" (de): new", enApp+" (en): new", "locales/fr/app.json (fr): new")
	if len(p.Renamed) != 1 || p.Renamed[0].From != "a" || p.Renamed[0].To != "new" || strings.Join(p.Renamed[0].Languages, " ") != "de fr" {
		t.Errorf("renamed %+v", p.Renamed)
	}
	if got := w.atLeast("main", "de", service.Final); got["new"] != "A de" {
		t.Errorf("the service has %v", got)
	}
	w.sends()
	w.commit()
	w.pulls(pull.Options{})
	if got := compact(w.show("l10n", deApp)); !strings.Contains(got, `"new": "A de"`) || strings.Contains(got, `"a"`) {
		t.Errorf("the branch has %s", got)
	}
	w.sends()
	if s := w.Status(t.Context()).Projects[0]; s.Removed != 1 {
		t.Errorf("%d removed", s.Removed)
	}
}

// A dry run counts a translation that follows its key once, also where the repository has it under the new key already and everything is to be sent.
func TestDryRunWhereTheTranslationWasRenamedToo(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.write(enApp, `{"new": "A", "b": "B"}`)
	w.write(deApp, `{"new": "A de", "b": "B de"}`)
	w.commit()
	for _, dry := range []bool{true, false} {
		p := w.clean(push.Options{DryRun: dry, Translations: true})
		w.reports(p, deApp+" (de): new", enApp+" (en): new")
		if p.Keys != 2 || p.Requests != 2 {
			t.Errorf("dry run %v: %d keys, %d requests", dry, p.Keys, p.Requests)
		}
	}
	if got := w.atLeast("main", "de", service.Final); got["new"] != "A de" {
		t.Errorf("the service has %v", got)
	}
}

// A renamed key takes its unsent translation along: what that sends is not asked for again, in a dry run neither.
func TestDryRunOfARenameWithAnUnsentTranslation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "A", "b": "B"}`})
	w.clean(push.Options{})
	w.write(enApp, `{"new": "A", "b": "B"}`)
	w.commit()
	w.write(deApp, `{"a": "A hand"}`)
	w.commit()
	w.pulls(pull.Options{Full: true})
	dry, done := w.clean(push.Options{DryRun: true}), w.clean(push.Options{})
	if dry.Keys != done.Keys || dry.Requests != done.Requests || dry.Exports != done.Exports {
		t.Errorf("the dry run says %d keys, %d requests, %d exports; they are %d, %d, %d",
			dry.Keys, dry.Requests, dry.Exports, done.Keys, done.Requests, done.Exports)
	}
}

// What could be more than one rename is none.
func TestPushOfAmbiguousRenames(t *testing.T) {
	t.Parallel()
	plural := func(key, one, other string) string {
		return `<plurals name="` + key + `"><item quantity="one">` + one + `</item><item quantity="other">` + other + `</item></plurals>`
	}
	android := "[[project.files]]\nsource = \"values/s.xml\"\noutput = \"values-{LOCALE:ANDROID}/s.xml\"\n"
	x := `"x" (locales/en/app.json)`
	xy := x + `, "y" (locales/en/app.json)`
	for name, c := range map[string]struct {
		project, path, before, after string
		gone                         int
		twins                        map[string]string
	}{
		"two new keys":        {jsonFiles, enApp, `{"a": "Text"}`, `{"x": "Text", "y": "Text"}`, 1, map[string]string{"a": xy}},
		"two keys gone":       {jsonFiles, enApp, `{"a": "Text", "b": "Text"}`, `{"x": "Text"}`, 2, map[string]string{"a": x, "b": x}},
		"two of each":         {jsonFiles, enApp, `{"a": "Text", "b": "Text"}`, `{"x": "Text", "y": "Text"}`, 2, map[string]string{"a": xy, "b": xy}},
		"one of them stayed":  {jsonFiles, enApp, `{"a": "Text", "b": "Text"}`, `{"x": "Text", "b": "Text"}`, 1, map[string]string{"a": x}},
		"an old key has it":   {jsonFiles, enApp, `{"a": "Text", "x": "X", "y": "Y"}`, `{"x": "Text", "y": "Text"}`, 1, map[string]string{"a": xy}},
		"the key stayed":      {jsonFiles, enApp, `{"a": "Text", "x": "X", "y": "Y"}`, `{"a": "A", "x": "Text", "y": "Text"}`, 0, map[string]string{"a": xy}},
		"beside a rename":     {jsonFiles, enApp, `{"a": "Text", "b": "B"}`, `{"x": "Text", "y": "Text", "c": "B"}`, 1, map[string]string{"a": xy}},
		"another text":        {jsonFiles, enApp, `{"a": "Text"}`, `{"x": "text"}`, 1, nil},
		"one of two is gone":  {jsonFiles, enApp, `{"a": "Text", "b": "Text"}`, `{"b": "Text"}`, 1, nil},
		"signs":               {jsonFiles, enApp, `{"a": "-"}`, `{"x": "-", "y": "-"}`, 1, nil},
		"plurals":             {android, "values/s.xml", `<resources>` + plural("a", "1 file", "%d files") + plural("b", "1 file", "%d files") + `</resources>`, `<resources>` + plural("x", "1 file", "%d files") + `</resources>`, 2, map[string]string{"a": `"x" (values/s.xml)`, "b": `"x" (values/s.xml)`}},
		"one form of plurals": {android, "values/s.xml", `<resources>` + plural("a", "1 file", "%d files") + `</resources>`, `<resources>` + plural("x", "1 file", "%d documents") + `</resources>`, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, settings+c.project, map[string]string{c.path: c.before})
			w.clean(push.Options{})
			w.write(c.path, c.after)
			dry, p := w.pushes(push.Options{DryRun: true}), w.pushes(push.Options{})
			if !slices.Equal(dry.Problems, p.Problems) {
				t.Errorf("the dry run names %v, the push %v", dry.Problems, p.Problems)
			}
			if len(p.Renamed) > 0 && name != "beside a rename" || len(p.Orphaned) != c.gone || len(p.Problems) != len(c.twins) {
				t.Errorf("renamed %+v, gone %v, named %v", p.Renamed, p.Orphaned, p.Problems)
			}
			for _, of := range p.Problems {
				if of.Code != report.CodeRename || !strings.Contains(of.Problem, "is under "+c.twins[of.Key]+" now;") {
					t.Errorf("%s: %q names %q, want %q", of.Key, of.Code, of.Problem, c.twins[of.Key])
				}
			}
			w.clean(push.Options{}) // it is named once
		})
	}
	t.Run("later", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "Text"}`})
		w.clean(push.Options{})
		w.write(enApp, `{}`)
		w.clean(push.Options{})
		w.write(enApp, `{"x": "Text"}`)
		if p := w.clean(push.Options{}); len(p.Renamed) > 0 {
			t.Errorf("renamed %+v", p.Renamed)
		}
	})
}

// A plural is renamed with all of its forms, also those that only the translation has.
func TestPushOfARenamedPlural(t *testing.T) {
	t.Parallel()
	xml := func(key string, forms ...string) string {
		var b strings.Builder
		b.WriteString("<resources><plurals name=\"" + key + "\">")
		for i := 0; i < len(forms); i += 2 {
			b.WriteString(`<item quantity="` + forms[i] + `">` + forms[i+1] + `</item>`)
		}
		return b.String() + "</plurals></resources>"
	}
	w := newWorld(t, "source_language = \"en\"\ntarget_languages = [\"pl\"]\n[[project.files]]\nsource = \"values/s.xml\"\noutput = \"values-{LOCALE:ANDROID}/s.xml\"\n",
		map[string]string{"values/s.xml": xml("a", "one", "1 file", "other", "%d files")})
	w.clean(push.Options{})
	w.upload(service.ImportRequest{Project: w.id, Collection: "main", Language: "pl", Format: "android-xml", CompletionState: "final",
		Files: []service.Upload{{Name: "s.xml", Body: []byte(xml("a", "one", "1 plik", "few", "%d pliki", "many", "%d plików", "other", "%d pliku"))}}})
	w.write("values/s.xml", xml("x", "one", "1 file", "other", "%d files"))
	w.wire.take("")
	p := w.clean(push.Options{})
	w.reports(p, "values-pl/s.xml (pl): x", "values/s.xml (en): x")
	if body := w.wire.take("import")[1].files["s.xml"]; !strings.Contains(body, "%d pliki") || !strings.Contains(body, "%d plików") {
		t.Errorf("sent %s", body)
	}
}

// A rename whose translations could not be moved is not forgotten.
func TestPushOfARenameThatIsInterrupted(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.write(enApp, `{"new": "A", "b": "B"}`)
	imports := 0
	w.wire.failing(func(r *http.Request) local.Fault {
		if isImport(r) {
			imports++
		}
		return when(isImport(r) && imports == 2, local.Fault{Refuse: 500})
	})
	if _, err := w.Push(t.Context(), push.Options{}); err == nil {
		t.Fatal("the push went well")
	}
	w.wire.failing(nil)
	w.restart(w.Config)
	w.clean(push.Options{})
	if got := w.atLeast("main", "de", service.Final); got["new"] != "A de" {
		t.Errorf("the service has %v", got)
	}
	w.sends()
	w.wire.take("")
	w.sends()
	w.silent()
}

// The same key is renamed in the source and by hand in a translation: nothing is sent twice, and the hand's text counts.
func TestPushOfARenameEverywhere(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.write(enApp, `{"new": "A", "b": "B"}`, deApp, `{"new": "A de", "b": "B de"}`)
	w.sends(deApp+" (de): new", enApp+" (en): new")
	w.sends()
	w.write(enApp, `{"newer": "A", "b": "B"}`, deApp, `{"newer": "A hand", "b": "B de"}`)
	w.clean(push.Options{})
	w.holds("main", "de", "newer", "A hand")
	w.sends()
}

// The translations wait as long as the service refuses the file that has the new key, and are nobody's when the new key says something else by then.
func TestPushOfARenameThatIsRefused(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for name, c := range map[string]struct{ later, want string }{
		"and taken later":            {`{"new": "A", "b": "B"}`, "A de"},
		"and means something else":   {`{"new": "Another", "b": "B"}`, ""},
		"and is taken back":          {`{"a": "A", "b": "B"}`, ""},
		"and renamed further":        {`{"newer": "A", "b": "B"}`, "newer: A de"},
		"and has a twin by then":     {`{"new": "A", "twin": "A", "b": "B"}`, "A de"},
		"and its text changed twice": {`{"new": "A?", "b": "B"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := mergedWorld(t, settings+jsonFiles)
			w.write(enApp, `{"new": "A", "b": "B"}`, "locales/en/two.json", `{"two": "Two"}`)
			w.wire.spoil("app.json", `{"new": `)
			p := w.pushes(push.Options{})
			if len(p.Renamed) > 0 || len(p.Problems) != 1 {
				t.Fatalf("%+v", p)
			}
			w.wire.spoil("", "")
			w.restart(w.Config)
			w.write(enApp, c.later)
			w.clean(push.Options{})
			key, want, other := strings.Cut(c.want, ": ")
			if !other {
				key, want = "new", c.want
			}
			if got := w.at("main", "de")[key]; got != want {
				t.Errorf("the service has %q, want %q", got, c.want)
			}
			w.clean(push.Options{})
		})
	}
}

// A translator has changed a text that follows its key, and no pull has brought it. A person's text under the new key
// does not replace it unseen, and the dry run says so; a text that only has the new key has nothing to say.
func TestRenameMeetsAnEdit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hand     string
		conflict bool
	}{"edited": {"A hand", true}, "only renamed": {"A de", false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := mergedWorld(t, localFinal+jsonFiles)
			w.translate("main", "de", service.Final, "a", "A newer")
			w.write(enApp, `{"new": "A", "b": "B"}`, deApp, `{"new": "`+c.hand+`", "b": "B de"}`)
			w.commit()
			dry := w.pushes(push.Options{DryRun: true})
			p := w.pushes(push.Options{})
			if fmt.Sprint(dry.Problems, dry.Replaced, dry.Keys) != fmt.Sprint(p.Problems, p.Replaced, p.Keys) {
				t.Errorf("the dry run said %v %v, and it was %v %v", dry.Problems, dry.Replaced, p.Problems, p.Replaced)
			}
			if len(p.Replaced) > 0 {
				t.Errorf("replaced %v", p.Replaced)
			}
			if c.conflict {
				w.problem(p.Problems, deApp+`: "new" (de)`, "A hand", "A newer")
			} else if len(p.Problems) > 0 {
				t.Errorf("%v", p.Problems)
			}
			if got := w.atLeast("main", "de", service.Final)["new"]; got != "A newer" {
				t.Errorf("the service has %q", got)
			}
			w.pulls(pull.Options{})
			if c.conflict { // neither side changes before it is decided
				w.pushes(push.Options{Theirs: true})
				w.pulls(pull.Options{})
			}
			if got := compact(w.show("l10n", deApp)); !strings.Contains(got, `"new": "A newer"`) {
				t.Errorf("the branch has %s", got)
			}
		})
	}
}

// Under its new key a translator has changed a text, and another one under the old key. Neither has had the other's: the
// one under the new key stays, and both are named.
func TestRenameMeetsATranslator(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, localFinal+jsonFiles)
	w.translate("main", "en", service.Final, "new", "A")
	w.translate("main", "de", service.Final, "new", "A elsewhere")
	w.translate("main", "de", service.Final, "a", "A newer")
	w.write(enApp, `{"new": "A", "b": "B"}`)
	w.commit()
	dry := w.pushes(push.Options{DryRun: true})
	p := w.pushes(push.Options{})
	for _, of := range []report.ProjectPush{dry, p} {
		w.problem(of.Problems, deApp+`: "new" (de)`, "A elsewhere", "A newer")
	}
	if got := w.atLeast("main", "de", service.Final)["new"]; got != "A elsewhere" {
		t.Errorf("the service has %q", got)
	}
}
