package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

const poFiles = `
[[project.files]]
source = "po/app.pot"
output = "po/{LANGUAGE}.po"
`

const poHead = "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n"

// poFile is a file with a header for a language, and entries.
func poFile(language, pluralForms string, entries ...string) string {
	head := poHead + "\"Language: " + language + "\\n\"\n\"Plural-Forms: " + pluralForms + "\\n\"\n"
	return head + "\n" + strings.Join(entries, "\n")
}

const (
	poFilesEntry = "#, c-format\nmsgid \"%d file\"\nmsgid_plural \"%d files\"\n"
	poTemplate   = poHead + "\n" + poFilesEntry + "msgstr[0] \"\"\nmsgstr[1] \"\"\n"

	hebrew = "nplurals=4; plural=(n==1 ? 0 : n==2 ? 1 : n>10 && n%10==0 ? 2 : 3);"
	french = "nplurals=3; plural=(n == 0 || n == 1) ? 0 : n != 0 && n % 1000000 == 0 ? 1 : 2;"
)

// Where a header has more forms than the language, or one for millions, each has a text after a pull.
func TestPullFillsEachIndex(t *testing.T) {
	w := newWorld(t, "source_language = \"en\"\ntarget_languages = [\"he\", \"fr\", \"es\"]\n"+poFiles, map[string]string{
		"po/app.pot": poTemplate,
		"po/he.po":   poFile("he", hebrew, poFilesEntry+"msgstr[0] \"\"\nmsgstr[1] \"\"\nmsgstr[2] \"\"\nmsgstr[3] \"\"\n"),
		"po/fr.po":   poFile("fr", french, poFilesEntry+"msgstr[0] \"\"\nmsgstr[1] \"\"\nmsgstr[2] \"\"\n"),
		"po/es.po":   poFile("es", french, poFilesEntry+"msgstr[0] \"%d A\"\nmsgstr[1] \"%d de B\"\nmsgstr[2] \"%d B\"\n"),
	})
	w.sends("po/app.pot (en): %d file", "po/es.po (es): %d file")
	translate := func(language, message string) {
		w.translate("main", language, service.Final, "%d file", message)
	}
	translate("he", "{count, plural, one {%d one} two {%d two} other {%d other}}")
	translate("fr", "{count, plural, one {%d one} other {%d other}}")
	w.pullsClean()
	w.contains("l10n", "po/he.po", "msgstr[0] \"%d one\"\nmsgstr[1] \"%d two\"\nmsgstr[2] \"%d other\"\nmsgstr[3] \"%d other\"\n")
	w.contains("l10n", "po/fr.po", "msgstr[0] \"%d one\"\nmsgstr[1] \"%d other\"\nmsgstr[2] \"%d other\"\n")
	w.sends() // what a pull filled in is nobody's text
	translate("he", "{count, plural, one {%d one} two {%d two} other {%d newer}}")
	translate("fr", "{count, plural, one {%d one} many {%d de many} other {%d newer}}")
	translate("es", "{count, plural, one {%d A} many {%d de B} other {%d newer}}")
	w.pullsClean()
	w.contains("l10n", "po/he.po", "msgstr[2] \"%d newer\"\nmsgstr[3] \"%d newer\"\n")
	w.contains("l10n", "po/fr.po", "msgstr[0] \"%d one\"\nmsgstr[1] \"%d de many\"\nmsgstr[2] \"%d newer\"\n")
	w.contains("l10n", "po/es.po", "msgstr[0] \"%d A\"\nmsgstr[1] \"%d de B\"\nmsgstr[2] \"%d newer\"\n")
	w.sends()
	w.reports(w.clean(push.Options{}))
}

