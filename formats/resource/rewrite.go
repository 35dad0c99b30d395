package resource

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
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

	// Unproven says that nothing is wrong with the edit: the grammar wrote it, but what it wrote did not read back as it had to, so none of it was
	// kept. That is a fault of the grammar, in a file of an unusual shape. Every other refusal is a rule of the format.
	Unproven bool
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
// that are missing are made with it, also in the place of a Null where like has a Map. A list is whole or absent: when an item goes
// that stands before one that stays, or fewer items would stay than like has, all of it goes, and the texts meant for it are refused.
// A container whose last entry goes, goes too.
//
// The result was read back and compared with what was to come out, entry by entry (see prove). Edits that a grammar does not get right in this
// file are refused, Unproven, and do not keep the others from being made: whatever goes wrong is a refusal.
func (f *File) Rewrite(edits []Edit, like *File) ([]byte, []Refusal) {
	edits = lastOfEach(edits)
	out, refused, fault := f.attempt(edits, like)
	if fault != nil {
		out, refused = f.without(edits, like, fault)
	}
	return out, refused
}

// lastOfEach drops the edits that a later one of the same entry makes void.
func lastOfEach(edits []Edit) []Edit {
	last := make(map[id]int, len(edits))
	for i, e := range edits {
		last[id{e.Key, e.Form}] = i
	}
	if len(last) == len(edits) {
		return edits
	}
	kept := make([]Edit, 0, len(last))
	for i, e := range edits {
		if last[id{e.Key, e.Form}] == i {
			kept = append(kept, e)
		}
	}
	return kept
}

// attempt makes edits, no two of one entry, all at once. The fault says what would be wrong with the result; then there is none.
func (f *File) attempt(edits []Edit, like *File) (out []byte, refused []Refusal, fault error) {
	r := rewrite{f: f, like: like, gone: make(map[int]bool), same: make(map[int]Edit), pinned: make(map[int]bool), sets: make(map[int]Edit), follows: make(map[int]string),
		spots: make(map[int]*spot), planned: make(map[spotLabel]*planned)}
	r.sort(edits)
	if len(r.sets)+len(r.gone)+len(r.missing) == 0 {
		return f.bytes, r.refused, nil
	}
	now, fault := r.setTexts()
	if fault == nil && len(r.gone) > 0 {
		now, fault = r.remove(now)
	}
	if fault == nil && len(r.missing) > 0 {
		now, fault = r.insert(now)
	}
	if fault != nil {
		return nil, nil, fault
	}
	return now.bytes, r.refused, nil
}

// RenameRoot returns the bytes with another Rails root, or the same bytes when the file has none. An error means that the grammar cannot do that here.
func (f *File) RenameRoot(name string) ([]byte, error) {
	if old, ok := f.Root(); !ok || old == name {
		return f.bytes, nil
	}
	s, err := f.grammar.Rename(f, f.top, name)
	if err != nil {
		return nil, fmt.Errorf("root %q: %w", name, err)
	}
	g, err := f.step([]Splice{s}, true, &change{named: map[int]string{f.top: name}, top: -1})
	if err != nil {
		return nil, fmt.Errorf("root %q: %w; rename it by hand", name, err)
	}
	return g.bytes, nil
}

// rewrite is one call of Rewrite: edits sorted by what they do to the file as it stands.
type rewrite struct {
	f, like *File
	sets    map[int]Edit // by node
	same    map[int]Edit // by node: sets that change nothing, where something is removed
	gone    map[int]bool // nodes that are removed
	twins   map[int]int  // see inLike
	pinned  map[int]bool // containers that stay though they get empty: something new goes in there
	missing []Edit       // sets of entries that are not there
	refused []Refusal

	follows map[int]string // texts that leaves get because one that they repeat (Node.Ref) gets them

	counts  map[int]map[string]int // how often labels occur in containers where a null may give way
	spots   map[int]*spot          // containers of the file that something is added to
	planned map[spotLabel]*planned // containers that are added
}

