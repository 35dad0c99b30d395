package androidxml

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
	"pgregory.net/rapid"
)

// monolingual checks that the file without what is not translated has the same texts with the same notes, and nothing
// else but what keeps the items of arrays in their places.
func monolingual(t testing.TB, f *resource.File) {
	t.Helper()
	out, err := Monolingual(f)
	if err != nil {
		t.Fatal(err)
	}
	g, err := resource.Parse(Grammar, resource.Keys{}, out)
	if err != nil {
		t.Fatalf("%v\n--- before\n%s\n--- after\n%s", err, f.Source(), out)
	}
	texts := func(f *resource.File) (all []resource.Entry) {
		for e := range f.Entries() {
			if e.Kind == resource.Text {
				e.Node = 0
				all = append(all, e)
			}
		}
		return all
	}
	same := func(have,
		want resource.Entry) bool { // a comment behind something that goes may become a note, or stand before one
		if strings.HasSuffix(have.Note, want.Note) {
			have.Note = want.Note
		}
		return have == want
	}
	if have, want := texts(g), texts(f); !slices.EqualFunc(have, want, same) {
		t.Fatalf("have %v\nwant %v\n--- before\n%s\n--- after\n%s", have, want, f.Source(), out)
	}
	for c := range g.Children(0) {
		if !hasText(g, c) {
			t.Fatalf("%s is still there\n%s", g.Name(c), out)
		}
	}
	again, err := Monolingual(g)
	if err != nil || !bytes.Equal(again, out) {
		t.Fatalf("once more: %v\n%s\nwas\n%s", err, again, out)
	}
}

func TestMonolingual(t *testing.T) {
	const before = `<?xml version="1.0" encoding="utf-8"?>
<!-- Copyright -->
<resources xmlns:tools="http://schemas.android.com/tools"
    tools:locale="en" tools:ignore="x">
    <!-- Section --><eat-comment/>

    <!-- brand -->
    <color name="accent">#fff</color> <!-- as in the logo -->
    <bool name="b">true</bool><string name="a">A</string><public type="string" name="a"/>
    <!-- not for translators -->
    <string name="host" translatable="false">example.org</string>
    <string name="alias">@string/a</string>
    <string-array name="items">
        <item>@string/a</item>
        <item>B</item>
        <item>@string/a</item>
    </string-array>
    <string-array name="aliases">
        <item>@string/a</item>
    </string-array>
    <style name="s">
        <item name="i">x</item>
    </style>
</resources>
`
	const after = `<?xml version="1.0" encoding="utf-8"?>
<!-- Copyright -->
<resources xmlns:tools="http://schemas.android.com/tools" tools:ignore="x">
    <!-- Section --><eat-comment/>

    <string name="a">A</string>
    <string-array name="items">
        <item>@string/a</item>
        <item>B</item>
        <item>@string/a</item>
    </string-array>
</resources>
`
	f := parse(t, before)
	out, err := Monolingual(f)
	if err != nil || string(out) != after {
		t.Errorf("%v\n%s\nwant\n%s", err, out, after)
	}
	for _, src := range []string{"", "\ufeff\n", "<resources/>",
		"<resources>\n    <color name=\"c\">x</color>\n</resources>", string(source)} {
		monolingual(t, parse(t, src))
	}
}

func TestMonolingualRealFiles(t *testing.T) {
	for _, r := range resourcetest.Corpus(t, "android-xml") {
		if f, err := resource.Parse(Grammar, resource.Keys{}, r.Src); err == nil {
			monolingual(t, f)
		}
	}
}

func TestMonolingualRandomFiles(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) { monolingual(t, parse(t, drawFile(r, "file"))) })
}