// An index for numbers of no form of its own has the text of "other", wherever it is, and changes with that alone.
func TestPullFillsIndicesThatHaveAnothersText(t *testing.T) {
	const (
		welsh = "nplurals=4; plural=(n==1) ? 0 : (n==2) ? 1 : (n != 8 && n != 11) ? 2 : 3;" // 3 has the text of 2
		apart = "nplurals=4; plural=(n==1) ? 2 : (n==2) ? 1 : (n != 8 && n != 11) ? 0 : 3;" // and here of 0
	)
	for _, c := range []struct{ header, first, second string }{
		{welsh, "msgstr[0] \"%d one\"\nmsgstr[1] \"%d two\"\nmsgstr[2] \"%d other\"\nmsgstr[3] \"%d other\"\n",
			"msgstr[0] \"%d one\"\nmsgstr[1] \"%d two\"\nmsgstr[2] \"%d newer\"\nmsgstr[3] \"%d newer\"\n"},
		{apart, "msgstr[0] \"%d other\"\nmsgstr[1] \"%d two\"\nmsgstr[2] \"%d one\"\nmsgstr[3] \"%d other\"\n",
			"msgstr[0] \"%d newer\"\nmsgstr[1] \"%d two\"\nmsgstr[2] \"%d one\"\nmsgstr[3] \"%d newer\"\n"},
	} {
		w := newWorld(t, "source_language = \"en\"\ntarget_languages = [\"cy\"]\n"+poFiles, map[string]string{
			"po/app.pot": poTemplate,
			"po/cy.po": poFile("cy", c.header,
				poFilesEntry+"msgstr[0] \"\"\nmsgstr[1] \"\"\nmsgstr[2] \"\"\nmsgstr[3] \"\"\n"),
		})
		w.clean(push.Options{})
		for _, other := range []string{"%d other", "%d newer"} {
			w.translate("main", "cy", service.Final, "%d file", "{count, plural, zero {%d zero} one {%d one} two {%d two} "+
				"few {%d few} many {%d many} other {"+other+"}}")
			w.pullsClean()
			want := c.first
			if other == "%d newer" {
				want = c.second
			}
			w.contains("l10n", "po/cy.po", want)
		}
	}
}

// Where the service lacks forms of a plural, the others have the text of "other", in files that are there and in
// new ones, until the service has them: a program of gettext shows an empty one.
func TestPullFillsMissingForms(t *testing.T) {
	const polish = "nplurals=4; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : n!=1 ? 2 : 3);"
	w := newWorld(t, "source_language = \"en\"\ntarget_languages = [\"he\", \"pl\", \"ar\"]\n"+poFiles, map[string]string{
		"po/app.pot": poTemplate,
		"po/he.po":   poFile("he", hebrew, poFilesEntry+"msgstr[0] \"\"\nmsgstr[1] \"\"\nmsgstr[2] \"\"\nmsgstr[3] \"\"\n"),
		"po/pl.po":   poFile("pl", polish),
	})
	w.sends("po/app.pot (en): %d file")
	translate := func(language, forms string) {
		w.translate("main", language, service.Final, "%d file", "{count, plural, "+forms+" other {%d other}}")
	}
	translate("he", "one {%d one}")
	translate("pl", "one {%d one} few {%d few}")
	translate("ar", "one {%d one}")
	w.pulls(pull.Options{})
	w.contains("l10n", "po/he.po", "[0] \"%d one\"\nmsgstr[1] \"%d other\"\nmsgstr[2] \"%d other\"\nmsgstr[3] \"%d other\"\n")
	w.contains("l10n", "po/pl.po", "[0] \"%d one\"\nmsgstr[1] \"%d few\"\nmsgstr[2] \"%d other\"\nmsgstr[3] \"%d other\"\n")
	w.contains("l10n", "po/ar.po", "msgstr[0] \"%d other\"\nmsgstr[1] \"%d one\"\nmsgstr[2] \"%d other\"\n")
	w.contains("l10n", "po/ar.po", "msgstr[4] \"%d other\"\nmsgstr[5] \"%d other\"\n")
	w.sends()
	translate("he", "one {%d one} two {%d two}")
	w.pulls(pull.Options{})
	w.contains("l10n", "po/he.po", "[0] \"%d one\"\nmsgstr[1] \"%d two\"\nmsgstr[2] \"%d other\"\nmsgstr[3] \"%d other\"\n")
	w.sends()
}

