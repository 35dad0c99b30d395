package stringsfile

import (
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// semicolon returns the offset of the one that ends entry i.
func semicolon(f *resource.File, i int) int {
	at, _ := skip(f.Source(), int(f.Node(i).Whole.End))
	return at
}

// body returns where the space for entries begins, and whether that is behind a brace.
func body(f *resource.File) (at int, inBraces bool) {
	root := f.Node(0)
	if root.Style == braced {
		return int(root.Value.Start) + 1, true
	}
	return 0, false
}

// gapBelow is the gap behind entry i, or with i = 0 the one before the first entry. The file was read, so there is no
// error.
func gapBelow(f *resource.File, i int) gap {
	at, behind := body(f)
	if i > 0 {
		at, behind = semicolon(f, i)+1, true
	}
	g, _ := between(f.Source(), at, behind)
	return g
}

// endOf is where entry i ends with all that belongs to it, g being the gap below it.
func endOf(f *resource.File, i int, g gap) int {
	if g.trail.End > 0 {
		return int(g.trail.End)
	}
	return semicolon(f, i) + 1
}

// isLast reports whether nothing but the end of the text or of the braces is behind a gap.
func (g gap) isLast(src string) bool {
	return g.after == g.next && (g.next == len(src) || src[g.next] == '}')
}

// restOfLine goes over blanks to the line end, or to the end of the text; it stays where it is when something else
// is there first.
func restOfLine(src string, at int) int {
	end := at
	for end < len(src) && class[src[end]] == blank {
		end++
	}
	if end == len(src) || lineEnd(src, end) > 0 {
		return end
	}
	return at
}

// lineStart goes back over indentation to the start of the line, or stays where it is when something else is before
// it.
func lineStart(src string, at int) int {
	start := at
	for start > 0 && class[src[start-1]] == blank {
		start--
	}
	if start == 0 || class[src[start-1]] == line || start >= 3 && lineEnd(src, start-3) == 3 {
		return start
	}
	return at
}

func countLines(gap string) int {
	n := 0
	for i := 0; i < len(gap); i++ {
		if size := lineEnd(gap, i); size > 0 {
			n++
			i += size - 1
		}
	}
	return n
}

// Remove takes entries out, each run of them with its comments and the line ends that set it apart.
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
	return out, nil
}

// removal is the span that goes with the entries first to last. It takes the space on one side of them and leaves that
// on the other, so that neighbours stay as far apart as they were: mostly the space above goes; below the start of the
// file or a comment that belongs to no entry, and where more blank lines are above than below, it is the space below.
func removal(f *resource.File, first, last int, below gap) resource.Span {
	src := f.Source()
	above := gapBelow(f, first-1)
	start, end := above.block, endOf(f, last, below)
	linesAbove, linesBelow := countLines(src[above.before:start]), countLines(src[end:below.after])
	isLast := below.isLast(src)
	_, inBraces := body(f)
	switch {
	case isLast && !inBraces && first == 1 && !above.floating: // nothing stays but space
		end = restOfLine(src, end)
		return resource.At(lineStart(src, start), end+lineEnd(src, end))
	// the brace must not fall into the comment above
	case isLast && above.open && linesBelow == 0 && below.next < len(src):
		return resource.At(start, end)
	case isLast, first > 1 && !above.floating && linesAbove <= linesBelow,
		inBraces && first == 1 && linesAbove == 0 && linesBelow > 0: // what follows must not move up to the brace
		start = above.before
		if linesAbove > 0 {
			start, end = restOfLine(src, start), restOfLine(src, end)
		}
		return resource.At(start, end)
	}
	end = below.after
	if linesBelow > 0 && (linesAbove > 0 || above.before == 0) {
		start, end = lineStart(src, start), lineStart(src, end)
	}
	return resource.At(start, end)
}

// spot is where new entries go, and what is around them.
type spot struct {
	at                  int
	lead, between, tail string // before the first of them, between two, behind the last
	like                int    // the neighbour whose style they take; 0 for none
}

