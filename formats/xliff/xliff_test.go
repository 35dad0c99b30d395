package xliff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/oracle/oracletest"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// hard are texts that the format finds difficult to spell.
var hard = []string{" ", "  two", "\t", "\n", "two\nlines", "a & b < c > d", "]]>", `"quoted" 'it''s'`,
	"{0} é א 😀", "<b>bold</b>", "&amp;",
	`Hi <x id="INTERPOLATION" equiv-text="{{name}}"/>!`, `<g id="1">a <x id="2"/> < b</g>`,
	`<g id="1">open`, "<!-- no -->", "</g>", "<em>a</em> <sm>", `<em startRef="1"/>`}

// angular and symfony are files of the two kinds, around units.
func angular(units string) string {
	return `<?xml version="1.0" encoding="UTF-8" ?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file source-language="en" datatype="plaintext" original="ng2.template">
    <body>
` + units + `    </body>
  </file>
</xliff>
`
}

func second(units string) string {
	return `<?xml version="1.0" encoding="UTF-8" ?>
<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en">
  <file original="ng.template" id="ngi18n">
` + units + `  </file>
</xliff>
`
}

func entry(id, inside string) string {
	return "      <trans-unit id=\"" + id + "\" datatype=\"html\">\n" + inside + "      </trans-unit>\n"
}

func line(name, text string) string { return "        <" + name + ">" + text + "</" + name + ">\n" }

// segment is the unit k of version 2.
func segment(state, target string) string {
	return "    <unit id=\"k\">\n      <segment" + state + ">\n        <source>s</source>\n        <target>" + target +
		"</target>\n      </segment>\n    </unit>\n"
}

func both(source, target string) string { return line("source", source) + line("target", target) }

