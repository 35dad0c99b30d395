package terminal

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"testing"

	"github.com/locsync/locsync/sync/report"
)

// Each form can be read by its own rules, and has every problem once, with its path and line. One without a file is at
// the configuration.
func TestExchange(t *testing.T) {
	result := report.CheckReport{Projects: []report.ProjectCheck{{Name: "app", Root: "/w/repo",
		Files: []report.CheckedFile{{Path: "a b.json"}, {Path: "c.json"}},
		Problems: []report.Problem{
			{Code: report.CodeNames, Severity: report.Error, File: "a b.json", Line: 3, Column: 7, Key: "k", Language: "de",
				Problem: "it lacks <b> & \"x\"", Remedy: "correct it"},
			{Code: report.CodePattern, Severity: report.Warning, Problem: "nothing"},
		}}}}
	to := Exchange{Version: "1.2.3", Workspace: "/w", Configuration: "/w/repo/locsync.toml"}
	written := func(write func(io.Writer, report.CheckReport) error) []byte {
		t.Helper()
		var b bytes.Buffer
		if err := write(&b, result); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	var log sarifLog
	if err := json.Unmarshal(written(to.SARIF), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if len(run.Results) != 2 || len(run.Tool.Driver.Rules) != 2 || run.Tool.Driver.Version != "1.2.3" {
		t.Fatalf("%+v", run)
	}
	first := run.Results[0]
	if at := first.Locations[0].Physical; at.Artifact.URI != "repo/a%20b.json" || *at.Region != (sarifRegion{3, 7}) ||
		first.Level != "error" || first.Message.Text != `"k" (de): it lacks <b> & "x" (correct it)` {
		t.Errorf("%+v", first)
	}
	second := run.Results[1]
	if at := second.Locations[0].Physical; second.Level != "warning" || at.Artifact.URI != "repo/locsync.toml" ||
		*at.Region != (sarifRegion{1, 1}) {
		t.Errorf("%+v", second)
	}
	var issues []struct {
		Fingerprint, Severity string
		Location              struct {
			Path  string
			Lines struct{ Begin int }
		}
	}
	if err := json.Unmarshal(written(to.CodeQuality), &issues); err != nil {
		t.Fatal(err)
	}
	if len(issues) != 2 || issues[0].Severity != "major" || issues[0].Location.Path != "repo/a b.json" ||
		issues[0].Location.Lines.Begin != 3 || issues[0].Fingerprint == issues[1].Fingerprint ||
		issues[1].Location.Path != "repo/locsync.toml" || issues[1].Location.Lines.Begin != 1 {
		t.Errorf("%+v", issues)
	}
	moved := result.Projects[0].Problems[0]
	moved.Line = 99
	if fingerprint("app", moved) != issues[0].Fingerprint {
		t.Error("another line is another problem")
	}
	var suites junitSuites
	if err := xml.Unmarshal(written(to.JUnit), &suites); err != nil {
		t.Fatal(err)
	}
	suite := suites.Suites[0]
	if suite.Tests != 3 || suite.Failures != 1 || len(suite.Cases) != 3 {
		t.Fatalf("%+v", suite)
	}
	for _, c := range suite.Cases {
		if failed := c.Failure != nil; failed != (c.File == "repo/a b.json") {
			t.Errorf("%+v", c)
		}
	}
}
