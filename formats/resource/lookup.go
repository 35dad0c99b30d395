package resource

import (
	"slices"
	"strconv"
	"strings"
)

// Lookup finds an entry. Of several with one name the last counts, as it does for every program that reads the file.
func (f *File) Lookup(key, form string) (Entry, bool) {
	if at := (id{key, form}); f.grouped(at) != at || !strings.HasPrefix(key, f.prefix) {
		return Entry{}, false // a form, which has another name, or a key of another file
	}
	e, ok := f.lookup(f.spelled(id{key, form}))
	e.Key, e.Form = key, form
	return e, ok
}

// lookup is Lookup by the name that the file has.
func (f *File) lookup(at id) (Entry, bool) {
	node, ok := f.last(at)
	if !ok {
		return Entry{}, false
	}
	return f.entry(int(node), at), true
}

// Duplicates returns the nodes of entries that share key and form, each with the one before it. An index is not kept
// for it: most files are only read.
func (f *File) Duplicates() [][2]int {
	twice := f.before
	if f.index == nil {
		_, twice = f.indexed()
	}
	out := make([][2]int, 0, len(twice))
	for i, before := range twice {
		out = append(out, [2]int{int(before), int(i)})
	}
	slices.SortFunc(out, func(a, b [2]int) int { return a[1] - b[1] })
	return out
}

// A first question is answered by walking through the file, which costs a tenth of an index over all its keys. After
// this many walks the index is made.
const walks = 8

// mayWalk says whether a question is still answered by a walk, which passes by n nodes.
func (f *File) mayWalk(n int) bool {
	f.walked += n
	return f.walked <= walks*len(f.nodes)
}

// copies returns the nodes of all entries with this key and form, in file order.
func (f *File) copies(of id) []int32 {
	if f.index == nil && f.mayWalk(0) {
		w := walk{f: f, form: of.form}
		w.in(f.top, of.key)
		f.mayWalk(w.passed)
		return w.found
	}
	f.buildIndex()
	i, ok := f.index[of]
	if !ok {
		return nil
	}
	copies := []int32{i}
	for before, twice := f.before[i]; twice; before, twice = f.before[before] {
		copies = append(copies, before)
	}
	slices.Reverse(copies)
	return copies
}

// last returns the node of the last entry with this key and form. It does not count the others: of a key that a file
// has n times, each of n questions would cost n.
func (f *File) last(of id) (node int32, ok bool) {
	if f.index == nil && f.mayWalk(0) {
		copies := f.copies(of)
		if len(copies) == 0 {
			return 0, false
		}
		return copies[len(copies)-1], true
	}
	f.buildIndex()
	node, ok = f.index[of]
	return node, ok
}

// all finds what many edits name in one pass, which needs less time and memory than an index. It is not ok where there
// is an index, or no need for one.
func (f *File) all(edits []Edit) (found map[id][]int32, ok bool) {
	if f.index != nil || len(edits) <= walks {
		return nil, false
	}
	found = make(map[id][]int32, len(edits))
	for _, e := range edits {
		found[id{e.Key, e.Form}] = nil
	}
	for i, at := range f.leaves() {
		if copies, wanted := found[at]; wanted {
			found[at] = append(copies, int32(i))
		}
	}
	return found, true
}

func (f *File) buildIndex() {
	if f.index == nil {
		f.index, f.before = f.indexed()
	}
}

// indexed makes an index of the entries: the last node of each, and of the others of that name the one before.
func (f *File) indexed() (index map[id]int32, before map[int32]int32) {
	index, before = make(map[id]int32, len(f.nodes)), make(map[int32]int32)
	for i, at := range f.leaves() {
		if earlier, twice := index[at]; twice {
			before[int32(i)] = earlier
		}
		index[at] = int32(i)
	}
	return index, before
}

// walk looks for one entry without an index. It goes into those containers only whose names the key begins with.
type walk struct {
	f      *File
	form   string
	found  []int32
	passed int
}

// in looks through a container; rest is what the key has behind the container's own name.
func (w *walk) in(container int, rest string) {
	f, list, n := w.f, w.f.nodes[container].Kind == List, 0
	var digits [20]byte
	for c := container + 1; c < int(f.nodes[container].End); c = int(f.nodes[c].End) {
		w.passed++
		name := ""
		if list {
			if !strings.HasPrefix(rest, string(strconv.AppendInt(digits[:0], int64(n), 10))) {
				n++
				continue
			}
			name = strconv.Itoa(n)
			n++
		} else {
			name = f.grammar.Name(f.src, &f.nodes[c])
		}
		if len(name) > len(rest) || rest[:len(name)] != name {
			continue
		}
		behind := rest[len(name):]
		switch k := f.nodes[c].Kind; {
		case k == Absent:
		case k <= Other:
			if behind == "" && w.form == "" {
				w.found = append(w.found, int32(c))
			}
		case k == Forms:
			if behind == "" {
				w.forms(c)
			}
		case f.keys.Structured:
			if below, ok := strings.CutPrefix(behind, f.keys.Separator); ok {
				w.in(c, below)
			}
		}
	}
}

func (w *walk) forms(of int) {
	for c := range w.f.Children(of) {
		w.passed++
		if w.f.nodes[c].Kind <= Other && w.f.Name(c) == w.form {
			w.found = append(w.found, int32(c))
		}
	}
}

// child finds the child of a container by its label; of several with one label the last counts.
func (f *File) child(of int, label string) (node int, ok bool) {
	m, built := f.labels[of]
	if !built {
		if f.mayWalk(0) {
			return f.walkTo(of, label)
		}
		m = f.labelsOf(of)
	}
	node, ok = m[label]
	return node, ok
}

func (f *File) walkTo(of int, label string) (node int, ok bool) {
	n, list := 0, f.nodes[of].Kind == List
	name, forms := strings.CutSuffix(label, formsMark)
	for c := of + 1; c < int(f.nodes[of].End); c = int(f.nodes[c].End) {
		switch {
		case list:
			if !forms && label == strconv.Itoa(n) {
				node, ok = c, true
			}
		case (f.nodes[c].Kind == Forms) == forms && f.grammar.Name(f.src, &f.nodes[c]) == name:
			node, ok = c, true
		}
		n++
	}
	f.mayWalk(n)
	return node, ok
}

// labelsOf maps the labels of a container's children to their nodes.
func (f *File) labelsOf(of int) map[string]int {
	m := make(map[string]int)
	n := 0
	for c := range f.Children(of) {
		if f.nodes[of].Kind == List {
			m[strconv.Itoa(n)] = c
		} else {
			m[f.ownLabel(c)] = c
		}
		n++
	}
	if f.labels == nil {
		f.labels = make(map[int]map[string]int)
	}
	f.labels[of] = m
	return m
}

// at descends from the outermost keys along labels; ok is false where the path ends early.
func (f *File) at(path []string) (node int, ok bool) {
	node = f.top
	for _, label := range path {
		if node, ok = f.child(node, label); !ok {
			return 0, false
		}
	}
	return node, true
}
