package stringsfile

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/formats/resource"
)

func parsed(t interface{ Fatalf(string, ...any) }, src string) *resource.File {
	f, err := resource.Parse(Grammar, resource.Keys{}, []byte(src))
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	return f
}

// Where new entries stand and how they look, and what goes with old ones. like is the file in the source language.
func TestLayout(t *testing.T) {
	const abc = "\"a\" = \"1\";\n\"b\" = \"2\";\n\"c\" = \"3\";\n"
	for _, c := range []struct {
		name, before, like string
		edits              []resource.Edit
		after              string
	}{
		{"between neighbours", "\"a\" = \"1\";\n\"c\" = \"3\";\n", abc, []resource.Edit{set("b", "2")}, abc},
		{"before the first", "\"b\" = \"2\";\n\"c\" = \"3\";\n", abc, []resource.Edit{set("a", "1")}, abc},
		{"behind the last", "\"a\" = \"1\";\n\"b\" = \"2\";\n", abc, []resource.Edit{set("c", "3")}, abc},
		{"several at one place", "\"c\" = \"3\";\n", abc, []resource.Edit{set("b", "2"), set("a", "1")}, abc},
		{"below the licence, above the first entry's comment", "/* licence */\n\n/* note */\n\"b\" = \"2\";\n", abc,
			[]resource.Edit{set("a", "1")},
			"/* licence */\n\n\"a\" = \"1\";\n/* note */\n\"b\" = \"2\";\n"},
		{"blank lines on both sides", "/* A */\n\"a\" = \"1\";\n\n/* C */\n\"c\" = \"3\";\n\n/* D */\n\"d\" = \"4\";\n",
			"a;b;c;x;d;", []resource.Edit{set("b", "2"), set("x", "5")},
			"/* A */\n\"a\" = \"1\";\n\n\"b\" = \"2\";\n\n/* C */\n\"c\" = \"3\";\n\n\"x\" = \"5\";\n\n/* D */\n\"d\" = \"4\";\n"},
		{"the end of a group", "\"a\" = \"1\";\n\"b\" = \"2\";\n\n\"d\" = \"4\";\n", "a;b;c;d;",
			[]resource.Edit{set("c", "3")},
			"\"a\" = \"1\";\n\"b\" = \"2\";\n\"c\" = \"3\";\n\n\"d\" = \"4\";\n"},
		{"behind a comment on the line", "\"a\" = \"1\"; // one\n\"c\" = \"3\";\n", abc, []resource.Edit{set("b", "2")},
			"\"a\" = \"1\"; // one\n\"b\" = \"2\";\n\"c\" = \"3\";\n"},
		{"indentation and spacing", "\t\"a\"=\"1\" ;\r\n\t\"c\"=\"3\" ;\r\n", abc, []resource.Edit{set("b", "2")},
			"\t\"a\"=\"1\" ;\r\n\t\"b\"=\"2\" ;\r\n\t\"c\"=\"3\" ;\r\n"},
		{"the neighbour's line end", "\"a\" = \"1\";\r\n\"b\" = \"2\";\n", "a;x;b;y;",
			[]resource.Edit{set("x", "3"), set("y", "4")},
			"\"a\" = \"1\";\r\n\"x\" = \"3\";\r\n\"b\" = \"2\";\n\"y\" = \"4\";\n"},
		{"trailing blanks stay on their line", "\"a\" = \"1\"; \t\n\"c\" = \"3\";\n", abc,
			[]resource.Edit{set("b", "2")},
			"\"a\" = \"1\"; \t\n\"b\" = \"2\";\n\"c\" = \"3\";\n"},
		{"keys without quotes", "CFBundleName = \"x\";\n", "",
			[]resource.Edit{set("CFBundleShortName", "y"), set("two words", "z")},
			"CFBundleName = \"x\";\nCFBundleShortName = \"y\";\n\"two words\" = \"z\";\n"},
		{"single quotes", "'a' = '1';\n", "", []resource.Edit{set("b", "it's")}, "'a' = '1';\n'b' = 'it\\'s';\n"},
		{"escaped characters stay the habit", "\"a\" = \"\\U00e9\";\n\"b\" = \"2\";\n", "",
			[]resource.Edit{set("b", "é"), set("c", "א")},
			"\"a\" = \"\\U00e9\";\n\"b\" = \"\\U00e9\";\n\"c\" = \"\\U05d0\";\n"},
		{"only invisible ones escaped", "\"a\" = \"\\U00a0é\";\n\"b\" = \"2\";\n", "",
			[]resource.Edit{set("b", "è\u00a0\u200f")},
			"\"a\" = \"\\U00a0é\";\n\"b\" = \"è\\U00a0\\U200f\";\n"},
		{"on a shared line", "\"a\" = \"1\"; \"c\" = \"3\";\n", abc, []resource.Edit{set("b", "2")},
			"\"a\" = \"1\"; \"b\" = \"2\"; \"c\" = \"3\";\n"},
		{"in braces on one line", "{ a = \"1\"; }", "", []resource.Edit{set("b", "2")}, "{ a = \"1\"; b = \"2\"; }"},
		{"in empty braces", "{\n}\n", "", []resource.Edit{set("b", "2"), set("c", "3")},
			"{\n\"b\" = \"2\";\n\"c\" = \"3\";\n}\n"},
		{"an empty file takes after its model", "", "  a=\"1\";\r\n\r\n  b=\"2\";\r\n\r\n  c=\"3\";\r\n",
			[]resource.Edit{set("a", "x"), set("c", "z")},
			"  a=\"x\";\r\n\r\n  c=\"z\";\r\n"},
		{"a file of comments takes after its model", "/* c */\n", "a=\"1\";\nb=\"2\";\n",
			[]resource.Edit{set("a", "x"), set("b", "y")},
			"/* c */\n\na=\"x\";\nb=\"y\";\n"},
		{"what shares a key's beginning", "\"a/b\" = \"1\";\n", "", []resource.Edit{set("a", "2")},
			"\"a/b\" = \"1\";\n\"a\" = \"2\";\n"},

		{"its comments go with it",
			"/* A */\n\"a\" = \"1\";\n\n// B\n/* B */\n\"b\" = \"2\"; // b\n\n/* C */\n\"c\" = \"3\";\n", "",
			[]resource.Edit{remove("b")},
			"/* A */\n\"a\" = \"1\";\n\n/* C */\n\"c\" = \"3\";\n"},
		{"a comment apart stays", "/* licence */\n\n\"a\" = \"1\";\n/* section */\n\n\"b\" = \"2\";\n\"c\" = \"3\";\n",
			"", []resource.Edit{remove("a"), remove("b")},
			"/* licence */\n\n/* section */\n\n\"c\" = \"3\";\n"},
		{"the first of a group", "\"a\" = \"1\";\n\n\"b\" = \"2\";\n\"c\" = \"3\";\n", "", []resource.Edit{remove("b")},
			"\"a\" = \"1\";\n\n\"c\" = \"3\";\n"},
		{"the last of a group", "\"a\" = \"1\";\n\"b\" = \"2\";\n\n\"c\" = \"3\";\n", "", []resource.Edit{remove("b")},
			"\"a\" = \"1\";\n\n\"c\" = \"3\";\n"},
		{"a group of its own", "\"a\" = \"1\";\n\n\"b\" = \"2\";\n\n\"c\" = \"3\";\n", "", []resource.Edit{remove("b")},
			"\"a\" = \"1\";\n\n\"c\" = \"3\";\n"},
		{"the last of all", "\"a\" = \"1\";\n\n\"b\" = \"2\";\n", "", []resource.Edit{remove("b")}, "\"a\" = \"1\";\n"},
		{"all", "/* licence */\n\n\"a\" = \"1\";\n\n\"b\" = \"2\";\n", "", []resource.Edit{remove("a"), remove("b")},
			"/* licence */\n"},
		{"all of a bare file", "\"a\" = \"1\";\n\"b\" = \"2\";\n", "", []resource.Edit{remove("a"), remove("b")}, ""},
		{"neighbours keep their line", "\"a\"; \"b\"; /* c */ \"c\";\n\"d\"; \"e\";\n", "", []resource.Edit{remove("b"),
			remove("d")}, "\"a\"; /* c */ \"c\";\n\"e\";\n"},
		{"the brace stays out of the comment", "{ \"a\"; // one\n\"b\"; }", "",
			[]resource.Edit{remove("b")}, "{ \"a\"; // one\n }"},
		{"replaced by another", "/* A */\n\"a\" = \"1\";\n\"c\" = \"3\";\n", "a2;c;", []resource.Edit{remove("a"),
			set("a2", "x")}, "\"a2\" = \"x\";\n\"c\" = \"3\";\n"},
	} {
		var like *resource.File
		if c.like != "" {
			like = parsed(t, c.like)
		}
		if got := rewritten(t, parsed(t, c.before), like, c.edits...); string(got) != c.after {
			t.Errorf("%s:\n%s\n%q, want\n%q", c.name, got, got, c.after)
		}
	}
}

