package stringsfile

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/resource"
)

// nextStep is the upper half of the character set that octal escapes are in, as Unicode's mapping NEXTSTEP.TXT has it.
// The last two are not assigned.
const nextStep = "\u00a0ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖÙÚÛÜÝÞµ×÷©¡¢£⁄¥ƒ§¤’“«‹›ﬁﬂ®–†‡·¦¶•‚„”»…‰¬¿¹ˋ´ˆ˜¯˘˙¨²˚¸³˝˛ˇ" +
	"—±¼½¾àáâãäåçèéêëìÆíªîïðñŁØŒºòóôõöæùúûıüýłøœßþÿ"

var octal = []rune(nextStep)

// decoded is the text of a string as spelled, quotes included. It shares memory with it where there is no escape.
func decoded(spelled string) string {
	if spelled == "" || spelled[0] != '"' && spelled[0] != '\'' {
		return spelled
	}
	s := spelled[1 : len(spelled)-1]
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	for i >= 0 {
		out.WriteString(s[:i])
		r, size := unescaped(s[i:])
		if r < 0 {
			r = utf8.RuneError
		}
		out.WriteRune(r)
		s = s[i+size:]
		i = strings.IndexByte(s, '\\')
	}
	out.WriteString(s)
	return out.String()
}

// strayEscape returns the first escape of a string as spelled that is not a character; empty when there is none.
func strayEscape(spelled string) string {
	if spelled == "" || spelled[0] != '"' && spelled[0] != '\'' {
		return ""
	}
	for s := spelled; ; {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			return ""
		}
		r, size := unescaped(s[i:])
		if r < 0 {
			return s[i : i+size]
		}
		s = s[i+size:]
	}
}

// unescaped reads the escape that s begins with: its character, -1 for one that there is not, and its length. Two
// escapes that are one character are read as one.
func unescaped(s string) (r rune, size int) {
	if len(s) < 2 {
		return -1, len(s)
	}
	switch c := s[1]; c {
	case 'a':
		return '\a', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'v':
		return '\v', 2
	case 'U':
		r, size = unit(s)
		if !utf16.IsSurrogate(r) {
			return r, size
		}
		if strings.HasPrefix(s[size:], `\U`) {
			low, more := unit(s[size:])
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, size + more
			}
		}
		return -1, size
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n := 0
		for size = 1; size < len(s) && size < 4 && s[size] >= '0' && s[size] <= '7'; size++ {
			n = n<<3 + int(s[size]-'0')
		}
		switch n &= 0xff; { // what is too much for one byte is cut off
		case n < 0x80:
			return rune(n), size
		case n-0x80 < len(octal):
			return octal[n-0x80], size
		}
		return -1, size
	}
	r, n := utf8.DecodeRuneInString(s[1:])
	return r, 1 + n
}

