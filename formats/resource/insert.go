package resource

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// pathOf is where a missing entry belongs: as like has it, else by its key.
func (r *rewrite) pathOf(e Edit) []string {
	if r.like != nil {
		if at, ok := r.like.lookup(id{e.Key, e.Form}); ok {
			return r.like.path(at.Node)
		}
		if e.Form != "" { // another language has other plural categories
			for _, form := range []string{"other", "one", "0"} {
				if at, ok := r.like.lookup(id{e.Key, form}); ok {
					path := r.like.path(at.Node)
					path[len(path)-1] = e.Form
					return path
				}
			}
		}
	}
	path := r.f.split(e.Key)
	if e.Form != "" {
		path[len(path)-1] += formsMark
		path = append(path, e.Form)
	}
	return path
}

// planned is an entry, with what is new above it, before it is inserted.
type planned struct {
	gap   Gap
	top   *sprout // nil once it is made
	edits []int   // in missing
}

// spotLabel names a container that is planned inside one that is there.
type spotLabel struct {
	in    int
	label string
}

// insert adds the missing entries to now, which is the file with all other edits made.
func (r *rewrite) insert(now *File) (*File, error) {
	var plans []*planned
	r.missing = r.ordered()
	for n := range r.missing {
		plans = r.plan(now, plans, n)
	}
	r.planned = nil // it is large where many come
	c := &change{top: now.top}
	if _, ok := r.newRoot(now); ok {
		c.top = 1
	}
	var splices []Splice
	for _, group := range byPlace(plans) {
		if s, add := r.splice(now, group); len(add) > 0 {
			splices = append(splices, s)
			c.added = append(c.added, addition{group[0].gap, add})
		}
	}
	if len(splices) == 0 {
		c.top = now.top
		if now == r.f {
			return now, nil
		}
	}
	if m, is := now.grammar.(Merger); is {
		again := make(map[string]bool)
		for _, a := range c.added {
			for _, n := range a.nodes {
				again[n.Name] = true
			}
		}
		splices = append(splices, m.Revive(now, again)...)
	}
	return now.step(splices, true, c)
}

// ordered sorts the missing entries as like has them, plural forms that it lacks among those that it has; others that
// it lacks follow in the order they were asked for, the forms of one plural together.
func (r *rewrite) ordered() []Edit {
	type ranked struct {
		Edit
		order, of, form int
	}
	edits := make([]ranked, len(r.missing))
	first := make(map[string]int) // where a plural was asked for first
	indices := r.f.Forms()
	for i, e := range r.missing {
		base, rank := formOf(e.Key)
		if _, ok := first[base]; !ok {
			first[base] = i
		}
		edits[i] = ranked{e, r.orderOf(e), first[base], rank}
		if e.Form != "" {
			edits[i].form = formRank(e.Form)
		}
		if at := slices.Index(indices, e.Form); e.Form != "" && at >= 0 {
			edits[i].form = at
		}
	}
	sorted, _ := r.f.grammar.(Sorted)
	slices.SortStableFunc(edits, func(a, b ranked) int {
		if sorted != nil && a.Form != "" && b.Form != "" && a.order == b.order && a.of == b.of {
			return sorted.Compare(a.Form, b.Form)
		}
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.of, b.of), cmp.Compare(a.form, b.form))
	})
	out := make([]Edit, len(edits))
	for i, e := range edits {
		out[i] = e.Edit
	}
	return out
}

func (r *rewrite) orderOf(e Edit) int {
	if r.like == nil {
		return math.MaxInt32
	}
	path := r.pathOf(e)
	if e.Form != "" { // the forms of one key are in one place of like
		path = path[:len(path)-1]
	}
	if at, ok := r.like.at(path); ok {
		return at
	}
	last := len(path) - 1
	base, rank := formOf(path[last])
	if rank < 0 {
		return math.MaxInt32
	}
	lower := slices.Clone(categories[:rank])
	slices.Reverse(lower)
	for _, category := range append(slices.Clone(categories[rank+1:]), lower...) {
		path[last] = base + category
		if at, ok := r.like.at(path); ok {
			return at
		}
	}
	return math.MaxInt32
}

// formOf splits a name, or a key, before the plural category that it ends in, whose place in CLDR's order is rank: -1
// where there is none.
func formOf(name string) (base string, rank int) {
	base = name[:strings.LastIndexAny(name, "_./")+1]
	if rank = slices.Index(categories, name[len(base):]); rank < 0 {
		return name, -1
	}
	return base, rank
}

