package yamlfile_test

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/yamlfile"
)

var messageFiles = map[string]string{
	"a:\n  description: d\n  message: x\n  touched: false\nb:\n  message: y\n":                                "a/message=x /d; b/message=y",
	"a:\n  message: x $N$\n  description: >-\n    one\n    two\n  placeholders:\n    n:\n      content: $1\n": "a/message=x $N$ /one two",
	"a:\n  message: x\n  description: |2-\n     one\nb: y\n":                                                  "a/message=x / one; b=y",
	"# c\na:\n  message: x\n  placeholders: {}\n":                                                             "a/message=x /c",
	"a:\n  # c\n  message: \"x\"\n  description: 'it''s'\n":                                                   "a/message=x /it's",
	"a:\n  message:\n  description: d\n":                                                                      "a/message=(null) /d",
	"a: {message: x, description: \"d # e\"}\nb: {message: y}\n":                                              "a/message=x /d # e; b/message=y",
	"{a: {message: x, description: d}}\n":                                                                     "a/message=x /d",
	"a:\n  message: >\n    x\n    y\n\n  description: see # 1\n  # below\nb:\n  message: y":                   "a/message=x y\n /see; b/message=y",
	"a:\n  message: |\n    x\n  description: |\n    d":                                                        "a/message=x\n /d",
}

var ordinaryFiles = map[string]string{
	"a:\n  message: x\nb:\n  title: t\n":                                 "a/message=x; b/title=t",
	"a:\n  message: x\nb:\n  message: y\n":                               "a/message=x; b/message=y",
	"a:\n  message: x\n  description: d\nb:\n  message: y\n  title: t\n": "a/message=x; a/description=d; b/message=y; b/title=t",
	"a:\n  message: x\n  comment: c\n":                                   "a/message=x; a/comment=c",
	"a:\n  message: x\n  description: d\nn: 1\n":                         "a/message=x; a/description=d; n=(other)",
	"a:\n  message: 1\n  description: d\n":                               "a/message=(other); a/description=d",
	"a:\n  message: x\n  description:\n":                                 "a/message=x; a/description=(null)",
	"a:\n  message: x\n  placeholders:\n  - n\n":                         "a/message=x; a/placeholders/0=n",
	"a:\n  description: d\n":                                             "a/description=d",
	"o:\n  a:\n    message: x\n    description: d\n":                     "o/a/message=x; o/a/description=d",
	"- message: x\n  description: d\n":                                   "0/message=x; 0/description=d",
	"a: &a\n  message: x\n  description: d\nb:\n  <<: *a\n":              "a/message=x; a/description=d",
	"en:\n  message: x\n  description: d\n":                              "message=x; description=d",
	"en:\n  message: x\n  description: d\nde:\n  message: 1\n":           "en/message=x; en/description=d; de/message=(other)",
}

// The second reader sees the same keys, whether a file is one of messages or only has such names, and every law holds
// for message files.
func TestMessageFiles(t *testing.T) {
	keys := resource.Keys{Structured: true, Roots: []string{"en"}}
	rule := oracle.Rule{Format: "structured-yaml", Roots: keys.Roots}
	for described, files := range map[bool]map[string]string{true: messageFiles, false: ordinaryFiles} {
		for src, want := range files {
			for _, src := range []string{src, strings.ReplaceAll(src, "\n", "\r\n")} {
				f, err := resource.Parse(yamlfile.Grammar, keys, []byte(src))
				if err != nil {
					t.Fatal(err)
				}
				if described { // an edit of the others may be refused, since it would turn them into message files
					check(t, []byte(src))
				}
				if got := read(f); got != want {
					t.Errorf("%q\nreads %s\nwant  %s", src, got, want)
				}
				leaves, err := rule.Read([]byte(src))
				if err != nil {
					t.Fatal(err)
				}
				var mine, theirs []string
				for e := range f.Entries() {
					mine = append(mine, e.Key)
				}
				for _, l := range leaves {
					if l.Keyed {
						theirs = append(theirs, l.Key)
					}
				}
				if strings.Join(mine, " ") != strings.Join(theirs, " ") {
					t.Errorf("%q\nhas %s, to the second reader %s", src, mine, theirs)
				}
			}
		}
	}
}

