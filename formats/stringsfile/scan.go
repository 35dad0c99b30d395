package stringsfile

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/resource"
)

// Classes of bytes, from Apple's reader.
const (
	bare  = 1 << iota // needs no quotes
	blank             // space between tokens within a line
	line              // ends a line
)

var class = func() (c [256]uint8) {
	for b := range c {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', strings.IndexByte("_$/:.-", byte(b)) >= 0:
			c[b] = bare
		case b == ' ', b == '\t', b == '\v', b == '\f':
			c[b] = blank
		case b == '\n', b == '\r':
			c[b] = line
		}
	}
	return c
}()

func fault(at int, format string, args ...any) error {
	return &resource.SyntaxError{Offset: at, Msg: fmt.Sprintf(format, args...)}
}

// scanner is one pass over a file.
type scanner struct {
	src      string
	nodes    []resource.Node
	warnings []resource.Warning

	// of the entry being read
	lone  int // offset of an escape that is no character; 0 for none
	odd   int // offset of an escape that does not mean what it seems to; 0 for none
	doubt string
}

func (grammar) Scan(src string) (*resource.Layout, error) {
	if nul := strings.IndexByte(src, 0); nul >= 0 { // as the first or second byte it would make UTF-16 of a file without a mark
		return nil, fault(nul, `a NUL character; this is no text file, or the text needs \U0000 there`)
	}
	// One semicolon ends one entry, so their number is the number of nodes unless they stand in texts and comments.
	s := scanner{src: src, nodes: make([]resource.Node, 1, 1+min(strings.Count(src, ";"), len(src)/16+16))}
	root := resource.Node{Parent: -1, Kind: resource.Map, Value: resource.At(0, len(src)), Whole: resource.At(0, len(src))}
	g, err := between(src, 0, false)
	if err != nil {
		return nil, err
	}
	opened := -1
	if g.next < len(src) && src[g.next] == '{' {
		root.Style, opened = braced, g.next
		if g, err = between(src, opened+1, true); err != nil {
			return nil, err
		}
	}
	for g.next < len(src) && src[g.next] != '}' {
		if g, err = s.entry(g); err != nil {
			return nil, err
		}
	}
	switch {
	case g.next == len(src) && opened >= 0:
		return nil, fault(opened, "a brace that is not closed; close it with }")
	case g.next < len(src) && opened < 0:
		return nil, fault(g.next, "a closing brace without an opening one")
	case g.next < len(src):
		root.Value = resource.At(opened, g.next+1)
		end, err := skip(src, g.next+1)
		if err != nil {
			return nil, err
		}
		if end < len(src) {
			return nil, fault(end, "something behind the closing brace; all entries stand inside")
		}
	}
	root.End = int32(len(s.nodes))
	s.nodes[0] = root
	return &resource.Layout{Nodes: s.nodes, Warnings: s.warnings}, nil
}

// entry reads the entry below the gap and returns the gap below it.
func (s *scanner) entry(g gap) (gap, error) {
	src, start := s.src, g.next
	n := resource.Node{End: int32(len(s.nodes)) + 1, Kind: resource.Text}
	s.lone, s.odd = 0, 0
	end, err := s.token(start, "a key")
	if err != nil {
		return g, err
	}
	if end-start > resource.MaxName {
		return g, fault(start, "a key of more than %d KiB", resource.MaxName>>10)
	}
	n.Name, n.Value = resource.At(start, end), resource.At(end, end)
	at, err := skip(src, end)
	if err != nil {
		return g, err
	}
	what := "key"
	if at < len(src) && src[at] == '=' {
		what = "value"
		if at, err = skip(src, at+1); err != nil {
			return g, err
		}
		if at < len(src) && (src[at] == '{' || src[at] == '(' || src[at] == '<') {
			n.Kind = resource.Other
			end, err = s.nested(at)
		} else {
			end, err = s.token(at, "a value")
		}
		if err != nil {
			return g, err
		}
		n.Value = resource.At(at, end)
		if at, err = skip(src, end); err != nil {
			return g, err
		}
	}
	if at >= len(src) || src[at] != ';' {
		return g, s.unended(what, n, end)
	}
	n.Whole = resource.At(start, end)
	if g.block < start {
		n.Note = resource.At(g.block, g.last)
	}
	if g, err = between(src, at+1, true); err != nil {
		return g, err
	}
	if g.trail.End > 0 {
		if n.Note.End == 0 {
			n.Note.Start = g.trail.Start
		}
		n.Note.End = g.trail.End
	}
	if s.lone > 0 {
		n.Kind = resource.Other
		s.warn("%s is no character, so this entry is left alone", escapeAt(src, s.lone))
	} else if s.odd > 0 {
		s.warn("%s", s.doubt)
	}
	s.nodes = append(s.nodes, n)
	return g, nil
}

