package stringsfile

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"howett.net/plist"
	"pgregory.net/rapid"

	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// hard are texts that the format finds difficult to spell.
var hard = []string{
	"", " ", `a "quoted" \ backslash`, "it's", "two\nlines", "two\r\nlines", "cr\ronly", "\t", "é א 😀 \u00a0\u200e\u2028",
	"\x00\x01\x1f\x7f\a\b\v\f", "a /* b */ // c", `k = "v";`, `\U00e9\n\101`, "\ufeff", "\ufffd\ufffe", "bare",
	"no:bare//", "1.5", "{", "<00>",
}

// strict is a case of an ordinary file: it takes every text under every key, but where its own key is no text.
func strict(src []byte, texts ...string) resourcetest.Case {
	return resourcetest.Case{Grammar: Grammar, Src: src, NewTexts: texts,
		Refuses: func(_ *resource.File, r resource.Refusal) bool {
			return strings.Contains(r.Reason, "which is not a character")
		}}
}

func check(t testing.TB, src []byte) *resource.File {
	t.Helper()
	return resourcetest.Check(t, strict(src, hard...))
}

var examples = []string{
	"",
	" ",
	"\n",
	"\n\n  ",
	"// only\n",
	"// only",
	"/* only */  \n\n",
	"\"k\";",
	"k=v;",
	"'k' = 'v' ;",
	"{}",
	"{ }",
	"{\n}",
	"{ // note\n}",
	"/* a */ { /* b */ } /* c */",
	"{ \"k\" = \"x\"; }",
	"{\"k\" = \"x\";}",
	"{\n\t\"k\" = \"x\";\n\t\"j\" = \"y\"; }",
	"{ \"k\" = \"x\"; // open\n}",
	"{ \"k\" = \"x\"; // open\n \"j\" = \"y\";}",
	"/* licence */\n\n/* one */\n\"one\" = \"1\";\n\n/* two */\n\"two\" = \"2\"; // tail\n\n/* nobody's */\n\n\"three\" = \"3\";\n",
	"\"a\" = \"1\"; \"b\" = \"2\"; /* c */ \"c\" = \"3\";\n",
	"\"a\" = \"1\";\n\n\n\"b\" = \"2\";\n\"c\" = \"3\";\n\n",
	"\"a\" = \"1\";  \n  \"b\" = \"2\";\t\n",
	"\"a\" = \"1\"; \"b\" = \"2\";  ",
	"\"a\" = \"\\Ud83d\\Ude00\\U00e9\"; \"b\" = \"\\Ud83d\"; \"c\" = \"\\376\\201\\777\";",
	"\"a\" = (1, (2, {x = y; z;}), <00 ff>,); \"b\" = {}; \"c\" = ();",
	"\"a\" = \"1\";\u2028\"b\" = \"2\";\u2029",
	"\"a\" = \"raw\ttab\r\nand 'quotes'\";\r\n\"b\" = 'raw\nand \\\"quotes\\\"';\r\n",
	"\"0\"; \"0\" = \"0\"; /*000*/",
	"\"\";\"\";//",
	"\"\"=\"\\Ud800\\UdC00000000\";\"\"=\"\\Ud800\";",
	"\"\\Ud800\";",
	"\"\";\n\n\"\";\n//",
	"\"long\" /* 1 */ // 2\n = /* 3 */ \"value\" /* 4 */ ; /* 5 */ // 6\n\"next\";",
}

func TestLawsOnExamples(t *testing.T) {
	for _, src := range examples {
		for encoding, as := range encodings {
			if f := check(t, as(src)); f == nil && encoding == "utf-8" {
				_, err := resource.Parse(Grammar, resource.Keys{}, as(src))
				t.Errorf("%q was refused: %v", src, err)
			}
		}
	}
}

// encodings spell a text in each encoding that is read. An empty text in UTF-16 without a mark is no different from one
// in UTF-8.
var encodings = map[string]func(string) []byte{
	"utf-8":           func(s string) []byte { return []byte(s) },
	"utf-8 marked":    func(s string) []byte { return []byte(utf8Mark + s) },
	"utf-16le":        func(s string) []byte { return littleEndian.encode("", s) },
	"utf-16be":        func(s string) []byte { return bigEndian.encode("", s) },
	"utf-16le marked": func(s string) []byte { return littleEndian.encode(littleEndian.mark, s) },
	"utf-16be marked": func(s string) []byte { return bigEndian.encode(bigEndian.mark, s) },
}

