package jsonfile

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/locsync/locsync/formats/resource"
)

// Dialect says what a scan accepts beside RFC 8259 and a byte order mark.
type Dialect uint8

// JSONC has comments and trailing commas; Strict has neither.
const (
	JSONC Dialect = iota
	Strict
)

const bom = "\ufeff"

// Scan reads src as plain JSON: every member and item is a node, also in a message file. Style is this package's own;
// the root's tells in its upper four bits how the file spells its strings (see SpellingOf). The error is a
// *resource.SyntaxError.
func Scan(src string, d Dialect) (*resource.Layout, error) {
	s := newScanner(src, d)
	return s.scan()
}

func newScanner(src string, d Dialect) scanner {
	return scanner{
		src: src, bytes: unsafe.Slice(unsafe.StringData(src), len(src)), strict: d == Strict,
		nodes: make([]resource.Node, 0, expected(src)),
	}
}

// Fold reads src as Scan does with Strict, for formats that are made of JSON: an object with a member of this name and
// kind that holds their entries. Each object of that is shown to take when it was read: it is node i, the nodes behind
// it are all that is in it, and in front of it are the containers that it is in, which are not complete yet. Then all
// of it is taken out of the layout again, so that a large file needs little memory and the time that goes with it. An
// error of take ends the scan.
func Fold(src, name string, kind resource.Kind, take func([]resource.Node, int) error) (*resource.Layout, error) {
	fold := func(nodes []resource.Node, i int) (bool, error) {
		if nodes[i].Kind != resource.Map || nodes[i].Parent < 0 {
			return false, nil
		}
		up := &nodes[nodes[i].Parent]
		if up.Parent != 0 || up.Kind != kind || nodes[0].Kind != resource.Map || Unquote(up.Name.Of(src)) != name {
			return false, nil
		}
		return true, take(nodes, i)
	}
	s := scanner{src: src, bytes: unsafe.Slice(unsafe.StringData(src), len(src)), strict: true, fold: fold}
	return s.scan()
}

func (s *scanner) scan() (*resource.Layout, error) {
	if err := s.document(); err != nil {
		return nil, err
	}
	s.nodes[0].Style |= s.seen
	return &resource.Layout{Nodes: s.nodes, Warnings: s.warnings}, nil
}

// expected is about how many nodes src has: a member has a colon, an array some two items, and each of them some 16
// bytes in real files. The beginning of a large file represents the rest. Where that is wrong the slice grows.
func expected(src string) int {
	const sample = 64 << 10
	head := src[:min(len(src), sample)]
	n := strings.Count(head, ":") + 2*strings.Count(head, "[")
	if len(src) > sample {
		n = int(float64(n) * float64(len(src)) / sample * 1.06)
	}
	return 8 + min(n, len(src)/16)
}

type scanner struct {
	src      string
	bytes    []byte // src, for loading eight bytes at a time
	strict   bool
	metadata bool // members whose names begin with @ may be metadata
	arb      bool // and are, always
	nodes    []resource.Node
	warnings []resource.Warning
	seen     uint8 // the root's style
	comments []comment
	newlines int // between the last comment of the gap and what follows
	fold     func(nodes []resource.Node, i int) (bool, error)
}

func refuse(at int, format string, args ...any) error {
	return &resource.SyntaxError{Offset: at, Msg: fmt.Sprintf(format, args...)}
}

// document reads the whole file: a byte order mark, the root, and nothing else but comments.
func (s *scanner) document() error {
	at := 0
	if strings.HasPrefix(s.src, bom) {
		at = len(bom)
		if strings.HasPrefix(s.src[at:], bom) {
			return refuse(at, "a second byte order mark; take one of the two out")
		}
	}
	at, err := s.gap(at)
	if err != nil {
		return err
	}
	if at == len(s.src) {
		return refuse(at, "a resource file holds an object, this one is empty; write {} for one without entries")
	}
	if c := s.src[at]; c != '{' && c != '[' {
		return refuse(at, "a resource file holds an object, not %s", s.found(at))
	}
	if at, err = s.containers(at); err != nil {
		return err
	}
	if at, err = s.gap(at); err != nil {
		return err
	}
	if at < len(s.src) {
		return refuse(at, "%s behind the end of the file's only value", s.found(at))
	}
	return nil
}

