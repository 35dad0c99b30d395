// Package catalog holds texts, apart from the files they are in: the texts of one language under
// their keys, and the pure decisions about them. Diff tells what changed since a base, Renames which
// of those changes are one text that moved to another key, Moves which file became which, Merge which
// of three versions of a translation counts, Reword which of three versions of a source text, Outdate
// which translations were made for another source text.
//
// Its law: every decision is a function of the texts it is given. The same base, source, repository
// and service give the same answer on every machine and every day, and what could not be decided is
// part of the answer.
//
// It does not know files, formats, languages, HTTP, git, clocks or disks, and imports nothing of ours.
package catalog

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"unsafe"
)

// Name says which text of a collection is meant: the key as the service knows it and, where one key
// holds several texts that belong together (the forms of an Android plural, the items of a
// string-array), which of them. Form is a CLDR plural category ("one", "other"), the index of an item
// in decimal digits, or empty.
type Name struct {
	Key, Form string
}

// String is for people: the key, with the form in brackets where there is one.
func (n Name) String() string {
	if n.Form == "" {
		return n.Key
	}
	return n.Key + " [" + n.Form + "]"
}

// Compare orders names by key, then by form, as bytes.
func (n Name) Compare(o Name) int {
	return cmp.Or(strings.Compare(n.Key, o.Key), strings.Compare(n.Form, o.Form))
}

// Unit is one text in one language. Text is decoded: no escapes of any file format.
type Unit struct {
	Name
	Text  string
	Note  string // what the file says about it, for translators
	Flags string // what the file says about it, for programs
}

// Catalog is the texts of one language in the order of their file. Names are unique.
type Catalog []Unit

// Index gives each name's place in the catalog.
func (c Catalog) Index() map[Name]int {
	index := make(map[Name]int, len(c))
	for i := range c {
		index[c[i].Name] = i
	}
	return index
}

// Texts gives each name's text.
func (c Catalog) Texts() map[Name]string {
	texts := make(map[Name]string, len(c))
	for i := range c {
		texts[c[i].Name] = c[i].Text
	}
	return texts
}

// ByKey sorts the texts to their keys. Those of one key that follow one another are a part of c, not a copy.
func (c Catalog) ByKey() map[string]Catalog {
	keys := make(map[string]Catalog, len(c))
	for from := 0; from < len(c); {
		key, to := c[from].Key, from+1
		for to < len(c) && c[to].Key == key {
			to++
		}
		if before, again := keys[key]; again {
			keys[key] = slices.Concat(before, c[from:to])
		} else {
			keys[key] = c[from:to:to]
		}
		from = to
	}
	return keys
}

// Keys is the set of service keys that the catalog has at least one text for.
func (c Catalog) Keys() map[string]bool {
	keys := make(map[string]bool, len(c))
	for i := range c {
		keys[c[i].Key] = true
	}
	return keys
}

// Written are the texts without blanks.
func (c Catalog) Written() Catalog {
	return c.Which(func(u Unit) bool { return u.Text != "" })
}

// As are the texts under another key.
func (c Catalog) As(key string) Catalog {
	c = slices.Clone(c)
	for i := range c {
		c[i].Key = key
	}
	return c
}

// Restrict returns the units whose key is in keys, in order.
func (c Catalog) Restrict(keys map[string]bool) Catalog {
	return c.Which(func(u Unit) bool { return keys[u.Key] })
}

// Which returns the units that are wanted, in order, and takes no more memory than they need.
func (c Catalog) Which(wanted func(Unit) bool) Catalog {
	n := 0
	for _, u := range c {
		if wanted(u) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	kept := make(Catalog, 0, n)
	for _, u := range c {
		if wanted(u) {
			kept = append(kept, u)
		}
	}
	return kept
}

// Mark is a digest of a text: all that a base has to remember of it. It is the first half of the
// text's SHA-256, so two texts with one mark do not happen, and a stolen base gives no text away.
type Mark [16]byte

// MarkOf returns the mark of a text.
func MarkOf(text string) Mark {
	sum := sha256.Sum256(unsafe.Slice(unsafe.StringData(text), len(text))) // which a copy would take twice as long for
	return Mark(sum[:16])
}

// Marks is a base: for each name, the mark of the text that was agreed on last.
type Marks map[Name]Mark

// Marks returns the marks of all texts of the catalog.
func (c Catalog) Marks() Marks {
	marks := make(Marks, len(c))
	for i := range c {
		marks[c[i].Name] = MarkOf(c[i].Text)
	}
	return marks
}

// Has reports whether the base holds exactly this text under this name.
func (m Marks) Has(n Name, text string) bool {
	mark, ok := m[n]
	return ok && mark == MarkOf(text)
}

// Restrict are the marks whose key is in keys, in a map of their own.
func (m Marks) Restrict(keys map[string]bool) Marks {
	some := make(Marks)
	for n, mark := range m {
		if keys[n.Key] {
			some[n] = mark
		}
	}
	return some
}

// Names returns the names in order.
func (m Marks) Names() []Name {
	names := slices.AppendSeq(make([]Name, 0, len(m)), maps.Keys(m))
	slices.SortFunc(names, Name.Compare)
	return names
}

// KeysInOrder are the keys of units, in their order.
func (c Catalog) KeysInOrder() []string {
	var keys []string
	seen := make(map[string]bool, len(c))
	for _, u := range c {
		if !seen[u.Key] {
			seen[u.Key] = true
			keys = append(keys, u.Key)
		}
	}
	return keys
}

// Keys is the set of keys that there is a mark for.
func (m Marks) Keys() map[string]bool {
	keys := make(map[string]bool, len(m))
	for n := range m {
		keys[n.Key] = true
	}
	return keys
}

// Keyed are marks in the order of their keys, to read those of one key. It takes little memory beside the marks.
type Keyed struct {
	marks Marks
	names []Name
}

// ByKey sorts marks to their keys. They are not to be changed meanwhile.
func (m Marks) ByKey() Keyed { return Keyed{m, m.Names()} }

// Of are the marks of one key; nil where there are none.
func (k Keyed) Of(key string) Marks {
	var of Marks
	at, _ := slices.BinarySearchFunc(k.names, Name{Key: key}, Name.Compare)
	for ; at < len(k.names) && k.names[at].Key == key; at++ {
		if of == nil {
			of = make(Marks)
		}
		of[k.names[at]] = k.marks[k.names[at]]
	}
	return of
}
