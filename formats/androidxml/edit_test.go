package androidxml

import (
	"bytes"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
)

const source = `<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE resources [ <!ENTITY app "My App"> ]>
<resources xmlns:tools="http://schemas.android.com/tools" xmlns:x="urn:oasis:names:tc:xliff:document:1.2" tools:locale="en">
  <!-- Shown first. -->
  <string name="first" formatted="false" tools:ignore="Typos" msgid="1">one</string>
  <string name="second" product="tablet">tab &amp; let</string>
  <string name="second" product="default">phone</string>
  <item name="third" type="string">It\'s</item>
  <string name="quoted">"It's"</string>
  <string name="cdata"><![CDATA[<b>x</b>]]></string>
  <string name="escaped">&lt;b>x&lt;/b></string>
  <string name="markup">a <x:g id="n">%d</x:g></string>
  <plurals name="files">
     <item quantity="one">%d file</item>
     <item quantity="other">%d files</item>
  </plurals>
  <string-array name="list" tools:ignore="x">
     <item>a</item>
     <item>@string/first</item>
     <item>c</item>
     <item/>
  </string-array>
  <string name="dead" translatable="false">x</string>
  <string name="last">z &app;</string>
</resources>
`

// TestInsert shows where and how new entries are written: file before, edits, file after.
func TestInsert(t *testing.T) {
	like := parse(t, source)
	for _, c := range []struct {
		name, before string
		edits        []resource.Edit
		after        string
	}{
		{"attributes of the model, place of the source",
			"<resources>\n    <string name=\"third\">3</string>\n</resources>\n",
			[]resource.Edit{set("last", "", "Z"), set("first", "", "it's"), set("second@tablet", "", "T"),
				set("second", "", "P")},
			"<resources>\n    <string name=\"first\" formatted=\"false\">it\\'s</string>\n    <string name=\"second\" product=\"tablet\">T</string>\n    <string name=\"second\" product=\"default\">P</string>\n    <string name=\"third\">3</string>\n    <string name=\"last\">Z</string>\n</resources>\n"},
		{"element of the model",
			"<resources>\n    <string name=\"second\">2</string>\n</resources>\n",
			[]resource.Edit{set("third", "", "'")},
			"<resources>\n    <string name=\"second\">2</string>\n    <item name=\"third\" type=\"string\">\\'</item>\n</resources>\n"},
		{"quotes as the neighbours have them",
			"<resources>\n    <string name='first'>\"eins\"</string>\n    <string name='third'>\"drei\"</string>\n</resources>\n",
			[]resource.Edit{set("second", "", "it's"), set("markup", "", "<b>a</b> b"), set("quoted", "", "q")},
			"<resources>\n    <string name='first'>\"eins\"</string>\n    <string name='second' product='default'>\"it's\"</string>\n    <string name='third'>\"drei\"</string>\n    <string name='quoted'>\"q\"</string>\n    <string name='markup'><b>\"a\"</b>\" b\"</string>\n</resources>\n"},
		{"without neighbours, quotes as the model has them",
			"<resources>\n</resources>\n",
			[]resource.Edit{set("quoted", "", "it's"), set("first", "", "it's")},
			"<resources>\n  <!-- Shown first. -->\n  <string name=\"first\" formatted=\"false\">it\\'s</string>\n  <string name=\"quoted\">\"it's\"</string>\n</resources>\n"},
		{"markup as the model has it",
			"<resources>\n\t<string name=\"last\">z</string>\n</resources>\n",
			[]resource.Edit{set("cdata", "", "<i>y</i>"), set("escaped", "", "<i>y</i>"),
				set("first", "", "<i>y</i> <p>")},
			"<resources>\n\t<string name=\"first\" formatted=\"false\"><i>y</i> &lt;p></string>\n\t<string name=\"cdata\"><![CDATA[<i>y</i>]]></string>\n\t<string name=\"escaped\">&lt;i>y&lt;/i></string>\n\t<string name=\"last\">z</string>\n</resources>\n"},
		{"a prefix that the file does not declare",
			"<resources>\n    <string name=\"last\">z</string>\n</resources>\n",
			[]resource.Edit{set("markup", "", `<x:g id="n">%d</x:g> b`), set("first", "", `<xliff:g>%d</xliff:g> "c"`)},
			"<resources>\n    <string name=\"first\" formatted=\"false\" xmlns:xliff=\"" + xliffURI +
				"\"><xliff:g>%d</xliff:g> \\\"c\\\"</string>\n    <string name=\"markup\" xmlns:x=\"" + xliffURI +
				"\"><x:g id=\"n\">%d</x:g> b</string>\n    <string name=\"last\">z</string>\n</resources>\n"},
		{"a prefix that neither the file nor the text there before declares",
			"<resources>\n    <string name=\"first\">z</string>\n    <string name=\"last\"/>\n</resources>\n",
			[]resource.Edit{set("first", "", `<xliff:g>%d</xliff:g> c`), set("last", "", `<xliff:g>%d</xliff:g>`)},
			"<resources>\n    <string name=\"first\" xmlns:xliff=\"" + xliffURI +
				"\"><xliff:g>%d</xliff:g> c</string>\n    <string name=\"last\" xmlns:xliff=\"" + xliffURI +
				"\"><xliff:g>%d</xliff:g></string>\n</resources>\n"},
		{"whole plurals and arrays, indented as in the source",
			"<resources>\n    <string name=\"last\">z</string>\n</resources>\n",
			[]resource.Edit{set("list", "0", "A"), set("list", "2", "C"), set("list", "3", "D"),
				set("files", "other", "%d Dateien"), set("files", "one", "%d Datei"), set("files", "many", "%d")},
			"<resources>\n    <plurals name=\"files\">\n       <item quantity=\"one\">%d Datei</item>\n       <item quantity=\"many\">%d</item>\n       <item quantity=\"other\">%d Dateien</item>\n    </plurals>\n    <string-array name=\"list\">\n       <item>A</item>\n       <item>@string/first</item>\n       <item>C</item>\n       <item>D</item>\n    </string-array>\n    <string name=\"last\">z</string>\n</resources>\n"},
		{"a new quantity",
			"<resources>\r\n<plurals name=\"files\">\r\n\t<item quantity=\"other\">o</item> <!-- all -->\r\n</plurals>\r\n</resources>",
			[]resource.Edit{set("files", "few", "f"), set("files", "one", "e")},
			"<resources>\r\n<plurals name=\"files\">\r\n\t<item quantity=\"one\">e</item>\r\n\t<item quantity=\"few\">f</item>\r\n\t<item quantity=\"other\">o</item> <!-- all -->\r\n</plurals>\r\n</resources>"},
		{"plurals on one line",
			`<resources><plurals name="files"><item quantity="one">e</item> <item quantity="other">o</item></plurals></resources>`,
			[]resource.Edit{set("files", "few", "f"), set("list", "0", "a"),
				set("list", "2", "c"), set("list", "3", "")},
			`<resources><plurals name="files"><item quantity="one">e</item> <item quantity="few">f</item> <item quantity="other">o</item></plurals><string-array name="list"><item>a</item><item>@string/first</item><item>c</item><item></item></string-array></resources>`},
		{"plurals without items",
			"<resources>\n  <plurals name=\"files\"/>\n</resources>",
			[]resource.Edit{set("files", "other", "o")},
			"<resources>\n  <plurals name=\"files\">\n     <item quantity=\"other\">o</item>\n  </plurals>\n</resources>"},
		{"an empty array",
			"<resources>\n  <string-array name=\"list\"></string-array>\n</resources>",
			[]resource.Edit{set("list", "0", "a")},
			"<resources>\n  <string-array name=\"list\">\n     <item>a</item>\n  </string-array>\n</resources>"},
		{"a closed root", "<resources />", []resource.Edit{set("last", "", "z")},
			"<resources>\n  <string name=\"last\">z</string>\n</resources>"},
		{"a root on one line", "<resources></resources>\n", []resource.Edit{set("last", "", "z")},
			"<resources>\n  <string name=\"last\">z</string>\n</resources>\n"},
		{"only comments", "<resources> <!-- a -->\n\t<!-- b -->\n\n</resources>\n",
			[]resource.Edit{set("last", "", "z")},
			"<resources> <!-- a -->\n\t<string name=\"last\">z</string>\n\t<!-- b -->\n\n</resources>\n"},
		{"only other resources", "<resources>\n   <color name=\"c\">#fff</color>\n   <!-- end -->\n</resources>\n",
			[]resource.Edit{set("last", "", "z")},
			"<resources>\n   <color name=\"c\">#fff</color>\n   <string name=\"last\">z</string>\n   <!-- end -->\n</resources>\n"},
		{"a blank file", "\ufeff\n", []resource.Edit{set("last", "", "z")}, "\ufeff" + header +
			"\n<resources>\n    <string name=\"last\">z</string>\n</resources>\n"},
		{"above the first and its comment",
			"<resources>\n    <!-- header -->\n\n    <!-- about last -->\n    <string name=\"last\">z</string>\n</resources>\n",
			[]resource.Edit{set("first", "", "1")},
			"<resources>\n    <!-- header -->\n\n    <!-- Shown first. -->\n    <string name=\"first\" formatted=\"false\">1</string>\n    <!-- about last -->\n    <string name=\"last\">z</string>\n</resources>\n"},
		{"behind a comment of several lines",
			"<resources>\n  <string name=\"first\">1</string> <!-- a\n  b -->\n</resources>\n",
			[]resource.Edit{set("last", "", "z")},
			"<resources>\n  <string name=\"first\">1</string> <!-- a\n  b -->\n  <string name=\"last\">z</string>\n</resources>\n"},
		{"before the first on its line", "<resources> <string name=\"last\">z</string></resources>",
			[]resource.Edit{set("first", "", "1")},
			"<resources> <string name=\"first\" formatted=\"false\">1</string> <string name=\"last\">z</string></resources>"},
		{"names that need escapes", "<resources>\n</resources>", []resource.Edit{set("a\"<&>'\n@x y", "", "z"),
			set("b@", "", "z"), set("c@default", "", "z"), set("@d", "", "z")},
			"<resources>\n    <string name=\"a&quot;&lt;&amp;>'&#10;\" product=\"x y\">z</string>\n    <string name=\"b@\">z</string>\n    <string name=\"c@default\">z</string>\n    <string name=\"@d\">z</string>\n</resources>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := like
			if strings.HasPrefix(c.name, "names") {
				model = nil
			}
			f := parse(t, c.before)
			out := rewrite(t, f, model, c.edits...)
			if out != c.after {
				t.Fatalf("have\n%s\nwant\n%s", out, c.after)
			}
			agree(t, []byte(out))
			g := parse(t, out)
			for _, e := range c.edits {
				if got, ok := g.Lookup(e.Key, e.Form); !ok || got.Text != e.Text {
					t.Errorf("%s[%s] reads %q", e.Key, e.Form, got.Text)
				}
			}
		})
	}
}