// spotAt finds the spot behind an entry, or before all of them when after is -1.
func spotAt(f *resource.File, after int, model *resource.Model) spot {
	switch {
	case f.Len() == 1:
		return spotInEmpty(f, model)
	case after < 1:
		return spotBeforeFirst(f, model)
	}
	src := f.Source()
	above, below := gapBelow(f, after-1), gapBelow(f, after)
	end := endOf(f, after, below)
	sep, same := sharedLine(f, after, above, below, end)
	if same {
		return spot{at: end, lead: sep, between: sep, like: after}
	}
	sep = resource.NewlineNear(f, end, model)
	indent := indentOf(src, above.block)
	blanks := blankBelow.Around(f, after, model)
	lead := strings.Repeat(sep, 1+blanks) + indent
	return spot{at: restOfLine(src, end), lead: lead, between: lead, like: after}
}

// sharedLine returns what is between entries that share a line, if the one behind which we insert is one of those:
// with the next one, or as the last of all with the one before it or with the brace.
func sharedLine(f *resource.File, i int, above, below gap, end int) (sep string, same bool) {
	src := f.Source()
	if !below.isLast(src) {
		sep = src[end:below.after]
		return sep, countLines(sep) == 0
	}
	sep = src[above.before:above.block]
	_, inBraces := body(f)
	if i == 1 && !inBraces || above.open || below.trail.End > 0 || countLines(sep) > 0 {
		return "", false
	}
	return sep, i > 1 || countLines(src[end:below.next]) == 0
}

func spotBeforeFirst(f *resource.File, model *resource.Model) spot {
	src := f.Source()
	above, below := gapBelow(f, 0), gapBelow(f, 1)
	sep, same := sharedLine(f, 1, above, below, endOf(f, 1, below))
	space := src[above.before:above.block]
	switch _, inBraces := body(f); {
	case inBraces && countLines(space) == 0:
		sep = space
	case !same || countLines(src[above.block:above.next]) > 0:
		eol, blanks := resource.NewlineNear(f, above.block, model), blankBelow.Around(f, 1, model)
		sep = strings.Repeat(eol, 1+blanks) + indentOf(src, above.block)
	}
	return spot{at: above.block, between: sep, tail: sep, like: 1}
}

// spotInEmpty is where the first entries of a file go: at its end, in its braces, or a blank line below its comments.
func spotInEmpty(f *resource.File, model *resource.Model) spot {
	src := f.Source()
	g := gapBelow(f, 0)
	from, inBraces := body(f)
	indent := ""
	if model != nil && model.Node > 0 {
		indent = indentOf(model.File.Source(), gapBelow(model.File, model.Node-1).block)
	}
	eol := resource.NewlineNear(f, from, model)
	between := eol + indent
	if model != nil && blankBelow.Mostly(model.File) {
		between = eol + eol + indent
	}
	switch space := src[g.before:g.next]; {
	case g.floating:
		return spot{at: restOfLine(src, g.before), lead: eol + eol + indent, between: between}
	case !inBraces: // an empty file, or space only: a line of its own before what the last line holds
		at := lineStart(src, len(src))
		return spot{at: at, lead: indent, between: between, tail: eol}
	case g.before == from && countLines(space) == 0:
		return spot{at: g.before, lead: space, between: space}
	}
	return spot{at: restOfLine(src, g.before), lead: eol + indent, between: between}
}

// blankBelow is how many blank lines are below an entry.
var blankBelow resource.BlankBelow = func(f *resource.File, i int) int {
	src, g := f.Source(), gapBelow(f, i)
	if g.isLast(src) {
		return -1
	}
	return max(0, countLines(src[endOf(f, i, g):g.after])-1)
}

// indentOf is the space that the line of this offset begins with.
func indentOf(src string, at int) string {
	start := strings.LastIndexAny(src[:at], "\r\n\u2028\u2029")
	if start += max(1, lineEnd(src, max(start, 0))); start > at { // between the two halves of a line end
		start = at
	}
	end := start
	for end < at && class[src[end]] == blank {
		end++
	}
	return src[start:end]
}
