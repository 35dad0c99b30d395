// Package glob has the patterns of paths that source, exclude and branches are written in.
//
// Its law: a pattern that is not valid matches nothing. It reads no folder.
package glob

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Match reports whether a pattern matches the whole of a name.
func Match(glob, name string) bool {
	ok, err := doublestar.Match(glob, name)
	return err == nil && ok
}

// Valid reports whether a pattern can be read.
func Valid(glob string) bool { return doublestar.ValidatePattern(glob) }

// Long reports whether a pattern lists more names than it is compared with.
func Long(glob string) bool { return alternatives(glob) > MostAlternatives }

// Escape is a text as a pattern that matches nothing else.
func Escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune(`*?[]{}\`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// MostAlternatives is how many ways a name is compared with a pattern.
const MostAlternatives = 10_000

// alternatives is how many patterns one with lists of names is, at most.
func alternatives(glob string) int {
	all := 1
	for list := range strings.SplitSeq(glob, "{") {
		all *= 1 + strings.Count(list, ",")
		if all > MostAlternatives {
			break
		}
	}
	return all
}

// DoubleStars counts the parts of a pattern that stand for any number of folders.
func DoubleStars(glob string) int {
	return strings.Count("/"+strings.ReplaceAll(glob, "/", "//")+"/", "/**/")
}

// Folders is what the one ** of a pattern matched in a path that it matches; "" where there is none or
// several.
func Folders(glob, file string) string {
	if DoubleStars(glob) != 1 {
		return ""
	}
	pattern := strings.Split(glob, "/")
	at := slices.Index(pattern, "**")
	before, after := strings.Join(pattern[:at], "/"), strings.Join(pattern[at+1:], "/")
	if after == "" {
		after = "*" // a/** means the files below a: the file's own name is not part of the folders
	}
	parts := strings.Split(file, "/")
	for from := range parts {
		if !matchesParts(before, parts[:from]) {
			continue
		}
		for to := from; to < len(parts); to++ {
			if matchesParts(after, parts[to:]) {
				return strings.Join(parts[from:to], "/")
			}
		}
	}
	return ""
}

// matchesParts compares whole parts; a pattern with alternatives may match more parts than it has.
func matchesParts(glob string, parts []string) bool {
	if glob == "" || len(parts) == 0 {
		return glob == "" && len(parts) == 0
	}
	return Match(glob, strings.Join(parts, "/"))
}

// Sample is a path that a pattern matches: every wildcard becomes an x. ok is false for patterns too odd to tell.
func Sample(glob string) (path string, ok bool) {
	var b strings.Builder
	depth, first := 0, true
	for i := 0; i < len(glob); i++ {
		c := glob[i]
		switch {
		case c == '{':
			depth, first = depth+1, true
		case c == '}' && depth > 0:
			depth--
			first = true
		case c == ',' && depth > 0:
			first = false
		case depth > 0 && !first:
		case c == '*' || c == '?':
			if strings.HasPrefix(glob[i:], "**") {
				i++
			}
			b.WriteByte('x')
		case c == '[':
			end := strings.IndexByte(glob[i+1:], ']')
			if end < 1 {
				return "", false
			}
			class := glob[i+1 : i+1+end]
			if class[0] == '^' || class[0] == '!' {
				b.WriteByte('x')
			} else {
				b.WriteByte(class[0])
			}
			i += 1 + end
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}
