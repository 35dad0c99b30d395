package segment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// hidden stands for each byte of what is no part of a sentence but stands within it: a tag. It is one byte long.
const hidden = '\x01'

// abbreviations end with a point that ends no sentence.
var abbreviations = map[string]bool{
	"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "st": true, "sr": true, "jr": true, "vs": true, "etc": true, "fig": true, "no": true, "vol": true,
	"e.g": true, "i.e": true, "cf": true, "ca": true, "approx": true, "inc": true, "ltd": true, "co": true, "corp": true, "p": true, "pp": true, "z.b": true, "bzw": true,
	"usw": true, "d.h": true, "nr": true, "str": true, "tel": true, "u.s": true, "u.k": true, "a.m": true, "p.m": true, "al": true,
}

// cutPoints are the offsets in s where a new sentence begins, in order: behind the white space that follows a point, exclamation or question mark
// (with closing quotes and brackets), where the next sentence begins with a capital letter, a digit or a sign that opens something; and
// directly behind the full stops of Chinese and Japanese. Where it is in doubt, after an abbreviation or an initial, it does not cut: two sentences
// in one segment are a lesser evil than half a sentence.
func cutPoints(s string) []int {
	var points []int
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case strings.ContainsRune("。！？｡", r):
			at += size + closers(s[at+size:])
			points = append(points, at)
			continue
		case strings.ContainsRune(".!?…", r):
			end := at + size
			for end < len(s) && strings.IndexByte(".!?", s[end]) >= 0 {
				end++
			}
			end += closers(s[end:])
			next := end + spaces(s[end:])
			if next > end && next < len(s) && opens(s[next:]) && !(r == '.' && abbreviated(s[:at])) {
				points = append(points, next)
			}
			at = max(next, end)
			continue
		}
		at += size
	}
	return points
}

// closers is the length of the quotes and brackets that s begins with and that close something.
func closers(s string) int {
	n := 0
	for _, r := range s {
		if r != hidden && !strings.ContainsRune(`"'”’»)]}」』）*_`, r) {
			break
		}
		n += utf8.RuneLen(r)
	}
	return n
}

func spaces(s string) int {
	return len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
}

// opens tells whether a sentence may begin with s.
func opens(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, string(hidden)))
	return !unicode.IsLower(r) && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("\"'“‘„«([{¿¡<*_`!「『（", r))
}

// abbreviated tells whether the word that s ends with is an abbreviation or an initial, so that the point behind it is its own.
func abbreviated(s string) bool {
	word := s[strings.LastIndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == hidden || strings.ContainsRune("(\"'“", r) })+1:]
	if r, size := utf8.DecodeRuneInString(word); size > 0 && size == len(word) && unicode.IsUpper(r) {
		return true
	}
	return abbreviations[strings.ToLower(word)]
}

// pieces are the sentences of s as ranges without the white space around them. Only cut points that allowed agrees to are used.
func pieces(s string, allowed func(at int) bool) [][2]int {
	var out [][2]int
	from := 0
	add := func(to int) {
		a, b := from, to
		a += spaces(s[a:b])
		b = a + len(strings.TrimRightFunc(s[a:b], unicode.IsSpace))
		if a < b {
			out = append(out, [2]int{a, b})
		}
		from = to
	}
	for _, at := range cutPoints(s) {
		if allowed == nil || allowed(at) {
			add(at)
		}
	}
	add(len(s))
	return out
}
