package resource_test

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/androidxml"
	"github.com/locsync/locsync/formats/jsonfile"
	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/yamlfile"
)

var grammars = map[string]resource.Grammar{"structured-json": jsonfile.Grammar, "structured-yaml": yamlfile.Grammar,
	"android-xml": androidxml.Grammar}

// edited makes the edits that are written as "+key=text", "+key[form]=text" or "-key" and has the second reader read
// what came out. What is refused comes as its keys.
func edited(t *testing.T, format, src, like string, edits ...string) (out, refused, reason string) {
	t.Helper()
	keys := resource.Keys{Structured: format != "android-xml"}
	f, err := resource.Parse(grammars[format], keys, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	model, err := resource.Parse(grammars[format], keys, []byte(like))
	if err != nil {
		t.Fatal(err)
	}
	var all []resource.Edit
	for _, edit := range edits {
		name, text, _ := strings.Cut(edit[1:], "=")
		key, form, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
		e := resource.Edit{Op: resource.Set, Key: key, Form: form, Text: text}
		if edit[0] == '-' {
			e.Op = resource.Remove
		}
		all = append(all, e)
	}
	bytes, refusals := f.Rewrite(all, model)
	left := make(map[resource.Edit]bool)
	var names []string
	for _, r := range refusals {
		left[r.Edit] = true
		names = append(names, r.Key+r.Form)
		reason = r.Reason
	}
	var made []oracle.Change
	for _, e := range all {
		if !left[e] {
			made = append(made, oracle.Change{Key: e.Key, Form: e.Form, Text: e.Text, Gone: e.Op == resource.Remove})
		}
	}
	if err := (oracle.Rule{Format: format}).Prove([]byte(src), bytes, made); err != nil {
		t.Errorf("%q with %q: the second reader: %v\n%s", src, edits, err, bytes)
	}
	return string(bytes), strings.Join(names, " "), reason
}

// A list has all the items that the source has, or is not there, whichever of them go; what was meant for it is
// refused.
func TestAListIsWholeOrAbsent(t *testing.T) {
	const (
		months  = "{\n  \"a\": \"A\",\n  \"names\": [\"J\", \"F\", \"M\"]\n}\n"
		nothing = "{\n  \"a\": \"A\"\n}\n"
		array   = "<resources>\n    <string name=\"a\">A</string>\n    <string-array name=\"l\">\n        <item>J</item>\n        <item>F</item>\n    </string-array>\n</resources>\n"
		none    = "<resources>\n    <string name=\"a\">A</string>\n</resources>\n"
	)
	for _, c := range []struct {
		name, format, src, like string
		edits                   []string
		out, refused            string
	}{
		{"only the first one is given", "structured-json", months, months, []string{"+names/0=J1", "-names/1",
			"-names/2"}, nothing, "names/0"},
		{"as it is in the source", "structured-json", months, months, []string{"+names/0=J", "-names/1", "-names/2"},
			nothing, "names/0"},
		{"all but the last", "structured-json", months, months, []string{"-names/2"}, nothing, ""},
		{"all but the first", "structured-json", months, months, []string{"-names/0", "+names/2=M"}, nothing,
			"names/2"},
		{"the source's became shorter", "structured-json", months, "{\"names\": [\"J\", \"F\"]}",
			[]string{"+names/0=J1", "-names/2"},
			"{\n  \"a\": \"A\",\n  \"names\": [\"J1\", \"F\"]\n}\n", ""},
		{"the source's is none", "structured-json", months, "{\"names\": {\"0\": \"J\", \"1\": \"F\", \"2\": \"M\"}}",
			[]string{"-names/2"},
			"{\n  \"a\": \"A\",\n  \"names\": [\"J\", \"F\"]\n}\n", ""},
		{"texts only", "structured-json", `{"a": "A", "l": [["x", "y"], ["z"]]}`, `{"l": [["x", "y"], ["z"]]}`,
			[]string{"-l/0/1", "+l/1/0=Z"}, `{"a": "A"}`, "l/1/0"},
		{"what is no text does not make it whole", "structured-yaml", "a: A\nn: [~, J, F]\n", "n: [~, J, F]\n",
			[]string{"+n/1=N1", "-n/2"}, "a: A\n", "n/1"},
		{"the source has none, and it begins with null", "structured-yaml", "a: A\nm:\n- ~\n- J\n- F\n", "a: A\n",
			[]string{"-m/1", "-m/2"}, "a: A\n", ""},
		{"no more texts in the source's", "structured-yaml", "a: A\nm: [~, J]\n", "m: [~]\n",
			[]string{"-m/1"}, "a: A\nm: [~]\n", ""},
		{"an empty one in the source", "structured-yaml", "a: A\nm: [~, J]\n", "m: []\n",
			[]string{"-m/1"}, "a: A\n", ""},
		{"what is no text in front, between and behind", "structured-json",
			`{"a": "A", "l": [1, "x", null, [true, "y"], {"n": 2, "t": "z"}, false]}`, `{}`,
			[]string{"-l/1", "-l/3/1", "-l/4/t"}, `{"a": "A"}`, ""},
		{"an item's last text", "structured-json",
			`{"a": "A", "l": [{"id": 1, "t": "T", "u": "U"}, {"id": 2, "t": "V"}]}`,
			`{"l": [{"id": 1, "t": "T"}, {"id": 2, "t": "V"}]}`,
			[]string{"-l/1/t", "+l/0/t=W"}, `{"a": "A"}`, "l/0/t"},
		{"an item that has none in the source", "structured-json", `{"a": "A", "l": [{"t": "T"}, {"id": 2, "t": "V"}]}`,
			`{"l": [{"t": "T"}, {"id": 2}]}`,
			[]string{"-l/1/t", "+l/0/t=W"}, `{"a": "A", "l": [{"t": "W"}, {"id": 2}]}`, ""},
		{"an item of which texts stay", "structured-json", `{"a": "A", "l": [{"t": "T", "u": "U"}, {"t": "V"}]}`,
			`{"l": [{"t": "T"}, {"t": "V"}]}`,
			[]string{"-l/0/u"}, `{"a": "A", "l": [{"t": "T"}, {"t": "V"}]}`, ""},
		{"an item that gets another text", "structured-json", `{"a": "A", "l": [{"id": 1, "t": "T"}]}`,
			`{"l": [{"id": 1, "u": "U"}]}`,
			[]string{"-l/0/t", "+l/0/u=V"}, `{"a": "A", "l": [{"id": 1, "u": "V"}]}`, ""},
		{"references of an array", "android-xml", strings.ReplaceAll(array, ">J<", ">@string/a<"), none,
			[]string{"-l[1]"}, none, ""},
		{"an array", "android-xml", array, array, []string{"+l[0]=J1", "-l[1]"}, none, "l0"},
		{"an array as it is in the source", "android-xml", array, array, []string{"+l[0]=J", "-l[1]"}, none, "l0"},
	} {
		out, refused, reason := edited(t, c.format, c.src, c.like, c.edits...)
		if out != c.out || refused != c.refused || refused != "" &&
			reason != "the list is not complete without its other items, so all of it is left out" {
			t.Errorf("%s: refused %q (%s)\n%s\nwant %q\n%s", c.name, refused, reason, out, c.refused, c.out)
		}
	}
}

// What holds nothing where the source has a map becomes that map; what holds something else stays, with words that
// help.
func TestValuesWhereAMapBelongs(t *testing.T) {
	const json, yaml = "{\n  \"o\": \"O\",\n  \"a\": {\n    \"x\": \"X\",\n    \"n\": 1,\n    \"y\": {\n      \"z\": \"Z\"\n    }\n  },\n  \"l\": [\"1\", {\"k\": \"2\"}]\n}\n",
		"o: O\na:\n  x: X\n  n: 1\n  y:\n    z: Z\nl: [s, {k: t}]\n"
	const byHand = "is null here, so nothing can be below it; take it out of the file by hand, then the entries below it come"
	const value = "; where the source is right, take that value out of the file by hand, then the entries below it come"
	const list = "is a list here, and in the source file its entries have names; take the list out by hand, then those entries come"
	for _, c := range []struct{ src, out, reason string }{
		{"{\n  \"b\": \"B\",\n  // kept\n  \"a\": null, // this too\n  \"c\": \"C\"\n}\n",
			"{\n  \"b\": \"B\",\n  // kept\n  \"a\": {\n    \"x\": \"1\",\n    \"y\": {\n      \"z\": \"2\"\n    }\n  }, // this too\n  \"c\": \"C\"\n}\n", ""},
		{`{"a":null}`, `{"a":{"x":"1","y":{"z":"2"}}}`, ""},
		{"{\n\t\"a\": {\n\t\t\"y\": null\n\t}\n}",
			"{\n\t\"a\": {\n\t\t\"x\": \"1\",\n\t\t\"y\": {\n\t\t\t\"z\": \"2\"\n\t\t}\n\t}\n}", ""},
		{`{"a": null, "a": null}`, "", `"a" ` + byHand},
		{`{"a": {"q": "Q"}, "a": null}`, "", `"a" ` + byHand},
		{`{"a": [], "b": "B"}`, "", `"a" ` + list},
		{`{"a": ["1"]}`, "", `"a" ` + list},
		{`[]`, "", "the file " + list},
		{`{"a": "text"}`, "", `"a" holds a single value here, so nothing can be below it` + value},
		{`{"a": 1}`, "", `"a" holds a single value here, so nothing can be below it` + value},
		{"b: B\n# kept\na: # this too\nc: C\n", "b: B\n# kept\na: # this too\n  x: \"1\"\n  y:\n    z: \"2\"\nc: C\n",
			""},
		{"a:\n  y:\n", "a:\n  x: \"1\"\n  y:\n    z: \"2\"\n", ""},
		{"a: ~ # this too\nc: C\n", "a: # this too\n  x: \"1\"\n  y:\n    z: \"2\"\nc: C\n", ""},
		{"a: null", "a:\n  x: \"1\"\n  y:\n    z: \"2\"", ""},
		{"c: C\na:\n  ~\nd: D\n", "c: C\na:\n  x: \"1\"\n  y:\n    z: \"2\"\nd: D\n", ""},
		{"{a: ~, b: B}\n", "{a: {x: \"1\", \"y\": {z: \"2\"}}, b: B}\n", ""},
		{"{a: , b: B}\n", "{a: {x: \"1\", \"y\": {z: \"2\"}} , b: B}\n", ""},
		{"? a\n: ~\n", "? a\n:\n  x: \"1\"\n  y:\n    z: \"2\"\n", ""},
		{"? a\n", "? a\n:\n  x: \"1\"\n  y:\n    z: \"2\"\n", ""},
		{"a: !!null ~\n", "", `"a" holds a single value here, so nothing can be below it` + value},
		{"a: &n ~\nb: *n\n", "",
			`this file is written in a way that does not let it be changed here ("b" would be of another kind), so it was left as it is; make this change by hand`},
		{"b: &n ~\na: *n\n", "", `"a" ` + byHand},
		{"a: []\n", "", `"a" ` + list},
		{"a:\n- 1\n", "", `"a" ` + list},
	} {
		format, like := "structured-yaml", yaml
		if strings.HasPrefix(c.src, "{\n") || strings.HasPrefix(c.src, `{"`) || c.src == "[]" {
			format, like = "structured-json", json
		}
		out, refused, reason := edited(t, format, c.src, like, "+a/x=1", "+a/y/z=2")
		want, keys := c.out, ""
		if c.reason != "" {
			want, keys = c.src, "a/x a/y/z"
		}
		if out != want || refused != keys || reason != c.reason {
			t.Errorf("%q: refused %q (%s)\n%s\nwant %q (%s)\n%s", c.src, refused, reason, out, keys, c.reason, want)
		}
	}
	if out, refused, reason := edited(t, "structured-json", `{"l": ["1", null]}`, json,
		"+l/1/k=2"); out != `{"l": ["1", null]}` || refused != "l/1/k" || reason != `"1" `+byHand {
		t.Errorf("an item: refused %q (%s)\n%s", refused, reason, out)
	}
	if out, refused, reason := edited(t, "structured-json", `{"l": null}`, json, "+l/0=1"); out != `{"l": null}` ||
		refused != "l/0" || reason != `"l" `+byHand {
		t.Errorf("a list: refused %q (%s)\n%s", refused, reason, out)
	}
}