// unit reads \U with up to four hexadecimal digits behind it.
func unit(s string) (r rune, size int) {
	for size = 2; size < len(s) && size < 6 && isHex(s[size]); size++ {
		c := s[size] | 0x20 // letters to lower case, digits stay
		if c >= 'a' {
			c -= 'a' - 10
		} else {
			c -= '0'
		}
		r = r<<4 + rune(c)
	}
	return r, size
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// bareable reports whether a text can stand without quotes. Two slashes could begin a comment.
func bareable(text string) bool {
	for i := range len(text) {
		if class[text[i]] != bare || text[i] == '/' && i+1 < len(text) && text[i+1] == '/' {
			return false
		}
	}
	return text != ""
}

// habit is how a text spells what can be spelled in more than one way; without one, line ends and tabs are escaped and
// the rest is kept as it is.
type habit struct {
	lf, crlf, cr bool // line ends of this kind stand as they are
	continued    bool // \n is kept as it is, behind a backslash
	tabs         bool // tabs stand as they are
	quotes       bool // the other quote is escaped too
	visible      bool // characters beyond ASCII are escaped,
	invisible    bool // or only those that one cannot see
	known        bool // the text had such characters
}

// habitOf reads the habit from a string as spelled.
func habitOf(spelled string) habit {
	var h habit
	if spelled == "" || spelled[0] != '"' && spelled[0] != '\'' {
		return h
	}
	other := byte('"' + '\'' - spelled[0])
	var rawQuote, rawVisible, rawInvisible bool
	for i := 1; i < len(spelled)-1; {
		c := spelled[i]
		switch {
		case c == '\\':
			r, size := unescaped(spelled[i:])
			h.quotes = h.quotes || spelled[i+1] == other
			h.continued = h.continued || spelled[i+1] == '\n'
			if r >= 0x80 && spelled[i+1] == 'U' {
				h.known = true
				h.visible = h.visible || isVisible(r)
				h.invisible = h.invisible || !isVisible(r)
			}
			i += size
			continue
		case c == '\t':
			h.tabs = true
		case c == other:
			rawQuote = true
		case class[c] == line:
			n := lineEnd(spelled, i)
			h.lf = h.lf || c == '\n'
			h.crlf = h.crlf || n == 2
			h.cr = h.cr || c == '\r' && n == 1
			i += n
			continue
		case c >= 0x80:
			r, size := utf8.DecodeRuneInString(spelled[i:])
			h.known = true
			rawVisible = rawVisible || isVisible(r)
			rawInvisible = rawInvisible || !isVisible(r)
			i += size
			continue
		}
		i++
	}
	h.quotes = h.quotes && !rawQuote
	h.invisible = (h.invisible || h.visible) && !rawInvisible
	h.visible = h.visible && !rawVisible
	return h
}

func isVisible(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }

// quoted spells a text in quotes of this kind.
func quoted(text string, quote byte, h habit) string {
	var out strings.Builder
	out.Grow(len(text) + 2 + len(text)/16)
	out.WriteByte(quote)
	for i := 0; i < len(text); {
		c := text[i]
		if c >= 0x80 {
			r, size := utf8.DecodeRuneInString(text[i:])
			if h.visible && isVisible(r) || h.invisible && !isVisible(r) {
				escapeUnits(&out, r)
			} else {
				out.WriteString(text[i : i+size])
			}
			i += size
			continue
		}
		size := 1
		switch {
		case c == '\\' || c == quote || h.quotes && (c == '"' || c == '\''):
			out.WriteByte('\\')
			out.WriteByte(c)
		case c == '\n' || c == '\r':
			switch size = lineEnd(text, i); {
			case size == 2 && h.crlf:
				out.WriteString("\r\n")
			case size == 2:
				out.WriteString(`\r\n`)
			case c == '\n' && h.lf || c == '\r' && h.cr:
				out.WriteByte(c)
			case c == '\n' && h.continued:
				out.WriteString("\\\n")
			case c == '\n':
				out.WriteString(`\n`)
			default:
				out.WriteString(`\r`)
			}
		case c == '\t' && !h.tabs:
			out.WriteString(`\t`)
		case c < ' ' && c != '\t' || c == 0x7f:
			fmt.Fprintf(&out, `\U%04x`, c)
		default:
			out.WriteByte(c)
		}
		i += size
	}
	out.WriteByte(quote)
	return out.String()
}

func escapeUnits(out *strings.Builder, r rune) {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		fmt.Fprintf(out, `\U%04x\U%04x`, high, low)
		return
	}
	fmt.Fprintf(out, `\U%04x`, r)
}

// note decodes the comments of an entry: those directly above it, a line each, and those behind it on its line. The
// span of both together has the entry itself in the middle.
func note(src string, n *resource.Node) string {
	s := n.Note.Of(src)
	if strings.HasPrefix(s, "/* ") && strings.Index(s, "*/") == len(s)-2 && !strings.ContainsAny(s, "\r\n") {
		return strings.TrimSpace(strings.Trim(s[2:len(s)-2], "*")) // nearly always
	}
	var lines []string
	read := func(at, end int) {
		for at < end {
			to, err := comment(src, at)
			if err != nil || to == at {
				at++
				continue
			}
			lines = append(lines, uncommented(src[at:min(to, end)])...)
			at = to
		}
	}
	read(int(n.Note.Start), min(int(n.Note.End), int(n.Whole.Start)))
	if n.Note.End > n.Whole.End {
		at := max(n.Note.Start, n.Whole.End)
		if at == n.Whole.End { // pass over the gap before the semicolon, whose comments are the writer's own
			semi, _ := skip(src, int(at))
			at = uint32(semi)
		}
		read(int(at), int(n.Note.End))
	}
	return strings.Join(lines, "\n")
}

var anyLineEnd = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n")

// uncommented takes the signs of a comment away, a column of asterisks, and space around lines and text.
func uncommented(s string) []string {
	if strings.HasPrefix(s, "//") {
		return []string{strings.TrimSpace(strings.TrimLeft(s, "/"))}
	}
	s = strings.TrimPrefix(strings.TrimSuffix(s, "*/"), "/*")
	lines := strings.Split(anyLineEnd.Replace(strings.Trim(s, "*")), "\n")
	column := len(lines) > 1
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
		column = column && (i == 0 || lines[i] == "" || lines[i][0] == '*')
	}
	for i := range lines {
		if column && i > 0 {
			lines[i] = strings.TrimSpace(strings.TrimPrefix(lines[i], "*"))
		}
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// commented spells a note as a comment, a second line indented below the first, control characters left out.
func commented(note, eol string) string {
	note = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return -1
		}
		return r // bytes that are not a character become U+FFFD
	}, anyLineEnd.Replace(note))
	note = strings.ReplaceAll(strings.TrimSpace(note), "*/", "* /")
	return "/* " + strings.ReplaceAll(note, "\n", eol+"   ") + " */"
}
