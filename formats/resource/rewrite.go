package resource

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Op is what an Edit does.
type Op uint8

// Set gives an entry a text, and makes the entry where there is none. Remove takes it out; what is not there is gone already.
const (
	Set Op = iota + 1
	Remove
)

// Edit is one wish for one entry.
type Edit struct {
	Op        Op
	Key, Form string
	Text      string // decoded; only for Set
}

// Refusal is an edit that could not be made, and why. All others were made.
type Refusal struct {
	Edit
	Reason string
}

func (r Refusal) Error() string {
	key := r.Key
	if r.Form != "" {
		key += " [" + r.Form + "]"
	}
	return key + ": " + r.Reason
}

// Rewrite returns the file's bytes with the edits made. Only the spans of edited values, and the entries that come or go,
// differ; with no edits it is the same slice that was parsed. like is the file in the source language: it says where new
// entries stand and how they are nested; nil puts them last. Several edits of one entry count as the last of them.
//
// A new entry stands behind the nearest earlier sibling in like that this file has too, or first when it has none. Parents
// that are missing are made with it. A list is whole or absent: when an item inside it goes, all of it goes, and the edits inside
// are refused. A container whose last entry goes, goes too.
//
// An error means that the result could not be read back: a fault of the grammar, and nothing may be written.
func (f *File) Rewrite(edits []Edit, like *File) ([]byte, []Refusal, error) {
	r := rewrite{f: f, like: like, gone: make(map[int]bool), pinned: make(map[int]bool), sets: make(map[int]Edit),
		spots: make(map[int]*spot), planned: make(map[spotLabel]*planned)}
	r.sort(edits)
	if len(r.sets)+len(r.gone)+len(r.missing) == 0 {
		return f.bytes, r.refused, nil
	}
	src, err := r.inPlace()
	if err != nil {
		return nil, nil, err
	}
	if len(r.missing) > 0 {
		if src, err = r.insert(src); err != nil {
			return nil, nil, err
		}
	}
	return f.encoded(src), r.refused, nil
}

// RenameRoot returns the bytes with another Rails root, or the same bytes when the file has none.
func (f *File) RenameRoot(name string) ([]byte, error) {
	if old, ok := f.Root(); !ok || old == name {
		return f.bytes, nil
	}
	s, err := f.grammar.Rename(f, f.top, name)
	if err != nil {
		return nil, fmt.Errorf("root %q: %w", name, err)
	}
	return f.encoded(apply(f.src, []Splice{s})), nil
}

func (f *File) encoded(src string) []byte {
	if f.encode != nil {
		return f.encode(src)
	}
	return []byte(src)
}

// rewrite is one call of Rewrite: edits sorted by what they do to the file as it stands.
type rewrite struct {
	f, like *File
	sets    map[int]Edit // by node
	gone    map[int]bool // nodes that are removed
	pinned  map[int]bool // containers that stay though they get empty: something new goes in there
	missing []Edit       // sets of entries that are not there
	refused []Refusal

	spots   map[int]*spot          // containers of the file that something is added to
	planned map[spotLabel]*planned // containers that are added
}

func (r *rewrite) refuse(e Edit, format string, args ...any) {
	r.refused = append(r.refused, Refusal{e, fmt.Sprintf(format, args...)})
}

// sort assigns each edit, the last of several for one entry, to its node or to what is missing.
func (r *rewrite) sort(edits []Edit) {
	last := make(map[id]int, len(edits))
	for i, e := range edits {
		last[id{e.Key, e.Form}] = i
	}
	for i, e := range edits {
		if last[id{e.Key, e.Form}] != i {
			continue
		}
		if !utf8.ValidString(e.Key) || !utf8.ValidString(e.Form) {
			r.refuse(e, "the key is not valid UTF-8")
			continue
		}
		at, here := r.f.Lookup(e.Key, e.Form)
		switch {
		case e.Op == Remove && here:
			r.gone[at.Node] = true
		case e.Op == Remove:
		case !here:
			r.missing = append(r.missing, e)
		case at.Kind != Text || at.Text != e.Text:
			r.sets[at.Node] = e
		}
	}
	for _, d := range slices.Backward(r.f.Duplicates()) { // an entry goes in all its copies; Lookup found the last
		if r.gone[d[1]] {
			r.gone[d[0]] = true
		}
	}
	if len(r.gone) > 0 {
		for _, e := range r.missing {
			r.pin(e)
		}
		r.widen()
	}
	r.keepRepeats()
}

// keepRepeats sees to it that an edit of a value that others repeat (Node.Ref) changes what is read under its own key only: of those
// others, the ones that are to read the same go on repeating it, the rest get a text of their own. A repeated value that is
// no text cannot be given to them that way, so it stays.
func (r *rewrite) keepRepeats() {
	for i := range r.f.nodes {
		ref := int(r.f.nodes[i].Ref)
		if ref == 0 || r.f.nodes[i].Kind > Other {
			continue
		}
		of, changes := r.sets[ref]
		mine, set := r.sets[i]
		switch {
		case r.f.nodes[i].Kind != Text && changes:
			delete(r.sets, ref)
			r.refuse(of, "another entry repeats this value, which is no text, and would change with it; write it out there first")
		case r.goes(i):
		case changes && set && mine.Text == of.Text:
			delete(r.sets, i)
		case !set && r.f.nodes[i].Kind == Text && (changes && of.Text != r.f.Text(i) || r.goes(ref)):
			r.sets[i] = Edit{Op: Set, Text: r.f.Text(i)} // without a key: nobody asked for it
		}
	}
}