func TestLawsOnRealFiles(t *testing.T) {
	for i, real := range resourcetest.Corpus(t, "ios-strings") {
		f, err := resource.Parse(Grammar, resource.Keys{}, real.Src)
		if real.Expect == "refuse" {
			e, ok := err.(*resource.SyntaxError)
			if !ok || e.Line < 1 || e.Col < 1 {
				t.Errorf("%s: refused with %v, want a line and a column", real.Name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", real.Name, err)
			continue
		}
		some := []string{hard[i%len(hard)], hard[(i+7)%len(hard)], hard[(i+13)%len(hard)]} // all of them over all files
		resourcetest.Check(t, strict(real.Src, some...))
		if entries := agree(t, f); entries == 0 {
			t.Errorf("%s: no entries", real.Name)
		}
	}
}

// agree holds an ordinary file against the second reader, which cuts it into tokens of its own, and against the library
// that agreeInWhole asks.
func agree(t testing.TB, f *resource.File) int {
	t.Helper()
	leaves, err := oracle.Rule{Format: "ios-strings"}.Read(f.Bytes())
	if err != nil {
		t.Fatalf("the second reader: %v in\n%q", err, f.Bytes()[:min(len(f.Bytes()), 2000)])
	}
	i := 0
	for e := range f.Entries() {
		if i == len(leaves) {
			t.Fatalf("the second reader sees %d entries in\n%q", i, f.Bytes()[:min(len(f.Bytes()), 2000)])
		}
		n, l := f.Node(e.Node), leaves[i]
		odd := strayEscape(n.Name.Of(f.Source())) != "" || misread.MatchString(n.Whole.Of(f.Source()))
		if !odd && (l.Key != e.Key || (l.Kind == oracle.Text) != (e.Kind == resource.Text) ||
			e.Kind == resource.Text && l.Text != e.Text) {
			t.Fatalf("the second reader: entry %d is %+v, ours %+v", i, l, e)
		}
		i++
	}
	if i != len(leaves) {
		t.Fatalf("the second reader sees %d entries, not %d in\n%q", len(leaves), i,
			f.Bytes()[:min(len(f.Bytes()), 2000)])
	}
	return agreeInWhole(t, f)
}

// agreeInWhole holds any file against what an independent library makes of all of it, and returns how many entries that
// sees, too. A file that only one of the two can read says nothing.
func agreeInWhole(t testing.TB, f *resource.File) int {
	t.Helper()
	if divides.MatchString(f.Source()) {
		return 0
	}
	theirs, ok := independently(f.Bytes())
	if !ok {
		return 0
	}
	ours := make(map[string]resource.Entry)
	for e := range f.Entries() {
		ours[e.Key] = e
	}
	if a, b := slices.Sorted(maps.Keys(ours)), slices.Sorted(maps.Keys(theirs)); !slices.Equal(a, b) {
		t.Fatalf("oracle: keys %q, ours %q in\n%q", b, a, f.Bytes()[:min(len(f.Bytes()), 2000)])
	}
	for key, e := range ours {
		text, isText := theirs[key].(string)
		if isText != (e.Kind == resource.Text) || isText && text != e.Text {
			t.Fatalf("oracle: %q is %#v, ours kind %d %q", key, theirs[key], e.Kind, e.Text)
		}
	}
	return len(ours)
}

// misread are escapes that the second reader leaves as they are spelled, octal ones beyond ASCII, like keys that are no
// text; or that run into the next one there, short ones of \U.
var misread = regexp.MustCompile(`\\[2-7][0-7][0-7]|\\U[0-9a-fA-F]{0,3}\\`)

// divides finds what the independent reader is known to read in another way than Apple's: \u, \x, octal escapes beyond
// ASCII, surrogates, a comment that begins with its own end, the space characters that only one of the two knows, and
// dictionaries that stand for something else.
var divides = regexp.MustCompile(`\\[ux]|\\[1-7][0-7][0-7]|\\U[dD]|/\*/|[\x08\x{2028}\x{2029}]|CF\$UID|<[*\[]`)

func independently(src []byte) (values map[string]any, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, bug := r.(runtime.Error); !bug {
				panic(r)
			}
			ok = false
		}
	}()
	_, err := plist.Unmarshal(src, &values)
	return values, err == nil
}

func FuzzLaws(f *testing.F) {
	resourcetest.Seeds(f)
	for _, src := range examples {
		f.Add([]byte(src))
		f.Add(encodings["utf-16le"](src))
	}
	for _, e := range resourcetest.Edges(f) {
		f.Add(e.Src)
	}
	f.Fuzz(resourcetest.Mutated(func(t *testing.T, src []byte) {
		file := resourcetest.Check(t, resourcetest.Case{Grammar: Grammar, Src: src, NewTexts: hard, Any: true})
		if file == nil {
			return
		}
		agreeInWhole(t, file)
		for i := 1; i < file.Len(); i++ {
			Grammar.Note(file.Source(), file.Node(i))
		}
	}))
}

func TestRepeatedInLinearTime(t *testing.T) {
	resourcetest.Long(t)
	for _, e := range resourcetest.Edges(t) {
		if len(e.Src) > 0 {
			resourcetest.LinearCase(t, e.File, resourcetest.Case{Grammar: Grammar},
				func(n int) []byte { return bytes.Repeat(e.Src, n) })
		}
	}
}

