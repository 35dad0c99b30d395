package watch

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// patterns are the files that matter, and with them the folders that can hold one.
type patterns struct {
	whole []string   // as they were given, for files
	parts [][]string // with alternatives written out and cut at slashes, for folders
}

// pruned are the names of folders that hold other people's files by the thousand. A pattern that names
// one of them literally still gets there; wildcards do not.
var pruned = map[string]bool{
	"node_modules": true, "vendor": true, "Pods": true, "DerivedData": true, "build": true, "dist": true,
	"target": true, ".gradle": true, ".venv": true,
}

func newPatterns(globs []string) (patterns, error) {
	var p patterns
	for _, glob := range globs {
		if !doublestar.ValidatePattern(glob) || strings.HasPrefix(glob, "/") {
			return patterns{}, fmt.Errorf("%q is not a pattern relative to it", glob)
		}
		p.whole = append(p.whole, glob)
		for _, plain := range alternatives(glob) {
			p.parts = append(p.parts, strings.Split(plain, "/"))
		}
	}
	return p, nil
}

// match reports whether a file matters.
func (p patterns) match(rel string) bool {
	for _, glob := range p.whole {
		if doublestar.MatchUnvalidated(glob, rel) {
			return true
		}
	}
	return false
}

// reaches reports whether a folder can hold a file that matters, at any depth. The root is "".
func (p patterns) reaches(folder string) bool {
	var names []string
	if folder != "" {
		names = strings.Split(folder, "/")
	}
	for _, name := range names {
		if strings.EqualFold(name, ".git") {
			return false
		}
	}
	for _, parts := range p.parts {
		if leads(parts, names) {
			return true
		}
	}
	return false
}

// leads reports whether the beginning of a pattern matches all of these folder names, with something left
// for a file.
func leads(parts, names []string) bool {
	switch {
	case len(parts) == 0:
		return false
	case len(names) == 0:
		return true
	case parts[0] == "**":
		return leads(parts[1:], names) || !pruned[names[0]] && leads(parts, names[1:])
	case pruned[names[0]]:
		return unescaped(parts[0]) == names[0] && leads(parts[1:], names[1:])
	}
	return doublestar.MatchUnvalidated(parts[0], names[0]) && leads(parts[1:], names[1:])
}

func unescaped(part string) string { return strings.ReplaceAll(part, `\`, "") }

// maxAlternatives bounds what a pattern is written out to.
const maxAlternatives = 1000

// alternatives writes {a,b} out: one pattern for each way through, so that each can be cut at its slashes.
// Beyond the bound everything is watched.
func alternatives(glob string) []string {
	done, open := []string(nil), []string{glob}
	for len(open) > 0 {
		if len(done)+len(open) > maxAlternatives {
			return []string{"**"}
		}
		g := open[len(open)-1]
		open = open[:len(open)-1]
		start, end, commas := group(g)
		if start < 0 {
			done = append(done, g)
			continue
		}
		from := start + 1
		for _, comma := range append(commas, end) {
			open = append(open, g[:start]+g[from:comma]+g[end+1:])
			from = comma + 1
		}
	}
	return done
}

// group finds the first outermost {...} of a pattern and the commas that part it; start is -1 without one.
func group(glob string) (start, end int, commas []int) {
	start = -1
	depth := 0
	class := false
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '{':
			if depth++; depth == 1 {
				start = i
			}
		case c == '}' && depth > 0:
			if depth--; depth == 0 {
				return start, i, commas
			}
		case c == ',' && depth == 1:
			commas = append(commas, i)
		}
	}
	return -1, 0, nil
}

var editorNames = regexp.MustCompile(`^(.*~|4913|\..*\.sw[a-z]|\.#.*|#.*#|.*___jb_(tmp|old)___|` +
	`\.goutputstream-.*|.*\.kate-swp|\.~lock\..*#)$`)

// temporary reports whether a file name is one that editors use while they save.
func temporary(name string) bool { return editorNames.MatchString(name) }
