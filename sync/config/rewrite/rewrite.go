// Package rewrite changes a TOML text on the lines that a change is about: it takes out a table, or sets an identifier.
//
// Its law: every other byte stays, and a text in which the lines are not as they are expected is left alone. It reads
// and writes no file, and does not know whether the result is a configuration.
package rewrite

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/config/position"
)

var byteOrderMark = []byte("\ufeff")

// WithoutTable is a text without a table that is an element of a list, with what is below it and the comments on it.
func WithoutTable(text []byte, lines position.Lines, table string) (edited []byte, ok bool) {
	text, marked := bytes.CutPrefix(text, byteOrderMark)
	all := strings.SplitAfter(string(text), "\n")
	is := func(n int, prefix string) bool { return strings.HasPrefix(strings.TrimSpace(all[n-1]), prefix) }
	blank := func(n int) bool { return strings.TrimSpace(all[n-1]) == "" }
	begin, there := lines[table]
	if !there || begin > len(all) || !is(begin, "[[") {
		return nil, false
	}
	inside := func(path string) bool {
		return path == table || strings.HasPrefix(path, table+".") || strings.HasPrefix(path, table+"[")
	}
	end := len(all) + 1 // the line of the next table
	for path, line := range lines {
		if !inside(path) && line > begin {
			end = min(end, line)
		}
	}
	for path, line := range lines {
		if inside(path) && line >= end {
			return nil, false
		}
	}
	for end > begin+1 && (blank(end-1) || is(end-1, "#")) {
		end--
	}
	above := begin
	for above > 1 && is(above-1, "#") {
		above--
	}
	if above > 1 { // else these comments are about the file
		begin = above
	}
	for end <= len(all) && blank(end) && (begin == 1 || blank(begin-1)) {
		end++
	}
	for end > len(all) && begin > 1 && blank(begin-1) {
		begin--
	}
	edited = []byte(strings.Join(slices.Delete(all, begin-1, min(end-1, len(all))), ""))
	if marked {
		edited = append(slices.Clone(byteOrderMark), edited...)
	}
	return edited, true
}

// idLine is a line that sets id, with what is around the value.
var idLine = regexp.MustCompile(`^(\s*(?:id|"id"|'id')\s*=\s*)(?:"[^"]*"|'[^']*')(\s*(?:#.*)?\r?\n?)$`)

// WithID is a text with another id in a table of a project, or in that of the project itself: the value on its line;
// where there is none, a line below the project's name or in [project.documents], which is added. A text that is
// shorter than when its lines were found is left alone.
func WithID(text string, lines position.Lines, project, table, id string) (edited string, ok bool) {
	all := strings.SplitAfter(text, "\n")
	if n, is := lines[position.Join(table, "id")]; is {
		if n > len(all) {
			return "", false
		}
		parts := idLine.FindStringSubmatch(all[n-1])
		if parts == nil {
			return "", false
		}
		all[n-1] = parts[1] + `"` + id + `"` + parts[2]
		return strings.Join(all, ""), true
	}
	at, is := lines[position.Join(project, "name")]
	if !is || at > len(all) ||
		!strings.HasPrefix(strings.TrimSpace(all[at-1]), "name") || !strings.HasSuffix(all[at-1], "\n") {
		return "", false
	}
	name := all[at-1]
	end := name[len(strings.TrimRight(name, "\r\n")):]
	line := name[:len(name)-len(strings.TrimLeft(name, " \t"))] + `id = "` + id + `"` + end
	header := func(n int) bool { return n <= len(all) && strings.HasPrefix(strings.TrimSpace(all[n-1]), "[") }
	if n, is := lines[table]; table != project && is {
		if at = n; !header(n) {
			return "", false
		}
	} else if table != project { // before the next section, which a project has, and the comments on it
		for at < len(all) && !header(at+1) {
			at++
		}
		for strings.HasPrefix(strings.TrimSpace(all[at-1]), "#") {
			at--
		}
		line = "[project.documents]" + end + line + end
	}
	return strings.Join(slices.Insert(all, at, line), ""), true
}
