package segment

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops/gittest"
)

// A sample of every format, with the texts that are its segments.
var samples = []struct {
	file  string
	src   string
	texts []string
}{
	{"a.txt", "\xef\xbb\xbfHello world. How are you?\r\n\r\n  Dr. Smith left at 3 p.m. yesterday.\n-----\n今天很好。明天见！\n",
		[]string{"Hello world.", "How are you?", "Dr. Smith left at 3 p.m. yesterday.", "今天很好。", "明天见！"}},
	{"a.md",
		"---\ntitle: Front\n---\n# The *first* heading\n\nOne sentence. Another one\nover two lines. See [the link. Really](http://x.y/z).\n\n> A quote\n> goes on. And ends.\n\n" +
			"* item one\n* item two\n\n```\ncode. Here\n```\n\n| A | B |\n|---|---|\n| one | two. Three |\n\nhard  \nbreak\\\nagain\n\n[ref]: http://x.y \"t\"\n",
		[]string{"The *first* heading", "One sentence.", "Another one over two lines.",
			"See [the link. Really](http://x.y/z).", "A quote goes on.", "And ends.", "item one", "item two",
			"A", "B", "one", "two.", "Three", "hard", "break", "again"}},
	{"a.html",
		"<!doctype html><html><head><title>The title</title><script>var a = 'x. Y';</script><meta name=description content=\"What it is\"></head>\n" +
			"<body><p>One &amp; <b>two</b>.\n  Three is <a href=\"x?a=1&b=2\" title=t>here</a>. <i>All of it.</i></p>\n<p><b>Bold only</b><br>next</p><img alt='A cat' src=c>" +
			"<div translate=no>Not this</div><p>Run <code class=notranslate>ls</code></p><p>12</p><p>&nbsp;&mdash;</p></body></html>",
		[]string{"The title", "What it is", "One &amp; <b>two</b>.", "Three is <a href=\"x?a=1&b=2\" title=t>here</a>.",
			"All of it.", "Bold only", "next", "A cat",
			"Run <code class=notranslate>ls</code>", "12"}},
	{"a.json", "{\n\t\"a\": \"One. Two.\", // no\n\t\"b\": {\"c\": \"Deep\", \"n\": 3},\n\t\"l\": [\"x\", \"y\"]\n}",
		[]string{"One. Two.", "Deep", "x", "y"}},
	{"a.yaml", "en:\n  a: One # note\n  b:\n    c: 'Two'\n    n: 3\n", []string{"One", "Two"}},
	{"a.strings", "/* note */\n\"a\" = \"One\";\n\"b\" = \"--\";\n", []string{"One"}},
	{"a.xml",
		"<resources>\n  <string name=\"a\">It\\'s one</string>\n  <plurals name=\"p\"><item quantity=\"one\">%d file</item><item quantity=\"other\">%d files</item></plurals>\n</resources>\n",
		[]string{"It's one", "%d file", "%d files"}},
	{"a.locjson",
		"{\n    \"units\": [\n        {\n            \"key\": \"a\",\n            \"source\": [\n                \"One \",\n                \"two\"\n            ]\n        }\n    ]\n}\n", []string{"One two"}},
	{"a.xlf",
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xliff version=\"1.2\" xmlns=\"urn:oasis:names:tc:xliff:document:1.2\">\n<file original=\"f\" source-language=\"en\" target-language=\"de\" datatype=\"plaintext\"><body>\n" +
			"  <trans-unit id=\"1\">\n    <source>One &amp; two</source>\n    <note>Said twice</note>\n  </trans-unit>\n" +
			"  <trans-unit id=\"2\"><source>Three <x id=\"a\"/></source><target state=\"translated\">Drei <x id=\"a\"/></target></trans-unit>\n" +
			"  <trans-unit id=\"3\" translate=\"no\"><source>Not</source></trans-unit>\n" +
			"  <trans-unit id=\"4\"><source>Four</source><target/></trans-unit>\n</body></file></xliff>\n",
		[]string{"One & two", "Three <x id=\"a\"/>", "Four"}},
	{"b.xlf",
		"<xliff version=\"2.0\" srcLang=\"en\" trgLang=\"de\"><file id=\"f\"><unit id=\"u\"><segment id=\"s\" state=\"final\"><source>One</source><target>Eins &quot;1&quot;</target></segment></unit></file></xliff>",
		[]string{"One"}},
	{"a.po", poSample, []string{"One \"two\"", "Two\nlines\n", "%d file", "%d files", "Open", "Fuzzy one"}},
}

