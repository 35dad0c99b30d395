package terminal

import (
	"testing"

	"github.com/locsync/locsync/sync/report"
)

func TestAnnotation(t *testing.T) {
	problem := report.Problem{Severity: report.Error, Code: "printf",
		File: "a,b/c:d%.json", Line: 3, Column: 7, Key: "k", Language: "de", Problem: "it lacks 100 %\nand more",
		Remedy: "repair it"}
	for _, c := range []struct{ root, workspace, want string }{
		{"/w/repo", "", "::error file=a%2Cb/c%3Ad%25.json,line=3,col=7,title=locsync printf (de)::"},
		{"/w/repo", "/w", "::error file=repo/a%2Cb/c%3Ad%25.json,line=3,col=7,title=locsync printf (de)::"},
		{"/elsewhere", "/w", "::error file=a%2Cb/c%3Ad%25.json,line=3,col=7,title=locsync printf (de)::"},
	} {
		want := c.want + `"k" (de): it lacks 100 %25\nand more (repair it)`
		if got := annotation(Exchange{Workspace: c.workspace}.located(problem, c.root)); got != want {
			t.Errorf("in %q, %q:\n%s\nwant\n%s", c.root, c.workspace, got, want)
		}
	}
	bare := report.Problem{Severity: report.Warning, Code: "pattern", Problem: "nothing"}
	if got := annotation(bare); got != "::warning title=locsync pattern::nothing" {
		t.Error(got)
	}
}
