// Package resourcetest holds the laws of package resource as checks that every grammar's tests run, over their own
// examples, the edge cases, a corpus of real files, and whatever a fuzzer finds. It is imported by tests only.
package resourcetest

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/formats/resource"
)

// Case is a file to check the laws on.
type Case struct {
	Grammar resource.Grammar
	Keys    resource.Keys
	Src     []byte

	// NewTexts are texts that Set and Insert are tried with besides plain ones: those the format finds hard to spell.
	NewTexts []string
	// Any says that the input may be anything, as a fuzzer's is. There only safety is a law: an edit is done exactly, or
	// refused with the bytes unchanged. Elsewhere, in examples, edge cases, real files and generated ordinary ones,
	// liveness is one too: no edit is refused because what the grammar wrote did not read back
	// (resource.Refusal.Unproven), and every other refusal must be one that Refuses names.
	Any bool
	// Refuses says whether a refusal is one of the format's own rules; see Rules. nil allows all but the unproven ones.
	Refuses func(f *resource.File, r resource.Refusal) bool

	// Undone says whether removing an entry that was just inserted gives the old bytes back. It does everywhere but in
	// the cases that the grammar's package comment names. nil means always.
	Undone func(f *resource.File, key string) bool
}

// name of an entry within its file.
type name struct{ key, form string }

// contents is what a reader of the file sees: every text that has a key. Of several with one name the last counts.
func contents(f *resource.File) map[name]string {
	m := make(map[name]string)
	for e := range f.Entries() {
		m[name{e.Key, e.Form}] = content(f, e)
	}
	return m
}

func content(f *resource.File, e resource.Entry) string {
	switch e.Kind {
	case resource.Text:
		return "text:" + e.Text
	case resource.Null:
		return "null"
	}
	n := f.Node(e.Node)
	if n.Ref != 0 {
		n = f.Node(int(n.Ref))
	}
	return "raw:" + n.Value.Of(f.Source())
}

// held reports whether any entry of this name, not only the last, holds this.
func held(f *resource.File, k name, v string) bool {
	for e := range f.Entries() {
		if (name{e.Key, e.Form}) == k && content(f, e) == v {
			return true
		}
	}
	return false
}

// Check parses the case and holds it against every law. A file that does not parse is fine: refusing is always allowed
// here. It returns the file, nil when it was refused.
func Check(t testing.TB, c Case) *resource.File {
	t.Helper()
	if c.Any {
		bounded(t, c)
	}
	f, err := resource.Parse(c.Grammar, c.Keys, c.Src)
	if err != nil {
		if _, ok := err.(*resource.SyntaxError); !ok {
			t.Fatalf("refused with %T, want a *SyntaxError: %v", err, err)
		}
		return nil
	}
	nodes(t, f)
	identity(t, c, f)
	before := contents(f)
	for _, e := range sample(f) {
		exactness(t, c, f, before, e)
		removal(t, c, f, before, e)
	}
	lists(t, c, f)
	fresh(t, c, f)
	insertion(t, c, f, before)
	batch(t, c, f)
	return f
}

// bounded holds reading to a time for each byte, hundreds of times what it takes, since whatever else the process does
// counts too. What grows faster than the input is found by Linear, which a fuzzer cannot bear: its inputs would be
// chosen by the time that they take.
func bounded(t testing.TB, c Case) {
	t.Helper()
	most := 50*time.Millisecond + time.Duration(len(c.Src))*10*time.Microsecond
	if took := quickest(func(src []byte) { _, _ = resource.Parse(c.Grammar, c.Keys, src) }, c.Src, 1); took > most {
		if took = quickest(func(src []byte) { _, _ = resource.Parse(c.Grammar, c.Keys, src) }, c.Src, 5); took > most {
			t.Fatalf("reading %d bytes took %v", len(c.Src), took)
		}
	}
}

// refused holds one edit's refusal against safety and liveness, and reports whether there was one.
func refused(t testing.TB, c Case, f *resource.File, doing string, out []byte, refusals []resource.Refusal) bool {
	t.Helper()
	if len(refusals) == 0 {
		return false
	}
	if !bytes.Equal(out, f.Bytes()) {
		t.Fatalf("%s: refused (%v), and yet bytes changed\n--- result\n%s", doing, refusals, clip(out))
	}
	legitimate(t, c, f, doing, refusals)
	return true
}

// legitimate holds refusals against liveness.
func legitimate(t testing.TB, c Case, f *resource.File, doing string, refusals []resource.Refusal) {
	t.Helper()
	for _, r := range refusals {
		switch {
		case r.Reason == "":
			t.Fatalf("%s: %v is refused without a reason", doing, r.Edit)
		case !c.Any && (r.Unproven || c.Refuses != nil && !c.Refuses(f, r)):
			t.Fatalf("%s: refused: %v\n--- file\n%s", doing, r, clip(f.Bytes()))
		}
	}
}

