package yamlfile_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
	"github.com/locsync/locsync/formats/yamlfile"
)

func TestLongNames(t *testing.T) {
	for _, length := range []int{10_000, 60_000} {
		name := strings.Repeat("ключ ", length/len("ключ ")) + "x"
		for _, src := range []string{name + ": oldword\n", "? " + name + "\n: oldword\n", "{'" + name + "': oldword}\n"} {
			f := check(t, []byte(src))
			if e, ok := f.Lookup(name, ""); !ok || e.Text != "oldword" {
				t.Fatalf("a name of %d bytes is not found", len(name))
			}
			replaceWord(t, []byte(src), f)
		}
		// Implicit keys end after 1,024 characters to many readers: a new long one is an explicit key.
		out, refused, err := parse(t, []byte("a: x\n")).Rewrite(edits(name+"=z"), nil)
		if want := "a: x\n? " + name + "\n: z\n"; err != nil || len(refused) > 0 || string(out) != want {
			t.Errorf("%v %v", refused, err)
		}
		_, refused, err = parse(t, []byte("{a: x}\n")).Rewrite(edits(name+"=z"), nil)
		if err != nil || len(refused) != 1 {
			t.Errorf("a long name in a flow mapping: %v %v, want it refused", refused, err)
		}
	}
	_, refused, err := parse(t, []byte("a: x\n")).Rewrite(edits(strings.Repeat("x", resource.MaxName+1)+"=z"), nil)
	if err != nil || len(refused) != 1 {
		t.Errorf("a name that is too long: %v %v, want it refused", refused, err)
	}
}

func TestLargeTexts(t *testing.T) {
	text := strings.Repeat("words and words\n", 1<<16)
	for _, src := range []string{"a: x\nb: |\n  x\nc: \"x\\n\"\nd: 'x'\n", "{a: x, b: \"x\", c: [x]}\n"} {
		f := parse(t, []byte(src))
		for e := range f.Entries() {
			out, refused, err := f.Rewrite([]resource.Edit{{Op: resource.Set, Key: e.Key, Text: text}}, nil)
			if err != nil || len(refused) > 0 {
				t.Fatal(refused, err)
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
		var block, keys strings.Builder
		for i := range depth {
			fmt.Fprintf(&block, "%s%sk:", strings.Repeat(" ", i), keys.String())
			block.WriteString("\n")
		}
		src := strings.TrimSuffix(block.String(), "\n") + " oldword\n"
		return map[string]string{
			"block": src,
			"list":  strings.Repeat("- ", depth) + "oldword\n",
			"flow":  strings.Repeat("{k: ", depth) + "oldword" + strings.Repeat("}", depth) + "\n",
			"mixed": strings.Repeat("- ", depth/2) + strings.Repeat("[", depth-depth/2) + "oldword" + strings.Repeat("]", depth-depth/2) + "\n",
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
		_, refused, err := f.Rewrite(edits(key+"z/z=x"), nil)
		if err != nil || len(refused) != 1 {
			t.Errorf("%s: a collection too deep: %v %v, want it refused", kind, refused, err)
		}
	}
	for kind, src := range nested(resource.MaxDepth + 1) {
		if _, err := resource.Parse(yamlfile.Grammar, structured, []byte(src)); err == nil {
			t.Errorf("%s: %d levels are read, want them refused", kind, resource.MaxDepth+1)
		}
	}
	for _, src := range []string{strings.Repeat("- ", 1<<20), strings.Repeat("[", 1<<20), strings.Repeat("{a: ", 1<<20), strings.Repeat("? ", 1<<20), strings.Repeat("&a !b ", 1<<18), strings.Repeat("[&a ", 1<<18)} {
		if _, err := resource.Parse(yamlfile.Grammar, structured, []byte(src)); err == nil {
			t.Errorf("%.20q: read, want it refused", src)
		}
	}
}

// A file cut anywhere is read or refused, and what is read keeps the laws.
func TestPrefixes(t *testing.T) {
	all := append([]string(nil), examples...)
	for _, e := range resourcetest.Edges(t) {
		all = append(all, string(e.Src))
	}
	for _, src := range all {
		for i := range min(len(src), 200) {
			check(t, []byte(src[:i]))
		}
	}
}

func TestThousandInserts(t *testing.T) {
	for _, test := range []struct{ src, shape string }{
		{"a: x\n", "new_%d"}, {"{a: x}\n", "new_%d"}, {"g:\n  a: x\n", "g/new_%d"}, {"g: {a: x}\n", "h/%d/x"}, {"", "new_%d"},
	} {
		f := parse(t, []byte(test.src))
		var all []resource.Edit
		for i := range 1000 {
			all = append(all, resource.Edit{Op: resource.Set, Key: fmt.Sprintf(test.shape, i), Text: fmt.Sprint("text ", i)})
		}
		out, refused, err := f.Rewrite(all, nil)
		if err != nil || len(refused) > 0 {
			t.Fatal(refused, err)
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
		back, refused, err := g.Rewrite(all, nil)
		if err != nil || len(refused) > 0 || string(back) != test.src {
			t.Errorf("%q: not restored: %v %v %q", test.src, refused, err, back[:min(len(back), 100)])
		}
	}
}

// What could take time that grows with the square of the size takes about as long as other files of that size.
func TestLinearTime(t *testing.T) {
	const n = 1 << 17
	aliases := "a: &x z\nl:\n" + strings.Repeat("- *x\n", n)
	var anchors strings.Builder
	for i := range n / 4 {
		fmt.Fprintf(&anchors, "k%d: &a%d z\nl%d: *a%d\n", i, i, i, i)
	}
	for name, src := range map[string]string{
		"aliases": aliases, "anchors": anchors.String(), "blank lines": "a: x\n" + strings.Repeat("\n", n) + "b: z\n", "comments": strings.Repeat("# c\n", n) + "a: x\n",
		"open quotes": strings.Repeat("a: 'x\n", n), "plain lines": "a: x\n" + strings.Repeat("  x\n", n) + "b: z\n", "spaces": "a: \"x" + strings.Repeat(" ", n*4) + "\\n\"\n",
		"flow lines": "a: [" + strings.Repeat("x,\n ", n) + "z]\n", "merge keys": strings.Repeat("- <<: {a: &b c}\n", n/4), "flow names": "a: {\n" + strings.Repeat(" é: x,", n) + "}\n",
	} {
		start := time.Now()
		f, err := resource.Parse(yamlfile.Grammar, structured, []byte(src))
		if err == nil {
			changed := 0
			var all []resource.Edit
			for e := range f.Entries() {
				if changed++; changed%2 == 0 && !e.Item {
					all = append(all, resource.Edit{Op: resource.Remove, Key: e.Key})
				} else if !e.Item {
					all = append(all, resource.Edit{Op: resource.Set, Key: e.Key, Text: "changed\n"})
				}
			}
			if _, _, err := f.Rewrite(all, f); err != nil {
				t.Error(name, err)
			}
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: %d bytes took %v", name, len(src), took)
		} else {
			t.Log(name, len(src), took)
		}
	}
}
