package yamlfile_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
	"github.com/locsync/locsync/formats/yamlfile"
)

// hard are texts that YAML finds hard to spell, or that readers take for something else.
var hard = []string{
	"", " ", "\t", "\n", "a\n", "a\n\n", "\na", " a\nb", "a\n b\n", "a \n\tb", "  \n", "a\n  ", "a b ", "#", "a #b", "a# b", ": ", "a: b", "a:", ":a", "- a", "-", "--- a", "...", "? a", "?",
	"yes", "Off", "y", "N", "null", "~", "nULL", "true", "0", "-0", "010", "1_000", "1,000", "0x1F", "0o7", "12:30",
	"1e3", "e3", "-.E+3", "e", ".5", ".inf", ".NaN", "2001-01-01", "2001-1-1 1:00:00", "=", "<<",
	"'", "\"", "it's", "\\", "a\\nb", "[a", "{a}", "a, b", "a]", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a`",
	"a\u0085b", "a\u2028b", "\uFEFFa", "\u00a0", "a\rb", "a\x00b\x7f", "é", "\U0001F600", "%{count} a",
}

// undone says where removing what was just inserted restores the bytes: everywhere but in a file without entries that
// has a comment or is spelled {}, and maybe where a flow mapping has a name without value at the end of a line, or
// where the last line has nothing but white space, which goes with the last entry.
func undone(f *resource.File, _ string) bool {
	if text := strings.TrimRight(f.Source(), " \t"); len(text) < len(f.Source()) && strings.HasSuffix(text, "\n") {
		return false
	}
	for i := 1; i < f.Len(); i++ {
		n := f.Node(i)
		behind := f.Source()[n.Value.End:]
		rest := strings.TrimLeft(behind, " \t\r")
		if n.Kind != resource.Text && n.Value.Len() == 0 && rest != "" &&
			(rest[0] == '\n' || rest[0] == '#' || len(rest) == len(behind)) {
			return !strings.ContainsAny(f.Source(), "{[")
		}
	}
	return f.Len() > 1 || !strings.ContainsAny(f.Source(), "#{[")
}

// check holds a file that people could have written against all laws.
func check(t testing.TB, src []byte, texts ...string) *resource.File {
	t.Helper()
	return checkCase(t, resourcetest.Case{Src: src, NewTexts: texts, Refuses: refuses})
}

var refuses = resourcetest.Rules("its tag says that it is not a text", "by an alias", "a merge key or belongs to a key",
	"a pair without braces", "inside more than", "repeats this value",
	"ends the file without a line end", "this is a message file", "is metadata of",
	"a message of this file has plural forms")

func checkCase(t testing.TB, c resourcetest.Case) *resource.File {
	t.Helper()
	c.Grammar, c.Undone = yamlfile.Grammar, undone
	resourcetest.Check(t, c) // nested names have no keys
	c.Keys = structured
	f := resourcetest.Check(t, c)
	if f != nil {
		agree(t, f)
	}
	sameWithoutShortCut(t, c.Src)
	return f
}

// sameWithoutShortCut: the short cut for common lines reads what the grammar reads.
func sameWithoutShortCut(t testing.TB, src []byte) {
	t.Helper()
	if !utf8.Valid(src) {
		return
	}
	quick, err := yamlfile.Grammar.Scan(string(src))
	slow, slowErr := yamlfile.Plod(string(src))
	if !reflect.DeepEqual(quick, slow) || !reflect.DeepEqual(err, slowErr) {
		t.Fatalf("read with and without the short cut: %v and %v\n%+v\n%+v\n%s", err, slowErr, quick, slow, clip(src))
	}
}

func FuzzLaws(f *testing.F) {
	resourcetest.Seeds(f)
	for _, e := range resourcetest.Edges(f) {
		f.Add(e.Src)
	}
	for _, s := range examples {
		f.Add([]byte(s))
	}
	for s := range messageFiles {
		f.Add([]byte(s))
	}
	f.Fuzz(resourcetest.Mutated(func(t *testing.T, src []byte) {
		if len(src) > 4<<10 {
			return
		}
		texts := []string{"a: b", "a\nb\n", " x\n\ny\n\n", "é/\u2028"}
		checkCase(t, resourcetest.Case{Src: src, NewTexts: texts[len(src)%4:][:1], Any: true})
	}))
}

// FuzzEdits makes batches of edits: what comes out is what was asked for, to us and to the other reader.
func FuzzEdits(f *testing.F) {
	for _, e := range resourcetest.Edges(f) {
		f.Add(e.Src, "\x00\x05\x0a\x0f")
	}
	for i, s := range examples {
		f.Add([]byte(s), "\x01\x06\x0b\x10\x02"[i%5:])
	}
	for s := range messageFiles {
		f.Add([]byte(s), "\x00\x05\x0a\x0f")
	}
	f.Fuzz(func(t *testing.T, src []byte, ops string) {
		if len(src) > 4<<10 || len(ops) > 8 {
			return
		}
		file, err := resource.Parse(yamlfile.Grammar, structured, src)
		if err != nil {
			return
		}
		keys := slices.Sorted(maps.Keys(state(file)))
		var edits []resource.Edit
		for i, op := range []byte(ops) {
			e := resource.Edit{Op: resource.Set, Key: fmt.Sprint("new", i), Text: hard[(int(op)*7+i)%len(hard)]}
			if len(keys) > 0 {
				e.Key = keys[int(op)/4%len(keys)]
			}
			switch op % 4 {
			case 0:
				e.Op, e.Text = resource.Remove, ""
			case 1:
				e.Key = e.Key[:strings.LastIndexByte(e.Key, '/')+1] + fmt.Sprint("new", i%2) +
					[]string{"", "/a", " b", "/yes"}[op/4%4]
			}
			edits = append(edits, e)
		}
		edited(t, file, edits)
	})
}

// edited makes a batch of edits and compares what comes out with what a map would hold. It tells whether one of them
// was refused although nothing is wrong with it.
func edited(t testing.TB, f *resource.File, edits []resource.Edit) (unproven bool) {
	t.Helper()
	want := state(f)
	out, refused := f.Rewrite(edits, nil)
	after, err := resource.Parse(yamlfile.Grammar, structured, out)
	if err != nil {
		t.Fatalf("%v\n%s\n%v\n%s", err, clip(f.Bytes()), edits, clip(out))
	}
	agree(t, after)
	got := state(after)
	left := make(map[string]bool)
	for _, r := range refused {
		left[r.Key] = true
	}
	unproven = slices.ContainsFunc(refused, func(r resource.Refusal) bool { return r.Unproven })
	for _, e := range edits {
		if left[e.Key] {
			continue
		}
		delete(want, e.Key)
		if e.Op == resource.Set {
			want[e.Key] = fmt.Sprint(resource.Text, e.Text)
		}
	}
	for k, v := range got { // a list that loses an item is gone, so nothing may come or change; of what went the removals below tell
		if want[k] != v && !lostWithList(f, k, edits) {
			t.Fatalf("%q reads %q, want %q\n%s\n%v\n%s", k, v, want[k], clip(f.Bytes()), edits, clip(out))
		}
	}
	for k := range want {
		if _, ok := got[k]; !ok && !lostWithList(f, k, edits) {
			t.Fatalf("%q is lost\n%s\n%v\n%s", k, clip(f.Bytes()), edits, clip(out))
		}
	}
	return unproven
}

// The examples are files that people could have written.
func TestExamples(t *testing.T) {
	for _, src := range examples {
		check(t, []byte(src), hard...)
	}
}

var examples = []string{
	"a: &x 1\nb: *x\nc: &y {}\nd: [*x, *y]\n<<: [*y, *y]\n",
	"- a\n- - b\n  - c: d\n    e: |+\n      f\n\n- ? g\n  : h\n",
	"a: |2-\n   b\n  c\nd: >+\n\n  e\n\n\n",
	"a:\n- b\n-\n- c:\n    - d\n",
	"{a: 'b', \"c\":d, e, f: [g, h: i,\n  j k\n l], : m}\n",
	"a: !!str 1\nb: ! 2\nc: !x 3\nd: !!str\n",
	"--- # c\na: b # d\n# e\n...\n%YAML 1.2\n---\nf: >\n  g\n",
	"? a\n  b\n: c\n  d\n? e\n",
}
