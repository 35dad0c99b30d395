package config

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// idLine is a line that sets id, with what is around the value.
var idLine = regexp.MustCompile(`^(\s*(?:id|"id"|'id')\s*=\s*)(?:"[^"]*"|'[^']*')(\s*(?:#.*)?\r?\n?)$`)

// WithID is the text of the configuration file with another identifier of a project and no other byte changed: the
// value on its line, or a line of its own below the project's name where there is none.
func (c *Config) WithID(p *Project, id string) (string, error) {
	text, err := os.ReadFile(c.File)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", c.File, err)
	}
	edited, ok := withID(string(text), p, id)
	if !ok {
		return "", fmt.Errorf("%s: the id of project %q is not on a line of its own; write id = %q there", c.File, p.Name, id)
	}
	return edited, nil
}

// withID is WithID of a text. A file that is shorter than when it was read is left alone.
func withID(text string, p *Project, id string) (edited string, ok bool) {
	all := strings.SplitAfter(text, "\n")
	if n, is := p.origin.lines[p.origin.at("id").path]; is {
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
	n, is := p.origin.lines[p.origin.at("name").path]
	if !is || n > len(all) ||
		!strings.HasPrefix(strings.TrimSpace(all[n-1]), "name") || !strings.HasSuffix(all[n-1], "\n") {
		return "", false
	}
	name := all[n-1]
	indent := name[:len(name)-len(strings.TrimLeft(name, " \t"))]
	end := name[len(strings.TrimRight(name, "\r\n")):]
	all[n-1] += indent + `id = "` + id + `"` + end
	return strings.Join(all, ""), true
}
