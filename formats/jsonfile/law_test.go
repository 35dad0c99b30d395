package jsonfile

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
	"pgregory.net/rapid"
)

func seeds(f testing.TB) []string {
	all := append([]string(nil), examples...)
	for _, e := range resourcetest.Edges(f) {
		all = append(all, string(e.Src))
	}
	return all
}

// FuzzLaws holds the laws, and encoding/json, against any bytes.
func FuzzLaws(f *testing.F) {
	resourcetest.Seeds(f)
	for _, s := range seeds(f) {
		f.Add([]byte(s))
	}
	f.Fuzz(resourcetest.Mutated(func(t *testing.T, src []byte) {
		oracle(t, "input", src)
		if len(src) > 4<<10 {
			return
		}
		for _, keys := range []resource.Keys{flat, nested} {
			resourcetest.Check(t, resourcetest.Case{Grammar: Grammar, Keys: keys, Src: src, Any: true,
				NewTexts: []string{`"`, "a\nb", "é/\u2028"}, Undone: undone})
		}
	}))
}

func TestRepeatedInLinearTime(t *testing.T) {
	resourcetest.Long(t)
	for i, src := range seeds(t) {
		if 0 < len(src) && len(src) < 4<<10 && (resourcetest.All() || i%4 == 0) {
			resourcetest.LinearCase(t, src, resourcetest.Case{Grammar: Grammar, Keys: nested}, repeated([]byte(src)))
		}
	}
}

// repeated makes a larger file of a fuzzer's: as items of an array where it is a value, else one behind the other.
func repeated(src []byte) func(n int) []byte {
	return func(n int) []byte {
		if _, err := Scan(string(src), JSONC); err != nil {
			return bytes.Repeat(src, n)
		}
		line := append(bytes.TrimPrefix(src, []byte(bom)), "\n,"...)
		return append(append([]byte("["), bytes.Repeat(line, n)...), ']')
	}
}

// isName reports whether a new entry may have this name: that of metadata no text has.
func isName(key string) bool {
	return utf8.ValidString(key) && len(key) < resource.MaxName/6-2 && !strings.HasPrefix(key, "@@")
}

// FuzzText sets and inserts any text, in files of either habit: it reads back as it is, or is refused because it is no
// UTF-8.
func FuzzText(f *testing.F) {
	for _, s := range append(hard, "\xff", "a\xed\xa0\x80b", "@@") {
		f.Add(s, "k")
		f.Add("x", s)
	}
	f.Fuzz(func(t *testing.T, text, key string) {
		for _, src := range []string{`{"old": "x"}`, `{"old": "\u00e9\/\u0026\u00A0\ud83d\ude00"}`, `{"old": null}`,
			"{}", `{"m": {"message": "x", "description": "d"}}`} {
			file := parse(t, flat, src)
			for _, k := range []string{"old", key} {
				out, refused := file.Rewrite([]resource.Edit{{Op: resource.Set, Key: k, Text: text}}, nil)
				if valid := utf8.ValidString(text) && isName(k); !valid || len(refused) > 0 {
					if valid && k != "m" {
						t.Fatalf("%q: %q refused: %v", src, text, refused)
					}
					continue
				}
				if e, ok := parse(t, flat, string(out)).Lookup(k, ""); !ok || e.Text != text {
					t.Fatalf("%q: %q reads back as %q\n%q", src, text, e.Text, out)
				}
			}
			entry := resource.Entry{Key: key, Text: text}
			if out, err := resource.Compose(Grammar, flat, nil, []resource.Entry{entry}); err == nil {
				if e, ok := parse(t, flat, string(out)).Lookup(key, ""); !ok || e.Text != text {
					t.Fatalf("composed %q reads back as %q\n%q", text, e.Text, out)
				}
			} else if utf8.ValidString(text) && isName(key) {
				t.Fatal(err)
			}
		}
	})
}