// TestRefusedEdits are edits that would break the file or the app.
func TestRefusedEdits(t *testing.T) {
	like := parse(t, source)
	empty := parse(t, `<resources><plurals name="p"></plurals><string-array name="a"/></resources>`)
	closed := parse(t, `<resources translatable="false"></resources>`)
	f := parse(t,
		`<resources><string name="k">x</string><plurals name="p"><item quantity="other">x</item></plurals><string-array name="a"><item>x</item></string-array></resources>`)
	for _, c := range []struct {
		f    *resource.File
		edit resource.Edit
		why  string
	}{
		{f, set("k", "", "\x00"), "control character U+0000"},
		{f, set("k", "", "a\x1bb"), "control character U+001B"},
		{f, set("k", "", "\uffff"), "U+FFFF"},
		{f, set("k", "", "a\xff"), "not valid UTF-8"},
		{f, set("", "", "x"), "needs a name"},
		{f, set("a\x00b", "", "x"), "control character"},
		{f, set(strings.Repeat("n", resource.MaxName+1), "", "x"), "the name has more than"},
		{f, set("p", "lots", "x"), "not a quantity"},
		{f, set("p", "0", "x"), "plurals here"},
		{f, set("a", "2", "x"), "items before it"},
		{empty, set("a", "few", "x"), "counted from 0"},
		{empty, set("p", "0", "x"), "plurals here"},
		{f, set("list", "0", "x"), "item 2 of the list is missing"},
		{f, set("last", "", "&app; x"), "declare it in this file"},
		{closed, set("k", "", "x"), "translatable"},
	} {
		out, refused := c.f.Rewrite([]resource.Edit{c.edit}, like)
		if len(refused) != 1 || !strings.Contains(refused[0].Reason, c.why) {
			t.Errorf("%q: refused %v, want %s", c.edit, refused, c.why)
		}
		if !bytes.Equal(out, c.f.Bytes()) {
			t.Errorf("%q: refused, and bytes changed", c.edit)
		}
	}
}

