package bundle

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/text/catalog"
)

// numbered matches the keys of composed files.
var numbered = regexp.MustCompile(`k\d{6}`)

// composed is a file of n keys.
func composed(t testing.TB, b *Bundle, n int) []byte {
	t.Helper()
	var entries []resource.Entry
	for i := range n {
		entries = append(entries, resource.Entry{Key: fmt.Sprintf("k%06d", i), Kind: resource.Text, Text: "a text"})
	}
	src, err := b.Format.Compose(b.Keys(b.Source), nil, entries)
	if err != nil {
		t.Fatal(b.Format.Name, err)
	}
	return src
}

// oneKey is a file that has one key n times.
func oneKey(t testing.TB, b *Bundle, n int) []byte {
	return numbered.ReplaceAll(composed(t, b, n), []byte("k"))
}

// asked asks a file what passes and checks do.
func asked(b *Bundle, src []byte) {
	f, err := b.Parse(src, b.Source)
	if err != nil {
		return
	}
	for _, u := range Texts(f) {
		f.Lookup(u.Key, u.Form)
	}
	for e := range f.Entries() {
		f.Lookup(e.Key, e.Form)
	}
	Unsent(b, f)
	Warnings(b, f, "f", b.Source)
}

// TestManyTimesOneKey: what is asked of a file that has one key n times is linear, in every format that reads it.
func TestManyTimesOneKey(t *testing.T) {
	for _, b := range bundlesOf(t) {
		t.Run(b.Path+" "+b.Format.Name, func(t *testing.T) {
			input := func(n int) []byte { return oneKey(t, b, n) }
			resourcetest.Linear(t, b.Format.Name, input, func(src []byte) { asked(b, src) })
		})
	}
}

// insertion is a file of translations with every second key of its source, and the edits that bring the others.
type insertion struct {
	b            *Bundle
	source, half []byte
	edits        []resource.Edit
}

var german = config.Language{Code: "de", Path: "de"}

func insertionOf(t testing.TB, b *Bundle, src []byte) insertion {
	t.Helper()
	source, err := b.Parse(src, b.Source)
	if err != nil {
		t.Fatal(err)
	}
	in := insertion{b: b, source: src}
	var first []catalog.Change
	for i, u := range Texts(source) {
		c := catalog.Change{Op: catalog.Changed, Name: u.Name, Text: "ein Text"}
		if i%2 == 0 {
			first = append(first, c)
		} else {
			in.edits = append(in.edits, EditOf(c))
		}
	}
	var old *resource.File
	if b.Format.Multilingual() { // the source is the file
		if old, err = b.Parse(src, german); err != nil {
			t.Fatal(err)
		}
	}
	var refused []Refused
	if in.half, refused, err = Render(b, source, old, german, first); err != nil || len(refused) > 0 {
		t.Fatal(err, len(refused))
	}
	return in
}

// insert reads the file and writes the other half, where the source has it, or without a source that tells where.
func (in insertion) insert(t testing.TB, sourced bool) {
	t.Helper()
	half, err := in.b.Parse(in.half, german)
	if err != nil {
		t.Fatal(err)
	}
	var source *resource.File
	if sourced {
		if source, err = in.b.Parse(in.source, in.b.Source); err != nil {
			t.Fatal(err)
		}
	}
	if out, refused := half.Rewrite(in.edits, source); len(refused) > 0 || len(out) <= len(in.half) {
		t.Fatalf("%d of %d entries are refused: %v", len(refused), len(in.edits), refused[:min(len(refused), 1)])
	}
}

// TestInsertions: half of the keys of a file come in linear time, in every format.
func TestInsertions(t *testing.T) {
	const n = 1000
	for _, b := range bundlesOf(t) {
		small, large := composed(t, b, n), composed(t, b, 8*n)
		made := map[int]insertion{len(small): insertionOf(t, b, small), len(large): insertionOf(t, b, large)}
		input := func(of int) []byte { return made[map[int]int{n: len(small), 8 * n: len(large)}[of]].source }
		for _, sourced := range []bool{true, false} {
			t.Run(fmt.Sprint(b.Path, " ", b.Format.Name, " with a source: ", sourced), func(t *testing.T) {
				resourcetest.LinearFrom(t, b.Format.Name, n, input, func(src []byte) { made[len(src)].insert(t, sourced) })
			})
		}
	}
}

// sizes are numbers of entries.
var sizes = []int{1000, 10_000, 40_000}

func BenchmarkInsertions(b *testing.B) {
	for _, of := range bundlesOf(b) {
		for _, n := range sizes {
			b.Run(fmt.Sprint(of.Path, " ", of.Format.Name, "/", n), func(b *testing.B) {
				src := composed(b, of, n)
				in := insertionOf(b, of, src)
				resourcetest.Bench(b, src, func() { in.insert(b, true) })
			})
		}
	}
}

func BenchmarkManyTimesOneKey(b *testing.B) {
	for _, of := range bundlesOf(b) {
		for _, n := range sizes {
			b.Run(fmt.Sprint(of.Path, " ", of.Format.Name, "/", n), func(b *testing.B) {
				src := oneKey(b, of, n)
				resourcetest.Bench(b, src, func() { asked(of, src) })
			})
		}
	}
}
