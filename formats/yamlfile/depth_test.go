package yamlfile_test

import (
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/yamlfile"
)

// In YAML containers inside one another end at one spot. What is added to each of them at once is in its own, the
// innermost first.
func TestInsertLastAtEveryDepth(t *testing.T) {
	parse := func(text string) *resource.File {
		f, err := resource.Parse(yamlfile.Grammar, resource.Keys{Structured: true, Separator: "/"}, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	like := parse("p:\n  a:\n    b: B\n    c: C\n  d: D\ne: E\n")
	f := parse("p:\n  a:\n    b: b\n")
	edits := []resource.Edit{
		{Op: resource.Set, Key: "e", Text: "e"},
		{Op: resource.Set, Key: "p/d", Text: "d"},
		{Op: resource.Set, Key: "p/a/c", Text: "c"},
	}
	got, refused := f.Rewrite(edits, like)
	if want := "p:\n  a:\n    b: b\n    c: c\n  d: d\ne: e\n"; string(got) != want || len(refused) > 0 {
		t.Errorf("got %q, %v; want %q", got, refused, want)
	}
}
