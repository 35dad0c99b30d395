package terminal

import (
	"fmt"
	"strings"

	"github.com/locsync/locsync/sync/report"
)

const (
	fewAlike     = 3 // so many equal problems of a file, or of a key in several files, are one line
	fewExamples  = 3 // on such a line
	moreWithFlag = "--all lists each"
)

// checkLine is one problem, or several that say the same: of keys of one file, or of one key in several files.
type checkLine struct {
	problems []report.Problem
	inFile   bool // of one file
}

// checkLines are the problems of a check as lines, each where the first of its problems is.
func checkLines(problems []report.Problem, all bool) []checkLine {
	type kind struct{ severity, code, file, key, problem string }
	at := make(map[report.Problem]int) // the line of a problem
	var lines []checkLine
	group := func(problems []report.Problem, inFile bool, least int,
		of func(report.Problem) kind) (rest []report.Problem) {
		for _, g := range alikes(problems, of) {
			if len(g) < least {
				rest = append(rest, g...)
				continue
			}
			for _, p := range g {
				at[p] = len(lines)
			}
			lines = append(lines, checkLine{g, inFile})
		}
		return rest
	}
	rest := problems
	if !all {
		rest = group(rest, true, fewAlike, func(p report.Problem) kind {
			return kind{p.Severity, p.Code, p.File, "", p.Problem}
		})
		rest = group(rest, false, fewAlike, func(p report.Problem) kind {
			return kind{p.Severity, p.Code, "", p.Key, p.Problem}
		})
	}
	for _, p := range rest {
		at[p] = len(lines)
		lines = append(lines, checkLine{[]report.Problem{p}, true})
	}
	var ordered []checkLine
	said := make(map[int]bool)
	for _, p := range problems {
		if i := at[p]; !said[i] {
			said[i] = true
			ordered = append(ordered, lines[i])
		}
	}
	return ordered
}

// text is the line: what it is about, and what is wrong.
func (l checkLine) text() (about, wrong string) {
	first := l.problems[0]
	if len(l.problems) == 1 {
		about, wrong, _ = strings.Cut(first.Bracketed(), ": ")
		return about, wrong
	}
	what := report.Problem{Code: first.Code, Problem: first.Problem}
	if remedy := commonRemedy(l.problems); remedy != "" {
		what.Problem += " (" + remedy + ")"
	}
	what.Problem += ": " + l.examples()
	switch n := len(l.problems); {
	case !l.inFile:
		about, what.Key = Count(n, "file"), first.Key
		wrong = what.String()
	case first.Key == "":
		about, what.Language = first.File, first.Language
		wrong = fmt.Sprintf("%d times %s", n, what)
	default:
		about, what.Language = first.File, first.Language
		wrong = fmt.Sprintf("%s %s", Count(n, "key"), what)
	}
	if first.Severity == report.Warning {
		wrong = "warning: " + wrong
	}
	return about, wrong
}

// examples are where the first few problems of the line are, and the number of the others.
func (l checkLine) examples() string {
	var examples []string
	for _, p := range l.problems[:min(len(l.problems), fewExamples)] {
		position := report.Problem{File: p.File, Line: p.Line, Column: p.Column}
		if l.inFile {
			position = report.Problem{Key: p.Key}
		}
		example := strings.TrimSuffix(position.String(), ": ")
		if l.inFile && p.Line > 0 {
			example = strings.TrimSpace(fmt.Sprintf("%s at %d:%d", example, p.Line, p.Column))
		}
		examples = append(examples, example)
	}
	if n := len(l.problems) - len(examples); n > 0 {
		examples = append(examples, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(examples, ", ")
}

// commonRemedy is what helps against all: the clauses that all remedies begin with.
func commonRemedy(problems []report.Problem) string {
	common := problems[0].Remedy
	for _, p := range problems[1:] {
		for !strings.HasPrefix(p.Remedy+"; ", common+"; ") {
			at := strings.LastIndex(common, "; ")
			if at < 0 {
				return ""
			}
			common = common[:at]
		}
	}
	return common
}

// Check prints the problems of a project, what its formats do not carry, and what was read. Equal problems are one
// line unless all are asked for.
func (s *Screen) Check(p report.ProjectCheck, withProblems, all bool) {
	for _, e := range p.Explained {
		s.line(e.File+": ", strong, explained(e))
	}
	grouped := false
	for _, l := range checkLines(p.Problems, all) {
		if !withProblems {
			break
		}
		about, wrong := l.text()
		s.line(about+": ", map[bool]style{true: red, false: yellow}[l.problems[0].Severity == report.Error], wrong)
		grouped = grouped || len(l.problems) > 1
	}
	bad := 0
	for _, problem := range p.Problems {
		if problem.Severity == report.Error {
			bad++
		}
	}
	told := fmt.Sprintf("%s, %s in the source, %s", Count(len(p.Files), "file"), Count(p.Keys, "key"),
		Count(len(p.Problems), "problem"))
	if len(p.Problems) > 0 {
		told += fmt.Sprintf(" (%s, %s)", Count(bad, "error"), Count(len(p.Problems)-bad, "warning"))
	}
	if grouped {
		told += "; " + moreWithFlag
	}
	if since := p.Since; since != nil {
		which := " of keys that the diff changes"
		if since.Commit != "" {
			which = fmt.Sprintf(" of keys that changed since %s (%.10s)", since.Name, since.Commit)
		}
		told += which + "; " + Count(since.Others, "problem") + " of other keys"
	}
	for _, l := range p.Losses {
		s.line("note: ", faint, l.Format+" files: "+strings.ReplaceAll(strings.Join(l.Lost, " "), "`", ""))
	}
	s.line(p.Name+": ", strong, told)
}

// explained is how a text is read, in words.
func explained(e report.Explained) string {
	about := fmt.Sprintf("%q", e.Key)
	if e.Form != "" {
		about += " [" + e.Form + "]"
	}
	if e.Reader == "" {
		return about + " is compared with what its source text does; nothing names the program that reads it"
	}
	about += fmt.Sprintf(" is read by %s (%s)", e.Reader, e.Because)
	if len(e.Faults) > 0 {
		return about + ", which refuses the source text: " + strings.Join(e.Faults, ", ")
	}
	if len(e.Arguments) == 0 {
		return about + "; it has no arguments"
	}
	return about + "; its arguments are " + strings.Join(e.Arguments, " ")
}
