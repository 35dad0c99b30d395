package config

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// idLine is a line that sets id, with what is around the value.
var idLine = regexp.MustCompile(`^(\s*(?:id|"id"|'id')\s*=\s*)(?:"[^"]*"|'[^']*')(\s*(?:#.*)?\r?\n?)$`)

// WriteID writes a project's identifier into its configuration file and changes no other byte: the value on its line,
// or a line of its own below the project's name where there is none.
func (c *Config) WriteID(p *Project, id string) error {
	text, err := os.ReadFile(c.File)
	if err != nil {
		return fmt.Errorf("read %s: %w", c.File, err)
	}
	edited, ok := withID(string(text), p, id)
	if !ok {
		return fmt.Errorf("%s: the id of project %q is not on a line of its own; write id = %q there", c.File, p.Name, id)
	}
	return replaceFile(c.File, edited)
}

// withID is the text of a configuration with another identifier of a project.
func withID(text string, p *Project, id string) (edited string, ok bool) {
	all := strings.SplitAfter(text, "\n")
	if n, is := p.origin.lines[p.origin.at("id").path]; is {
		parts := idLine.FindStringSubmatch(all[n-1])
		if parts == nil {
			return "", false
		}
		all[n-1] = parts[1] + `"` + id + `"` + parts[2]
		return strings.Join(all, ""), true
	}
	n, is := p.origin.lines[p.origin.at("name").path]
	if !is || !strings.HasPrefix(strings.TrimSpace(all[n-1]), "name") || !strings.HasSuffix(all[n-1], "\n") {
		return "", false
	}
	name := all[n-1]
	indent := name[:len(name)-len(strings.TrimLeft(name, " \t"))]
	end := name[len(strings.TrimRight(name, "\r\n")):]
	all[n-1] += indent + `id = "` + id + `"` + end
	return strings.Join(all, ""), true
}

// replaceFile puts another text in the place of a file's, as a whole or not at all, and keeps its mode.
func replaceFile(name, text string) error {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".locsync-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.WriteString(text)
	if merr := f.Chmod(info.Mode().Perm()); err == nil {
		err = merr
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error that matters is the first one
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