func TestNotes(t *testing.T) {
	for src, want := range map[string]string{
		"/* one */ k;":                         "one",
		"// one\n//two\nk;":                    "one\ntwo",
		"/**\n * one\n *   two\n */\nk;":       "one\ntwo",
		"/* one\n   two */\nk; // three":       "one\ntwo\nthree",
		"/* apart */\n\n// one\nk;":            "one",
		"/* of a brace */ { /* one */ k; }":    "one",
		"j; /* one */ k;":                      "one",
		"j; // j's\nk;":                        "",
		"k /* inner */ ; // one":               "one",
		"/* zero */ k /* // inner */ ; // one": "zero\none",
		"/**/ k;":                              "",
		"k; /* one */ // two\n":                "one\ntwo",
	} {
		f := parsed(t, src)
		if got := entry(t, f, "k").Note; got != want {
			t.Errorf("note in %q is %q, want %q", src, got, want)
		}
	}
}

func TestCompose(t *testing.T) {
	src := "/* Title\n   of it */\n\"a\" = \"1\";\n\nb = {x = y;};\nc;\n"
	f := parsed(t, src)
	var texts []resource.Entry
	for e := range f.Entries() {
		if e.Kind == resource.Text {
			texts = append(texts, e)
		}
	}
	out, err := resource.Compose(Grammar, resource.Keys{}, f, texts)
	if want := "/* Title\n   of it */\n\"a\" = \"1\";\n\n\"c\" = \"c\";\n"; err != nil || string(out) != want {
		t.Errorf("%q %v, want %q", out, err, want)
	}
	texts[0].Note = ""
	out, err = resource.Compose(Grammar, resource.Keys{}, f, texts)
	if want := "\"a\" = \"1\";\n\"c\" = \"c\";\n"; err != nil || string(out) != want {
		t.Errorf("%q %v, want %q", out, err, want)
	}
	if out, err = resource.Compose(Grammar, resource.Keys{}, nil, nil); err != nil || len(out) != 0 {
		t.Errorf("nothing: %q %v", out, err)
	}
	out, err = Grammar.Compose([]resource.New{{Kind: resource.Other, Name: "b",
		Like: &resource.Model{File: f, Node: 2}}})
	if err != nil || string(out) != "\"b\" = {x = y;};\n" {
		t.Errorf("a copied value: %q %v", out, err)
	}
	for _, n := range []resource.New{
		{Kind: resource.Forms, Name: "n", Children: []resource.New{{Kind: resource.Text, Name: "one", Text: "1"}}},
		{Kind: resource.Map, Name: "n"}, {Kind: resource.List, Name: "n"}, {Kind: resource.Null, Name: "n"},
		{Kind: resource.Text, Name: strings.Repeat("n", resource.MaxName)},
	} {
		if out, err := Grammar.Compose([]resource.New{n}); err == nil {
			t.Errorf("kind %d composed to %q", n.Kind, out)
		}
	}
}