func TestRemove(t *testing.T) {
	const before = `<resources>
    <!-- header -->

    <!-- a -->
    <string name="a">x</string> <!-- tail -->
    <string name="b">x</string><string name="c">x</string> <string name="d">x</string>
    <!-- p -->
    <plurals name="p">
        <!-- one -->
        <item quantity="one">x</item>
        <item quantity="other">x</item>
    </plurals>
    <string name="e">x</string>   <color name="z">#fff</color>
    <color name="y">#fff</color> <string name="f">x</string>
    <string-array name="l">
        <item>x</item>
        <item>y</item>
    </string-array>
</resources>
`
	for _, c := range []struct {
		edits []resource.Edit
		gone  []string // cut out of before, once each
	}{
		{[]resource.Edit{remove("a", "")},
			[]string{"    <!-- a -->\n    <string name=\"a\">x</string> <!-- tail -->\n"}},
		{[]resource.Edit{remove("b", "")}, []string{"<string name=\"b\">x</string>"}},
		{[]resource.Edit{remove("c", "")}, []string{"<string name=\"c\">x</string>"}},
		{[]resource.Edit{remove("d", "")}, []string{" <string name=\"d\">x</string>"}},
		{[]resource.Edit{remove("c", ""), remove("d", "")},
			[]string{"<string name=\"c\">x</string> <string name=\"d\">x</string>"}},
		{[]resource.Edit{remove("b", ""), remove("c", ""), remove("d", "")},
			[]string{"    <string name=\"b\">x</string><string name=\"c\">x</string> <string name=\"d\">x</string>\n"}},
		{[]resource.Edit{remove("p", "one")},
			[]string{"        <!-- one -->\n        <item quantity=\"one\">x</item>\n"}},
		{[]resource.Edit{remove("p", "one"), remove("p", "other")},
			[]string{before[strings.Index(before, "    <!-- p -->"):strings.Index(before, "    <string name=\"e\"")]}},
		{[]resource.Edit{remove("e", "")}, []string{"<string name=\"e\">x</string>   "}},
		{[]resource.Edit{remove("f", "")}, []string{" <string name=\"f\">x</string>"}},
		{[]resource.Edit{remove("l", "1")}, []string{"        <item>y</item>\n"}},
		{[]resource.Edit{remove("l", "0")}, []string{before[strings.Index(before,
			"    <string-array"):strings.Index(before, "</resources>")]}},
		{[]resource.Edit{remove("a", ""), remove("e", ""), remove("absent", "")},
			[]string{"    <!-- a -->\n    <string name=\"a\">x</string> <!-- tail -->\n",
				"<string name=\"e\">x</string>   "}},
	} {
		want := before
		for _, g := range c.gone {
			if strings.Count(want, g) != 1 {
				t.Fatalf("%q stands not once in the file", g)
			}
			want = strings.Replace(want, g, "", 1)
		}
		if got := rewrite(t, parse(t, before), nil, c.edits...); got != want {
			t.Errorf("%v: have\n%s\nwant\n%s", c.edits, got, want)
		}
	}
}

