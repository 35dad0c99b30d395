package properties

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/oracle/oracletest"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// hard are texts that the format finds difficult to spell.
var hard = []string{"", " ", "  two", "\t", "\n", "two\nlines", "two\r\nlines\n", "\f", `back\slash\`,
	`\u0041`, "=", ": ", "#", "!",
	"a=b:c", "it''s {0}", "é א 😀 \u00a0\u200e\u2028", "Ünïcödé", "\x00\x01\x1f\x7f\u0085",
	"\ufeff", "\ufffd", "C:\\temp\\new"}

var examples = []string{
	"", " ", "\n", "\r\n\r\n", "# only", "# only\n", "! only\n\n", "#a\n\n#b\n",
	"a=1", "a=1\n", "a = 1\nb : 2\nc 3\nd\n", "a=\nb:\nc \nd", "=v", " : v\n",
	"# licence\n\n# one\none=1\n\n# two\n! and more\ntwo=2\n\n# of no key\n\nthree=3\n",
	"a=1\n\nb=2\n\nc=3\n", "a=1\n\n\n\nb=2\nc=3", "a=1\r\nb=2\r\n", "a=1\rb=2\r", "  a=1\n\tb=2\n",
	"long=one \\\n    two \\\n    three\nb=2\n", "text=one\\n\\\n     two\\n\\\n     three\nb=2\n",
	"a=\\\n\nb=2\n", "a\\\n  b=2\nc=3\n",
	"k=v\\\\\nj=w\\\\\\\n  x\n", "a=1\n# end", "a=1\n# end\n\n\n", "a\\ b=1\nc\\=d=2\ne\\:f=3\n\\#g=4\n\\!h=5\n",
	"a=\\u00e9\nb=\\u00E9\\uD83D\\uDE00\nc=x\n", "a=é\nb=x\n", "a=\\u00e9\nb=é\n", "a=\\ud83d\n\\ud83d=b\nc=d\n",
	"u=\\u00\\\n  e9\n",
	"a=1\na=2\n", "url=http\\://x\nb=x\n", "a=\\t\\n\\r\\f\\q\\\\\n", "\\\na=1\n", "a   =   1\nbb  =   2\n",
	"# a\\\nb=1\n", "a:=b\nc =: d\n",
	"a=1 \nb= 2\t\n",
}

// encodings spell a text in each encoding that is read.
var encodings = map[string]func(string) []byte{
	"utf-8":        func(s string) []byte { return []byte(s) },
	"utf-8 marked": func(s string) []byte { return []byte(mark + s) },
	"iso-8859-1":   func(s string) []byte { return latin1("# \u00fc, \u00e4\n\n" + s) },
}

func strict(src []byte, texts ...string) resourcetest.Case {
	return resourcetest.Case{Grammar: Grammar, Src: src, NewTexts: texts,
		Refuses: resourcetest.Rules("half a surrogate pair"),
		Undone: func(f *resource.File, _ string) bool {
			return !isOpen(strings.TrimRight(f.Source(), "\r\n"), 0) // a last entry that goes on with what is inserted
		}}
}

// edgeFiles are the edge cases: the header of each says what it is about.
func edgeFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "edges", "*.properties"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d edge cases: %v", len(files), err)
	}
	return files
}

// Each edge case reads as the text of k in its .want says, and keeps every byte but those of the one word that is set.
func TestEdges(t *testing.T) {
	for _, file := range edgeFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			wanted, err := os.ReadFile(strings.TrimSuffix(file, ".properties") + ".want")
			if err != nil {
				t.Fatal(err)
			}
			f, err := resource.Parse(Grammar, resource.Keys{}, src)
			if refusal, is := strings.CutPrefix(string(wanted), "refused: "); is {
				if err == nil || err.Error()+"\n" != refusal {
					t.Fatalf("%v, want %s", err, refusal)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			resourcetest.Check(t, strict(src, hard...))
			oracletest.Agree(t, f, oracle.Rule{Format: "properties"})
			e, _ := f.Lookup("k", "")
			if got := fmt.Sprintf("%q\n", e.Text); got != string(wanted) {
				t.Errorf("k is %s, want %s", got, wanted)
			}
			got := rewritten(t, f, nil, set("plain", "newword"))
			if want := strings.Replace(string(src), "oldword", "newword", 1); got != want {
				t.Errorf("set plain:\n%q, want\n%q", got, want)
			}
		})
	}
}

func TestLaws(t *testing.T) {
	for _, src := range examples {
		for encoding, as := range encodings {
			f := resourcetest.Check(t, strict(as(src), hard...))
			if f == nil {
				t.Errorf("%q in %s was refused", src, encoding)
				continue
			}
			oracletest.Agree(t, f, oracle.Rule{Format: "properties"})
		}
	}
}

func FuzzLaws(f *testing.F) {
	resourcetest.Seeds(f)
	for _, src := range examples {
		for _, as := range encodings {
			f.Add(as(src))
		}
	}
	f.Fuzz(resourcetest.Mutated(func(t *testing.T, src []byte) {
		if len(src) > 4<<10 || ambiguous(string(src)) {
			return
		}
		c := strict(src, hard[len(src)%len(hard)])
		c.Any = true
		if f := resourcetest.Check(t, c); f != nil {
			oracletest.Agree(t, f, oracle.Rule{Format: "properties"})
		}
	}))
}

// ambiguous reports whether a file is in ISO-8859-1 and has a character of UTF-8 as well: without its other texts it
// would be in UTF-8, so that these cannot be removed, as people are told.
func ambiguous(src string) bool {
	valid := false
	for _, r := range src {
		valid = valid || r >= 0x80 && r != utf8.RuneError
	}
	return valid && !utf8.ValidString(src)
}

func parse(t testing.TB, src string) *resource.File {
	t.Helper()
	f, err := resource.Parse(Grammar, resource.Keys{}, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func rewritten(t testing.TB, f, like *resource.File, edits ...resource.Edit) string {
	t.Helper()
	out, refused := f.Rewrite(edits, like)
	if len(refused) > 0 {
		t.Fatal(refused)
	}
	return string(out)
}

func set(key, text string) resource.Edit {
	return resource.Edit{Op: resource.Set, Key: key, Text: text}
}

// A text is spelled as the old one, else as most of the file's are; a file that shows nothing gets what every program
// reads right.
func TestSpelling(t *testing.T) {
	for _, c := range []struct{ src, key, text, want string }{
		{"a=x\n", "a", "é😀", "a=\\u00E9\\uD83D\\uDE00\n"},
		{"a=x\nb=é\n", "a", "ü", "a=ü\nb=é\n"},
		{"a=x\nb=\\u00e9\n", "a", "ü", "a=\\u00fc\nb=\\u00e9\n"},
		{"a=x\nb=\\u00E9\n", "a", "ü", "a=\\u00FC\nb=\\u00E9\n"},
		{"# é\na=x\nb=\\u00E9\n", "a", "ü", "# é\na=\\u00FC\nb=\\u00E9\n"},
		{"a=\\u00e9\nb=é\nc=é\n", "a", "ü", "a=\\u00fc\nb=é\nc=é\n"},
		{"a=x\nb=\xe9\n", "a", "ü Ж", "a=\xfc \\u0416\nb=\xe9\n"},
		{"a=http\\://x\n", "a", "http://y", "a=http\\://y\n"},
		{"a=http://x\n", "a", "http://y", "a=http://y\n"},
		{"a=1\\n\\\n  2\\n\\\n  3\n", "a", "1\n2\n\n 4", "a=1\\n\\\n  2\\n\\\n  \\n\\\n  \\ 4\n"},
		{"a x\n", "a", "= y", "a \\= y\n"},
		{"a\nb : x\n", "a", "y", "a : y\nb : x\n"},
		{"a=x\n", "a", " y ", "a=\\ y \n"},
		{"a=x\na=y\n", "a", "z", "a=x\na=z\n"},
	} {
		if got := rewritten(t, parse(t, c.src), nil, set(c.key, c.text)); got != c.want {
			t.Errorf("%q with %q becomes\n%q, want\n%q", c.src, c.text, got, c.want)
		}
	}
}

// A new entry is where the source has it, with its comment, laid out as its neighbours.
func TestInsert(t *testing.T) {
	source := parse(t, "# The title\ntitle = Notes\n\n# A greeting\nhello = Hello ß\n\nbye = Bye\n")
	for _, c := range []struct{ src, want string }{
		{"# Titel\ntitle: Notizen\n\nbye: Ciao\n",
			"# Titel\ntitle: Notizen\n\n# A greeting\nhello: Gr\u00fc\u00dfe\n\nbye: Ciao\n"},
		{"title=Notizen\r\nbye=Ciao", "title=Notizen\r\nhello=Gr\u00fc\u00dfe\r\nbye=Ciao"},
		{"title=Notizen\\u00e9\nbye=Ciao\n", "title=Notizen\\u00e9\nhello=Gr\\u00fc\\u00dfe\nbye=Ciao\n"},
		{"# \xe9\ntitle=N\xe9\n", "# \xe9\ntitle=N\xe9\n\n# A greeting\nhello=Gr\xfc\xdfe\n"},
		{"", "# A greeting\nhello = Gr\u00fc\u00dfe\n"},
	} {
		if got := rewritten(t, parse(t, c.src), source, set("hello", "Grüße")); got != c.want {
			t.Errorf("%q becomes\n%q, want\n%q", c.src, got, c.want)
		}
	}
}

// A new language is laid out as its source: encoding, order, comments and blank lines.
func TestFresh(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"# licence\n\n# The title\ntitle = Notes\n\nbye = Bye\n\n# A greeting\nhello : Hello\n",
			"# licence\n\n# The title\ntitle = \\u0416\n\n# A greeting\nhello : \\u00FC\n"},
		{"title=Notes ß\r\nhello=Hello\r\n", "title=Ж\r\nhello=ü\r\n"},
		{"title=Notes \xdf\nhello=Hello\n", "title=\\u0416\nhello=\xfc\n"},
	} {
		out, refused := parse(t, c.src).Fresh([]resource.Edit{set("title", "Ж"), set("hello", "ü")})
		if len(refused) > 0 || string(out) != c.want {
			t.Errorf("%q becomes %v\n%q, want\n%q", c.src, refused, out, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for src, want := range map[string]string{
		"a=1\nb=\\u00g0\n": "2:3: \\u without four hexadecimal digits, for which Java refuses the file; write \\\\ for a backslash",
		"a=\\u1":           "1:3: \\u without four hexadecimal digits, for which Java refuses the file; write \\\\ for a backslash",
		"a=1\n\x00":        "2:1: a NUL character; this is not a text file, or the text needs \\u0000 there",
	} {
		if _, err := resource.Parse(Grammar, resource.Keys{}, []byte(src)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
	f := parse(t, "a=\\ud83d\nb=x\n")
	if w := f.Warnings(); len(w) != 1 || !w[0].Left || f.Node(1).Kind != resource.Other {
		t.Errorf("half a pair: %+v, kind %d", w, f.Node(1).Kind)
	}
	_, refused := f.Rewrite([]resource.Edit{{Op: resource.Set, Key: "b", Form: "one", Text: "y"}}, nil)
	if len(refused) != 1 {
		t.Errorf("a plural form is not refused")
	}
}

// made is a file of some size as translators have it.
func made(size int) []byte {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		text := "The transfer of {0} is complete, and {1,number} files of it were checked."
		if i%10 == 3 {
			text = `L\u00f6schen von \u201e{0}\u201c?\n\` +
				"\n    Das l\\u00e4sst sich nicht r\\u00fcckg\\u00e4ngig machen."
		}
		fmt.Fprintf(&b, "# Alert number %d: what the user has done\nalert.transfer.%d.message=%s\n", i%97, i, text)
	}
	return []byte(b.String())
}

var large = sync.OnceValue(func() []byte { return made(10 << 20) })

func Benchmark(b *testing.B)        { resourcetest.BenchScan(b, strict(large())) }
func BenchmarkMemory(b *testing.B)  { resourcetest.BenchMemory(b, strict(large())) }
func BenchmarkDecades(b *testing.B) { resourcetest.BenchDecades(b, strict(nil), made) }

// Reading takes time in proportion to the file, whatever is in it.
func TestLinear(t *testing.T) {
	for name, unit := range map[string]string{
		"entries": "k=v\n", "backslashes": `\\`, "continued": "a\\\n", "blank": "\n", "comments": "#\n", "escapes": `\u00e9`,
		"high": "é", "halves": `\ud83d`,
	} {
		resourcetest.LinearCase(t, name, strict(nil), func(n int) []byte {
			return []byte("k=" + strings.Repeat(unit, n/len(unit)/8))
		})
	}
}