func TestRename(t *testing.T) {
	for _, c := range [][3]string{
		{"\"k\" = \"x\";", "n \"1\"", "\"n \\\"1\\\"\" = \"x\";"},
		{"'k' = x;", "it's", "'it\\'s' = x;"},
		{"k = x;", "n", "n = x;"},
		{"k = x;", "two words", "\"two words\" = x;"},
		{"/* c */ \"k\"; // d", "n", "/* c */ \"n\" = \"k\"; // d"},
		{"k; j=\"y\";", "n", "n=\"k\"; j=\"y\";"},
	} {
		f := parsed(t, c[0])
		s, err := Grammar.Rename(f, 1, c[1])
		if err != nil {
			t.Fatal(err)
		}
		if got := c[0][:s.At.Start] + s.Text + c[0][s.At.End:]; got != c[2] {
			t.Errorf("rename %q to %q: %q, want %q", c[0], c[1], got, c[2])
		}
	}
	f := parsed(t, "k;")
	if _, err := Grammar.Rename(f, 0, "n"); err == nil {
		t.Error("the root was renamed")
	}
	if _, err := Grammar.Rename(f, 1, strings.Repeat("n", resource.MaxName+1)); err == nil {
		t.Error("a key beyond the limit was written")
	}
}

// Entries with a text, and without one.
var (
	pairs = []string{"\"%d\" = \"x\";", "%d=y;", "'%d' = 'z' ;", "%d = (1);", "%d /* in */ = \"\" // in\n;",
		"\"%d\"=\"é\\U00e9\n\";"}
	forms = append([]string{"%d;"}, pairs...)
)

