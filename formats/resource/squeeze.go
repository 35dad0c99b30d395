package resource

import "strings"

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
	from, at := s.was.inner(i), s.now.inner(j)
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
	s.gap(append(olds, At(from, s.was.outer(i))), At(at, s.now.outer(j)), at == start, true)
}

// inner is where the first gap of a container begins, outer where the last one ends.
func (f *File) inner(i int) int {
	switch n := &f.nodes[i]; {
	case i == 0:
		return 0
	case n.Name.Len() > 0:
		return int(n.Name.End)
	default:
		return int(n.Whole.Start)
	}
}

func (f *File) outer(i int) int {
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
		for space := range s.was.spaces(s.comments, old) {
			most = max(most, s.was.blankLines(space))
		}
	}
	// What is in front of all that went, and behind it, is spelled the same.
	ahead, behind, opening, closing := Span{}, Span{}, 0, 0
	if old := olds[0]; first {
		n := common(old.Of(s.was.src), is.Of(s.now.src))
		ahead, opening = run(s.now.src, is, int(is.Start)+n), s.was.blankLines(run(s.was.src, old, int(old.Start)+n))
	}
	if old := olds[len(olds)-1]; last {
		n := commonEnd(old.Of(s.was.src), is.Of(s.now.src))
		behind, closing = run(s.now.src, is, int(is.End)-n), s.was.blankLines(run(s.was.src, old, int(old.End)-n))
	}
	for space := range s.now.spaces(s.comments, is) {
		stay := most
		if first && space == ahead {
			stay = min(stay, opening)
		}
		if last && space == behind {
			stay = min(stay, closing)
		}
		if s.now.blankLines(space) > stay {
			s.splices = append(s.splices, Splice{At: space, Text: s.now.shortened(space, stay)})
		}
	}
}

// spaces calls yield with the runs of white space in a gap, outside of comments.
func (f *File) spaces(comments Commenter, in Span) func(yield func(Span) bool) {
	return func(yield func(Span) bool) {
		for at := int(in.Start); at < int(in.End); {
			if end := comments.Comment(f.src, at); end > at {
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
func (f *File) blankLines(space Span) int {
	n := strings.Count(space.Of(f.src), "\n")
	if space.Start > 0 {
		n--
	}
	return max(n, 0)
}

// shortened is a run of white space with so many blank lines.
func (f *File) shortened(space Span, stay int) string {
	text := space.Of(f.src)
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
