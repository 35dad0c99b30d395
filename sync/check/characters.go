package check

import (
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
	if isPlain(p.text) {
		return
	}
	for _, r := range p.text {
		damage := r == utf8.RuneError
		if !damage && !isControl(r) && !p.invisible(r) || strings.ContainsRune(p.source, r) {
			continue
		}
		if damage {
			p.found(Characters, "it has the character U+FFFD, which stands for something that was lost on the way")
		} else if !isControl(r) {
			p.kind(Hidden, "it has the invisible character U+%04X, which the source does not have", r)
		} else {
			p.found(Characters, "it has the control character U+%04X, which the source does not have", r)
		}
		return
	}
	if open := unended(p.text); open != 0 && unended(p.source) == 0 {
		p.kind(Hidden, "it isolates a direction of writing (U+%04X) and does not end that (U+2069), "+
			"so it can reorder what follows; the source does not", open)
	}
}

// isPlain is a quick look whether a text has nothing but letters and signs of ASCII, and line breaks.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' && c != '\r' || c >= 0x7f {
			return false
		}
	}
	return true
}

// unended is the first isolate of a direction that is not ended; 0 where there is none. Embeddings without an end are
// usual in languages that are written from right to left.
func unended(text string) rune {
	var open []rune
	for _, r := range text {
		switch r {
		case 0x2066, 0x2067, 0x2068:
			open = append(open, r)
		case 0x2069:
			open = open[:max(0, len(open)-1)]
		}
	}
	if len(open) > 0 {
		return open[0]
	}
	return 0
}

func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0
}

// invisible tells characters that show nothing and that no language is written with: directions that are forced upon
// letters, tags outside of flags, and what ends lines or begins files. Joiners, marks of direction, break opportunities
// and soft hyphens are part of texts.
func (p *pair) invisible(r rune) bool {
	switch {
	case r == 0x202d, r == 0x202e, r == 0x2028, r == 0x2029, r == 0x180e, r == 0xfeff,
		r >= 0x2060 && r <= 0x2064, r >= 0x206a && r <= 0x206f, r >= 0xfff9 && r <= 0xfffb:
		return true
	}
	return r >= 0xe0000 && r <= 0xe007f && !strings.ContainsRune(p.text, '\U0001f3f4')
}
