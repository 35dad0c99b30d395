package androidxml

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// composed turns a value as spelled into its text, between two tags as the build does it.
func composed(raw string) string {
	var out, stretch strings.Builder
	end := func() {
		out.WriteString(unescaped(stretch.String()))
		stretch.Reset()
	}
	for at := 0; at < len(raw); {
		p, text, next := cut(raw, at)
		switch p {
		case partText:
			stretch.WriteString(resolved(lineEnds.Replace(text)))
		case partCDATA:
			stretch.WriteString(lineEnds.Replace(text))
		case partTag:
			end()
			out.WriteString(text)
		}
		at = next
	}
	end()
	return out.String()
}

// lineEnds makes what XML makes of every line end.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// unescaped reads the escapes of Compose Multiplatform: first those of characters, then doubled backslashes, also those
// that the former came to.
func unescaped(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		c, n := escapedRune(text[i:])
		if n > 0 {
			out = utf8.AppendRune(out, c)
			i += n
			continue
		}
		n = 1
		if strings.HasPrefix(text[i:], `\\`) {
			n = 2
		}
		out = append(out, text[i:i+n]...)
		i += n
	}
	return strings.ReplaceAll(string(out), `\\`, `\`)
}

// escapedRune is the character of the escape that text begins with, and the escape's length; 0 where it is none. Two
// surrogates are one character, and a single one stays as written.
func escapedRune(text string) (rune, int) {
	switch {
	case strings.HasPrefix(text, `\n`):
		return '\n', 2
	case strings.HasPrefix(text, `\t`):
		return '\t', 2
	}
	r, ok := unit(text)
	if utf16.IsSurrogate(r) {
		low, _ := unit(text[6:])
		r = utf16.DecodeRune(r, low)
		return r, map[bool]int{true: 12}[r != utf8.RuneError]
	}
	return r, map[bool]int{true: 6}[ok]
}

// unit reads \uXXXX.
func unit(text string) (rune, bool) {
	digits, ok := strings.CutPrefix(text, `\u`)
	if !ok || len(digits) < 4 || hasBrokenEscape(text[:6]) {
		return 0, false
	}
	return value4([4]byte([]byte(digits[:4]))), true
}