// Rules is a Case.Refuses that allows refusals whose reason has one of these words in it, and those of package
// resource: lists are whole or absent, and a key cannot be a text and a container at once.
func Rules(reasons ...string) func(*resource.File, resource.Refusal) bool {
	reasons = append(reasons, "cannot stand without the items before it", "a list is whole or absent",
		"the list is not complete without its other items",
		"other keys are below it here", "holds a single value here")
	return func(_ *resource.File, r resource.Refusal) bool {
		return slices.ContainsFunc(reasons, func(reason string) bool { return strings.Contains(r.Reason, reason) })
	}
}

// unproven reports whether a grammar's fault is among the refusals.
func unproven(refusals []resource.Refusal) bool {
	return slices.ContainsFunc(refusals, func(r resource.Refusal) bool { return r.Unproven })
}

// nodes checks that the layout is a tree in pre-order whose spans lie inside one another and do not overlap.
func nodes(t testing.TB, f *resource.File) {
	t.Helper()
	if f.Len() == 0 || f.Node(0).Parent != -1 || int(f.Node(0).End) != f.Len() {
		t.Fatalf("layout: node 0 is not a root over all %d nodes", f.Len())
	}
	for i := 1; i < f.Len(); i++ {
		n := f.Node(i)
		up := f.Node(int(n.Parent))
		switch {
		case int(n.Parent) >= i || n.End > up.End || int(n.End) <= i:
			t.Fatalf("layout: node %d does not lie inside its parent %d", i, n.Parent)
		case n.Kind <= resource.Other && int(n.End) != i+1:
			t.Fatalf("layout: leaf %d has descendants", i)
		case n.Value.Start > n.Value.End || n.Value.Start < n.Whole.Start || n.Value.End > n.Whole.End:
			t.Fatalf("layout: node %d: value %v outside of the entry %v", i, n.Value, n.Whole)
		case n.Name.Len() > 0 && (n.Name.Start < n.Whole.Start || n.Name.End > n.Whole.End):
			t.Fatalf("layout: node %d: name %v outside of the entry %v", i, n.Name, n.Whole)
		case int(n.Whole.End) > len(f.Source()):
			t.Fatalf("layout: node %d ends behind the file", i)
		}
	}
}

func identity(t testing.TB, c Case, f *resource.File) {
	t.Helper()
	if !bytes.Equal(f.Bytes(), c.Src) {
		t.Fatal("identity: Bytes differ from what was parsed")
	}
	out, refused := f.Rewrite(nil, f)
	if len(refused) > 0 || !bytes.Equal(out, c.Src) {
		t.Fatalf("identity: Rewrite without edits: %v", refused)
	}
	var same []resource.Edit
	for e := range f.Entries() {
		if l, _ := f.Lookup(e.Key, e.Form); l.Kind == resource.Text { // of several with one name, the last
			same = append(same, resource.Edit{Op: resource.Set, Key: e.Key, Form: e.Form, Text: l.Text})
		}
	}
	out, refused = f.Rewrite(same, f)
	if len(refused) > 0 || !bytes.Equal(out, c.Src) {
		t.Fatalf("idempotence: setting every text to itself: refused %v, changed %v", refused, !bytes.Equal(out, c.Src))
	}
}

// sample picks up to a dozen entries, first and last among them; fewer of a large file, whose laws take long.
func sample(f *resource.File) []resource.Entry {
	all, n := slices.Collect(f.Entries()), 12
	if len(all) > 1000 {
		n = 5
	}
	if len(all) <= n {
		return all
	}
	var some []resource.Entry
	for i := range n {
		some = append(some, all[i*(len(all)-1)/(n-1)])
	}
	return some
}

func parse(t testing.TB, c Case, src []byte, doing string) *resource.File {
	t.Helper()
	f, err := resource.Parse(c.Grammar, c.Keys, src)
	if err != nil {
		t.Fatalf("%s: the result does not parse: %v\n--- result\n%s", doing, err, clip(src))
	}
	return f
}

func clip(b []byte) []byte { return b[:min(len(b), 3000)] }

