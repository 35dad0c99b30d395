package yamlfile_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/yamlfile"
)

// FuzzText sets and inserts any text under any name, in files of every spelling: it reads back as it is for us and the
// other reader, or is refused because it is no UTF-8 or too long.
func FuzzText(f *testing.F) {
	for _, s := range append(hard, "\xff", "a\xed\xa0\x80b") {
		f.Add(s, "k")
		f.Add("x", s)
	}
	files := []string{
		"old: x\n", "'old': 'x'\n", "\"old\": \"x\\u00e9\"\n", "old: \"a\n  b\\\n  c\"\n", "old: |\n  x\n\nz: x\n", "old: >-\n   x\nz: x\n", "old: |+\n  x\n\nz: w\n", "old:\nz: w\n", "old: |\n  x",
		"{old: x, z: [w]}\n", "{old: , \"z\": 'w'}\n", "- a\n", "", "g: {}\n", "? old\n: x\r\n",
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		if len(text)+len(name) > 4<<10 {
			return
		}
		valid := utf8.ValidString(text) && utf8.ValidString(name)
		for _, src := range files {
			file, err := resource.Parse(yamlfile.Grammar, resource.Keys{}, []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"old", name} {
				if src == "- a\n" && key != "1" || (src[:min(2, len(src))] == "g:" && key == "g") ||
					src[:min(2, len(src))] == "{o" && (key == "z" || len(key) > 500) {
					continue // items have no names; a mapping is there; names in flow collections cannot be that long
				}
				out, refused := file.Rewrite([]resource.Edit{{Op: resource.Set, Key: key, Text: text}}, nil)
				if len(refused) > 0 {
					if valid && !(src == "old: |\n  x" && key != "old") {
						t.Fatalf("%q: %q=%q refused: %v", src, key, text, refused)
					}
					continue
				}
				readsBack(t, out, key, text)
			}
		}
		out, err := resource.Compose(yamlfile.Grammar, resource.Keys{}, nil,
			[]resource.Entry{{Key: name, Text: text, Note: text}})
		if (err == nil) != valid && utf8.ValidString(text) {
			t.Fatalf("composing %q=%q: %v", name, text, err)
		}
		if err == nil && valid {
			readsBack(t, out, name, text)
		}
	})
}

func readsBack(t *testing.T, src []byte, key, text string) {
	t.Helper()
	f, err := resource.Parse(yamlfile.Grammar, resource.Keys{}, src)
	if err != nil {
		t.Fatalf("%v\n%s", err, clip(src))
	}
	if e, ok := f.Lookup(key, ""); !ok || e.Kind != resource.Text || e.Text != text {
		t.Fatalf("%q reads back as %q, want %q\n%s", key, e.Text, text, clip(src))
	}
	agree(t, f)
}

// gen draws files of random but valid layouts: every kind of collection and scalar inside every other, with comments
// and blank lines.
type gen struct {
	*rapid.T
	b       strings.Builder
	names   int
	anchors int
}

func (g *gen) pick(of ...string) string { return rapid.SampledFrom(of).Draw(g.T, "pick") }
func (g *gen) n(to int) int             { return rapid.IntRange(0, to).Draw(g.T, "n") }

func (g *gen) name() string {
	g.names++
	return fmt.Sprintf(g.pick("n%d", "'n%d'", "\"n%d\"", "n %d", "ключ%d"), g.names)
}

func (g *gen) scalar(col int) string {
	in := strings.Repeat(" ", col+1+g.n(3))
	anchor := ""
	switch k := g.n(9); {
	case k == 0:
		g.anchors++
		anchor = fmt.Sprintf("&x%d ", g.anchors)
	case k < 3 && g.anchors > 0:
		return fmt.Sprintf("*x%d", 1+g.n(g.anchors-1)) + g.pick("", " # c")
	}
	return anchor + g.pick("a b", "''", "'it''s'", "\"a\\n\\u00e9\"", "5", "~", "yes", "2001-01-01",
		"!!str 5", "", "a:b#c", "é ü",
		"a\n"+in+"b\n\n"+in+"c", "'a\n\n"+in+"b'", "\"a\\\n"+in+"b\"", "|\n"+in+"a\n\n"+in+" b", ">-\n"+in+"a\n"+in+"b",
		"|+\n"+in+"a\n\n", "|2-\n"+strings.Repeat(" ", col+3)+"a") +
		g.pick("", "", "", " # c", "  ", "\t# d")
}

func (g *gen) flow(depth int) string {
	switch k := g.n(5); {
	case depth > 2 || k < 3:
		return g.pick("a", "'b, c'", "\"d\"", "7", "null", "x y")
	case k == 3:
		items := make([]string, g.n(3))
		for i := range items {
			items[i] = g.flow(depth + 1)
		}
		return "[" + strings.Join(items, g.pick(", ", ",", " , ")) + g.pick("]", " ]")
	default:
		items := make([]string, g.n(3))
		for i := range items {
			items[i] = g.name() + g.pick(": ", ":  ") + g.flow(depth+1)
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
}

func (g *gen) gap(col int) {
	g.b.WriteString(g.pick("", "", "", "\n", "# c\n", strings.Repeat(" ", col)+"# about\n"))
}

// block writes a mapping or sequence in column col; started says that its first line has begun.
func (g *gen) block(col, depth int, started bool) {
	list := depth > 0 && g.n(3) == 0
	for i := range 1 + g.n(4) {
		if i > 0 || !started {
			g.gap(col)
			g.b.WriteString(strings.Repeat(" ", col))
		}
		if list {
			g.b.WriteString("-")
		} else {
			g.b.WriteString(g.name() + ":")
		}
		switch k := g.n(6); {
		case depth < 4 && k == 0:
			g.b.WriteString(g.pick("\n", " # c\n"))
			g.block(col+1+g.n(3), depth+1, false)
		case depth < 4 && k == 1 && list:
			g.b.WriteString(" ")
			g.block(col+2, depth+1, true)
		case k == 2:
			g.b.WriteString(" " + g.flow(0) + g.pick("", " # c") + "\n")
		default:
			s := g.scalar(col)
			if strings.TrimSpace(s) != "" {
				s = " " + s
			}
			if block := strings.Contains(s, "|") ||
				strings.Contains(s, ">"); block { // nothing may stand behind its last line
				s = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(s, " # c"), "  "), "\t# d")
			}
			g.b.WriteString(s + "\n")
		}
	}
}