// formRank orders the forms of a key: items by index, plural categories as CLDR lists them.
func formRank(form string) int {
	if counted(form) {
		n, _ := strconv.Atoi(form)
		return n
	}
	return slices.Index(categories, form)
}

// categories are the plural categories in CLDR's order.
var categories = []string{"zero", "one", "two", "few", "many", "other"}

// plan finds the gap for missing entry n in f and adds it there, under containers that are planned already where it
// shares them.
func (r *rewrite) plan(f *File, plans []*planned, n int) []*planned {
	e := r.missing[n]
	path := r.pathOf(e)
	if f.named(path) != (id{e.Key, e.Form}) {
		r.refuse(e, "the source file puts its keys together in another way; read both files with the same path separator")
		return plans
	}
	skip := 0 // labels of path that like does not have
	if root, ok := r.newRoot(f); ok {
		path = append([]string{root}, path...)
		skip = 1
	}
	in, depth, reason := r.descend(f, path, skip)
	if reason != "" {
		r.refuse(e, reason, path[depth])
		return plans
	}
	label, above := path[depth], path[min(skip, depth):depth:depth] // above as like has it
	p := r.planned[spotLabel{in, label}]
	if at, there := f.child(in, label); depth == len(path)-1 && (there || p != nil) {
		if there && p == nil && f.nodes[at].Kind == Absent {
			p = &planned{gap: Gap{at, -1}, top: r.sprout(above, label, e, true), edits: []int{n}}
			r.planned[spotLabel{in, label}] = p
			return append(plans, p)
		}
		r.refuse(e, keysBelow)
		return plans
	}
	if p != nil {
		if p.top.add(r, path[skip:depth+1], path[depth+1:], e) {
			p.edits = append(p.edits, n)
		}
		return plans
	}
	if f.nodes[in].Kind == List && r.likeHas(Map, above) {
		name := "the file"
		if depth > 0 {
			name = strconv.Quote(path[depth-1])
		}
		r.refuse(e, listAbove, name)
		return plans
	}
	spot := r.spotOf(f, in, above)
	if f.isCounted(in) || f.nodes[in].Kind == Forms && f.nodes[in].End == int32(in+1) && counted(label) {
		if label != strconv.Itoa(spot.items) {
			r.refuse(e, "item %s cannot stand without the items before it", label)
			return plans
		}
		spot.items++
	}
	leaf := depth == len(path)-1
	p = &planned{gap: r.gapFor(f, in, spot, label), top: r.sprout(above, label, e, leaf), edits: []int{n}}
	if depth < len(path)-1 {
		p.top.add(r, path[skip:depth+1], path[depth+1:], e)
	}
	r.planned[spotLabel{in, label}] = p
	return append(plans, p)
}

// descend finds the innermost container of f on a path, and how deep it is. The reason says that something is in the
// way.
func (r *rewrite) descend(f *File, path []string, skip int) (in, depth int, reason string) {
	for in = f.top; depth < len(path)-1; depth++ {
		next, ok := f.child(in, path[depth])
		switch {
		case !ok:
			return in, depth, ""
		case f.nodes[next].Kind == Null && !r.yieldsToMap(f, in, next, path[skip:depth+1]):
			return in, depth, nullAbove
		case f.nodes[next].Kind != Null && f.nodes[next].Kind < Map:
			return in, depth, valueAbove
		}
		in = next
	}
	return in, depth, ""
}

// Why a key cannot be a text and be above others at once.
const (
	keysBelow  = "other keys are below it here, so it cannot hold a text"
	textAbove  = "%q holds a single value here, so nothing can be below it"
	valueAbove = textAbove + "; where the source is right, take that value out of the file by hand, " +
		"then the entries below it come"
	nullAbove = "%q is null here, so nothing can be below it; take it out of the file by hand, " +
		"then the entries below it come"
	listAbove = "%s is a list here, and in the source file its entries have names; take the list out by hand, " +
		"then those entries come"
)

// likeHas reports whether like has a container of this kind under these labels.
func (r *rewrite) likeHas(kind Kind, path []string) bool {
	if r.like == nil {
		return false
	}
	at, ok := r.like.at(path)
	return ok && r.like.nodes[at].Kind == kind
}

