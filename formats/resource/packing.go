package resource

import "strings"

// packed is the file without the comments that only what goes needs: the same nodes, in fewer lines. It is the file
// itself where that cannot be done.
func (f *File) packed(edits []Edit) *File {
	r := newRewrite(f, f, true)
	r.sort(edits)
	if len(r.gone) == 0 {
		return f
	}
	p := packing{f: f, gone: r.gone}
	p.comments, _ = f.grammar.(Commenter)
	for i := range f.nodes {
		if f.nodes[i].Kind > Other && f.nodes[i].End > int32(i+1) && !r.goes(i) {
			p.container(i)
		}
	}
	if len(p.splices) == 0 {
		return f
	}
	g, err := f.step(p.splices, true, &change{top: f.top})
	if err != nil {
		return f
	}
	return g
}

// packing makes the splices of packed.
type packing struct {
	f        *File
	gone     map[int]bool
	comments Commenter
	splices  []Splice
	headed   bool // a comment is in front of the file's container
}

// piece is an entry, or a block of comments on lines of its own, of one container.
type piece struct {
	at      Span // with the comment above
	node    int  // -1 for comments
	stays   bool
	decided bool
	other   bool // what has no key, between entries
}

// container packs what is between the children of one container.
func (p *packing) container(i int) {
	f := p.f
	n := &f.nodes[i]
	from := inner(f, i)
	var pieces []piece
	for c := range f.Children(i) {
		child := &f.nodes[c]
		start := child.Whole.Start
		if child.Note.Len() > 0 && child.Note.End <= start {
			start = child.Note.Start
		}
		pieces = p.blocks(pieces, from, int(start), false)
		if i == 0 && from == 0 && len(pieces) > 0 && pieces[0].node < 0 && !p.headed {
			pieces[0].stays, pieces[0].decided = true, true
		}
		pieces = append(pieces, piece{at: Span{start, child.Whole.End}, node: c, stays: !p.gone[c], decided: true})
		from = int(child.Whole.End)
	}
	to := int(n.Whole.End)
	if i == 0 {
		to = len(f.src)
	}
	pieces = p.blocks(pieces, from, to, true)
	p.decide(pieces)
	p.pack(pieces)
}

// blocks adds the comments of a gap that are on lines of their own, those with no blank line in between together.
// What is in front of other things in the gap is passed over: a separator, a name's colon, a tag.
func (p *packing) blocks(pieces []piece, from, to int, last bool) []piece {
	src, begin := p.f.src, len(pieces)
	lines := 0
	if from == 0 {
		lines = 1
	}
	for at := from; at < to; {
		c := src[at]
		end := at
		if p.comments != nil {
			end = min(p.comments.Comment(src, at), to)
		}
		switch {
		case end > at && lines == 0 && len(pieces) == begin: // behind something on its line
		case end > at && lines < 2 && len(pieces) > begin && (lines == 0 || !pieces[len(pieces)-1].other):
			pieces[len(pieces)-1].at.End = uint32(end)
		case end > at:
			pieces = append(pieces, piece{at: At(at, end), node: -1})
		case c == '\n' || c == '\r' && !strings.HasPrefix(src[at:], "\r\n"):
			lines++
			at++
			continue
		case c == ' ' || c == '\t' || c == '\r':
			at++
			continue
		case last && c != ',' && c != ';': // the container ends
			return pieces
		case len(pieces) > begin && pieces[len(pieces)-1].other && lines == 0:
			end = at + 1
			pieces[len(pieces)-1].at.End = uint32(end)
		case from > 0 && lines > 0: // something without a key
			end = at + 1
			pieces = append(pieces, piece{at: At(at, end), node: -1, other: true, stays: true, decided: true})
		default:
			p.headed = p.headed || len(pieces) > begin
			pieces, end = pieces[:begin], at+1
		}
		at, lines = end, 0
	}
	return pieces
}