// containers reads the container that opens at at, with all that is in it, and returns where it ends. Nesting costs no
// recursion: the open containers are the chain of Parents from up.
func (s *scanner) containers(at int) (int, error) {
	up, prev, depth := s.open(at, resource.Node{Parent: -1}), -1, 1
	at++
	fresh := true // nothing is between the opening bracket and at
	for {
		var err error
		if at, err = s.gap(at); err != nil {
			return 0, err
		}
		if at == len(s.src) {
			return 0, s.unfinished(up)
		}
		inMap := s.nodes[up].Kind == resource.Map
		if c := s.src[at]; !isCloser(c, inMap) || s.strict && !fresh {
			n := resource.Node{Parent: int32(up)}
			if len(s.comments) > 0 {
				n.Note = s.noteAbove(prev, fresh)
			}
			if inMap {
				if at, err = s.name(at, &n); err != nil {
					return 0, err
				}
			}
			if len(s.nodes) > resource.MaxEntries {
				return 0, refuse(at, "more than %d entries", resource.MaxEntries)
			}
			if at == len(s.src) {
				return 0, s.unfinished(up)
			}
			if c := s.src[at]; c == '{' || c == '[' {
				if depth++; depth > resource.MaxDepth {
					return 0, refuse(at, "more than %d objects and arrays inside one another", resource.MaxDepth)
				}
				up, prev, fresh = s.open(at, n), -1, true
				at++
				continue
			}
			prev = len(s.nodes)
			if at, err = s.scalar(at, n, inMap); err != nil {
				return 0, err
			}
			if at, err = s.gap(at); err != nil {
				return 0, err
			}
		} else if len(s.comments) > 0 {
			s.noteBehind(prev, false)
		}
		fresh = false
		if at < len(s.src) && s.src[at] == ',' && len(s.comments) == 0 { // nearly always
			at++
			continue
		}
		var closed int
		if at, up, prev, closed, err = s.behind(at, up, prev); up < 0 || err != nil {
			return at, err
		}
		depth -= closed
	}
}

// behind reads what is behind a value, or at the end of the container up: a comma, or the ends of one or more
// containers. It returns the container that goes on, -1 where none does, its last child, and how many were closed.
func (s *scanner) behind(at, up, prev int) (next, in, last, closed int, err error) {
	for {
		if at == len(s.src) {
			return 0, up, prev, closed, s.unfinished(up)
		}
		c := s.src[at]
		if c != ',' && !isCloser(c, s.nodes[up].Kind == resource.Map) {
			return 0, up, prev, closed, refuse(at, "expected a comma or %q, not %s", closer(s.nodes[up].Kind), s.found(at))
		}
		if len(s.comments) > 0 {
			s.noteBehind(prev, c == ',')
		}
		if at++; c == ',' {
			return at, up, prev, closed, nil
		}
		prev, closed = up, closed+1
		if up, err = s.close(up, at); up < 0 || err != nil {
			return at, up, prev, closed, err
		}
		if at, err = s.gap(at); err != nil {
			return 0, up, prev, closed, err
		}
	}
}

func isCloser(c byte, inMap bool) bool { return c == '}' && inMap || c == ']' && !inMap }

func closer(k resource.Kind) byte {
	if k == resource.Map {
		return '}'
	}
	return ']'
}

// open adds the node of the container whose bracket is at at and returns its index.
func (s *scanner) open(at int, n resource.Node) int {
	n.Kind = resource.List
	if s.src[at] == '{' {
		n.Kind = resource.Map
	}
	n.Value.Start = uint32(at)
	n.Whole.Start = uint32(at)
	if n.Name.Len() > 0 {
		n.Whole.Start = n.Name.Start
	}
	s.nodes = append(s.nodes, n)
	return len(s.nodes) - 1
}

