package androidxml

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
	"pgregory.net/rapid"
)

// drawFile makes a file of any layout: indentation, line ends, comments in every place, several entries on a line,
// other resources.
func drawFile(t *rapid.T, label string) string {
	pick := func(what string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label+" "+what) }
	nl := pick("line end", "\n", "\n", "\r\n")
	indent := pick("indentation", "    ", "  ", "\t", "")
	quote := pick("quote", `"`, `"`, `'`)
	value := func() string {
		return strings.ReplaceAll(rapid.SampledFrom(values).Draw(t, label+" value"), "\r\n", "\n")
	}
	gap := func(indent string) string {
		return pick("gap", nl+indent, nl+indent, nl+indent, nl+indent, nl+nl+indent, "", " ",
			" <!-- tail -->"+nl+indent, nl+indent+"<!-- note -->"+nl+indent,
			nl+indent+"<!-- note"+nl+indent+"of two lines -->"+nl+nl+indent,
			nl+indent+"<!-- <string name=\"dead\"/> -->"+nl+indent, "<!-- c -->", nl+indent+"<!-- d --> ",
			" <!-- e"+nl+" f -->"+nl+indent, "  "+nl+indent, nl+indent+"<?pi?>"+nl+indent,
			"\""+nl+indent, nl+indent+"&gt; stray"+nl+nl+indent)
	}
	attribute := func(name, value string) string { return " " + name + "=" + quote + value + quote }
	leaf := func(start, name string) string {
		if v := value(); v != "" || rapid.Bool().Draw(t, label+" open") {
			return "<" + start + ">" + v + "</" + name + ">"
		}
		return "<" + start + "/>"
	}
	var b strings.Builder
	b.WriteString(pick("head", "", header, header+nl, "\ufeff"+header+nl+"<!-- licence -->"+nl,
		"<!DOCTYPE resources [ <!ENTITY app \"x\"> ]>"+nl))
	b.WriteString("<resources" + attribute("xmlns:xliff", xliffURI) + ">")
	for _, key := range rapid.SliceOfNDistinct(rapid.IntRange(0, 14), 0, 9, func(i int) int { return i }).Draw(t,
		label+" keys") {
		b.WriteString(gap(indent))
		name := attribute("name", fmt.Sprint("k", key))
		switch {
		case key < 8:
			product := pick("product", "", "", "", attribute("product", "tv"), attribute("product", "default"))
			b.WriteString(leaf("string"+product+name, "string"))
		case key < 11:
			b.WriteString("<plurals" + name + ">")
			for _, q := range rapid.SliceOfNDistinct(rapid.SampledFrom(quantities), 0, 4,
				func(q string) string { return q }).Draw(t, label+" quantities") {
				b.WriteString(gap(indent+indent) + leaf("item"+attribute("quantity", q), "item"))
			}
			b.WriteString(gap(indent) + "</plurals>")
		case key < 13:
			b.WriteString("<string-array" + name + ">")
			for range rapid.IntRange(0, 3).Draw(t, label+" items") {
				b.WriteString(gap(indent+indent) + leaf("item", "item"))
			}
			b.WriteString(gap(indent) + "</string-array>")
		default:
			b.WriteString("<color" + name + ">#fff</color>")
		}
	}
	b.WriteString(gap("") + "</resources>" + pick("end", "", nl))
	return b.String()
}

type spot struct{ key, form string }

func texts(f *resource.File) map[spot]string {
	m := make(map[spot]string)
	for e := range f.Entries() {
		if e.Kind == resource.Text {
			m[spot{e.Key, e.Form}] = e.Text
		}
	}
	return m
}

