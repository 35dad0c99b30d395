package yamlfile_test

import (
	"reflect"
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
	"yes", "Off", "y", "N", "null", "~", "nULL", "true", "0", "-0", "010", "1_000", "1,000", "0x1F", "0o7", "12:30", "1e3", ".5", ".inf", ".NaN", "2001-01-01", "2001-1-1 1:00:00", "=", "<<",
	"'", "\"", "it's", "\\", "a\\nb", "[a", "{a}", "a, b", "a]", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a`", "a\u0085b", "a\u2028b", "\uFEFFa", "\u00a0", "a\rb", "a\x00b\x7f", "é", "\U0001F600", "%{count} a",
}

// undone says where removing what was just inserted restores the bytes: everywhere but in a file without entries that
// has a comment or is spelled {}, and maybe where a flow mapping has a name without value at the end of a line.
func undone(f *resource.File, _ string) bool {
	for i := 1; i < f.Len(); i++ {
		n := f.Node(i)
		behind := f.Source()[n.Value.End:]
		rest := strings.TrimLeft(behind, " \t\r")
		if n.Kind != resource.Text && n.Value.Len() == 0 && rest != "" && (rest[0] == '\n' || rest[0] == '#' || len(rest) == len(behind)) {
			return !strings.ContainsAny(f.Source(), "{[")
		}
	}
	return f.Len() > 1 || !strings.ContainsAny(f.Source(), "#{[")
}

func check(t testing.TB, src []byte, texts ...string) *resource.File {
	t.Helper()
	f := resourcetest.Check(t, resourcetest.Case{Grammar: yamlfile.Grammar, Keys: structured, Src: src, NewTexts: texts, Undone: undone})
	if f != nil {
		agree(t, f)
	}
	sameWithoutShortCut(t, src)
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
	for _, e := range resourcetest.Edges(f) {
		f.Add(e.Src)
	}
	for _, s := range examples {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 4<<10 {
			return
		}
		check(t, src, "a: b", "a\nb\n", " x\n\ny\n\n", "é/\u2028")
	})
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
