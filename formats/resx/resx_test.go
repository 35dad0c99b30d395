package resx

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/oracle/oracletest"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
	"github.com/locsync/locsync/formats/xmlscan"
)

// hard are texts that the format finds difficult to spell.
var hard = []string{"", " ", "  two", "\t", "\n", "two\nlines", "two\r\nlines\n", "a & b < c > d", "]]>",
	`"quoted" 'it''s'`, "{0:N2} é א 😀",
	"<b>bold</b>", "&amp;", "\u00a0\u2028\ufeff", "<!-- no -->"}

// file is what Visual Studio begins and ends a file with, around entries.
func file(entries string) string { return head + entries + "</root>" }

func entry(name, text string) string {
	return "  <data name=\"" + name + "\" xml:space=\"preserve\">\n    <value>" + text + "</value>\n  </data>\n"
}

// edges are cases with the text that the key k has.
var edges = []struct{ name, src, want string }{
	{"plain", file(entry("k", "Text")), "Text"},
	{"no entries", file(""), ""},
	{"root closed", "<root/>", ""},
	{"root closed, blank", "<root />\n", ""},
	{"on one line", `<root><data name="k"><value>Text</value></data><data name="j"><value>x</value></data></root>`,
		"Text"},
	{"windows line ends", strings.ReplaceAll(file(entry("k", "one\ntwo")), "\n", "\r\n"), "one\ntwo"},
	{"mark", "\xef\xbb\xbf" + file(entry("k", "Text")), "Text"},
	{"references", file(entry("k", "&lt;b&gt; &amp;&quot;&apos; &#65;&#x42;")), `<b> &"' AB`},
	{"cdata", file(entry("k", "<![CDATA[<b>Text & more</b>]]>")), "<b>Text & more</b>"},
	{"cdata and text", file(entry("k", "one <![CDATA[<two>]]> three")), "one <two> three"},
	{"comment in value", file(entry("k", "one<!-- not --> two")), "one two"},
	{"empty value", file(entry("k", "")), ""},
	{"closed value", file("  <data name=\"k\" xml:space=\"preserve\">\n    <value />\n  </data>\n"), ""},
	{"white space", file(entry("k", "  two \n lines ")), "  two \n lines "},
	{"comment first", file("  <data name=\"k\">\n    <comment>Note</comment>\n    <value>Text</value>\n  </data>\n"),
		"Text"},
	{"comment behind",
		file("  <data name=\"k\">\n    <value>Text</value>\n    <comment>Note &amp; more</comment>\n  </data>\n"),
		"Text"},
	{"XML comment above", file("  <!-- Buttons -->\n" + entry("k", "Text")), "Text"},
	{"single quotes", file("  <data xml:space='preserve' name='k'><value>Text</value></data>\n"), "Text"},
	{"dots in name", file(entry("a.b", "x") + entry("k", "Text")), "Text"},
	{"references in name", file(entry("a&amp;b&quot;", "x") + entry("k", "Text")), "Text"},
	{"name twice", file(entry("k", "first") + entry("j", "x") + entry("k", "last")), "last"},
	{"tabs", strings.ReplaceAll(file(entry("k", "Text")), "  ", "\t"), "Text"},
	{"two values", file("  <data name=\"k\"><value>Text</value><value>other</value></data>\n"), "Text"},
	{"metadata", file("  <metadata name=\"k\"><value>no</value></metadata>\n" + entry("k", "Text")), "Text"},
	{"assembly", file("  <assembly alias=\"x\" name=\"k\" />\n" + entry("k", "Text")), "Text"},
	{"schema",
		"<root>\n  <xsd:schema id=\"root\" xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\">\n    <xsd:element name=\"data\"/>\n  </xsd:schema>\n" +
			entry("k", "Text") + "</root>\n", "Text"},
	{"data in data", file("  <data name=\"k\"><value>Text</value><data name=\"in\"><value>no</value></data></data>\n"),
		"Text"},
	{"no final line end", strings.TrimSpace(file(entry("k", "Text"))), "Text"},
	{"instruction", file("  <?x y?>\n" + entry("k", "Text")), "Text"},
	{"image",
		file("  <data name=\"i\" type=\"System.Resources.ResXFileRef, System.Windows.Forms\">\n    <value>a.png</value>\n  </data>\n" + entry("k", "Text")), "Text"},
	{"bytes",
		file("  <data name=\"i\" mimetype=\"application/x-microsoft.net.object.bytearray.base64\"><value>AA==</value></data>\n" + entry("k", "Text")), "Text"},
	{"designer's", file(entry("&gt;&gt;k.Name", "k") + entry(">>k.Type", "System.Windows.Forms.Button") + entry("k", "Text")),
		"Text"},
	{"typed text", file("  <data name=\"k\" type=\"System.String, mscorlib\"><value>Text</value></data>\n"), "Text"},
	{"another script", file(entry("ключ", "текст") + entry("k", "テキスト 😀")), "テキスト 😀"},
}

