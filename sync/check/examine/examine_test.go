package examine

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// files are a source and a translation in a format, as a project has them.
func files(t *testing.T, format, source, target string) (bundle.Target, catalog.Catalog, *resource.File) {
	t.Helper()
	c, err := config.Parse("locsync.toml", []byte("[[project]]\nname = \"app\"\nsource_language = \"en\"\n"+
		"target_languages = [\"ru\"]\n[[project.files]]\nsource = \"en.x\"\noutput = \"{LANGUAGE}.x\"\n"+
		"skip_checks = [\"printf:skipped\"]\nformat = \""+format+"\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{"en.x": {Data: []byte(source)}, "ru.x": {Data: []byte(target)}}
	bundles, _, err := bundle.Find(fsys, &c.Projects[0])
	if err != nil || len(bundles) != 1 {
		t.Fatal(bundles, err)
	}
	to := bundle.Known(bundles, c.Projects[0].Targets())[0]
	from, _, err := bundles[0].Read(fsys, "en.x", bundles[0].Source)
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := bundles[0].Read(fsys, "ru.x", to.Language)
	if err != nil {
		t.Fatal(err)
	}
	return to, bundle.Texts(from), f
}

// An entry that does not say formatted="false" is refused for what its source is not.
func TestUnitHasItsOwnFlags(t *testing.T) {
	to, source, f := files(t, "android-xml", `<resources><string name="a" formatted="false">%s %s</string></resources>`,
		`<resources><string name="a">%s %s</string></resources>`)
	of, u := New(to.Sources[0], to.Language, source), bundle.Texts(f)[0]
	if len(of.Unit(u)) != 1 || len(of.Examine(u.Name, u.Text)) > 0 {
		t.Errorf("in the file %v, as a new text %v", of.Unit(u), of.Examine(u.Name, u.Text))
	}
}

// A translation is checked against the source's text of its name, or of "other" where the source has no such form.
func TestExamine(t *testing.T) {
	to, source, f := files(t, "android-xml",
		`<resources><string name="a">%d of %s</string><string name="skipped">%d</string>`+
			`<plurals name="p"><item quantity="one">%d file</item><item quantity="other">%d files</item></plurals></resources>`,
		`<resources><string name="a">%d %d</string><string name="skipped">none</string><string name="x">%s</string>`+
			`<plurals name="p"><item quantity="few">%d of %s</item><item quantity="other">%d</item></plurals></resources>`)
	of := New(to.Sources[0], to.Language, source)
	var wrong []string
	for _, u := range bundle.Texts(f) {
		if len(of.Examine(u.Name, u.Text)) > 0 {
			wrong = append(wrong, strings.TrimSpace(u.Key+" "+u.Form))
		}
	}
	if !slices.Equal(wrong, []string{"a", "p few"}) {
		t.Errorf("wrong are %q", wrong)
	}
	if lacks := LackingForms(to.Sources[0], to.Language, source, bundle.Texts(f), nil); len(lacks) != 1 ||
		lacks["p"].Reason == "" {
		t.Errorf("lacking %v", lacks)
	}
}

// What gettext's flags say of one text decides what a placeholder is in it.
func TestExamineByFlags(t *testing.T) {
	var source, target strings.Builder
	for flags, texts := range map[string][3]string{
		"":                    {"a", "%s {b}", "%d {b}"}, // whether the types count is not known
		"c-format":            {"c", "%s {d}", "%s {e}"}, // braces are braces
		"c-format, no-wrap":   {"wrong: type", "%s", "%d"},
		"python-format":       {"wrong: name", "%(who)s", "%(wer)s"},
		"no-c-format":         {"f", "100%s", "100%d"},
		"python-brace-format": {"g", "{h} 5%d", "{h} 5%s"},
		"csharp-format":       {"wrong: brace", "{0}", "{1}"},
	} {
		source.WriteString("#, " + flags + "\nmsgid \"" + texts[0] + "\"\nmsgstr \"" + texts[1] + "\"\n\n")
		target.WriteString("msgid \"" + texts[0] + "\"\nmsgstr \"" + texts[2] + "\"\n\n")
	}
	source.WriteString("#, c-format\nmsgid \"%d x\"\nmsgid_plural \"%d xs\"\nmsgstr[0] \"%d x\"\nmsgstr[1] \"%d xs\"\n")
	target.WriteString("msgid \"%d x\"\nmsgid_plural \"%d xs\"\nmsgstr[0] \"%s x\"\nmsgstr[1] \"%d y\"\n" +
		"msgstr[2] \"%d z\"\n")
	to, texts, f := files(t, "po", source.String(), target.String())
	of := New(to.Sources[0], to.Language, texts)
	for _, u := range bundle.Texts(f) {
		wrong := len(check.Breaking(of.Examine(u.Name, u.Text))) > 0
		if want := strings.HasPrefix(u.Key, "wrong") || strings.HasPrefix(u.Text, "%s x"); wrong != want {
			t.Errorf("%s %q: %v", u.Name, u.Text, of.Examine(u.Name, u.Text))
		}
	}
}

// Rails raises an error for a number whose form is not there: where "other" is missing, too, for every one.
func TestLackingFormsOfRails(t *testing.T) {
	source := "en:\n  file:\n    one: a file\n    other: files\n"
	for text, lacks := range map[string]bool{
		"ru:\n  file:\n    one: o\n    other: x\n": false,
		"ru:\n  file:\n    one: o\n    few: f\n":   true,
	} {
		to, source, f := files(t, "structured-yaml", source, text)
		got := slices.Collect(maps.Values(LackingForms(to.Sources[0], to.Language, source, bundle.Texts(f), nil)))
		if len(got) != 1 || len(check.Breaking(got)) > 0 != lacks {
			t.Errorf("%q lacks %v", text, got)
		}
	}
}

// Entries that the service has no source text for, and keys with two texts, are unfit, and each key is named once.
func TestUnfit(t *testing.T) {
	list := func(items ...string) string {
		return "<string-array name=\"a\"><item>" + strings.Join(items, "</item><item>") + "</item></string-array>"
	}
	for name, c := range map[string]struct{ source, target, code, says string }{
		"a longer list": {list("A", "B"), list("Ah", "Be", "Ce", "De"), report.CodeShape, "has 2 items"},
		"a list for a text": {`<string name="a">A</string>`, list("Ah"), report.CodeShape,
			"it is a list, and the source has one"},
		"two texts": {`<string name="a">A</string>`, `<string name="a">1</string><string name="a">2</string>`,
			report.CodeClash, `"1" and "2"`},
		"a shorter list": {list("A", "B"), list("Ah"), "", ""},
	} {
		to, source, f := files(t, "android-xml", "<resources>"+c.source+"</resources>",
			"<resources>"+c.target+"</resources>")
		texts := bundle.Texts(f)
		all := UnfitProblems(to, texts, Unfit(to.Sources[0], source, f, texts))
		if c.code == "" && len(all) == 0 {
			continue
		}
		if len(all) != 1 || all[0].Code != c.code || all[0].Key != "a" || !strings.Contains(all[0].Problem, c.says) {
			t.Errorf("%s: %v", name, all)
		}
	}
}

// Texts of a key in another shape than the source's are a misfit; a plural of other categories is none.
func TestShapesThatDoNotFit(t *testing.T) {
	texts := func(forms ...string) (c catalog.Catalog) {
		for _, form := range forms {
			c = append(c, catalog.Unit{Name: catalog.Name{Key: "a", Form: form}})
		}
		return c
	}
	for _, c := range []struct {
		source, have, fresh []string
		fits                bool
	}{
		{[]string{""}, nil, []string{""}, true},
		{[]string{""}, nil, []string{"one", "other"}, false},
		{[]string{"one", "other"}, nil, []string{"few", "other"}, true},
		{[]string{"0", "1"}, nil, []string{"0"}, false},
		{[]string{"0", "1"}, []string{"1"}, []string{"0"}, true},
	} {
		want := Shapes(texts(c.source...), nil)
		have := Shapes(texts(c.have...), want)
		if why := Shapes(texts(c.fresh...), nil)["a"].Misfit(want["a"], have["a"]); (why == "") != c.fits {
			t.Errorf("%q and %q for %q: %q", c.fresh, c.have, c.source, why)
		}
	}
}

// Where no file is known, the entries that a collection may be of say which checks are made, and how.
func TestSettings(t *testing.T) {
	c, err := config.Parse("locsync.toml", []byte("[[project]]\nname = \"app\"\nsource_language = \"en\"\n"+
		"target_languages = [\"de\"]\n[project.check]\nsame = \"off\"\nnumber = \"error\"\n[project.check.paths]\n"+
		"\"web/**\" = { number = \"off\" }\n"+
		"[[project.files]]\nsource = \"web/en.json\"\noutput = \"web/{LANGUAGE}.json\"\ncollection = \"web\"\n"+
		"skip_checks = [\"markup:a\"]\n[[project.files]]\nsource = \"app/**/en.json\"\n"+
		"output = \"app/{DIR}/{LANGUAGE}.json\"\ncollection = \"app/{DIR}\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	web, app := Settings(&c.Projects[0], "web", "a"), Settings(&c.Projects[0], "app/x/y", "a")
	if !web.Skip(check.Markup) || web.Skip(check.Printf) || app.Skip(check.Markup) {
		t.Error("skip_checks of another entry count, or those of its own do not")
	}
	for kind, want := range map[string][2]check.Level{check.Same: {check.Off, check.Off}, check.Ends: {check.Usual, check.Usual},
		check.Number: {check.Off, check.Fail}} {
		if got := [2]check.Level{web.Level(kind), app.Level(kind)}; got != want {
			t.Errorf("%s: %v, want %v", kind, got, want)
		}
	}
	if web.Terms != nil {
		t.Error("there are terms")
	}
}