// decide says which comments stay: those directly below an entry, or indented more than the next one, with the entry
// above; those directly above one with it; all others, which are headings, while an entry stays up to the next heading.
func (p *packing) decide(pieces []piece) {
	isEntry := func(k int) bool { return 0 <= k && k < len(pieces) && pieces[k].node >= 0 }
	near := func(k int) bool { return strings.Count(p.f.src[pieces[k-1].at.End:pieces[k].at.Start], "\n") < 2 }
	next := -1 // the entry behind
	of := make([]int, len(pieces))
	for k := len(pieces) - 1; k >= 0; k-- {
		of[k] = -1 // a heading
		switch {
		case isEntry(k):
			next = k
		case isEntry(k+1) && near(k+1):
			of[k] = k + 1
		case k > 0 && (isEntry(k-1) && near(k) || next < 0 || p.column(pieces[k]) > p.column(pieces[next])):
			of[k] = k - 1
		}
	}
	for k := range pieces {
		switch b := &pieces[k]; {
		case b.decided:
		case of[k] >= 0:
			b.stays = pieces[of[k]].stays
		default:
			some := false
			for m := k + 1; m < len(pieces) && !(some && !isEntry(m) && of[m] < 0) && !b.stays; m++ {
				some = some || isEntry(m)
				b.stays = isEntry(m) && pieces[m].stays
			}
		}
	}
}

// column is how far a piece is indented.
func (p *packing) column(b piece) int {
	return int(b.at.Start) - 1 - strings.LastIndexByte(p.f.src[:b.at.Start], '\n')
}

// pack takes comments out that go, with the white space in front of them; with that behind them where an entry that
// goes would come near to a comment that stays, and would take it along.
func (p *packing) pack(pieces []piece) {
	src := p.f.src
	below := false // a comment that stays, with nothing but comments that go since
	for k, b := range pieces {
		if b.stays || b.node >= 0 {
			below = b.node < 0
			continue
		}
		start, end := int(b.at.Start), int(b.at.End)
		space := run(src, At(end, len(src)), end)
		next := k + 1
		for next < len(pieces) && pieces[next].node < 0 && !pieces[next].stays {
			next++
		}
		if below && next < len(pieces) && !pieces[next].stays || !strings.Contains(space.Of(src), "\n") {
			end = int(space.End)
		} else {
			start = len(strings.TrimRight(src[:start], blankSpace))
		}
		p.splices = append(p.splices, Splice{At: At(start, end)})
	}
}

// blankSpace is what blank lines are made of.
const blankSpace = " \t\r\n"

// squeezed is a new file in which no more blank lines stand one behind the other, where entries went, than in one place
// of that gap in the file that it is made of. now is what was left of that file; it is returned as it is where it
// cannot be changed.
func (r *rewrite) squeezed(now *File) *File {
	s := squeeze{was: r.like, now: now, gone: r.gone}
	if s.comments, _ = now.grammar.(Commenter); s.comments == nil {
		return now
	}
	s.container(0, 0)
	if len(s.splices) == 0 {
		return now
	}
	g, err := now.step(s.splices, len(r.missing) == 0, &change{top: now.top})
	if err != nil {
		return now
	}
	return g
}

// squeeze makes the splices of squeezed.
type squeeze struct {
	was, now *File
	gone     map[int]bool // nodes of was
	comments Commenter
	splices  []Splice
}

// container goes through the gaps of node i of the file as it was, which is node j now.
func (s *squeeze) container(i, j int) {
	from, at := inner(s.was, i), inner(s.now, j)
	start := at
	var olds []Span // the parts of a gap, between entries that went
	next := j + 1
	for c := range s.was.Children(i) {
		olds = append(olds, At(from, int(s.was.nodes[c].Whole.Start)))
		from = int(s.was.nodes[c].Whole.End)
		if s.gone[c] {
			continue
		}
		n := &s.now.nodes[next]
		s.gap(olds, At(at, int(n.Whole.Start)), at == start, false)
		if n.Kind > Other {
			s.container(c, next)
		}
		at, olds, next = int(n.Whole.End), nil, int(n.End)
	}
	s.gap(append(olds, At(from, outer(s.was, i))), At(at, outer(s.now, j)), at == start, true)
}

