package resource

import (
	"iter"
	"strconv"
	"strings"
	"unsafe"
)

// Entry is one leaf under its key.
type Entry struct {
	Key   string // as the service knows it: the name, or the nested names joined by the separator
	Form  string // which of a key's texts: plural category or item index; empty otherwise
	Kind  Kind   // Text, Null or Other
	Text  string // decoded; only for Text
	Note  string // the comment that belongs to it, for translators
	Flags string // what the file says of how programs use it; see Flagged
	Item  bool   // it is an item of a List, so that its key ends in its index
	Node  int    // its node, for spans; meaningless to Compose without the file
}

// Entries yields the leaves that have keys, in file order. Two entries may have one key (see Duplicates).
func (f *File) Entries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for e := range f.spelledEntries() {
			at := f.joined(id{e.Key, e.Form})
			e.Key, e.Form = at.key, at.form
			if !yield(e) {
				return
			}
		}
	}
}

func (f *File) entry(i int, at id) Entry {
	n := &f.nodes[i]
	up := &f.nodes[n.Parent]
	e := Entry{Key: at.key, Form: at.form, Kind: n.Kind, Item: up.Kind == List, Node: i}
	if n.Kind == Text {
		e.Text = f.Text(i)
	}
	if n.Note.Len() > 0 {
		e.Note = f.grammar.Note(f.src, n)
	} else if up.Kind == Forms && up.Note.Len() > 0 {
		e.Note = f.grammar.Note(f.src, up)
	}
	if flagged, is := f.grammar.(Flagged); is {
		e.Flags = flagged.Flags(f, i)
	}
	return e
}

// Together returns, in file order, the Text entries that changed says yes to, and those that cannot travel without
// them: the other forms of their key and the other items of their list.
func (f *File) Together(changed func(Entry) bool) []Entry {
	var out []Entry
	groups, plurals := make(map[int32]bool), make(map[string]bool)
	for e := range f.Entries() {
		if e.Kind != Text || !changed(e) {
			continue
		}
		out = append(out, e)
		up := f.nodes[e.Node].Parent
		switch {
		case f.nodes[up].Kind >= List:
			groups[up] = true
		case e.Form != "": // a form under a key of its own
			plurals[e.Key] = true
		}
	}
	if len(groups)+len(plurals) == 0 {
		return out
	}
	out = out[:0]
	for e := range f.Entries() {
		along := groups[f.nodes[e.Node].Parent] || e.Form != "" && plurals[e.Key]
		if e.Kind == Text && (along || changed(e)) {
			out = append(out, e)
		}
	}
	return out
}

// leaves yields node and name of every leaf that has a key. The names above a leaf stand once in a buffer while walking
// down; a key that is not in the file as it is gets its string from a larger piece of memory that it shares
// with others.
func (f *File) leaves() iter.Seq2[int, id] {
	return func(yield func(int, id) bool) {
		type level struct {
			end    int32
			kind   Kind
			count  int    // children so far, in a List
			prefix int    // how much of names the children's keys begin with
			key    string // of Forms
		}
		levels := []level{{end: f.nodes[f.top].End, kind: f.nodes[f.top].Kind}}
		var names []byte
		var shared keyMemory
		for i := f.top + 1; i < int(f.nodes[f.top].End); {
			for int32(i) >= levels[len(levels)-1].end {
				levels = levels[:len(levels)-1]
			}
			up := &levels[len(levels)-1]
			n := &f.nodes[i]
			name := ""
			if up.kind == List {
				name = strconv.Itoa(up.count)
				up.count++
			} else {
				name = f.grammar.Name(f.src, n)
			}
			names = names[:up.prefix]
			if (n.Kind == Map || n.Kind == List) && !f.keys.Structured {
				i = int(n.End) // nested, in a flat format: no keys in there
				continue
			}
			if n.Kind == Map || n.Kind == List {
				names = append(append(names, name...), f.keys.Separator...)
				levels = append(levels, level{end: n.End, kind: n.Kind, prefix: len(names)})
				i++
				continue
			}
			at := id{key: name}
			switch {
			case up.kind == Forms:
				at = id{up.key, name}
			case up.prefix > 0:
				at.key = shared.join(names, name)
			}
			if n.Kind == Forms {
				levels = append(levels, level{end: n.End, kind: Forms, key: at.key})
			} else if n.Kind != Absent && !yield(i, at) {
				return
			}
			i++
		}
	}
}

