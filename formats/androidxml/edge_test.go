package androidxml

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

func parse(t testing.TB, src string) *resource.File {
	t.Helper()
	f, err := resource.Parse(Grammar, resource.Keys{}, []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return f
}

// rewrite makes edits that must not be refused.
func rewrite(t testing.TB, f, like *resource.File, edits ...resource.Edit) string {
	t.Helper()
	out, refused := f.Rewrite(edits, like)
	if len(refused) > 0 {
		t.Fatalf("%v: refused %v", edits, refused)
	}
	return string(out)
}

func set(key, form, text string) resource.Edit {
	return resource.Edit{Op: resource.Set, Key: key, Form: form, Text: text}
}

func remove(key, form string) resource.Edit {
	return resource.Edit{Op: resource.Remove, Key: key, Form: form}
}

// spelled sets k and returns how its value is written then.
func spelled(t testing.TB, f *resource.File, text string) string {
	t.Helper()
	g := parse(t, rewrite(t, f, nil, set("k", "", text)))
	e, ok := g.Lookup("k", "")
	if !ok || e.Text != text {
		t.Fatalf("set k to %q: read %q", text, e.Text)
	}
	return g.Node(e.Node).Value.Of(g.Source())
}

// refusal sets a key to a text that is refused, and returns why.
func refusal(t testing.TB, f *resource.File, key, form, text string) string {
	t.Helper()
	out, refused := f.Rewrite([]resource.Edit{set(key, form, text)}, nil)
	if len(refused) != 1 {
		t.Fatalf("set %s to %q: refused %v\n%s", key, text, refused, out)
	}
	return refused[0].Reason
}

func edges(t testing.TB) map[string]resourcetest.Edge {
	t.Helper()
	m := make(map[string]resourcetest.Edge)
	for _, e := range resourcetest.Edges(t) {
		m[strings.TrimSuffix(e.File, ".xml")] = e
	}
	return m
}

// TestEdges holds every edge case against its row of the index: what is refused, the laws, the text of k, and the one
// word that an edit may change.
func TestEdges(t *testing.T) {
	refused := map[string]string{
		"latin1":     "1:1: the file says that it is ISO-8859-1; save it as UTF-8 and declare that",
		"utf16":      "1:1: the file is UTF-16; save it as UTF-8",
		"not-closed": "5:1: the file ends inside <resources>: its end tag is missing",
		"bare-amp":   "3:22: a bare & is not XML; write &amp;",
	}
	all := edges(t)
	if len(all) < 64 {
		t.Fatalf("%d edge cases, want all 64", len(all))
	}
	for name, e := range all {
		t.Run(name, func(t *testing.T) {
			if why, ok := refused[name]; ok {
				_, err := resource.Parse(Grammar, resource.Keys{}, e.Src)
				if err == nil || err.Error() != why {
					t.Fatalf("error %v, want %q", err, why)
				}
				return
			}
			if e.Expect == "refuse" {
				t.Fatal("the index wants it refused")
			}
			f := resourcetest.Check(t, strict(e.Src, hard...))
			if f == nil {
				t.Fatal("refused")
			}
			agree(t, e.Src)
			if e.Value != "" {
				var want string
				if err := json.Unmarshal([]byte(e.Value), &want); err != nil {
					t.Fatal(err)
				}
				if k, ok := f.Lookup("k", ""); !ok || k.Kind != resource.Text || k.Text != want {
					t.Errorf("k is %q, want %q", k.Text, want)
				}
			}
			if plain, ok := f.Lookup("plain", ""); ok {
				if plain.Text != "oldword" {
					t.Errorf("plain is %q", plain.Text)
				}
				out := rewrite(t, f, nil, set("plain", "", "newword"))
				if want := bytes.Replace(e.Src, []byte("oldword"), []byte("newword"), 1); out != string(want) {
					t.Errorf("setting plain:\n%s", out)
				}
			} else if name != "empty-resources" {
				t.Error("there is no entry named plain")
			}
		})
	}
}

// TestEdgeSpelling is what the index says about how a new text is spelled: one row per case that says so.
func TestEdgeSpelling(t *testing.T) {
	all := edges(t)
	for _, c := range []struct{ name, text, want string }{
		{"apostrophe", "It's", `It\'s`},
		{"apostrophe-quoted", "It's", `"It's"`},
		{"apostrophe-quoted", ``, `""`},
		{"apostrophe-raw", "Won't", `Won\'t`},
		{"quote", `a "b"`, `a \"b\"`},
		{"newline-tab", "x\ny\tz", `x\ny\tz`},
		{"unicode-escape", "…\u00a0é", `\u2026\u00A0é`},
		{"leading-at", "@me @you", `\@me @you`},
		{"leading-question", "?huh?", `\?huh?`},
		{"inner-at", "b @ c ?", `b @ c ?`},
		{"backslash", `a\b\`, `a\\b\\`},
		{"whitespace", "x", "  x  "},
		{"whitespace", " x  y ", `  \u0020x \u0020y\u0020  `},
		{"whitespace-quoted", " x  y ", `" x  y "`},
		{"quote-part", "x  y", `x \u0020y`},
		{"multi-line", "neu", "\n            neu\n        "},
		{"cdata", `<i>"x"</i> & 'y'`, `<![CDATA[<i>\"x\"</i> & \'y\']]>`},
		{"cdata", "a]]>b", `<![CDATA[a]]]]><![CDATA[>b]]>`},
		{"cdata-part", "x <u> y", `<![CDATA[x <u> y]]>`},
		{"cdata-part", "x y", `x y`},
		{"cdata-escapes", "It's\n<p>", `<![CDATA[It\'s\n<p>]]>`},
		{"xliff", `<xliff:g id="n" example="Bob">%1$s</xliff:g>'s`, `<xliff:g id="n" example="Bob">%1$s</xliff:g>\'s`},
		{"xliff-noprefix", `<xliff:g id="n">%1$s</xliff:g>?`, `<xliff:g id="n">%1$s</xliff:g>?`},
		{"html", `<b>x</b> & <a href="https://x/?a=1&amp;b=2">y</a>`,
			`<b>x</b> &amp; <a href="https://x/?a=1&amp;b=2">y</a>`},
		{"html", `1 < 2 <b>x</b> <unknown> > `, `1 &lt; 2 <b>x</b> &lt;unknown> > `},
		{"html-escaped", "<i>x</i> y", `&lt;i&gt;x&lt;/i&gt; y`},
		{"br", "x<br/>y<br />z", `x<br/>y<br />z`},
		{"annotation", `<annotation font="title">x</annotation> y`, `<annotation font="title">x</annotation> y`},
		{"entity", "&app; y & &other;", `&app; y &amp; &amp;other;`},
		{"char-refs", "\u00a0é", `&#160;é`},
		{"self-closing", "x", `x`},
		{"empty", "x", `x`},
		{"percent", "%1$s von 100%%", `%1$s von 100%%`},
		{"rtl", "\u200fx\u202c", "\u200fx\u202c"},
		{"nbsp", "a\u00a0\u2003b", "a\u00a0\u2003b"},
		{"crlf", "x\r\ny", `x\u000D\ny`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := spelled(t, parse(t, string(all[c.name].Src)), c.text); got != c.want {
				t.Errorf("%q is spelled %s, want %s", c.text, got, c.want)
			}
		})
	}
}

// TestEdgeBehaviour is the rest of what the index says that can be said in code.
func TestEdgeBehaviour(t *testing.T) {
	all := edges(t)
	file := func(t *testing.T, name string) *resource.File { return parse(t, string(all[name].Src)) }
	entry := func(t *testing.T, f *resource.File, key, form string) resource.Entry {
		t.Helper()
		e, ok := f.Lookup(key, form)
		if !ok {
			t.Fatalf("%s[%s] is not there", key, form)
		}
		return e
	}
	warned := func(t *testing.T, f *resource.File, key, what string) {
		t.Helper()
		ws := f.Warnings()
		if len(ws) != 1 || !strings.Contains(ws[0].Msg, what) || f.KeyOf(ws[0].Node) != key {
			t.Errorf("warnings %v, want one about %s", ws, what)
		}
	}
	for name, check := range map[string]func(t *testing.T, f *resource.File){
		"apostrophe-raw": func(t *testing.T, f *resource.File) { warned(t, f, "k", "apostrophe") },
		"xliff-noprefix": func(t *testing.T, f *resource.File) { warned(t, f, "k", "xliff:") },
		"xliff": func(t *testing.T, f *resource.File) {
			if e := entry(t, f, "k", ""); e.Text != `Hi <xliff:g id="n" example="Bob">%1$s</xliff:g>!` {
				t.Errorf("%q", e.Text)
			}
		},
		"html": func(t *testing.T, f *resource.File) {
			if e := entry(t, f, "k", ""); e.Text != `a <b>bold</b> <a href="https://x/?a=1&amp;b=2">link</a>` {
				t.Errorf("%q", e.Text)
			}
			for _, bad := range []string{"<b>x", "x</b>", "<b>x</i></b>", `<a href=x>y</a>`,
				`<a href="x?a=1&b=2">y</a>`} {
				if why := refusal(t, f, "k", "", bad); !strings.Contains(why, "markup") {
					t.Errorf("%q: %s", bad, why)
				}
			}
		},
		"br": func(t *testing.T, f *resource.File) {
			if e := entry(t, f, "k", ""); e.Text != "a<br/>b<br />c" {
				t.Errorf("%q", e.Text)
			}
		},
		"entity": func(t *testing.T, f *resource.File) {
			if e := entry(t, f, "k", ""); e.Text != "&app; x" {
				t.Errorf("%q", e.Text)
			}
			for old, want := range map[string]string{ // "&app; & <i>" over
				"&app; x":                 `&app; &amp; &lt;i>`,
				"&amp;app; x":             `&amp;app; &amp; &lt;i>`,
				"&#38;app;":               `&amp;app; &amp; &lt;i>`,
				"&amp;app; is &app;":      `&app; &amp; &lt;i>`,
				"<![CDATA[&app; x]]>":     `<![CDATA[&app; & <i>]]>`,
				"&app; <![CDATA[<i>]]>":   `&app; &amp; &lt;i>`,
				"a <![CDATA[&app; <i>]]>": `<![CDATA[&app; & <i>]]>`,
			} {
				g := parse(t, strings.Replace(f.Source(), "&app; x<", old+"<", 1))
				if got := spelled(t, g, "&app; & <i>"); got != want {
					t.Errorf("%s becomes %s, want %s", old, got, want)
				}
			}
		},
		"reference": func(t *testing.T, f *resource.File) {
			if e := entry(t, f, "k", ""); e.Kind != resource.Other {
				t.Errorf("kind %d", e.Kind)
			}
			if got := spelled(t, f, "@string/other"); got != `\@string/other` {
				t.Error(got)
			}
		},
		"array": func(t *testing.T, f *resource.File) {
			if e := entry(t, f, "k", "0"); e.Kind != resource.Text || e.Text != "x" {
				t.Errorf("%+v", e)
			}
			if e := entry(t, f, "k", "1"); e.Kind != resource.Other || e.Note != "c" {
				t.Errorf("%+v", e)
			}
		},
		"plurals": func(t *testing.T, f *resource.File) {
			out := rewrite(t, f, nil, set("k", "few", "%d Dateien"), remove("k", "one"))
			want := strings.Replace(f.Source(), `<item quantity="one">%d file</item>`,
				`<item quantity="few">%d Dateien</item>`, 1)
			if out != want {
				t.Error(out)
			}
		},
		"plurals-order": func(t *testing.T, f *resource.File) {
			out := rewrite(t, f, nil, set("k", "one", "eine"), set("k", "other", "viele"))
			want := strings.NewReplacer("%d files", "viele", "%d file", "eine").Replace(f.Source())
			if out != want {
				t.Error(out)
			}
		},
		"not-translatable": func(t *testing.T, f *resource.File) {
			if e := entry(t, f, "k", ""); e.Kind != resource.Other {
				t.Errorf("kind %d", e.Kind)
			}
			if why := refusal(t, f, "k", "", "y"); !strings.Contains(why, "translatable") {
				t.Error(why)
			}
		},
		"product": func(t *testing.T, f *resource.File) {
			if e := entry(t, f, "k@tablet", ""); e.Text != "x" {
				t.Errorf("%q", e.Text)
			}
			if e := entry(t, f, "k", ""); e.Text != "y" {
				t.Errorf("%q", e.Text)
			}
		},
		"dup-names": func(t *testing.T, f *resource.File) {
			if d := f.Duplicates(); len(d) != 1 {
				t.Errorf("duplicates %v", d)
			}
		},
		"name-clash": func(t *testing.T, f *resource.File) {
			if len(f.Duplicates()) != 0 || entry(t, f, "k", "").Text != "x" || entry(t, f, "k", "other").Text != "y" {
				t.Error("the two are not told apart")
			}
		},
		"comments": func(t *testing.T, f *resource.File) {
			if n := entry(t, f, "k", "").Note; n != "about k" {
				t.Errorf("note %q", n)
			}
			if n := entry(t, f, "plain", "").Note; n != "" {
				t.Errorf("commented-out code is taken for a note: %q", n)
			}
			if _, ok := f.Lookup("dead", ""); ok {
				t.Error("commented-out code is an entry")
			}
			out := rewrite(t, f, nil, remove("k", ""), remove("plain", ""))
			if strings.Contains(out, "about k") || strings.Contains(out, "tail") || !strings.Contains(out, "dead") {
				t.Error(out)
			}
		},
		"other-types": func(t *testing.T, f *resource.File) {
			if got := len(ours(f)); got != 2 {
				t.Errorf("%d entries", got)
			}
		},
		"self-closing": func(t *testing.T, f *resource.File) {
			out := rewrite(t, f, nil, set("k", "", "x"))
			if want := strings.Replace(f.Source(), `<string name="k"/>`, `<string name="k">x</string>`,
				1); out != want || want == f.Source() {
				t.Error(out)
			}
		},
		"same-line": func(t *testing.T, f *resource.File) {
			like := parse(t, `<resources><string name="k"/><string name="between"/><string name="l"/></resources>`)
			out := rewrite(t, f, like, set("between", "", "b"))
			if !strings.Contains(out, `x</string><string name="between">b</string><string name="l">`) {
				t.Error(out)
			}
			if back := rewrite(t, parse(t, out), nil, remove("between", "")); back != f.Source() {
				t.Error(back)
			}
			if out := rewrite(t, f, nil, remove("k", "")); !strings.Contains(out, "\n    <string name=\"l\">") {
				t.Error(out)
			}
			if out := rewrite(t, f, nil, remove("l", "")); !strings.Contains(out, "x</string>\n") {
				t.Error(out)
			}
			if out := rewrite(t, f, nil, remove("k", ""), remove("l", "")); !strings.Contains(out,
				"<resources>\n    <string name=\"plain\">") {
				t.Error(out)
			}
		},
		"empty-resources": func(t *testing.T, f *resource.File) {
			out := rewrite(t, f, nil, set("a", "", "x"), set("b", "", "y"))
			if !strings.HasSuffix(out,
				"?>\n<resources>\n    <string name=\"a\">x</string>\n    <string name=\"b\">y</string>\n</resources>\n") {
				t.Error(out)
			}
		},
		"crlf": func(t *testing.T, f *resource.File) {
			if out := rewrite(t, f, nil, set("new", "", "n")); !strings.Contains(out,
				"  <string name=\"new\">n</string>\r\n</resources>") {
				t.Errorf("%q", out)
			}
		},
		"tabs": func(t *testing.T, f *resource.File) {
			if out := rewrite(t, f, nil, set("new", "", "n")); !strings.Contains(out,
				"\t<string name=\"new\">n</string>\n") {
				t.Errorf("%q", out)
			}
		},
		"minified": func(t *testing.T, f *resource.File) {
			if out := rewrite(t, f, nil, set("new", "", "n")); !strings.Contains(out,
				`oldword</string><string name="new">n</string></resources>`) {
				t.Errorf("%q", out)
			}
		},
		"single-quotes": func(t *testing.T, f *resource.File) {
			like := parse(t, `<resources><string name="new"/><string name="k"/></resources>`)
			if out := rewrite(t, f, like, set("new", "", "n")); !strings.Contains(out,
				`<string name='new'>n</string>`) {
				t.Errorf("%q", out)
			}
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, file(t, name)) })
	}
}