const poSample = "# About\nmsgid \"\"\nmsgstr \"\"\n\"Project-Id-Version: x\\n\"\n\"Language: de\\n\"\n\n" +
	"#. What it says\n#: a.c:1\nmsgid \"One \\\"two\\\"\"\nmsgstr \"Eins \\\"zwei\\\"\"\n\n" +
	"msgid \"\"\n\"Two\\n\"\n\"lines\\n\"\nmsgstr \"\"\n\n" +
	"#, c-format\nmsgid \"%d file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"%d Datei\"\nmsgstr[1] \"%d Dateien\"\n\n" +
	"msgctxt \"menu\"\nmsgid \"Open\"\nmsgstr \"\"\n\n" +
	"#, fuzzy, c-format\nmsgid \"Fuzzy one\"\nmsgstr \"Unscharf\"\n\n#~ msgid \"Old\"\n#~ msgstr \"Alt\"\n"

func parse(t testing.TB, file string, src []byte) *Document {
	t.Helper()
	d, err := Parse(t.Context(), file, src, Options{Source: "en"})
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return d
}

func texts(d *Document) []string {
	var out []string
	for _, s := range d.Segments() {
		out = append(out, s.Text)
	}
	return out
}

func none(int) (string, bool) { return "", false }

func TestSegments(t *testing.T) {
	for _, s := range samples {
		if got := texts(parse(t, s.file, []byte(s.src))); !slices.Equal(got, s.texts) {
			t.Errorf("%s:\n got %q\nwant %q", s.file, got, s.texts)
		}
	}
}

// A document without translations is the very bytes that were read.
func TestIdentity(t *testing.T) {
	for _, s := range samples {
		out, err := parse(t, s.file, []byte(s.src)).Render("de", none)
		if err != nil || string(out) != s.src {
			t.Errorf("%s: %v\n%s", s.file, err, out)
		}
	}
}

// Segments that are put back as they are make a document with the same segments.
func TestSegmentsRoundTrip(t *testing.T) {
	for _, s := range samples {
		d := parse(t, s.file, []byte(s.src))
		out, err := d.Render("en", func(i int) (string, bool) { return d.Segments()[i].Text, true })
		if err != nil {
			t.Errorf("%s: %v", s.file, err)
			continue
		}
		if got := texts(parse(t, s.file, out)); !slices.Equal(got, s.texts) {
			t.Errorf("%s:\n got %q\nwant %q\n%s", s.file, got, s.texts, out)
		}
	}
}

// A translation changes the bytes of its own segment and no others: what stands before and behind is there as before.
func TestExactness(t *testing.T) {
	for _, s := range samples {
		d := parse(t, s.file, []byte(s.src))
		for i, at := range d.spans {
			translation := d.segments[i].Text
			if d.segments[i].Markup == Plain {
				translation = "XYZ"
			}
			out, err := d.Render("de", func(j int) (string, bool) { return translation, i == j })
			if err != nil {
				t.Errorf("%s: %v", s.file, err)
				continue
			}
			if !strings.HasPrefix(string(out), s.src[:at.from]) || !strings.HasSuffix(string(out), s.src[at.to:]) {
				t.Errorf("%s: translating %q changed more than it:\n%s", s.file, d.segments[i].Text, out)
			}
			if !bytes.Contains(out, []byte(translation)) && d.segments[i].Markup == Plain {
				t.Errorf("%s: %q is not there:\n%s", s.file, translation, out)
			}
		}
	}
}