// yieldsToMap reports whether the null at a node, which is in the container in and has these labels, becomes a map
// with the first entries below it: where like has a map. An item of a list has more than texts, a null that is another
// one's is written there, and of two with one name readers take either.
func (r *rewrite) yieldsToMap(f *File, in, null int, path []string) bool {
	return f.nodes[null].Ref == 0 && !f.isCounted(in) && r.likeHas(Map, path) && r.single(f, in, f.ownLabel(null))
}

// single reports whether a container has one child of this label.
func (r *rewrite) single(f *File, in int, label string) bool {
	n := r.counts[in]
	if n == nil {
		n = make(map[string]int)
		for c := range f.Children(in) {
			n[f.ownLabel(c)]++
		}
		if r.counts == nil {
			r.counts = make(map[int]map[string]int)
		}
		r.counts[in] = n
	}
	return n[label] == 1
}

// newRoot is the Rails root that the first keys of an empty file are under, when like has one.
func (r *rewrite) newRoot(f *File) (string, bool) {
	if r.like == nil || r.like.top == 0 || f.top != 0 || len(f.nodes) > 1 || len(f.keys.Roots) == 0 {
		return "", false
	}
	return f.keys.Roots[0], true
}

// spot is what placing into one container needs to know of it.
type spot struct {
	last  int            // the last child, -1 when empty
	items int            // counted items that are here or are planned
	model int            // the container in like, -1 when it has none
	asked int            // how often a gap was looked for
	after map[string]int // by label of like's children: the nearest earlier sibling that is here, -1 for none
	order order          // of the children, once it was asked for
}

func (r *rewrite) spotOf(f *File, in int, above []string) *spot {
	if s := r.spots[in]; s != nil {
		return s
	}
	s := &spot{last: -1, model: -1}
	for c := range f.Children(in) {
		s.last = c
		s.items++
	}
	r.spots[in] = s
	if r.like != nil {
		if model, ok := r.like.at(above); ok {
			s.model = model
		}
	}
	return s
}

// fewAsked is how many gaps in one container are looked for by walking through it before all of them are worked out.
const fewAsked = 4

// behind returns the nearest earlier sibling of label in like that is in the container in, -1 for none; ok is false
// where like has no label there.
func (r *rewrite) behind(f *File, in int, s *spot, label string) (after int, ok bool) {
	if s.model < 0 {
		return 0, false
	}
	if s.asked++; s.asked > fewAsked {
		if s.after == nil {
			s.after = r.gaps(f, in, s.model)
		}
		after, ok = s.after[label]
		return after, ok
	}
	at, ok := r.like.child(s.model, label)
	if !ok {
		return 0, false
	}
	var earlier []int
	for c := range r.like.Children(s.model) {
		if c == at {
			break
		}
		earlier = append(earlier, c)
	}
	for _, c := range slices.Backward(earlier) {
		if after, ok := f.child(in, r.like.ownLabel(c)); ok {
			return after, true
		}
	}
	return -1, true
}

// gaps works out behind for every label that the container model of like has.
func (r *rewrite) gaps(f *File, in, model int) map[string]int {
	gaps, after := make(map[string]int), -1
	for c := range r.like.Children(model) {
		label := r.like.ownLabel(c)
		gaps[label] = after
		if mine, ok := f.child(in, label); ok {
			after = mine
		}
	}
	return gaps
}

// gapFor applies the position rule: behind the nearest earlier sibling of like that f has, too.
func (r *rewrite) gapFor(f *File, in int, s *spot, label string) Gap {
	if sorted, ok := f.grammar.(Sorted); ok {
		if s.order == nil {
			s.order = inOrder(f.Children(in), f.Name, sorted.Compare)
		}
		return Gap{in, s.order.before(strings.TrimSuffix(label, formsMark), sorted.Compare)}
	}
	if f.nodes[in].Kind == Forms && !counted(label) {
		after := -1
		for c := range f.Children(in) {
			if formRank(f.Name(c)) < formRank(label) {
				after = c
			}
		}
		return Gap{in, after}
	}
	if !f.isCounted(in) {
		if after, ok := r.behind(f, in, s, label); ok {
			return Gap{in, after}
		}
		if after, ok := f.amongForms(in, label); ok {
			return Gap{in, after}
		}
	}
	return Gap{in, s.last}
}

