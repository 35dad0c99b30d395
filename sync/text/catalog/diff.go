package catalog

import (
	"maps"
	"slices"
	"strings"
)

// Op is what happened to a text.
type Op uint8

// The things that can happen to a text.
const (
	Added Op = iota + 1
	Changed
	Removed
)

// String returns "added", "changed" or "removed".
func (o Op) String() string {
	return [...]string{"", "added", "changed", "removed"}[o]
}

// Change is one text that differs from the base (Diff) or that has to be written (Merge).
// Text is the new text; empty when Op is Removed.
type Change struct {
	Op Op
	Name
	Text string
}

// Diff returns what changed since the base: first the units that are new or have another text, in the
// catalog's order, then the names that are gone, sorted.
//
// Diff is the inverse of applying: a base to which the changes are applied has the marks of now.
func Diff(base Marks, now Catalog) []Change {
	var changes []Change
	seen := 0
	for i := range now {
		mark, ok := base[now[i].Name]
		if !ok {
			changes = append(changes, Change{Added, now[i].Name, now[i].Text})
			continue
		}
		seen++
		if mark != MarkOf(now[i].Text) {
			changes = append(changes, Change{Changed, now[i].Name, now[i].Text})
		}
	}
	if seen == len(base) {
		return changes
	}
	gone := maps.Clone(base)
	for i := range now {
		delete(gone, now[i].Name)
	}
	for _, n := range gone.Names() {
		changes = append(changes, Change{Op: Removed, Name: n})
	}
	return changes
}

// Rename is a text that left one key and is, unchanged, under another. Either key may have, or have had, another text.
type Rename struct {
	From, To Name
}

// Renames finds the texts among changes that moved: a name does not have a text any more, another has it now, and
// there is no other candidate for either. A text that several names had, that several have got, or that a name which
// is unchanged has as well, is ambiguous and not reported: a wrong guess would put a translation under a key with
// another meaning. Forms must match: a plural's "one" never becomes another key's "other". Texts without a letter or
// digit say nothing about identity and never count.
func Renames(base Marks, now Catalog, changes []Change) []Rename {
	type slot struct {
		form string
		mark Mark
	}
	type candidates struct {
		from       Name
		nFrom, nTo int
	}
	moved := make(map[slot]*candidates)
	for _, c := range changes {
		if c.Op != Added {
			s := slot{c.Form, base[c.Name]}
			if moved[s] == nil {
				moved[s] = &candidates{from: c.Name}
			}
			moved[s].nFrom++
		}
	}
	if len(moved) == 0 {
		return nil
	}
	// Every unit with the text counts as a candidate, also one that did not change.
	for i := range now {
		if c := moved[slot{now[i].Form, MarkOf(now[i].Text)}]; c != nil {
			c.nTo++
		}
	}
	var renames []Rename
	for _, c := range changes {
		if c.Op == Removed || !speaks(c.Text) {
			continue
		}
		m := moved[slot{c.Form, MarkOf(c.Text)}]
		if m != nil && m.nFrom == 1 && m.nTo == 1 {
			renames = append(renames, Rename{From: m.from, To: c.Name})
		}
	}
	return renames
}

// Names are those that changes are about.
func Names(changes []Change) map[Name]bool {
	names := make(map[Name]bool, len(changes))
	for i := range changes {
		names[changes[i].Name] = true
	}
	return names
}

// speaks reports whether a text holds anything that identifies it: at least one letter or digit of any script.
func speaks(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r > 0x7f || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	})
}

// Whole keeps the renames of keys that moved with all of their forms: one form in common says nothing about the others.
func Whole(renames []Rename, base Marks, now Catalog) []Rename {
	if len(renames) == 0 {
		return nil
	}
	type keys struct{ from, to string }
	moved, from, to := make(map[keys]int), make(map[string]int), make(map[string]int)
	for _, m := range renames {
		moved[keys{m.From.Key, m.To.Key}]++
	}
	for n := range base {
		from[n.Key]++
	}
	for _, u := range now {
		to[u.Key]++
	}
	return slices.DeleteFunc(renames, func(m Rename) bool {
		n := moved[keys{m.From.Key, m.To.Key}]
		return n != from[m.From.Key] || n != to[m.To.Key]
	})
}
