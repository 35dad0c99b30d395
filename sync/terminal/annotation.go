package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/locsync/locsync/sync/report"
)

// Annotations writes each problem as a workflow command of GitHub Actions, which shows it at its line of a pull request
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions).
func (e Exchange) Annotations(w io.Writer, result report.CheckReport) error {
	var all strings.Builder
	for _, p := range result.Projects {
		for _, problem := range p.Problems {
			all.WriteString(annotation(e.located(problem, p.Root)) + "\n")
		}
	}
	_, err := io.WriteString(w, all.String())
	return err
}

// annotation is one problem, with the path that GitHub has.
func annotation(p report.Problem) string {
	var properties []string
	add := func(name, value string) { properties = append(properties, name+"="+property.Replace(value)) }
	if p.File != "" {
		add("file", p.File)
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
	return "::" + p.Severity + " " + strings.Join(properties, ",") + "::" + message.Replace(said(p))
}

// What GitHub reads in another way: in the message, and in a property.
var (
	message  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