// edges are cases with the text that the key k has in a translation.
var edges = []struct{ name, src, want string }{
	{"both texts", angular(entry("k", both("Source", "Text"))), "Text"},
	{"source alone", angular(entry("k", line("source", "Source"))), ""},
	{"empty target", angular(entry("k", both("Source", ""))), ""},
	{"closed target", angular(entry("k", line("source", "Source")+"        <target/>\n")), ""},
	{"state", angular(entry("k", line("source", "Source")+"        <target state=\"translated\">Text</target>\n")),
		"Text"},
	{"needs translation", angular(entry("k", line("source",
		"Source")+"        <target state='needs-translation'>Source</target>\n")), ""},
	{"new and closed", angular(entry("k", line("source", "Source")+"        <target state=\"new\"/>\n")), ""},
	{"codes", angular(entry("k", both(`Hi <x id="INTERPOLATION" equiv-text="{{name}}"/>!`,
		`Text <x id="INTERPOLATION" equiv-text="{{name}}"/> &amp; &lt;b&gt;`))),
		`Text <x id="INTERPOLATION" equiv-text="{{name}}"/> & <b>`},
	{"nested codes", angular(entry("k", both("s", `<g id="1">Te<g id="2">x</g></g><ph id="3">&lt;br/&gt;</ph>t`))),
		`<g id="1">Te<g id="2">x</g></g><ph id="3"><br/></ph>t`},
	{"characters like markers", angular(entry("k", both("a &lt;em&gt;b&lt;/em&gt;", `a &lt;em&gt;B&lt;/em&gt;`))),
		"a <em>B</em>"},
	{"a marker", second(segment("", `<sm id="1" type="x:y"/>a<em startRef="1"/>`)), `<sm id="1" type="x:y"/>a<em startRef="1"/>`},
	{"characters like codes", angular(entry("k", both("s", "Text")) + entry("j", both("s", `a &lt;x id="1"/&gt;`))),
		"Text"},
	{"other elements", angular(entry("k", both("s", "Text")) + entry("j", both("s", "a <b>c</b>"))), "Text"},
	{"cdata", angular(entry("k", both("s", "<![CDATA[<b>Text</b> & more]]>"))), "<b>Text</b> & more"},
	{"notes", angular(entry("k", both("s",
		"Text")+"        <note priority=\"1\" from=\"description\">For &amp; you</note>\n        <note priority=\"1\" from=\"meaning\">greeting</note>\n")), "Text"},
	{"contexts", angular(entry("k", both("s",
		"Text")+"        <context-group purpose=\"location\">\n          <context context-type=\"sourcefile\">a.ts</context>\n        </context-group>\n")), "Text"},
	{"other targets", angular(entry("k", both("s", "Text")+"        <alt-trans><target>no</target></alt-trans>\n")),
		"Text"},
	{"groups", angular("      <group id=\"g\">\n" + entry("k", both("s", "Text")) + "      </group>\n"), "Text"},
	{"on one line",
		"<xliff version=\"1.2\"><file><body><trans-unit id=\"k\"><source>s</source><target>Text</target></trans-unit><trans-unit id=\"j\"><source>s</source></trans-unit></body></file></xliff>", "Text"},
	{"not translated", angular(entry("k", both("s", "Text")) +
		"      <trans-unit id=\"j\" translate=\"no\"><source>s</source></trans-unit>\n"), "Text"},
	{"windows line ends", strings.ReplaceAll(angular(entry("k", both("s", "one\ntwo"))+entry("j", line("source", "s"))),
		"\n", "\r\n"), "one\ntwo"},
	{"mark", "\xef\xbb\xbf" + angular(entry("k", both("s", "Text"))), "Text"},
	{"no units", angular(""), ""},
	{"id twice", angular(entry("k", both("s", "first")) + entry("k", both("s", "Text"))), "Text"},
	{"closed unit", angular(entry("k", both("s", "Text")) + "      <trans-unit id=\"j\"/>\n"), "Text"},
	{"comments", angular("      <!-- a -->\n" + entry("k", "        <!-- b -->\n"+both("s", "Te<!-- c -->xt"))),
		"Text"},
	{"headers", strings.Replace(angular(entry("k", both("s", "Text"))), "    <body>",
		"    <header><tool tool-id=\"symfony\"/></header>\n    <body>", 1), "Text"},
	{"second version",
		second("    <unit id=\"k\">\n      <notes>\n        <note category=\"location\">a.ts:1</note>\n      </notes>\n      <segment state=\"final\">\n" +
			"        <source>s <ph id=\"0\" equiv=\"X\"/></source>\n        <target>Text <pc id=\"1\">x</pc></target>\n      </segment>\n    </unit>\n"), `Text <pc id="1">x</pc>`},
	{"second version, initial", second(segment(" state=\"initial\"", "s")), ""},
	{"second version, initial, but written", second(segment(" state=\"initial\"", "Text")), "Text"},
	{"new, a copy", angular(entry("k", line("source",
		"A &amp; B")+"        <target state=\"new\">A &#38; B</target>\n")), ""},
	{"new, but written", angular(entry("k", line("source", "s")+"        <target state=\"new\">Text</target>\n")),
		"Text"},
	{"second version, no state", second(segment("", "Text")), "Text"},
	{"second version, source alone",
		second("    <unit id=\"k\">\n      <segment>\n        <source>s</source>\n      </segment>\n    </unit>\n"),
		""},
	{"segments",
		second("    <unit id=\"k\"><segment><source>s</source><target>Text</target></segment></unit>\n    <unit id=\"j\"><segment><source>a</source></segment><segment><source>b</source></segment></unit>\n"), "Text"},
}

func strict(g resource.Grammar, src []byte, texts ...string) resourcetest.Case {
	return resourcetest.Case{Grammar: g, Src: src, NewTexts: texts,
		Refuses: resourcetest.Rules("this text is in the program", "in this format, an empty text",
			"inline codes are not well-formed", "XML does not have", "not translated here"),
		Undone: func(f *resource.File, _ string) bool { return f.Len() > 1 }}
}

func TestLaws(t *testing.T) {
	for i, g := range []resource.Grammar{Translations, Source, SymfonyTranslations, SymfonySource} {
		for _, c := range edges {
			t.Run(fmt.Sprint(c.name, " ", i), func(t *testing.T) {
				if i > 1 {
					c.src = strings.Replace(c.src, "ng2.template", "file.ext", 1)
				}
				laws := strict(g, []byte(c.src), hard...)
				laws.Any = i != 0 // sources are only read, and these are no files of Symfony's
				f := resourcetest.Check(t, laws)
				if f == nil {
					t.Fatal("refused")
				}
				rule := oracle.Rule{Format: "xliff", Translated: i%2 == 0}
				if i > 1 {
					rule.Format = "symfony-xliff"
				}
				oracletest.Agree(t, f, rule)
				if e, _ := f.Lookup("k", ""); i == 0 && e.Text != c.want {
					t.Errorf("k is %q, want %q", e.Text, c.want)
				}
			})
		}
	}
}

