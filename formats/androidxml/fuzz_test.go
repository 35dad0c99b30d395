package androidxml

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// undone are the files where removing what was inserted gives the old bytes back: the package comment names the others.
func undone(f *resource.File, _ string) bool {
	if f.Len() > 1 {
		return true
	}
	root := f.Node(0)
	if isBlank(f.Source()) || root.Style&styleClosed != 0 {
		return false
	}
	g := inside(f, 0, nil)
	return g.Head == ""
}

// strict is a case of an ordinary file: an edit of it is refused only for what the package comment names.
func strict(src []byte, texts ...string) resourcetest.Case {
	rules := []string{`marked translatable="false"`, "is not a quantity", "the entry is plurals here",
		"are counted from 0", "an item holds a single text", "other keys are below it",
		"without the items before it", "without its other items", "is missing, and a list is whole or absent",
		"declare it in this file, too", "plural quantities and counted items at once",
		"needs a name", "the name has more than"}
	return resourcetest.Case{Grammar: Grammar, Src: src, NewTexts: texts, Undone: undone,
		Refuses: func(_ *resource.File, r resource.Refusal) bool {
			why := rules
			if writable(r.Text) != nil || writable(r.Key) != nil {
				why = append(why, "control character", "not valid UTF-8")
			}
			if strings.Contains(r.Text, "<") {
				why = append(why, "the markup in the text is broken", "does not declare the prefix")
			}
			return slices.ContainsFunc(why, func(rule string) bool { return strings.Contains(r.Reason, rule) })
		}}
}

// hard are texts that XML or Android find hard to spell.
var hard = []string{
	"", " ", "a 'b' \"c\" \\ & < > d", "  two  spaces ", "line\nbreak\ttab\r", "<b>x</b> y", "a <b>x", "@string/x", "?attr/x", "]]>",
	"&amp; &app; &#65;", "é… \u00a0\u200f日本😀", `\u0041\`, "<xliff:g id=\"a\">%s</xliff:g> z",
	"x\x01", "</string>", "<!-- c -->",
}

// values are values as people spell them.
var values = []string{
	`x`, ``, ` a `, `"a"`, `"a  'b' " c`, `a "  b`, `a\n\tb\'\"\\\@`, `\u00A0&#160;\uD83D\uDE00`, `\uD83D x \uDE00 \u12 \`, `a\ `, `\  b`,
	`<b> a </b> c `, ` <xliff:g id="n" example=">">%1$s</xliff:g> `, `a <xliff:g> b</xliff:g> `,
	`"a"<i>"b"</i>" c"`, `<br/>a<br />`,
	`<![CDATA[<b>a</b> & c]]>`, ` <![CDATA[ a ]]> `, `a <![CDATA[<i>]]> b`, `&lt;b&gt;a&lt;/b> &amp;`,
	`a<!-- b -->c`, `a<?pi b?>c`, `@string/x`,
	`<![CDATA[@string/x]]>`, `?attr/x`, `@x`, `it's`, `&quot;a  b&quot;`, `&apos;`, "a\r\n  b", "\"a\r\n  b\"",
	`&#32;a&#32;`, `<b>a</b> &lt;i>`,
	`<a href="x?a=1&amp;b=2">l</a>`, "\"a\\u00", `\u&#48;041`, `"&#34;`, "a\\<b>c</b>", "a \"<xliff:g> b</xliff:g>  \"",
	`\\n\\\n\\\\n`, `\u005C\u005C\u005cn`, `\<!-- c -->n`, `\\&#92;'\"`, "\\\r\n\\u0041",
	`\\uD83D\uDE00\uD83D`, `\<b>n</b>`,
}

func document(value string) []byte {
	return fmt.Appendf(nil, `<resources xmlns:xliff="%s">
    <!-- about k -->
    <string name="k">%s</string> <!-- tail -->
    <plurals name="p">
        <item quantity="other">%[2]s</item>
    </plurals>
    <string-array name="a"><item>%[2]s</item><item>@null</item></string-array>
    <string name="last">x</string>
</resources>
`, xliffURI, value)
}

// FuzzLaws holds any bytes against the laws of package resource, and against the independent reader.
func FuzzLaws(f *testing.F) {
	resourcetest.Seeds(f)
	for _, e := range resourcetest.Edges(f) {
		f.Add(e.Src)
	}
	for _, v := range values {
		f.Add(document(v))
	}
	f.Add([]byte("<resources>x\n    <string name=\"a\">A</string>\"\n    &gt;<string name=\"b\">B</string>\n\nstray\n</resources>"))
	f.Fuzz(resourcetest.Mutated(func(t *testing.T, src []byte) {
		if len(src) > 1<<13 {
			return
		}
		f := resourcetest.Check(t, resourcetest.Case{Grammar: Grammar, Src: src, NewTexts: []string{" a  'b' <b>",
			"<b>c</b> &app;"}, Undone: undone, Any: true})
		agree(t, src)
		if f != nil && len(src) > 0 {
			monolingual(t, f)
		}
	}))
}