// A translation that the format could mistake for its own syntax makes no other document, and is read back as it was.
func TestHostileTranslations(t *testing.T) {
	files := map[string]string{
		"a.txt":  "One\nTwo\n",
		"a.md":   "One\n\n- Two\n\n> Three\n\n| Four | Five |\n|---|---|\n| six | seven |\n\nEight\n\n# Nine\n",
		"a.html": "<p>One</p><img alt=two><img alt='three'><img alt=\"four\"><ul><li>Five</ul>",
	}
	for _, s := range samples[3:] {
		files[s.file] = s.src
	}
	for file, src := range files {
		d := parse(t, file, []byte(src))
		for _, hostile := range []string{"# a", "- a", "1. a", "a < b & c > \"d\" 'e'", "a | b", "`a` *b* _c_ [d](e)",
			"> a",
			"<b>a", "a]]>b", "a\\b", "a\": \"b", "a;b", "=== a", "[a]: b"} {
			for i := range d.segments {
				if d.segments[i].Markup != Plain {
					continue
				}
				out, err := d.Render("en", func(j int) (string, bool) { return hostile, i == j })
				if err != nil {
					t.Errorf("%s: %v", file, err)
					continue
				}
				again := parse(t, file, out)
				if len(again.segments) != len(d.segments) {
					t.Errorf("%s: %q instead of %q made %d segments of %d:\n%s", file, hostile, d.segments[i].Text,
						len(again.segments), len(d.segments), out)
					continue
				}
				got := again.segments[i].Text
				switch {
				case strings.HasSuffix(file, ".xlf"), file == "a.po":
					got = again.segments[i].Target
				case file == "a.md":
					got = unescaped.ReplaceAllString(got, "$1")
				}
				if got != hostile {
					t.Errorf("%s: %q came back as %q", file, hostile, got)
				}
			}
		}
	}
}

var unescaped = regexp.MustCompile(`\\([[:punct:]])`)

// A translation whose tags are not those of the source is refused, in words; one with the same tags in another order is
// not.
func TestTags(t *testing.T) {
	d := parse(t, "a.html", []byte(`<p>One <b>two</b> <i>three</i></p>`))
	for text, want := range map[string]string{
		"Eins <i>drei</i> <b>zwei</b>": "",
		"Eins <b>zwei</b>":             "has the tags <b>",
		"Eins <b>zwei <i>drei</i>":     "does not close",
		"Eins zwei</b>":                "closes <b>",
		"Eins <b>zwei</b> <i>d</i> <x": "ends in the middle",
	} {
		err := d.Accepts(0, text)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	x := parse(t, "a.xlf", []byte(samples[8].src))
	if err := x.Accepts(1, `Drei <x id="b"/>`); err == nil {
		t.Error("another identifier was taken")
	}
	if err := x.Accepts(0, "bell \x07"); err == nil || !strings.Contains(err.Error(), "U+0007") {
		t.Errorf("%v", err)
	}
}

// Targets come along with their states, and the language that the file names.
func TestBilingual(t *testing.T) {
	d := parse(t, "a.xlf", []byte(samples[8].src))
	if d.TargetLanguage() != "de" || d.segments[0].Note != "Said twice" || d.segments[0].Target != "" ||
		d.segments[1].Target != `Drei <x id="a"/>` || d.segments[1].State != Translated {
		t.Errorf("%q %+v", d.TargetLanguage(), d.segments)
	}
	out, err := d.Render("fr", func(i int) (string, bool) { return "Un & deux", i == 0 })
	if err != nil || !bytes.Contains(out, []byte("</source>\n    <target>Un &amp; deux</target>")) ||
		!bytes.Contains(out, []byte(`target-language="fr"`)) {
		t.Errorf("%v\n%s", err, out)
	}
	b := parse(t, "b.xlf", []byte(samples[9].src))
	if s := b.segments[0]; s.Key != "u/s" || s.Target != `Eins "1"` || s.State != Approved {
		t.Errorf("%+v", s)
	}
	same, err := b.Render("de", func(i int) (string, bool) { return b.segments[i].Target, true })
	if err != nil || string(same) != samples[9].src {
		t.Errorf("%v\n%s", err, same)
	}
}

// Units of one identifier in two files of a document are two segments.
func TestXLIFFOfSeveralFiles(t *testing.T) {
	one := `<file original="a"><body><trans-unit id="1"><source>One</source></trans-unit></body></file>`
	d := parse(t, "a.xlf", []byte(`<xliff version="1.2">`+one+one+`</xliff>`))
	if len(d.segments) != 2 || d.segments[0].Key != "1" || d.segments[1].Key != "2:1" {
		t.Errorf("%+v", d.segments)
	}
}

func TestRailsRoot(t *testing.T) {
	d := parse(t, "a.yaml", []byte("en:\n  a: One\n"))
	out, err := d.Render("de", func(int) (string, bool) { return "Eins", true })
	if err != nil || string(out) != "de:\n  a: Eins\n" || d.segments[0].Key != "a" {
		t.Errorf("%v %q %+v", err, out, d.segments)
	}
}

func TestSize(t *testing.T) {
	for _, c := range []struct {
		text   string
		markup Markup
		want   Count
	}{
		{"", Plain, Count{}},
		{"Don't use e-mail 3.14 times…", Plain, Count{5, 28, 24}},
		{"今天很好。", Plain, Count{4, 5, 5}},
		{"One <a href=\"two three\">four</a>&nbsp;", Tags, Count{2, 9, 8}},
		{"**One** [two](http://three)", Markdown, Count{2, 7, 6}},
		{"a -- b", Plain, Count{2, 6, 4}},
	} {
		s := Segment{Text: c.text, Markup: c.markup}
		if got := s.Size(); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.text, got, c.want)
		}
	}
}

