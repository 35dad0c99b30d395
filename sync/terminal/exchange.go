package terminal

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/files"
	"github.com/locsync/locsync/sync/report"
)

// Exchange is a form in which other programs read what a check found.
type Exchange struct {
	Version       string // of locsync
	Workspace     string // the folder that paths are relative to; "" where it is the repository
	Configuration string // its file, at which problems without a file are shown
}

// Forms are the names of the forms.
var Forms = []string{"github", "gitlab", "sarif", "junit"}

// NewExchange is one of this version of locsync, with paths as the CI system at work has them.
func NewExchange(version, configuration string) Exchange {
	return Exchange{version, cmp.Or(os.Getenv("GITHUB_WORKSPACE"), os.Getenv("CI_PROJECT_DIR")), configuration}
}

// Write writes a report in one of the Forms.
func (e Exchange) Write(w io.Writer, form string, result report.CheckReport) error {
	switch form {
	case "github":
		return e.Annotations(w, result)
	case "gitlab":
		return e.CodeQuality(w, result)
	case "sarif":
		return e.SARIF(w, result)
	}
	return e.JUnit(w, result)
}

// located is a problem with its path below the workspace. One without a file is at the configuration's first line, as
// GitHub and GitLab take none without a path.
func (e Exchange) located(p report.Problem, root string) report.Problem {
	if p.File == "" && e.Configuration != "" {
		p.File, p.Line = e.Configuration, 1
	}
	p.File = relative(p.File, root, cmp.Or(e.Workspace, root))
	return p
}

// relative is a path of a repository from the workspace on, with slashes.
func relative(file, root, workspace string) string {
	if workspace == "" || root == "" || file == "" {
		return file
	}
	at := file
	if !filepath.IsAbs(at) {
		at = filepath.Join(root, filepath.FromSlash(file))
	}
	if rel, err := filepath.Rel(files.Resolved(workspace), files.Resolved(at)); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return file
}

// said is a problem without what a form says elsewhere: severity and file.
func said(p report.Problem) string {
	p.Severity, p.File = report.Error, ""
	return p.Bracketed()
}

// fingerprint is by what a problem is known again: not by its line, which moves.
func fingerprint(project string, p report.Problem) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{project, p.File, p.Language, p.Key, p.Code, p.Problem}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// CodeQuality writes a report of GitLab's code quality (https://docs.gitlab.com/ci/testing/code_quality/).
func (e Exchange) CodeQuality(w io.Writer, result report.CheckReport) error {
	type lines struct {
		Begin int `json:"begin"`
	}
	type location struct {
		Path  string `json:"path"`
		Lines lines  `json:"lines"`
	}
	type issue struct {
		Description string   `json:"description"`
		CheckName   string   `json:"check_name"`
		Fingerprint string   `json:"fingerprint"`
		Severity    string   `json:"severity"`
		Location    location `json:"location"`
	}
	all := []issue{}
	for _, project := range result.Projects {
		for _, p := range project.Problems {
			severity, at := "minor", e.located(p, project.Root)
			if p.Severity == report.Error {
				severity = "major"
			}
			all = append(all, issue{said(p), "locsync/" + p.Code, fingerprint(project.Name, p), severity,
				location{at.File, lines{max(at.Line, 1)}}})
		}
	}
	return encode(w, all)
}

func encode(w io.Writer, value any) error {
	to := json.NewEncoder(w)
	to.SetEscapeHTML(false)
	to.SetIndent("", "  ")
	return to.Encode(value)
}

// What SARIF 2.1.0 calls things (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
type (
	sarifText struct {
		Text string `json:"text"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifRule struct {
		ID          string    `json:"id"`
		Description sarifText `json:"shortDescription"`
	}
	sarifResult struct {
		Rule         string            `json:"ruleId"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Columns string        `json:"columnKind"`
		Results []sarifResult `json:"results"`
	}
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
)

// SARIF writes a log of SARIF 2.1.0 with one run.
func (e Exchange) SARIF(w io.Writer, result report.CheckReport) error {
	run := sarifRun{Columns: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "locsync", Version: e.Version, Rules: []sarifRule{}}
	used := make(map[string]bool)
	for _, project := range result.Projects {
		for _, p := range project.Problems {
			used[p.Code] = true
			r := sarifResult{Rule: p.Code, Level: p.Severity, Message: sarifText{said(p)},
				Fingerprints: map[string]string{"locsync/v1": fingerprint(project.Name, p)}}
			if at := e.located(p, project.Root); at.File != "" {
				physical := sarifPhysical{Artifact: sarifArtifact{uriOf(at.File)}}
				if at.Line > 0 {
					physical.Region = &sarifRegion{at.Line, max(at.Column, 1)}
				}
				r.Locations = []sarifLocation{{physical}}
			}
			run.Results = append(run.Results, r)
		}
	}
	for _, c := range report.Codes {
		if used[c.Code] {
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{c.Code, sarifText{c.Meaning}})
		}
	}
	return encode(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// uriOf is a relative path as a reference: each part is escaped.
func uriOf(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// What JUnit's reports call things, as most CI systems read them.
type (
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	junitCase struct {
		File     string        `xml:"classname,attr"`
		Name     string        `xml:"name,attr"`
		Failure  *junitFailure `xml:"failure,omitempty"`
		Warnings string        `xml:"system-out,omitempty"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
)

// JUnit writes a report with a suite for each project and a test for each file; what has errors has failed.
func (e Exchange) JUnit(w io.Writer, result report.CheckReport) error {
	var all junitSuites
	for _, project := range result.Projects {
		suite := junitSuite{Name: "locsync check " + project.Name}
		problems, paths := make(map[string][]report.Problem), make(map[string]bool)
		for _, f := range project.Files {
			paths[e.located(report.Problem{File: f.Path}, project.Root).File] = true
		}
		for _, p := range project.Problems {
			path := e.located(p, project.Root).File
			paths[path] = true
			problems[path] = append(problems[path], p)
		}
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			c := junitCase{File: path, Name: "texts"}
			var errs, warnings []string
			for _, p := range problems[path] {
				if p.Severity == report.Error {
					errs = append(errs, p.String())
				} else {
					warnings = append(warnings, p.String())
				}
			}
			c.Warnings = strings.Join(warnings, "\n")
			if len(errs) > 0 {
				suite.Failures++
				c.Failure = &junitFailure{Count(len(errs), "error"), strings.Join(errs, "\n")}
			}
			suite.Cases = append(suite.Cases, c)
		}
		suite.Tests = len(suite.Cases)
		all.Suites = append(all.Suites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	to := xml.NewEncoder(w)
	to.Indent("", "  ")
	if err := to.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
