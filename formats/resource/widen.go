package resource

import (
	"maps"
	"slices"
	"strconv"
)

// widen adds the containers that lose their last entry, and the lists that are not whole without what goes, from the
// inside out, and drops what is inside them.
//
// A list is whole when its items are the first ones it had, as many as like has there at least, and none of them lost
// its last text. An item that is not text (a null, a number, a reference, a map of such) does not make it whole by
// itself: a list goes with its last text, unless like has its items without texts too, or there is no like that could
// tell.
func (r *rewrite) widen() {
	f := r.f
	touched := make(map[int]bool)
	for i := range r.gone {
		for up := int(f.nodes[i].Parent); up >= f.top && !touched[up]; up = int(f.nodes[up].Parent) {
			touched[up] = true
		}
	}
	texts := make(map[int]bool, len(touched)) // by what was touched: whether a text stays in it
	for _, i := range slices.Backward(slices.Sorted(maps.Keys(touched))) {
		if !r.gone[i] {
			texts[i] = r.narrow(i, texts)
		}
	}
	r.dropInside()
	if with, ok := f.grammar.(Companion); ok && len(r.gone) > 0 {
		for _, i := range with.Companions(f, r.gone) {
			r.gone[i] = true
		}
	}
}

// Companion is implemented by grammars whose entries may have others about them. Companions are the nodes that say
// something about nodes that go, and about none that stays.
type Companion interface {
	Companions(f *File, gone map[int]bool) []int
}

// narrow decides about the container i, from which something goes, and reports whether a text stays in it.
func (r *rewrite) narrow(i int, texts map[int]bool) bool {
	f := r.f
	isCounted := f.isCounted(i)
	some, hole, text, stays := false, false, false, 0
	for c := range f.Children(i) {
		left, touched := texts[c]
		if isCounted && touched && !left && !r.gone[c] && !r.textless(c) {
			r.gone[c] = true
		}
		if r.gone[c] {
			some = true
			continue
		}
		if f.nodes[c].Meta {
			continue
		}
		stays++
		hole = hole || some
		text = text || left || !touched && r.hasText(c)
	}
	switch {
	case !some:
	case isCounted && (hole || stays > 0 && (stays < r.itemsOfLike(i) || !text && !r.textless(i))):
		r.takeList(i)
		return false
	case stays == 0 && i != f.top && !r.pinned[i]:
		r.gone[i] = true
		return false
	}
	return text || r.pinned[i] && !isCounted // a text comes
}

// hasText reports whether a text is in node i, or will be.
func (r *rewrite) hasText(i int) bool {
	return r.f.anyText(i, func(c int) bool { _, set := r.sets[c]; return set })
}

// anyText reports whether node i is a text or has one in it; or a leaf that also says yes to.
func (f *File) anyText(i int, also func(int) bool) bool {
	for c := i; c < int(f.nodes[i].End); c++ {
		if k := f.nodes[c].Kind; k == Text || k < Map && also(c) {
			return true
		}
	}
	return false
}

// textless reports whether like has the container that node i is, with something in it and without any text. Without
// like, that may be.
func (r *rewrite) textless(i int) bool {
	if r.like == nil {
		return true
	}
	at := r.inLike(i)
	return at >= 0 && int(r.like.nodes[at].End) > at+1 && !r.like.anyText(at, func(int) bool { return false })
}

// dropInside leaves of what goes the outermost nodes, and no new texts in them.
func (r *rewrite) dropInside() {
	f := r.f
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

// itemsOfLike is how many items like has in the list that node i is; 0 when that is not a list there.
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
	for c := range r.f.Children(up) { // all at once: an item's label is its index
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