// contains checks a part of a file on a branch.
func (w *world) contains(branch, path, part string) {
	w.tb.Helper()
	got := w.show(branch, path) + "\n"
	if !strings.Contains(got, part) {
		w.tb.Fatalf("%s lacks\n%s\nin\n%s", path, part, got)
	}
}

// pullsClean pulls without problems.
func (w *world) pullsClean() {
	w.tb.Helper()
	if p := w.pulls(pull.Options{}); len(p.Problems) > 0 {
		w.tb.Fatalf("problems: %v", p.Problems)
	}
}

// A msgid that Android's XML cannot hold is left out, and named each time; all else goes on, other collections too.
func TestControlCharacters(t *testing.T) {
	w := newWorld(t, settings+poFiles+jsonFiles+"collection = \"web\"\n", map[string]string{
		"po/app.pot":          poHead + "\nmsgid \"\\atimed out\\n\"\nmsgstr \"\"\n\nmsgid \"Good\"\nmsgstr \"\"\n",
		"po/de.po":            poFile("de", "nplurals=2; plural=(n != 1);", "msgid \"Good\"\nmsgstr \"\\033Gut\"\n"),
		"locales/en/app.json": `{"a": "A"}`,
	})
	p := w.pushes(push.Options{})
	w.reports(p, "locales/en/app.json (en): a", "po/app.pot (en): Good")
	if len(p.Problems) != 2 || !strings.Contains(p.Problems[0].String(), "timed out") ||
		!strings.Contains(p.Problems[0].String(), "U+0007") || !strings.Contains(p.Problems[1].String(), "U+001B") {
		t.Fatalf("problems: %v", p.Problems)
	}
	w.translate("main", "fr", service.Final, "Good", "Bon")
	w.translate("web", "fr", service.Final, "a", "\u00c0")
	w.pulls(pull.Options{})
	w.contains("l10n", "po/fr.po", "msgid \"Good\"\nmsgstr \"Bon\"\n")
	w.contains("l10n", "locales/fr/app.json", "\u00c0")
	if p = w.pushes(push.Options{}); len(p.Files) > 0 || len(p.Problems) != 2 {
		t.Fatalf("sent %v, problems: %v", p.Files, p.Problems)
	}
}

// Of Android's resources of one name one kind is sent; the other is named and left alone, and nothing else stops.
func TestAndroidKindsOfOneName(t *testing.T) {
	const minutes = "<plurals name=\"minutes\"><item quantity=\"one\">%d minute</item><item quantity=\"other\">%d minutes</item></plurals>"
	const array = "<string-array name=\"minutes\"><item>a</item><item>b</item></string-array>"
	const text = "<string name=\"minutes\">Minutes</string>"
	for _, other := range []string{array, text} {
		for _, source := range []string{minutes + other, other + minutes} {
			w := newWorld(t, settings+"[[project.files]]\nsource = \"values/strings.xml\"\noutput = \"values-{LANGUAGE}/strings.xml\"\n",
				map[string]string{"values/strings.xml": "<resources>\n    <string name=\"x\">X</string>\n    " + source + "\n</resources>\n"})
			p := w.pushes(push.Options{})
			w.reports(p, "values/strings.xml (en): x minutes")
			w.problem(p.Problems, "minutes", "of one name")
			w.translate("main", "de", service.Final, "minutes", "{count, plural, one {%d Minute} other {%d Minuten}}", "x", "Ix")
			w.pulls(pull.Options{})
			w.contains("l10n", "values-de/strings.xml", "%d Minuten")
			w.translate("main", "de", service.Final, "minutes", "{count, plural, one {%d Min.} other {%d Min.}}")
			w.pulls(pull.Options{})
			w.contains("l10n", "values-de/strings.xml", "%d Min.")
			w.problem(w.pushes(push.Options{}).Problems, "of one name")
		}
	}
}

