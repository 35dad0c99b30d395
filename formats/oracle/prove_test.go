package oracle_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/resource"
)

// texts are what edits write: what people write, and what formats find hard to spell.
var texts = []string{
	"newword", "Neuer Text", "", " ", "with \"quotes\" and 'apostrophes'", "two\nlines", "a: b # c", "50 % of %1$s, %d", "<b>bold</b> & co", "é א 😀", "back\\slash",
	"{count, plural, one {# file} other {# files}}", "- item", "yes", "1.0", "null", "@string/app", "?", "trailing ",
	"\ttab", "/* no */ // comment", "=;", "it's",
}

// random is a source of choices that is the same in every run for one file.
func random(name string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), 7))
}

// some are the edge cases, and of the corpus what is small or has nested names: the flat formats read less of the same
// bytes.
func some(t *testing.T) []file {
	return append(slices.DeleteFunc(corpus(t), func(f file) bool {
		return len(f.Bytes()) > 10_000 && (f.rule.Format == "json" || f.rule.Format == "yaml")
	}), edges(t)...)
}

// batch chooses edits of a file: texts set, entries removed, new ones.
func batch(r *rand.Rand, f file, sets, removes, inserts int) []resource.Edit {
	var all []resource.Entry
	for e := range f.Entries() { // what is no text is in no catalog
		if e.Kind != resource.Other {
			all = append(all, e)
		}
	}
	var edits []resource.Edit
	pick := func() resource.Entry { return all[r.IntN(len(all))] }
	for range sets {
		if len(all) > 0 {
			e := pick()
			edits = append(edits, resource.Edit{Op: resource.Set, Key: e.Key, Form: e.Form,
				Text: texts[r.IntN(len(texts))]})
		}
	}
	for range removes {
		if len(all) > 0 {
			e := pick()
			edits = append(edits, resource.Edit{Op: resource.Remove, Key: e.Key, Form: e.Form})
		}
	}
	if len(all) > 0 && inList.MatchString(all[0].Key) {
		inserts = 0 // a list at the root has no names
	}
	for i := range inserts {
		key, form := fmt.Sprintf("zz_new_%d", i), ""
		if len(all) > 0 {
			e := pick()
			if at := strings.LastIndexByte(e.Key, '/'); at > 0 && strings.HasPrefix(f.rule.Format, "structured-") &&
				!inList.MatchString(e.Key) {
				key = e.Key[:at+1] + key
			}
			if e.Form != "" && (e.Form[0] < '0' || e.Form[0] > '9') {
				key, form = e.Key, "many"
			}
		}
		edits = append(edits, resource.Edit{Op: resource.Set, Key: key, Form: form, Text: texts[r.IntN(len(texts))]})
	}
	return edits
}

// inList is a key that is in a list.
var inList = regexp.MustCompile(`(^|/)[0-9]+(/|$)`)

// changes are the edits that were made, as the oracle is told of them.
func changes(edits []resource.Edit, refused []resource.Refusal) []oracle.Change {
	left := make(map[[2]string]bool)
	for _, r := range refused {
		left[[2]string{r.Key, r.Form}] = true
	}
	var made []oracle.Change
	for _, e := range edits {
		if !left[[2]string{e.Key, e.Form}] {
			made = append(made, oracle.Change{Key: e.Key, Form: e.Form, Text: e.Text, Gone: e.Op == resource.Remove})
		}
	}
	return made
}