func strict(src []byte, texts ...string) resourcetest.Case {
	return resourcetest.Case{Grammar: Grammar, Src: src, NewTexts: texts,
		Refuses: resourcetest.Rules("XML does not have", "is too long", "its value is typed data"),
		Undone: func(f *resource.File, _ string) bool {
			end := strings.LastIndex(f.Source(), "</root>")
			return f.Len() > 1 || f.Node(0).Style&closed == 0 && strings.HasSuffix(f.Source()[:max(end, 0)], "\n")
		}}
}

func TestLaws(t *testing.T) {
	for _, c := range edges {
		t.Run(c.name, func(t *testing.T) {
			f := resourcetest.Check(t, strict([]byte(c.src), hard...))
			if f == nil {
				t.Fatal("refused")
			}
			oracletest.Agree(t, f, oracle.Rule{Format: "resx"})
			if e, _ := f.Lookup("k", ""); e.Text != c.want {
				t.Errorf("k is %q, want %q", e.Text, c.want)
			}
		})
	}
}

func FuzzLaws(f *testing.F) {
	resourcetest.Seeds(f)
	for _, c := range edges {
		f.Add([]byte(c.src))
	}
	f.Fuzz(resourcetest.Mutated(func(t *testing.T, src []byte) {
		if len(src) > 4<<10 {
			return
		}
		c := strict(src, hard[len(src)%len(hard)])
		c.Any = true
		f := resourcetest.Check(t, c)
		if f == nil {
			return
		}
		if _, err := (oracle.Rule{Format: "resx"}).Read(f.Bytes()); err == nil {
			oracletest.Agree(t, f, oracle.Rule{Format: "resx"})
		}
	}))
}