func TestRename(t *testing.T) {
	f := parse(t,
		`<resources><string name='k' product="tv">x</string><string name="l">y</string><plurals name="p"><item quantity="one">a</item></plurals><string-array name="a"><item>b</item></string-array></resources>`)
	for _, c := range []struct {
		node             int
		to, before, want string
	}{
		{1, "new'@tv", `'k'`, `'new&apos;'`},
		{2, `new"`, `"l"`, `"new&quot;"`},
		{2, "x@y", `"l"`, `"x@y"`},
		{3, "q", `"p"`, `"q"`},
		{4, "few", `"one"`, `"few"`},
		{5, "b", `"a"`, `"b"`},
	} {
		s, err := Grammar.Rename(f, c.node, c.to)
		if err != nil || s.At.Of(f.Source()) != c.before || s.Text != c.want {
			t.Errorf("rename %d to %q: %q becomes %q, error %v", c.node, c.to, s.At.Of(f.Source()), s.Text, err)
		}
		g := parse(t, f.Source()[:s.At.Start]+s.Text+f.Source()[s.At.End:])
		if got := g.Name(c.node); got != c.to {
			t.Errorf("renamed to %q, reads %q", c.to, got)
		}
	}
	for node, to := range map[int]string{1: "k@phone", 2: "", 4: "x", 6: "0"} {
		if s, err := Grammar.Rename(f, node, to); err == nil {
			t.Errorf("renamed %d to %q: %v", node, to, s)
		}
	}
}

