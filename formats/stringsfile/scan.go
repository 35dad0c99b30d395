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
	sign              // is a token by itself, or begins one in quotes
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
		case strings.IndexByte(`"'=;{}()<`, byte(b)) >= 0:
			c[b] = sign
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
	gap      gap // the one above the entry that is read next
	escapeAt int // where the next backslash is, as far as it was looked for

	// of the entry being read
	lone  int // offset of an escape that is not a character; 0 for none
	odd   int // offset of an escape that does not mean what it seems to; 0 for none
	doubt string
}

func (grammar) Scan(src string) (*resource.Layout, error) {
	// As the first or second byte it would make UTF-16 of a file without a mark.
	if nul := strings.IndexByte(src, 0); nul >= 0 {
		return nil, fault(nul, `a NUL character; this is not a text file, or the text needs \U0000 there`)
	}
	s := scanner{src: src, nodes: make([]resource.Node, 1, 1+entriesOf(src))}
	root := resource.Node{Parent: -1, Kind: resource.Map, Value: resource.At(0, len(src)), Whole: resource.At(0, len(src))}
	g, err := &s.gap, error(nil)
	if *g, err = between(src, 0, false); err != nil {
		return nil, err
	}
	opened := -1
	if g.next < len(src) && src[g.next] == '{' {
		root.Style, opened = braced, g.next
		if *g, err = between(src, opened+1, true); err != nil {
			return nil, err
		}
	}
	for g.next < len(src) && src[g.next] != '}' {
		if err = s.entry(); err != nil {
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

// entriesOf estimates the number of entries from the beginning of a file: a semicolon ends each, and few are in texts
// and comments.
func entriesOf(src string) int {
	head := src[:min(len(src), 32<<10)]
	n := strings.Count(head, ";")
	if len(head) < len(src) {
		n = int(uint64(n) * uint64(len(src)) / uint64(len(head)) * 33 / 32)
	}
	return min(n, len(src)/16+16)
}

// entry reads the entry below the gap, and the gap below it.
func (s *scanner) entry() error {
	src, start := s.src, s.gap.next
	s.lone, s.odd = 0, 0
	end, err := s.token(start, "a key")
	if err != nil {
		return err
	}
	if len(s.nodes) > resource.MaxEntries {
		return fault(start, "more than %d entries", resource.MaxEntries)
	}
	if end-start > resource.MaxName {
		return fault(start, "a key of more than %d KiB", resource.MaxName>>10)
	}
	s.nodes = append(s.nodes, resource.Node{})
	n := &s.nodes[len(s.nodes)-1]
	n.End, n.Kind = int32(len(s.nodes)), resource.Text
	n.Name, n.Value = resource.At(start, end), resource.At(end, end)
	at, err := skip(src, end)
	if err != nil {
		return err
	}
	what := "key"
	if at < len(src) && src[at] == '=' {
		what = "value"
		if end, err = s.value(n, at+1); err != nil {
			return err
		}
		if at, err = skip(src, end); err != nil {
			return err
		}
	}
	if at >= len(src) || src[at] != ';' {
		return s.unended(what, n, end)
	}
	n.Whole = resource.At(start, end)
	if s.gap.block < start {
		n.Note = resource.At(s.gap.block, s.gap.last)
	}
	if s.lone|s.odd > 0 {
		s.doubtful(n)
	}
	if s.usual(at + 1) {
		return nil
	}
	if s.gap, err = between(src, at+1, true); err != nil {
		return err
	}
	if trail := s.gap.trail; trail.End > 0 {
		if n.Note.End == 0 {
			n.Note.Start = trail.Start
		}
		n.Note.End = trail.End
	}
	return nil
}

// value reads what is behind the equals sign of an entry.
func (s *scanner) value(n *resource.Node, at int) (end int, err error) {
	src := s.src
	if at, err = skip(src, at); err != nil {
		return 0, err
	}
	if at < len(src) && (src[at] == '{' || src[at] == '(' || src[at] == '<') {
		n.Kind = resource.Other
		end, err = s.nested(at)
	} else {
		end, err = s.token(at, "a value")
	}
	n.Value = resource.At(at, max(at, end))
	return end, err
}

// usual reads the gap below an entry as nearly all files have it, and reports whether it was one: at most one blank
// line, then the next entry's quote, or one comment on lines of its own before that. What else a gap holds is for those
// who edit around it.
func (s *scanner) usual(at int) bool {
	src := s.src
	if at >= len(src) || src[at] != '\n' {
		return false
	}
	if at++; at < len(src) && src[at] == '\n' {
		at++
	}
	block := at
	if at+1 < len(src) && src[at] == '/' && src[at+1] == '*' {
		n := strings.Index(src[at+2:], "*/")
		if n < 0 {
			return false
		}
		if at += n + 4; at >= len(src) || src[at] != '\n' {
			return false
		}
		s.gap.last = at
		at++
	}
	if at >= len(src) || src[at] != '"' {
		return false
	}
	s.gap.block, s.gap.next = block, at
	return true
}

// doubtful judges the escapes of the entry that was read last.
func (s *scanner) doubtful(n *resource.Node) {
	if s.lone > 0 {
		n.Kind = resource.Other
		s.warn("%s is not a character, so this entry is left alone", escapeAt(s.src, s.lone))
		s.warnings[len(s.warnings)-1].Left = true
		return
	}
	s.warn("%s", s.doubt)
}

func (s *scanner) warn(format string, args ...any) {
	s.warnings = append(s.warnings, resource.Warning{Node: len(s.nodes) - 1, Msg: fmt.Sprintf(format, args...)})
}

// unended says what is missing behind a key or value. A value over several lines is more likely one whose quote is
// missing.
func (s *scanner) unended(what string, n *resource.Node, end int) error {
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
	if at < len(s.src) && s.src[at] == '"' {
		return s.quoted(at, '"')
	}
	return s.rareToken(at, what)
}

func (s *scanner) rareToken(at int, what string) (end int, err error) {
	src := s.src
	if at >= len(src) {
		return 0, fault(len(src), "the file ends where %s should stand", what)
	}
	if src[at] == '\'' {
		return s.quoted(at, '\'')
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
		return fault(at, "XML where Apple's text format should be; "+
			"convert it with plutil, or give the file the format it has")
	case r == '\ufeff':
		return fault(at, "a second byte order mark; remove it")
	}
	return fault(at, "%q where %s should stand; put quotes around it", r, what)
}

// quoted passes over a string in quotes. Each byte is looked at twice at most: for its quote, and for a backslash.
func (s *scanner) quoted(at int, q byte) (end int, err error) {
	src, i := s.src, at+1
	for end = -1; ; {
		if end < i {
			n := strings.IndexByte(src[i:], q)
			if n < 0 {
				return 0, fault(at, "unterminated string; add the closing %c", q)
			}
			end = i + n
		}
		if s.escapeAt < i {
			if n := strings.IndexByte(src[i:], '\\'); n >= 0 {
				s.escapeAt = i + n
			} else {
				s.escapeAt = len(src)
			}
		}
		if s.escapeAt >= end {
			return end + 1, nil
		}
		i = s.escape(s.escapeAt)
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
			s.odd, s.doubt = at, `\u is not an escape in this format and reads as the letter u; the escape for a character is \U`
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