func parse(t testing.TB, src string) *resource.File {
	t.Helper()
	f, err := resource.Parse(Grammar, resource.Keys{}, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func set(key, text string) resource.Edit {
	return resource.Edit{Op: resource.Set, Key: key, Text: text}
}

// What the designer of Windows Forms says of controls is no text, and is in no file of another language.
func TestDesigner(t *testing.T) {
	const name = "&gt;&gt;save.Name"
	f := parse(t, file(entry(name, "save")+entry(">>save.Type", "System.Windows.Forms.Button")+entry("save.Text", "Save")))
	var texts []string
	for e := range f.Entries() {
		if e.Kind == resource.Text {
			texts = append(texts, e.Key)
		}
	}
	if len(texts) != 1 || texts[0] != "save.Text" {
		t.Errorf("texts are %q", texts)
	}
	out, refused := f.Fresh([]resource.Edit{set("save.Text", "Sichern")})
	if want := file(entry("save.Text", "Sichern")); len(refused) > 0 || string(out) != want {
		t.Errorf("a new file is\n%s\n%v", out, refused)
	}
	if _, refused = parse(t, file("")).Rewrite([]resource.Edit{set(">>a", "x")}, nil); len(refused) != 1 {
		t.Errorf("refused: %v", refused)
	}
}

// A new entry is where the source has it, as Visual Studio writes it, with its comment where the file has comments.
func TestInsert(t *testing.T) {
	noted := "  <data name=\"hello\" xml:space=\"preserve\">\n    <value>Hello</value>\n    <comment>A greeting</comment>\n  </data>\n"
	source := parse(t, file(entry("title", "Notes")+noted+entry("bye", "Bye")))
	title := strings.Replace(strings.Replace(noted, "Hello", "Titel", 1), "\"hello\"", "\"title\"", 1)
	for _, c := range []struct{ src, want string }{
		{file(title + entry("bye", "Ciao")), file(title + strings.Replace(noted, "Hello", "Grüße &amp; mehr", 1) +
			entry("bye", "Ciao"))},
		{file(entry("bye", "Ciao")), file(entry("hello", "Grüße &amp; mehr") + entry("bye", "Ciao"))},
		{"<root/>", "<root>\n" + strings.Replace(noted, "Hello", "Grüße &amp; mehr", 1) + "</root>"},
		{strings.ReplaceAll(file(entry("title", "x")), "\n", "\r\n"),
			strings.ReplaceAll(file(entry("title", "x")+entry("hello", "Grüße &amp; mehr")), "\n", "\r\n")},
	} {
		out, refused := parse(t, c.src).Rewrite([]resource.Edit{set("hello", "Grüße & mehr")}, source)
		if got := string(out); len(refused) > 0 || got != c.want {
			t.Errorf("%q becomes %v\n%q, want\n%q", c.src, refused, got, c.want)
		}
	}
}

// A new language has the headers and the texts, and no images.
func TestFresh(t *testing.T) {
	source := file(entry("title", "Notes") +
		"  <data name=\"icon\" type=\"System.Drawing.Bitmap\"><value>x</value></data>\n" + entry("bye", "Bye"))
	out, refused := parse(t, source).Fresh([]resource.Edit{set("title", "Zettel")})
	if want := file(entry("title", "Zettel")); len(refused) > 0 || string(out) != want {
		t.Errorf("%v\n%s, want\n%s", refused, out, want)
	}
}

func TestRefused(t *testing.T) {
	for src, want := range map[string]string{
		"<resources/>":        "1:1: the root element is <resources>, not <root>: this is not a .resx file",
		"<root>\n<data>":      "2:7: the file ends inside <data>: its end tag is missing",
		"<root>&nbsp;</root>": "1:7: a & that begins no reference that XML has; write &amp;",
		"<root></rot>":        "1:7: </rot> ends no element that is open here",
		"<!DOCTYPE x><root/>": "1:1: a DOCTYPE, or a <! that begins no comment; files with one are not read",
		"":                    "1:1: there is no root element",
		"<root/><root/>":      "1:8: something follows the root element",
		"<root><data name=\"a\" name=\"b\"/></root>":    "1:22: <data> has the attribute name twice",
		"<?xml version=\"1.0\" encoding=\"x\"?><root/>": "1:1: the file says that it is x; save it as UTF-8 and declare that",
		"\xff\xfe<\x00": "1:1: the file is UTF-16; save it as UTF-8",
		"<root><data name=\"k\"><value>\x01</value></data></root>": "1:29: the character U+0001, which XML does not have",
	} {
		if _, err := resource.Parse(Grammar, resource.Keys{}, []byte(src)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
	for src, want := range map[string]string{
		`<root><data name="k"><value>a<b/></value></data></root>`: "its <value> has tags in it, so it is left alone; write &lt; for <",
		`<root><data name="k"/></root>`:                           "it has no <value>, so it cannot be translated; add one",
		`<root><data><value>x</value></data></root>`:              "a <data> has no name, so it cannot be translated",
	} {
		if w := parse(t, src).Warnings(); len(w) != 1 || w[0].Msg != want {
			t.Errorf("%s: %+v, want %s", src, w, want)
		}
	}
}

// The tokens of a file, one behind the other, are the file.
func TestTokens(t *testing.T) {
	for _, c := range edges {
		src, _, err := xmlscan.Decode([]byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		s, at := xmlscan.New(src), 0
		for {
			token, err := s.Next()
			if err != nil {
				t.Fatal(err)
			}
			if int(token.At.Start) != at {
				t.Fatalf("%s: a token begins at %d, and the one before ends at %d", c.name, token.At.Start, at)
			}
			if at = int(token.At.End); token.Kind == xmlscan.Nothing {
				break
			}
		}
		if at != len(src) {
			t.Errorf("%s: the last token ends at %d of %d", c.name, at, len(src))
		}
	}
}

// made is a file of some size.
func made(size int) []byte {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		text := "The transfer of {0} is complete, and {1:N0} files of it were checked."
		if i%10 == 3 {
			text = "&quot;Löschen&quot; von „{0}“?\n    Das lässt sich nicht rückgängig machen &amp; bleibt so."
		}
		b.WriteString(entry(fmt.Sprintf("Alert.Transfer.%d.Message", i), text))
	}
	return []byte(file(b.String()))
}

var large = sync.OnceValue(func() []byte { return made(10 << 20) })

func Benchmark(b *testing.B)       { resourcetest.BenchScan(b, strict(large())) }
func BenchmarkMemory(b *testing.B) { resourcetest.BenchMemory(b, strict(large())) }

// Reading takes time in proportion to the file, whatever is in it.
func TestLinear(t *testing.T) {
	for name, unit := range map[string]string{
		"entries": entry("k",
			"v"), "elements": "<a>", "comments": "<!---->", "references": "&amp;", "blank": "\n", "attributes": `<a b="c"/>`,
		"open tags": "<", "open comments": "<!--", "ampersands": "&",
	} {
		resourcetest.LinearCase(t, name, strict(nil), func(n int) []byte {
			return []byte("<root>" + strings.Repeat(unit, n/len(unit)/8))
		})
		resourcetest.LinearCase(t, name+" in a value", strict(nil), func(n int) []byte {
			return []byte(file(entry("k", strings.Repeat(unit, n/len(unit)/8))))
		})
	}
}

func TestShapes(t *testing.T) {
	resourcetest.Shapes{Grammar: Grammar, Entry: entry,
		File:     func(entries []string) string { return file(strings.Join(entries, "")) },
		NameCost: 2}.Check(t)
}
