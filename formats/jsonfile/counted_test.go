package jsonfile

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	second "github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// The description and the hash of a message with plural forms, as go-i18n has them, are no texts; in other files they
// are.
func TestMessagesWithPluralForms(t *testing.T) {
	for src, want := range map[string]string{
		`{"a": "A", "b": {"description": "D", "hash": "sha1-1", "one": "1", "other": "2"}}`:        "a=A b/description=- b/hash=- b/one=1 b/other=2",
		`{"a": {"hash": "sha1-1", "other": "A"}, "b": {"c": "C"}}`:                                 "a/hash=- a/other=A b/c=C",
		`{"a": {"description": "D", "other": "A"}, "b": "B"}`:                                      "a/description=- a/other=A b=B",
		`{"g": {"a": {"hash": "sha1-1", "one": "1", "other": "2"}}, "d": {"description": "D"}}`:    "g/a/hash=- g/a/one=1 g/a/other=2 d/description=D",
		`{"a": {"description": "D", "other": "A"}, "b": {"title": "B"}}`:                           "a/description=D a/other=A b/title=B",
		`{"a": {"description": "D", "one": "1", "title": "T"}}`:                                    "a/description=D a/one=1 a/title=T",
		`{"a": {"one": "1", "other": "2"}, "description": "D", "hash": "H"}`:                       "a/one=1 a/other=2 description=D hash=H",
		`{"a": {"description": "D", "one": "1"}}`:                                                  "a/description=- a/one=1",
		`{"a": {"description": "D", "one": "1", "other": "2", "n": 1}}`:                            "a/description=D a/one=1 a/other=2 a/n=-",
		`{"$schema": "S", "a": "A", "b": {"$schema": "T"}}`:                                        "$schema=- a=A b/$schema=T",
		`{"locale": "en", "translations": {"1": "A", "locale": "L"}}`:                              "locale=- translations/1=A translations/locale=L",
		`{"translations": {"A": "B", "_%n f_::_%n fs_": ["x", "y"]}, "pluralForm": "nplurals=2;"}`: "translations/A=B translations/_%n f_::_%n fs_/0=x translations/_%n f_::_%n fs_/1=y pluralForm=nplurals=2;",
		`{"locale": "en", "translations": {"1": "A"}, "b": {"c": "C"}}`:                            "locale=en translations/1=A b/c=C",
		`{"locale": "en", "a": "A"}`:                                                               "locale=en a=A",
		`[{"description": "D", "one": "1", "other": "2"}]`:                                         "0/description=D 0/one=1 0/other=2",
	} {
		f := parse(t, nested, src)
		var got []string
		for e := range f.Entries() {
			value := "-"
			if e.Kind == resource.Text {
				value = e.Text
			}
			got = append(got, e.Key+"="+value)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s\nreads %v\nwant  %s", src, got, want)
		}
		leaves, err := second.Rule{Format: "structured-json"}.Read([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		var theirs []string
		for _, l := range leaves {
			value := l.Text
			if !l.Keyed || l.Kind != second.Text {
				value = "-"
			}
			theirs = append(theirs, strings.Join(l.Path, "/")+"="+value)
		}
		if strings.Join(theirs, " ") != want {
			t.Errorf("%s\nto the second reader %v\nwant %s", src, theirs, want)
		}
		refuses := resourcetest.Rules(halfNameMsg, "is metadata of", "this is a message file",
			"a message of this file has plural forms",
			"say something about it")
		if !strings.Contains(want, "=-") || strings.Contains(want,
			"n=-") { // an edit may be refused that would make one with messages of it
			continue
		}
		resourcetest.Check(t, resourcetest.Case{Grammar: Grammar, Keys: nested, Src: []byte(src),
			Undone: undone, Refuses: refuses})
	}
}

// A message goes with its hash when its last text goes, comes without one, and a new file has none: it would be the
// source's.
func TestEditsOfMessagesWithPluralForms(t *testing.T) {
	const source = "{\n  \"a\": \"A\",\n  \"b\": {\n    \"description\": \"D\",\n    \"one\": \"1\",\n    \"other\": \"2\"\n  },\n" +
		"  \"c\": {\n    \"description\": \"D\",\n    \"other\": \"C\"\n  }\n}\n"
	const before = "{\n  \"a\": \"A\",\n  \"b\": {\n    \"description\": \"D\",\n    \"hash\": \"sha1-1\",\n    \"one\": \"1\",\n    \"other\": \"2\"\n  }\n}\n"
	const without = "{\n  \"a\": \"A\"\n}\n"
	set := func(key, text string) resource.Edit { return resource.Edit{Op: resource.Set, Key: key, Text: text} }
	remove := func(key string) resource.Edit { return resource.Edit{Op: resource.Remove, Key: key} }
	for _, test := range []struct {
		name, after, refused string
		edits                []resource.Edit
	}{
		{name: "a text changes alone", after: strings.Replace(before, `"2"`, `"zwei"`, 1),
			edits: []resource.Edit{set("b/other", "zwei")}},
		{name: "one form goes", after: strings.Replace(before, "    \"one\": \"1\",\n", "", 1),
			edits: []resource.Edit{remove("b/one")}},
		{name: "all forms go", after: without, edits: []resource.Edit{remove("b/one"), remove("b/other")}},
		{name: "a message comes", after: strings.Replace(before, "  }\n}",
			"  },\n  \"c\": {\n    \"other\": \"Z\"\n  }\n}", 1), edits: []resource.Edit{set("c/other", "Z")}},
		{name: "no hash is set", after: before, refused: "is metadata of", edits: []resource.Edit{set("b/hash", "x")}},
		{name: "no description comes", after: before, refused: "a message of this file has plural forms",
			edits: []resource.Edit{set("c/other", "Z"), set("c/description", "x")}},
	} {
		like, f := parse(t, nested, source), parse(t, nested, before)
		out, refused := f.Rewrite(test.edits, like)
		if string(out) != test.after || (len(refused) > 0) != (test.refused != "") {
			t.Errorf("%s: %v\n--- got\n%s--- want\n%s", test.name, refused, out, test.after)
		}
		var changes []second.Change
		for _, e := range test.edits {
			changes = append(changes, second.Change{Key: e.Key, Text: e.Text, Gone: e.Op == resource.Remove})
		}
		for _, r := range refused {
			if !strings.Contains(r.Reason, test.refused) || r.Unproven {
				t.Errorf("%s: %v", test.name, r.Reason)
			}
			changes = nil
		}
		if err := (second.Rule{Format: "structured-json"}).Prove([]byte(before), out, changes); err != nil {
			t.Errorf("%s: to the second reader %v", test.name, err)
		}
	}
	out, refused := parse(t, nested, before).Fresh([]resource.Edit{set("a", "Z"), set("b/other", "zwei")})
	if want := "{\n  \"a\": \"Z\",\n  \"b\": {\n    \"other\": \"zwei\"\n  }\n}\n"; string(out) != want ||
		len(refused) > 0 {
		t.Errorf("a new file: %v\n%s", refused, out)
	}
	out, refused = parse(t, nested,
		`{"$schema": "S", "locale": "en", "translations": {"1": "A", "2": "B"}}`).Fresh([]resource.Edit{set("translations/2",
		"Z")})
	if want := `{"$schema": "S", "locale": "en", "translations": {"2": "Z"}}`; string(out) != want || len(refused) > 0 {
		t.Errorf("a new file: %v\n%s", refused, out)
	}
}

// The laws hold for files of the names that messages have, over texts, lists and maps in each other's place: a new file
// has no text of the source.
func TestLawsOfMessages(t *testing.T) {
	names := []string{"one", "other", "few", "zero", "description", "hash", "message", "comment", "a", "translation"}
	n := 150
	if resourcetest.All() {
		n = 3000
	}
	var draw func(r *rand.Rand, depth int) string
	draw = func(r *rand.Rand, depth int) string {
		var parts []string
		switch pick := r.IntN(12); {
		case depth > 0 && pick < 4 || depth == 4:
			for _, i := range r.Perm(len(names))[:1+r.IntN(3)] {
				parts = append(parts, fmt.Sprintf("%q: %s", names[i], draw(r, depth-1)))
			}
			return "{" + strings.Join(parts, ", ") + "}"
		case depth > 0 && pick < 6:
			for range r.IntN(3) {
				parts = append(parts, draw(r, depth-1))
			}
			return "[" + strings.Join(parts, ", ") + "]"
		case pick == 6:
			return "null"
		case pick == 7:
			return "5"
		}
		return fmt.Sprintf("%q", fmt.Sprint("text ", r.IntN(1000)))
	}
	srcs := []string{
		`{"other": "A", "a": {"few": "B", "translation": {"message": "C"}, "hash": "D"}}`,
		`{"translation": {"comment": null, "hash": {"translation": "A", "zero": {"many": "B", "hash": "C"}}, "zero": "D"}}`,
		`{"one": {"hash": "A", "comment": {"comment": [null], "zero": ["B"]}, "many": "C"}, "other": {"a": "D"}}`,
	}
	for i := range uint64(n) {
		srcs = append(srcs, draw(rand.New(rand.NewPCG(i, 0)), 4))
	}
	for _, src := range srcs {
		for _, keys := range []resource.Keys{flat, nested} {
			resourcetest.Check(t, resourcetest.Case{Grammar: Grammar, Keys: keys, Src: []byte(src), Any: true, Undone: undone})
		}
	}
}
