package resource

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Op is what an Edit does.
type Op uint8

// Set gives an entry a text, and makes the entry where there is none. Remove takes it out; what is not there is gone
// already.
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

	// Unproven says that nothing is wrong with the edit: the grammar wrote it, but what it wrote did not read back as it
	// had to, so none of it was kept. That is a fault of the grammar, in a file of an unusual shape. Every other refusal
	// is a rule of the format.
	Unproven bool
}

func (r Refusal) Error() string {
	key := r.Key
	if r.Form != "" {
		key += " [" + r.Form + "]"
	}
	return key + ": " + r.Reason
}

// Rewrite returns the file's bytes with the edits made. Only the spans of edited values, and the entries that come or
// go, differ; with no edits it is the same slice that was parsed. like is the file in the source language: it says
// where new entries stand and how they are nested; nil puts them last. Several edits of one entry count as the last of
// them.
//
// A new entry is behind the nearest earlier sibling in like that this file has too, or first when it has none.
// Parents that are missing are made with it, also instead of a Null where like has a Map. A list is whole or
// absent (see widen): where it would be cut, all of it goes, and the texts meant for it are refused. A container whose
// last entry goes, goes too. Some grammars keep its text for a new entry of like (see Merger).
//
// The result was read back and compared with what was to come out, entry by entry (see prove). Edits that a grammar
// does not get right in this file are refused, Unproven, and do not keep the others from being made: whatever goes
// wrong is a refusal.
func (f *File) Rewrite(edits []Edit, like *File) ([]byte, []Refusal) {
	edits = lastOfEach(f.SpelledEdits(edits))
	out, refused := f.merged(edits, like).rewrite(edits, like, false)
	return out, f.joinedRefusals(refused)
}

// merged is the file after Merge; the file itself where nothing is merged.
func (f *File) merged(edits []Edit, like *File) *File {
	m, is := f.grammar.(Merger)
	if !is || like == nil {
		return f
	}
	removed, taken := make(map[id]bool), make(map[string]int)
	for _, e := range edits {
		if e.Op == Remove {
			removed[id{e.Key, e.Form}] = true
		} else {
			taken[e.Key]++
		}
	}
	if len(removed) == 0 {
		return f
	}
	for c := range f.Children(f.top) {
		taken[f.Name(c)]++
	}
	var gone, fresh []int
	for c := range f.Children(f.top) {
		if name := f.Name(c); taken[name] == 1 && f.losesAll(c, name, removed) {
			gone = append(gone, c)
		}
	}
	for c := range like.Children(like.top) {
		if taken[like.Name(c)] == 0 {
			fresh = append(fresh, c)
		}
	}
	if len(gone) == 0 || len(fresh) == 0 {
		return f
	}
	names, splices := m.Merge(f, gone, like, fresh)
	if len(splices) == 0 {
		return f
	}
	again := make(map[string]bool, len(names))
	for _, name := range names {
		again[name] = true
	}
	splices = append(splices, m.Revive(f, again)...)
	g, err := f.step(splices, true, &change{named: names, top: f.top})
	if err != nil {
		return f
	}
	return g
}

// losesAll reports whether all texts of the outermost node i, which has this name, are removed.
func (f *File) losesAll(i int, name string, removed map[id]bool) bool {
	if f.nodes[i].Kind != Forms {
		return f.nodes[i].Kind == Text && removed[id{key: name}]
	}
	some := false
	for c := range f.Children(i) {
		if f.nodes[c].Kind != Text {
			continue
		}
		if !removed[id{name, f.Name(c)}] {
			return false
		}
		some = true
	}
	return some
}

