package properties

import (
	"fmt"
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

func fault(at int, format string, args ...any) error {
	return &resource.SyntaxError{Offset: at, Msg: fmt.Sprintf(format, args...)}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\f' }

func skipBlanks(src string, at int) int {
	for at < len(src) && isBlank(src[at]) {
		at++
	}
	return at
}

// lineEnd returns the length of the line end at this offset, 0 when there is none.
func lineEnd(src string, at int) int {
	switch {
	case at >= len(src):
		return 0
	case src[at] == '\n':
		return 1
	case src[at] != '\r':
		return 0
	case at+1 < len(src) && src[at+1] == '\n':
		return 2
	}
	return 1
}

// lineRest returns where the line of this offset ends.
func lineRest(src string, at int) int {
	if n := strings.IndexAny(src[at:], "\n\r"); n >= 0 {
		return at + n
	}
	return len(src)
}

// goesOn returns the offset behind a backslash, the line end behind it, and the white space below; 0 where there is no
// such thing.
func goesOn(src string, at int) int {
	if src[at] != '\\' {
		return 0
	}
	if n := lineEnd(src, at+1); n > 0 {
		return skipBlanks(src, at+1+n)
	}
	return 0
}

// ahead is where something comes next, found once: a file is searched for it only once in all.
type ahead struct {
	at   int
	find func(src string) int
}

// before reports whether one is between two offsets.
func (a *ahead) before(src string, from, to int) bool {
	if a.at < from {
		if n := a.find(src[from:]); n >= 0 {
			a.at = from + n
		} else {
			a.at = len(src)
		}
	}
	return a.at < to
}

// scanner is one pass over a file.
type scanner struct {
	src      string
	nodes    []resource.Node
	warnings []resource.Warning
	returns  bool // there are \r
	slash    ahead
	high     ahead
	shown    [4]int // how many entries show the habits of which the bits are below
}

// Habits of a file, in the Style of its root.
const (
	raw     = 1 << iota // characters beyond ASCII are written as they are
	escaped             // and as escapes; only one of both is in a root's Style
	stored              // = : # and ! in texts have a backslash before them
	upper               // escapes have capital letters
	narrow              // the file is in ISO-8859-1; no root says so
)

func (grammar) Scan(src string) (*resource.Layout, error) {
	s := scanner{src: src, nodes: make([]resource.Node, 1, 1+entriesOf(src)), returns: strings.Contains(src, "\r"),
		slash: ahead{-1, func(s string) int { return strings.IndexByte(s, '\\') }}, high: ahead{-1, highIn}}
	all := resource.At(0, len(src))
	s.nodes[0] = resource.Node{Parent: -1, Kind: resource.Map, Value: all, Whole: all}
	block, last := -1, 0 // the comments directly above
	for at := 0; at < len(src); {
		p := skipBlanks(src, at)
		if p == len(src) {
			break
		}
		end := p
		switch c := src[p]; {
		case c == '\n' || c == '\r':
			block = -1
		case c == '\\' && (p+1 == len(src) || lineEnd(src, p+1) > 0): // a line of nothing that goes on
			end, block = p+1, -1
		case c == '#' || c == '!':
			end = s.lineRest(p)
			if block < 0 {
				block = p
			}
			last = end
		default:
			var err error
			if end, err = s.entry(p); err != nil {
				return nil, err
			}
			if block >= 0 {
				s.nodes[len(s.nodes)-1].Note = resource.At(block, last)
			}
			block = -1
		}
		at = end + lineEnd(src, end)
	}
	s.nodes[0].End, s.nodes[0].Style = int32(len(s.nodes)), s.style()
	return &resource.Layout{Nodes: s.nodes, Warnings: s.warnings}, nil
}

// style is what most entries that show a habit have.
func (s *scanner) style() (style uint8) {
	switch {
	case s.shown[0] > s.shown[1]:
		style |= raw
	case s.shown[1] > 0:
		style |= escaped
	}
	if s.shown[2] > 0 {
		style |= stored
	}
	if s.shown[3] > 0 {
		style |= upper
	}
	return style
}

// entriesOf estimates the number of entries from the beginning of a file.
func entriesOf(src string) int {
	head := src[:min(len(src), 32<<10)]
	n := 1 + strings.Count(head, "\n")
	if len(head) < len(src) {
		n = int(uint64(n) * uint64(len(src)) / uint64(len(head)) * 33 / 32)
	}
	return min(n, len(src)/8+16)
}

func (s *scanner) lineRest(at int) int {
	if s.returns {
		return lineRest(s.src, at)
	}
	if n := strings.IndexByte(s.src[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(s.src)
}

// highIn finds the first byte of a character beyond ASCII.
func highIn(src string) int {
	const eight = 0x8080808080808080
	i := 0
	for ; i+8 <= len(src); i += 8 {
		b := src[i : i+8]
		if (uint64(b[0])|uint64(b[1])<<8|uint64(b[2])<<16|uint64(b[3])<<24|
			uint64(b[4])<<32|uint64(b[5])<<40|uint64(b[6])<<48|uint64(b[7])<<56)&eight != 0 {
			break
		}
	}
	for ; i < len(src); i++ {
		if src[i] >= 0x80 {
			return i
		}
	}
	return -1
}

// endsKey are the bytes that a key is not passed over at one go.
var endsKey = func() (t [256]bool) {
	for _, c := range []byte("=: \t\f\n\r\\") {
		t[c] = true
	}
	return t
}()

// entry reads the entry that starts at an offset, and returns where its last line ends.
func (s *scanner) entry(start int) (int, error) {
	src := s.src
	if len(s.nodes) > resource.MaxEntries {
		return 0, fault(start, "more than %d entries", resource.MaxEntries)
	}
	key := s.keyEnd(start)
	if key-start > resource.MaxName {
		return 0, fault(start, "a key of more than %d KiB", resource.MaxName>>10)
	}
	value := separated(src, key)
	slashed := s.slash.before(src, start, key)
	end, more := s.valueEnd(value)
	s.nodes = append(s.nodes, resource.Node{
		End: int32(len(s.nodes) + 1), Kind: resource.Text, Name: resource.At(start, key), Value: resource.At(value, end),
		Whole: resource.At(start, end),
	})
	if s.high.before(src, start, end) {
		s.shown[0]++
	}
	if !slashed && !more {
		return end, nil
	}
	return end, s.escapes(&s.nodes[len(s.nodes)-1])
}

func (s *scanner) keyEnd(at int) int {
	src := s.src
	for at < len(src) {
		if c := src[at]; !endsKey[c] {
			at++
			continue
		} else if c != '\\' || at+1 == len(src) {
			break
		}
		if next := goesOn(src, at); next > 0 {
			at = next
		} else {
			at += 2
		}
	}
	return at
}

// separated goes over what is between a key and its text.
func separated(src string, at int) int {
	for had := false; at < len(src); {
		c := src[at]
		next := goesOn(src, at)
		switch {
		case isBlank(c):
			at++
		case next > 0:
			at = next
		case !had && (c == '=' || c == ':'):
			at, had = at+1, true
		default:
			return at
		}
	}
	return at
}

// valueEnd goes to the end of the line, and of those that it goes on with; slashed says that there are backslashes.
func (s *scanner) valueEnd(at int) (end int, slashed bool) {
	src := s.src
	for {
		end = s.lineRest(at)
		if !s.slash.before(src, at, end) {
			return end, slashed
		}
		slashed = true
		slashes := 0
		for end-slashes > at && src[end-1-slashes] == '\\' {
			slashes++
		}
		n := lineEnd(src, end)
		if slashes%2 == 0 || n == 0 {
			return end, true
		}
		at = skipBlanks(src, end+n)
	}
}

// escapes looks at those of an entry.
func (s *scanner) escapes(n *resource.Node) error {
	var had [4]bool
	sound := true
	for _, part := range [2]resource.Span{n.Name, n.Value} {
		spelled := part.Of(s.src)
		halves := false
		for i := strings.IndexByte(spelled, '\\'); i >= 0; {
			r, size := unescaped(spelled[i:])
			switch {
			case r == malformed:
				return fault(int(part.Start)+i,
					`\u without four hexadecimal digits, for which Java refuses the file; write \\ for a backslash`)
			case r >= 0x80 && spelled[i+1] == 'u':
				had[1] = true
				had[3] = had[3] || strings.ContainsAny(spelled[i+2:i+size], "ABCDEF")
				halves = halves || isHigh(r) || isLow(r)
			case part == n.Value && size == 2 && strings.IndexByte("=:#!", spelled[i+1]) >= 0:
				had[2] = true
			}
			next := strings.IndexByte(spelled[i+size:], '\\')
			if i += size + next; next < 0 {
				break
			}
		}
		if halves {
			_, whole := decoded(spelled)
			sound = sound && whole
		}
	}
	for i, h := range had {
		if h {
			s.shown[i]++
		}
	}
	if !sound {
		n.Kind = resource.Other
		s.warnings = append(s.warnings, resource.Warning{Node: len(s.nodes) - 1, Left: true,
			Msg: "half a surrogate pair is not a character, so this entry is left alone"})
	}
	return nil
}
