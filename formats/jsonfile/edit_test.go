package jsonfile

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// story is a file, what is done to it, and the file that this makes.
type story struct {
	name, before, like string
	edits              string // lines of "+key text" and "-key"
	after              string
	refused            string // part of the only refusal, "" when there is none
}

func (s story) check(t *testing.T) {
	t.Helper()
	f := parse(t, nested, s.before)
	var like *resource.File
	if s.like != "" {
		like = parse(t, nested, s.like)
	}
	var edits []resource.Edit
	for line := range strings.Lines(s.edits) {
		line = strings.TrimSpace(line)
		key, text, set := strings.Cut(line[1:], " ")
		e := resource.Edit{Op: resource.Remove, Key: key}
		if set {
			e.Op, e.Text = resource.Set, text
		}
		edits = append(edits, e)
	}
	out, refused := f.Rewrite(edits, like)
	if s.refused == "" && len(refused) > 0 || s.refused != "" &&
		(len(refused) != 1 || !strings.Contains(refused[0].Reason, s.refused)) {
		t.Errorf("%s: refused %v, want %q", s.name, refused, s.refused)
	}
	if string(out) != s.after {
		t.Errorf("%s:\n--- got\n%s\n--- want\n%s", s.name, out, s.after)
	}
}

func TestInsertWhereTheSourceHasIt(t *testing.T) {
	for _, s := range []story{
		{
			name:   "between, first and last",
			before: "{\n  \"b\": \"B\",\n  \"d\": \"D\"\n}\n",
			like:   "{\n    \"a\": \"1\",\n    \"b\": \"2\",\n    \"c\": \"3\",\n    \"d\": \"4\",\n    \"e\": \"5\"\n}\n",
			edits:  "+e E\n+c C\n+a A",
			after:  "{\n  \"a\": \"A\",\n  \"b\": \"B\",\n  \"c\": \"C\",\n  \"d\": \"D\",\n  \"e\": \"E\"\n}\n",
		}, {
			name:   "comments stay with their entries",
			before: "{\n  // header\n\n  // of b\n  \"b\": \"B\", // tail\n\n  // section\n\n  \"d\": \"D\" // last\n  // end\n}\n",
			like:   "{\"a\": \"1\", \"b\": \"2\", \"c\": \"3\", \"d\": \"4\", \"e\": \"5\"}",
			edits:  "+e E\n+c C\n+a A",
			after:  "{\n  // header\n\n  \"a\": \"A\",\n  // of b\n  \"b\": \"B\", // tail\n  \"c\": \"C\",\n\n  // section\n\n  \"d\": \"D\", // last\n  \"e\": \"E\"\n  // end\n}\n",
		}, {
			name:   "a new file is the source with other texts: what is kept keeps its comments, what goes takes them along",
			before: "// licence\n{\n  // of a\n  \"a\": \"1\", // behind a\n\n  /* of b */\n  \"b\": {\n    // of c\n    \"c\": \"2\",\n    \"n\": 3\n  },\n  // of d\n  \"d\": \"4\"\n}\n",
			edits:  "+a A\n-b/c\n+d D",
			after:  "// licence\n{\n  // of a\n  \"a\": \"A\", // behind a\n\n  /* of b */\n  \"b\": {\n    \"n\": 3\n  },\n  // of d\n  \"d\": \"D\"\n}\n",
		}, {
			name:   "an empty file takes the source's layout",
			before: "{}\n",
			like:   "{\r\n\t\"a\" : \"1\",\r\n\t\"b\" : {\r\n\t\t\"c\" : \"2\",\r\n\t\t\"d\" : [\"3\"]\r\n\t}\r\n}\r\n",
			edits:  "+b/c C\n+a A\n+b/d/0 D",
			after:  "{\n\t\"a\" : \"A\",\n\t\"b\" : {\n\t\t\"c\" : \"C\",\n\t\t\"d\" : [\"D\"]\n\t}\n}\n",
		}, {
			name:   "an empty file without a line end takes the source's",
			before: "{}",
			like:   "{\r\n\t\"a\": \"1\"\r\n}\r\n",
			edits:  "+a A",
			after:  "{\r\n\t\"a\": \"A\"\r\n}",
		}, {
			name:   "an empty file takes a minified source's layout",
			before: "{}",
			like:   `{"a":"1","b":{"c":"2"}}`,
			edits:  "+a A\n+b/c C",
			after:  `{"a":"A","b":{"c":"C"}}`,
		}, {
			name:   "only comments",
			before: "// licence\n{\n  // nothing yet\n}\n",
			like:   "{\n  \"a\": \"1\"\n}\n",
			edits:  "+a A",
			after:  "// licence\n{\n  // nothing yet\n\n  \"a\": \"A\"\n}\n",
		}, {
			name:   "new parents are shaped like their neighbours",
			before: "{\n  \"x\": { \"y\": \"Y\" }\n}\n",
			like:   "{\n  \"x\": {\n    \"y\": \"1\"\n  },\n  \"a\": {\n    \"b\": \"2\",\n    \"c\": \"3\"\n  }\n}\n",
			edits:  "+a/b B\n+a/c C",
			after:  "{\n  \"x\": { \"y\": \"Y\" },\n  \"a\": { \"b\": \"B\", \"c\": \"C\" }\n}\n",
		}, {
			name:   "new parents without such neighbours are shaped like the model",
			before: "{\n  \"x\": \"X\"\n}\n",
			like:   "{\n  \"x\": \"1\",\n  \"a\": { \"b\": \"2\", \"c\": [\"3\", 4] }\n}\n",
			edits:  "+a/b B\n+a/c/0 C",
			after:  "{\n  \"x\": \"X\",\n  \"a\": { \"b\": \"B\", \"c\": [\"C\", 4] }\n}\n",
		}, {
			name:   "deeper indentation",
			before: "{\n    \"a\": {\n        \"b\": {\n            \"c\": \"C\"\n        }\n    }\n}",
			edits:  "+a/b/d D\n+a/e/f/g G\n+h H",
			after:  "{\n    \"a\": {\n        \"b\": {\n            \"c\": \"C\",\n            \"d\": \"D\"\n        },\n        \"e\": {\n            \"f\": {\n                \"g\": \"G\"\n            }\n        }\n    },\n    \"h\": \"H\"\n}",
		}, {
			name:   "an empty object among others",
			before: "{\n\t\"a\": {},\n\t\"b\": {\"c\":\"C\"}\n}",
			edits:  "+a/x X\n+b/d D",
			after:  "{\n\t\"a\": {\n\t\t\"x\": \"X\"\n\t},\n\t\"b\": {\"c\":\"C\",\"d\":\"D\"}\n}",
		}, {
			name:   "escapes of the file",
			before: "{\n  \"k\\u00e9\": \"\\u00C9\\/\"\n}",
			edits:  "+ü ä/",
			after:  "{\n  \"k\\u00e9\": \"\\u00C9\\/\",\n  \"\\u00FC\": \"\\u00E4\\/\"\n}",
		}, {
			name:    "a list is whole or absent",
			before:  "{\"a\":\"A\"}",
			like:    `{"l":["1","2"],"a":"3"}`,
			edits:   "+l/0 X",
			after:   "{\"a\":\"A\"}",
			refused: "whole or absent",
		}, {
			name:   "a new list is whole: what is no text comes from the source",
			before: "{\"a\": \"A\"}",
			like:   `{"a": "1", "l": [{"id": 1, "title": "2", "n": null, "o": {"p": [true]}}, 3, {"id": 4}, []]}`,
			edits:  "+l/0/title T",
			after:  `{"a": "A", "l": [{"id": 1, "title": "T", "n": null, "o": {"p": [true]}}, 3, {"id": 4}, []]}`,
		}, {
			name:   "a new item too",
			before: `[{"id": 1, "title": "a"}]`,
			like:   `[{"id": 1, "title": "1"}, {"id": 2, "title": "2", "id": 3}]`,
			edits:  "+1/title b",
			after:  `[{"id": 1, "title": "a"}, {"id": 2, "title": "b"}]`,
		}, {
			name:   "a new object that is in no list has its texts only",
			before: `{}`,
			like:   `{"o": {"id": 1, "title": "1"}}`,
			edits:  "+o/title T",
			after:  `{"o": {"title": "T"}}`,
		}, {
			name:    "a text is no place for others",
			before:  "{\"a\":\"A\"}",
			edits:   "+a/b X",
			after:   "{\"a\":\"A\"}",
			refused: "single value",
		}, {
			name:    "too deep",
			before:  "{}",
			edits:   "+" + strings.Repeat("a/", resource.MaxDepth) + "b X",
			after:   "{}",
			refused: "inside one another",
		}, {
			name:    "a name that is too long",
			before:  "{}",
			edits:   "+" + strings.Repeat("k", resource.MaxName) + " X",
			after:   "{}",
			refused: "64 KiB",
		}, {
			name:    "half a surrogate pair in the name",
			before:  `{"\ud800": "x"}`,
			edits:   `+\ud800 X`,
			after:   `{"\ud800": "x"}`,
			refused: "surrogate",
		},
	} {
		s.check(t)
	}
}

