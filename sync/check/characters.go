package check

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// characters finds what no text has unless the source has it, too: control characters, and the mark that damaged text
// leaves.
func (p *pair) characters() {
	if !utf8.ValidString(p.text) {
		p.found(Characters, "it is not valid UTF-8")
		return
	}
	for _, r := range p.text {
		damage := r == utf8.RuneError
		if !damage && !isControl(r) || strings.ContainsRune(p.source, r) {
			continue
		}
		if damage {
			p.found(Characters, "it has the character U+FFFD, which stands for something that was lost on the way")
		} else {
			p.found(Characters, fmt.Sprintf("it has the control character U+%04X, which the source does not have", r))
		}
		return
	}
}

func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f
}
