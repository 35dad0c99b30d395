package resource

import "strings"

// Commenter is implemented by grammars whose files may have comments. Comment returns the offset behind the comment
// that starts at an offset of a gap between entries, or that offset where none does.
type Commenter interface {
	Comment(src string, at int) (end int)
}

// Owner is implemented by grammars whose files may have entries that are for one language alone. Own reports whether
// node i is one.
type Owner interface {
	Own(f *File, i int) bool
}

// Fresh returns a new file that is laid out like f, which is in the source language, with these texts and no others.
// What is not text comes with the texts beside it: a group whose texts are not given goes with all that it has, and so
// do places that hold nothing. Comments whose entries all went go with them, and no more blank lines stand where
// entries went than stood there. The first comment of the file stays.
//
// A text that cannot be written is refused, and its entry is not in the file: the source's would replace it. Where a
// text of the source cannot go without those beside it, these are refused, too.
func (f *File) Fresh(texts []Edit) (out []byte, refused []Refusal) {
	edits := lastOfEach(f.SpelledEdits(texts))
	given := make(map[id]bool, len(edits))
	for _, e := range edits {
		given[id{e.Key, e.Form}] = true
	}
	for e := range f.spelledEntries() {
		if n := (id{e.Key, e.Form}); e.Kind == Text && !given[n] {
			given[n] = true
			edits = append(edits, Edit{Op: Remove, Key: e.Key, Form: e.Form})
		}
	}
	for {
		out, fresh := f.packed(edits).rewrite(edits, f, true)
		var dropped []Refusal
		for _, r := range fresh {
			if r.Op == Set {
				dropped = append(dropped, r)
			}
		}
		for i := 0; i < len(fresh) && len(dropped) == 0; i++ {
			dropped = f.besides(fresh[i], edits)
		}
		if len(dropped) == 0 {
			return out, f.joinedRefusals(refused)
		}
		refused = append(refused, dropped...)
		for _, r := range dropped {
			edits = append(edits, Edit{Op: Remove, Key: r.Key, Form: r.Form})
		}
		edits = lastOfEach(edits)
	}
}

// besides are the texts that are to be set in the same place as one that cannot be taken out, refused for its reason.
func (f *File) besides(stays Refusal, edits []Edit) (refused []Refusal) {
	at, ok := f.last(id{stays.Key, stays.Form})
	for ok && at > 0 && len(refused) == 0 {
		at = f.nodes[at].Parent
		for _, e := range edits {
			node, known := f.last(id{e.Key, e.Form})
			if e.Op == Set && known && node > at && node < f.nodes[at].End {
				refused = append(refused, Refusal{Edit: e, Reason: stays.Reason, Unproven: stays.Unproven})
			}
		}
	}
	return refused
}

// bare marks what goes from a fresh file though it is not text, see Fresh.
func (r *rewrite) bare() {
	f := r.f
	own, _ := f.grammar.(Owner)
	keeps := keepsGaps(f.grammar)
	const had, stays, some uint8 = 1, 2, 4 // a text, a text that stays, a value of any kind
	in := make([]uint8, len(f.nodes))
	for i := len(f.nodes) - 1; i > f.top; i-- {
		n := &f.nodes[i]
		_, set := r.sets[i]
		switch {
		case n.Kind == Text || set:
			in[i] |= had | some
			if !r.gone[i] {
				in[i] |= stays
			}
		case n.Kind == Other, n.Kind == Null && keeps:
			in[i] |= some
		case n.Kind > Other && int(n.End) == i+1 && (n.Ref != 0 || strings.Trim(n.Value.Of(f.src), "{}[] \t\r\n") != ""):
			in[i] |= some
		}
		if own != nil && own.Own(f, i) {
			in[i] = had
		}
		if n.Parent >= 0 {
			in[n.Parent] |= in[i]
		}
	}
	for i := f.top + 1; i < len(f.nodes); i++ {
		n := &f.nodes[i]
		up := int(n.Parent)
		switch {
		case f.nodes[up].Kind != Map || r.pinned[i] || isSlot(f, i):
		case !f.keys.Structured && (up != f.top || n.Kind == Map || n.Kind == List): // without a key
		case n.Kind == Null && len(f.copies(id{key: f.spelledKey(i)})) > 1: // the other may be a text
		case in[i]&some == 0, in[i]&(had|stays) == had:
			r.gone[i] = true
		}
	}
}
