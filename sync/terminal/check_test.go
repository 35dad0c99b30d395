package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/report"
)

// Equal problems are one line: those of a file, then those of a key in several files. What differs stays apart, and
// nothing is lost.
func TestEqualProblemsAreOneLine(t *testing.T) {
	var problems []report.Problem
	add := func(severity, code, file string, line int, key, what, remedy string) {
		problems = append(problems, report.Problem{Code: code, Severity: severity,
			File: file, Line: line, Column: 7, Key: key, Language: "de", Problem: what, Remedy: remedy})
	}
	for i := range 5 {
		add(report.Warning, "orphan", "a.json", i+1, fmt.Sprintf("old%d", i), "translates nothing", "remove it")
	}
	add(report.Error, "printf", "a.json", 9, "greet", "it lacks %s", "correct it; skip printf:greet")
	add(report.Error, "printf", "b.json", 2, "greet", "it lacks %s", "correct it; skip printf:greet")
	add(report.Error, "printf", "c.json", 3, "greet", "it lacks %s", "correct it; skip printf:greet")
	add(report.Error, "printf", "c.json", 4, "other", "it lacks %s", "correct it; skip printf:other")
	for i := range 3 {
		key := fmt.Sprintf("k%d", i)
		add(report.Error, "markup", "d.json", i+1, key, "the tag <b> is not closed", "correct it; skip markup:"+key)
	}
	result := report.ProjectCheck{Name: "app", Keys: 9, Problems: problems}
	for _, c := range []struct {
		all  bool
		want []string
	}{
		{false, []string{
			`a.json: warning: 5 keys (de): translates nothing (remove it): "old0" at 1:7, "old1" at 2:7, "old2" at 3:7, and 2 more`,
			`3 files: "greet": it lacks %s (correct it; skip printf:greet): a.json:9:7, b.json:2:7, c.json:3:7`,
			`c.json:4:7: "other" (de): it lacks %s (correct it; skip printf:other)`,
			`d.json: 3 keys (de): the tag <b> is not closed (correct it): "k0" at 1:7, "k1" at 2:7, "k2" at 3:7`,
			`app: 0 files, 9 keys in the source, 12 problems (7 errors, 5 warnings); --all lists each`,
		}},
		{true, nil},
	} {
		var out bytes.Buffer
		(&Screen{to: &out}).Check(result, true, c.all)
		got := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if c.all {
			for i, p := range problems {
				remedy := " (" + p.Remedy + ")"
				p.Remedy = ""
				c.want = append(c.want, p.String()+remedy)
				got[i] = strings.TrimSpace(got[i])
			}
			c.want = append(c.want, "app: 0 files, 9 keys in the source, 12 problems (7 errors, 5 warnings)")
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("all %v:\n%s\nwant\n%s", c.all, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}
