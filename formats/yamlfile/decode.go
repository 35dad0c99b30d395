package yamlfile

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/resource"
)

// fold joins the lines of a plain scalar, or of what is between quotes without escapes: one line end reads as a space,
// each further one as a line feed, white space around them as nothing (section 6.5).
func fold(raw string) string {
	if strings.IndexByte(raw, '\n') < 0 {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		n := strings.IndexByte(raw[i:], '\n')
		if n < 0 {
			out = append(out, raw[i:]...)
			break
		}
		out = append(out, strings.TrimRight(raw[i:i+n], " \t\r")...)
		breaks, next := lineBreaks(raw, i+n)
		out = appendBreaks(out, breaks)
		i = next
	}
	return string(out)
}

// lineBreaks counts the line feeds from offset i on that only white space is between, and skips them with the
// white space behind.
func lineBreaks(s string, i int) (count, next int) {
	for ; i < len(s); i++ {
		switch s[i] {
		case '\n':
			count++
		case ' ', '\t', '\r':
		default:
			return count, i
		}
	}
	return count, i
}

func appendBreaks(out []byte, breaks int) []byte {
	if breaks == 1 {
		return append(out, ' ')
	}
	for ; breaks > 1; breaks-- {
		out = append(out, '\n')
	}
	return out
}

func unquoteSingle(raw string) string {
	return strings.ReplaceAll(fold(raw[1:len(raw)-1]), "''", "'")
}

// unquoteDouble resolves escapes and folds lines (section 7.3.1). White space before a line end is dropped unless an
// escape wrote it.
func unquoteDouble(raw string) string {
	raw = raw[1 : len(raw)-1]
	if strings.IndexByte(raw, '\\') < 0 {
		return fold(raw)
	}
	out := make([]byte, 0, len(raw))
	solid := 0 // length of out up to which white space stays
	for i := 0; i < len(raw); {
		switch c := raw[i]; c {
		case '\\':
			n := escape(raw[i:])
			if raw[i+1] == '\n' || raw[i+1] == '\r' {
				breaks, next := lineBreaks(raw, i+1)
				for ; breaks > 1; breaks-- {
					out = append(out, '\n')
				}
				i = next
			} else {
				out = appendEscaped(out, raw[i+1:i+n])
				i += n
			}
			solid = len(out)
		case '\n':
			for len(out) > solid && (isBlank(out[len(out)-1]) || out[len(out)-1] == '\r') {
				out = out[:len(out)-1]
			}
			breaks, next := lineBreaks(raw, i)
			out = appendBreaks(out, breaks)
			solid = len(out)
			i = next
		default:
			out = append(out, c)
			i++
		}
	}
	return string(out)
}

// simpleEscapes are the escapes of one character (section 5.7), in pairs of its letter and what it represents.
const simpleEscapes = "0\x00a\ab\bt\t\t\tn\nv\vf\fr\re\x1b  \"\"//\\\\"

// escape is the length of the escape that s begins with, line break included, or 0 when it is none.
func escape(s string) int {
	if len(s) < 2 {
		return 0
	}
	digits := 0
	switch c := s[1]; c {
	case 'N', '_', 'L', 'P', '\n':
		return 2
	case '\r':
		return 3
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		for i := 0; i < len(simpleEscapes); i += 2 {
			if simpleEscapes[i] == c {
				return 2
			}
		}
		return 0
	}
	if len(s) < 2+digits {
		return 0
	}
	if r, ok := hex(s[2 : 2+digits]); !ok || !utf8.ValidRune(r) {
		return 0
	}
	return 2 + digits
}

func hex(s string) (rune, bool) {
	var r uint32
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | uint32(c)
	}
	if r > utf8.MaxRune {
		return 0, false
	}
	return rune(r), true
}

// appendEscaped appends what an escape represents; e is the escape without its backslash.
func appendEscaped(out []byte, e string) []byte {
	switch e[0] {
	case 'N':
		return append(out, "\u0085"...)
	case '_':
		return append(out, "\u00A0"...)
	case 'L':
		return append(out, "\u2028"...)
	case 'P':
		return append(out, "\u2029"...)
	case 'x', 'u', 'U':
		r, _ := hex(e[1:])
		return utf8.AppendRune(out, r)
	}
	for i := 0; i < len(simpleEscapes); i += 2 {
		if simpleEscapes[i] == e[0] {
			return append(out, simpleEscapes[i+1])
		}
	}
	return out
}

// unblock reads a block scalar (section 8.1). The end of its last line is not part of the span, but of the text.
func unblock(src string, at resource.Span, style uint8) string {
	b := readBlock(src, at, style)
	out := make([]byte, 0, at.Len())
	blanks := 0                       // blank lines since the last one with content
	content, indented := false, false // whether there was one, and whether it began with white space
	for line := range b.lines() {
		if b.isBlank(line) {
			blanks++
			continue
		}
		line = line[b.width:]
		white := isBlank(line[0])
		switch breaks := blanks + 1; {
		case !content:
			out = appendFeeds(out, blanks)
		case b.folded && !indented && !white:
			out = appendBreaks(out, breaks)
		default:
			out = appendFeeds(out, breaks)
		}
		out = append(out, line...)
		blanks, content, indented = 0, true, white
	}
	ends := blanks // line ends behind the content
	if content {
		ends++
	}
	if !b.ended {
		ends--
	}
	switch {
	case b.chomp == '+':
		out = appendFeeds(out, ends)
	case b.chomp != '-' && content:
		out = appendFeeds(out, min(ends, 1))
	}
	return string(out)
}

func appendFeeds(out []byte, n int) []byte {
	for ; n > 0; n-- {
		out = append(out, '\n')
	}
	return out
}

// blockParts is a block scalar taken apart.
type blockParts struct {
	folded, indicated bool   // indicated: an indicator says where the content begins
	chomp             byte   // '+', '-', or 0 to clip
	rest              string // of the header's line: white space and a comment
	body              string // the lines below it, without the end of the last; "\x00" when there is none
	width             int    // column of the content; 0 when nothing says which
	ended             bool   // a line end, or white space that ends the file, follows the last line
}

func readBlock(src string, at resource.Span, style uint8) (b blockParts) {
	i := int(at.Start)
	if b.width = int(style) - literal; style >= folded {
		b.folded, b.width = true, int(style)-folded
	}
	b.indicated = b.width > 0
	for i++; i < int(at.End) && strings.IndexByte("+-0123456789", src[i]) >= 0; i++ {
		if c := src[i]; c == '+' || c == '-' {
			b.chomp = c
		}
	}
	end, next := lineEnd(src, i)
	b.rest = src[i:end]
	b.ended = int(at.End) < len(src)
	if next > int(at.End) || next == end {
		b.body = "\x00"
		return b
	}
	b.body = src[next:at.End]
	for i := 0; b.width == 0 && i < len(b.body); {
		spaces := skipSpaces(b.body, i)
		if !isBreakAt(b.body, spaces) {
			b.width = spaces - i
		}
		_, i = lineEnd(b.body, i)
	}
	return b
}

// lines yields the lines of the body without their ends.
func (b *blockParts) lines() iter.Seq[string] {
	return func(yield func(string) bool) {
		if b.body == "\x00" {
			return
		}
		for line := range strings.SplitSeq(b.body, "\n") {
			if !yield(strings.TrimSuffix(line, "\r")) {
				return
			}
		}
	}
}

func (b *blockParts) isBlank(line string) bool {
	return (b.width == 0 || len(line) <= b.width) && strings.Trim(line, " ") == ""
}