// close completes the container up, which ends before end, and returns the one that it is in.
func (s *scanner) close(up, end int) (int, error) {
	n := &s.nodes[up]
	parent := int(n.Parent)
	n.Value.End, n.Whole.End, n.End = uint32(end), uint32(end), int32(len(s.nodes))
	switch {
	case n.Style&halfName != 0: // no key below it can be spelled in UTF-8
		s.cut(up)
		s.warnings = append(s.warnings, resource.Warning{Node: up, Msg: halfNameMsg, Left: true})
	case parent == 0 && s.metadata && s.isMetadata(up):
		s.cut(up)
		n.Meta = true
	}
	if s.fold != nil {
		out, err := s.fold(s.nodes, up)
		if out {
			s.nodes = s.nodes[:up]
		}
		return parent, err
	}
	return parent, nil
}

// cut makes a value of the container up, which is not text; what is in it does not concern us.
func (s *scanner) cut(up int) {
	s.nodes[up].Kind, s.nodes[up].End = resource.Other, int32(up+1)
	s.nodes = s.nodes[:up+1]
	for len(s.warnings) > 0 && s.warnings[len(s.warnings)-1].Node > up {
		s.warnings = s.warnings[:len(s.warnings)-1]
	}
}

const (
	halfNameMsg  = "the name has half of a surrogate pair, which no text can hold; what is under it is left alone"
	halfValueMsg = "the text has half of a surrogate pair, which no text can hold; it is left alone"
)

// name reads a member's name and its colon, and returns where the value starts.
func (s *scanner) name(at int, n *resource.Node) (int, error) {
	if s.src[at] != '"' {
		if isCloser(s.src[at], true) {
			return 0, refuse(at, "a comma in front of %q; take it out", s.src[at])
		}
		return 0, refuse(at, "expected a name in double quotes, not %s", s.found(at))
	}
	end, style, err := s.quoted(at)
	if err != nil {
		return 0, err
	}
	if end-at > resource.MaxName {
		return 0, refuse(at, "a name of more than %d KiB", resource.MaxName>>10)
	}
	n.Name = resource.At(at, end)
	if style&valueEscaped != 0 {
		n.Style |= nameEscaped
	}
	if style&halfName != 0 {
		n.Style |= halfName
	}
	at = end
	if at < len(s.src) && s.src[at] != ':' {
		if at, err = s.gap(at); err != nil {
			return 0, err
		}
	}
	if at == len(s.src) {
		return at, nil
	}
	if s.src[at] != ':' {
		return 0, refuse(at, "expected a colon behind the name, not %s", s.found(at))
	}
	return s.gap(at + 1)
}

// scalar adds the node of the string, number or word at at and returns where it ends.
func (s *scanner) scalar(at int, n resource.Node, inMap bool) (end int, err error) {
	var msg string
	switch c := s.src[at]; {
	case c == '"':
		var style uint8
		if end, style, err = s.quoted(at); err != nil {
			return 0, err
		}
		n.Kind, n.Style = resource.Text, n.Style|style&valueEscaped
		if style&halfName != 0 {
			n.Kind, msg = resource.Other, halfValueMsg
		}
	case c == '-' || c >= '0' && c <= '9':
		n.Kind = resource.Other
		end = s.number(at)
	default:
		n.Kind = resource.Other
		for _, word := range [...]string{"true", "false", "null"} {
			if strings.HasPrefix(s.src[at:], word) {
				end = at + len(word)
			}
		}
		if s.src[at] == 'n' {
			n.Kind = resource.Null
		}
	}
	if end == 0 || s.src[at] != '"' && end < len(s.src) && isWord(s.src[end]) {
		if !inMap && isCloser(s.src[at], false) {
			return 0, refuse(at, "a comma in front of %q; take it out", s.src[at])
		}
		return 0, refuse(at, "expected a value, not %s", s.found(at))
	}
	switch {
	case n.Style&halfName != 0:
		n.Kind, msg = resource.Other, halfNameMsg
	case n.Parent == 0 && s.metadata && (s.begins(&n, "@@") || s.arb && s.begins(&n, "@")):
		n.Kind, n.Meta, msg = resource.Other, true, ""
	}
	n.Value = resource.At(at, end)
	n.Whole = n.Value
	if n.Name.Len() > 0 {
		n.Whole.Start = n.Name.Start
	}
	n.End = int32(len(s.nodes) + 1)
	if msg != "" {
		s.warnings = append(s.warnings, resource.Warning{Node: len(s.nodes), Msg: msg, Left: true})
	}
	s.nodes = append(s.nodes, n)
	return end, nil
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
		c == '_' || c == '.' || c == '+' || c == '-'
}