// exactness: Set changes the bytes of the value, and all that a reader sees is that one text.
func exactness(t testing.TB, c Case, f *resource.File, before map[name]string, e resource.Entry) {
	t.Helper()
	at, _ := f.Lookup(e.Key, e.Form)
	span := f.Node(at.Node).Value
	for _, text := range append([]string{"x", at.Text + "!"}, c.NewTexts...) {
		doing := fmt.Sprintf("set %q %q to %q", e.Key, e.Form, text)
		out, refusals := f.Rewrite([]resource.Edit{{Op: resource.Set, Key: e.Key, Form: e.Form, Text: text}}, f)
		if refused(t, c, f, doing, out, refusals) {
			continue
		}
		g := parse(t, c, out, doing)
		src, now := f.Source(), g.Source()
		tail := len(src) - int(span.End)
		const declared = ` xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">`
		end := int(span.Start) - 1 // of a start tag
		if end >= 0 && src[end] == '>' && strings.HasPrefix(now[min(end, len(now)):], declared) {
			now = now[:end] + ">" + now[end+len(declared):] // what the new text needs, on its element
		}
		kept := len(now) >= int(span.Start)+tail &&
			now[:span.Start] == src[:span.Start] && now[len(now)-tail:] == src[span.End:]
		if !kept && !repeated(f, at.Node) && !besides(c.Grammar, f, at.Node, text, now) {
			t.Fatalf("%s: bytes outside of the value at %v changed\n--- before\n%s\n--- after\n%s",
				doing, span, clip([]byte(src)), clip([]byte(now)))
		}
		want := maps.Clone(before)
		want[name{e.Key, e.Form}] = "text:" + text
		same(t, doing, want, contents(g), out)
		inOrder(t, doing, names(f), names(g), out)
	}
}

// besides reports whether what a bilingual grammar changes beside the value of node i makes up for all other bytes.
func besides(g resource.Grammar, f *resource.File, i int, text, now string) bool {
	b, is := g.(resource.Bilingual)
	if !is {
		return false
	}
	value := f.Node(i).Value
	splices := append(b.Beside(f, i, map[int]string{i: text}, nil), resource.Splice{At: value})
	slices.SortFunc(splices, func(a, b resource.Splice) int { return cmp.Compare(a.At.Start, b.At.Start) })
	at, head, tail := 0, "", ""
	for _, s := range splices {
		head += f.Source()[at:s.At.Start]
		at = int(s.At.End)
		if s.At == value {
			tail, head = head, ""
			continue
		}
		head += s.Text
	}
	head += f.Source()[at:]
	return strings.HasPrefix(now, tail) && strings.HasSuffix(now[len(tail):], head)
}

// inOrder checks that what is read in a file comes in the order that it is to have.
func inOrder(t testing.TB, doing string, want, got []name, out []byte) {
	t.Helper()
	if !slices.Equal(want, got) {
		t.Fatalf("%s: the order is %.500v, want %.500v\n--- result\n%s", doing, got, want, clip(out))
	}
}

// without is names but for those of one entry.
func without(names []name, key, form string) []name {
	return slices.DeleteFunc(slices.Clone(names), func(n name) bool { return n == name{key, form} })
}

// repeated reports whether other nodes repeat the value of node i. Setting it then changes bytes there, too: they get a
// text of their own, so that they still read as before.
func repeated(f *resource.File, i int) bool {
	for j := range f.Len() {
		if int(f.Node(j).Ref) == i && i != 0 {
			return true
		}
	}
	return false
}

func same(t testing.TB, doing string, want, got map[name]string, out []byte) {
	t.Helper()
	var bad []name
	for k, w := range want {
		if g, ok := got[k]; !ok || g != w {
			bad = append(bad, k)
		}
	}
	if len(bad) > 0 {
		byName := func(a, b name) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.form, b.form)) }
		k := slices.MinFunc(bad, byName)
		t.Fatalf("%s: %q reads as %q, want %q\n--- result\n%s", doing, k, got[k], want[k], clip(out))
	}
	for k, g := range got {
		if _, ok := want[k]; !ok {
			t.Fatalf("%s: %q appeared, reading as %q\n--- result\n%s", doing, k, g, clip(out))
		}
	}
}

// removal: Remove takes out the entry (or the list it is an item of) and nothing else a reader sees.
func removal(t testing.TB, c Case, f *resource.File, before map[name]string, e resource.Entry) {
	t.Helper()
	doing := fmt.Sprintf("remove %q %q", e.Key, e.Form)
	out, refusals := f.Rewrite([]resource.Edit{{Op: resource.Remove, Key: e.Key, Form: e.Form}}, f)
	if refused(t, c, f, doing, out, refusals) {
		return
	}
	g := parse(t, c, out, doing)
	after := contents(g)
	for k, v := range after {
		// where a list goes, another entry of a name in it counts
		gap := v == "null" && k == name{e.Key, e.Form} && keepsGaps(c.Grammar)
		if before[k] != v && !gap && !((inList(f, e.Key) || e.Form != "") && held(f, k, v)) {
			t.Fatalf("%s: %q reads as %q, was %q\n--- result\n%s", doing, k, v, before[k], clip(out))
		}
	}
	if v, still := after[name{e.Key, e.Form}]; still && (v != "null" || !keepsGaps(c.Grammar)) {
		t.Fatalf("%s: still there\n--- result\n%s", doing, clip(out))
	}
	if e.Form == "" && !inList(f, e.Key) {
		left := names(g)
		want := slices.DeleteFunc(without(names(f), e.Key, ""), func(n name) bool { // metadata goes with what it is about
			l, _ := f.Lookup(n.key, n.form)
			return f.Node(l.Node).Meta && !slices.Contains(left, n)
		})
		inOrder(t, doing, want, left, out)
	}
}

