package terminal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/report"
)

func checked(problems []report.Problem, changed ...report.ChangedTexts) report.CheckReport {
	return report.CheckReport{Projects: []report.ProjectCheck{{Name: "app", Problems: problems,
		Since: &report.Since{Name: "origin/main", Commit: "c0ffee", Changed: changed}}}}
}

// A comment says what is wrong, errors first, and which source texts changed without their translations; nothing where
// nothing needs to be said.
func TestComment(t *testing.T) {
	const again = "locsync check --since origin/main"
	problems := []report.Problem{
		{File: "a/de.json", Line: 2, Column: 3, Key: "bye", Severity: report.Warning, Problem: "is as long as two"},
		{File: "b/de.json", Line: 9, Column: 1, Key: "hi", Severity: report.Error, Problem: "lacks {name}"}}
	changed := report.ChangedTexts{File: "en.json", Keys: 3, Behind: map[string]int{"fr": 2, "de": 3}}
	got := Comment(checked(problems, changed, report.ChangedTexts{File: "x.json", Keys: 1}), again)
	want := "**Translations: 1 error, 1 warning**\n\n" +
		"```text\nb/de.json:9:1: \"hi\": lacks {name}\na/de.json:2:3: warning: \"bye\": is as long as two\n```\n\n" +
		"New or changed source texts, and how many translations did not change with them:\n\n" +
		"- `en.json`: 3 texts; de 3, fr 2\n- `x.json`: 1 text, translated with them\n\n" +
		"To see all of it: `locsync check --since origin/main`\n"
	if got != want {
		t.Errorf("the comment is\n%s\nwant\n%s", got, want)
	}
	if got := Comment(checked(nil), again); got != "" {
		t.Errorf("nothing needs to be said, and it says %q", got)
	}
}

// Whatever files, keys and texts say, a comment is bounded and they stay within code, where no host finds a mention, a
// link or HTML.
func TestCommentOfHostileTexts(t *testing.T) {
	var problems []report.Problem
	for i := range 500 {
		problems = append(problems, report.Problem{File: "de.json", Line: i + 1, Column: 1, Severity: report.Error,
			Key:     fmt.Sprintf("k%d```\n@everyone [x](https://evil.example)", i),
			Problem: strings.Repeat("`", i%9) + "\n\n# <script>\u202e " + strings.Repeat("long ", 40)})
	}
	got := Comment(checked(problems, report.ChangedTexts{File: "a``b\n`@all.json`", Keys: 1}), "locsync check")
	if len(got) > 3800 {
		t.Errorf("%d bytes, more than Azure DevOps takes", len(got))
	}
	fence, inside := "", 0
	for _, line := range strings.Split(got, "\n") {
		switch {
		case fence == "" && strings.HasPrefix(line, "```"):
			fence = strings.TrimSuffix(line, "text")
		case fence != "" && line == fence:
			fence = ""
		case fence != "":
			inside++
		case strings.Contains(line, "@everyone"), strings.Contains(line, "<script>"):
			t.Errorf("outside of code: %q", line)
		case strings.Contains(line, "@all"):
			if !strings.HasPrefix(line, "- ``` a``b `@all.json` ```: ") {
				t.Errorf("a file's name is not code: %q", line)
			}
		}
	}
	if fence != "" || inside < 5 || strings.Contains(got, "\u202e") {
		t.Errorf("the comment is\n%s", got)
	}
}