// FuzzText sets, inserts and composes any text under any key: each comes back equal or is refused.
func FuzzText(f *testing.F) {
	for _, text := range hard {
		f.Add("key", text, "a note")
		f.Add(text, "text", text)
	}
	f.Fuzz(func(t *testing.T, key, text, noted string) {
		for _, src := range []string{"", "k;", "bare=bare;", "'k'='it\\'s\n\\U00e9';",
			"\"k\" = \"a\tb\r\n\u00e9 \\\"\";"} {
			for _, e := range []resource.Edit{{Op: resource.Set, Key: "k", Text: text},
				{Op: resource.Set, Key: key, Text: text}} {
				file, err := resource.Parse(Grammar, resource.Keys{}, []byte(src))
				if err != nil {
					t.Fatal(err)
				}
				out, refused := file.Rewrite([]resource.Edit{e}, nil)
				if len(refused) > 0 {
					if utf8.ValidString(e.Key) && utf8.ValidString(e.Text) && len(e.Key) < 10000 {
						t.Fatalf("refused: %v", refused)
					}
					continue
				}
				back(t, out, e.Key, e.Text)
			}
		}
		out, err := resource.Compose(Grammar, resource.Keys{}, nil,
			[]resource.Entry{{Key: key, Text: text, Note: noted}, {Key: key + "2", Text: text}})
		if err != nil {
			return
		}
		got := back(t, out, key, text)
		if clean := strings.TrimSpace(noted); clean == noted && !strings.ContainsFunc(noted,
			func(r rune) bool { return r < ' ' || r == '*' || r == '/' || r == 0x2028 || r == 0x2029 }) &&
			utf8.ValidString(noted) && got.Note != noted {
			t.Fatalf("note %q comes back as %q", noted, got.Note)
		}
		back(t, out, key+"2", text)
	})
}

func back(t testing.TB, src []byte, key, text string) resource.Entry {
	t.Helper()
	f, err := resource.Parse(Grammar, resource.Keys{}, src)
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	e, ok := f.Lookup(key, "")
	if !ok || e.Kind != resource.Text || e.Text != text {
		t.Fatalf("%q = %q reads as %+v in\n%s", key, text, e, src)
	}
	return e
}

// A file that is cut anywhere is refused, or what is left ends behind an entry or a comment, as far as one can tell.
func TestCuts(t *testing.T) {
	whole := func(cut, _ string) bool {
		if text, _, err := Grammar.(resource.Decoder).Decode([]byte(cut)); err == nil {
			cut = text
		}
		cut = strings.TrimSpace(cut)
		lastLine := cut[strings.LastIndexAny(cut, "\n\r\u2028\u2029")+1:]
		return cut == "" || strings.HasSuffix(cut, ";") || strings.HasSuffix(cut, "}") ||
			strings.HasSuffix(cut, "*/") || strings.Contains(lastLine, "//")
	}
	for _, src := range examples {
		for _, as := range encodings {
			resourcetest.Cuts(t, strict(as(src)), whole)
		}
	}
	for _, e := range resourcetest.Edges(t) {
		resourcetest.Cuts(t, strict(e.Src), whole)
	}
	for _, real := range resourcetest.Corpus(t, "ios-strings") {
		resourcetest.Cuts(t, strict(real.Src), whole)
	}
}

// A thousand edits at once are the same edits one by one: in files of any layout, and in real ones. (What is taken from
// neighbours, edits one by one may have changed before: whether characters beyond ASCII are escaped, and the text
// between a key alone and its first text.)
func TestBatches(t *testing.T) {
	texts := slices.DeleteFunc(slices.Clone(hard), func(s string) bool { return !isASCII(s) })
	often(t, func(r *rapid.T) {
		src, seed := pairsOnly.Draw(r, "src"), rapid.Uint64().Draw(r, "seed")
		resourcetest.Batch(t, strict([]byte(src), texts...), rapid.IntRange(1, 15).Draw(r, "edits"),
			rand.New(rand.NewPCG(seed, 0)))
	})
	var src strings.Builder
	for i := range 1200 {
		fmt.Fprintf(&src, "/* note %d */\n\"key %d\" = \"text\"; // tail\n\nbare.%d=v; 'single %d';\n", i, i, i, i)
	}
	resourcetest.Batch(t, strict([]byte(src.String()), texts...), 1000, rand.New(rand.NewPCG(1, 2)))
	for i, real := range resourcetest.Corpus(t, "ios-strings") {
		if i%4 == 0 && real.Expect != "refuse" && len(real.Src) < 12<<10 {
			resourcetest.Batch(t, strict(real.Src, texts...), 60, rand.New(rand.NewPCG(uint64(i), 3)))
		}
	}
}

func ExampleGrammar() {
	f, _ := resource.Parse(Grammar, resource.Keys{}, []byte("/* A button */\n\"save\" = \"Save\";\n"))
	out, _ := f.Rewrite([]resource.Edit{
		{Op: resource.Set, Key: "save", Text: "Speichern"},
		{Op: resource.Set, Key: "close", Text: "\"Schließen\""},
	}, nil)
	fmt.Printf("%s", out)
	// Output:
	// /* A button */
	// "save" = "Speichern";
	// "close" = "\"Schließen\"";
}
