package yamlfile_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
	"github.com/locsync/locsync/formats/yamlfile"
)

// Names of more than 1,024 characters are no implicit keys to many readers: a new long one is an explicit key.
func TestLongNames(t *testing.T) {
	name := strings.Repeat("ключ ", 2000) + "x"
	for _, src := range []string{"? " + name + "\n: oldword\n", "{'" + name + "': oldword}\n"} {
		replaceWord(t, []byte(src), check(t, []byte(src)))
	}
	out, refused := parse(t, []byte("a: x\n")).Rewrite(edits(name+"=z"), nil)
	if want := "a: x\n? " + name + "\n: z\n"; len(refused) > 0 || string(out) != want {
		t.Errorf("%v", refused)
	}
	_, refused = parse(t, []byte("{a: x}\n")).Rewrite(edits(name+"=z"), nil)
	if len(refused) != 1 {
		t.Errorf("a long name in a flow mapping: %v, want it refused", refused)
	}
}

func TestLargeTexts(t *testing.T) {
	text := strings.Repeat("words and words\n", 1<<16)
	for _, src := range []string{"b: |\n  x\nc: \"x\\n\"\n", "{c: [x]}\n"} {
		f := parse(t, []byte(src))
		for e := range f.Entries() {
			out, refused := f.Rewrite([]resource.Edit{{Op: resource.Set, Key: e.Key, Text: text}}, nil)
			if len(refused) > 0 {
				t.Fatal(refused)
			}
			g := parse(t, out)
			if got, ok := g.Lookup(e.Key, ""); !ok || got.Text != text {
				t.Fatalf("%s: a text of %d bytes does not read back", e.Key, len(text))
			}
			agree(t, g)
		}
	}
}

func TestDepth(t *testing.T) {
	nested := func(depth int) map[string]string {
		return map[string]string{
			"block": nestedMaps(depth),
			"list":  strings.Repeat("- ", depth) + "oldword\n",
			"flow":  strings.Repeat("{k: ", depth) + "oldword" + strings.Repeat("}", depth) + "\n",
			"mixed": strings.Repeat("- ", depth/2) + strings.Repeat("[", depth-depth/2) + "oldword" +
				strings.Repeat("]", depth-depth/2) + "\n",
		}
	}
	for kind, src := range nested(resource.MaxDepth) {
		f := parse(t, []byte(src))
		agree(t, f)
		replaceWord(t, []byte(src), f)
		key := ""
		for e := range f.Entries() {
			key = e.Key
		}
		// One more level is not written.
		_, refused := f.Rewrite(edits(key+"z/z=x"), nil)
		if len(refused) != 1 {
			t.Errorf("%s: a collection too deep: %v, want it refused", kind, refused)
		}
	}
	for kind, src := range nested(resource.MaxDepth + 1) {
		if _, err := resource.Parse(yamlfile.Grammar, structured, []byte(src)); err == nil {
			t.Errorf("%s: %d levels are read, want them refused", kind, resource.MaxDepth+1)
		}
	}
}

// A file that is cut anywhere, as one is that is just being written, is refused or read as what it still has; small
// ones keep the laws. YAML itself cannot tell a cut file from a shorter one.
func TestCuts(t *testing.T) {
	resourcetest.Long(t)
	cuts := func(src []byte) {
		t.Helper()
		resourcetest.Cuts(t, resourcetest.Case{Grammar: yamlfile.Grammar, Keys: structured, Src: src},
			func(string, string) bool { return true })
	}
	small := slices.Clone(examples)
	for _, e := range resourcetest.Edges(t) {
		small = append(small, string(e.Src))
	}
	for _, src := range small {
		cuts([]byte(src))
		for i := range min(len(src), 200) {
			check(t, []byte(src[:i]))
		}
	}
	for _, real := range resourcetest.Corpus(t, "yaml") {
		if !bytes.Contains(real.Src,
			[]byte("<<:")) { // cut before one, its mapping is an entry without a value, and was none
			cuts(real.Src)
		}
	}
}

func TestThousandInserts(t *testing.T) {
	for _, test := range []struct{ src, shape string }{
		{"a: x\n", "new_%d"}, {"{a: x}\n", "new_%d"}, {"g:\n  a: x\n", "g/new_%d"}, {"g: {a: x}\n", "h/%d/x"}, {"",
			"new_%d"},
	} {
		f := parse(t, []byte(test.src))
		var all []resource.Edit
		for i := range 1000 {
			all = append(all, resource.Edit{Op: resource.Set, Key: fmt.Sprintf(test.shape, i),
				Text: fmt.Sprint("text ", i)})
		}
		out, refused := f.Rewrite(all, nil)
		if len(refused) > 0 {
			t.Fatal(refused)
		}
		g := parse(t, out)
		agree(t, g)
		for _, e := range all {
			if at, ok := g.Lookup(e.Key, ""); !ok || at.Text != e.Text {
				t.Fatalf("%q reads %q", e.Key, at.Text)
			}
		}
		for i := range all { // and out again
			all[i].Op = resource.Remove
		}
		back, refused := g.Rewrite(all, nil)
		if len(refused) > 0 || string(back) != test.src {
			t.Errorf("%q: not restored: %v %q", test.src, refused, back[:min(len(back), 100)])
		}
	}
}