func TestMessageFiles(t *testing.T) {
	const source = `{
  "hello": {
    "message": "Hello $NAME$",
    "description": "greeting",
    "placeholders": {
      "name": { "content": "$1" }
    }
  },
  "bye": { "message": "Bye", "description": "farewell" },
  "plain": "text"
}
`
	const vscode = `{
  "save": {
    "message": "Save",
    "comment": [
      "a verb",
      "short"
    ]
  },
  "close": {"message": "Close", "comment": ["the window"]},
  "open": "Open"
}
`
	for _, s := range []story{
		{
			name: "a new message brings its placeholders, and its description where others have one",
			like: source, edits: "+hello/message Hallo $NAME$",
			before: "{\n\t\"bye\": {\n\t\t\"message\": \"Tschüss\",\n\t\t\"description\": \"farewell\"\n\t}\n}\n",
			after: "{\n\t\"hello\": {\n\t\t\"message\": \"Hallo $NAME$\",\n\t\t\"description\": \"greeting\",\n\t\t\"placeholders\": {\n\t\t\t\"name\": { \"content\": \"$1\" }\n\t\t}\n\t}," +
				"\n\t\"bye\": {\n\t\t\"message\": \"Tschüss\",\n\t\t\"description\": \"farewell\"\n\t}\n}\n",
		}, {
			name: "and no description where others have none",
			like: source, edits: "+hello/message Hallo $NAME$",
			before: "{\n  \"bye\": {\n    \"message\": \"Tschüss\"\n  }\n}\n",
			after:  "{\n  \"hello\": {\n    \"message\": \"Hallo $NAME$\",\n    \"placeholders\": {\n      \"name\": { \"content\": \"$1\" }\n    }\n  },\n  \"bye\": {\n    \"message\": \"Tschüss\"\n  }\n}\n",
		}, {
			name: "into an empty file", like: source, edits: "+bye/message Tschüss\n+plain Text", before: "{}\n",
			after: "{\n  \"bye\": { \"message\": \"Tschüss\", \"description\": \"farewell\" },\n  \"plain\": \"Text\"\n}\n",
		}, {
			name: "a message goes with all that belongs to it", edits: "-hello/message", before: source,
			after: "{\n  \"bye\": { \"message\": \"Bye\", \"description\": \"farewell\" },\n  \"plain\": \"text\"\n}\n",
		}, {
			name: "nothing but messages", edits: "+hello/title x", before: source, after: source, refused: "message file",
		}, {
			name: "no other objects", edits: "+new/title x", before: source, after: source, refused: "message file",
		}, {
			name: "a comment's message takes the text where the translations have a string",
			like: vscode, edits: "+save Speichern\n+open Öffnen", before: "{\n\t\"close\": \"Schließen\"\n}\n",
			after: "{\n\t\"save\": \"Speichern\",\n\t\"close\": \"Schließen\",\n\t\"open\": \"Öffnen\"\n}\n",
		}, {
			name: "and where they have objects", like: vscode, edits: "+save Speichern\n+open Öffnen",
			before: "{\n\t\"close\": {\n\t\t\"message\": \"Schließen\",\n\t\t\"comment\": [\n\t\t\t\"the window\"\n\t\t]\n\t}\n}\n",
			after: "{\n\t\"save\": {\n\t\t\"message\": \"Speichern\",\n\t\t\"comment\": [\n\t\t\t\"a verb\",\n\t\t\t\"short\"\n\t\t]\n\t},\n\t\"close\": {\n\t\t\"message\": \"Schließen\",\n\t\t\"comment\": [\n\t\t\t\"the window\"\n\t\t]\n\t}," +
				"\n\t\"open\": \"Öffnen\"\n}\n",
		}, {
			name: "it goes with its object", edits: "-save", before: vscode, after: "{\n  \"close\": {\"message\": \"Close\", \"comment\": [\"the window\"]},\n  \"open\": \"Open\"\n}\n",
		}, {
			name: "a place for a text, with a comment", edits: "+a A", before: "{\"a\": {\"comment\": \"c\", \"message\": null}}", after: "{\"a\": {\"comment\": \"c\", \"message\": \"A\"}}",
		}, {
			name: "a new translated file is the source's shape", like: vscode, edits: "+save Speichern\n-close\n+open Öffnen", before: vscode,
			after: strings.NewReplacer("Save", "Speichern", "Open", "Öffnen",
				"  \"close\": {\"message\": \"Close\", \"comment\": [\"the window\"]},\n", "").Replace(vscode),
		}, {
			name: "a message goes though something else is asked for in its place", edits: "-bye/message\n+bye/title x", before: source,
			after: strings.Replace(source, "  \"bye\": { \"message\": \"Bye\", \"description\": \"farewell\" },\n",
				"", 1),
			refused: "message file",
		},
	} {
		s.check(t)
	}
	for src, want := range map[string]string{
		source: "hello/message=Hello $NAME$ /greeting; bye/message=Bye /farewell; plain=text",
		`{"a": {"message": "x", "comment": ["one", "two"]}, "b": "y"}`:                          "a=x /one|two; b=y",
		`{"a": {"message": "x", "comment": "one"}}`:                                             "a=x /one",
		"{\n// c\n\"a\": {\"message\": \"x\", \"placeholders\": {}}}":                           "a/message=x /c",
		`{"a": {"message": null, "description": "d"}}`:                                          "a/message=(null) /d",
		`{"a": {"message": "\ud800", "description": "d"}, "b": {"message": "x"}}`:               "a/message=(other) /d; b/message=x",
		`{"a": {"defaultMessage": "x", "description": "d"}, "b": {"defaultMessage": "y"}}`:      "a/defaultMessage=x /d; b/defaultMessage=y",
		`{"a": {"message": "x"}, "b": {"title": "t"}}`:                                          "a/message=x; b/title=t",
		`{"a": {"message": "x", "description": "d"}, "b": {"message": "y", "title": "t"}}`:      "a/message=x; a/description=d; b/message=y; b/title=t",
		`{"a": {"message": "x", "description": "d"}, "n": 1}`:                                   "a/message=x; a/description=d; n=(other)",
		`{"a": {"message": "x", "description": "d", "touched": false}}`:                         "a/message=x /d",
		`{"a": {"message": "x", "touched": false}}`:                                             "a/message=x; a/touched=(other)",
		`{"o": {"a": {"message": "x", "description": "d"}}}`:                                    "o/a/message=x; o/a/description=d",
		`[{"message": "x", "description": "d"}]`:                                                "0/message=x; 0/description=d",
		`{"a": {"message": "x", "description": ["d"]}}`:                                         "a/message=x; a/description/0=d",
		`{"a": {"message": {"b": "x"}, "description": "d"}}`:                                    "a/message/b=x; a/description=d",
		`{"a": {"message": "x", "description": "\ud800"}, "b": "\udc00", "c": {"message": ""}}`: "a/message=x /\\ud800; b=(other); c/message=",
	} {
		if got := read(parse(t, nested, src)); got != want {
			t.Errorf("%s reads as\n%s, want\n%s", src, got, want)
		}
	}
}

