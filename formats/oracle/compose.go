package oracle

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

// What Compose Multiplatform's build looks for in a value. An escape whose backslash is the second one of a doubled
// backslash is none.
var (
	composeEscape   = regexp.MustCompile(`\\u[a-fA-F0-9]{4}|\\n|\\t`)
	doubleBackslash = regexp.MustCompile(`\\\\`)
)

// composed turns a value into its text, as Compose Multiplatform's build does: escapes of characters, then doubled
// backslashes. No value is a reference. What is between two tags is a text of its own.
func composed(strips []strip) (text string, reference bool) {
	var out strings.Builder
	for _, s := range strips {
		if s.tag != "" {
			out.WriteString(s.tag)
			continue
		}
		doubled := make(map[int]bool)
		for _, at := range doubleBackslash.FindAllStringIndex(s.text, -1) {
			doubled[at[0]] = true
		}
		var escapes [][]int
		for _, at := range composeEscape.FindAllStringIndex(s.text, -1) {
			if !doubled[at[0]-1] {
				escapes = append(escapes, at)
			}
		}
		out.WriteString(strings.ReplaceAll(replaced(s.text, escapes), `\\`, `\`))
	}
	return out.String(), false
}

// replaced is a text with characters in the place of their escapes. Half of a pair of surrogates stays as written.
func replaced(text string, escapes [][]int) string {
	var out strings.Builder
	done := 0
	for i, at := range escapes {
		if at[0] < done {
			continue // the second surrogate of a pair
		}
		out.WriteString(text[done:at[0]])
		done = at[1]
		r := characterOf(text[at[0]:at[1]])
		if utf16.IsSurrogate(r) {
			if i+1 < len(escapes) && escapes[i+1][0] == at[1] {
				r = utf16.DecodeRune(r, characterOf(text[at[1]:escapes[i+1][1]]))
			}
			if utf16.IsSurrogate(r) || r == 0xFFFD {
				out.WriteString(text[at[0]:at[1]])
				continue
			}
			done = escapes[i+1][1]
		}
		out.WriteRune(r)
	}
	return out.String() + text[done:]
}

func characterOf(escape string) rune {
	switch escape {
	case `\n`:
		return '\n'
	case `\t`:
		return '\t'
	}
	n, _ := strconv.ParseUint(escape[2:], 16, 16)
	return rune(n)
}
