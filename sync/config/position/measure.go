package position

import "strings"

// The most of a configuration that is handed to the TOML library, which takes kilobytes for each part of a key and more
// than linear time for what is nested.
const (
	mostNested = 32      // arrays and tables inside one another, parts of one key
	mostParts  = 100_000 // parts of all keys
)

// TooMuch says why a document is not a configuration, and on which line that shows; "" when it may be one. It need not
// be valid TOML. parts is how many parts its keys have.
func TooMuch(src string) (why string, line, parts int) {
	depth, dots := 0, 0
	line = 1
	for i := 0; i < len(src); i++ {
		switch c := src[i]; c {
		case '"', '\'':
			end := i + textLength(src[i:])
			line += strings.Count(src[i:end], "\n")
			i = end - 1
		case '#':
			for i+1 < len(src) && src[i+1] != '\n' {
				i++
			}
		case '[', '{':
			depth, dots, parts = depth+1, 0, parts+1
		case ']', '}':
			depth = max(depth-1, 0)
		case '.':
			dots, parts = dots+1, parts+1
		case '=':
			dots, parts = 0, parts+1
		case ',':
			dots = 0
		case '\n':
			line, dots = line+1, 0
		}
		switch {
		case depth > mostNested:
			return "arrays and tables are nested more than 32 deep: this is not a configuration", line, parts
		case dots >= mostNested:
			return "a key has more than 32 parts: this is not a configuration", line, parts
		case parts > mostParts:
			return "more than 100,000 keys and tables: divide the projects among several files, and include them", line, parts
		}
	}
	return "", 0, parts
}

// textLength is the length of the string of TOML that src begins with.
func textLength(src string) int {
	quote := src[:1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(src, long) {
		quote = long
	}
	for i := len(quote); i < len(src); i++ {
		switch {
		case strings.HasPrefix(src[i:], quote):
			return i + len(quote)
		case src[i] == '\\' && quote[0] == '"':
			i++
		case src[i] == '\n' && len(quote) == 1:
			return i
		}
	}
	return len(src)
}