// Of three kinds of one name two are left alone, and each is named.
func TestAndroidThreeKindsOfOneName(t *testing.T) {
	kinds := []string{"<plurals name=\"m\"><item quantity=\"one\">1</item><item quantity=\"other\">2</item></plurals>",
		"<string-array name=\"m\"><item>a</item><item>b</item></string-array>", "<string name=\"m\">M</string>"}
	for first := range 3 {
		source := kinds[first] + kinds[(first+1)%3] + kinds[(first+2)%3]
		w := newWorld(t, settings+"[[project.files]]\nsource = \"values/strings.xml\"\noutput = \"values-{LANGUAGE}/strings.xml\"\n",
			map[string]string{"values/strings.xml": "<resources>" + source + "</resources>\n"})
		p := w.pushes(push.Options{})
		w.reports(p, "values/strings.xml (en): m")
		if len(p.Problems) != 2 {
			t.Fatalf("%d problems, want one for each that is left alone: %v", len(p.Problems), p.Problems)
		}
		told := p.Problems[0].Problem + p.Problems[1].Problem
		if !strings.Contains(told, "a plural and a list of one name") || !strings.Contains(told, "a plural and one text of one name") {
			t.Errorf("told %v", p.Problems)
		}
	}
}

// One text where the template has a plural is one problem, and is not sent again with each push.
func TestSingularUnderPluralTemplate(t *testing.T) {
	w := newWorld(t, settings+poFiles, map[string]string{
		"po/app.pot": poTemplate,
		"po/de.po":   poFile("de", "nplurals=2; plural=(n != 1);", "msgid \"%d file\"\nmsgstr \"Eine Datei\"\n"),
	})
	for i, sent := range [][]string{{"po/app.pot (en): %d file"}, nil, nil} {
		p := w.pushes(push.Options{All: i == 2})
		if i < 2 {
			w.reports(p, sent...)
		}
		w.problem(p.Problems, "po/de.po", "one text", "a plural")
	}
	result, err := w.Check(t.Context(), inspect.Options{})
	w.check(err)
	of := slices.DeleteFunc(result.Projects[0].Problems, func(p report.Problem) bool { return p.File != "po/de.po" })
	if len(of) != 1 || of[0].Code != report.CodeShape {
		t.Errorf("check says %v", of)
	}
}

// One changed word in a template keeps the translations as fuzzy ones, which are sent to no service and count for
// nothing, until there are new ones.
func TestChangedMsgid(t *testing.T) {
	entry := func(id, text string) string { return "#: a.py:1\nmsgid \"" + id + "\"\nmsgstr \"" + text + "\"\n" }
	const forms = "nplurals=2; plural=(n != 1);"
	w := newWorld(t, settings+poFiles, map[string]string{
		"po/app.pot": poHead + "\n" + entry("Delete the user", "") + "\n" + entry("Good", "") + "\n" + entry("Quit", ""),
		"po/de.po": poFile("de", forms, entry("Delete the user", "Benutzer löschen"), entry("Good", "Gut"),
			entry("Quit", "Beenden")),
	})
	w.sends("po/app.pot (en): Delete the user Good Quit", "po/de.po (de): Delete the user Good Quit")
	w.pullsClean()
	w.writeAndCommit("po/app.pot", poHead+"\n"+entry("Remove the user", "")+"\n"+entry("Good", ""))
	w.sends("po/app.pot (en): Remove the user")
	w.pullsClean()
	const fuzzy = "#: a.py:1\n#, fuzzy\n#| msgid \"Delete the user\"\nmsgid \"Remove the user\"\nmsgstr \"Benutzer löschen\"\n"
	w.has("l10n", "po/de.po", poFile("de", forms, fuzzy, entry("Good", "Gut"),
		"#~ msgid \"Quit\"\n#~ msgstr \"Beenden\"\n"))
	w.git("merge", "-q", "l10n")
	w.sends()
	w.brings()
	for _, l := range w.Status(t.Context()).Projects[0].Languages {
		if l.Language == "de" && (l.Keys != 1 || l.Missing != 1) {
			t.Errorf("German has %d keys, %d are missing", l.Keys, l.Missing)
		}
	}
	w.final("de", "Remove the user", "Benutzer entfernen")
	w.pullsClean()
	w.contains("l10n", "po/de.po", "\n\n"+entry("Remove the user", "Benutzer entfernen"))
}

