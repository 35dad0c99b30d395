package yamlfile_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
	"github.com/locsync/locsync/formats/yamlfile"
)

// Every edge case keeps the laws, reads as its row says, and has its word replaced and nothing else.
func TestEdgeCases(t *testing.T) {
	for _, edge := range resourcetest.Edges(t) {
		t.Run(edge.File, func(t *testing.T) {
			f := check(t, edge.Src, hard...)
			if (f == nil) != (edge.Expect == "refuse") {
				t.Fatalf("expected %s, refused: %v", edge.Expect, f == nil)
			}
			if f == nil {
				return
			}
			if edge.Value != "" {
				var want string
				if err := json.Unmarshal([]byte(edge.Value), &want); err != nil {
					t.Fatal(err)
				}
				if e, ok := f.Lookup("k", ""); !ok || e.Kind != resource.Text || e.Text != want {
					if e, ok = f.Lookup("en/k", ""); !ok || e.Text != want {
						if e, ok = f.Lookup("no/k", ""); !ok || e.Text != want {
							t.Errorf("k is %+v, want %q", e, want)
						}
					}
				}
			}
			replaceWord(t, edge.Src, f)
		})
	}
}

func replaceWord(t *testing.T, src []byte, f *resource.File) {
	t.Helper()
	for e := range f.Entries() {
		if e.Text == "oldword" {
			out, refused := f.Rewrite([]resource.Edit{{Op: resource.Set, Key: e.Key, Text: "newword"}}, nil)
			if want := strings.Replace(string(src), "oldword", "newword", 1); len(refused) > 0 || string(out) != want {
				t.Errorf("%v\n--- got\n%q\n--- want\n%q", refused, out, want)
			}
			return
		}
	}
	t.Error("no entry reads oldword")
}

