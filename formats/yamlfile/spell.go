package yamlfile

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// isPlain reports whether a text may be written as a plain scalar on one line, so that every reader reads it back as
// this string. It is asked for values inside their line, or for names.
func isPlain(text string, inFlow bool) bool {
	if text == "" || !isPlainly(text) || isBlank(text[len(text)-1]) {
		return false
	}
	switch c := text[0]; c {
	case ' ', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`', '?', ':':
		return false
	case '-':
		if len(text) == 1 || isBlank(text[1]) || text[1] == '-' {
			return false
		}
	}
	if strings.HasPrefix(text, "...") {
		return false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 0x80 || c < ' ':
			if r, n := utf8.DecodeRuneInString(text[i:]); needsEscape(r) || r == '\n' || r == '\t' {
				return false
			} else {
				i += n - 1
			}
		case c == ':':
			if inFlow || i+1 == len(text) || text[i+1] == ' ' {
				return false
			}
		case c == '#':
			if text[i-1] == ' ' {
				return false
			}
		case c == ',' || c == '[' || c == ']' || c == '{' || c == '}':
			if inFlow {
				return false
			}
		case c == 0x7F:
			return false
		}
	}
	return true
}

// needsEscape reports characters that only double quotes can hold, as an escape; line feeds and tabs are not among
// them.
func needsEscape(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ' || r >= 0x7F && r < 0xA0:
		return true
	}
	return r == 0x2028 || r == 0x2029 || r == 0xFEFF || r == 0xFFFE || r == 0xFFFF
}

func anyNeedsEscape(text string) bool {
	for i := 0; i < len(text); i++ { // all of them begin with a byte that is rare in text
		if c := text[i]; c < ' ' || c >= 0x7F {
			return strings.ContainsFunc(text[i:], needsEscape)
		}
	}
	return false
}

// spellSingle writes a text in single quotes; ok is false when it does not fit on one line there.
func spellSingle(text string) (spelled string, ok bool) {
	if strings.IndexByte(text, '\n') >= 0 || anyNeedsEscape(text) {
		return "", false
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'", true
}

// spellDouble writes any text in double quotes on one line. escaped says to write other characters than ASCII as
// escapes.
func spellDouble(text string, escaped bool) string {
	out := make([]byte, 0, len(text)+2)
	out = append(out, '"')
	for _, r := range text {
		out = appendDouble(out, r, escaped)
	}
	return string(append(out, '"'))
}

func appendDouble(out []byte, r rune, escaped bool) []byte {
	switch r {
	case '"', '\\':
		return append(out, '\\', byte(r))
	case '\n':
		return append(out, `\n`...)
	case '\t':
		return append(out, `\t`...)
	case '\r':
		return append(out, `\r`...)
	case 0:
		return append(out, `\0`...)
	case 0x85:
		return append(out, `\N`...)
	case 0x2028:
		return append(out, `\L`...)
	case 0x2029:
		return append(out, `\P`...)
	}
	switch {
	case !needsEscape(r) && (r < 0x80 || !escaped):
		return utf8.AppendRune(out, r)
	case r <= 0xFF:
		return fmt.Appendf(out, `\x%02X`, r)
	case r <= 0xFFFF:
		return fmt.Appendf(out, `\u%04X`, r)
	}
	return fmt.Appendf(out, `\U%08X`, r)
}

// respellDouble writes a new text in double quotes as the old one was: what both begin and end with keeps its bytes,
// with escapes and folded lines, and other characters than ASCII become escapes where the old text had only such.
func respellDouble(old, text string) string {
	pieces := doublePieces(old[1 : len(old)-1])
	escaped, raw := false, false
	for _, p := range pieces {
		if r, _ := utf8.DecodeRuneInString(p.text); r >= 0x80 {
			escaped = escaped || p.raw[0] == '\\'
			raw = raw || p.raw[0] != '\\'
		}
	}
	escaped = escaped && !raw
	head, rest := 0, text
	for head < len(pieces) && strings.HasPrefix(rest, pieces[head].text) {
		rest = rest[len(pieces[head].text):]
		head++
	}
	tail := len(pieces)
	for tail > head && strings.HasSuffix(rest, pieces[tail-1].text) {
		tail--
		rest = rest[:len(rest)-len(pieces[tail].text)]
	}
	var out strings.Builder
	out.WriteByte('"')
	for _, p := range pieces[:head] {
		out.WriteString(p.raw)
	}
	middle := spellDouble(rest, escaped)
	out.WriteString(middle[1 : len(middle)-1])
	for _, p := range pieces[tail:] {
		out.WriteString(p.raw)
	}
	out.WriteByte('"')
	// White space at a folded line end reads differently next to other characters: such a mix is written anew.
	if spelled := out.String(); unquoteDouble(spelled) == text {
		return spelled
	}
	return spellDouble(text, escaped)
}

// piece is a character, an escape or a folded line end inside double quotes.
type piece struct{ raw, text string }

func doublePieces(raw string) []piece {
	var out []piece
	for i := 0; i < len(raw); {
		n := 1
		switch c := raw[i]; {
		case c == '\\' && raw[i+1] != '\n' && raw[i+1] != '\r':
			n = escape(raw[i:])
		case c == '\\':
			_, next := lineBreaks(raw, i+1)
			n = next - i
		case isBlank(c) || c == '\n' || c == '\r':
			breaks, next := lineBreaks(raw, i)
			if breaks > 0 {
				n = next - i
				break
			}
			for ; i < next; i++ {
				out = append(out, piece{raw[i : i+1], raw[i : i+1]})
			}
			continue
		default:
			_, n = utf8.DecodeRuneInString(raw[i:])
		}
		out = append(out, piece{raw[i : i+n], unquoteDouble(`"` + raw[i:i+n] + `"`)})
		i += n
	}
	return out
}

// spellBlock writes a text as a block scalar with the header, the column and the line ends of an old one. outer is the
// column of the collection around it, next what follows it in the file. ok is false where it cannot be a block.
func spellBlock(old blockParts, outer int, text string, next following, lineFeed string) (spelled string, ok bool) {
	body := strings.TrimRight(text, "\n")
	ends := len(text) - len(body)
	if body == "" || anyNeedsEscape(text) {
		return "", false
	}
	chomp, ok := old.chompFor(ends, body, next.nothing, next.blank)
	if !ok {
		return "", false
	}
	content := strings.TrimLeft(body, "\n")
	lead := len(body) - len(content)
	lines := strings.Split(content, "\n")
	sign := "|"
	if old.folded && !slices.ContainsFunc(lines, func(l string) bool { return l != "" && isBlank(l[0]) }) {
		sign = ">"
		lines = strings.Split(unfold(content), "\n")
	}
	width := old.width
	if width <= outer {
		width = max(outer, 0) + 2
	}
	if old.indicated || isBlank(content[0]) {
		if width-max(outer, 0) > 9 {
			width = max(outer, 0) + 2
		}
		if width > maxIndicated {
			return "", false
		}
		sign += string(rune('0' + width - max(outer, 0)))
	}
	if next.widest > width { // it would read as a line of the text
		return "", false
	}
	var out strings.Builder
	out.WriteString(sign + chomp + old.rest)
	out.WriteString(strings.Repeat(lineFeed, lead))
	for _, line := range lines {
		out.WriteString(lineFeed)
		if line != "" {
			out.WriteString(strings.Repeat(" ", width))
			out.WriteString(line)
		}
	}
	out.WriteString(strings.Repeat(lineFeed, max(ends-1, 0)))
	return out.String(), true
}

// chompFor is the chomping indicator for a text with that many line ends behind its body. There is none where the file
// would have to gain a last line end (atEnd: it has none behind the text), or where blank lines that follow would be
// taken into the text.
func (b *blockParts) chompFor(ends int, body string, atEnd, blank bool) (chomp string, ok bool) {
	switch {
	case atEnd && (ends > 0 || strings.Trim(body[strings.LastIndexByte(body, '\n')+1:], " \t") == ""):
		return "", false
	case atEnd && b.chomp == 0:
		return "", true
	case atEnd:
		return string(b.chomp), true
	case ends == 0:
		return "-", true
	case ends == 1 && (b.chomp != '+' || blank):
		return "", true
	}
	return "+", !blank
}

// following is what matters of what is behind a block scalar.
type following struct {
	nothing bool // not even a line end
	blank   bool // a blank line comes next
	widest  int  // of the blank lines that come next
}

// followingIn looks behind the end of the line that src begins in.
func followingIn(src string) following {
	next := following{nothing: src == ""}
	for _, i := lineEnd(src, 0); i < len(src); next.blank = true {
		p := skipBlanks(src, i)
		if !isBreakAt(src, p) {
			break
		}
		next.widest = max(next.widest, p-i)
		_, i = lineEnd(src, p)
	}
	return next
}

// unfold doubles the line feeds inside a text, so that folding gives it back.
func unfold(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		out.WriteByte(text[i])
		if text[i] == '\n' && text[i-1] != '\n' {
			out.WriteByte('\n')
		}
	}
	return out.String()
}
