package resourcetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/locsync/locsync/formats/resource"
)

// together: many edits at once are the same edits one by one. Contents are the same; the order of the entries is where
// not both comes and goes something, since what comes replaces a container that went in between; and the
// bytes are where nothing goes.
func together(t testing.TB, c Case, f *resource.File, edits []resource.Edit) {
	t.Helper()
	at, faults, goes, comes := f, false, false, false
	for _, e := range edits {
		_, there := f.Lookup(e.Key, e.Form)
		goes, comes = goes || e.Op == resource.Remove, comes || e.Op == resource.Set && !there
		doing := fmt.Sprintf("one by one: %v", e)
		out, refusals := at.Rewrite([]resource.Edit{e}, nil)
		refused(t, c, at, doing, out, refusals)
		if faults = faults || unproven(refusals); len(refusals) == 0 {
			at = parse(t, c, out, doing)
		}
	}
	out, refusals := f.Rewrite(edits, nil)
	legitimate(t, c, f, "at once", refusals)
	g := parse(t, c, out, "at once")
	if faults || unproven(refusals) { // what is a fault in one file may be none in a file that other edits made
		return
	}
	same(t, "at once", contents(at), contents(g), out)
	if !(goes && comes) {
		inOrder(t, "at once", names(at), names(g), out)
	}
	if !goes && !comes && !bytes.Equal(out, at.Bytes()) {
		t.Fatalf("at once: not the bytes of the same edits one by one\n--- at once\n%s\n--- one by one\n%s",
			clip(out), clip(at.Bytes()))
	}
}

func names(f *resource.File) []name {
	var all []name
	for e := range f.Entries() {
		all = append(all, name{e.Key, e.Form})
	}
	return all
}

// Batch makes n edits of the case's file, at once and one by one, and compares. It draws texts, removals and new
// entries, in what is there and beside it, from random. A list is left alone where other edits are in it, as it goes
// whole.
func Batch(t testing.TB, c Case, n int, random *rand.Rand) {
	t.Helper()
	f := parse(t, c, c.Src, "batch")
	sep := c.Keys.Separator
	if sep == "" {
		sep = "/"
	}
	texts := append([]string{"x", "several words", "batch"}, c.NewTexts...)
	entries := slices.Collect(f.Entries())
	lists := listed(f, entries)
	var edits []resource.Edit
	edited := make(map[string]bool)
	for i := 0; len(edits) < n && i < 4*n; i++ {
		e := resource.Edit{Op: resource.Set, Text: texts[random.IntN(len(texts))]}
		pick := random.IntN(10)
		if pick < 7 && len(entries) > 0 {
			k := random.IntN(len(entries))
			last, _ := f.Lookup(entries[k].Key, entries[k].Form)
			if lists[k] || entries[k].Form != "" || last.Kind != resource.Text && repeated(f, last.Node) {
				continue
			}
			e.Key = entries[k].Key
			if pick < 2 {
				e.Op, e.Text = resource.Remove, ""
			}
		} else {
			e.Key = fmt.Sprintf("zz %d", i)
			switch {
			case !c.Keys.Structured:
			case pick == 7:
				e.Key = fmt.Sprintf("zz nested %d%skey %d", random.IntN(5), sep, i)
			case pick == 8 && len(entries) > 0:
				if k := random.IntN(len(entries)); !lists[k] && entries[k].Form == "" {
					e.Key = entries[k].Key[:len(entries[k].Key)-len(lastName(entries[k].Key, sep))] + e.Key
				}
			}
		}
		if edited[e.Key] {
			continue
		}
		edited[e.Key] = true
		edits = append(edits, e)
	}
	together(t, c, f, edits)
}

// listed says of each entry whether it is in a list, or has the key of one that does.
func listed(f *resource.File, entries []resource.Entry) []bool {
	keys := make(map[string]bool)
	for _, e := range entries {
		for i := e.Node; i >= 0; i = int(f.Node(i).Parent) {
			if f.Node(i).Kind == resource.List {
				keys[e.Key] = true
			}
		}
	}
	in := make([]bool, len(entries))
	for i, e := range entries {
		in[i] = keys[e.Key]
	}
	return in
}
