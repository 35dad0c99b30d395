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
	from := int(n.Whole.Start)
	switch {
	case i == 0:
		from = 0
	case n.Name.Len() > 0:
		from = int(n.Name.End)
	}
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

// blocks adds the comments of a gap that stand on lines of their own, those with no blank line in between together.
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
