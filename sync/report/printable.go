package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable spells control characters, but for line ends and tabs, as escapes. Keys, texts and file names come from
// outside: an escape sequence in one could recolour, retitle or overwrite a screen, and a bidirectional control
// reorder it.
func Printable(text string) string {
	if strings.IndexFunc(text, hidden) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "\\x%02x", text[0])
		case hidden(r):
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

func hidden(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' ||
		r == 0x061C || r == 0x200E || r == 0x200F || 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069
}