// gen draws nested objects in random but valid layouts, with comments where they may be.
type gen struct {
	*rapid.T
	b     strings.Builder
	names int
	gaps  int
}

func (g *gen) pick(of ...string) string { return rapid.SampledFrom(of).Draw(g.T, "pick") }

func (g *gen) gap() {
	gap := g.pick("", "", " ", "\n", "\n  ", "\r\n\t", "\n\n  ", " // c\n", "\n// d\n",
		" /* e */ ", "\n\n/* f\n g */\n\n")
	g.gaps++ // no comment is told from another by chance
	g.b.WriteString(strings.NewReplacer("// ", fmt.Sprintf("// %d", g.gaps), "/* ",
		fmt.Sprintf("/* %d", g.gaps)).Replace(gap))
}

func (g *gen) value(depth int) {
	switch kind := rapid.IntRange(0, 9).Draw(g.T, "kind"); {
	case kind < 2 && depth > 0:
		g.list(depth)
	case kind < 5 && depth > 0:
		g.object(depth)
	default:
		g.b.WriteString(g.pick(`"x"`, `"y\n\"z\""`, `"é"`, `"\u00e9\/"`, `""`, "1.5", "true", "null", `"\ud800"`))
	}
}

func (g *gen) object(depth int) {
	g.b.WriteByte('{')
	n := rapid.IntRange(0, 4).Draw(g.T, "members")
	for i := range n {
		g.gap()
		g.names++
		fmt.Fprintf(&g.b, `"%s%d"`, g.pick("k", "n/", "é", `\u00e9\/`, ""), g.names)
		g.b.WriteString(g.pick(":", ": ", " : ", "\n:\n", " /* c */ : "))
		g.value(depth - 1)
		g.end(i == n-1)
	}
	g.gap()
	g.b.WriteByte('}')
}

func (g *gen) list(depth int) {
	g.b.WriteByte('[')
	n := rapid.IntRange(0, 3).Draw(g.T, "items")
	for i := range n {
		g.gap()
		g.value(depth - 1)
		g.end(i == n-1)
	}
	g.gap()
	g.b.WriteByte(']')
}

func (g *gen) end(last bool) {
	g.b.WriteString(g.pick("", "", " ", " /* g */", "\n"))
	if !last || rapid.Bool().Draw(g.T, "trailing comma") {
		g.b.WriteByte(',')
	}
}

func file(t *rapid.T) string {
	g := &gen{T: t}
	g.gap()
	g.object(4)
	g.gap()
	return g.b.String()
}

// often checks a property more often than rapid does by itself: the files are small.
func often(t *testing.T, property func(*rapid.T)) {
	for range 10 {
		rapid.Check(t, property)
	}
}

// Any file in any layout keeps the laws.
func TestLawsAnyLayout(t *testing.T) {
	often(t, func(rt *rapid.T) {
		src := file(rt)
		defer func() {
			if rt.Failed() {
				rt.Logf("file %q", src)
			}
		}()
		if f := resourcetest.Check(quiet{t, rt}, resourcetest.Case{Grammar: Grammar, Keys: nested, Src: []byte(src),
			NewTexts: []string{"é\n"}, Undone: undone}); f == nil {
			rt.Fatalf("refused: %q", src)
		}
	})
}

// quiet reports to rapid, so that it shrinks what it found.
type quiet struct {
	testing.TB
	rt *rapid.T
}

func (q quiet) Helper()                   {}
func (q quiet) Fatal(args ...any)         { q.rt.Fatal(args...) }
func (q quiet) Fatalf(s string, a ...any) { q.rt.Fatalf(s, a...) }