// A header with fewer forms than the language has: a form more at the service does not keep the others from coming.
func TestPullLeavesOutFormsWithoutAnIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "source_language = \"en\"\ntarget_languages = [\"he\", \"tr\"]\n"+poFiles, map[string]string{
		"po/app.pot": poTemplate,
		"po/he.po":   poFile("he", "nplurals=2; plural=(n != 1);", poFilesEntry+"msgstr[0] \"\"\nmsgstr[1] \"\"\n"),
		"po/tr.po":   poFile("tr", "nplurals=1; plural=0;", poFilesEntry+"msgstr[0] \"\"\n"),
	})
	w.clean(push.Options{})
	w.translate("main", "he", service.Final, "%d file", "{count, plural, one {%d one} two {%d two} other {%d other}}")
	w.translate("main", "tr", service.Final, "%d file", "{count, plural, one {%d one} other {%d other}}")
	w.pullsClean()
	w.contains("l10n", "po/he.po", "msgstr[0] \"%d one\"\nmsgstr[1] \"%d other\"\n")
	w.contains("l10n", "po/tr.po", "msgstr[0] \"%d other\"\n")
	w.sends()
	w.holds("main", "he", "%d file", "{count, plural, one {%d one} two {%d two} other {%d other}}")
	w.brings()
}

// A plural is judged by the indexes that the file has, in pulls as in check: forms without an index are not asked for,
// and what the service lacks of the others has the text of "other", also where that has no index of its own.
func TestPullJudgesThePluralsOfTheHeader(t *testing.T) {
	const slavic = "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"
	t.Parallel()
	for _, c := range []struct{ language, header, service, want string }{
		{"pl", "nplurals=2; plural=(n != 1);", "one {%d one} few {%d few} many {%d many} other {%d other}", "%d one|%d many"},
		{"he", "nplurals=2; plural=(n != 1);", "one {%d one} two {%d two} many {%d many} other {%d other}", "%d one|%d other"},
		{"pl", slavic, "one {%d one} few {%d few} other {%d other}", "%d one|%d few|%d other"},
		{"ru", slavic, "one {%d one} many {%d many} other {%d other}", "%d one|%d other|%d many"},
		{"uk", slavic, "other {%d other}", "%d other|%d other|%d other"},
		{"ar", "nplurals=2; plural=(n != 1);", "zero {%d zero} one {%d one} few {%d few} other {%d other}", "%d one|%d other"},
	} {
		t.Run(c.language+" "+c.service, func(t *testing.T) {
			t.Parallel()
			file := "po/" + c.language + ".po"
			w := newWorld(t, "source_language = \"en\"\ntarget_languages = [\""+c.language+"\"]\n"+poFiles,
				map[string]string{"po/app.pot": poTemplate, file: poFile(c.language, c.header)})
			w.clean(push.Options{})
			w.translate("main", c.language, service.Final, "%d file", "{count, plural, "+c.service+"}")
			w.pullsClean()
			for i, text := range strings.Split(c.want, "|") {
				w.contains("l10n", file, fmt.Sprintf("msgstr[%d] %q\n", i, text))
			}
			w.git("merge", "-q", "l10n")
			w.finds()
			w.brings()
			w.sends()
		})
	}
}
