package terminal

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/report"
)

// Azure DevOps takes 4000 characters of a comment.
const (
	mostCommentLines = 20
	mostCommentBytes = 2400 // of these lines
	mostCommentLine  = 300
	mostCommentFiles = 10
)

// Comment is what a check found, in Markdown, for a comment at a pull or merge request: what is wrong, and which new or
// changed source texts have translations that did not change with them. "" where neither is the case.
//
// Keys, texts and file names are shown as code, in which no host finds a mention, a link or HTML.
func Comment(result report.CheckReport, again string) string {
	var problems []report.Problem
	var changed []report.ChangedTexts
	for _, p := range result.Projects {
		problems = append(problems, p.Problems...)
		if p.Since != nil {
			changed = append(changed, p.Since.Changed...)
		}
	}
	if len(problems) == 0 && len(changed) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**Translations: %s**\n", Verdict(result))
	if len(problems) > 0 {
		b.WriteString("\n" + codeBlock(commentLines(problems)) + "\n")
	}
	if len(changed) > 0 {
		b.WriteString("\nNew or changed source texts, and how many translations did not change with them:\n\n")
		for _, c := range changed[:min(len(changed), mostCommentFiles)] {
			fmt.Fprintf(&b, "- %s: %s%s\n", code(c.File), Count(c.Keys, "text"), behind(c))
		}
		if n := len(changed) - mostCommentFiles; n > 0 {
			fmt.Fprintf(&b, "- and %s\n", Count(n, "other file"))
		}
	}
	fmt.Fprintf(&b, "\nTo see all of it: %s\n", code(again))
	return b.String()
}

// Verdict is what a check found, in a few words.
func Verdict(result report.CheckReport) string {
	errors, warnings := 0, 0
	for _, project := range result.Projects {
		for _, p := range project.Problems {
			if p.Severity == report.Error {
				errors++
			} else {
				warnings++
			}
		}
	}
	switch {
	case errors == 0 && warnings == 0:
		return "no problems"
	case warnings == 0:
		return Count(errors, "error")
	case errors == 0:
		return Count(warnings, "warning")
	}
	return Count(errors, "error") + ", " + Count(warnings, "warning")
}

// commentLines are the problems as lines, errors first, as many as a comment holds.
func commentLines(problems []report.Problem) (lines []string) {
	ordered := slices.Clone(problems)
	slices.SortStableFunc(ordered, func(a, b report.Problem) int {
		return strings.Compare(a.Severity, b.Severity) // an error is before a warning
	})
	all, size := checkLines(ordered, false), 0
	for i, l := range all {
		about, wrong := l.text()
		line := oneLine(about + ": " + wrong)
		if size += len(line); i == mostCommentLines || i > 0 && size > mostCommentBytes {
			return append(lines, fmt.Sprintf("and %d more", len(all)-i))
		}
		lines = append(lines, line)
	}
	return lines
}

func behind(c report.ChangedTexts) string {
	var all []string
	for _, language := range slices.Sorted(maps.Keys(c.Behind)) {
		all = append(all, fmt.Sprintf("%s %d", language, c.Behind[language]))
	}
	if len(all) == 0 {
		return ", translated with them"
	}
	return "; " + strings.Join(all, ", ")
}

// codeBlock shows lines as they are.
func codeBlock(lines []string) string {
	text := strings.Join(lines, "\n")
	fence := bound.Fence(text, 3)
	return fence + "text\n" + text + "\n" + fence
}

// code shows the beginning of a text as it is.
func code(text string) string { return bound.Code(oneLine(text)) }

// oneLine is the beginning of a text, in printable characters.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(report.Printable(text)), " ")
	if runes := []rune(text); len(runes) > mostCommentLine {
		text = string(runes[:mostCommentLine]) + "…"
	}
	return text
}