// number returns where the number at at ends, 0 when it is none.
func (s *scanner) number(at int) int {
	digits := func() bool {
		from := at
		for at < len(s.src) && s.src[at] >= '0' && s.src[at] <= '9' {
			at++
		}
		return at > from
	}
	if s.src[at] == '-' {
		at++
	}
	if at < len(s.src) && s.src[at] == '0' {
		at++
	} else if !digits() {
		return 0
	}
	if at < len(s.src) && s.src[at] == '.' {
		if at++; !digits() {
			return 0
		}
	}
	if at < len(s.src) && s.src[at]|0x20 == 'e' {
		at++
		if at < len(s.src) && (s.src[at] == '+' || s.src[at] == '-') {
			at++
		}
		if !digits() {
			return 0
		}
	}
	return at
}

// gap skips white space and comments. The comments are in s.comments until the next call.
func (s *scanner) gap(at int) (int, error) {
	if len(s.comments) > 0 {
		s.comments = s.comments[:0]
	}
	for at < len(s.src) {
		switch s.src[at] {
		case '\n', '\r', '\t':
			at++
		case ' ': // indentation, most of the time
			for at+8 <= len(s.bytes) {
				spaces := bits.TrailingZeros64(binary.LittleEndian.Uint64(s.bytes[at:])^ones*' ') >> 3
				if at += spaces; spaces < 8 {
					break
				}
			}
			for at < len(s.src) && s.src[at] == ' ' {
				at++
			}
		case '/':
			return s.commented(at)
		default:
			return at, nil
		}
	}
	return at, nil
}

// commented is gap where there are comments.
func (s *scanner) commented(at int) (int, error) {
	from := at
	for from > 0 && isSpace(s.src[from-1]) {
		from--
	}
	var ok bool
	s.comments, s.newlines, at, ok = readGap(s.src, from, s.comments)
	switch {
	case !ok && at+1 < len(s.src) && s.src[at+1] == '*':
		return 0, refuse(at, "a comment that is not closed")
	case !ok:
		return 0, refuse(at, "a single slash; a comment starts with // or /*")
	case s.strict:
		return 0, refuse(s.comments[0].start, "this format has no comments; take it out")
	}
	return at, nil
}

// found names what is at at, for messages.
func (s *scanner) found(at int) string {
	if at >= len(s.src) {
		return "the end of the file"
	}
	switch c := s.src[at]; {
	case c == '#':
		return "'#'; a comment starts with // or /*"
	case c == '\'':
		return "a single quote; JSON has double quotes only"
	case strings.HasPrefix(s.src[at:], bom):
		return "a byte order mark"
	case c == '"':
		return "a string"
	case c < ' ' || c == 0x7f:
		return fmt.Sprintf("control character U+%04X", c)
	}
	end := at
	for end < len(s.src) && end < at+20 && isWord(s.src[end]) {
		end++
	}
	if end == at {
		end = runeEnd(s.src, at)
	}
	return fmt.Sprintf("%q", s.src[at:end])
}

func runeEnd(s string, at int) int {
	_, n := utf8.DecodeRuneInString(s[at:])
	return at + n
}

// unfinished is the error of a file that ends inside container up.
func (s *scanner) unfinished(up int) error {
	what := "array"
	if s.nodes[up].Kind == resource.Map {
		what = "object"
	}
	line := 1 + strings.Count(s.src[:s.nodes[up].Value.Start], "\n")
	return refuse(len(s.src), "the file ends inside the %s that opens in line %d", what, line)
}