// Broken files are refused with line and column.
func TestBrokenFiles(t *testing.T) {
	for _, c := range []struct{ file, src, want string }{
		{"a.json", "{\n\"a\": }", "2:6"},
		{"a.xlf", "<xliff>\n<file></xliff>", "2:7"},
		{"a.xlf", "<xliff><file>", "ends within <file>"},
		{"a.xlf", "<html></html>", "no <xliff>"},
		{"a.txt", "fine\nbad \xff", "2:5"},
		{"a.md", "\xff\xfea\x00", "UTF-16"},
		{"a.xlsx", "PK no", "not a workbook"},
		{"a.exe", "", "none of .txt"},
	} {
		_, err := Parse(t.Context(), c.file, []byte(c.src), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v, want %q", c.file, c.src, err, c.want)
		}
	}
}

// Segments keep what they had: by key where they have one, else by text and order.
func TestAlign(t *testing.T) {
	seg := func(list string) (out []Segment) {
		for w := range strings.FieldsSeq(list) {
			key, text, _ := strings.Cut(w, "=")
			out = append(out, Segment{Key: key, Text: text})
		}
		return out
	}
	for _, c := range []struct {
		old, now string
		want     []int
	}{
		{"=a =b =a", "=x =a =b =a =a", []int{-1, 0, 1, 2, -1}},
		{"k=a l=b", "l=b k=c m=a", []int{1, -1, 0}},
		{"k=a l=a", "l=a k=a", []int{1, 0}},
	} {
		if got := Align(seg(c.old), seg(c.now)); !slices.Equal(got, c.want) {
			t.Errorf("%s -> %s: %v, want %v", c.old, c.now, got, c.want)
		}
	}
}

