package androidxml

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// TestCorpus holds every real file against the laws.
func TestCorpus(t *testing.T) {
	for _, r := range resourcetest.Corpus(t, "android-xml") {
		t.Run(r.Name, func(t *testing.T) {
			c := strict(r.Src)
			if len(r.Src) < 10<<10 {
				c.NewTexts = hard
			}
			f := resourcetest.Check(t, c)
			switch {
			case r.Expect == "refuse":
				_, err := resource.Parse(Grammar, resource.Keys{}, r.Src)
				if se, ok := err.(*resource.SyntaxError); !ok || se.Line < 1 || se.Col < 1 {
					t.Errorf("error %v, want one with a position", err)
				}
			case f == nil:
				_, err := resource.Parse(Grammar, resource.Keys{}, r.Src)
				t.Errorf("refused: %v", err)
			case r.Expect == "edit-lenient" != (len(f.Warnings()) > 0):
				t.Errorf("expected %s, warnings %v", r.Expect, f.Warnings())
			}
		})
	}
}

func TestRefused(t *testing.T) {
	const in = "<resources>\n  <string name=\"k\">%s</string>\n</resources>"
	value := func(v string) string { return fmt.Sprintf(in, v) }
	for _, c := range []struct{ src, why string }{
		{"<html/>", "1:1: the root element is <html>"},
		{"x", "1:1: text outside"},
		{"<?xml version=\"1.0\"?>\n", "2:1: there is no root element"},
		{"<!-- c -->", "1:11: there is no root element"},
		{" <?xml version=\"1.0\"?><resources/>", "1:2: <?xml"},
		{"<?xml version=\"1.1\"?><resources/>", "XML 1.1"},
		{"<?xml encoding=\"utf-8\"?><resources/>", "no version"},
		{"<?xml version='1.0' encoding='windows-1252'?><resources/>", "windows-1252; save it as UTF-8"},
		{"<resources/><resources/>", "1:13: something follows"},
		{"<resources/>x", "1:13: something follows"},
		{"<resources>\n<!DOCTYPE x></resources>", "2:1: a <! that begins no comment"},
		{"<resources><string name=\"k\">x</strin></resources>", "1:30: </strin> where <string>"},
		{"<resources><string name=\"k\">x</stringy></resources>", "</stringy> where <string>"},
		{"<resources><string name=\"k\">", "ends inside <string>"},
		{"<resources><string name=\"k\"", "the tag <string> is not well-formed"},
		{"<resources><string name=\"k></resources>", "is not closed"},
		{"<resources><string name=k>x</string></resources>", "is not in quotes"},
		{"<resources><string name>x</string></resources>", "has no value"},
		{"<resources><string name=\"a\"product=\"b\">x</string></resources>", "not well-formed here"},
		{"<resources><string name=\"a\" name=\"b\">x</string></resources>", "the attribute name twice"},
		{"<resources><string name=\"a<b\">x</string></resources>", "a < inside an attribute"},
		{"<resources><string name=\"a&b\">x</string></resources>", "a bare &"},
		{value("a & b"), "2:22: a bare &"},
		{value("é&b"), "2:21: a bare &"},
		{value("&nbsp;"), "2:20: the entity &nbsp; is declared nowhere"},
		{value("&#0;"), "not a character of XML"},
		{value("&#xD800;"), "not a character of XML"},
		{value("&#x;"), "not a character of XML"},
		{value("&#99999999999;"), "not a character of XML"},
		{value("a < b"), "2:22: a < that begins no tag"},
		{value("<b>x"), "</string> where <b>"},
		{value("x</b>"), "</b> where <string>"},
		{value("<b>x<b/></i>"), "</i> where <b>"},
		{value("]]>"), "]]> is not allowed"},
		{value("<![CDATA[x"), "CDATA section that does not end"},
		{value("<!-- x"), "comment that does not end"},
		{value("<!-- x -- y -->"), "-- inside a comment"},
		{value("<!-- x --->"), "-- inside a comment"},
		{value("<? x?>"), "processing instruction"},
		{value("<?xml x?>"), "only at the very beginning"},
		{value("\x01"), "2:20: the character U+0001"},
		{value("<!-- \x02 -->"), "the character U+0002"},
		{value("<![CDATA[\ufffe]]>"), "the character U+FFFE"},
		{value("<b:>x</b:>"), "not a name that namespaces allow"},
		{value("<a:b:c/>"), "not a name that namespaces allow"},
		{"<resources xmlns:a=\"\"/>", "namespace declaration"},
		{"<!DOCTYPE resources [<!ENTITY a \"b\">", "does not end"},
		{"<!DOCTYPE a><!DOCTYPE b><resources/>", "a second DOCTYPE"},
		{"<!DOCTYPE resources [<!ENTITY a \"b\">]>" + value("&b;"), "&b; is declared nowhere"},
		{"\xff\xfe<\x00", "UTF-16"},
		{"<\x00r\x00", "UTF-16"},
		{value("\xff"), "2:20: not valid UTF-8"},
		{"<resources><string name=\"" + strings.Repeat("k", resource.MaxName+1) + "\">x</string></resources>",
			"a name of more than"},
	} {
		_, err := resource.Parse(Grammar, resource.Keys{}, []byte(c.src))
		if err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%.80q: error %v, want one that says %q", c.src, err, c.why)
		}
	}
}

