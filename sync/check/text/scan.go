package text

import "strings"

// Argument is what a program fills in.
type Argument struct {
	Name    string // the number or the name that it is passed by
	Type    string // what it must be; "" where the program takes anything
	Spelled string // as the text has it
}

// Tag is a piece of markup that the program gives a meaning.
type Tag struct {
	Name    string // what it is matched by
	Spelled string
}

// Text is what a program finds in a text.
type Text struct {
	Arguments []Argument // in order, each as often as it is there
	Tags      []Tag
	Forms     int      // that the text itself has for numbers; 0 where it has none
	Unshown   string   // where it begins, what the program takes for a placeholder and shows nothing of
	Faults    []string // for which the program refuses the text, or does not show what is meant
}

// Options are what a reader knows of a text beside the text.
type Options struct {
	Names []string // what the entry defines, or the program passes: of browser extensions, and of Laravel
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) || c == '_' }

// at is the byte of a text, or 0 behind its end.
func at(s string, i int) byte {
	if i >= len(s) {
		return 0
	}
	return s[i]
}

// span is how many bytes from i on are in a set.
func span(s string, i int, set string) int {
	n := 0
	for i+n < len(s) && strings.IndexByte(set, s[i+n]) >= 0 {
		n++
	}
	return n
}

const digits = "0123456789"

// word is a name in expressions, and noSign what is said of a sign that begins no placeholder.
const (
	word   = `[A-Za-z_]\w*`
	noSign = "the %% of %q would be taken for a placeholder; write %%%%"
)

// words is the length of a name from i on: a letter or _, and digits behind.
func words(s string, i int) int {
	n := 0
	for i+n < len(s) && isWord(s[i+n]) && (n > 0 || !isDigit(s[i])) {
		n++
	}
	return n
}

// Excerpt is the beginning of a text, for people.
func Excerpt(s string) string {
	const most = 12
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}