func TestNotes(t *testing.T) {
	for src, want := range map[string]string{
		"{ // not a's\n \"a\": \"x\"}":                                     "a=x",
		"{ /* a's */ \"a\": \"x\"}":                                        "a=x /a's",
		"{\n// one\n// two\n\"a\": \"x\"}":                                 "a=x /one|two",
		"{\n// far\n\n// near\n\"a\": \"x\"}":                              "a=x /near",
		"{\n// far\n\n\"a\": \"x\"}":                                       "a=x",
		"{\"a\": \"x\", // a's\n// b's\n\"b\": \"y\"}":                     "a=x /a's; b=y /b's",
		"{\"a\": \"x\" /* a's */, \"b\": \"y\" // b's\n}":                  "a=x /a's; b=y /b's",
		"{\"a\": \"x\" /* 1 */, // 2\n \"b\": \"y\", /* b's */}":           "a=x /1|2; b=y /b's",
		"{\"a\": \"x\", /* b's */ \"b\": \"y\"}":                           "a=x; b=y /b's",
		"{\n/* above */\n\"a\": \"x\" // behind\n}":                        "a=x /above",
		"{\n/**\n * one\n *   two\n *\n * three\n **/\n\"a\": \"x\"}":      "a=x /one|  two||three",
		"{\"a\": \"x\" // a's\r\n, \"b\": \"y\"\r\n// nobody's\r\n}":       "a=x /a's; b=y",
		"{\"a\": {\"b\": \"x\"}, // a's\n \"c\": [ /* 0's */ \"y\"] }":     "a/b=x; c/0=y /0's",
		"// of the file\n{\"a\": /* in between */ \"x\"} // of the file\n": "a=x",
		"{\"a\": \"x\" //\n}":                                              "a=x",
		"{//\r\"a\": \"x\" //// four\r}":                                   "a=x /four",
	} {
		if got := read(parse(t, nested, src)); got != want {
			t.Errorf("%q reads as\n%s, want\n%s", src, got, want)
		}
	}
}