// Any batch of edits, with a source file for the places, makes of the contents what it says and refuses the rest.
func TestBatchAnyLayout(t *testing.T) {
	often(t, func(rt *rapid.T) {
		src, like := file(rt), file(rt)
		f, source := parse(t, nested, src), parse(t, nested, like)
		keys := []string{"new", "new/a", "new/b/c", "k1/new"}
		for _, from := range []*resource.File{f, source} {
			for e := range from.Entries() {
				keys = append(keys, e.Key)
			}
		}
		var edits []resource.Edit
		wish := make(map[string]string)
		for range rapid.IntRange(1, 12).Draw(rt, "edits") {
			e := resource.Edit{Op: resource.Set, Key: rapid.SampledFrom(keys).Draw(rt, "key"),
				Text: rapid.SampledFrom([]string{"new", "é \"\n"}).Draw(rt, "text")}
			wish[e.Key] = "text:" + e.Text
			if rapid.Bool().Draw(rt, "remove") {
				e.Op, e.Text = resource.Remove, ""
				wish[e.Key] = ""
			}
			edits = append(edits, e)
		}
		var model *resource.File
		if rapid.Bool().Draw(rt, "with source") {
			model = source
		}
		out, refused := f.Rewrite(edits, model)
		g, err := resource.Parse(Grammar, nested, out)
		if err != nil {
			rt.Fatalf("%q, %v: %v\n%q", src, edits, err, out)
		}
		for _, r := range refused {
			delete(wish, r.Key)
		}
		for key, want := range wish {
			e, ok := g.Lookup(key, "")
			if want == "" && ok && e.Kind == resource.Text || want != "" && (!ok || "text:"+e.Text != want) {
				rt.Fatalf("%q, %v: %q is %q %v, want %q; refused %v\n%q", src, edits, key,
					e.Text, ok, want, refused, out)
			}
		}
		for e := range f.Entries() {
			now, ok := g.Lookup(e.Key, "")
			last, _ := f.Lookup(e.Key, "")
			if _, edited := wish[e.Key]; edited || ok && now.Kind == last.Kind && now.Text == last.Text {
				continue
			}
			below := func(key string) bool { return wish[key] != "" && strings.HasPrefix(key, e.Key+"/") }
			if !ok && last.Kind == resource.Null && slices.ContainsFunc(slices.Collect(maps.Keys(wish)), below) {
				continue // a place that held nothing has become the object that a new text needs, see intoNull
			}
			if ok || !inList(f, e.Node) { // a list goes with its item
				rt.Fatalf("%q, %v: %q was not asked for and is %q %v\n%q", src, edits, e.Key, now.Text, ok, out)
			}
		}
	})
}

// A thousand edits at once are the same edits one by one: in files of any layout, and in real ones.
func TestBatches(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		src, seed := file(rt), rapid.Uint64().Draw(rt, "seed")
		text := "é\n"
		if strings.Contains(src, `\u`) {
			text = "\n" // whether é is escaped is a habit of the whole file, which an edit may change for the next one
		}
		resourcetest.Batch(quiet{t, rt}, strict(nested, []byte(src), text), rapid.IntRange(1, 60).Draw(rt, "edits"),
			rand.New(rand.NewPCG(seed, 0)))
	})
	var src strings.Builder
	src.WriteString("{\n")
	for i := range 300 {
		fmt.Fprintf(&src, "  \"section%d\": {\n    \"a\": \"x\", // note\n    \"b\": {\"c\": \"y\"}\n  },\n", i)
	}
	src.WriteString("  \"last\": [\"x\"]\n}\n")
	resourcetest.Batch(t, strict(nested, []byte(src.String()), hard...), 1000, rand.New(rand.NewPCG(1, 2)))
	for i, real := range resourcetest.Corpus(t, "json") {
		if real.Expect != "refuse" && len(real.Src) < 32<<10 {
			resourcetest.Batch(t, strict(nested, real.Src, hard...), 60, rand.New(rand.NewPCG(uint64(i), 3)))
		}
	}
}

func inList(f *resource.File, i int) bool {
	for ; i > 0; i = int(f.Node(i).Parent) {
		if f.Node(int(f.Node(i).Parent)).Kind == resource.List {
			return true
		}
	}
	return false
}