// state is what a reader sees: text by key, "" for all that is none.
func state(f *resource.File) map[string]string {
	m := make(map[string]string)
	for e := range f.Entries() {
		m[e.Key] = fmt.Sprint(e.Kind, e.Text)
	}
	return m
}

// Batches of random edits of random files leave the texts that a map would have.
func TestRandomEdits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := &gen{T: rt}
		g.block(0, 0, false)
		src := g.b.String()
		if g.n(3) == 0 {
			src = strings.TrimRight(src, "\n")
		}
		if g.n(4) == 0 {
			src = strings.ReplaceAll(src, "\n", "\r\n")
		}
		f, err := resource.Parse(yamlfile.Grammar, structured, []byte(src))
		if err != nil {
			rt.Fatalf("%v\n%q", err, src)
		}
		agree(rtTB{t, rt}, f)
		keys := slices.Sorted(maps.Keys(state(f)))
		var edits []resource.Edit
		for range g.n(6) {
			switch k := g.n(3); {
			case k == 0:
				edits = append(edits, resource.Edit{Op: resource.Set, Key: fmt.Sprint("new", g.n(9),
					g.pick("", "/a", "/b/c")), Text: rapid.SampledFrom(hard).Draw(rt, "text")})
			case len(keys) == 0:
			case k == 1:
				edits = append(edits, resource.Edit{Op: resource.Remove, Key: rapid.SampledFrom(keys).Draw(rt, "gone")})
			default:
				edits = append(edits, resource.Edit{Op: resource.Set, Key: rapid.SampledFrom(keys).Draw(rt, "set"),
					Text: rapid.SampledFrom(hard).Draw(rt, "text")})
			}
		}
		if edited(rtTB{t, rt}, f, edits) {
			rt.Fatalf("an edit is refused that could be made\n%q\n%v", src, edits)
		}
	})
}

// lostWithList reports whether a key is in a list that an edit takes something out of: a list is whole or absent.
func lostWithList(f *resource.File, key string, edits []resource.Edit) bool {
	e, ok := f.Lookup(key, "")
	for i := e.Node; ok && i >= 0; i = int(f.Node(i).Parent) {
		if f.Node(i).Kind != resource.List {
			continue
		}
		for _, edit := range edits {
			if at, ok := f.Lookup(edit.Key, ""); edit.Op == resource.Remove && ok && at.Node > i &&
				at.Node < int(f.Node(i).End) {
				return true
			}
		}
	}
	return false
}

// rtTB reports to rapid what agree reports to a test.
type rtTB struct {
	*testing.T
	rt *rapid.T
}

func (r rtTB) Fatalf(format string, args ...any) { r.rt.Fatalf(format, args...) }
func (r rtTB) Helper()                           {}

// What is taken out of a random file, or never was in it, comes back with that file as model: each text is read under
// its key, and nothing else is.
func TestRandomModels(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := &gen{T: rt}
		g.block(0, 0, false)
		like, err := resource.Parse(yamlfile.Grammar, structured, []byte(g.b.String()))
		if err != nil {
			rt.Fatal(err)
		}
		var takeOut, putIn []resource.Edit
		for e := range like.Entries() {
			if e.Kind == resource.Text {
				putIn = append(putIn, resource.Edit{Op: resource.Set, Key: e.Key, Text: e.Text})
			}
			if g.n(2) > 0 {
				takeOut = append(takeOut, resource.Edit{Op: resource.Remove, Key: e.Key})
			}
		}
		less, _ := like.Rewrite(takeOut, nil)
		for _, src := range []string{string(less), g.pick("", "# c\n", "---\n", "{}", "{ }\r\n", "\uFEFF", "...\n")} {
			f, err := resource.Parse(yamlfile.Grammar, structured, []byte(src))
			if err != nil {
				rt.Fatalf("%v\n%q", err, src)
			}
			out, refused := f.Rewrite(putIn, like)
			left := make(map[string]bool)
			for _, r := range refused { // an item cannot be added behind one that is no text and missing
				if left[r.Key] = true; f.Len() == 1 || !strings.Contains(r.Reason, "without the items before it") {
					rt.Fatalf("%v\n%q\n%q", r, src, out)
				}
			}
			full, err := resource.Parse(yamlfile.Grammar, structured, out)
			if err != nil {
				rt.Fatalf("%v\n%q\n%q", err, src, out)
			}
			agree(rtTB{t, rt}, full)
			for _, e := range putIn {
				if at, ok := full.Lookup(e.Key, ""); !left[e.Key] && (!ok || at.Text != e.Text) {
					rt.Fatalf("%q reads %q, want %q\n%q\n%q", e.Key, at.Text, e.Text, src, out)
				}
			}
			for key, text := range state(full) {
				if want, ok := state(like)[key]; !ok || want != text {
					rt.Fatalf("%q reads %q, and %q in the model\n%q\n%q", key, text, want, src, out)
				}
			}
		}
	})
}
