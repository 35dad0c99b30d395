package jsonfile

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// Every edge case keeps the laws, reads as its row says, and has its word replaced and nothing else.
func TestEdgeCases(t *testing.T) {
	for _, edge := range resourcetest.Edges(t) {
		t.Run(edge.File, func(t *testing.T) {
			f := laws(t, edge.Src, hard...)
			if (f == nil) != (edge.Expect == "refuse") {
				t.Fatalf("expected %s, refused: %v", edge.Expect, f == nil)
			}
			if f == nil {
				return
			}
			oracle(t, edge.File, edge.Src)
			if edge.Value != "" {
				var want string
				if err := json.Unmarshal([]byte(edge.Value), &want); err != nil {
					t.Fatal(err)
				}
				if e, ok := f.Lookup("k", ""); !ok || e.Kind != resource.Text || e.Text != want {
					t.Errorf("k is %+v, want %q", e, want)
				}
			}
			for e := range f.Entries() {
				if e.Text == "oldword" {
					out, refused := f.Rewrite([]resource.Edit{{Op: resource.Set, Key: e.Key, Text: "newword"}}, nil)
					if want := strings.Replace(string(edge.Src), "oldword", "newword", 1); len(refused) > 0 ||
						string(out) != want {
						t.Errorf("%v\n--- got\n%q\n--- want\n%q", refused, out, want)
					}
					return
				}
			}
			if edge.File != "empty-object.json" {
				t.Error("no entry reads oldword")
			}
		})
	}
}

// read lists the entries of a nested file as key=text, with the kind of what is not text, and /note where there is one.
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

func edge(t *testing.T, name string) *resource.File {
	t.Helper()
	for _, e := range resourcetest.Edges(t) {
		if e.File == name+".json" {
			return parse(t, nested, string(e.Src))
		}
	}
	t.Fatalf("no edge case %s", name)
	return nil
}

// What the table of edge cases says of how they read.
func TestEdgeReading(t *testing.T) {
	for name, want := range map[string]string{
		"dup-keys":       "k=one; k=two; plain=oldword",
		"sep-in-key":     "a/b=x; a/b=y; plain=oldword",
		"dot-in-key":     "k.one.two=x; plain=oldword",
		"empty-key":      "=x; k=y; plain=oldword",
		"array":          "k/0=x; k/1=y; plain=oldword",
		"array-mixed":    "k/0=x; k/1/y=z; k/2=(other); k/3=(null); plain=oldword",
		"scalars":        "n=(other); e=(other); z=(other); big=(other); t=(other); f=(other); nul=(null); k=x; plain=oldword",
		"empties":        "s=; k=x; plain=oldword",
		"lone-surrogate": "k=(other); plain=oldword",
		"line-comment":   "k=x /note; plain=oldword",
		"block-comment":  "k=x /a; plain=oldword",
		"top-array":      "0=x; 1=oldword",
		"chrome":         "k/message=x /d; plain=oldword",
		"i18next-plural": "k_one=x; k_other=y; k_zero=z; plain=oldword",
		"proto":          "__proto__=x; k=y; plain=oldword",
		"empty-object":   "",
	} {
		if got := read(edge(t, name)); name != "empty-object" && got != want {
			t.Errorf("%s reads as\n%s, want\n%s", name, got, want)
		}
	}
	for _, name := range []string{"dup-keys", "sep-in-key"} {
		if d := edge(t, name).Duplicates(); len(d) != 1 {
			t.Errorf("%s: duplicates %v, want one", name, d)
		}
	}
	if w := edge(t, "lone-surrogate").Warnings(); len(w) != 1 || w[0].Node != 1 ||
		!strings.Contains(w[0].Msg, "surrogate") {
		t.Errorf("lone-surrogate: warnings %v", w)
	}
	if e, _ := edge(t, "deep").Lookup(strings.Repeat("k/", 599)+"k", ""); e.Text == "" {
		t.Error("deep: the text in 600 objects is not found")
	}
}

