package bundle

import (
	"fmt"
	"regexp"
	"strings"
)

// Problem is something that keeps a file, or one key of it, out, in words that tell what to do.
type Problem struct {
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Key      string `json:"key,omitempty"`
	Language string `json:"language,omitempty"`
	Problem  string `json:"problem"` // what is wrong, and what to do; it can be understood alone

	// Remedy is what to do: the end of Problem, which says it too. Reports and the status have it (see Advised).
	Remedy string `json:"remedy,omitempty"`

	// Configuration says that it is not the file that is wrong but the configuration, as the files show that are there.
	Configuration bool `json:"configuration,omitempty"`
}

// String is the problem on one line: file:line:column: key (language): words.
func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
		}
		b.WriteString(": ")
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
	return b.String() + p.Problem
}

// Cause is the problem's words without the remedy.
func (p Problem) Cause() string {
	if p.Remedy == "" {
		return p.Problem
	}
	return strings.TrimRight(strings.TrimSuffix(p.Problem, p.Remedy), ".,; ")
}

// advice is how the words of a problem say what to do: a clause that begins with what somebody can do, that says until
// when, or that there is nothing to be done because the next pass does it.
var advice = regexp.MustCompile(`(?i)(locsync (push|pull|status)|(^|[;.,:] |\bor |\band )(run|set|give|put|change|` +
	`correct|translate|write|delete|make|commit|take|add|rename|move|switch|repair|see|look|check|send|merge|until|` +
	`leave|use|keep|end|join|name|replace)\b|\buntil |\bnext (push|pull)\b)`)

// Advised is the problem with its remedy: the clauses at the end of its words, from the first on that is followed by
// nothing but advice. The first clause of all says what is wrong.
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