func newWorkbook(t testing.TB, cells map[string]any) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	for at, v := range cells {
		if err := f.SetCellValue("Sheet1", at, v); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A workbook without settings is text wherever there is text; with settings the source column is, from the starting row
// on.
func TestSheet(t *testing.T) {
	src := newWorkbook(t, map[string]any{"A1": "English", "B1": "German", "C1": "Note",
		"A2": "One two", "C2": "Be kind",
		"A3": 17, "A4": "Three", "D4": "id4"})
	plain := parse(t, "a.xlsx", src)
	if got := texts(plain); !slices.Equal(got, []string{"English", "German", "Note", "One two", "Be kind", "Three",
		"id4"}) {
		t.Errorf("%q", got)
	}
	same, err := plain.Render("de", none)
	if err != nil || !bytes.Equal(same, src) {
		t.Errorf("%v: other bytes", err)
	}
	sheet := &Sheet{StartingRow: 2, Columns: map[string]string{"en": "A", "de": "B"}, Context: "D",
		Comments: []string{"C"}}
	d, err := Parse(t.Context(), "a.xlsx", src, Options{Source: "en", Sheet: sheet})
	if err != nil {
		t.Fatal(err)
	}
	if s := d.Segments(); len(s) != 3 || s[0].Note != "Be kind" || s[2].Key != "Sheet1!id4" {
		t.Errorf("%+v", s)
	}
	out, err := d.Render("de", func(i int) (string, bool) { return fmt.Sprint("t", i), i != 1 })
	if err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for at, want := range map[string]string{"A2": "One two", "B2": "t0", "B3": "", "B4": "t2"} {
		if got, _ := f.GetCellValue("Sheet1", at); got != want {
			t.Errorf("%s is %q, want %q", at, got, want)
		}
	}
}

// The laws for texts that nobody thought of: rendering nothing gives the same bytes, and spans are in order and apart.
func law(t interface{ Fatalf(string, ...any) }, file string, src []byte) {
	d, err := Parse(context.Background(), file, src, Options{Source: "en"})
	if err != nil {
		return
	}
	out, err := d.Render("de", none)
	if err != nil || !bytes.Equal(out, src) {
		t.Fatalf("%s: %v: other bytes for %q: %q", file, err, src, out)
	}
	at := 0
	for i, s := range d.spans {
		if s.from < at || s.to < s.from || s.to > len(src) {
			t.Fatalf("%s: segment %d stands at %d-%d, behind %d, in %q", file, i, s.from, s.to, at, src)
		}
		at = s.to
	}
	for i, s := range d.segments {
		if !translatable(s.Text, s.Markup) {
			t.Fatalf("%s: nothing to translate in %q of %q", file, s.Text, src)
		}
		if d.spans != nil && s.Markup == Tags {
			continue // its source need not be well-formed
		}
		if err := d.Accepts(i, s.Text); err != nil {
			t.Fatalf("%s: its own text %q is refused: %v", file, s.Text, err)
		}
	}
	whole, err := d.Render("en", func(i int) (string, bool) { return d.segments[i].Text, d.segments[i].Markup != Tags })
	if err != nil {
		t.Fatalf("%s: %v in %q", file, err, src)
	}
	again, err := Parse(context.Background(), file, whole, Options{Source: "en"})
	said := func(d *Document) string { // a backslash may keep a sign from beginning a list, and two sentences apart
		all := strings.Join(texts(d), " ")
		if file == "a.md" {
			all = unescaped.ReplaceAllString(all, "$1")
		}
		return all
	}
	if err != nil || said(again) != said(d) {
		t.Fatalf("%s: %v\n%q\nreassembled\n%q\n%q\n%q", file, err, src, whole, texts(d), texts(again))
	}
}

func TestLaws(t *testing.T) {
	words := []string{"One", "two.", "Three", " ", " ", "\n", "\n\n", "<b>", "</b>", "<p>",
		"</p>", "<br>", "*", "**", "`",
		"# ", "- ", "> ", "1. ", "|", "---", "&amp;", "&", "<!--", "-->",
		"<img alt=\"x y\">", "[a](b)", "\\", "  \n", "\r\n", "。", "\"", "<pre>", "</pre>",
		"<script>", "</script>", "[^1]",
		"[^1]: ", "```\n", "<div translate=no>", "</div>", "\t", "é", "!",
		"&nbsp;", "&#10;", "&#32;", "&emsp;", "\u00a0", "\u2003", "\r"}
	rapid.Check(t, func(t *rapid.T) {
		src := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 40).Draw(t, "words"), "")
		for _, file := range []string{"a.txt", "a.md", "a.html"} {
			law(t, file, []byte(src))
		}
	})
}