func TestAccepted(t *testing.T) {
	for _, c := range []struct{ src, leaves, warnings string }{
		{"", "", ""},
		{"\ufeff \n", "", ""},
		{"<resources/>", "", ""},
		{"<!-- a --><?pi b?><!DOCTYPE resources><resources></resources ><!-- c --><?pi d?>\n", "", ""},
		{`<!DOCTYPE resources SYSTEM "x.dtd"><resources><string name="k">&any;</string></resources>`,
			`k[] other=false "&any;"`, ""},
		{`<!DOCTYPE resources [ %pe; ]><resources><string name="k">&any;</string></resources>`,
			`k[] other=false "&any;"`, ""},
		{`<!DOCTYPE resources [<!-- ]> --><?p ]>?><!ELEMENT a ANY><!ENTITY % p "x"><!ENTITY e ">">]><resources><string name="&e;">&e;</string></resources>`, `&e;[] other=false "&e;"`, ""},
		{`<resources><string name="a&amp;b&#10;&apos;c">x</string></resources>`, "a&b\n'c[] other=false \"x\"", ""},
		{"<resources><string name=\"a\nb\">x</string></resources>", `a b[] other=false "x"`, ""},
		{`<resources><string>x</string><string name="">y</string><plurals/></resources>`, "", "a <string> has no name"},
		{`<resources><plurals name="p"><item>x</item><item quantity="one"/><thing/>text</plurals></resources>`,
			`p[one] other=false ""`, "an item has no quantity|<thing> among its items|the quantity other is missing"},
		{`<resources><plurals name="p"><item quantity="1">x</item></plurals></resources>`, `p[1] other=false "x"`,
			`no quantity "1"|the quantity other is missing`},
		{`<resources><plurals name="p"><item quantity="one">x</item><item quantity="few">y</item></plurals></resources>`, `p[one] other=false "x"|p[few] other=false "y"`, ""},
		{`<resources translatable="false"><string name="k">x</string><string-array name="a"><item>y</item></string-array></resources>`, `k[] other=true ""|a[0] other=true ""`, ""},
		{`<resources><plurals name="p" translatable="False"><item quantity="other">x</item></plurals></resources>`,
			`p[other] other=true ""`, ""},
		{`<resources><a:string name="k">x</a:string></resources>`, "", "the prefix a:"},
		{`<resources xmlns:a="u"><string name="k"><a:b a:c="d">x</a:b></string></resources>`,
			`k[] other=false "<a:b a:c=\"d\">x</a:b>"`, ""},
		{`<resources><string name="k"><x:g xmlns:x="u">a</x:g><x:g>b</x:g></string></resources>`,
			`k[] other=false "<x:g xmlns:x=\"u\">a</x:g><x:g>b</x:g>"`, "the prefix x:"},
		{`<resources><string name="k" tools:x="y">a</string><string name="l" tools:x="y">a</string></resources>`,
			`k[] other=false "a"|l[] other=false "a"`, "the prefix tools:"},
		{`<resources xml:lang="de"><string name="k">\u00g0</string></resources>`,
			`k[] other=false "\\u00g0"`, `a \u is not followed`},
		{`<resources><string name="k">a\\u'b"it's"</string></resources>`, `k[] other=false "a\\u'bit's"`,
			"an apostrophe"},
		{`<resources><style name="s"><item name="k">x</item><string name="no">y</string></style><item name="i" type="string">z</item></resources>`, `i[] other=false "z"`, ""},
		{`<resources><string name="t" product="tv">a</string><string name="t" product="default">b</string><string name="u" product="">c</string></resources>`, `t@tv[] other=false "a"|t[] other=false "b"|u[] other=false "c"`, ""},
		{"<resources>\n&gt;<string name=\"a\">x</string>\" &#x25;\n<string name=\"b\">y</string>text</resources>",
			`a[] other=false "x"|b[] other=false "y"`,
			"text directly inside <resources>|text directly|text directly"},
		{`<resources><string name="a">@null</string><string name="b"> @+id/x </string><string name="c">@a:string/b</string><string name="d">?attr/x</string><string name="e">?x</string><string name="f">@*android:string/x</string></resources>`,
			`a[] other=true ""|b[] other=true ""|c[] other=true ""|d[] other=true ""|e[] other=true ""|f[] other=true ""`, ""},
		{`<resources><string name="a">@x</string><string name="b">@string/x y</string><string name="c">?what is</string><string name="d">"@null"</string><string name="e">\@null</string><string name="f">@</string><string name="g">?</string></resources>`,
			`a[] other=false "@x"|b[] other=false "@string/x y"|c[] other=false "?what is"|d[] other=false "@null"|e[] other=false "@null"|f[] other=false "@"|g[] other=false "?"`, ""},
	} {
		f := parse(t, c.src)
		var leaves, warnings []string
		for _, l := range ours(f) {
			leaves = append(leaves, l.String())
		}
		if got := strings.Join(leaves, "|"); got != c.leaves {
			t.Errorf("%s:\n have %s\n want %s", c.src, got, c.leaves)
		}
		for _, w := range f.Warnings() {
			warnings = append(warnings, w.Msg)
		}
		want := strings.Split(c.warnings, "|")
		if c.warnings == "" {
			want = nil
		}
		ok := len(want) == len(warnings)
		for i := range want {
			ok = ok && strings.Contains(warnings[i], want[i])
		}
		if !ok {
			t.Errorf("%s:\n warnings %q\n want %q", c.src, warnings, want)
		}
		resourcetest.Check(t, strict([]byte(c.src), hard...))
		agree(t, []byte(c.src))
	}
}

