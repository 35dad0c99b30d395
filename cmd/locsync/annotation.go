package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/report"
)

// annotation is a problem as a workflow command of GitHub Actions, which shows it at its line of a pull request
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions). root is the folder that the
// problem's path is relative to, workspace the one that GitHub's paths are; "" where that is the same.
func annotation(p report.Problem, root, workspace string) string {
	kind, file := p.Severity, p.File
	if workspace != "" && root != "" && file != "" {
		at := file
		if !filepath.IsAbs(at) {
			at = filepath.Join(root, filepath.FromSlash(file))
		}
		if rel, err := filepath.Rel(resolved(workspace), resolved(at)); err == nil && filepath.IsLocal(rel) {
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

// resolved is a path without links, as far as it is there: the two paths of a comparison may have come by different
// ways.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// What GitHub reads in another way: in the message, and in a property.
var (
	message  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// annotateConfig prints what is wrong with the configuration as annotations.
func annotateConfig(a *app, err error) {
	var problems config.Problems
	if !errors.As(err, &problems) {
		return
	}
	here, err := os.Getwd()
	if err != nil {
		here = ""
	}
	for _, p := range problems {
		fmt.Fprintln(a.out, annotation(ofConfig(p), here, os.Getenv("GITHUB_WORKSPACE")))
	}
}

// ofConfig is a problem of the configuration as one of a file.
func ofConfig(p config.Problem) report.Problem {
	return report.Problem{Code: report.CodeConfiguration, Severity: report.Error,
		File: filepath.ToSlash(p.File), Line: p.Line, Column: p.Column, Key: p.Key, Problem: p.Message}
}
