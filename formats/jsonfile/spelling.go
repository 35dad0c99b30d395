package jsonfile

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/resource"
)

// Unquote decodes a string as it is spelled, quotes included. Half of a surrogate pair stays as it is spelled, and so
// does an escape that is cut, in a file that was not found to be JSON before.
func Unquote(spelled string) string {
	if len(spelled) < len(`""`) {
		return ""
	}
	s := spelled[1 : len(spelled)-1]
	at := strings.IndexByte(s, '\\')
	if at < 0 {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	for at >= 0 {
		out.WriteString(s[:at])
		s = s[at:]
		r, n := unescape(s)
		if r < 0 {
			out.WriteString(s[:n])
		} else {
			out.WriteRune(r)
		}
		s = s[n:]
		at = strings.IndexByte(s, '\\')
	}
	out.WriteString(s)
	return out.String()
}

// unescape decodes the escape that s starts with and returns its length; r is negative for half of a surrogate pair and
// for what is not a whole escape.
func unescape(s string) (r rune, n int) {
	if len(s) < len(`\n`) {
		return -1, len(s)
	}
	switch s[1] {
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
	case 'u':
	default:
		return rune(s[1]), 2
	}
	r, whole := hex4(s, 0)
	if !whole {
		return -1, len(`\u`)
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if low, ok := hex4(s, 6); ok {
		if whole := utf16.DecodeRune(r, low); whole != utf8.RuneError {
			return whole, 12
		}
	}
	return -1, 6
}

// Join decodes the strings of an array as it is spelled, or the single string that replaces it, and joins them.
// What is not a string is left out.
func Join(spelled, separator string) string {
	var out []byte
	first := ""
	n := 0
	for at := 0; at < len(spelled); at++ {
		switch spelled[at] {
		case '/':
			if end := commentEnd(spelled, at); end > 0 {
				at = end - 1
			}
		case '"':
			end := stringEnd(spelled, at)
			switch text := Unquote(spelled[at:end]); n {
			case 0: // most arrays have one string
				first = text
			case 1:
				out = append(append(append(out, first...), separator...), text...)
			default:
				out = append(append(out, separator...), text...)
			}
			n++
			at = end - 1
		}
	}
	if n < 2 {
		return first
	}
	return string(out)
}

// stringEnd returns where the well-formed string at at ends.
func stringEnd(s string, at int) int {
	for at++; s[at] != '"'; at++ {
		if s[at] == '\\' {
			at++
		}
	}
	return at + 1
}

// Spelling is how one string of a file is written: which characters as they are, which as escapes.
type Spelling struct {
	ascii bool   // characters beyond ASCII as \u
	slash bool   // / as \/
	upper bool   // digits of \u in upper case
	coded []rune // characters that the old spelling had as \u: they stay so
}

// SpellingOf is the spelling that a new text takes which replaces the string old, or for a new string (old is "") the
// file's: as old spells it, and where old gives no example, as the rest of the file does. root is the file's Node 0.
func SpellingOf(root *resource.Node, old string) Spelling {
	p := Spelling{
		ascii: root.Style&(seenCode|seenRaw) == seenCode,
		slash: root.Style&seenSlash != 0,
		upper: root.Style&seenUpper != 0,
	}
	raw, letters := false, false
	for i := 0; i < len(old); {
		c := old[i]
		if c != '\\' {
			raw = raw || c >= utf8.RuneSelf
			p.slash = p.slash && c != '/'
			i++
			continue
		}
		r, n := unescape(old[i:])
		if n > 2 && r >= 0 && !slices.Contains(p.coded, r) && len(p.coded) < 64 {
			p.coded = append(p.coded, r)
			letters = letters || r >= utf8.RuneSelf && unicode.IsLetter(r)
		}
		i += n
	}
	if strings.Contains(old, `\/`) {
		p.slash = true
	}
	switch {
	case raw:
		p.ascii = false
	case letters:
		p.ascii = true
	}
	return p
}

// Quote spells a text, quotes included.
func (p Spelling) Quote(text string) string {
	var out strings.Builder
	out.Grow(len(text) + 2)
	out.WriteByte('"')
	done := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf && c >= ' ' && c != '"' && c != '\\' && (c != '/' || !p.slash) && len(p.coded) == 0 {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if spelled := p.escape(r); spelled != "" {
			out.WriteString(text[done:i])
			out.WriteString(spelled)
			done = i + n
		}
		i += n
	}
	out.WriteString(text[done:])
	out.WriteByte('"')
	return out.String()
}

// escape returns how a character is spelled, "" when as it is.
func (p Spelling) escape(r rune) string {
	if slices.Contains(p.coded, r) {
		return p.code(r)
	}
	switch r {
	case '"':
		return `\"`
	case '\\':
		return `\\`
	case '\b':
		return `\b`
	case '\f':
		return `\f`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	case '/':
		if p.slash {
			return `\/`
		}
	}
	if r < ' ' || r >= utf8.RuneSelf && p.ascii {
		return p.code(r)
	}
	return ""
}

func (p Spelling) code(r rune) string {
	if r > 0xffff {
		high, low := utf16.EncodeRune(r)
		return p.code(high) + p.code(low)
	}
	digits := "0123456789abcdef"
	if p.upper {
		digits = "0123456789ABCDEF"
	}
	return string([]byte{'\\', 'u', digits[r>>12], digits[r>>8&15], digits[r>>4&15], digits[r&15]})
}