// inner is where the first gap of a container begins, outer where the last one ends.
func inner(f *File, i int) int {
	switch n := &f.nodes[i]; {
	case i == 0:
		return 0
	case n.Name.Len() == 0:
		return int(n.Whole.Start)
	case int(n.End) > i+1: // a text may be its own name
		return int(min(n.Name.End, f.nodes[i+1].Whole.Start))
	default:
		return int(n.Name.End)
	}
}

func outer(f *File, i int) int {
	if i == 0 {
		return len(f.src)
	}
	return int(f.nodes[i].Whole.End)
}

// gap cuts blank lines out of one gap. At the beginning and the end of a container stay as many as were there.
func (s *squeeze) gap(olds []Span, is Span, first, last bool) {
	if len(olds) == 1 && olds[0].Of(s.was.src) == is.Of(s.now.src) {
		return
	}
	most := 0
	for _, old := range olds {
		for space := range s.spaces(s.was, old) {
			most = max(most, blankLines(s.was.src, space))
		}
	}
	// What is in front of all that went, and behind it, is spelled the same.
	ahead, behind, opening, closing := Span{}, Span{}, 0, 0
	if old := olds[0]; first {
		n := common(old.Of(s.was.src), is.Of(s.now.src))
		ahead, opening = run(s.now.src, is, int(is.Start)+n), blankLines(s.was.src, run(s.was.src, old, int(old.Start)+n))
	}
	if old := olds[len(olds)-1]; last {
		n := commonEnd(old.Of(s.was.src), is.Of(s.now.src))
		behind, closing = run(s.now.src, is, int(is.End)-n), blankLines(s.was.src, run(s.was.src, old, int(old.End)-n))
	}
	for space := range s.spaces(s.now, is) {
		stay := most
		if first && space == ahead {
			stay = min(stay, opening)
		}
		if last && space == behind {
			stay = min(stay, closing)
		}
		if blankLines(s.now.src, space) > stay {
			s.splices = append(s.splices, Splice{At: space, Text: shortened(s.now.src, space, stay)})
		}
	}
}

// spaces calls yield with the runs of white space in a gap, outside of comments.
func (s *squeeze) spaces(f *File, in Span) func(yield func(Span) bool) {
	return func(yield func(Span) bool) {
		for at := int(in.Start); at < int(in.End); {
			if end := s.comments.Comment(f.src, at); end > at {
				at = end
				continue
			}
			space := At(at, int(run(f.src, in, at).End))
			if space.Len() > 0 && !yield(space) {
				return
			}
			at = max(at+1, int(space.End))
		}
	}
}

// run is the white space around an offset of a gap.
func run(src string, in Span, at int) Span {
	start := int(in.Start) + len(strings.TrimRight(src[in.Start:at], blankSpace))
	return At(start, int(in.End)-len(strings.TrimLeft(src[at:in.End], blankSpace)))
}

// blankLines is how many lines a run of white space leaves blank: all but the first, which ends a line, if one is in
// front.
func blankLines(src string, space Span) int {
	n := strings.Count(space.Of(src), "\n")
	if space.Start > 0 {
		n--
	}
	return max(n, 0)
}

// shortened is a run of white space with so many blank lines.
func shortened(src string, space Span, stay int) string {
	text := space.Of(src)
	last := strings.LastIndexByte(text, '\n')
	if space.Start == 0 {
		last++
	} else if last > 0 && text[last-1] == '\r' {
		last--
	}
	first := 0
	for range stay {
		first += strings.IndexByte(text[first:], '\n') + 1
	}
	return text[:first] + text[last:]
}

// common is how many bytes two texts begin with alike; commonEnd, end with.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