// read lists the entries of a file as key=text, with the kind of what is not text, and /note where there is one.
func read(f *resource.File) string {
	var out []string
	for e := range f.Entries() {
		s := e.Key + "=" + e.Text
		switch e.Kind {
		case resource.Null:
			s += "(null)"
		case resource.Other:
			s += "(other)"
		}
		if e.Note != "" {
			s += " /" + strings.ReplaceAll(e.Note, "\n", "|")
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func edge(t *testing.T, name string) []byte {
	t.Helper()
	for _, e := range resourcetest.Edges(t) {
		if e.File == name+".yaml" {
			return e.Src
		}
	}
	t.Fatalf("no edge case %s", name)
	return nil
}

// What the table of edge cases says of how they read.
func TestEdgeReading(t *testing.T) {
	for name, want := range map[string]string{
		"anchor":          "base=x; k=x; plain=oldword",
		"bare-yes":        "yes=x; no=y; on=z; off=w; plain=oldword",
		"quoted-yes":      "yes=x; no=y; plain=oldword",
		"bool-values":     "a=(other); b=no; c=(other); d=off; k=x; plain=oldword",
		"numbers":         "a=(other); b=(other); c=(other); d=(other); e=(other); f=(other); g=(other); k=x; plain=oldword",
		"numeric-keys":    "404=x; 1=y; 1.5=z; plain=oldword",
		"null":            "a=(null); b=(null); c=(null); d=; k=x; plain=oldword",
		"merge":           "base/one=1x; base/two=2x; k/two=mine; plain=oldword",
		"multidoc":        "k=x; plain=oldword",
		"flow":            "m/a=x; m/b=y; m/c=z; s/0=a; s/1=b; s/2=c; k=x; plain=oldword",
		"flow-multiline":  "m/a=x; m/b=y; k=x; plain=oldword",
		"seq-indented":    "s/0=a; s/1=b; k=x; plain=oldword",
		"seq-unindented":  "s/0=a; s/1/b=(other); s/1/c=d; k=x; plain=oldword",
		"nested-seq-map":  "k/0/name=a; k/0/text=b; k/1/name=c; plain=oldword",
		"comments":        "k=x /about k; plain=oldword /end",
		"hash-in-value":   "k=a#b; l=a # b; plain=oldword",
		"colon-in-value":  "k=a:b; l=a: b; m=http://x; plain=oldword",
		"quoted-keys":     "k=x; a: b=y; plain=oldword",
		"complex-key":     "k=x; plain=oldword",
		"tags":            "k=12; l=(other); plain=oldword",
		"tab-after-colon": "k=x; l=y; plain=oldword",
		"trailing-space":  "k=x; l=y; plain=oldword",
		"four-indent":     "g/k=x; g/h/i=z; plain=oldword",
		"crlf":            "k=x; b=l1\nl2\n; plain=oldword",
		"bom":             "k=x; plain=oldword",
		"dup-keys":        "k=one; k=two; plain=oldword",
		"special-start":   "k=@a; l=%b; m=*c; n=`d`; o=- e; p=? f; plain=oldword",
		"emoji":           "k=\U0001F600 א; кл=y; plain=oldword",
		"empty-map":       "k=x; plain=oldword",
		"comment-no-eol":  "k=x; plain=oldword",
		"double-folded":   "k=a bc; plain=oldword",
		"rails":           "en/k=x; en/plain=oldword",
	} {
		if got := read(parse(t, edge(t, name))); got != want {
			t.Errorf("%s reads as\n%s, want\n%s", name, got, want)
		}
	}
	if d := parse(t, edge(t, "dup-keys")).Duplicates(); len(d) != 1 {
		t.Errorf("dup-keys: duplicates %v, want one", d)
	}
	if d := parse(t, []byte("404: x\n'404': y\n")).Duplicates(); len(d) != 1 {
		t.Errorf("404 and '404': duplicates %v, want one", d)
	}
	if w := parse(t, edge(t, "bare-yes")).Warnings(); len(w) != 1 || w[0].Node != 1 ||
		!strings.Contains(w[0].Msg, "yes") {
		t.Errorf("bare-yes: warnings %v, want one for yes", w)
	}
	if w := parse(t, edge(t, "bool-values")).Warnings(); len(w) != 1 || w[0].Node != 1 ||
		!strings.Contains(w[0].Msg, "not sent") {
		t.Errorf("bool-values: warnings %v, want one for the plain yes among texts", w)
	}
	for _, name := range []string{"quoted-yes", "rails-no"} {
		if w := parse(t, edge(t, name)).Warnings(); len(w) != 0 {
			t.Errorf("%s: warnings %v, want none", name, w)
		}
	}
	if _, err := resource.Parse(yamlfile.Grammar, structured, edge(t, "tab-indent")); err == nil ||
		err.(*resource.SyntaxError).Line != 2 || err.(*resource.SyntaxError).Col != 1 {
		t.Errorf("tab-indent: %v, want it refused at 2:1", err)
	}
}

// A plain yes, no, on or off is told where a text is beside it, and nowhere else. It counts for no text that is lost.
func TestPlainAnswers(t *testing.T) {
	for src, want := range map[string]string{
		"list: {agree: yes, deny: no, ok: Okay}\n": "list/agree list/deny",
		"en: {agree: Yes, deny: No, ok: Okay}\n":   "en/agree en/deny",
		"pt-BR:\n  agree: Yes\n  ok: Okay\n":       "pt-BR/agree",
		"%YAML 1.1\n---\na: Yes\nok: Okay\n":       "a",
		"a: &x Yes\nb: *x\nc: text\n":              "",
		"a: &x yes\nb: *x\nc: text\n":              "a",
		"list: {agree: Yes, deny: No, ok: Okay}\n": "",
		"a:\n- on\n- off\n- 'on'\n":                "a/0 a/1",
		"a:\n- ON\n- Off\n":                        "",
		"a: yes\nb: no\n":                          "",
		"a: yes\nb: {c: text}\n":                   "",
		"a: true\nb: 'text'\nc: 1\n":               "",
		"a: !!str yes\nb: text\nc: 'no'\n":         "",
		"? [a, no, b]\n: x\nd: no\ne: E\n":         "d",
		"no: no\nok: Okay\n":                       "no no",
		"no: No\nok: Okay\n":                       "no",
	} {
		f := parse(t, []byte(src))
		var got []string
		for _, w := range f.Warnings() {
			got = append(got, f.KeyOf(w.Node))
			if w.Left {
				t.Errorf("%q: %v counts as a text that is lost", src, w)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: warnings of %v, want %s", src, got, want)
		}
	}
}

// A plain Yes of a file for YAML 1.2 is a text, which stays as it is; a new one is written in quotes.
func TestPlainAnswersAreTexts(t *testing.T) {
	f := parse(t, []byte("agree: Yes # c\nlist: {on: On, off: 'Off'}\nwait: yes\nnamed: &x On\nagain: *x\n"))
	if got, want := read(f), "agree=Yes /c; list/on=On; list/off=Off; wait=(other); named=On; again=On"; got != want {
		t.Errorf("it reads as %s, want %s", got, want)
	}
	out, refused := f.Rewrite([]resource.Edit{{Op: resource.Set, Key: "agree", Text: "Ja"},
		{Op: resource.Set, Key: "list/on", Text: "Off"}, {Op: resource.Set, Key: "list/off", Text: "No"},
		{Op: resource.Set, Key: "more", Text: "Yes"}}, nil)
	want := "agree: Ja # c\nlist: {on: \"Off\", off: 'No'}\nwait: yes\nnamed: &x On\nagain: *x\nmore: \"Yes\"\n"
	if string(out) != want || len(refused) > 0 {
		t.Errorf("written as\n%s, refused %v, want\n%s", out, refused, want)
	}
}

// The Rails root is no part of the keys, and is renamed in its own quotes, or in quotes where readers would take the
// language for a boolean.
func TestEdgeRailsRoot(t *testing.T) {
	rails := func(src []byte) *resource.File {
		f, err := resource.Parse(yamlfile.Grammar, resource.Keys{Structured: true, Roots: []string{"en", "no"}}, src)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, src := range []string{"EN:\n  k: x\n", "en:\n  k: x\n",
		"\"En\":\n  k: x\n"} { // language tags have no letter case
		if got := read(rails([]byte(src))); got != "k=x" {
			t.Errorf("%q reads as %s", src, got)
		}
	}
	for _, name := range []string{"rails", "rails-no"} {
		if got := read(rails(edge(t, name))); got != "k=x; plain=oldword" {
			t.Errorf("%s reads as %s", name, got)
		}
	}
	for _, test := range [][3]string{
		{"en:\n  k: x\n", "no", "\"no\":\n  k: x\n"},
		{"'en':\n  k: x\n", "no", "'no':\n  k: x\n"},
		{"\"en\" :\n  k: x\n", "zh-CN", "\"zh-CN\" :\n  k: x\n"},
		{"no: # c\n  k: x\n", "en", "en: # c\n  k: x\n"},
		{"{en: {k: x}}\n", "no", "{\"no\": {k: x}}\n"},
		{"? en\n: k: x\n", "de", "? de\n: k: x\n"},
	} {
		f := rails([]byte(test[0]))
		out, err := f.RenameRoot(test[1])
		if err != nil || string(out) != test[2] {
			t.Errorf("%q with root %s: %q %v, want %q", test[0], test[1], out, err, test[2])
		}
	}
}

// What the table of edge cases says of new values and new entries. like is what the file is translated from, where
// that matters.
func TestEdgeWriting(t *testing.T) {
	for _, test := range []struct{ name, edit, old, new string }{
		{"plain", "k=z: y", "k: x y", "k: \"z: y\""},
		{"plain", "k=z y", "k: x y", "k: z y"},
		{"single", "k=isn't", "'it''s'", "'isn''t'"},
		{"single", "k=a\nb", "'it''s'", `"a\nb"`},
		{"double", "k=b\néA\t\"q\"", `"a\n\u00e9\x41\t\"q\""`, `"b\n\u00e9\x41\t\"q\""`},
		{"double", "k=éö", `"a\n\u00e9\x41\t\"q\""`, `"\xE9\xF6"`},
		{"double-folded", "k=a bd", "\"a\n  b\\\n  c\"", "\"a\n  b\\\n  d\""},
		{"plain-folded", "k=a\nb", "a\n  b\n\n  c", `"a\nb"`},
		{"literal", "k=x\n\n y\n", "|\n  a\n\n   b", "|\n  x\n\n   y"},
		{"literal", "k=x", "|\n  a\n\n   b", "|-\n  x"},
		{"literal-strip", "k=x\ny\n", "|-\n  a\n  b", "|\n  x\n  y"},
		{"literal-strip", "k=x\ny", "|-\n  a\n  b", "|-\n  x\n  y"},
		{"literal-keep", "k=x\n", "|+\n  a\n", "|+\n  x"},
		{"literal-keep", "k=x\n\n\n", "|+\n  a\n", "|+\n  x\n\n"},
		{"literal-indent", "k=x\n y\n", "|2\n    a\n   b", "|2\n  x\n   y"},
		{"literal-indent", "k= x\n", "|2\n    a\n   b", "|2\n   x"},
		{"folded", "k=x y\nz\n", ">\n  a\n  b\n\n  c\n   d", ">\n  x y\n\n  z"},
		{"folded", "k=x\n y\n", ">\n  a\n  b\n\n  c\n   d", "|\n  x\n   y"},
		{"folded-strip", "k=x\n", ">-\n  a\n  b", ">\n  x"},
		{"folded-strip", "k=x\n\n", ">-\n  a\n  b", `"x\n\n"`},
		{"anchor", "k=z", "*b", "z"},
		{"anchor", "base=z", "&b x\nk: *b", "&b z\nk: x"},
		{"merge", "k/two=z", "two: mine", "two: z"},
		{"bool-values", "k=yes", "k: x", "k: \"yes\""},
		{"bool-values", "a=x", "a: yes", "a: x"},
		{"numbers", "k=12:30", "k: x", "k: \"12:30\""},
		{"null", "a=x", "a:", "a: x"},
		{"null", "b=x", "b: ~", "b: x"},
		{"null", "d=x", "d: ''", "d: 'x'"},
		{"flow", "m/a=a, b", "a: x", "a: \"a, b\""},
		{"flow", "s/1=c", "\"b\"", "\"c\""},
		{"complex-key", "k=z", ": x", ": z"},
		{"tags", "k=13", "12", "\"13\""},
		{"trailing-space", "k=z", "k: x  ", "k: z  "},
		{"crlf", "b=a\nc\n", "|\r\n  l1\r\n  l2", "|\r\n  a\r\n  c"},
		{"special-start", "plain=@a", "oldword", "\"@a\""},
		{"comments", "k=z", "x # tail", "z # tail"},
		{"tab-after-colon", "l=z", "l: \ty", "l: \tz"},

		{"four-indent", "g/new=z", "k: x", "k: x\n    new: z"},
		{"no-final-newline", "new=z", "k: x", "k: x\nnew: z"},
		{"empty-map", "g/new=z", "g: {}", "g:\n  new: z"},
		{"crlf", "new=z", "k: x\r\n", "k: x\r\nnew: z\r\n"},
		{"rails", "en/new=z", "  k: x\n", "  k: x\n  new: z\n"},
		{"flow-multiline", "m/new=z", "{a: x,\n", "{a: x,\n    new: z,\n"},
		{"comments", "new=z", "x # tail\n", "x # tail\nnew: z\n"},
		{"complex-key", "new=z", ": x\n", ": x\nnew: z\n"},
		{"docend", "new=z", "k: x\n", "k: x\nnew: z\n"},
		{"blank-lines", "new=z", "k: x\n", "k: x\nnew: z\n"},
		{"quoted-keys", "new=z", "\"k\": x\n", "\"k\": x\n\"new\": z\n"},
		{"numeric-keys", "7=z", "'1': y\n", "'1': y\n'7': z\n"},
		{"literal-keep", "new=z", "  a\n\n", "  a\n\nnew: z\n"},
		{"seq-unindented", "new=z", "  c: d\n", "  c: d\nnew: z\n"},
	} {
		src := string(edge(t, test.name))
		key, text, _ := strings.Cut(test.edit, "=")
		f := parse(t, []byte(src))
		var like *resource.File
		if _, old := f.Lookup(key, ""); !old { // a source file that has the new key behind the first one
			like = parse(t, []byte(sourceWith(t, f, key, src)))
		}
		out, refused := f.Rewrite([]resource.Edit{{Op: resource.Set, Key: key, Text: text}}, like)
		if want := strings.Replace(src, test.old, test.new, 1); len(refused) > 0 || string(out) != want {
			t.Errorf("%s: %q: %v\n--- got\n%q\n--- want\n%q", test.name, test.edit, refused, out, want)
		}
	}
}

// sourceWith writes a file that has the entries of f and one more, behind the first in the same mapping, or behind
// what is before it there.
func sourceWith(t *testing.T, f *resource.File, key, src string) string {
	t.Helper()
	parent := key[:strings.LastIndexByte(key, '/')+1]
	var entries []resource.Entry
	done := false
	add := func() {
		entries, done = append(entries, resource.Entry{Key: key, Text: "source"}), true
	}
	first := ""
	for e := range f.Entries() {
		if strings.HasPrefix(e.Key, parent) {
			head, _, _ := strings.Cut(e.Key[len(parent):], "/")
			if first != "" && head != first && !done {
				if !(key == "7" && head == "1") { // numeric-keys: behind '1'
					add()
				}
			}
			first = head
		}
		e.Text += "x"
		entries = append(entries, e)
	}
	if !done {
		add()
	}
	out, err := resource.Compose(yamlfile.Grammar, structured, nil, entries)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