func TestRemove(t *testing.T) {
	for _, s := range []story{
		{name: "several in a row",
			before: "{\n  \"a\": \"1\",\n  \"b\": \"2\", // two\n  // of c\n  \"c\": \"3\",\n  \"d\": \"4\"\n}",
			edits:  "-b\n-c", after: "{\n  \"a\": \"1\",\n  \"d\": \"4\"\n}"},
		{name: "the last ones", before: "{\n  \"a\": \"1\", // one\n  \"b\": \"2\",\n  \"c\": \"3\" // three\n}",
			edits: "-b\n-c", after: "{\n  \"a\": \"1\" // one\n}"},
		{name: "the first ones", before: "{\n  \"a\": \"1\",\n  \"b\": \"2\",\n\n  \"c\": \"3\"\n}", edits: "-a\n-b",
			after: "{\n\n  \"c\": \"3\"\n}"},
		{name: "every second", before: `{"a":"1","b":"2","c":"3","d":"4","e":"5"}`,
			edits: "-a\n-c\n-e", after: `{"b":"2","d":"4"}`},
		{name: "on one line", before: `{ "a": "1", "b": "2", "c": "3" }`, edits: "-a\n-c", after: `{ "b": "2" }`},
		{name: "all", before: "{\n  \"a\": \"1\",\n  \"b\": \"2\"\n}\n", edits: "-a\n-b", after: "{}\n"},
		{name: "all but comments", before: "{ // c\n  \"a\": \"1\", // one\n\n  // section\n\n  \"b\": \"2\"\n}\n",
			edits: "-a\n-b", after: "{ // c\n\n  // section\n}\n"},
		{name: "a section's comment stays",
			before: "{\n  \"a\": \"1\",\n\n  // section\n\n  // of b\n  \"b\": \"2\",\n  \"c\": \"3\"\n}", edits: "-b",
			after: "{\n  \"a\": \"1\",\n\n  // section\n\n  \"c\": \"3\"\n}"},
		{name: "blank lines do not pile up", before: "{\n  \"a\": \"1\",\n\n  \"b\": \"2\",\n\n  \"c\": \"3\"\n}",
			edits: "-b", after: "{\n  \"a\": \"1\",\n\n  \"c\": \"3\"\n}"},
		{name: "parents go with their last entry",
			before: "{\n  \"a\": {\n    \"b\": {\n      \"c\": \"1\"\n    }\n  },\n  \"d\": \"2\"\n}", edits: "-a/b/c",
			after: "{\n  \"d\": \"2\"\n}"},
		{name: "the comment in front of the last needs its line", before: "{ \"a\": \"1\", // c\n  \"b\": \"2\" }",
			edits: "-b", after: "{ \"a\": \"1\" // c\n  }"},
		{name: "a list goes whole", before: `{"l": ["1", "2", "3"], "a": "4"}`, edits: "-l/1\n+l/2 x",
			after: `{"a": "4"}`, refused: "all of it is left out"},
		{name: "a list gets shorter", before: `{"l": ["1", "2", "3"], "a": "4"}`, edits: "-l/2\n-l/1",
			after: `{"l": ["1"], "a": "4"}`},
		{name: "the outermost list gets empty", before: "[\"1\", \"2\"]\n", edits: "-0", after: "[]\n"},
		{name: "renamed", before: "{\n\t\"a\": \"1\"\n}\n", edits: "-a\n+b 2", like: "{\n\t\"b\": \"1\"\n}\n",
			after: "{\n\t\"b\": \"2\"\n}\n"},
	} {
		s.check(t)
	}
}

