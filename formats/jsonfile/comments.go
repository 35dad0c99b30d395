package jsonfile

import (
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// comment is one comment of a gap between two tokens.
type comment struct {
	start, end int
	newlines   int // between it and what is before it in the gap
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// readGap reads white space and comments from from on, and appends the comments to buf. newlines is the number of line
// ends behind the last of them; those inside comments do not count. ok is false when a comment at end is none or is not
// closed.
func readGap(src string, from int, buf []comment) (comments []comment, newlines, end int, ok bool) {
	at := from
	for at < len(src) {
		switch c := src[at]; {
		case c == '\n' || c == '\r' && !strings.HasPrefix(src[at+1:], "\n"):
			newlines++
			at++
		case isSpace(c):
			at++
		case c == '/':
			end := commentEnd(src, at)
			if end < 0 {
				return buf, newlines, at, false
			}
			buf = append(buf, comment{at, end, newlines})
			newlines, at = 0, end
		default:
			return buf, newlines, at, true
		}
	}
	return buf, newlines, at, true
}

// commentEnd returns where the comment at at ends (a // comment before its line end), -1 when there is none.
func commentEnd(src string, at int) int {
	switch {
	case strings.HasPrefix(src[at:], "//"):
		if n := strings.IndexAny(src[at:], "\n\r"); n >= 0 {
			return at + n
		}
		return len(src)
	case strings.HasPrefix(src[at:], "/*"):
		if n := strings.Index(src[at+2:], "*/"); n >= 0 {
			return at + 2 + n + 2
		}
	}
	return -1
}

// trailing returns how many of the comments behind a separator, or behind an opening bracket, are there on the same
// line and so do not belong to the entry that follows. When that entry is on the same line too, all of them are its
// own.
func trailing(comments []comment, newlines int, entryFollows bool) int {
	n := 0
	for n < len(comments) && comments[n].newlines == 0 {
		n++
	}
	if n == len(comments) && newlines == 0 && entryFollows {
		return 0
	}
	return n
}

// above returns the first of the comments that are directly above what follows them, without a blank line in between.
func above(comments []comment, newlines int) int {
	n := len(comments)
	for n > 0 && newlines <= 1 {
		n--
		newlines = comments[n].newlines
	}
	return n
}

// noteAbove shares the comments of the gap in front of an entry between the entry and the one before it, prev.
func (s *scanner) noteAbove(prev int, fresh bool) resource.Span {
	n := trailing(s.comments, s.newlines, true)
	if n > 0 && !fresh {
		s.attach(prev, s.comments[:n])
	}
	rest := s.comments[n:]
	if i := above(rest, s.newlines); i < len(rest) {
		return resource.At(rest[i].start, rest[len(rest)-1].end)
	}
	return resource.Span{}
}

// noteBehind gives the comments of the gap behind an entry to it: all of them where its comma follows, else those on
// its line.
func (s *scanner) noteBehind(prev int, comma bool) {
	n := len(s.comments)
	if !comma {
		n = trailing(s.comments, s.newlines, false)
	}
	if prev >= 0 && n > 0 {
		s.attach(prev, s.comments[:n])
	}
}

// attach makes comments behind node i its note, unless it has one above.
func (s *scanner) attach(i int, behind []comment) {
	n := &s.nodes[i]
	switch {
	case n.Note.Len() == 0:
		n.Note = resource.At(behind[0].start, behind[len(behind)-1].end)
	case n.Note.Start >= n.Whole.End:
		n.Note.End = uint32(behind[len(behind)-1].end)
	}
}

// commentText returns what the comments in at say, without their signs, indentation and what is between them.
func commentText(at string) string {
	var lines []string
	for len(at) > 0 {
		if at[0] != '/' {
			at = at[1:]
			continue
		}
		end := commentEnd(at, 0)
		if end < 0 {
			break
		}
		one := at[:end]
		at = at[end:]
		if one[1] == '/' {
			lines = append(lines, strings.TrimSpace(strings.TrimLeft(one, "/")))
			continue
		}
		one = strings.Trim(one[2:len(one)-2], "*")
		for line := range strings.Lines(strings.ReplaceAll(one, "\r", "\n")) {
			line = strings.TrimSpace(line)
			if rest, ok := strings.CutPrefix(line, "*"); ok {
				line = strings.TrimPrefix(rest, " ")
			}
			lines = append(lines, line)
		}
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// Comment returns where the comment at an offset ends.
func (grammar) Comment(src string, at int) int {
	if !strings.HasPrefix(src[at:], "//") && !strings.HasPrefix(src[at:], "/*") {
		return at
	}
	if src[at+1] == '*' {
		return at + strings.Index(src[at:], "*/") + 2
	}
	if n := strings.IndexAny(src[at:], "\r\n"); n >= 0 {
		return at + n
	}
	return len(src)
}
