package text

import "strings"

// Substitutions is what the resource compiler of Android refuses in a string: two or more arguments of which one has no
// position. It counts every per cent sign that is not doubled, with what is behind it.
func Substitutions(s string) string {
	count, unplaced := 0, false
	for i := 0; i < len(s); i++ {
		if s[i] != '%' || i+1 >= len(s) {
			continue
		}
		i++
		if s[i] == '%' || s[i] == 'n' {
			continue
		}
		count++
		n := span(s, i, digits)
		i += n
		switch {
		case n > 0:
			unplaced = unplaced || i < len(s) && s[i] != '$'
		case at(s, i) == '<':
			unplaced = true
			i++
			if at(s, i) == '$' {
				i++
			}
		default:
			unplaced = true
		}
		i += span(s, i, "-#+ ,("+digits)
		if i < len(s) && strings.IndexByte("DFKMWZkmwyz", s[i]) >= 0 {
			return "" // a format of dates
		}
	}
	if count > 1 && unplaced {
		return "it has several placeholders of which one has no position, which the resource compiler refuses; " +
			"write %1$s, and %% for a sign"
	}
	return ""
}
