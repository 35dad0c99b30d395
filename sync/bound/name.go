package bound

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// UnsafeName says why a name must not become a path of a repository; empty is nothing against it.
func UnsafeName(name string) string {
	const longestName, longestStep = 4096, 255
	switch {
	case name == "":
		return "it has no name"
	case len(name) > longestName:
		return fmt.Sprintf("its name is longer than %d bytes", longestName)
	case !utf8.ValidString(name):
		return "its name is not UTF-8"
	case strings.Contains(name, `\`):
		return "its name has a backslash"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "its name has a control character"
	case strings.HasPrefix(name, "/"):
		return "its name is an absolute path"
	case len(name) > 1 && name[1] == ':':
		return "its name begins with a drive"
	}
	for step := range strings.SplitSeq(name, "/") {
		switch {
		case step == "..":
			return "its name leads out of its folder"
		case step == "" || step == ".":
			return "its name is not a plain path"
		case len(step) > longestStep:
			return fmt.Sprintf("its name has a step longer than %d bytes", longestStep)
		case strings.EqualFold(strings.TrimRight(step, ". "), ".git"):
			return "its name leads into a git directory"
		}
	}
	return ""
}