// amongForms finds the gap for a plural form that like does not have, among the other forms of its plural: few comes
// behind one in a map of categories, file_few behind file_one. ok is false where no such form is there.
func (f *File) amongForms(in int, label string) (after int, ok bool) {
	base, rank := formOf(label)
	if rank < 0 {
		return 0, false
	}
	for i := rank - 1; i >= 0; i-- {
		if c, there := f.child(in, base+categories[i]); there {
			return c, true
		}
	}
	for _, category := range categories[rank+1:] {
		next, there := f.child(in, base+category)
		if !there {
			continue
		}
		for after = next - 1; after > in && int(f.nodes[after].Parent) != in; {
			after = int(f.nodes[after].Parent) // from the last node of the sibling in front
		}
		if after == in {
			after = -1
		}
		return after, true
	}
	return 0, false
}

// byPlace groups the plans by place, keeping their order. A container comes before those that it is in: where several
// end at one spot, as in YAML, what is added to the inner one is first.
func byPlace(plans []*planned) [][]*planned {
	var groups [][]*planned
	at := make(map[Gap]int)
	for _, p := range plans {
		i, ok := at[p.gap]
		if !ok {
			i = len(groups)
			at[p.gap] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], p)
	}
	slices.SortStableFunc(groups, func(a, b []*planned) int { return cmp.Compare(b[0].gap.In, a[0].gap.In) })
	return groups
}

// Annotator is implemented by grammars whose new entries come with the comments that their models have, where the file
// has comments at all.
type Annotator interface {
	Annotates() bool
}

// annotates reports whether new entries get their models' comments: one entry has a comment here, or there is none yet.
func (r *rewrite) annotates(f *File) bool {
	if r.annotate == nil {
		a, ok := f.grammar.(Annotator)
		noted := func(n Node) bool { return n.Note.Len() > 0 }
		ok = ok && a.Annotates() && (len(f.nodes) == 1 || slices.ContainsFunc(f.nodes, noted))
		r.annotate = &ok
	}
	return *r.annotate
}

// note is the comment of a node, empty where it has none.
func (f *File) note(i int) string {
	if f.nodes[i].Note.Len() == 0 {
		return ""
	}
	return f.grammar.Note(f.src, &f.nodes[i])
}

// splice asks the grammar to write one group, and returns what of it is written.
func (r *rewrite) splice(f *File, group []*planned) (Splice, []New) {
	var done []*planned
	var add []New
	for _, p := range group {
		n, err := p.top.done(f.nodes[p.gap.In].Kind == List, f.isCounted(p.gap.In))
		if err != nil {
			r.refuseAll(p, err)
			continue
		}
		if n.Like != nil && f.nodes[p.gap.In].Kind == Map && r.annotates(f) {
			n.Note = n.Like.File.note(n.Like.Node)
		}
		p.top = nil
		done, add = append(done, p), append(add, n)
	}
	return r.write(f, done, add)
}

// write is the splice of those entries of one gap that the grammar can write, and these entries.
func (r *rewrite) write(f *File, group []*planned, add []New) (Splice, []New) {
	if len(group) == 0 {
		return Splice{}, nil
	}
	s, err := f.grammar.Insert(f, group[0].gap, add)
	if err == nil {
		return s, add
	}
	rest, news := r.writable(f, group, add, err)
	if len(rest) < len(group) {
		return r.write(f, rest, news)
	}
	for _, p := range group {
		r.refuseAll(p, err)
	}
	return Splice{}, nil
}

// writable are those of some entries that the grammar can write; err says why it cannot write all. The others are
// refused. Each is tried alone only near to one that cannot be written.
func (r *rewrite) writable(f *File, group []*planned, add []New, err error) ([]*planned, []New) {
	if len(group) == 1 {
		r.refuseAll(group[0], err)
		return nil, nil
	}
	middle := len(group) / 2
	var writable []*planned
	var written []New
	for _, half := range [][2]int{{0, middle}, {middle, len(group)}} {
		part, news := group[half[0]:half[1]], add[half[0]:half[1]]
		_, err := f.grammar.Insert(f, part[0].gap, news)
		if err != nil {
			part, news = r.writable(f, part, news, err)
		}
		writable, written = append(writable, part...), append(written, news...)
	}
	return writable, written
}

func (r *rewrite) refuseAll(p *planned, err error) {
	for _, n := range p.edits {
		r.refuse(r.missing[n], "%v", err)
	}
}
