package terminal

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/locsync/locsync/sync/files"
	"github.com/locsync/locsync/sync/report"
)

// Annotation is a problem as a workflow command of GitHub Actions, which shows it at its line of a pull request
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions). root is the folder that the
// problem's path is relative to, workspace the one that GitHub's paths are; "" where that is the same.
func Annotation(p report.Problem, root, workspace string) string {
	kind, file := p.Severity, p.File
	if workspace != "" && root != "" && file != "" {
		at := file
		if !filepath.IsAbs(at) {
			at = filepath.Join(root, filepath.FromSlash(file))
		}
		if rel, err := filepath.Rel(files.Resolved(workspace), files.Resolved(at)); err == nil && filepath.IsLocal(rel) {
			file = filepath.ToSlash(rel)
		}
	}
	var properties []string
	add := func(name, value string) { properties = append(properties, name+"="+property.Replace(value)) }
	if file != "" {
		add("file", file)
	}
	if p.Line > 0 {
		add("line", fmt.Sprint(p.Line))
		add("col", fmt.Sprint(max(p.Column, 1)))
	}
	title := "locsync " + p.Code
	if p.Language != "" {
		title += " (" + p.Language + ")"
	}
	add("title", title)
	said := p
	said.Severity, said.File = report.Error, "" // both are said already
	return "::" + kind + " " + strings.Join(properties, ",") + "::" + message.Replace(said.Bracketed())
}

// What GitHub reads in another way: in the message, and in a property.
var (
	message  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