// TestRandomEdits makes batches of edits in files of any layout and compares what is read afterwards with what was
// asked for. What is refused, and lists that go as a whole, are the only differences.
func TestRandomEdits(ot *testing.T) {
	rapid.Check(ot, func(t *rapid.T) {
		src, other := drawFile(t, "file"), drawFile(t, "source")
		f, err := resource.Parse(Grammar, resource.Keys{}, []byte(src))
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		var like *resource.File
		if rapid.Bool().Draw(t, "with source") {
			if like, err = resource.Parse(Grammar, resource.Keys{}, []byte(other)); err != nil {
				t.Fatalf("%v\n%s", err, other)
			}
		}
		var edits []resource.Edit
		want := texts(f)
		for range rapid.IntRange(1, 8).Draw(t, "edits") {
			e := resource.Edit{Op: resource.Set, Key: fmt.Sprint("k", rapid.IntRange(0, 14).Draw(t, "key"))}
			if rapid.IntRange(0, 3).Draw(t, "product") == 0 {
				e.Key += "@tv"
			}
			if rapid.Bool().Draw(t, "with form") {
				e.Form = rapid.SampledFrom(append(slices.Clone(quantities), "0", "1", "2")).Draw(t, "form")
			}
			if e.Text = rapid.SampledFrom(hard).Draw(t, "text"); rapid.IntRange(0, 2).Draw(t, "remove") == 0 {
				e = remove(e.Key, e.Form)
			}
			edits = append(edits, e)
		}
		out, refused := f.Rewrite(edits, like)
		g, err := resource.Parse(Grammar, resource.Keys{}, out)
		if err != nil {
			t.Fatalf("%v\n--- before\n%s\n--- after\n%s", err, src, out)
		}
		no := make(map[spot]bool)
		for _, r := range refused {
			no[spot{r.Key, r.Form}] = true
			for _, e := range edits { // new plurals and arrays come whole or not at all
				if r.Form != "" && e.Key == r.Key && e.Form != "" {
					r.Text += e.Text
				}
			}
			if r.Unproven || !strict(nil).Refuses(f, r) {
				t.Fatalf("refused: %v\n%s", r, src)
			}
		}
		array := func(s spot) bool { return isIndex(s.form) }
		touched := make(map[string]bool) // arrays that an edit removes items of
		for _, e := range edits {        // the last of several counts
			s := spot{e.Key, e.Form}
			if array(s) && e.Op == resource.Remove {
				touched[e.Key] = true
			}
			switch {
			case e.Op == resource.Remove:
				delete(want, s)
			default:
				want[s] = e.Text
			}
		}
		before, got := texts(f), texts(g)
		for s := range no {
			if was, ok := before[s]; ok {
				want[s] = was
			} else {
				delete(want, s)
			}
		}
		for _, m := range []map[spot]string{want, got} {
			maps.DeleteFunc(m, func(s spot, _ string) bool { return touched[s.key] && array(s) })
		}
		agree(ot, out)
		if !maps.Equal(want, got) {
			t.Fatalf("edits %q refused %v\nhave %q\nwant %q\n--- before\n%s\n--- after\n%s", edits,
				refused, got, want, src, out)
		}
	})
}

// TestRandomLayouts holds files of any layout against the laws and the independent reader.
func TestRandomLayouts(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		src := drawFile(r, "file")
		for _, g := range []resource.Grammar{Grammar, Compose} {
			c := strict([]byte(src))
			c.Grammar = g
			if resourcetest.Check(t, c) == nil {
				r.Fatalf("refused: %s", src)
			}
		}
		agree(t, []byte(src))
	})
}