func TestNotes(t *testing.T) {
	f := parse(t, `<resources> <!-- of the root -->
    <!-- one
         two   -->
    <!--three--> <!-- four -->
    <string name="a">x</string> <!-- tail of a -->

    <!-- a header -->

    <string name="b">x</string>
    <!-- c -->
    <eat-comment/>
    <string name="c">x</string>
    <!-- <string name="dead">x</string> -->
    <string name="d">x</string>
    <!-- e --><string name="e">x</string>
    <!-- p -->
    <plurals name="p">
        <!-- if one -->
        <item quantity="one">x</item>
        <item quantity="other">x</item>
    </plurals>
</resources>`)
	want := map[string]string{"a": "one\ntwo\nthree\nfour", "e": "e", "pone": "if one", "pother": "p"}
	for e := range f.Entries() {
		if e.Note != want[e.Key+e.Form] {
			t.Errorf("%s: note %q, want %q", e.Key+e.Form, e.Note, want[e.Key+e.Form])
		}
	}
}

func nested(n int) string {
	return "<resources><string name=\"k\">" + strings.Repeat("<b>", n) + "x" +
		strings.Repeat("</b>", n) + "</string></resources>"
}

func TestDepth(t *testing.T) {
	if _, err := resource.Parse(Grammar, resource.Keys{}, []byte(nested(resource.MaxDepth-1))); err == nil ||
		err.Error() != "1:3023: more than 1000 elements inside one another" {
		t.Errorf("one level too deep: %v", err)
	}
	deep := strings.Repeat("<b>", resource.MaxDepth) + strings.Repeat("</b>", resource.MaxDepth)
	if why := refusal(t, parse(t, nested(1)), "k", "", deep); !strings.Contains(why, "inside one another") {
		t.Error(why)
	}
}