// Long names, large texts, a million keys, deep nesting, in the shapes that all formats share.
func TestSizes(t *testing.T) {
	resourcetest.Long(t)
	entry := func(name, text string) string {
		if strings.HasSuffix(name, " ") {
			name = "'" + name + "'"
		}
		if text == "y" { // a boolean to some
			text = "\"y\""
		}
		return name + ": " + text
	}
	for name, s := range map[string]resourcetest.Shapes{
		"flat": {
			Entry: entry, File: func(entries []string) string {
				return strings.Join(entries, "\n") + "\n"
			}, Deep: nestedMaps,
		},
		"Rails": {
			Keys:  resource.Keys{Structured: true, Roots: []string{"en"}},
			Entry: entry, File: func(entries []string) string {
				return "en:\n  " + strings.Join(entries, "\n  ") + "\n"
			}, Deep: nestedMaps,
			Quick: true,
		},
		"quoted": {
			Entry:    func(name, text string) string { return "'" + name + "': \"" + text + "\"" },
			File:     func(entries []string) string { return strings.Join(entries, "\r\n") },
			NameCost: 2, Quick: true,
		},
	} {
		s.Grammar = yamlfile.Grammar
		t.Run(name, s.Check)
	}
}

func nestedMaps(depth int) string {
	var out strings.Builder
	for i := range depth {
		fmt.Fprintf(&out, "\n%*sk:", i, "")
	}
	return out.String()[1:] + " oldword\n"
}

// Time grows with the size of a file and not with its square, whatever is in it.
func TestLinearTime(t *testing.T) {
	resourcetest.Long(t)
	for name, input := range map[string]func(n int) string{
		"aliases":        func(n int) string { return "a: &x z\nl:\n" + strings.Repeat("- *x\n", n) },
		"alias entries":  func(n int) string { return "a: &x z\n" + counted(n, "k%d: *x\n") },
		"anchors":        func(n int) string { return counted(n, "k%[1]d: &a%[1]d z\nl%[1]d: *a%[1]d\n") },
		"blank lines":    func(n int) string { return "a: x\n" + strings.Repeat("\n", 8*n) + "b: z\n" },
		"blank in block": func(n int) string { return "a: |\n  x\n" + strings.Repeat("\n", 8*n) + "b: z\n" },
		"blocks":         func(n int) string { return counted(n, "k%d: |\n\n  x\n\n") },
		"kept blocks":    func(n int) string { return counted(n, "k%d: |+\n  x\n\n") },
		"comments":       func(n int) string { return strings.Repeat("# c\n", n) + "a: x\n" },
		"deep comments":  func(n int) string { return counted(n, "k%d: x\n  # c\n# d\n") },
		"open quotes":    func(n int) string { return strings.Repeat("a: 'x\n", n) },
		"open brackets":  func(n int) string { return strings.Repeat("[", n) },
		"open braces":    func(n int) string { return strings.Repeat("{a: ", n) },
		"open dashes":    func(n int) string { return strings.Repeat("- ", n) },
		"open marks":     func(n int) string { return strings.Repeat("? ", n) },
		"properties":     func(n int) string { return strings.Repeat("&a !b ", n) },
		"plain lines":    func(n int) string { return "a: x\n" + strings.Repeat("  x\n", n) + "b: z\n" },
		"double lines":   func(n int) string { return "a: \"x\n" + strings.Repeat("  x \\\n", n) + "\"\nb: z\n" },
		"spaces":         func(n int) string { return "a: \"x" + strings.Repeat(" ", 8*n) + "\\n\"\n" },
		"flow lines":     func(n int) string { return "a: [" + strings.Repeat("x,\n ", n) + "z]\n" },
		"flow comments":  func(n int) string { return "a: {" + counted(n, "k%d: x, # c\n ") + "}\n" },
		"flow names":     func(n int) string { return "a: {\n" + strings.Repeat(" é: x,", n) + "}\n" },
		"merge keys":     func(n int) string { return strings.Repeat("- <<: {a: &b c}\n", n) },
		"sealed":         func(n int) string { return counted(n, "? [k%d]\n: {a: &b c}\n") },
		"hashes":         func(n int) string { return "a: " + strings.Repeat("x#", 8*n) + "\n" },
		"colons":         func(n int) string { return "a: " + strings.Repeat("x:", 8*n) + "\n" },
		"one name":       func(n int) string { return strings.Repeat("k: x\n", n) },
		"documents":      func(n int) string { return counted(n, "---\nk%d: x\n") },
		"bombs":          func(n int) string { return "a0: &a0 [x]\n" + bomb(n) },
		"deep":           func(n int) string { return strings.Repeat(nestedMaps(400)+"---\n", 1+n/400) },
	} {
		resourcetest.LinearCase(t, name, resourcetest.Case{Grammar: yamlfile.Grammar, Keys: structured},
			func(n int) []byte { return []byte(input(n)) })
	}
	for _, src := range examples {
		resourcetest.LinearCase(t, src, resourcetest.Case{Grammar: yamlfile.Grammar, Keys: structured},
			func(n int) []byte { return bytes.Repeat([]byte(src), n) })
	}
}

func counted(n int, format string) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, format, i)
	}
	return out.String()
}

// bomb is the file that grows without end where aliases are expanded.
func bomb(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, "a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	return out.String()
}