// rewrite makes edits, no two of one entry; fresh says that a new file comes of it, see Fresh.
func (f *File) rewrite(edits []Edit, like *File, fresh bool) ([]byte, []Refusal) {
	out, refused, fault := f.attempt(edits, like, fresh)
	if fault != nil {
		out, refused = f.without(edits, like, fresh, fault)
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

// attempt makes edits, no two of one entry, all at once. The fault says what would be wrong with the result; then there
// is none.
func (f *File) attempt(edits []Edit, like *File, fresh bool) (out []byte, refused []Refusal, fault error) {
	r := newRewrite(f, like, fresh)
	r.sort(edits)
	if len(r.sets)+len(r.gone)+len(r.missing) == 0 {
		return f.bytes, r.refused, nil
	}
	now, fault := r.setTexts()
	if fault == nil && len(r.gone) > 0 {
		if now, fault = r.remove(now); fault == nil && r.fresh {
			now = r.squeezed(now)
		}
	}
	if fault == nil && len(r.missing) > 0 {
		now, fault = r.insert(now)
	}
	if fault != nil {
		return nil, nil, fault
	}
	return now.bytes, r.refused, nil
}

// RenameRoot returns the bytes with another Rails root, or the same bytes when the file has none. An error means that
// the grammar cannot do that here.
func (f *File) RenameRoot(name string) ([]byte, error) {
	if old, ok := f.Root(); !ok || old == name {
		return f.bytes, nil
	}
	if !utf8.ValidString(name) {
		return nil, fmt.Errorf("root %q: the name is not valid UTF-8", name)
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

// rewrite is one call of Rewrite: edits sorted by what they do to the file as it is.
type rewrite struct {
	f, like *File
	fresh   bool         // f is to become a new file
	sets    map[int]Edit // by node
	same    map[int]Edit // by node: sets that change nothing, where something is removed
	gone    map[int]bool // nodes that are removed
	twins   map[int]int  // see inLike
	pinned  map[int]bool // containers that stay though they get empty: something new goes in there
	missing []Edit       // sets of entries that are not there
	refused []Refusal

	follows map[int]string // texts that leaves get because one that they repeat (Node.Ref) gets them

	annotate *bool // see annotates; nil while nothing asked

	counts  map[int]map[string]int // how often labels occur in containers where a null may be replaced
	spots   map[int]*spot          // containers of the file that something is added to
	planned map[spotLabel]*planned // containers that are added
}

func newRewrite(f, like *File, fresh bool) *rewrite {
	return &rewrite{f: f, like: like, fresh: fresh, sets: make(map[int]Edit), same: make(map[int]Edit),
		gone: make(map[int]bool), pinned: make(map[int]bool),
		follows: make(map[int]string), spots: make(map[int]*spot), planned: make(map[spotLabel]*planned)}
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
		if e.Op == Set && !utf8.ValidString(e.Text) {
			r.refuse(e, "the text is not valid UTF-8")
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
		if r.f.nodes[at].Meta {
			r.refuse(e, "it is metadata of the file or of another entry, and no text; give the entry another name")
			continue
		}
		if r.f.nodes[at].Kind != Text || r.f.Text(at) != e.Text {
			r.sets[at] = e
		} else if removes {
			r.same[at] = e
		}
	}
	if len(r.gone) > 0 || r.fresh {
		for _, e := range r.missing {
			r.pin(e)
		}
		if r.fresh {
			r.bare()
		}
		r.widen()
	}
	r.keepRepeats()
}

// keepRepeats sees to it that an edit of a value that others repeat (Node.Ref) changes what is read under its own key
// only: of those others, the ones that are to read the same go on repeating it, the rest get a text of their own. A
// repeated value that is not text cannot be given to them that way, so it stays.
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
			r.refuse(of, "another entry repeats this value, which is not a text, and would change with it; "+
				"write it out there first")
		case r.goes(i):
			if changes {
				r.follows[i] = of.Text // until it goes
			}
		case changes && set && mine.Text == of.Text:
			delete(r.sets, i)
			r.follows[i] = mine.Text
		case !set && r.f.nodes[i].Kind == Text && (changes && of.Text != r.f.Text(i) || r.goes(ref)):
			r.sets[i] = Edit{Op: Set, Text: r.f.Text(i)} // without a key: it was not asked for
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

// pin keeps the containers that a missing entry will be in.
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

// setTexts gives the entries that are there their new texts. That comes before the removals, in a file that is read
// again, since what a removal may take along can depend on how the texts around it are spelled.
func (r *rewrite) setTexts() (*File, error) {
	f := r.f
	texts := r.follows
	splices := make([]Splice, 0, len(r.sets))
	for i, e := range r.sets {
		s, err := f.grammar.Set(f, i, e.Text)
		if err != nil {
			if e.Key == "" {
				e.Key = f.spelledKey(i)
			}
			r.refuse(e, "%v", err)
			continue
		}
		splices = append(splices, s)
		texts[i] = e.Text
	}
	splices = append(splices, r.beside(splices)...)
	slices.SortFunc(r.refused, func(a, b Refusal) int { return strings.Compare(a.Key+"\x00"+a.Form, b.Key+"\x00"+b.Form) })
	if len(splices) == 0 {
		return f, nil
	}
	return f.step(splices, len(r.gone)+len(r.missing) == 0, &change{texts: texts, top: f.top})
}

// beside is what else changes in a bilingual file, see Bilingual.
func (r *rewrite) beside(sets []Splice) (splices []Splice) {
	b, is := r.f.grammar.(Bilingual)
	if !is {
		return nil
	}
	taken := make(map[Span]bool, len(sets))
	for _, s := range sets {
		taken[s.At] = true
	}
	for _, i := range slices.Sorted(maps.Keys(r.sets)) {
		if _, set := r.follows[i]; !set {
			continue // refused
		}
		for _, s := range b.Beside(r.f, i, r.follows, r.modelOf(r.sets[i])) {
			if !taken[s.At] {
				taken[s.At] = true
				splices = append(splices, s)
			}
		}
	}
	return splices
}

// modelOf is the entry of like that an edit is about; nil where it has none.
func (r *rewrite) modelOf(e Edit) *Model {
	if r.like == nil {
		return nil
	}
	if at, ok := r.like.at(r.pathOf(e)); ok {
		return &Model{r.like, at}
	}
	for _, form := range []string{"other", "one"} {
		if at, ok := r.like.lookup(id{e.Key, form}); ok && e.Form != "" {
			return &Model{r.like, at.Node}
		}
	}
	return nil
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

// step cuts splices into the file's text and reads what became of it, as a program will where it is the last step. The
// error is the first thing that is not as it was to be.
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
	keys := f.keys
	if !last && f.top == 0 {
		keys.Roots = nil
	} else if last && f.encode != nil {
		src = f.encode(text)
	}
	g, err := parse(f.grammar, keys, src, last, true)
	if err != nil {
		return nil, fmt.Errorf("the file could not be read any more: %w", err)
	}
	if g.src != text {
		return nil, errors.New("the file's encoding cannot hold it")
	}
	if !last {
		g.keys, g.encode = f.keys, f.encode
	}
	return g, nil
}

// apply cuts the splices into src in one pass. Two at one offset keep their order. That two overlap is a grammar's
// fault.
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

// SpelledEdits are edits under the names that their entries have in the file, with those that make room for them.
func (f *File) SpelledEdits(edits []Edit) []Edit {
	if f.plurals == nil && f.prefix == "" {
		return edits
	}
	apart := f.apart(edits)
	whole := func(key string) string { return f.unprefixed(f.plurals.Whole(f.prefix + key)) }
	out := make([]Edit, 0, len(edits)+2*len(apart))
	for key, text := range apart {
		out = append(out, Edit{Op: Remove, Key: key}, Edit{Op: Set, Key: whole(key), Text: text})
	}
	for _, e := range edits {
		at := f.spelled(id{e.Key, e.Form})
		if _, is := apart[at.key]; is && at.form == "" {
			at.key = whole(at.key)
		}
		e.Key, e.Form = at.key, at.form
		out = append(out, e)
	}
	return out
}

// apart are the single texts of the file that stand for a plural, and that become a plural because another form of it
// gets a text.
func (f *File) apart(edits []Edit) map[string]string {
	texts := make(map[string]string)
	for _, e := range edits {
		key := f.unprefixed(e.Key)
		if e.Op != Set || e.Form == "" || f.plurals == nil || !f.plurals.Single(e.Key) ||
			f.spelled(id{e.Key, e.Form}).key == key {
			continue
		}
		if old, is := f.lookup(id{key: key}); is && old.Kind == Text {
			texts[key] = old.Text
		}
	}
	return texts
}

// joinedRefusals are refusals under the names that Entries has.
func (f *File) joinedRefusals(refused []Refusal) []Refusal {
	for i := range refused {
		at := f.joined(id{refused[i].Key, refused[i].Form})
		refused[i].Key, refused[i].Form = at.key, at.form
	}
	return refused
}