func (r *rewrite) refuse(e Edit, format string, args ...any) {
	r.refused = append(r.refused, Refusal{Edit: e, Reason: fmt.Sprintf(format, args...)})
}

// sort assigns each edit to its node or to what is missing.
func (r *rewrite) sort(edits []Edit) {
	copiesOf := r.f.copies
	if found, ok := r.f.all(edits); ok {
		copiesOf = func(of id) []int32 { return found[of] }
	}
	removes := slices.ContainsFunc(edits, func(e Edit) bool { return e.Op == Remove })
	for _, e := range edits {
		if !utf8.ValidString(e.Key) || !utf8.ValidString(e.Form) {
			r.refuse(e, "the key is not valid UTF-8")
			continue
		}
		copies := copiesOf(id{e.Key, e.Form})
		if e.Op == Remove {
			for _, i := range copies { // an entry goes in all its copies
				r.gone[int(i)] = true
			}
			continue
		}
		if len(copies) == 0 {
			r.missing = append(r.missing, e)
			continue
		}
		at := int(copies[len(copies)-1])
		if r.f.nodes[at].Kind != Text || r.f.Text(at) != e.Text {
			r.sets[at] = e
		} else if removes {
			r.same[at] = e
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
			if changes {
				r.follows[i] = of.Text // until it goes
			}
		case changes && set && mine.Text == of.Text:
			delete(r.sets, i)
			r.follows[i] = mine.Text
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
	path := r.pathOf(e)
	for _, label := range path[:len(path)-1] { // a container of the entry's own name is in its way, and may go
		next, ok := r.f.child(at, label)
		if !ok {
			return
		}
		at = next
		r.pinned[at] = true
	}
}

// widen adds the containers that lose their last entry, and the lists that are not whole without what goes, from the inside out, and drops
// what stands inside them.
func (r *rewrite) widen() {
	f := r.f
	touched := make(map[int]bool)
	for i := range r.gone {
		for up := int(f.nodes[i].Parent); up >= 0 && !touched[up]; up = int(f.nodes[up].Parent) {
			touched[up] = true
		}
	}
	for _, i := range slices.Backward(slices.Sorted(maps.Keys(touched))) {
		if isCounted := f.isCounted(i); i < f.top || r.gone[i] || i == f.top && !isCounted {
			continue
		}
		some, hole, stays := false, false, 0
		for c := range f.Children(i) {
			switch {
			case r.gone[c]:
				some = true
			default:
				stays++
				hole = hole || some
			}
		}
		switch {
		case hole && f.isCounted(i), some && stays > 0 && f.isCounted(i) && stays < r.itemsOfLike(i):
			r.takeList(i)
		case some && stays == 0 && !r.pinned[i] && i != f.top:
			r.gone[i] = true
		}
	}
	end := 0
	for _, i := range slices.Sorted(maps.Keys(r.gone)) {
		if i < end {
			delete(r.gone, i)
			continue
		}
		end = int(f.nodes[i].End)
		if len(r.sets) > 0 {
			for j := i + 1; j < end; j++ {
				delete(r.sets, j)
			}
		}
	}
}

// itemsOfLike is how many items like has in the list that node i is; 0 when that is no list there.
func (r *rewrite) itemsOfLike(i int) int {
	if r.like == nil {
		return 0
	}
	n := 0
	if at := r.inLike(i); at >= 0 && r.like.isCounted(at) {
		for range r.like.Children(at) {
			n++
		}
	}
	return n
}

// inLike is the container of like that has the labels of one of the file; -1 when there is none.
func (r *rewrite) inLike(i int) int {
	if i == r.f.top {
		return r.like.top
	}
	if at, known := r.twins[i]; known {
		return at
	}
	up := int(r.f.nodes[i].Parent)
	in, n := r.inLike(up), 0
	if r.twins == nil {
		r.twins = make(map[int]int)
	}
	for c := range r.f.Children(up) { // all at once: an item's label is its place
		if r.f.nodes[c].Kind > Other {
			r.twins[c] = -1
			label := strconv.Itoa(n)
			if r.f.nodes[up].Kind != List {
				label = r.f.ownLabel(c)
			}
			if in >= 0 {
				if at, ok := r.like.child(in, label); ok {
					r.twins[c] = at
				}
			}
		}
		n++
	}
	return r.twins[i]
}

// takeList takes out a list that cannot stand without one of its items; the outermost one stays, empty.
func (r *rewrite) takeList(list int) {
	for i := list + 1; i < int(r.f.nodes[list].End); i++ {
		for _, texts := range []map[int]Edit{r.sets, r.same} {
			if e, ok := texts[i]; ok {
				delete(texts, i)
				r.refuse(e, "the list is not complete without its other items, so all of it is left out")
			}
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

// setTexts gives the entries that are there their new texts. That comes before the removals, in a file that is read again, since what a removal
// may take along can depend on how the texts around it are spelled.
func (r *rewrite) setTexts() (*File, error) {
	f := r.f
	texts := r.follows
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
		texts[i] = e.Text
	}
	slices.SortFunc(r.refused, func(a, b Refusal) int { return strings.Compare(a.Key+"\x00"+a.Form, b.Key+"\x00"+b.Form) })
	if len(splices) == 0 {
		return f, nil
	}
	return f.step(splices, len(r.gone)+len(r.missing) == 0, &change{texts: texts, top: f.top})
}

// remove takes out what goes. The nodes of now are those of the file.
func (r *rewrite) remove(now *File) (*File, error) {
	gone := slices.Sorted(maps.Keys(r.gone))
	splices, err := now.grammar.Remove(now, gone)
	if err != nil {
		return nil, err
	}
	return now.step(splices, len(r.missing) == 0, &change{gone: gone, top: now.top})
}

// step cuts splices into the file's text and reads what became of it, as a program will where it is the last step. The error is the first thing
// that is not as it was to be.
func (f *File) step(splices []Splice, last bool, c *change) (*File, error) {
	src, err := apply(f.src, splices)
	if err != nil {
		return nil, err
	}
	g, err := f.reread(src, last)
	if err != nil {
		return nil, err
	}
	if !last {
		c.top = -1
	}
	if err := prove(f, g, c); err != nil {
		return nil, err
	}
	if !last { // a root that only shows between two steps is none
		g.top = f.top
	}
	return g, nil
}

// reread parses what became of the file's text. What is not the last step stays decoded.
func (f *File) reread(src []byte, last bool) (*File, error) {
	text := unsafe.String(unsafe.SliceData(src), len(src))
	grammar := f.grammar
	if !last {
		grammar = utf8Grammar{f.grammar}
	} else if f.encode != nil {
		src = f.encode(text)
	}
	g, err := Parse(grammar, f.keys, src)
	if err != nil {
		return nil, fmt.Errorf("the file could not be read any more: %w", err)
	}
	if g.src != text {
		return nil, errors.New("the file's encoding cannot hold it")
	}
	if !last {
		g.grammar, g.encode = f.grammar, f.encode
	}
	return g, nil
}

// utf8Grammar hides a grammar's Decoder: the text is decoded already.
type utf8Grammar struct{ Grammar }

// apply cuts the splices into src in one pass. Two at one offset keep their order. That two overlap is a grammar's fault.
func apply(src string, splices []Splice) ([]byte, error) {
	slices.SortStableFunc(splices, func(a, b Splice) int { return cmp.Compare(a.At.Start, b.At.Start) })
	size := len(src)
	for _, s := range splices {
		size += len(s.Text) - s.At.Len()
	}
	out := make([]byte, 0, max(size, 0))
	at := uint32(0)
	for _, s := range splices {
		if s.At.Start < at {
			return nil, errors.New("two changes overlap")
		}
		out = append(out, src[at:s.At.Start]...)
		out = append(out, s.Text...)
		at = s.At.End
	}
	return append(out, src[at:]...), nil
}
