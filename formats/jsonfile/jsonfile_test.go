package jsonfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

var (
	flat   = resource.Keys{}
	nested = resource.Keys{Structured: true}
)

// hard are texts that JSON spells with escapes, or could be tempted to.
var hard = []string{"", `"`, `\`, "a\nb\r\n\tc", "\x00\x1f\x7f", "é א 😀 \u2028 \u00a0", "a/b </script>", `\u0041`,
	"{n, plural, one {# x} other {# y}}", "// no comment", "/* no */"}

func parse(t testing.TB, keys resource.Keys, src string) *resource.File {
	t.Helper()
	f, err := resource.Parse(Grammar, keys, []byte(src))
	if err != nil {
		t.Fatalf("%q: %v", src, err)
	}
	return f
}

// undone is the exceptions that the package comment names.
func undone(f *resource.File, key string) bool {
	for i := range f.Len() {
		n := f.Node(i)
		if n.Kind < resource.Map || int(n.End) != i+1 {
			continue
		}
		if n.Value.Len() > 2 || i > 0 && strings.HasPrefix(key, f.KeyOf(i)+"/") {
			return false
		}
	}
	return true
}

// laws checks src as flat and as nested and returns the nested file, nil when it was refused.
func laws(t testing.TB, src []byte, texts ...string) *resource.File {
	t.Helper()
	if len(src) < 4<<10 { // the two hardly differ
		resourcetest.Check(t, strict(flat, src, texts...))
	}
	return resourcetest.Check(t, strict(nested, src, texts...))
}

// strict is a case of an ordinary file.
func strict(keys resource.Keys, src []byte, texts ...string) resourcetest.Case {
	return resourcetest.Case{Grammar: Grammar, Keys: keys, Src: src, NewTexts: texts, Undone: undone, Refuses: refuses}
}

// refuses names the format's own reasons against an edit, which the package comment gives.
var refuses = resourcetest.Rules(halfNameMsg, "this is a message file", "as those of metadata do", "it is metadata of",
	"a message of this file has plural forms")

var examples = []string{
	`{}`, "{}\n", "{ }", "{\n}\n", `[]`, "\ufeff{}\r\n",
	`{"a":"x"}`, `{"a": "x"}`, `{ "a": "x" }`, `{"a":"x","b":"y"}`, `{"a": "x", "b": "y"}`,
	"{\n  \"a\": \"x\",\n  \"b\": \"y\"\n}\n", "{\r\n\t\"a\": \"x\",\r\n\t\"b\": \"y\"\r\n}", "{\r\"a\" : \"x\"\r}\r",
	"{ \n  \"a\": 1 , \n\n\n  \"b\": \"y\"  \n\n}",
	"{\n  \"a\": \"x\", \"b\": \"y\",\n  \"c\": \"z\", \"d\": \"w\"\n}",
	"{ \"a\": \"x\",\n  \"b\": \"y\" }", "{ \"a\": \"x\", // c\n  \"b\": \"y\" }", "{ \"a\": \"x\" // c\n }",
	"{ \"a\": \"x\", /* c */ }", "{ \"a\": \"x\" /* c */ }",
	"{ \"a\": \"x\" /* c */, \"b\": \"y\" /* d */ }", "{ /* c */ \"a\": \"x\", /* d */ \"b\": \"y\" }",
	"{ // c\n  \"a\": \"x\" // d\n  // e\n}",
	"{\n  // head\n\n  // of a\n  \"a\": \"x\", // behind a\n\n  // section\n\n  /* of b */\n  \"b\": \"y\"\n  // end\n}\n",
	"{ \"a\": 1\n, \"b\": 2 // c\n, \"c\": 3\n}", "{\"a\": \"x\" /* 1\n2 */, /* 3\n4 */ \"b\": \"y\"}",
	"{ // nothing yet\n}", "{\n  // nothing yet\n}", "{ /* nothing */ }", "{\n  /* a\n b */ }", "[ // nothing\n]",
	"{\"a\": \"x\",}", "{\n  \"a\": \"x\",\n}", "[\"a\", \"b\",]", "[\n  \"a\",\n  \"b\", // c\n]",
	`{"o":{},"l":[],"n":null,"t":true,"i":-1.5e+3}`, "{\n  \"o\": {},\n  \"l\": [\n  ],\n  \"p\": { }\n}",
	"{\n  \"o\": {\n    \"p\": {\n      \"q\": \"x\"\n    }\n  },\n  \"r\": \"y\"\n}",
	"{\n\"o\":\n{\n\"p\": \"x\"\n}\n}", `{"o":{"p":{"q":"x"}},"l":[["a"],[{"b":"c"}]]}`,
	`["a", {"b": "c"}, ["d", 1, null]]`, `[{"id": 1, "title": "a"}, {"id": 2, "title": "b"}]`,
	`{"a/b":"x","a":{"b":"y","":"z"},"":"w","a":"v"}`, `{"k":"1","k":"2","k":{"x":"3"}}`,
	`{"a\u0062":"\u00e9\/","é":"/"}`, `{"\ud800":"x","a\udc00b":{"c":"d"},"e":"\ud83d"}`, `{"a":["\udfff","x"]}`,
	"{\n  \"k\": {\n    \"message\": \"x $N$\",\n    \"description\": \"d\",\n    \"placeholders\": {\"n\": {\"content\": \"$1\"}}\n  },\n  \"l\": { \"message\": \"y\" }\n}",
	`{"k":{"message":"x","comment":["a","b"]},"l":"y"}`, `{"k":{"description":"d","message":null,"message":"x"}}`,
	`{"A":"x","B":{"hash":"h","one":"1","other":"2"},"C":{"description":"d","other":"o"}}`,
	"{\n  \"A\": {\n    \"description\": \"d\",\n    \"other\": \"o\"\n  },\n  \"B\": \"y\"\n}",
	`{"@@locale":"en","a":"A","@a":{"description":"d"}}`,
	"{\n  \"@metadata\": {\n    \"authors\": [\"x\"]\n  },\n  \"@b\": \"y\"\n}",
}

func TestLaws(t *testing.T) {
	for _, src := range examples {
		if laws(t, []byte(src), hard...) == nil {
			t.Errorf("%q is refused", src)
		}
	}
}

// Real files: those marked refuse are refused with their place, all others keep every law and read as encoding/json
// reads them.
func TestCorpus(t *testing.T) {
	for i, real := range resourcetest.Corpus(t, "json") {
		var texts []string // all of the hard ones over all files
		if len(real.Src) < 64<<10 {
			texts = []string{hard[i%len(hard)], hard[(i+5)%len(hard)]}
		}
		f := laws(t, real.Src, texts...)
		if (f == nil) != (real.Expect == "refuse") {
			t.Errorf("%s: expected %s, refused: %v", real.Name, real.Expect, f == nil)
		}
		if f == nil {
			_, err := resource.Parse(Grammar, nested, real.Src)
			if e := err.(*resource.SyntaxError); e.Line < 1 || e.Col < 1 || e.Msg == "" {
				t.Errorf("%s: %v", real.Name, err)
			}
			continue
		}
		oracle(t, real.Name, real.Src)
	}
}

// leaf is one value with the names and indexes above it.
type leaf struct{ path, value string }

// tokens are the leaves that encoding/json reads; ok is false for what it refuses (comments, a byte order mark).
func tokens(src []byte) (leaves []leaf, ok bool) {
	if !json.Valid(src) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	type level struct {
		name  string
		count int // -1 in objects
		key   bool
	}
	var up []level
	path := func() string {
		var p strings.Builder
		for _, l := range up {
			if l.count >= 0 {
				fmt.Fprintf(&p, "[%d]", l.count)
			} else {
				p.WriteString("{" + strconv.Quote(l.name) + "}")
			}
		}
		return p.String()
	}
	for {
		token, err := d.Token()
		if err == io.EOF {
			return leaves, len(up) == 0
		}
		if err != nil {
			return nil, false
		}
		if n := len(up) - 1; n >= 0 && up[n].count < 0 && up[n].key {
			if name, isName := token.(string); isName {
				up[n].name, up[n].key = name, false
				continue
			}
		}
		switch token {
		case json.Delim('{'):
			up = append(up, level{count: -1, key: true})
			continue
		case json.Delim('['):
			up = append(up, level{})
			continue
		case json.Delim('}'), json.Delim(']'):
			up = up[:len(up)-1]
		default:
			leaves = append(leaves, leaf{path(), fmt.Sprintf("%T %v", token, token)})
		}
		if n := len(up) - 1; n >= 0 && up[n].count >= 0 {
			up[n].count++
		} else if n >= 0 {
			up[n].key = true
		}
	}
}

// ours are the leaves of a layout in the same terms. ok is false where half a surrogate pair is in the way:
// encoding/json replaces it.
func ours(src string, l *resource.Layout) (leaves []leaf, ok bool) {
	var g grammar
	count := make([]int, len(l.Nodes))
	paths := make([]string, len(l.Nodes))
	for i := 1; i < len(l.Nodes); i++ {
		n := &l.Nodes[i]
		up := int(n.Parent)
		if l.Nodes[up].Kind == resource.List {
			paths[i] = fmt.Sprintf("%s[%d]", paths[up], count[up])
			count[up]++
		} else {
			paths[i] = paths[up] + "{" + strconv.Quote(g.Name(src, n)) + "}"
		}
		raw := n.Value.Of(src)
		switch {
		case n.Style&halfName != 0 || n.Kind == resource.Other && raw[0] == '"':
			return nil, false
		case n.Kind == resource.Text:
			leaves = append(leaves, leaf{paths[i], "string " + g.Text(src, n)})
		case n.Kind == resource.Null:
			leaves = append(leaves, leaf{paths[i], "<nil> <nil>"})
		case raw == "true" || raw == "false":
			leaves = append(leaves, leaf{paths[i], "bool " + raw})
		case n.Kind == resource.Other:
			leaves = append(leaves, leaf{paths[i], "json.Number " + raw})
		}
	}
	return leaves, true
}

// oracle compares the scanner with encoding/json on what both read.
func oracle(t testing.TB, name string, src []byte) {
	t.Helper()
	if !utf8.Valid(src) { // resource.Parse refuses it before we see it
		return
	}
	want, valid := tokens(src)
	l, err := Scan(string(src), Strict)
	if valid && err != nil && !strings.Contains(err.Error(), "resource file holds") &&
		!strings.Contains(err.Error(), "more than") {
		t.Fatalf("%s: encoding/json reads it, we refuse it: %v\n%q", name, err, src)
	}
	if err != nil || bytes.HasPrefix(src, []byte(bom)) {
		return
	}
	if !valid {
		t.Fatalf("%s: encoding/json refuses it, we read it\n%q", name, src)
	}
	got, ok := ours(string(src), l)
	if !ok {
		return
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d leaves, encoding/json has %d", name, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s: leaf %d is %q, encoding/json has %q", name, i, got[i], want[i])
		}
	}
}

// A VS Code extension's source has messages with comments where its translations have strings: both have the same keys.
func TestCorpusOfAnExtension(t *testing.T) {
	var source *resource.File
	for _, real := range resourcetest.Corpus(t, "json") {
		if strings.HasSuffix(real.Path, "/package.nls.json") {
			source = parse(t, flat, string(real.Src))
		}
	}
	translated := 0
	for _, real := range resourcetest.Corpus(t, "json") {
		if source == nil || !strings.HasSuffix(real.Path, "/package.i18n.json") {
			continue
		}
		for e := range parse(t, flat, string(real.Src)).Entries() {
			if _, ok := source.Lookup(e.Key, ""); !ok {
				t.Errorf("%s: the source has no %q", real.Name, e.Key)
			}
			translated++
		}
	}
	if source != nil && translated < 100 {
		t.Errorf("%d translations were compared", translated)
	}
}