func FuzzLaws(f *testing.F) {
	for i, s := range samples {
		f.Add(uint8(i), []byte(s.src))
	}
	f.Add(uint8(1), []byte("*\rOne"))
	f.Add(uint8(1), []byte("*\vO"))
	f.Add(uint8(1), []byte("#\f0"))
	f.Add(uint8(2), []byte("<p>&nbsp;&md"))
	f.Add(uint8(2), []byte("One<title>! <00"))
	f.Add(uint8(2), []byte("One<A\"0=\" title=0>"))
	f.Add(uint8(2), []byte("two.&#10;*"))
	f.Fuzz(func(t *testing.T, kind uint8, src []byte) { law(t, samples[int(kind)%len(samples)].file, src) })
}

// BenchmarkHostile takes documents apart that were made to keep a reader busy. The figure per byte is that of ordinary
// ones, within a factor.
func BenchmarkHostile(b *testing.B) {
	for _, c := range []struct{ name, file, piece string }{
		{"tags in one block", "a.html", "<b>a.</b> B. "},
		{"tags around one another", "a.html", "<b>"},
		{"links in one paragraph", "a.md", "[a. B](c) d. E. "},
		{"points", "a.txt", "A. "},
	} {
		src := []byte(strings.Repeat(c.piece, 1<<19/len(c.piece)) + "x")
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if _, err := Parse(b.Context(), c.file, src, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, s := range samples[:3] {
		src := []byte(strings.Repeat(strings.TrimPrefix(s.src, "\xef\xbb\xbf"), 200))
		b.Run(s.file, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if _, err := Parse(b.Context(), s.file, src, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A document is refused before it takes much more memory than it has bytes.
func TestTooManySegments(t *testing.T) {
	gittest.Long(t)
	for name, src := range map[string]string{
		"lines.txt": strings.Repeat("a\n", MaxSegments+1), "signs.html": strings.Repeat("<", MaxWeight/400),
		"text.txt": strings.Repeat("a", maxText+1), "elements.html": strings.Repeat("<p>a", MaxSegments+1),
	} {
		if _, err := Parse(t.Context(), name, []byte(src), Options{Source: "en"}); err == nil {
			t.Errorf("%s is taken apart", name)
		}
	}
	src := "<p " + strings.Repeat("alt=a ", 3*maxAttributes) + ">"
	d, err := Parse(t.Context(), "a.html", []byte(src), Options{Source: "en"})
	if err != nil || len(d.Segments()) != maxAttributes {
		t.Errorf("%v, %d attributes", err, len(d.Segments()))
	}
}

// Brackets and links without an end take a time that grows with their number, or are refused.
func TestBracketsOfMarkdown(t *testing.T) {
	for name, unit := range map[string][2]string{
		"nested": {"[", "]"}, "nested over lines": {"[a\n", "]\n"}, "nested images": {"![",
			"]"}, "footnotes": {"[^", "]"},
		"addresses": {"[a](x", ""}, "addresses in signs": {"[a](<b", ""}, "addresses in brackets": {"[a]((x)", ""},
		"side by side": {"[a](x) ", ""}, "references": {"[a][b] ", ""}, "in paragraphs": {"[a [b]\n\n", ""},
		"unclosed": {"[", ""}, "closed only": {"]", ""}, "code": {"`[a](", ""},
	} {
		src := strings.Repeat(unit[0], 30_000) + "a" + strings.Repeat(unit[1], 30_000)
		began := time.Now()
		_, err := Parse(t.Context(), "a.md", []byte(src), Options{Source: "en"})
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: %v for %d bytes (%v)", name, took, len(src), err)
		}
		taken := slices.Contains([]string{"side by side", "references", "in paragraphs", "closed only"}, name)
		if taken != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
