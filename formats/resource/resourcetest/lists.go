package resourcetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
)

// A list of the file, or the items of an Android array.
type list struct {
	key   string
	items [][]resource.Entry // its entries by item, whatever their kind
	texts []resource.Entry
}

// lists: whichever texts are taken out of a list, it is whole or absent afterwards, whatever else is in it: nulls,
// numbers, references, lists, maps.
func lists(t testing.TB, c Case, f *resource.File) {
	t.Helper()
	all := listsOf(c, f)
	if len(all) == 0 {
		return
	}
	src, err := c.Grammar.Compose(nil)
	if err != nil {
		t.Fatal(err)
	}
	none := parse(t, c, src, "a file without entries")
	for _, l := range all {
		for _, like := range []*resource.File{none, f} {
			most := 0
			if like == f {
				most = len(l.items)
			}
			l.without(t, c, f, like, most, l.texts...)
			for _, e := range []int{0, len(l.texts) / 2, len(l.texts) - 1} {
				l.without(t, c, f, like, most, l.texts[e])
			}
		}
	}
}

// listsOf finds lists with texts whose keys nothing else has, a few of them.
func listsOf(c Case, f *resource.File) []*list {
	all := make(map[int]*list)
	entries := slices.Collect(f.Entries())
	for _, e := range entries {
		item := e.Node
		for up := int(f.Node(item).Parent); up >= 0; item, up = up, int(f.Node(up).Parent) {
			isItem := f.Node(up).Kind == resource.List || f.Node(up).Kind == resource.Forms && e.Form >= "0" && e.Form <= "99"
			if !isItem || !c.Keys.Structured && f.Node(up).Kind != resource.Forms && up != 0 {
				continue
			}
			l := all[up]
			if l == nil {
				if len(all) == 8 {
					continue
				}
				l = &list{key: f.KeyOf(up)}
				all[up] = l
			}
			if n := len(l.items); n > 0 && itemOf(f, up, l.items[n-1][0].Node) == item {
				l.items[n-1] = append(l.items[n-1], e)
			} else {
				l.items = append(l.items, []resource.Entry{e})
			}
			if e.Kind == resource.Text {
				l.texts = append(l.texts, e)
			}
		}
	}
	keys, twice := make(map[string]bool), make(map[string]bool) // of values, empty ones too
	for i := range f.Len() {
		key := f.KeyOf(i)
		twice[key] = twice[key] || keys[key]
		keys[key] = true
	}
	var out []*list
	for _, l := range all {
		inside := 0
		for _, e := range entries {
			if l.has(c, e) {
				inside++
			}
		}
		for _, item := range l.items {
			inside -= len(item)
		}
		again := false // what an edit of a key means that two values have, or that is in one of two, cannot be told
		for key := range twice {
			around := list{key: key}
			isIn := l.has(c, resource.Entry{Key: key}) || around.has(c, resource.Entry{Key: l.key})
			again = again || twice[key] && isIn
		}
		if inside == 0 && len(l.texts) > 0 && !again {
			out = append(out, l)
		}
	}
	return out
}

// itemOf is the child of a container that a node is, or is in.
func itemOf(f *resource.File, of, node int) int {
	for int(f.Node(node).Parent) != of {
		node = int(f.Node(node).Parent)
	}
	return node
}

// has reports whether an entry has a key of the list.
func (l *list) has(c Case, e resource.Entry) bool {
	sep := c.Keys.Separator
	if sep == "" {
		sep = "/"
	}
	return l.key == "" || e.Key == l.key || strings.HasPrefix(e.Key, l.key+sep)
}

// without takes texts out of the list, and looks at what is left of it: nothing, or the items that it began with, at
// least most, and each that had a text has one.
func (l *list) without(t testing.TB, c Case, f, like *resource.File, most int, texts ...resource.Entry) {
	t.Helper()
	doing := fmt.Sprintf("remove %d of the texts of the list %q, %q first, a model of %d nodes",
		len(texts), l.key, texts[0].Key, like.Len())
	var edits []resource.Edit
	for _, e := range texts {
		edits = append(edits, resource.Edit{Op: resource.Remove, Key: e.Key, Form: e.Form})
	}
	out, refusals := f.Rewrite(edits, like)
	if refused(t, c, f, doing, out, refusals) {
		return
	}
	g := parse(t, c, out, doing)
	left, keyed := make(map[name]resource.Kind), make(map[int]bool)
	for e := range g.Entries() {
		keyed[e.Node] = true
		if l.has(c, e) {
			left[name{e.Key, e.Form}] = e.Kind
		}
	}
	ended, texted := false, false
	for i := range g.Len() { // what is in nested names may have no key, and a program reads it
		texted = texted || !c.Keys.Structured && g.Node(i).Kind == resource.Text && !keyed[i]
	}
	for i, item := range l.items {
		was, is, here := false, false, false
		for _, e := range item {
			kind, there := left[name{e.Key, e.Form}]
			here = here || there
			was, is = was || e.Kind == resource.Text, is || there && kind == resource.Text
		}
		switch {
		case here && ended:
			t.Fatalf("%s: item %d is there without those before it\n--- result\n%s", doing, i, clip(out))
		case here && was && !is:
			t.Fatalf("%s: item %d lost its last text\n--- result\n%s", doing, i, clip(out))
		case !here && len(left) > 0 && i < most:
			t.Fatalf("%s: item %d of %d is gone, and others are there\n--- result\n%s", doing, i, most, clip(out))
		}
		ended, texted = ended || !here, texted || is
	}
	if len(left) > 0 && !texted {
		t.Fatalf("%s: what is left has no text\n--- before\n%s\n--- result\n%s", doing, clip(f.Bytes()), clip(out))
	}
}
