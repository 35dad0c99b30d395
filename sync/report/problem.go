package report

import (
	"fmt"
	"regexp"
	"strings"
)

// How bad a problem is: an Error keeps a file, a key or a translation from being sent or written, or would break the
// program; a Warning does not.
const (
	Error   = "error"
	Warning = "warning"
)

// The codes of problems that are not checks of translations.
const (
	CodeSyntax    = "syntax"     // the file does not parse
	CodeRead      = "unreadable" // it cannot be read at all, or not be written
	CodeClash     = "clash"      // a key means two things
	CodeDuplicate = "duplicate"  // an entry stands twice
	CodeSpelling  = "spelling"   // an entry is spelled in a way that its format's readers do not like
	CodeFormat    = "format"     // values that the configured format has no keys for
	CodeDivided   = "divided"    // a key that files of a collection translate differently
	CodeOrphan    = "orphan"     // a translation of nothing
	CodeStray     = "stray"      // a file of translations of no source file
	CodePattern   = "pattern"    // a pattern that matches nothing
	CodePlace     = "place"      // files that would be written over one another
	CodeIgnored   = "ignored"    // a file of translations that git does not see
	CodeLanguage  = "language"   // a language that a translation service is known not to have
	CodeGap       = "missing"    // a key without a translation

	CodeConfiguration = "configuration" // the configuration cannot be used
)

// Problem is something that keeps a file, or one key of it, out. A pass with problems is done all the same.
type Problem struct {
	Code     string `json:"code,omitempty"`     // one of the checks of translations, or one of the codes above
	Severity string `json:"severity,omitempty"` // Error or Warning

	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Key      string `json:"key,omitempty"`
	Language string `json:"language,omitempty"`
	Problem  string `json:"problem"` // what is wrong; it can be understood alone

	// Remedy is what to do. In reports of passes and in the status the end of Problem says it too (see Advised).
	Remedy string `json:"remedy,omitempty"`

	// Configuration: not the file is wrong but the configuration, together with the files that are there.
	Configuration bool `json:"configuration,omitempty"`
}

// String is the problem on one line: file:line:column: warning: key (language): words (remedy).
func (p Problem) String() string {
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
	if p.Language != "" {
		fmt.Fprintf(&b, "(%s)", p.Language)
	}
	if p.Key != "" || p.Language != "" {
		b.WriteString(": ")
	}
	b.WriteString(p.Problem)
	if !strings.HasSuffix(p.Problem, p.Remedy) {
		b.WriteString(" (" + p.Remedy + ")")
	}
	return b.String()
}

// Cause is the problem's words without the remedy.
func (p Problem) Cause() string {
	if p.Remedy == "" {
		return p.Problem
	}
	return strings.TrimRight(strings.TrimSuffix(p.Problem, p.Remedy), ".,; ")
}

// advice is how the words of a problem say what to do: a clause that begins with what can be done, that says until
// when, or that the next pass does it.
var advice = regexp.MustCompile(`(?i)(locsync (push|pull|status)|(^|[;.,:] |\bor |\band )` +
	`(run|set|give|put|change|correct|translate|write|delete|make|commit|take|add|rename|move|switch|repair|see|look|` +
	`check|send|merge|until|leave|use|keep|end|join|name|replace)\b|\buntil |\bnext (push|pull)\b)`)

// Advised is the problem with its remedy: the clauses at the end of its words that are all advice. The first clause
// says what is wrong.
func (p Problem) Advised() Problem {
	if p.Remedy != "" {
		return p
	}
	ends := clauses(p.Problem)
	for i := len(ends) - 1; i > 0; i-- {
		end := len(p.Problem)
		if i+1 < len(ends) {
			end = ends[i+1]
		}
		if !advice.MatchString(p.Problem[ends[i]:end]) {
			break
		}
		p.Remedy = p.Problem[ends[i]:]
	}
	return p
}

// Advise gives problems their remedies.
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
