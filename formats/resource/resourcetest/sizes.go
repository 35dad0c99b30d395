package resourcetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/formats/resource"
)

// Shapes spells ordinary files of one format, for the sizes that every grammar has to bear.
type Shapes struct {
	Grammar resource.Grammar
	Keys    resource.Keys

	// Entry spells one entry of a plain name and a plain text (letters, digits, hyphens and spaces, of any script), as it
	// is in File.
	Entry func(name, text string) string
	// File puts spelled entries together.
	File func(entries []string) string
	// Deep spells a file with n containers inside one another, the file's own among them, and a text in the innermost one;
	// nil where a format has no depth.
	Deep func(n int) string
	// NameCost is how many bytes a plain name takes beside its own, as resource.MaxName counts them: 2 for quotes.
	NameCost int
	// Quick leaves the file of a million keys out, where another case of the same grammar has it.
	Quick bool
}

// Check holds the shapes against the limits of package resource and against what real files may grow to. Refusals
// beyond a limit are checked for line and column.
func (s Shapes) Check(t *testing.T) {
	long, multi := strings.Repeat("long name ", 1000)[:10_000], strings.Repeat("ключ 鍵 ", 500)+"😀"
	text := strings.Repeat("several words ", 1<<20/14)
	for name, key := range map[string]string{
		"a key of 10,000 characters": long,
		"a key of many scripts":      multi,
		"the longest key":            strings.Repeat("n", resource.MaxName-s.NameCost),
	} {
		t.Run(name, func(t *testing.T) {
			s.edits(t, s.File([]string{s.Entry("a", "x"), s.Entry(key, "old"), s.Entry("z", "y")}), key, "old")
			s.edits(t, s.File([]string{s.Entry(key, "old")}), key, "old")
		})
	}
	t.Run("a key past the longest", func(t *testing.T) {
		key := strings.Repeat("n", resource.MaxName-s.NameCost+1)
		s.refused(t, s.File([]string{s.Entry("a", "x"), s.Entry(key, "x")}))
		f := s.parse(t, s.File([]string{s.Entry("a", "x")}))
		out, refusals := f.Rewrite([]resource.Edit{{Op: resource.Set, Key: key, Text: "x"}}, nil)
		if len(refusals) != 1 || refusals[0].Unproven || string(out) != string(f.Bytes()) {
			t.Fatalf("written: %.200v", refusals)
		}
	})
	t.Run("a text of 1 MB", func(t *testing.T) {
		s.edits(t, s.File([]string{s.Entry("a", "x"), s.Entry("k", text+"end"), s.Entry("z", "y")}), "k", text+"end")
	})
	if !s.Quick {
		t.Run("many keys", s.many)
	}
	if s.Deep != nil {
		t.Run("depth", func(t *testing.T) {
			Check(t, Case{Grammar: s.Grammar, Keys: s.Keys, Src: []byte(s.Deep(resource.MaxDepth))})
			s.parse(t, s.Deep(resource.MaxDepth))
			s.refused(t, s.Deep(resource.MaxDepth+1))
		})
	}
}

func (s Shapes) parse(t testing.TB, src string) *resource.File {
	t.Helper()
	f, err := resource.Parse(s.Grammar, s.Keys, []byte(src))
	if err != nil {
		t.Fatalf("%v\n%.200s", err, src)
	}
	return f
}

func (s Shapes) refused(t testing.TB, src string) {
	t.Helper()
	_, err := resource.Parse(s.Grammar, s.Keys, []byte(src))
	if e, ok := err.(*resource.SyntaxError); !ok || e.Line < 1 || e.Col < 1 || e.Msg == "" {
		t.Fatalf("past a limit: %v, want a refusal with its position", err)
	}
}

// edits reads one entry, gives it another text of the same size, takes it out and puts it back.
func (s Shapes) edits(t testing.TB, src, key, text string) {
	t.Helper()
	f := s.parse(t, src)
	if e, ok := f.Lookup(key, ""); !ok || e.Text != text {
		t.Fatalf("read as %.80q %v", e.Text, ok)
	}
	f = s.rewrite(t, f, resource.Edit{Op: resource.Set, Key: key, Text: text + " and more"})
	if e, ok := f.Lookup(key, ""); !ok || e.Text != text+" and more" {
		t.Fatalf("set, it reads as %.80q %v", e.Text, ok)
	}
	f = s.rewrite(t, f, resource.Edit{Op: resource.Remove, Key: key})
	if _, ok := f.Lookup(key, ""); ok {
		t.Fatal("removed, it is still there")
	}
	f = s.rewrite(t, f, resource.Edit{Op: resource.Set, Key: key, Text: text})
	if e, ok := f.Lookup(key, ""); !ok || e.Text != text {
		t.Fatalf("put back, it reads as %.80q %v", e.Text, ok)
	}
}

func (s Shapes) rewrite(t testing.TB, f *resource.File, edits ...resource.Edit) *resource.File {
	t.Helper()
	out, refusals := f.Rewrite(edits, nil)
	if len(refusals) > 0 {
		t.Fatalf("refused: %.200v", refusals)
	}
	return s.parse(t, string(out))
}

