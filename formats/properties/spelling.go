package properties

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/resource"
)

// What an escape may be instead of a character.
const (
	nothing   rune = -1
	malformed rune = -2
)

func isHigh(r rune) bool { return r >= 0xd800 && r < 0xdc00 }
func isLow(r rune) bool  { return r >= 0xdc00 && r < 0xe000 }

// unescaped reads the escape that s begins with: its character, or half of one, and its length.
func unescaped(s string) (r rune, size int) {
	if len(s) < 2 {
		return nothing, len(s)
	}
	switch s[1] {
	case 't':
		return '\t', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 'f':
		return '\f', 2
	case 'u':
		return unit(s)
	case '\n', '\r':
		return nothing, goesOn(s, 0)
	}
	r, size = utf8.DecodeRuneInString(s[1:])
	return r, 1 + size
}

// unit reads \u and four digits, between which the line may end and go on.
func unit(s string) (r rune, size int) {
	at := 2
	for range 4 {
		for at < len(s) && goesOn(s, at) > 0 {
			at = goesOn(s, at)
		}
		if at == len(s) {
			return malformed, at
		}
		digit := strings.IndexByte("0123456789abcdef", s[at]|0x20)
		if digit < 0 || s[at] < '0' {
			return malformed, at
		}
		r = r<<4 | rune(digit)
		at++
	}
	return r, at
}

// decoded is the text of a string as spelled; sound says that it has no half of a surrogate pair. It shares memory with
// it where there is no escape.
func decoded(s string) (text string, sound bool) {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s, true
	}
	var out strings.Builder
	out.Grow(len(s))
	sound = true
	high := rune(0)
	flush := func() {
		if high != 0 {
			out.WriteRune(utf8.RuneError)
			high, sound = 0, false
		}
	}
	for s != "" {
		if i != 0 {
			flush()
			if i < 0 {
				i = len(s)
			}
			out.WriteString(s[:i])
			s, i = s[i:], 0
			continue
		}
		r, size := unescaped(s)
		s = s[size:]
		i = strings.IndexByte(s, '\\')
		switch {
		case r < 0:
		case high != 0 && isLow(r):
			out.WriteRune(utf16.DecodeRune(high, r))
			high = 0
		default:
			flush()
			if isHigh(r) {
				high = r
			} else {
				out.WriteRune(r) // half a pair becomes U+FFFD
				sound = sound && !isLow(r)
			}
		}
	}
	flush()
	return out.String(), sound
}

// habit is how what can be spelled in more than one way is spelled.
type habit struct {
	style uint8
	fold  string // what is behind an escaped line end: a backslash, a line end and indentation; "" for nothing
}

// fileHabit is what most of a file's entries have.
func fileHabit(f *resource.File) habit {
	h := habit{style: f.Node(0).Style}
	if isLatin1(f) {
		h.style |= narrow
	}
	return h
}

// isLatin1 reports whether a file has characters in ISO-8859-1: they take two bytes in the source that spans refer to.
func isLatin1(f *resource.File) bool { return len(f.Source()) > len(f.Bytes()) }

// habitOf is a value's, and its file's where that shows none.
func habitOf(f *resource.File, i int) habit {
	old := f.Node(i).Value.Of(f.Source())
	h := fileHabit(f)
	for at := strings.IndexByte(old, '\\'); at >= 0; {
		r, size := unescaped(old[at:])
		switch next := at + size; {
		case r >= 0x80 && old[at+1] == 'u':
			h.style = h.style&^(raw|upper) | escaped
			if strings.ContainsAny(old[at+2:next], "ABCDEF") {
				h.style |= upper
			}
		case r == '\n' && next < len(old) && goesOn(old, next) > 0:
			h.fold = old[next:goesOn(old, next)]
		}
		if n := strings.IndexByte(old[at+size:], '\\'); n >= 0 {
			at += size + n
		} else {
			at = -1
		}
	}
	if highIn(old) >= 0 {
		h.style = h.style&^escaped | raw
	}
	return h
}

// spell writes a text, or a key, which no separator may be in.
func (h habit) spell(text string, isKey bool) string {
	var out strings.Builder
	out.Grow(len(text) + len(text)/16)
	start := true // white space would be passed over here
	for i, r := range text {
		switch {
		case r == ' ' && (isKey || start), r == '\\', isKey && (r == '=' || r == ':' || start && (r == '#' || r == '!')),
			h.style&stored != 0 && strings.ContainsRune("=:#!", r):
			out.WriteByte('\\')
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
			if h.fold != "" && !isKey && i+1 < len(text) {
				out.WriteString(h.fold)
				start = true
				continue
			}
		case r == '\t':
			out.WriteString(`\t`)
		case r == '\r':
			out.WriteString(`\r`)
		case r == '\f':
			out.WriteString(`\f`)
		case r < ' ', r >= 0x7f && (h.style&raw == 0 || unicode.IsControl(r) || r == '\ufeff'), h.isBeyond(r):
			escapeUnits(&out, r, h.style&(escaped|upper) == escaped)
		default:
			out.WriteRune(r)
		}
		start = false
	}
	return out.String()
}

// isBeyond reports whether the file's encoding lacks a character.
func (h habit) isBeyond(r rune) bool { return r > 0xff && h.style&narrow != 0 }

func escapeUnits(out *strings.Builder, r rune, lower bool) {
	format := `\u%04X`
	if lower {
		format = `\u%04x`
	}
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		fmt.Fprintf(out, format, high)
		r = low
	}
	fmt.Fprintf(out, format, r)
}

// commented spells a note as lines of comment.
func (h habit) commented(note, eol string) string {
	var out strings.Builder
	for line := range strings.SplitSeq(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(note), "\n") {
		out.WriteByte('#')
		if line = strings.TrimSpace(line); line != "" {
			out.WriteByte(' ')
		}
		for _, r := range line {
			switch {
			case h.isBeyond(r):
				escapeUnits(&out, r, true)
			case r >= ' ' || r == '\t':
				out.WriteRune(r)
			}
		}
		out.WriteString(eol)
	}
	return out.String()
}
