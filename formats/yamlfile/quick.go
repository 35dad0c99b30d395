package yamlfile

import (
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// What the bytes are that quick lets begin and go on a name or a plain text.
const (
	begins = 1 << iota
	goesOn
)

var common = func() (t [256]uint8) {
	for c := range 256 {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c > 0x80 && c != int(byteOrderMark[0]):
			t[c] = begins | goesOn
		case c >= ' ' && c != ':' && c != '#':
			t[c] = goesOn
		}
	}
	return t
}()

// quick reads entries of the innermost block mapping as long as they have the most common form: a plain name and a
// text, plain or quoted, on one line. It stops before the first other one, which is for entry to read. What it reads,
// entry would read to the same nodes; it is here for speed alone.
func (s *scanner) quick() error {
	src, col, parent := s.src, s.top().col, s.top().node
	for !s.noFastPath && s.col == col {
		i := s.pos
		if common[src[i]]&begins == 0 {
			return nil
		}
		p := i + 1
		for p < len(src) && common[src[p]]&goesOn != 0 {
			p++
		}
		if p+2 >= len(src) || src[p] != ':' || src[p+1] != ' ' || src[p-1] == ' ' || p-i > resource.MaxName ||
			p-i <= 5 && isWord(src[i:p]) {
			return nil
		}
		to, style := s.commonText(p + 2)
		if to < 0 {
			return nil
		}
		_, line := lineEnd(src, to)
		next := skipSpaces(src, line)
		if next == len(src) || next-line > col || src[next] < ' ' || len(s.nodes) > resource.MaxEntries {
			return nil // the text may go on there, or are too many
		}
		s.nodes = append(s.nodes, resource.Node{
			Parent: parent, End: int32(len(s.nodes)) + 1, Kind: resource.Text, Style: style,
			Name: resource.At(i, p), Value: resource.At(p+2, to), Whole: resource.At(i, to), Note: s.above,
		})
		s.last = to
		if c := src[next]; c == '#' || next == line && (c == '-' || c == '.') {
			s.pos = line
			if err := s.next(); err != nil {
				return err
			}
			continue
		}
		s.pos, s.col, s.above = next, next-line, resource.Span{}
	}
	return nil
}

// commonText finds the end of the text at offset i if it ends its line and is of the common form; -1 else.
func (s *scanner) commonText(i int) (to int, style uint8) {
	src := s.src
	switch c := src[i]; {
	case c == '"' || c == '\'':
		to, style, err := s.quoted(i)
		escaped := style == singleEscaped || style == doubleEscaped
		if err != nil || !isBreakAt(src, to) || escaped && strings.IndexByte(src[i:to], '\n') >= 0 {
			return -1, 0
		}
		return to, style
	case common[c]&begins != 0:
		to, _ := lineEnd(src, i)
		text := src[i:to]
		if isBlank(text[len(text)-1]) || len(text) <= 5 && isWord(text) ||
			strings.IndexByte(text, ':') >= 0 || strings.IndexByte(text, '#') >= 0 {
			return -1, 0
		}
		return to, plain
	}
	return -1, 0
}