// Whatever edits are made, the proof holds: no false alarm over all files, each edited in several ways.
func TestProvesEveryEdit(t *testing.T) {
	t.Parallel()
	proofs, made := 0, 0
	for _, f := range append(corpus(t), edges(t)...) {
		r := random(f.name)
		kinds := [][3]int{{10, 10, 5}, {0, 20, 0}, {0, 0, 5}, {20, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
		if len(f.Bytes()) > 20_000 {
			kinds = kinds[r.IntN(3):][:1]
		}
		for _, n := range kinds {
			edits := batch(r, f, n[0], n[1], n[2])
			out, refused := f.Rewrite(edits, nil)
			proofs++
			done := changes(edits, refused)
			made += len(done)
			if err := f.rule.Prove(f.Bytes(), out, done); err != nil {
				if _, ok := parse(t, f.rule, f.name, out); !ok {
					t.Logf("%s: a fault of the grammar was found: %v", f.name, err)
					continue
				}
				t.Errorf("%s: %d sets, %d removals, %d insertions: %v", f.name, n[0], n[1], n[2], err)
			}
		}
		if len(f.Bytes()) < 50_000 {
			comeBack(t, f, r)
		}
	}
	t.Logf("%d proofs of %d changes", proofs, made)
}

// comeBack takes entries out and lets them come in again, where the whole file says where and how.
func comeBack(t *testing.T, f file, r *rand.Rand) {
	t.Helper()
	edits := batch(r, f, 0, 8, 0)
	less, _ := f.Rewrite(edits, nil)
	g, ok := parse(t, f.rule, f.name, less)
	if !ok {
		t.Errorf("%s: %d entries removed, and it does not parse", f.name, len(edits))
		return
	}
	for i := range edits {
		edits[i].Op, edits[i].Text = resource.Set, texts[r.IntN(len(texts))]
	}
	out, refused := g.Rewrite(edits, f.File)
	if slices.ContainsFunc(refused, func(r resource.Refusal) bool { return inList.MatchString(r.Key) }) {
		return // what stood behind an item that was refused may be in its place: that is for the grammars to repair
	}
	if err := f.rule.Prove(less, out, changes(edits, refused)); err != nil {
		a, b := between(less, out)
		t.Logf("%q\n%q", less[max(0, a-200):min(len(less), a+100)], out[max(0, a-200):b])
		t.Errorf("%s: entries that come back: %v", f.name, err)
	}
}

// Every byte that changes outside of the value that was set is found, wherever it stands.
func TestFindsEveryByte(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, f := range some(t) {
		r := random(f.name)
		edits := batch(r, f, 1, 0, 0)
		for i := range edits {
			edits[i].Text = "newword"
		}
		out, refused := f.Rewrite(edits, nil)
		if len(refused) > 0 || len(edits) == 0 {
			continue
		}
		made := changes(edits, nil)
		g, _ := parse(t, f.rule, f.name, out)
		e, _ := g.Lookup(edits[0].Key, edits[0].Form)
		from, to := int(g.Node(e.Node).Value.Start), int(g.Node(e.Node).Value.End)
		if wide := len(out) - len(g.Source()); wide > 3 {
			from, to = 2*from, 2*to+2 // UTF-16
		} else {
			from, to = from+wide, to+wide // or a byte order mark
		}
		for strings.IndexByte("|>", out[min(from, len(out)-1)]) >= 0 && to < len(out) &&
			strings.IndexByte(" \t\r\n", out[to]) >= 0 {
			to++ // blank lines behind a block text may belong to it
		}
		for n := range max(2, min(30, 40_000/(len(out)+1))) {
			at := r.IntN(len(out))
			if n%4 == 0 && to > from {
				at = min(from+r.IntN(to-from), len(out)-1)
			}
			spoiled := damage(r, out, at)
			if string(spoiled) == string(out) {
				continue
			}
			tried++
			err := f.rule.Prove(f.Bytes(), spoiled, made)
			if at >= from-1 && at <= to { // in the value, or at its edge: it may be the same text in another spelling
				if err == nil && !reads(t, f, spoiled, edits[0]) {
					t.Errorf("%s: byte %d of the value of %q: not found in\n%q", f.name, at,
						edits[0].Key, clip(spoiled, at))
				}
				continue
			}
			if err == nil {
				t.Errorf("%s: byte %d of %q, set %q to %q: not found in\n%q", f.name, at, clip(spoiled, at),
					edits[0].Key, edits[0].Text, clip(out, at))
			}
		}
	}
	t.Logf("%d damaged files, all found", tried)
	if tried < 3000 {
		t.Errorf("only %d were tried", tried)
	}
}

// reads reports whether a file has what an edit was to write.
func reads(t *testing.T, f file, src []byte, e resource.Edit) bool {
	t.Helper()
	g, ok := parse(t, f.rule, f.name, src)
	if !ok {
		return false
	}
	have, ok := g.Lookup(e.Key, e.Form)
	return ok && have.Kind == resource.Text && have.Text == e.Text
}

func clip(b []byte, at int) []byte { return b[max(0, at-60):min(len(b), at+60)] }

// between is the part of after that before does not have.
func between(before, after []byte) (from, to int) {
	for from < len(before) && from < len(after) && before[from] == after[from] {
		from++
	}
	tail := 0
	for tail < len(before)-from && tail < len(after)-from && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	return from, len(after) - tail
}

// damage changes, takes out or puts in one byte.
func damage(r *rand.Rand, src []byte, at int) []byte {
	out := append([]byte(nil), src...)
	switch r.IntN(4) {
	case 0:
		out[at] ^= 1 << r.IntN(7)
	case 1:
		out[at] = "x\"'\\<>&{}[]:,;=# \n"[r.IntN(18)]
	case 2:
		out = append(out[:at], out[at+1:]...)
	case 3:
		out = append(out[:at], append([]byte{"x\"\\# \n"[r.IntN(6)]}, out[at:]...)...)
	}
	return out
}

// restOfList reports whether the fault takes out an item of a list that has lost another one as it should: then all of
// the list may go.
func restOfList(g file, fault []resource.Edit, made []oracle.Change) bool {
	for _, e := range fault {
		at, ok := g.Lookup(e.Key, e.Form)
		of := strings.TrimRight(e.Key, "0123456789")
		if e.Op == resource.Remove && ok && (at.Item || e.Form != "") &&
			slices.ContainsFunc(made, func(c oracle.Change) bool {
				return c.Gone && (e.Form != "" && c.Key == e.Key || at.Item &&
					strings.TrimRight(c.Key, "0123456789") == of)
			}) {
			return true
		}
	}
	return false
}

// A file in which another entry was lost, came, moved or changed, or a text came out wrong, is never taken for the one
// that was wanted.
func TestFindsEveryFault(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, f := range some(t) {
		r := random(f.name)
		edits := batch(r, f, 2, 1, 1)
		out, refused := f.Rewrite(edits, nil)
		if len(edits) == 0 {
			continue
		}
		made := changes(edits, refused)
		g, ok := parse(t, f.rule, f.name, out)
		if !ok || len(out) > 50_000 || f.rule.Prove(f.Bytes(), out, made) != nil {
			continue // another test's business
		}
		faults := [][3]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
		if len(out) > 20_000 {
			faults = faults[r.IntN(3):][:1]
		}
		for _, fault := range faults {
			more := batch(r, g, fault[0], fault[1], fault[2])
			for i := range more {
				more[i].Text = "a fault"
				if more[i].Op == resource.Set && fault[2] > 0 {
					more[i].Key += "_fault"
				}
			}
			bad, refused := g.Rewrite(more, nil)
			if len(refused) > 0 || string(bad) == string(out) || restOfList(g, more, made) {
				continue
			}
			tried++
			err := f.rule.Prove(f.Bytes(), bad, made)
			var d *oracle.Difference
			if !errors.As(err, &d) {
				t.Errorf("%s: %+v besides: %v", f.name, more, err)
			}
		}
	}
	t.Logf("%d faulty files, all found", tried)
}