// goes reports whether node i goes, by itself or with a container around it.
func (r *rewrite) goes(i int) bool {
	for ; len(r.gone) > 0 && i > 0; i = int(r.f.nodes[i].Parent) {
		if r.gone[i] {
			return true
		}
	}
	return false
}

// isCounted reports whether the children of a node are counted items.
func (f *File) isCounted(of int) bool {
	n := &f.nodes[of]
	if n.Kind == List {
		return true
	}
	return n.Kind == Forms && int(n.End) > of+1 && counted(f.Name(of+1))
}

// pin keeps the containers that a missing entry will stand in.
func (r *rewrite) pin(e Edit) {
	at := r.f.top
	r.pinned[at] = true
	for _, label := range r.pathOf(e) {
		next, ok := r.f.children(at)[label]
		if !ok {
			return
		}
		at = next
		r.pinned[at] = true
	}
}

// widen adds the containers that lose their last entry, and the lists that lose an item before one that stays, from the inside out, and
// drops what stands inside them.
func (r *rewrite) widen() {
	f := r.f
	for i := len(f.nodes) - 1; i >= f.top; i-- {
		if f.nodes[i].Kind <= Other || r.gone[i] {
			continue
		}
		some, hole, stays := false, false, false
		for c := range f.Children(i) {
			switch {
			case r.gone[c]:
				some = true
			default:
				stays = true
				hole = hole || some
			}
		}
		switch {
		case hole && f.isCounted(i):
			r.takeList(i)
		case some && !stays && !r.pinned[i] && i != f.top:
			r.gone[i] = true
		}
	}
	for i := f.top + 1; i < len(f.nodes); i++ {
		if !r.gone[i] {
			continue
		}
		for j := i + 1; j < int(f.nodes[i].End); j++ {
			delete(r.gone, j)
			delete(r.sets, j)
		}
		i = int(f.nodes[i].End) - 1
	}
}

// takeList takes out a list that cannot stay without one of its items; the outermost one stays, empty.
func (r *rewrite) takeList(list int) {
	for i := list + 1; i < int(r.f.nodes[list].End); i++ {
		if e, ok := r.sets[i]; ok {
			delete(r.sets, i)
			r.refuse(e, "the list is not complete without its other items, so all of it is left out")
		}
	}
	if list != r.f.top {
		r.gone[list] = true
		return
	}
	for c := range r.f.Children(list) {
		r.gone[c] = true
	}
}

// inPlace makes the edits of what is there: first the texts, then the removals in the file that has them, since what a removal
// may take along can depend on how the texts around it are spelled.
func (r *rewrite) inPlace() (string, error) {
	f := r.f
	splices := make([]Splice, 0, len(r.sets))
	for i, e := range r.sets {
		s, err := f.grammar.Set(f, i, e.Text)
		if err != nil {
			if e.Key == "" {
				e.Key = f.KeyOf(i)
			}
			r.refuse(e, "%v", err)
			continue
		}
		splices = append(splices, s)
	}
	slices.SortFunc(r.refused, func(a, b Refusal) int { return strings.Compare(a.Key+"\x00"+a.Form, b.Key+"\x00"+b.Form) })
	if len(r.gone) == 0 {
		return apply(f.src, splices), nil
	}
	if len(splices) > 0 {
		var err error
		if f, err = f.reread(apply(f.src, splices)); err != nil {
			return "", err
		}
		if f.Len() != r.f.Len() {
			return "", fmt.Errorf("read back after setting %d texts: %d entries and containers where %d were", len(splices), f.Len(), r.f.Len())
		}
	}
	gone := make([]int, 0, len(r.gone))
	for i := range r.gone {
		gone = append(gone, i)
	}
	slices.Sort(gone)
	removed, err := f.grammar.Remove(f, gone)
	if err != nil {
		return "", fmt.Errorf("remove %d entries: %w", len(gone), err)
	}
	return apply(f.src, removed), nil
}

// reread parses what became of the file's text.
func (f *File) reread(src string) (*File, error) {
	g, err := Parse(utf8Grammar{f.grammar}, f.keys, unsafe.Slice(unsafe.StringData(src), len(src)))
	if err != nil {
		return nil, fmt.Errorf("read back after editing: %w", err)
	}
	g.grammar = f.grammar
	return g, nil
}

// utf8Grammar hides a grammar's Decoder: the text is decoded already.
type utf8Grammar struct{ Grammar }

// apply cuts the splices into src in one pass. They must not overlap; two at one offset keep their order.
func apply(src string, splices []Splice) string {
	if len(splices) == 0 {
		return src
	}
	slices.SortStableFunc(splices, func(a, b Splice) int { return int(a.At.Start) - int(b.At.Start) })
	size := len(src)
	for _, s := range splices {
		size += len(s.Text) - s.At.Len()
	}
	var out strings.Builder
	out.Grow(max(size, 0))
	at := uint32(0)
	for _, s := range splices {
		if s.At.Start < at {
			panic(fmt.Sprintf("resource: splices overlap at byte %d", s.At.Start))
		}
		out.WriteString(src[at:s.At.Start])
		out.WriteString(s.Text)
		at = s.At.End
	}
	out.WriteString(src[at:])
	return out.String()
}
