package config

import (
	"fmt"
	"os"

	"github.com/locsync/locsync/sync/config/rewrite"
)

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
	edited, ok := rewrite.WithID(string(text), p.origin.lines, p.origin.path, in.path, id)
	if !ok {
		return "", fmt.Errorf("%s: the %s of project %q is not on a line of its own; write id = %q there", p.File(),
			in.at("id").path, p.Name, id)
	}
	return edited, nil
}