func FuzzLaws(f *testing.F) {
	resourcetest.Seeds(f)
	for _, c := range edges {
		f.Add([]byte(c.src))
	}
	f.Add([]byte(exported(exportedFile(app, "de", entry("k", both("s", "Text"))))))
	f.Fuzz(resourcetest.Mutated(func(t *testing.T, src []byte) {
		if len(src) > 4<<10 {
			return
		}
		for _, g := range []resource.Grammar{Translations, SymfonySource} {
			c := strict(g, src, hard[len(src)%len(hard)])
			c.Any = true
			resourcetest.Check(t, c)
		}
	}))
}

func parse(t testing.TB, g resource.Grammar, src string) *resource.File {
	t.Helper()
	f, err := resource.Parse(g, resource.Keys{}, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func set(key, text string) resource.Edit {
	return resource.Edit{Op: resource.Set, Key: key, Text: text}
}

// A new text brings the source up to date, and a state that says that there is none; a new unit is the source file's.
func TestBeside(t *testing.T) {
	note := "        <note from=\"description\">For you</note>\n"
	source := parse(t, Source, angular(entry("a", line("source", "New &amp; <x id=\"1\"/>")+note)+entry("b",
		line("source", "B"))))
	old := parse(t, Translations,
		angular("      <trans-unit id=\"a\"><source>Old</source><target state=\"needs-translation\">Alt</target></trans-unit>\n"))
	out, refused := old.Rewrite([]resource.Edit{set("a", "Neu <x id=\"1\"/>"), set("b", "Be")}, source)
	want := angular("      <trans-unit id=\"a\"><source>New &amp; <x id=\"1\"/></source><target state=\"translated\">Neu <x id=\"1\"/></target></trans-unit>\n" +
		entry("b", both("B", "Be")))
	if len(refused) > 0 || string(out) != want {
		t.Errorf("%v\n%s, want\n%s", refused, out, want)
	}
	rule := oracle.Rule{Format: "xliff", Translated: true}
	if err := rule.Prove(old.Bytes(), out, []oracle.Change{{Key: "a", Text: "Neu <x id=\"1\"/>"},
		{Key: "b", Text: "Be"}}); err != nil {
		t.Error(err)
	}
}

// A copy of the source in the state that a segment begins with is no translation; a text for it is.
func TestInitial(t *testing.T) {
	src := second(segment(" state='initial'", "s"))
	out, refused := parse(t, Translations, src).Rewrite([]resource.Edit{set("k", "Text")}, nil)
	want := strings.NewReplacer("'initial'", "\"translated\"", "<target>s", "<target>Text").Replace(src)
	if len(refused) > 0 || string(out) != want {
		t.Errorf("%v\n%s, want\n%s", refused, out, want)
	}
	if e, _ := parse(t, Source, src).Lookup("k", ""); e.Text != "s" {
		t.Errorf("the source's text is %q", e.Text)
	}
}

// A new language says its language, and has the units that are translated.
func TestBlank(t *testing.T) {
	source := angular(entry("a", line("source", "A")) + entry("b", both("b.key", "B")))
	blank, err := Blank([]byte(source), "pt_BR")
	if err != nil {
		t.Fatal(err)
	}
	out, refused := parse(t, Translations, string(blank)).Fresh([]resource.Edit{set("b", "Be")})
	want := strings.Replace(angular(entry("b", both("b.key", "Be"))), "\"en\"", "\"en\" target-language=\"pt_BR\"", 1)
	if len(refused) > 0 || string(out) != want {
		t.Errorf("%v\n%s, want\n%s", refused, out, want)
	}
	err = oracle.Rule{Format: "xliff"}.ProveNew([]byte(source), out, []oracle.Change{{Key: "b", Text: "Be"}},
		oracle.Rule{Format: "xliff", Translated: true})
	if err != nil {
		t.Error(err)
	}
}

// Symfony goes by the resname, or else by the source; its source files have texts of their own.
func TestSymfony(t *testing.T) {
	src := angular("      <trans-unit id=\"1\" resname=\"a.title\">\n" + both("a.title", "Title") +
		"      </trans-unit>\n" + entry("2", line("source", "Bye &amp; good")))
	f := parse(t, SymfonySource, strings.Replace(src, "ng2.template", "file.ext", 1))
	for key, want := range map[string]string{"a.title": "Title", "Bye & good": "Bye & good"} {
		if e, _ := f.Lookup(key, ""); e.Text != want {
			t.Errorf("%s is %q", key, e.Text)
		}
	}
}
