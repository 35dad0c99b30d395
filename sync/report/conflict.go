package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Conflict is a key whose translation was changed on both sides: the service's text counts, and the repository's is
// kept here until it is decided. One that is Open was met with different texts at first contact, and both sides keep
// theirs. The texts are by form, "" for a plain one.
type Conflict struct {
	Project  string            `json:"project,omitempty"` // where several are configured
	File     string            `json:"file"`
	Language string            `json:"language"`
	Key      string            `json:"key"`
	Ours     map[string]string `json:"ours"`
	Theirs   map[string]string `json:"theirs"`
	Since    time.Time         `json:"since"`
	Open     bool              `json:"open,omitempty"` // the two never agreed on a text: neither side has been changed

	// Beside is another file of the collection that translates the key otherwise: each file keeps its own.
	Beside string `json:"beside,omitempty"`
}

// Problem is the conflict as it is among the problems of reports and of the status.
func (c Conflict) Problem() Problem {
	if c.Beside != "" {
		return c.problem("is translated otherwise in "+strings.ReplaceAll(c.Beside, "%", "%%")+
			", and the service has one text for both; each file keeps its own. This one, %s, is not sent; the service has %s.",
			"To choose this file's text for the service, run "+c.Command("ours")+"; to leave what the service has, "+
				"the same with --theirs. To have both there, give the files collections of their own or a key_prefix")
	}
	if c.Open {
		return c.problem("the repository has %s and the service %s, and they never agreed on a text; neither is changed.",
			"To send the repository's, run "+c.Command("ours")+"; to take the service's, the same with --theirs. "+
				"locsync push --translations decides all such keys for the repository, "+
				"locsync pull --accept-service for the service")
	}
	return c.problem("was changed in the repository to %s and at the service to %s; pulls take the service's.",
		"To send the repository's after all, run "+c.Command("ours")+"; to take the service's, the same with --theirs")
}

func (c Conflict) problem(format, remedy string) Problem {
	words := strings.TrimSuffix(fmt.Sprintf(format, InQuotes(c.Ours), InQuotes(c.Theirs)), ".")
	code := CodeConflict
	if c.Beside != "" {
		code = CodeDivided
	}
	return Problem{Code: code, Severity: Error, File: c.File, Key: c.Key, Language: c.Language,
		Problem: words, Remedy: remedy}
}

// Meanwhile says what applies until a conflict is decided.
func (c Conflict) Meanwhile() string {
	switch {
	case c.Beside != "":
		return "each file keeps its own text"
	case c.Open:
		return "neither side is changed"
	}
	return "pulls take the service's text"
}

// ToTake says what push --theirs does with a conflict.
func (c Conflict) ToTake() string {
	if c.Open && c.Beside == "" {
		return "to take it"
	}
	return "to leave it so"
}

// Command is the command line that decides this conflict, and no other, for a side: ours or theirs.
func (c Conflict) Command(side string) string {
	command := "locsync push --" + side + " --key " + ShellWord(c.Key) + " --file " + ShellWord(c.File)
	if c.Language != "" { // a catalog file holds several
		command += " --language " + ShellWord(c.Language)
	}
	if c.Project != "" {
		command += " --project " + ShellWord(c.Project)
	}
	return command
}

// InQuotes shows the texts of one key, by form.
func InQuotes(texts map[string]string) string {
	var parts []string
	for _, form := range slices.Sorted(maps.Keys(texts)) {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %q", form, texts[form])))
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// ShellWord quotes a word for a command line where it needs that.
func ShellWord(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/:@%+=", r))
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