func (s *scanner) warn(format string, args ...any) {
	s.warnings = append(s.warnings, resource.Warning{Node: len(s.nodes), Msg: fmt.Sprintf(format, args...)})
}

// unended says what is missing behind a key or value. A value over several lines is more likely one whose quote is missing.
func (s *scanner) unended(what string, n resource.Node, end int) error {
	text := n.Value
	if what == "key" {
		text = n.Name
	}
	hint := ""
	if lines := strings.Count(text.Of(s.src), "\n"); lines > 0 {
		hint = fmt.Sprintf(", unless a quote is missing: it began %d lines above", lines)
	}
	if what == "key" {
		return fault(end, "missing = or ; behind the key%s", hint)
	}
	return fault(end, "missing ; behind the value%s", hint)
}

// token passes over a string, quoted or bare.
func (s *scanner) token(at int, what string) (end int, err error) {
	src := s.src
	if at >= len(src) {
		return 0, fault(len(src), "the file ends where %s should stand", what)
	}
	if q := src[at]; q == '"' || q == '\'' {
		return s.quoted(at, q)
	}
	for end = at; end < len(src) && class[src[end]] == bare; end++ {
	}
	if end == at {
		return 0, s.stranger(at, what)
	}
	return end, nil
}

// stranger says what is wrong with something that starts no token.
func (s *scanner) stranger(at int, what string) error {
	rest := s.src[at:]
	r, _ := utf8.DecodeRuneInString(rest)
	switch {
	case r == '<' && len(s.nodes) == 1:
		return fault(at, "XML where Apple's text format should be; convert it with plutil, or give the file the format it has")
	case r == '\ufeff':
		return fault(at, "a second byte order mark; remove it")
	}
	return fault(at, "%q where %s should stand; put quotes around it", r, what)
}

// quoted passes over a string in quotes, each byte looked at twice at most.
func (s *scanner) quoted(at int, q byte) (end int, err error) {
	src, i := s.src, at+1
	for end = -1; ; {
		if end < i {
			n := strings.IndexByte(src[i:], q)
			if n < 0 {
				return 0, fault(at, "a string that does not end; close it with %c", q)
			}
			end = i + n
		}
		n := strings.IndexByte(src[i:end], '\\')
		if n < 0 {
			return end + 1, nil
		}
		i = s.escape(i + n)
	}
}

// escape passes over one escape, or over two that make one character, and remembers a doubtful one.
func (s *scanner) escape(at int) int {
	r, size := unescaped(s.src[at:])
	if r < 0 && s.lone == 0 {
		s.lone = at
	}
	if at+1 < len(s.src) && s.odd == 0 {
		switch c := s.src[at+1]; {
		case c == 'u':
			s.odd, s.doubt = at, `\u is no escape in this format and reads as the letter u; the escape for a character is \U`
		case c == 'U' && size < 6:
			s.odd, s.doubt = at, `\U has fewer than four hexadecimal digits behind it`
		}
	}
	return at + size
}

func escapeAt(src string, at int) string {
	_, size := unescaped(src[at:])
	return src[at : at+size]
}