// What is in the root, over and over.
func TestRepeatedInLinearTime(t *testing.T) {
	resourcetest.Long(t)
	for _, e := range resourcetest.Edges(t) {
		f, err := resource.Parse(Grammar, resource.Keys{}, e.Src)
		if err != nil || f.Node(0).Style&styleClosed != 0 || isBlank(f.Source()) {
			continue
		}
		root := f.Node(0)
		head, body, _ := strings.Cut(f.Source()[root.Value.Start:root.Value.End], ">")
		body = body[:strings.LastIndex(body, "</")]
		resourcetest.LinearCase(t, e.File, resourcetest.Case{Grammar: Grammar}, func(n int) []byte {
			return []byte(f.Source()[:root.Value.Start] + head + ">" + strings.Repeat(body, n) + "</resources>")
		})
	}
}

// FuzzValue is FuzzLaws with the fuzzer's attention on one value.
func FuzzValue(f *testing.F) {
	for _, v := range values {
		f.Add(v, "new")
	}
	for _, text := range hard {
		f.Add("old", text)
	}
	f.Fuzz(func(t *testing.T, value, text string) {
		if len(value)+len(text) > 1<<12 {
			return
		}
		src := document(value)
		resourcetest.Check(t, resourcetest.Case{Grammar: Grammar, Src: src, NewTexts: []string{text}, Undone: undone,
			Any: true})
		agree(t, src)
	})
}

// FuzzText writes any text in place of any spelling, and as a new entry modelled on it: it comes back equal or is
// refused. A file without markup takes every text that XML can hold.
func FuzzText(f *testing.F) {
	for i, text := range hard {
		f.Add(text, values[i%len(values)])
	}
	for i, v := range values {
		f.Add(hard[i%len(hard)], v)
	}
	f.Add("0", "@ct䳳ing/x") // a letter that is none in names of XML
	f.Fuzz(func(t *testing.T, text, value string) {
		if len(value)+len(text) > 1<<12 {
			return
		}
		model, err := resource.Parse(Grammar, resource.Keys{}, document(value))
		if err != nil {
			return
		}
		empty, err := resource.Parse(Grammar, resource.Keys{},
			[]byte(`<resources xmlns:xliff="`+xliffURI+"\">\n</resources>\n"))
		if err != nil {
			t.Fatal(err)
		}
		edits := []resource.Edit{
			{Op: resource.Set, Key: "k", Text: text},
			{Op: resource.Set, Key: "p", Form: "other", Text: text},
			{Op: resource.Set, Key: "p", Form: "few", Text: text},
			{Op: resource.Set, Key: "a", Form: "0", Text: text},
			{Op: resource.Set, Key: "new", Text: text},
		}
		for _, file := range []*resource.File{model, empty} {
			out, refused := file.Rewrite(edits, model)
			g, err := resource.Parse(Grammar, resource.Keys{}, out)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			agree(t, out)
			no := make(map[string]bool)
			for _, r := range refused {
				no[r.Key+r.Form] = true
				if writable(text) == nil && strings.IndexByte(value+text, '<') < 0 && !(r.Key == "a" && file == empty) {
					t.Errorf("%q over %q: %v", text, value, r)
				}
			}
			for _, e := range edits {
				if no[e.Key+e.Form] {
					continue
				}
				if got, ok := g.Lookup(e.Key, e.Form); !ok || got.Kind != resource.Text || got.Text != text {
					t.Fatalf("%s %s: wrote %q, read %q (kind %d)\n%s", e.Key, e.Form, text, got.Text, got.Kind, out)
				}
			}
		}
		composes(t, model, text)
	})
}

// composes checks that a composed file of all texts of f, the one of k replaced, reads the same.
func composes(t *testing.T, f *resource.File, text string) {
	t.Helper()
	var entries []resource.Entry
	for e := range f.Entries() {
		if e.Kind != resource.Text {
			continue
		}
		if e.Key == "k" {
			e.Text = text
		}
		entries = append(entries, e)
	}
	out, err := resource.Compose(Grammar, resource.Keys{}, f, entries)
	if err != nil {
		if writable(text) == nil && strings.IndexByte(text, '<') < 0 {
			t.Fatalf("not composed: %v\n%s", err, f.Source())
		}
		return
	}
	g, err := resource.Parse(Grammar, resource.Keys{}, out)
	if err != nil {
		t.Fatalf("composed: %v\n%s", err, out)
	}
	agree(t, out)
	for _, e := range entries {
		last, _ := f.Lookup(e.Key, e.Form)
		if last.Node != e.Node {
			continue
		}
		if got, ok := g.Lookup(e.Key, e.Form); !ok || got.Text != e.Text || got.Note != e.Note {
			t.Fatalf("composed: %s %s: %q with note %q, read %q with note %q\n%s", e.Key, e.Form, e.Text,
				e.Note, got.Text, got.Note, out)
		}
	}
}