var layouts, pairsOnly = rapid.Custom(layoutOf(forms)), rapid.Custom(layoutOf(pairs))

// layoutOf draws files in which such entries, comments and space are in any way.
func layoutOf(forms []string) func(t *rapid.T) string {
	return func(t *rapid.T) string { return drawLayout(t, rapid.SampledFrom(forms)) }
}

func drawLayout(t *rapid.T, entry *rapid.Generator[string]) string {
	gap := rapid.SampledFrom([]string{"", " ", "\n", "\n\n", "\n\t", " \n", "\r\n", "\r", "\n\n\n", "\u2028", "/* c */",
		"// c\n", " // c\n\n", "\n/* c */\n\n", "\n// c\n", " /* c */ "})
	gaps := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(gap, 0, 3).Draw(t, "gap"), "")
	})
	var out strings.Builder
	out.WriteString(gaps.Draw(t, "head"))
	inBraces := rapid.Bool().Draw(t, "braces")
	if inBraces {
		out.WriteString("{" + gaps.Draw(t, "open"))
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "entries") {
		fmt.Fprintf(&out, entry.Draw(t, "entry"), i)
		out.WriteString(gaps.Draw(t, "below"))
	}
	if inBraces {
		out.WriteString("}" + gaps.Draw(t, "tail"))
	}
	return out.String()
}

// The scanner goes over the gaps of most files by a shorter way than those who edit around them. Both find the same.
func TestGapsAreReadOneWay(t *testing.T) {
	often(t, func(t *rapid.T) {
		src := layouts.Draw(t, "src")
		f := parsed(t, src)
		for i := 1; i < f.Len(); i++ {
			n, above, below := f.Node(i), gapBelow(f, i-1), gapBelow(f, i)
			var want resource.Span
			if above.block < above.next {
				want = resource.At(above.block, above.last)
			}
			if below.trail.End > 0 {
				if want.End == 0 {
					want.Start = below.trail.Start
				}
				want.End = below.trail.End
			}
			if above.next != int(n.Whole.Start) || n.Note != want {
				t.Fatalf("%q: entry %d starts at %d with the note %v, the gap above it ends at %d with %v", src, i,
					n.Whole.Start, n.Note, above.next, want)
			}
		}
	})
}

// often checks a property more often than rapid does by itself: the files are small.
func often(t *testing.T, property func(*rapid.T)) {
	for range 10 {
		rapid.Check(t, property)
	}
}