func TestRename(t *testing.T) {
	f, err := resource.Parse(Grammar, resource.Keys{Structured: true, Roots: []string{"en"}},
		[]byte("{ \"en\" : {\"a\": \"x\"}}"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := f.RenameRoot(`pt"BR`)
	if want := "{ \"pt\\\"BR\" : {\"a\": \"x\"}}"; err != nil || string(out) != want {
		t.Errorf("%v: %s, want %s", err, out, want)
	}
	if _, err := Grammar.Rename(parse(t, nested, `["x"]`), 1, "y"); err == nil {
		t.Error("an item was renamed")
	}
	if _, err := f.RenameRoot("\xff"); err == nil {
		t.Error("a name that is no UTF-8 was written")
	}
}

func TestCompose(t *testing.T) {
	list := parse(t, nested, `["x"]`)
	for _, c := range []struct {
		keys    resource.Keys
		like    *resource.File
		entries []resource.Entry
		want    string
	}{
		{flat, nil, nil, "{}\n"},
		{flat, nil, []resource.Entry{{Key: "a/b", Text: "é/\n\""}, {Key: "", Text: "x", Note: "not written"}},
			"{\n  \"a/b\": \"é/\\n\\\"\",\n  \"\": \"x\"\n}\n"},
		{nested, nil, []resource.Entry{{Key: "a/b", Text: "1"}, {Key: "a/c/d", Text: "2"}, {Key: "e", Text: "3"}},
			"{\n  \"a\": {\n    \"b\": \"1\",\n    \"c\": {\n      \"d\": \"2\"\n    }\n  },\n  \"e\": \"3\"\n}\n"},
		{nested, nil, []resource.Entry{{Key: "l/0", Text: "1", Item: true}, {Key: "l/1", Text: "2", Item: true}},
			"{\n  \"l\": [\n    \"1\",\n    \"2\"\n  ]\n}\n"},
		{nested, nil, []resource.Entry{{Key: "l/1", Text: "2", Item: true}},
			"{\n  \"l\": {\n    \"1\": \"2\"\n  }\n}\n"},
		{nested, nil, []resource.Entry{{Key: "0", Text: "1", Item: true}, {Key: "1", Text: "2", Item: true}},
			"[\n  \"1\",\n  \"2\"\n]\n"},
		{nested, list, []resource.Entry{{Key: "0", Text: "1", Item: true, Node: 1}}, "[\n  \"1\"\n]\n"},
		{nested, parse(t, nested, `{"a":"x"}`), []resource.Entry{{Key: "", Text: "1", Node: 1}},
			"{\n  \"\": \"1\"\n}\n"},
	} {
		out, err := resource.Compose(Grammar, c.keys, c.like, c.entries)
		if err != nil || string(out) != c.want {
			t.Errorf("%v: %v\n--- got\n%s\n--- want\n%s", c.entries, err, out, c.want)
		}
	}
	for _, e := range []resource.Entry{{Key: "a", Text: "\xff"}, {Key: "\xff"}, {Key: strings.Repeat("/", 1000)},
		{Key: "a", Form: "one", Text: "x"}, {Key: strings.Repeat("k", 65<<10)}} {
		if out, err := resource.Compose(Grammar, nested, nil, []resource.Entry{e}); err == nil {
			t.Errorf("%.20q composed as %.40q", e.Key, out)
		}
	}
}

// What a push composes of a file's entries reads back as the same entries.
func TestComposeReadsBack(t *testing.T) {
	for _, src := range examples {
		f := parse(t, nested, src)
		entries := f.Together(func(resource.Entry) bool { return true })
		want := make(map[string]string)
		for _, e := range entries {
			want[e.Key] = e.Text
		}
		out, err := resource.Compose(Grammar, nested, f, entries)
		if err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		g := parse(t, nested, string(out))
		n := 0
		for e := range g.Entries() {
			n++
			if text, ok := want[e.Key]; !ok || text != e.Text {
				t.Errorf("%q: %q reads back as %q, want %q\n%s", src, e.Key, e.Text, text, out)
			}
		}
		if n != len(want) {
			t.Errorf("%q: %d entries read back, want %d\n%s", src, n, len(want), out)
		}
	}
}

func shapes(keys resource.Keys) resourcetest.Shapes {
	return resourcetest.Shapes{
		Grammar: Grammar, Keys: keys, NameCost: 2,
		Entry: func(name, text string) string { return `"` + name + `": "` + text + `"` },
		File:  func(entries []string) string { return "{\n  " + strings.Join(entries, ",\n  ") + "\n}\n" },
		Deep:  func(n int) string { return strings.Repeat("{\"k\": ", n) + `"x"` + strings.Repeat("}", n) },
	}
}

// Long names, large texts, a million keys, deep nesting, and what could cost more than linear time.
func TestSizes(t *testing.T) {
	resourcetest.Long(t)
	t.Run("flat", shapes(flat).Check)
	t.Run("nested", func(t *testing.T) {
		s := shapes(nested)
		s.File = func(entries []string) string {
			return "{\"top\": \"x\",\n  " + strings.Join(entries, ",\n  ") + "\n,\"list\": [{\"k\": {}}]}\n"
		}
		s.Quick = true
		s.Check(t)
	})
	for name, input := range map[string]func(n int) string{
		"comments":        func(n int) string { return "{" + strings.Repeat("/* c */ ", n) + "}" },
		"line comments":   func(n int) string { return "{" + strings.Repeat("// c\n", n) + "}" },
		"commented items": func(n int) string { return "[" + strings.Repeat("1,// c\n", n) + "]" },
		"commented texts": func(n int) string {
			return "{" + strings.Repeat("/* a */ \"k\": \"x\" /* b */, // c\n", n) + "}"
		},
		"blank lines": func(n int) string { return "[" + strings.Repeat("\n", 8*n) + "]" },
		"deep": func(n int) string {
			return strings.Repeat("[", resource.MaxDepth) + strings.Repeat("[],", n)
		},
		"lists":           func(n int) string { return "[" + strings.Repeat("[1],", n) + "]" },
		"half pairs":      func(n int) string { return `{"a":"` + strings.Repeat(`\ud800`, n) + `"}` },
		"colons":          func(n int) string { return `{"a":"` + strings.Repeat(`:`, 8*n) + `"}` },
		"one name":        func(n int) string { return "{" + strings.Repeat(`"k":"x",`, n) + "}" },
		"one nested name": func(n int) string { return "{" + strings.Repeat(`"k":{"l":"x"},`, n) + "}" },
		"separators":      func(n int) string { return "{" + strings.Repeat(`"/":{"/":"x"},`, n) + "}" },
		"long keys": func(n int) string {
			return strings.Repeat(`{"`+strings.Repeat("k", n/200+1)+`":`, 100) + "[" + strings.Repeat("{},", n/4) +
				`"x"]` + strings.Repeat("}", 100)
		},
		"messages": func(n int) string {
			return "{" + strings.Repeat(`"k":{"message":"x","description":"d"},`, n) + "}"
		},
		"almost messages": func(n int) string { return "{" + strings.Repeat(`"k":{"message":"x"},`, n) + `"k":1}` },
		"open quotes":     func(n int) string { return "{" + strings.Repeat("\"k\":\"x,\n", n) + "}" },
		"opened comments": func(n int) string { return "{" + strings.Repeat("/*", n) },
		"escapes": func(n int) string {
			return `{"` + strings.Repeat(`k`, 100) + `":"` + strings.Repeat(`\\\"`, n) + `"}`
		},
		"many small texts": func(n int) string { return "[" + strings.Repeat(`{"a":"x"},`, n) + "]" },
	} {
		c := resourcetest.Case{Grammar: Grammar, Keys: nested}
		resourcetest.LinearCase(t, name, c, func(n int) []byte { return []byte(input(n)) })
	}
}

// A file that is cut anywhere is refused, unless nothing but white space or comments is missing.
func TestCuts(t *testing.T) {
	whole := func(cut, rest string) bool {
		for rest = strings.TrimSpace(rest); strings.HasPrefix(rest, "/"); rest = strings.TrimSpace(rest) {
			rest = rest[commentEnd(rest, 0):]
		}
		return rest == ""
	}
	cuts := func(src []byte) {
		t.Helper()
		resourcetest.Cuts(t, resourcetest.Case{Grammar: Grammar, Keys: nested, Src: src}, whole)
	}
	for _, src := range examples {
		cuts([]byte(src))
	}
	for _, e := range resourcetest.Edges(t) {
		cuts(e.Src)
	}
	for _, real := range resourcetest.Corpus(t, "json") {
		cuts(real.Src)
	}
}
