package jsonfile

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// What says something about the file or another entry is no text: MediaWiki's @metadata, ARB's @@locale and @key. A
// mention is one.
func TestMetadata(t *testing.T) {
	for src, want := range map[string]string{
		`{"@metadata": {"authors": ["A", "B"]}, "a": "A"}`:                                 "@metadata=- a=A",
		`{"@@locale": "en", "a": "A", "@a": {"description": "D", "placeholders": {}}}`:     "@@locale=- a=A @a=-",
		`{"@mention": "M", "@l": ["L"], "@n": 1, "a": {"@@x": "X", "@y": {"z": "Z"}}}`:     "@mention=M @l/0=L @n=- a/@@x=X a/@y/z=Z",
		`{"\u0040m": {"a": "A"}, "\u0040\u0040l": "x", "@@o": {"p": "P"}, "@@q": ["r"]}`:   "@m=- @@l=- @@o=- @@q=-",
		`{"@a": {"message": "M"}, "@b": {"message": {"c": "C"}}, "@c": {"message": null}}`: "@a/message=M @b=- @c=-",
		`{"@a": {"message": "M", "description": "D"}}`:                                     "@a/message=M",
		`[{"@a": {"b": "B"}}]`:                   "0/@a/b=B",
		`{"@a": {"b": "\ud800"}, "c": "\ud800"}`: "@a=- c=-",
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
			t.Errorf("%s reads %v, want %s", src, got, want)
		}
		for _, w := range f.Warnings() {
			if f.KeyOf(w.Node) != "c" {
				t.Errorf("%s: warning %v", src, w)
			}
		}
		resourcetest.Check(t, resourcetest.Case{Grammar: Grammar, Keys: nested, Src: []byte(src), Undone: undone})
		oracle(t, src, []byte(src))
	}
}

// Metadata is not changed, none is made, and a new file has none.
func TestMetadataStays(t *testing.T) {
	const src = "{\n  \"@metadata\": {\"authors\": [\"A\"]},\n  \"@@locale\": \"en\",\n  \"a\": \"A\",\n  \"@a\": {\"description\": \"D\"}\n}\n"
	f := parse(t, nested, src)
	out, refused := f.Rewrite([]resource.Edit{
		{Op: resource.Set, Key: "@metadata", Text: "x"}, {Op: resource.Set, Key: "@metadata/authors/1",
			Text: "x"}, {Op: resource.Set, Key: "@@locale", Text: "x"},
		{Op: resource.Set, Key: "@@new", Text: "x"}, {Op: resource.Set, Key: "@b/description", Text: "x"},
		{Op: resource.Set, Key: "@new", Text: "N"},
	}, nil)
	if want := strings.Replace(src, "}\n}", "},\n  \"@new\": \"N\"\n}", 1); string(out) != want {
		t.Errorf("%s\nwant\n%s", out, want)
	}
	for _, r := range refused {
		if r.Unproven {
			t.Errorf("%v", r)
		}
	}
	if len(refused) != 5 {
		t.Errorf("refused: %v", refused)
	}
	if out, refused := f.Fresh([]resource.Edit{{Op: resource.Set, Key: "a", Text: "B"}}); len(refused) > 0 ||
		string(out) != "{\n  \"a\": \"B\"\n}\n" {
		t.Errorf("a new file: %v\n%s", refused, out)
	}
}