// What the table of edge cases says of new entries: where they stand and how they are spelled. The edits are made at
// "k" or "plain".
func TestEdgeWriting(t *testing.T) {
	set := func(key, text string) []resource.Edit {
		return []resource.Edit{{Op: resource.Set, Key: key, Text: text}}
	}
	for _, c := range []struct {
		name  string
		edits []resource.Edit
		want  string // what the file is then; ... represents the file up to its last entry
	}{
		{"escapes", set("k", "/A\u00e9 é\b\f\n\r\t\"\\ü"), `{
  "k": "\/\u0041\u00e9 \u00e9\b\f\n\r\t\"\\` + `\u00fc` + `",
  "plain": "oldword"
}
`},
		{"raw-nonascii", set("k", "ü\u2028"), "{\n  \"k\": \"ü\u2028\",\n  \"plain\": \"oldword\"\n}\n"},
		{"surrogate-pair", set("k", "\U0001f600\U0001f601é"),
			"{\n  \"k\": \"\\ud83d\\ude00\U0001f601é\",\n  \"plain\": \"oldword\"\n}\n"},
		{"lone-surrogate", set("k", "x"), "{\n  \"k\": \"x\",\n  \"plain\": \"oldword\"\n}\n"},
		{"scalars", set("nul", "x"),
			"{\n  \"n\": 1.0, \"e\": 1E3, \"z\": -0, \"big\": 12345678901234567890, \"t\": true, \"f\": false, \"nul\": \"x\", \"k\": \"x\",\n  \"plain\": \"oldword\"\n}\n"},
		{"dup-keys", set("k", "x"), "{\n  \"k\": \"one\",\n  \"k\": \"x\",\n  \"plain\": \"oldword\"\n}\n"},
		{"dup-keys", []resource.Edit{{Op: resource.Remove, Key: "k"}}, "{\n  \"plain\": \"oldword\"\n}\n"},
		{"crlf", set("n", "x"), "{\r\n  \"k\": \"x\",\r\n  \"plain\": \"oldword\",\r\n  \"n\": \"x\"\r\n}\r\n"},
		{"mixed-eol", set("n", "x"), "{\r\n  \"k\": \"x\",\n  \"plain\": \"oldword\",\n  \"n\": \"x\"\n}\n"},
		{"no-final-newline", set("n", "x"), "{\n  \"k\": \"x\",\n  \"plain\": \"oldword\",\n  \"n\": \"x\"\n}"},
		{"tabs", set("n", "x"), "{\n\t\"k\": \"x\",\n\t\"plain\": \"oldword\",\n\t\"n\": \"x\"\n}\n"},
		{"tabs", set("n/o", "x"),
			"{\n\t\"k\": \"x\",\n\t\"plain\": \"oldword\",\n\t\"n\": {\n\t\t\"o\": \"x\"\n\t}\n}\n"},
		{"minified", set("n", "x"), `{"k":"x","plain":"oldword","n":"x"}`},
		{"minified", set("n/o", "x"), `{"k":"x","plain":"oldword","n":{"o":"x"}}`},
		{"odd-spacing", set("g/n", "x"),
			"{ \"k\" :\"x\" ,\n\n     \"g\":{ \"plain\"  :\t\"oldword\", \"n\"  :\t\"x\" } }\n"},
		{"two-per-line", set("n", "x"),
			"{\n  \"k\": \"x\", \"j\": \"y\",\n  \"plain\": \"oldword\", \"l\": \"z\",\n  \"n\": \"x\"\n}\n"},
		{"line-comment", set("n", "x"),
			"// licence\n{\n  // note\n  \"k\": \"x\", // tail\n  \"plain\": \"oldword\",\n  \"n\": \"x\"\n}\n"},
		{"line-comment", []resource.Edit{{Op: resource.Remove, Key: "k"}},
			"// licence\n{\n  \"plain\": \"oldword\"\n}\n"},
		{"trailing-comma", set("n", "x"), "{\n  \"k\": \"x\",\n  \"plain\": \"oldword\",\n  \"n\": \"x\",\n}\n"},
		{"trailing-comma", []resource.Edit{{Op: resource.Remove, Key: "plain"}}, "{\n  \"k\": \"x\",\n}\n"},
		{"array", set("k/2", "z"), "{\n  \"k\": [\"x\", \"y\", \"z\"],\n  \"plain\": \"oldword\"\n}\n"},
		{"top-array", set("2", "z"), "[\"x\", \"oldword\", \"z\"]\n"},
		{"empty-object", set("n", "x"), "{\n  \"n\": \"x\"\n}\n"},
		{"empties", set("o/n", "x"),
			"{\n  \"o\": {\n    \"n\": \"x\"\n  }, \"a\": [], \"s\": \"\", \"k\": \"x\",\n  \"plain\": \"oldword\"\n}\n"},
		{"bom", set("n", "x"), "\ufeff{\n  \"k\": \"x\",\n  \"plain\": \"oldword\",\n  \"n\": \"x\"\n}\n"},
		{"chrome", set("n/message", "x"),
			"{\n  \"k\": {\"message\": \"x\", \"description\": \"d\", \"placeholders\": {\"n\": {\"content\": \"$1\"}}},\n  \"plain\": \"oldword\",\n  \"n\": {\"message\": \"x\"}\n}\n"},
		{"chrome", []resource.Edit{{Op: resource.Remove, Key: "k/message"}}, "{\n  \"plain\": \"oldword\"\n}\n"},
	} {
		f := edge(t, c.name)
		out, refused := f.Rewrite(c.edits, nil)
		if len(refused) > 0 || string(out) != c.want {
			t.Errorf("%s, %v: %v\n--- got\n%s\n--- want\n%s", c.name, c.edits, refused, out, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	deep := strings.Repeat(`{"k":`, resource.MaxDepth) + `"x"` + strings.Repeat("}", resource.MaxDepth)
	if laws(t, []byte(strings.ReplaceAll(deep, `"k"`, `"j"`))) == nil {
		t.Error("1,000 levels are refused")
	}
	for _, c := range []struct{ src, want string }{
		{"", "1:1: a resource file holds an object, this one is empty; write {} for one without entries"},
		{"\ufeff \n// c\n", "3:1: a resource file holds an object, this one is empty"},
		{"\ufeff\ufeff{}", "1:2: a second byte order mark"},
		{`"text"`, "1:1: a resource file holds an object, not a string"},
		{"12", `1:1: a resource file holds an object, not "12"`},
		{"loadData({\n})", `1:1: a resource file holds an object, not "loadData"`},
		{"# c\n{}", "1:1: a resource file holds an object, not '#'; a comment starts with // or /*"},
		{"{\n  \"a\": \"x\"\n", "3:1: the file ends inside the object that opens in line 1"},
		{"{\n  \"a\"", "2:6: the file ends inside the object that opens in line 1"},
		{"[\n  [1", "2:5: the file ends inside the array that opens in line 2"},
		{`{"a": "x" "b": "y"}`, `1:11: expected a comma or '}', not a string`},
		{`{"a": ["x" "y"]}`, `1:12: expected a comma or ']', not a string`},
		{`{"a" "x"}`, "1:6: expected a colon behind the name, not a string"},
		{`{a: "x"}`, `1:2: expected a name in double quotes, not "a"`},
		{`{'a': "x"}`, "1:2: expected a name in double quotes, not a single quote; JSON has double quotes only"},
		{`{"a": 'x'}`, "1:7: expected a value, not a single quote"},
		{`{"a": }`, `1:7: expected a value, not "}"`},
		{`{"a": x}`, `1:7: expected a value, not "x"`},
		{`{"a": nul}`, `1:7: expected a value, not "nul"`},
		{`{"a": nullx}`, `1:7: expected a value, not "nullx"`},
		{`{"a": 01}`, `1:7: expected a value, not "01"`},
		{`{"a": 1.}`, `1:7: expected a value, not "1."`},
		{`{"a": -}`, `1:7: expected a value, not "-"`},
		{`{"a": 1e}`, `1:7: expected a value, not "1e"`},
		{`{"a": NaN}`, `1:7: expected a value, not "NaN"`},
		{`{,}`, `1:2: expected a name in double quotes, not ","`},
		{`[,]`, `1:2: expected a value, not ","`},
		{`{"a":1,,}`, `1:8: expected a name in double quotes, not ","`},
		{`{"a":1]`, `1:7: expected a comma or '}', not "]"`},
		{`{} {}`, `1:4: "{" behind the end of the file's only value`},
		{"{\"a\": \"x\ny\"}", "1:9: a line end inside a string; close the string or write it as \\n"},
		{"{\"a\": \"x\ty\"}", "1:9: control character U+0009 inside a string; write it as \\u0009"},
		{"{\"a\": \"x}", "1:7: a string that is not closed"},
		{"{\"a\": \"x\\", "1:9: \\ is not an escape that JSON has"},
		{`{"a": "\x41"}`, `1:8: \x is not an escape that JSON has`},
		{`{"a": "\u12g4"}`, `1:8: \u is not an escape that JSON has`},
		{`{"é": "\'"}`, `1:8: \' is not an escape that JSON has`},
		{"{ /* c }", "1:3: a comment that is not closed"},
		{"{ / }", "1:3: a single slash; a comment starts with // or /*"},
		{"{\"a\": \"\xff\"}", "1:8: not valid UTF-8"},
		{"{\"a\": 1\u00a0}", "1:8: expected a comma or '}', not \"\\u00a0\""},
		{"{\"\x01\": 1}", "1:3: control character U+0001 inside a string"},
		{`{"` + strings.Repeat("k", 70<<10) + `": 1}`, "1:2: a name of more than 64 KiB"},
		{`{"j":` + deep + `}`, "more than 1000 objects and arrays inside one another"},
	} {
		_, err := resource.Parse(Grammar, nested, []byte(c.src))
		if _, ok := err.(*resource.SyntaxError); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %v, want %s", c.src, err, c.want)
		}
	}
}

func TestStrict(t *testing.T) {
	for src, want := range map[string]string{
		`{"a": [1, 2,]}`:     `a comma in front of ']'; take it out`,
		"{\"a\": 1,\n}":      `a comma in front of '}'; take it out`,
		"{ // c\n \"a\": 1}": "this format has no comments; take it out",
	} {
		if _, err := Scan(src, Strict); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
		if _, err := Scan(src, JSONC); err != nil {
			t.Errorf("%q as JSONC: %v", src, err)
		}
	}
}
