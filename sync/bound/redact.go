package bound

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	leastSecret = 4  // bytes; a shorter one keeps nothing secret
	wholeSecret = 16 // bytes; a shorter one may also be part of a word
)

// Redactor replaces secrets in the text of others. A secret that is also part of an ordinary word leaves that word
// alone.
func Redactor(with string, secrets ...string) func(string) string {
	secrets = slices.DeleteFunc(slices.Clone(secrets), func(s string) bool { return len(s) < leastSecret })
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	secrets = slices.Compact(secrets)
	return func(text string) string {
		for _, secret := range secrets {
			text = redact(text, secret, with)
		}
		return text
	}
}

func redact(text, secret, with string) string {
	var b strings.Builder
	done := 0
	for from := 0; ; {
		at := strings.Index(text[from:], secret)
		if at < 0 {
			b.WriteString(text[done:])
			return b.String()
		}
		at += from
		if end := at + len(secret); len(secret) >= wholeSecret || !inWord(text[:at], text[end:]) {
			b.WriteString(text[done:at])
			b.WriteString(with)
			done, from = end, end
		} else {
			_, size := utf8.DecodeRuneInString(text[at:])
			from = at + size
		}
	}
}

// inWord says whether what is between two texts continues a word of one of them.
func inWord(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return ofWord(last) && !escapes(before) || ofWord(first)
}

// escapes says whether a text ends with an escape of URLs, as in "%3A".
func escapes(text string) bool { return len(text) > 2 && text[len(text)-3] == '%' }

func ofWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
