package androidxml

import (
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// Tags and what else is between < and > in XML 1.0 (fifth edition).

// attribute is one attribute of a tag: its value without the quotes.
type attribute struct {
	name       string
	at         int // of the name
	start, end int
}

// text is the value as spelled.
func (a attribute) text(src string) string { return src[a.start:a.end] }

// tag is a start tag.
type tag struct {
	name       string
	attributes []attribute
	closed     bool // <name/>
}

func (t *tag) attribute(name string) (attribute, bool) {
	for _, a := range t.attributes {
		if a.name == name {
			return a, true
		}
	}
	return attribute{}, false
}

// startTag reads the start tag at its < into s.tag, and opens its element.
func (s *scanner) startTag(at int) (end int, err error) {
	src := s.src
	s.tagged = len(s.warnings)
	n, prefixed := readName(src[at+1:])
	if n == 0 {
		return 0, refuse(at, "a < that begins no tag; write &lt;")
	}
	s.tag = tag{name: src[at+1 : at+1+n], attributes: s.tag.attributes[:0]}
	for i := at + 1 + n; ; {
		gap := i
		for i < len(src) && isSpace(src[i]) {
			i++
		}
		switch c := next(src, i); {
		case c == '>':
			end = i + 1
		case c == '/' && next(src, i+1) == '>':
			s.tag.closed, end = true, i+2
		case i == gap:
			return 0, refuse(min(i, len(src)), "the tag <%s> is not well-formed here", s.tag.name)
		}
		if end > 0 {
			break
		}
		var colon bool
		if i, colon, err = s.readAttribute(i); err != nil {
			return 0, err
		}
		prefixed = prefixed || colon
	}
	if len(s.tag.attributes) > 1 {
		if err := s.tag.distinct(); err != nil {
			return 0, err
		}
	}
	if prefixed {
		if err := s.prefixes(at); err != nil {
			return 0, err
		}
	}
	if !s.tag.closed {
		if len(s.open) == resource.MaxDepth {
			return 0, refuse(at, "more than %d elements inside one another", resource.MaxDepth)
		}
		s.open = append(s.open, s.tag.name)
	}
	return end, nil
}

// readAttribute adds name="value" to s.tag.
func (s *scanner) readAttribute(at int) (end int, prefixed bool, err error) {
	src := s.src
	n, prefixed := readName(src[at:])
	if n == 0 {
		return 0, false, refuse(at, "the tag <%s> is not well-formed here", s.tag.name)
	}
	name := src[at : at+n]
	i := at + n
	for i < len(src) && isSpace(src[i]) {
		i++
	}
	if next(src, i) != '=' {
		return 0, false, refuse(i, "the attribute %s of <%s> has no value", name, s.tag.name)
	}
	for i++; i < len(src) && isSpace(src[i]); {
		i++
	}
	quote := next(src, i)
	if quote != '"' && quote != '\'' {
		return 0, false, refuse(i, "the value of the attribute %s of <%s> is not in quotes", name, s.tag.name)
	}
	i++
	start := i
	length := strings.IndexByte(src[start:], quote)
	if length < 0 {
		return 0, false, refuse(start-1, "the value of the attribute %s of <%s> is not closed", name, s.tag.name)
	}
	i += length
	seen := classesOf(src[start:i])
	if seen&seenEnd != 0 {
		return 0, false, refuse(start+strings.IndexByte(src[start:i], '<'), "a < inside an attribute; write &lt;")
	}
	if seen&(seenAmp|seenSuspect) != 0 {
		if err := s.checked(start, i, seen&^seenBracket); err != nil {
			return 0, false, err
		}
	}
	s.tag.attributes = append(s.tag.attributes, attribute{name, at, start, i})
	return i + 1, prefixed, nil
}

// distinct refuses an attribute that is twice.
func (t *tag) distinct() error {
	var names map[string]bool
	if len(t.attributes) > 16 {
		names = make(map[string]bool, len(t.attributes))
	}
	for i, a := range t.attributes {
		twice := names[a.name]
		if names != nil {
			names[a.name] = true
		} else {
			for _, b := range t.attributes[:i] {
				twice = twice || a.name == b.name
			}
		}
		if twice {
			return refuse(a.at, "<%s> has the attribute %s twice", t.name, a.name)
		}
	}
	return nil
}

// endTag reads the end tag at its <, which must be that of the innermost element.
func (s *scanner) endTag(at int) (end int, err error) {
	src, name := s.src, s.open[len(s.open)-1]
	i := at + 2
	if !strings.HasPrefix(src[i:], name) || i+len(name) < len(src) && nameBytes[src[i+len(name)]] != 0 {
		return 0, refuse(at, "</%s> where <%s> has to end first", src[i:i+nameLength(src[i:])], name)
	}
	i += len(name)
	for i < len(src) && isSpace(src[i]) {
		i++
	}
	if next(src, i) != '>' {
		return 0, refuse(at, "the end tag </%s> is not well-formed", name)
	}
	s.names.leave(len(s.open))
	s.open = s.open[:len(s.open)-1]
	return i + 1, nil
}

// content reads everything inside the innermost element, up to the < of its end tag.
func (s *scanner) content(at int) (end int, seen class, err error) {
	depth := len(s.open)
	for {
		var c class
		if at, c, err = s.characters(at); err != nil {
			return 0, 0, err
		}
		seen |= c
		if at == len(s.src) {
			return 0, 0, s.unclosed()
		}
		switch next(s.src, at+1) {
		case '/':
			if len(s.open) == depth {
				return at, seen, nil
			}
			at, err = s.endTag(at)
		case '!':
			seen |= seenInner
			if strings.HasPrefix(s.src[at:], cdataStart) {
				at, c, err = s.cdata(at)
				seen |= c
			} else {
				at, err = s.comment(at)
			}
		case '?':
			seen |= seenInner
			at, err = s.instruction(at)
		default:
			seen |= seenMarkup
			at, err = s.startTag(at)
		}
		if err != nil {
			return 0, 0, err
		}
	}
}

const (
	cdataStart = "<![CDATA["
	cdataEnd   = "]]>"
)

// cdata reads a CDATA section.
func (s *scanner) cdata(at int) (end int, seen class, err error) {
	start := at + len(cdataStart)
	n := strings.Index(s.src[start:], cdataEnd)
	if n < 0 {
		return 0, 0, refuse(at, "a CDATA section that does not end")
	}
	seen = classesOf(s.src[start : start+n])
	seen &^= seenEnd | seenAmp | seenBracket
	if seen&seenSuspect != 0 {
		err = s.checked(start, start+n, seenSuspect)
	}
	return start + n + len(cdataEnd), seen, err
}

// comment reads a comment.
func (s *scanner) comment(at int) (end int, err error) {
	if !strings.HasPrefix(s.src[at:], "<!--") {
		return 0, refuse(at, "a <! that begins no comment")
	}
	start := at + 4
	n := strings.Index(s.src[start:], "--")
	if n < 0 {
		return 0, refuse(at, "a comment that does not end")
	}
	if next(s.src, start+n+2) != '>' {
		return 0, refuse(start+n, "-- inside a comment, which XML does not allow")
	}
	if classesOf(s.src[start:start+n])&seenSuspect != 0 {
		if err := s.checked(start, start+n, seenSuspect); err != nil {
			return 0, err
		}
	}
	return start + n + 3, nil
}

// instruction reads a processing instruction.
func (s *scanner) instruction(at int) (end int, err error) {
	rest := s.src[at+2:]
	n := nameLength(rest)
	stop := strings.Index(rest, "?>")
	switch {
	case n == 0 || stop < 0 || n > stop || n < stop && !isSpace(rest[n]):
		return 0, refuse(at, "a processing instruction that is not well-formed")
	case strings.EqualFold(rest[:n], "xml"):
		return 0, refuse(at, "<?xml ...?> is allowed only at the very beginning of a file")
	}
	if err := s.checked(at+2, at+2+stop, seenSuspect); err != nil {
		return 0, err
	}
	return at + 2 + stop + 2, nil
}
