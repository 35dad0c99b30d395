package properties

import (
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// gap is the lines between two entries, or between an entry and the beginning or end of the file.
type gap struct {
	before       int  // where the last line ends that does not belong to the entry below; -1 where there is none
	block        int  // where the line starts that the entry below begins with, its comments included
	next         int  // where the line of the first comment, or else of the entry below, starts
	above, below int  // blank lines above the block, and up to next
	floating     bool // there is something that belongs to no entry
	last         bool // no entry is below
}

// gapBelow is the gap behind entry i, or with i = 0 the one before the first entry.
func gapBelow(f *resource.File, i int) gap {
	src, at := f.Source(), 0
	g := gap{before: -1, next: -1, last: i+1 == f.Len()}
	if i > 0 {
		g.before = int(f.Node(i).Whole.End)
		at = g.before + lineEnd(src, g.before)
	}
	g.block = -1
	end := len(src)
	if !g.last {
		end = int(f.Node(i + 1).Whole.Start)
	}
	blank, line := 0, -1
	for at < end {
		p := skipBlanks(src, at)
		if p >= end { // the entry's own line, or space at the end
			break
		}
		to := lineRest(src, p)
		switch {
		case to == p:
			blank++
			if g.block >= 0 { // the comments above it belong to no entry
				g.float(line)
				g.block, blank = -1, 1
			}
		default:
			if g.next < 0 {
				g.next, g.below = at, blank
			}
			if src[p] == '\\' {
				g.float(to)
				g.block, blank = -1, 0
			} else if g.block < 0 {
				g.block, g.above = at, blank
			}
			line = to
		}
		at = to + lineEnd(src, to)
	}
	if g.last && g.block >= 0 {
		g.float(line)
		g.block = -1
	}
	if g.block < 0 {
		g.block, g.above = at, blank
	}
	if g.next < 0 {
		g.next, g.below = g.block, g.above
	}
	return g
}

func (g *gap) float(end int) { g.before, g.floating = end, true }

// Remove takes entries out, each run of them with its comments and the blank lines that set it apart.
func (grammar) Remove(f *resource.File, gone []int) ([]resource.Splice, error) {
	var out []resource.Splice
	for a := 0; a < len(gone); {
		b := a
		below := gapBelow(f, gone[b])
		for b+1 < len(gone) && gone[b+1] == gone[b]+1 && !below.floating {
			b++
			below = gapBelow(f, gone[b])
		}
		out = append(out, resource.Splice{At: removal(f, gone[a], gone[b], below)})
		a = b + 1
	}
	// A key that begins with U+FEFF may not come to the beginning: there it is a byte order mark.
	if src := f.Source(); len(out) > 0 && out[0].At.Start == 0 && strings.HasPrefix(src[out[0].At.End:], "\ufeff") {
		out[0].Text = "\n"
	}
	return out, nil
}

// removal is the span that goes with the entries first to last: the blank lines on one side go with them, so that what
// is above and below stays as far apart as it was.
func removal(f *resource.File, first, last int, below gap) resource.Span {
	src := f.Source()
	above, end := gapBelow(f, first-1), int(f.Node(last).Whole.End)
	isLast := below.last && !below.floating
	switch {
	case above.before >= 0 && (isLast || above.above <= below.below):
		return resource.At(above.before, end)
	case isLast:
		return resource.At(above.block, end+lineEnd(src, end))
	}
	return resource.At(above.block, below.next)
}

// spot is where new entries go, and what is around them.
type spot struct {
	at                  int
	lead, between, tail string // before the first of them, between two, behind the last
	eol, indent         string // of a line
}

// spotAt finds the spot behind an entry, or before all of them when after is -1.
func spotAt(f *resource.File, after int, model *resource.Model) spot {
	src := f.Source()
	behind := 0
	if after > 0 {
		behind = int(f.Node(after).Whole.End)
	}
	s := spot{eol: resource.NewlineNear(f, behind, model)}
	apart := func(i int) string { return strings.Repeat(s.eol, 1+blankBelow.Around(f, i, model)) + s.indent }
	switch {
	case f.Len() == 1:
		g := gapBelow(f, 0)
		s.between = s.eol
		if model != nil && blankBelow.Mostly(model.File) {
			s.between += s.eol
		}
		if s.at, s.lead = g.before, s.eol+s.eol; g.before < 0 { // no comment either
			s.at, s.lead, s.tail = len(src), "", s.eol
			s.at = strings.LastIndexAny(src, "\r\n") + 1
		}
	case after < 1:
		g := gapBelow(f, 0)
		s.indent = indentOf(f, 1)
		s.at, s.between = g.block, apart(1)
		s.lead, s.tail = s.indent, strings.TrimSuffix(s.between, s.indent)
	default:
		s.indent = indentOf(f, after)
		s.at, s.between = int(f.Node(after).Whole.End), apart(after)
		s.lead = s.between
		if s.at == len(src) && isOpen(src, int(f.Node(after).Whole.Start)) {
			s.lead = s.eol + s.lead
		}
	}
	return s
}

// isOpen reports whether the file ends with a backslash that would make what follows a part of the last entry.
func isOpen(src string, from int) bool {
	n := len(src)
	for n > from && src[n-1] == '\\' {
		n--
	}
	return (len(src)-n)%2 == 1
}

// indentOf is the white space that an entry's line begins with.
func indentOf(f *resource.File, i int) string {
	src, at := f.Source(), int(f.Node(i).Whole.Start)
	start := at
	for start > 0 && isBlank(src[start-1]) {
		start--
	}
	return src[start:at]
}

// blankBelow is how many blank lines are below an entry.
var blankBelow resource.BlankBelow = func(f *resource.File, i int) int {
	g := gapBelow(f, i)
	if g.last && !g.floating {
		return -1
	}
	return g.below
}