// What Insert puts into any gap of any layout, Remove takes out again to the byte, whatever is around it.
func TestRemoveUndoesInsertAnywhere(t *testing.T) {
	often(t, func(t *rapid.T) {
		src := layouts.Draw(t, "src")
		f := parsed(t, src)
		after := rapid.IntRange(0, f.Len()-1).Draw(t, "after")
		if after == 0 {
			after = -1
		}
		add := []resource.New{{Kind: resource.Text, Name: "new", Text: "n"},
			{Kind: resource.Text, Name: "new2", Text: "n2"}}
		add = add[:rapid.IntRange(1, 2).Draw(t, "add")]
		s, err := Grammar.Insert(f, resource.Gap{In: 0, After: after}, add)
		if err != nil {
			t.Fatal(err)
		}
		out := src[:s.At.Start] + s.Text + src[s.At.End:]
		g := parsed(t, out)
		at := max(after, 0) + 1
		if g.Len() != f.Len()+len(add) || g.Name(at) != "new" || g.Node(at).Note.Len() > 0 {
			t.Fatalf("insert into %q: %q has the new entry with a note %v", src, out, g.Node(at).Note)
		}
		for i := 1; i < f.Len(); i++ {
			j := i
			if i >= at {
				j = i + len(add)
			}
			if a, b := note(src, f.Node(i)), note(out, g.Node(j)); a != b || f.Name(i) != g.Name(j) {
				t.Fatalf("insert into %q: %q; entry %d %q has note %q, had %q", src, out, i, g.Name(j), b, a)
			}
		}
		gone := []int{at, at + 1}[:len(add)]
		back, err := Grammar.Remove(g, gone)
		if err != nil || len(back) != 1 {
			t.Fatal(back, err)
		}
		if got := out[:back[0].At.Start] + out[back[0].At.End:]; got != src {
			t.Fatalf("removed again:\n%q, was\n%q, between\n%q", got, src, out)
		}
	})
}

// Removing any entries leaves the others with the texts and the notes they had.
func TestRemoveLeavesTheRest(t *testing.T) {
	often(t, func(t *rapid.T) {
		src := layouts.Draw(t, "src")
		f := parsed(t, src)
		var edits []resource.Edit
		var want []string
		for e := range f.Entries() {
			if rapid.Bool().Draw(t, "gone") {
				edits = append(edits, remove(e.Key))
			} else {
				want = append(want, fmt.Sprint(e.Key, "|", e.Text, "|", e.Note))
			}
		}
		out, refused := f.Rewrite(edits, nil)
		if len(refused) > 0 {
			t.Fatal(refused)
		}
		var got []string
		for e := range parsed(t, string(out)).Entries() {
			got = append(got, fmt.Sprint(e.Key, "|", e.Text, "|", e.Note))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q became %q: %q, want %q", src, out, got, want)
		}
	})
}

// Any batch of edits leaves what a map of the same edits would.
func TestEditsAgainstContents(ot *testing.T) {
	keys := rapid.OneOf(rapid.SampledFrom([]string{"0", "1", "2", "3", "4", "new", "a b"}), rapid.String())
	texts := rapid.OneOf(rapid.SampledFrom(hard), rapid.String())
	often(ot, func(t *rapid.T) {
		f := parsed(t, layouts.Draw(t, "src"))
		want := make(map[string]string)
		for e := range f.Entries() {
			want[e.Key] = fmt.Sprint(e.Kind, e.Text)
		}
		var edits []resource.Edit
		for range rapid.IntRange(1, 12).Draw(t, "edits") {
			key := keys.Draw(t, "key")
			if rapid.Bool().Draw(t, "set") {
				text := texts.Draw(t, "text")
				edits = append(edits, set(key, text))
				want[key] = fmt.Sprint(resource.Text, text)
			} else {
				edits = append(edits, remove(key))
				delete(want, key)
			}
		}
		var like *resource.File
		if rapid.Bool().Draw(t, "modelled") {
			like = parsed(t, layouts.Draw(t, "like"))
		}
		out, refused := f.Rewrite(edits, like)
		if len(refused) > 0 {
			t.Fatal(refused)
		}
		got := make(map[string]string)
		g := parsed(t, string(out))
		agree(ot, g)
		for e := range g.Entries() {
			got[e.Key] = fmt.Sprint(e.Kind, e.Text)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q became %q: %q, want %q", f.Source(), out, got, want)
		}
	})
}