// many reads and edits the file with the most keys; one of twice as many is refused.
func (s Shapes) many(t *testing.T) {
	const n = many
	entries := make([]string, n)
	for i := range entries {
		entries[i] = s.Entry(fmt.Sprint("k", i), "x")
	}
	if n+1 == resource.MaxEntries {
		s.refused(t, s.File(append(entries, entries...)))
	}
	src := s.File(entries)
	f := s.parse(t, src)
	count := 0
	for e := range f.Entries() {
		if e.Kind == resource.Text && e.Text == "x" {
			count++
		}
	}
	if count != n {
		t.Fatalf("%d texts of %d were read", count, n)
	}
	g := s.rewrite(t, f,
		resource.Edit{Op: resource.Set, Key: fmt.Sprint("k", n/2), Text: "new"},
		resource.Edit{Op: resource.Remove, Key: fmt.Sprint("k", n-1)},
		resource.Edit{Op: resource.Set, Key: "new", Text: "y"})
	want := slices.Clone(entries)
	want[n/2] = s.Entry(fmt.Sprint("k", n/2), "new")
	want[n-1] = s.Entry("new", "y")
	if string(g.Bytes()) != s.File(want) {
		t.Fatal("more than three entries changed")
	}
}

// Cuts reads a file that is cut off at any byte, as one is that is just being written: at every byte of a small one, at
// some places of a large one. A cut file is refused, or read as the entries that it still has, in order, the last of
// them cut too. whole says whether a file may end before rest, as far as the format can tell; where it may not, reading
// it would take all that follows for deleted.
func Cuts(t testing.TB, c Case, whole func(cut, rest string) bool) {
	t.Helper()
	f, err := resource.Parse(c.Grammar, c.Keys, c.Src)
	if err != nil {
		return
	}
	var all []resource.Entry
	for e := range f.Entries() {
		all = append(all, e)
	}
	step := 1 + len(c.Src)/min(1000, 16+(2<<20)/(len(c.Src)+1))
	for at := 0; at < len(c.Src); at += step {
		cut, err := resource.Parse(c.Grammar, c.Keys, c.Src[:at:at])
		if err != nil {
			if e, ok := err.(*resource.SyntaxError); !ok || e.Line < 1 || e.Col < 1 || e.Msg == "" {
				t.Fatalf("cut at %d: refused with %T %v, want the position", at, err, err)
			}
			continue
		}
		if !whole(string(c.Src[:at]), string(c.Src[at:])) {
			t.Fatalf("cut at %d, the file is read, though it cannot end there:\n%s", at, clip(c.Src[max(0, at-300):at]))
		}
		i := 0
		for e := range cut.Entries() {
			// the last one may be cut short
			if i++; i > len(all) || cut.Len() > e.Node+1 &&
				(e.Key != all[i-1].Key || e.Kind == resource.Text && e.Text != all[i-1].Text) {
				t.Fatalf("cut at %d: entry %d is %q %q", at, i, e.Key, e.Text)
			}
		}
	}
}

// Linear holds work against the law that time grows with size and not with its square: eight times the input takes at
// most 32 times as long, where a square would take 64 times. input makes an input of n parts. The sizes are such that
// the work takes milliseconds, and a busy machine gets a few tries, so that only what is slow every time fails.
func Linear(t testing.TB, name string, input func(n int) []byte, work func(src []byte)) {
	t.Helper()
	LinearFrom(t, name, 1+32<<10/max(len(input(16))/16, 1), input, work)
}

// LinearFrom is Linear with inputs of n and 8n parts.
func LinearFrom(t testing.TB, name string, n int, input func(n int) []byte, work func(src []byte)) {
	t.Helper()
	small, large := input(n), input(8*n)
	var once, eight time.Duration
	for try := range 6 {
		once, eight = quickest(work, small, 1+try), quickest(work, large, 1+try)
		if eight <= 32*once+5*time.Millisecond {
			return
		}
	}
	t.Fatalf("%s: %d bytes take %v, %d take %v", name, len(small), once, len(large), eight)
}

// begun is a moment to count from.
var begun = time.Now()

func quickest(work func([]byte), src []byte, of int) time.Duration {
	best := time.Duration(1<<63 - 1)
	for range of {
		start := spent()
		work(src)
		best = min(best, spent()-start)
	}
	return best
}

// LinearCase holds reading and editing of ever larger files against Linear. That they are refused is fine.
func LinearCase(t testing.TB, name string, c Case, input func(n int) []byte) {
	t.Helper()
	Linear(t, name, input, func(src []byte) {
		f, err := resource.Parse(c.Grammar, c.Keys, src)
		if err != nil {
			return
		}
		var edits []resource.Edit
		n := 0
		for e := range f.Entries() {
			if n++; n%64 == 1 && !e.Item && len(edits) < 100 {
				edits = append(edits, resource.Edit{Op: resource.Set, Key: e.Key, Form: e.Form, Text: "new"})
			} else if n%64 == 33 && !e.Item && len(edits) < 100 {
				edits = append(edits, resource.Edit{Op: resource.Remove, Key: e.Key, Form: e.Form})
			}
		}
		edits = append(edits, resource.Edit{Op: resource.Set, Key: "zz new", Text: "x"})
		f.Rewrite(edits, f)
	})
}
