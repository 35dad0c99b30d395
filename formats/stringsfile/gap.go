package stringsfile

import (
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// lineEnd returns the length of the line end at this offset, 0 when there is none: \n, \r, both together, or one of the
// two separators that Unicode has for it and Apple's reader knows.
func lineEnd(src string, at int) int {
	if at >= len(src) {
		return 0
	}
	switch src[at] {
	case '\n':
		return 1
	case '\r':
		if at+1 < len(src) && src[at+1] == '\n' {
			return 2
		}
		return 1
	case 0xe2:
		if strings.HasPrefix(src[at:], "\u2028") || strings.HasPrefix(src[at:], "\u2029") {
			return 3
		}
	}
	return 0
}

// comment returns the offset behind the comment that starts here, or at itself when none does. A line comment ends
// before its line end.
func comment(src string, at int) (end int, err error) {
	if at+1 >= len(src) || src[at] != '/' {
		return at, nil
	}
	switch src[at+1] {
	case '/':
		for end = at + 2; end < len(src) && (class[src[end]] != line && src[end] != 0xe2 || lineEnd(src, end) == 0); {
			end++
		}
		return end, nil
	case '*':
		n := strings.Index(src[at+2:], "*/")
		if n < 0 {
			return 0, fault(at, "a comment that does not end; close it with */")
		}
		return at + 2 + n + 2, nil
	}
	return at, nil
}

// skip passes over space, line ends and comments to the next token.
func skip(src string, at int) (int, error) {
	if at+1 < len(src) { // nearly always there is a sign, or a space and a sign
		if src[at] == ' ' {
			at++
		}
		if class[src[at]] == sign {
			return at, nil
		}
	}
	return skipAll(src, at)
}

func skipAll(src string, at int) (int, error) {
	for at < len(src) {
		c := src[at]
		switch {
		case class[c]&(blank|line) != 0:
			at++
		case c == '/':
			end, err := comment(src, at)
			if err != nil || end == at {
				return at, err
			}
			at = end
		case c == 0xe2 && lineEnd(src, at) > 0:
			at += 3
		default:
			return at, nil
		}
	}
	return at, nil
}

// gap is what is between two entries, or between an entry and the beginning or end of the file or the braces around
// them.
type gap struct {
	trail    resource.Span // the comments behind the entry before, on its line
	after    int           // where the first thing is that does not belong to the entry before
	before   int           // where the last thing ends that does not belong to the entry below
	block    int           // where the entry below starts, the comments directly above it included
	last     int           // where the last comment ends
	next     int           // the next token; the end of the text when there is none
	floating bool          // a comment in between belongs to neither: before is the end of the last such one
	open     bool          // before is the end of a // comment, so a line end must follow
}

// between reads a gap from the end of what is before it. behind says that comments on the rest of the line belong
// to that.
func between(src string, at int, behind bool) (gap, error) {
	g := gap{after: -1, before: at, block: -1}
	last, lastOpen := at, false // end and kind of the last comment
	lines := 0                  // line ends since then
scan:
	for at < len(src) {
		c := src[at]
		switch n := 0; {
		case class[c] == blank:
			at++
		case class[c] == line || c == 0xe2:
			if n = lineEnd(src, at); n == 0 {
				break scan
			}
			at += n
			lines++
			if behind {
				behind = false
				g.before, g.open = last, lastOpen
			}
		case c == '/':
			end, err := comment(src, at)
			if err != nil {
				return g, err
			}
			if end == at {
				break scan
			}
			switch {
			case behind && g.trail.End == 0:
				g.trail = resource.At(at, end)
			case behind:
				g.trail.End = uint32(end)
			default:
				if g.after < 0 {
					g.after = at
				}
				if g.block >= 0 && lines >= 2 {
					g.before, g.open, g.floating = last, lastOpen, true
				}
				if g.block < 0 || lines >= 2 {
					g.block = at
				}
			}
			at, last, lastOpen, lines = end, end, src[at+1] == '/', 0
		default:
			break scan
		}
	}
	g.next, g.last = at, last
	g.settle(src, behind, lines, lastOpen)
	return g, nil
}

// settle decides whose the last comments are: behind says that the line of the entry before goes on to the next token,
// lines is how many line ends are between the last comment and that.
func (g *gap) settle(src string, behind bool, lines int, open bool) {
	closed := g.next == len(src) || src[g.next] == '}'
	switch {
	case behind && g.trail.End > 0 && !closed: // on the line of the entry below as well: they are that one's
		g.block, g.trail = int(g.trail.Start), resource.Span{}
	case behind:
		g.before, g.open = g.last, open
	case g.block >= 0 && (lines >= 2 || closed):
		g.before, g.open, g.floating, g.block = g.last, open, true, -1
	}
	if g.block < 0 {
		g.block = g.next
	}
	if g.after < 0 {
		g.after = g.block
	}
}

// Comment returns where the comment at an offset ends.
func (grammar) Comment(src string, at int) int {
	end, err := comment(src, at)
	if err != nil {
		return at
	}
	return end
}
