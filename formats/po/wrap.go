package po

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// lineWidth is how many columns msgcat uses for a line, its quotes included.
const lineWidth = 79

var escapes = strings.NewReplacer("\\", `\\`, `"`, `\"`, "\a", `\a`, "\b", `\b`, "\f", `\f`, "\n", `\n`, "\r", `\r`,
	"\t", `\t`, "\v", `\v`)

// spelled is a text behind a keyword, as msgcat writes it: on the keyword's line if it fits there, else below an empty
// string, broken where Unicode allows it, and behind each line break. In wide files only line breaks count.
func spelled(keyword, text, newline string, wide bool) string {
	portions := strings.SplitAfter(text, "\n")
	if n := len(portions) - 1; n > 0 && portions[n] == "" {
		portions = portions[:n]
	}
	if len(portions) == 1 {
		line := escapes.Replace(text)
		if wide || len(broken(line, len(keyword)+len(` "`))) == 1 {
			return `"` + line + `"`
		}
	}
	var out strings.Builder
	out.WriteString(`""`)
	for _, portion := range portions {
		lines := []string{escapes.Replace(portion)}
		if !wide {
			lines = broken(lines[0], len(`"`))
		}
		for _, line := range lines {
			out.WriteString(newline + `"` + line + `"`)
		}
	}
	return out.String()
}

// broken breaks an escaped text, which begins at a column, into lines.
func broken(text string, column int) []string {
	var lines []string
	start, at, width := 0, 0, column
	end := 0 // of what Unicode's algorithm keeps on one line
	for at < len(text) {
		if at >= end {
			end = at + unbroken(text[at:])
		}
		piece := text[at:end]
		if n := pause(text[at:], len(piece)); n > 0 {
			piece = piece[:n]
		}
		size := uniseg.StringWidth(piece)
		if at > start && width+size >= lineWidth {
			lines = append(lines, text[start:at])
			start, width = at, len(`"`)
		}
		at += len(piece)
		width += size
	}
	return append(lines, text[start:])
}

// unbroken is how much of an escaped text is on one line, whatever its length: up to where Unicode's algorithm allows a
// break outside of escapes. gettext's is an older version, which breaks at pauses, too.
func unbroken(text string) int {
	at := 0
	for {
		piece, rest, _, _ := uniseg.FirstLineSegmentInString(text[at:], -1)
		at += len(piece)
		if rest == "" || !joined(text[:at], rest) {
			return at
		}
	}
}

// pause finds a sign in the first bytes of a text behind which older versions break without a space: 0 for none.
func pause(text string, within int) int {
	for i := 1; i < within; i++ {
		if strings.IndexByte(".,:;!?", text[i-1]) < 0 {
			continue
		}
		next := text[i]
		if next >= utf8.RuneSelf || next|0x20 >= 'a' && next|0x20 <= 'z' || strings.IndexByte(`(\<`, next) >= 0 ||
			strings.IndexByte("!?", text[i-1]) >= 0 && next >= '0' && next <= '9' {
			if !joined(text[:i], text[i:]) {
				return i
			}
		}
	}
	return 0
}

// joined reports whether no line ends between two parts of an escaped text: not inside an escape, nor in front of the
// one for a line break, nor of a name behind a per cent sign.
func joined(before, behind string) bool {
	escapes := len(before) - len(strings.TrimRight(before, `\`))
	return escapes%2 == 1 || behind == `\n` || strings.HasSuffix(before, "%") && behind[0] == '('
}
