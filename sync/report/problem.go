package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How bad a problem is: an Error keeps a file, a key or a translation from being sent or written, or would break the
// program; a Warning does not.
const (
	Error   = "error"
	Warning = "warning"
)

// Problem is something that keeps a file, or one key of it, out. A pass with problems is done all the same, and partial
// where one of them is more than a warning.
type Problem struct {
	Code     string `json:"code"`                          // see Codes
	Severity string `json:"severity" enum:"error,warning"` // Error or Warning
	File     string `json:"file"`
	Line     int    `json:"line"` // 0: not known
	Column   int    `json:"column"`
	Key      string `json:"key"`
	Language string `json:"language"`
	Problem  string `json:"problem"` // what is wrong; it can be understood alone
	Remedy   string `json:"remedy"`  // what to do; while a pass runs the end of Problem may say it (see Advised)

	// Configuration: not the file is wrong but the configuration, together with the files that are there.
	Configuration bool `json:"configuration,omitempty"`
}

// LeavesOut reports whether any of these problems is more than a warning.
func LeavesOut(problems []Problem) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool { return p.Severity != Warning })
}

// String is the problem on one line: file:line:column: warning: key (language): words; remedy.
func (p Problem) String() string {
	before, remedy := p.Problem, p.Remedy
	if remedy == "" || strings.HasSuffix(before, remedy) {
		return onOneLine(p.about() + before)
	}
	if first, _ := utf8.DecodeRuneInString(remedy); unicode.IsUpper(first) {
		return onOneLine(p.about() + before + ". " + remedy)
	}
	return onOneLine(p.about() + before + "; " + remedy)
}

// onOneLine spells line ends: a file's name could forge lines of a log with them.
func onOneLine(text string) string { return lineEnds.Replace(text) }

var lineEnds = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\u2028", `\u2028`, "\u2029", `\u2029`)

// Bracketed is String with the remedy in brackets, as check prints it: there a remedy may be of several problems.
func (p Problem) Bracketed() string {
	if p.Remedy == "" {
		return p.String()
	}
	return onOneLine(p.about() + p.Problem + " (" + p.Remedy + ")")
}

// about is what the line begins with.
func (p Problem) about() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
		}
		b.WriteString(": ")
	}
	if p.Severity == Warning {
		b.WriteString("warning: ")
	}
	if p.Key != "" {
		fmt.Fprintf(&b, "%q", p.Key)
		if p.Language != "" {
			b.WriteString(" ")
		}
	}
	language := p.Language
	if p.Key == "" && p.Line > 0 {
		language = "" // what is wrong is at the line that the text begins with
	}
	if language != "" {
		fmt.Fprintf(&b, "(%s)", language)
	}
	if p.Key != "" || language != "" {
		b.WriteString(": ")
	}
	return b.String()
}

// advice is how the words of a problem say what to do: a clause that begins with what can be done, that says until
// when, or that the next pass does it.
var advice = regexp.MustCompile(`(?i)(locsync (push|pull|status)|(^|[;.,:] |\bor |\band )` +
	`(run|set|give|put|change|correct|translate|write|delete|make|commit|take|add|rename|move|switch|repair|see|look|` +
	`check|send|merge|until|leave|use|keep|end|join|name|replace)\b|\buntil |\bnext (push|pull)\b)`)

// Advised is the problem as reports have it: with a severity, and with its remedy apart from its words. The remedy is
// the clauses at their end that are all advice; the first clause says what is wrong.
func (p Problem) Advised() Problem {
	if p.Severity == "" {
		p.Severity = severityOf(p.Code)
	}
	if p.Remedy == "" {
		p.Remedy = adviceOf(p.Problem)
	}
	if before, ends := strings.CutSuffix(p.Problem, p.Remedy); ends && p.Remedy != "" {
		p.Problem = strings.TrimRight(before, ".,; ")
	}
	return p
}

// adviceOf is the clauses at the end of a text that are all advice.
func adviceOf(text string) string {
	ends := clauses(text)
	from := len(text)
	for i := len(ends) - 1; i > 0; i-- {
		if !advice.MatchString(text[ends[i]:from]) {
			break
		}
		from = ends[i]
	}
	return text[from:]
}

// Advise makes problems what reports have.
func Advise(problems []Problem) {
	for i := range problems {
		problems[i] = problems[i].Advised()
	}
}

// clauses are where the clauses of a text begin: behind a semicolon or a full stop, outside of quotes.
func clauses(text string) []int {
	begins, quoted := []int{0}, false
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted && (strings.HasPrefix(text[i:], "; ") || strings.HasPrefix(text[i:], ". ")):
			begins = append(begins, i+2)
		}
	}
	return begins
}
