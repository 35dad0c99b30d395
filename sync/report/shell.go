package report

import "strings"

// ShellWord spells a word for a command line that is shown, in quotes where it needs them. ok is false where a line
// cannot show it as it is.
func ShellWord(word string) (spelled string, ok bool) {
	if Printable(onOneLine(word)) != word || strings.Contains(word, "\t") {
		return ShellQuoted(word), false
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/:@%+", r))
	}) {
		return word, true
	}
	return ShellQuoted(word), true
}

// ShellQuoted is a word in quotes within which a shell expands nothing.
func ShellQuoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