// TestSizes holds long names, large texts, a million entries and markup of any depth against the limits.
func TestSizes(t *testing.T) {
	resourcetest.Long(t)
	resourcetest.Shapes{
		Grammar: Grammar,
		Entry:   func(name, text string) string { return `<string name="` + name + `">` + text + `</string>` },
		File: func(entries []string) string {
			return "<resources>\n    " + strings.Join(entries, "\n    ") + "\n</resources>\n"
		},
		Deep: func(n int) string { return nested(n - 2) },
	}.Check(t)
}

// TestLinearTime holds what a hostile file could make slow against its size.
func TestLinearTime(t *testing.T) {
	resourcetest.Long(t)
	repeat := func(head, part, tail string) func(n int) []byte {
		return func(n int) []byte { return []byte(head + strings.Repeat(part, n) + tail) }
	}
	value := func(part string) func(n int) []byte {
		return repeat(`<resources xmlns:xliff="u"><string name="k">x`, part, `</string></resources>`)
	}
	numbered := func(head, part, tail string) func(n int) []byte {
		return func(n int) []byte {
			b := []byte(head)
			for i := range n {
				b = fmt.Appendf(b, part, i)
			}
			return append(b, tail...)
		}
	}
	for name, input := range map[string]func(n int) []byte{
		"references":          value("&amp;"),
		"escaped entities":    value("&amp;app;"),
		"escaped tags":        value("&lt;b>"),
		"elements":            value("<b/>"),
		"markup":              value("<b>a </b>"),
		"prefixed elements":   value("<xliff:g> a</xliff:g>"),
		"undeclared prefixes": numbered("<resources><string name=\"k\">", "<a%d:b/>", "</string></resources>"),
		"declared prefixes": numbered("<resources><string name=\"k\">",
			"<b xmlns:p%d=\"u\"/>", "</string></resources>"),
		"prefixes of a tag": numbered("<resources", " xmlns:p%d=\"u\"", "><string name=\"k\">x</string></resources>"),
		"attributes":        numbered("<resources><string name=\"k\"", " a%d=\"\"", " product=\"tv\">x</string></resources>"),
		"entities": numbered("<!DOCTYPE resources [", "<!ENTITY e%d \"x\">",
			"]><resources><string name=\"k\">&e0;</string></resources>"),
		"tags of many names":  numbered("<resources><string name=\"k\">", "&lt;t%d>", "</string></resources>"),
		"CDATA":               value("<![CDATA[a <b>]]>"),
		"brackets":            value("]]"),
		"comments in a value": value("<!-- c -->"),
		"instructions":        value("<?p?>"),
		"quotes":              value(`" `),
		"apostrophes":         value(`'`),
		"backslashes":         value(`\`),
		"broken escapes":      value(`\u00`),
		"surrogates":          value(`\uD83D`),
		"white space":         value("\n "),
		"comments":            repeat("<resources>", "<!-- c -->\n", "<string name=\"k\">x</string></resources>"),
		"notes":               repeat("<resources>", "\n<!-- c --><string name=\"k\">x</string>", "</resources>"),
		"one line":            repeat("<resources>", "<string name=\"k\">x</string><!-- c -->", "</resources>"),
		"other resources":     repeat("<resources>", "<color name=\"c\">#fff</color>\n", "</resources>"),
		"quantities": numbered("<resources>",
			"<plurals name=\"p%d\"><item quantity=\"few\">x</item><item quantity=\"other\">x</item></plurals>",
			"</resources>"),
		"items":           repeat("<resources><string-array name=\"p\">", "<item>x</item>\n", "</string-array></resources>"),
		"plurals":         numbered("<resources>", "<plurals name=\"p%d\"/>", "</resources>"),
		"variants":        numbered("<resources>", "<string name=\"k\" product=\"p%d\">x</string>", "</resources>"),
		"open elements":   repeat("<resources><string name=\"k\">", "<b>", ""),
		"text in plurals": repeat("<resources><plurals name=\"p\">", "text<b/>", "</plurals></resources>"),
	} {
		resourcetest.LinearCase(t, name, resourcetest.Case{Grammar: Grammar}, input)
	}
}

// TestCuts cuts files anywhere: they are refused unless only white space, comments or instructions are missing, or all
// of it.
func TestCuts(t *testing.T) {
	whole := func(cut, rest string) bool {
		return isBlank(cut) || (&scanner{src: rest}).epilog(0) == nil
	}
	for _, e := range edges(t) {
		resourcetest.Cuts(t, strict(e.Src), whole)
	}
	for _, v := range values {
		src := document(v)
		resourcetest.Cuts(t, strict(src), whole)
		for n := range len(src) {
			_, _ = resource.Parse(Grammar, resource.Keys{}, src[n:])
		}
	}
	for _, r := range resourcetest.Corpus(t, "android-xml") {
		resourcetest.Cuts(t, strict(r.Src), whole)
	}
}

func TestLarge(t *testing.T) {
	key := strings.Repeat("schlüssel_", 1000)
	value := strings.Repeat("Zeile mit 'Zeichen' & <b>Auszeichnung</b> ", 25000)
	f := parse(t, "<resources>\n</resources>")
	f = parse(t, rewrite(t, f, nil, set(key, "", "x"), set("日本", "", "y")))
	f = parse(t, rewrite(t, f, nil, set(key, "", value)))
	if e, _ := f.Lookup(key, ""); e.Text != value {
		t.Error("a value of 1 MB does not come back")
	}
	out := rewrite(t, f, nil, set(key, "", "x"))
	if e, _ := parse(t, out).Lookup("日本", ""); e.Text != "y" {
		t.Error("its neighbour was lost")
	}
	var edits []resource.Edit
	for i := range 1000 {
		edits = append(edits, set(fmt.Sprintf("new_%03d", i), "", fmt.Sprint("text ", i)))
	}
	f = parse(t, rewrite(t, f, nil, edits...))
	if n := len(ours(f)); n != 1002 {
		t.Errorf("%d entries", n)
	}
	for i := range edits {
		edits[i] = remove(edits[i].Key, "")
	}
	if back := rewrite(t, f, nil, append(edits, set(key, "", "x"))...); back != out {
		t.Error("removing the thousand does not restore the file")
	}
}

// TestManyIntoNothing adds many entries at once to a large file that has none: each costs the same as in any other
// file.
func TestManyIntoNothing(t *testing.T) {
	resourcetest.Linear(t, "other resources", func(n int) []byte {
		return []byte("<resources>\n" + strings.Repeat("    <color name=\"c\">#ffffff</color> <!-- c -->\n", n) +
			"</resources>\n")
	}, func(src []byte) {
		var edits []resource.Edit
		for i := range len(src) / 100 {
			edits = append(edits, set(fmt.Sprint("n", i), "", "x"))
		}
		out := rewrite(t, parse(t, string(src)), nil, edits...)
		if want := fmt.Sprintf("    <string name=\"n%d\">x</string>\n</resources>\n",
			len(edits)-1); !strings.HasSuffix(out, want) {
			t.Fatal(out[len(out)-200:])
		}
	})
}

// TestCorpusRebuilt writes every text of every real file into an empty one, with the real file as source: all come
// back, in its order.
func TestCorpusRebuilt(t *testing.T) {
	empty := parse(t, "<resources>\n</resources>\n")
	for _, r := range resourcetest.Corpus(t, "android-xml") {
		f, err := resource.Parse(Grammar, resource.Keys{}, r.Src)
		if err != nil {
			continue
		}
		var edits []resource.Edit
		var want []leafSeen
		for _, l := range ours(f) {
			if e, _ := f.Lookup(l.key, l.form); !l.other && e.Text == l.text {
				edits = append(edits, set(l.key, l.form, l.text))
				want = append(want, l)
			}
		}
		out, refused := empty.Rewrite(edits, f)
		for _, why := range refused {
			t.Errorf("%s: %v", r.Name, why)
		}
		agree(t, out)
		var got []leafSeen
		for _, l := range ours(parse(t, string(out))) {
			if !l.other {
				got = append(got, l)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d texts went in, %d came back, or in another order", r.Name, len(want), len(got))
		}
	}
}