// inList reports whether an entry of this key is in a list, at any depth: an item that loses its last entry takes the
// list with it.
func inList(f *resource.File, key string) bool {
	for e := range f.Entries() {
		for i := e.Node; e.Key == key && i >= 0; i = int(f.Node(i).Parent) {
			if f.Node(i).Kind == resource.List {
				return true
			}
		}
	}
	return false
}

// insertion: a new entry is read back, changes nothing else, is in one piece, and Remove restores the bytes.
func insertion(t testing.TB, c Case, f *resource.File, before map[name]string) {
	t.Helper()
	keys := []string{"zz new key"}
	sep := c.Keys.Separator
	if sep == "" {
		sep = "/"
	}
	if c.Keys.Structured {
		keys = append(keys, "zz"+sep+"new"+sep+"key")
		for _, e := range sample(f) {
			if e.Form == "" && !e.Item {
				keys = append(keys, e.Key[:len(e.Key)-len(lastName(e.Key, sep))]+"zz new")
				break
			}
		}
	}
	for _, key := range keys {
		for _, text := range append([]string{"x y"}, c.NewTexts...) {
			doing := fmt.Sprintf("insert %q with %q", key, text)
			out, refusals := f.Rewrite([]resource.Edit{{Op: resource.Set, Key: key, Text: text}}, nil)
			if refused(t, c, f, doing, out, refusals) {
				continue
			}
			g := parse(t, c, out, doing)
			want := maps.Clone(before)
			want[name{key, ""}] = "text:" + text
			same(t, doing, want, contents(g), out)
			inOrder(t, doing, names(f), without(names(g), key, ""), out)
			if !oneGap(f.Source(), g.Source()) {
				t.Fatalf("%s: more than one place changed\n--- before\n%s\n--- after\n%s",
					doing, clip([]byte(f.Source())), clip([]byte(g.Source())))
			}
			back, refusals := g.Rewrite([]resource.Edit{{Op: resource.Remove, Key: key}}, nil)
			if refused(t, c, g, doing+" and remove", back, refusals) {
				continue
			}
			if (c.Undone == nil || c.Undone(f, key)) && !bytes.Equal(back, c.Src) {
				t.Fatalf("%s and remove: the old bytes are not back\n--- before\n%q\n--- inserted\n%q\n--- removed\n%q",
					doing, clip(c.Src), clip(out), clip(back))
			}
		}
	}
}

func lastName(key, sep string) string {
	for i := len(key) - len(sep); i >= 0; i-- {
		if key[i:i+len(sep)] == sep {
			return key[i+len(sep):]
		}
	}
	return key
}

// oneGap reports whether after is before with one run of bytes put in or replaced at one place. A separator may go in
// front of bytes that stay (a comment behind the entry that was the last).
func oneGap(before, after string) bool {
	p := 0
	for p < len(before) && p < len(after) && before[p] == after[p] {
		p++
	}
	s := 0
	for s < len(before)-p && s < len(after)-p && before[len(before)-1-s] == after[len(after)-1-s] {
		s++
	}
	gone := before[p : len(before)-s]
	return len(gone) <= 64 || // an empty container may be respelled: {} to { ... }
		strings.Contains(after[p:len(after)-s], gone)
}

// batch: many edits at once are the same edits one by one.
func batch(t testing.TB, c Case, f *resource.File) {
	t.Helper()
	var edits []resource.Edit
	edited := make(map[string]bool)
	for i, e := range sample(f) {
		last, _ := f.Lookup(e.Key, e.Form)
		switch {
		case edited[e.Key]: // of several edits of one entry only the last is made
		case e.Form != "" || inList(f, e.Key): // a list goes whole, with the edits in it
		case f.Node(last.Node).Meta: // it goes with its message, and is a text where that went before
		case last.Kind != resource.Text && repeated(f, last.Node): // it can change once it is not repeated
		case i%3 == 2:
			edits = append(edits, resource.Edit{Op: resource.Remove, Key: e.Key})
		default:
			edits = append(edits, resource.Edit{Op: resource.Set, Key: e.Key, Text: fmt.Sprint("batch ", i)})
		}
		edited[e.Key] = true
	}
	edits = append(edits,
		resource.Edit{Op: resource.Set, Key: "zz one", Text: "1 a"},
		resource.Edit{Op: resource.Set, Key: "zz two", Text: "2 b"})
	together(t, c, f, edits)
}