func TestCompose(t *testing.T) {
	like := parse(t, source)
	var entries []resource.Entry
	for e := range like.Entries() {
		if e.Kind == resource.Text {
			entries = append(entries, e)
		}
	}
	out, err := resource.Compose(Grammar, resource.Keys{}, like, entries)
	if err != nil {
		t.Fatal(err)
	}
	const want = `<?xml version="1.0" encoding="utf-8"?>
<resources xmlns:x="urn:oasis:names:tc:xliff:document:1.2">
  <!-- Shown first. -->
  <string name="first" formatted="false">one</string>
  <string name="second" product="tablet">tab &amp; let</string>
  <string name="second" product="default">phone</string>
  <item name="third" type="string">It\'s</item>
  <string name="quoted">"It's"</string>
  <string name="cdata"><![CDATA[<b>x</b>]]></string>
  <string name="escaped">&lt;b>x&lt;/b></string>
  <string name="markup">a <x:g id="n">%d</x:g></string>
  <plurals name="files">
    <item quantity="one">%d file</item>
    <item quantity="other">%d files</item>
  </plurals>
  <string-array name="list">
    <item>a</item>
    <item>@string/first</item>
    <item>c</item>
    <item></item>
  </string-array>
  <string name="last">z &amp;app;</string>
</resources>
`
	if string(out) != want {
		t.Errorf("have\n%s\nwant\n%s", out, want)
	}
	agree(t, out)

	out, err = resource.Compose(Grammar, resource.Keys{}, nil, []resource.Entry{
		{Key: "a@tv", Text: "<xliff:g>%s</xliff:g>'s", Note: "one -- two\n  three--"},
		{Key: "p", Form: "other", Text: "x"},
		{Key: "l", Form: "1", Text: "y"},
	})
	if err != nil {
		t.Fatal(err)
	}
	const plain = `<?xml version="1.0" encoding="utf-8"?>
<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">
  <!-- one - - two
       three- - -->
  <string name="a" product="tv"><xliff:g>%s</xliff:g>\'s</string>
  <plurals name="p">
    <item quantity="other">x</item>
  </plurals>
  <string-array name="l">
    <item>@null</item>
    <item>y</item>
  </string-array>
</resources>
`
	if string(out) != plain {
		t.Errorf("have\n%s\nwant\n%s", out, plain)
	}
	agree(t, out)

	if out, err := resource.Compose(Grammar, resource.Keys{}, nil, nil); err != nil ||
		string(out) != header+"\n<resources>\n</resources>\n" {
		t.Errorf("nothing composed: %s %v", out, err)
	}
	for _, e := range []resource.Entry{{Key: "k", Text: "\x01"}, {Key: "", Text: "x"},
		{Key: "p", Form: "lots", Text: "x"}} {
		if out, err := resource.Compose(Grammar, resource.Keys{}, nil, []resource.Entry{e}); err == nil {
			t.Errorf("%v: %s", e, out)
		}
	}
}
