package config

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// idLine is a line that sets id, with what is around the value.
var idLine = regexp.MustCompile(`^(\s*(?:id|"id"|'id')\s*=\s*)(?:"[^"]*"|'[^']*')(\s*(?:#.*)?\r?\n?)$`)

// WithID is the text of the file that has a project with another identifier of a project, or of its project for
// documents, and no other byte changed: the value on its line; where there is none, a line below the project's name or
// in [project.documents], which is added.
func (c *Config) WithID(p *Project, id string, documents bool) (string, error) {
	text, err := os.ReadFile(p.File())
	if err != nil {
		return "", fmt.Errorf("read %s: %w", p.File(), err)
	}
	in := p.origin
	if documents {
		in = in.at("documents")
	}
	edited, ok := withID(string(text), p.origin, in, id)
	if !ok {
		return "", fmt.Errorf("%s: the %s of project %q is not on a line of its own; write id = %q there", p.File(),
			in.at("id").path, p.Name, id)
	}
	return edited, nil
}

// withID is WithID of a text, of the table in of a project. A file that is shorter than when it was read is left alone.
func withID(text string, project, in origin, id string) (edited string, ok bool) {
	all := strings.SplitAfter(text, "\n")
	if n, is := project.lines[in.at("id").path]; is {
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
	at, is := project.lines[project.at("name").path]
	if !is || at > len(all) ||
		!strings.HasPrefix(strings.TrimSpace(all[at-1]), "name") || !strings.HasSuffix(all[at-1], "\n") {
		return "", false
	}
	name := all[at-1]
	end := name[len(strings.TrimRight(name, "\r\n")):]
	line := name[:len(name)-len(strings.TrimLeft(name, " \t"))] + `id = "` + id + `"` + end
	header := func(n int) bool { return n <= len(all) && strings.HasPrefix(strings.TrimSpace(all[n-1]), "[") }
	if n, is := project.lines[in.path]; in.path != project.path && is {
		if at = n; !header(n) {
			return "", false
		}
	} else if in.path != project.path { // before the next section, which a project has, and the comments on it
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
