package xmlscan

import (
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// Removal cuts out elements, in the order in which they stand.
func Removal(src string, gone []resource.Node) (out []resource.Splice) {
	for k := 0; k < len(gone); k++ {
		start, end := Extent(src, &gone[k])
		for k+1 < len(gone) { // neighbours on one line go together
			from, to := Extent(src, &gone[k+1])
			if strings.Trim(src[end:from], " \t") != "" {
				break
			}
			end, k = to, k+1
		}
		line, first := LineStart(src, start)
		rest, alone := LineTail(src, end)
		switch {
		case first && alone:
			start, end = line, AfterBreak(src, rest)
		case first:
			end += Blanks(src[end:])
		default:
			start = line
		}
		out = append(out, resource.Splice{At: resource.At(start, end)})
	}
	return out
}

// Removed cuts out the elements of entries.
func Removed(f *resource.File, gone []int) []resource.Splice {
	nodes := make([]resource.Node, len(gone))
	for k, i := range gone {
		nodes[k] = *f.Node(i)
	}
	return Removal(f.Source(), nodes)
}

// Extent is what goes with an entry: from a comment above it to the one behind it on its last line.
func Extent(src string, n *resource.Node) (start, end int) {
	start, end = int(n.Whole.Start), int(n.Whole.End)
	if n.Note.Len() > 0 {
		start = min(start, int(n.Note.Start))
	}
	if rest, alone := LineTail(src, end); alone {
		end = rest - Trailing(src[end:rest])
	}
	return start, end
}

// LineStart returns whether an offset is the first on its line but for blanks, and where those begin.
func LineStart(src string, at int) (start int, first bool) {
	start = at - Trailing(src[:at])
	return start, start == 0 || src[start-1] == '\n'
}

// LineTail returns the line break that follows an offset, ok when only blanks and comments are before it.
func LineTail(src string, at int) (end int, ok bool) {
	for {
		at += Blanks(src[at:])
		switch {
		case strings.HasPrefix(src[at:], "<!--"):
			n := strings.Index(src[at+4:], "-->")
			at += 4 + n + 3
		case strings.HasPrefix(src[at:], "\n") || strings.HasPrefix(src[at:], "\r\n"):
			return at, true
		default:
			return at, false
		}
	}
}

// AfterBreak returns the offset behind the line break at an offset.
func AfterBreak(src string, at int) int { return at + strings.IndexByte(src[at:], '\n') + 1 }

// Blanks is the number of blanks and tabs that text begins with.
func Blanks(text string) int { return len(text) - len(strings.TrimLeft(text, " \t")) }

// Trailing is the number of blanks and tabs that text ends with.
func Trailing(text string) int { return len(text) - len(strings.TrimRight(text, " \t")) }

// IndentOf is the indentation of the line that an offset is on.
func IndentOf(src string, at int) string {
	start, first := LineStart(src, at)
	if first {
		return src[start:at]
	}
	start = strings.LastIndexByte(src[:at], '\n') + 1
	return src[start : start+Blanks(src[start:at])]
}

// Gap is where new entries go, and what is written around them.
type Gap struct {
	At        resource.Span
	Head      string // once before all
	Pre, Post string // around each
	Tail      string // once behind all
	Indent    string // of an entry that has its lines to itself
	Newline   string // "" where everything is on one line
}

// Behind is the gap after a sibling: the next line, or the same one when something else follows there.
func Behind(src string, n *resource.Node) Gap {
	end := int(n.Whole.End)
	tail, alone := LineTail(src, end)
	if !alone {
		space := src[end : end+Blanks(src[end:])]
		return Gap{At: resource.At(end, end), Pre: space}
	}
	line := AfterBreak(src, tail)
	indent := IndentOf(src, int(n.Whole.Start))
	return Gap{At: resource.At(line, line), Pre: indent, Post: src[tail:line], Indent: indent, Newline: src[tail:line]}
}

// Before is the gap in front of the first child and its comment.
func Before(src string, n *resource.Node) Gap {
	start, _ := Extent(src, n)
	line, first := LineStart(src, start)
	if !first || line == 0 {
		return Gap{At: resource.At(start, start), Post: src[line:start]}
	}
	nl := "\n"
	if strings.HasSuffix(src[:line], "\r\n") {
		nl = "\r\n"
	}
	indent := src[line:start]
	return Gap{At: resource.At(line, line), Pre: indent, Post: nl, Indent: indent, Newline: nl}
}