// An alias may point at what would be hidden.
func TestNoMessagesWithAliases(t *testing.T) {
	src := "a:\n  message: x\n  description: &d d\nb: *d\n"
	if got := read(parse(t, []byte(src))); got != "a/message=x; a/description=d; b=d" {
		t.Errorf("reads %s", got)
	}
	leaves, err := oracle.Rule{Format: "structured-yaml"}.Read([]byte(src))
	if err != nil || len(leaves) != 3 || !leaves[1].Keyed {
		t.Errorf("the second reader has %+v, %v", leaves, err)
	}
}

func TestMessageEdits(t *testing.T) {
	const source = "hello:\n  description: greeting\n  message: Hello $NAME$\n  touched: false\n  placeholders:\n    name:\n      content: $1\n" +
		"bye: # c\n  message: 'Bye'\n  description: |\n    farewell\n\nplain: text\n"
	set := func(key, text string) resource.Edit { return resource.Edit{Op: resource.Set, Key: key, Text: text} }
	for _, test := range []struct {
		name, before, after, refused string
		edits                        []resource.Edit
	}{
		{name: "a text changes alone", before: source, after: strings.Replace(source, "'Bye'", "'Tschüss'", 1),
			edits: []resource.Edit{set("bye/message", "Tschüss")}},
		{name: "a message goes with all that belongs to it", before: source,
			after: source[strings.Index(source, "bye"):],
			edits: []resource.Edit{{Op: resource.Remove, Key: "hello/message"}}},
		{name: "also with a block text at its end", before: source, after: source[:strings.Index(source, "bye")] +
			"\nplain: text\n",
			edits: []resource.Edit{{Op: resource.Remove, Key: "bye/message"}}},
		{name: "a new one brings its placeholders, and its description where others have one",
			before: "bye:\n    description: farewell\n    message: Tschüss\n",
			after: "hello:\n    description: greeting\n    message: Hallo $NAME$\n    placeholders:\n        name:\n            content: $1\n" +
				"bye:\n    description: farewell\n    message: Tschüss\n",
			edits: []resource.Edit{set("hello/message", "Hallo $NAME$")}},
		{name: "and not where they have none", before: "bye:\n  message: Tschüss\n",
			after: "hello:\n  message: Hallo $NAME$\n  placeholders:\n    name:\n      content: $1\nbye:\n  message: Tschüss\n",
			edits: []resource.Edit{set("hello/message", "Hallo $NAME$")}},
		{name: "into an empty file", before: "{}\n",
			after: "bye:\n  message: 'Tschüss'\n  description: |\n    farewell\nplain: Text\n",
			edits: []resource.Edit{set("bye/message", "Tschüss"), set("plain", "Text")}},
		{name: "between braces", before: "{a: {message: x, description: d}}\n",
			after: "{hello: {description: greeting, message: Hallo, placeholders: {name: {content: $1}}}, a: {message: x, description: d}}\n", edits: []resource.Edit{set("hello/message", "Hallo")}},
		{name: "nothing but messages", before: source, after: source, refused: "message file",
			edits: []resource.Edit{set("hello/title", "x"), set("new/title", "x")}},
	} {
		like, f := parse(t, []byte(source)), parse(t, []byte(test.before))
		out, refused := f.Rewrite(test.edits, like)
		if string(out) != test.after || (len(refused) > 0) != (test.refused != "") {
			t.Errorf("%s: %v\n--- got\n%s--- want\n%s", test.name, refused, out, test.after)
		}
		for _, r := range refused {
			if !strings.Contains(r.Reason, test.refused) {
				t.Errorf("%s: %v", test.name, r.Reason)
			}
		}
		rule := oracle.Rule{Format: "structured-yaml"}
		var changes []oracle.Change
		for _, e := range test.edits {
			changes = append(changes, oracle.Change{Key: e.Key, Text: e.Text, Gone: e.Op == resource.Remove})
		}
		if test.refused == "" {
			if err := rule.Prove([]byte(test.before), out, changes); err != nil {
				t.Errorf("%s: to the second reader %v", test.name, err)
			}
		}
	}
}