// keyMemory makes strings in pieces of memory that grow with their number.
type keyMemory struct{ piece []byte }

func (m *keyMemory) join(a []byte, b string) string {
	n := len(a) + len(b)
	if cap(m.piece)-len(m.piece) < n {
		m.piece = make([]byte, 0, max(n, min(2*cap(m.piece), 32<<10), 64))
	}
	from := len(m.piece)
	m.piece = append(append(m.piece, a...), b...)
	return unsafe.String(unsafe.SliceData(m.piece[from:]), n) // it is not written to any more
}

// keysAreBearable reports whether the keys of a file take up no more than some times its size: names that are above
// many entries count for each of them, so that a small file could have keys without measure.
func (f *File) keysAreBearable() bool {
	if !f.keys.Structured {
		return true
	}
	type level struct{ end, above int }
	levels := []level{{end: len(f.nodes)}}
	sum, limit := 0, 64*len(f.src)+16<<20
	for i := 1; i < len(f.nodes); i++ {
		for i >= levels[len(levels)-1].end {
			levels = levels[:len(levels)-1]
		}
		n := &f.nodes[i]
		above := levels[len(levels)-1].above
		if n.Kind > Other {
			levels = append(levels, level{int(n.End), above + n.Name.Len() + len(f.keys.Separator)})
		} else if sum += above; sum > limit {
			return false
		}
	}
	return true
}

// Nested returns the names of the outermost containers that a flat format has no keys for. A file that has them wants
// the structured format.
func (f *File) Nested() []string {
	if f.keys.Structured {
		return nil
	}
	var names []string
	for i := range f.Children(f.top) {
		if k := f.nodes[i].Kind; k == Map || k == List {
			names = append(names, f.Name(i))
		}
	}
	return names
}

// path returns the names from the outermost key down to node i.
func (f *File) path(i int) []string {
	var up []string
	for ; i != f.top && i > 0; i = int(f.nodes[i].Parent) {
		up = append(up, f.label(i))
	}
	for l, r := 0, len(up)-1; l < r; l, r = l+1, r-1 {
		up[l], up[r] = up[r], up[l]
	}
	return up
}

// KeyOf returns the key that a node is, or that its texts are under; empty for the root.
func (f *File) KeyOf(i int) string { return f.joined(f.named(f.path(i))).key }

// spelledKey is KeyOf as the file has it.
func (f *File) spelledKey(i int) string { return f.named(f.path(i)).key }

// named is the name of an entry at the end of a path of labels.
func (f *File) named(path []string) id {
	names := make([]string, 0, len(path))
	for k, label := range path {
		name, forms := strings.CutSuffix(label, formsMark)
		names = append(names, name)
		if forms && k < len(path)-1 {
			return id{strings.Join(names, f.keys.Separator), path[k+1]}
		}
	}
	return id{key: strings.Join(names, f.keys.Separator)}
}

// formsMark ends the label of a Forms node, so that a key's forms and a single text under the same name are two labels.
const formsMark = "\xff" // in no name, which are UTF-8

// ownLabel is what tells a node from its siblings in a container with names.
func (f *File) ownLabel(i int) string {
	if f.nodes[i].Kind == Forms {
		return f.Name(i) + formsMark
	}
	return f.Name(i)
}

// label is ownLabel, or the node's index inside a List.
func (f *File) label(i int) string {
	parent := int(f.nodes[i].Parent)
	if f.nodes[parent].Kind != List {
		return f.ownLabel(i)
	}
	if _, known := f.items[i]; !known {
		if f.items == nil {
			f.items = make(map[int]int)
		}
		n := 0
		for c := range f.Children(parent) {
			f.items[c] = n
			n++
		}
	}
	return strconv.Itoa(f.items[i])
}

// split is the path of a key that is in no file: its names, or the key itself in a flat format.
func (f *File) split(key string) []string {
	if !f.keys.Structured {
		return []string{key}
	}
	return strings.Split(key, f.keys.Separator)
}

// counted reports whether a form is the index of an item rather than a plural category.
func counted(form string) bool {
	return form != "" && form[0] >= '0' && form[0] <= '9'
}

// spelledEntries are Entries under the names that the file has.
func (f *File) spelledEntries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i, at := range f.leaves() {
			if !yield(f.entry(i, at)) {
				return
			}
		}
	}
}