// TestBatches holds a thousand edits at once against the same edits one by one, in files of any layout and in real
// ones. (Texts in quotes, and empty ones, are left out: a new entry is in quotes when its neighbours are, which edits
// one by one may have changed before.)
func TestBatches(t *testing.T) {
	texts := []string{"a 'b' & c", "  two  spaces ", "line\nbreak", "@string/x", "é… 日本", "1 < 2"}
	rapid.Check(t, func(r *rapid.T) {
		src, seed := strings.ReplaceAll(drawFile(r, "file"), `"a`, `a`), rapid.Uint64().Draw(r, "seed")
		resourcetest.Batch(t, strict([]byte(src), texts...), rapid.IntRange(1, 15).Draw(r, "edits"),
			rand.New(rand.NewPCG(seed, 0)))
	})
	var src strings.Builder
	src.WriteString("<resources>\n")
	for i := range 700 {
		fmt.Fprintf(&src,
			"    <!-- note %d -->\n    <string name=\"key_%d\">It\\'s <b>x</b></string> <!-- tail -->\n    <plurals name=\"p%d\"><item quantity=\"other\">x</item></plurals>\n    <string name=\"l%d\">y</string><string name=\"m%d\">z</string>\n", i, i, i, i, i)
	}
	src.WriteString("</resources>\n")
	edits := 250
	if resourcetest.All() {
		edits = 1000
	}
	resourcetest.Batch(t, strict([]byte(src.String()), texts...), edits, rand.New(rand.NewPCG(1, 2)))
	for i, real := range resourcetest.Corpus(t, "android-xml") {
		if i%4 == 0 && real.Expect != "refuse" && len(real.Src) < 12<<10 {
			resourcetest.Batch(t, strict(real.Src, texts...), 60, rand.New(rand.NewPCG(uint64(i), 3)))
		}
	}
}

// TestUsualEntries writes the start tags that the scanner has a shorter way for in another way, which says the same.
func TestUsualEntries(t *testing.T) {
	respelled := strings.NewReplacer(usualString, `<string  name="`, usualItem, `<item  quantity="`)
	seen := func(src string) (all []string) {
		f := parse(t, src)
		for i := range f.Len() {
			n := f.Node(i)
			all = append(all, fmt.Sprint(n.Parent, n.End, n.Kind, n.Style, f.Name(i),
				n.Value.Of(src), Grammar.Note(src, n)))
		}
		for _, w := range f.Warnings() {
			all = append(all, fmt.Sprint(w.Node, w.Msg))
		}
		return all
	}
	rapid.Check(t, func(r *rapid.T) {
		src := drawFile(r, "file")
		usual, other := seen(src), seen(respelled.Replace(src))
		if len(usual) != len(other) {
			r.Fatalf("%q, written otherwise %q\n%s", usual, other, src)
		}
		for i := range usual {
			if a, b := respelled.Replace(usual[i]), other[i]; a != b {
				r.Fatalf("%s, written otherwise %s\n%s", a, b, src)
			}
		}
	})
}

// TestRandomDamage breaks files of any layout in a few places. What is accepted all the same holds the laws and reads
// the same to the independent reader.
func TestRandomDamage(t *testing.T) {
	tokens := strings.Split("<|>|&|\"|'|/|=| |\n|]]>|<![CDATA[|<!--|-->|--|<?a |?>|<!DOCTYPE a|[|]|\\|\\u12|&#10;|&#|;|&amp;|<b>|</b>|<b/>|</string>|<string name=\"n\">|"+
		"<item>|</item>|xmlns:a=\"b\"|a:|:|@|?|translatable=\"false\"|product=\"x\"|\r|\x00|\ufffe|\u00e9|<resources>|</resources>|\u00d7", "|")
	rapid.Check(t, func(r *rapid.T) {
		src := drawFile(r, "file")
		for range rapid.IntRange(1, 3).Draw(r, "damages") {
			at := rapid.IntRange(0, len(src)).Draw(r, "at")
			cut := min(len(src), at+rapid.IntRange(0, 6).Draw(r, "cut"))
			token := ""
			if rapid.IntRange(0, 3).Draw(r, "put") > 0 {
				token = rapid.SampledFrom(tokens).Draw(r, "token")
			}
			src = src[:at] + token + src[cut:]
		}
		resourcetest.Check(t, resourcetest.Case{Grammar: Grammar, Src: []byte(src), Undone: undone, Any: true})
		agree(t, []byte(src))
	})
}
