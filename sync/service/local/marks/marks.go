// Package marks is how people see what is in a text: placeholders and tags, characters that show nothing, and what one
// text has more or less than another.
//
// Its law: the pieces of a text are the text in order, and what is spelled out is named. It makes no markup of them,
// and decides nothing about texts.
package marks

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/locsync/locsync/sync/check"
	"github.com/pmezard/go-difflib/difflib"
)

// The kinds of pieces, which are classes of the style sheet, too.
const (
	Kept    = "kept" // a placeholder or a tag
	Sign    = "sign" // a character that shows nothing, by its name
	Added   = "added"
	Removed = "removed"
)

// Piece is a part of a text as people see it.
type Piece struct {
	Kind  string `json:"kind,omitempty"`
	Text  string `json:"text"`
	Title string `json:"title,omitempty"`
}

// signs are the names of characters that show nothing.
var signs = map[rune][2]string{
	'\t': {"→\t", "tab"}, '\u00a0': {"NBSP", "no-break space"}, '\u00ad': {"SHY", "soft hyphen"},
	'\u200b': {"ZWSP", "zero-width space"}, '\u200c': {"ZWNJ", "zero-width non-joiner"},
	'\u200d': {"ZWJ", "zero-width joiner"}, '\u200e': {"LRM", "left-to-right mark"},
	'\u200f': {"RLM", "right-to-left mark"}, '\u202f': {"NNBSP", "narrow no-break space"},
	'\u2007': {"FSP", "figure space"}, '\u2009': {"THSP", "thin space"}, '\u2060': {"WJ", "word joiner"},
	'\ufeff': {"BOM", "byte order mark"}, '\u2028': {"LSEP", "line separator"}, '\u2029': {"PSEP", "paragraph separator"},
}

// signOf is how a character is shown that shows nothing itself; false for all others. Space is one at the ends of a
// line and beside other space.
func signOf(r rune, before, behind rune) (Piece, bool) {
	edge := func(o rune) bool { return o == 0 || o == '\n' || o == ' ' }
	named, is := signs[r]
	switch {
	case is:
		return Piece{Sign, named[0], named[1]}, true
	case r == '\n' && (before == 0 || behind == 0):
		return Piece{Sign, "↵\n", "line break"}, true
	case r == ' ' && (edge(before) || edge(behind)):
		return Piece{Sign, "·", "space"}, true
	case hides(r):
		return Piece{Sign, fmt.Sprintf(`\u%04x`, r), "control character"}, r != '\r'
	}
	return Piece{}, false
}

// hides reports whether a character would be invisible, or would change the order of what is around it.
func hides(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// spelled adds a text of one kind, with the names of what it has that shows nothing. before and behind are the
// characters around it, 0 for none.
func spelled(all []Piece, kind, text string, before, behind rune) []Piece {
	from := 0
	for at, r := range text {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			size = 1
		}
		next := behind
		if at+size < len(text) {
			next, _ = utf8.DecodeRuneInString(text[at+size:])
		}
		if sign, is := signOf(r, before, next); is {
			if kind == Added || kind == Removed {
				sign.Kind = kind // what became of it says more
			}
			if from < at {
				all = append(all, Piece{Kind: kind, Text: text[from:at]})
			}
			all = append(all, sign)
			from = at + size
		}
		before = r
	}
	if from < len(text) {
		all = append(all, Piece{Kind: kind, Text: strings.ReplaceAll(text[from:], "\r", "")})
	}
	return all
}

// around are the characters before and behind a part of a text; 0 at its ends.
func around(text string, from, to int) (before, behind rune) {
	if from > 0 {
		before, _ = utf8.DecodeLastRuneInString(text[:from])
	}
	if to < len(text) {
		behind, _ = utf8.DecodeRuneInString(text[to:])
	}
	return before, behind
}

// Of are the pieces of a text, of which some parts are kept as they are.
func Of(text string, kept []check.Span) (all []Piece) {
	at := 0
	add := func(kind string, to int) {
		if at < to {
			before, behind := around(text, at, to)
			all = spelled(all, kind, text[at:to], before, behind)
			at = to
		}
	}
	for _, span := range kept {
		add("", span.From)
		add(Kept, span.To)
	}
	add("", len(text))
	return all
}

// NameOf is the name of a character that shows nothing; false for all others.
func NameOf(r rune) (name string, is bool) {
	named, is := signs[r]
	return named[1], is
}

// NoBreakSpace is offered to be inserted into any text.
const NoBreakSpace = '\u00a0'

// Shown is a text as people see it: what would be invisible, or would change the order of what is around it, is spelled
// out. In the fields a text is what it is.
func Shown(text string) string {
	if !strings.ContainsFunc(text, hides) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if !hides(r) {
			b.WriteRune(r)
		} else if r != '\r' {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// words are what two texts are compared by.
var words = regexp.MustCompile(`[\pL\pM\pN]+|\s+|.`)

// mostCompared bounds how many words of two texts are compared, each with each, behind their common beginning and
// before their common end.
const mostCompared = 16_000

// Difference is what one text has more and less than another, as one text.
func Difference(was, is string) (all []Piece) {
	a, b := words.FindAllString(was, -1), words.FindAllString(is, -1)
	from, most := 0, min(len(a), len(b))
	for from < most && a[from] == b[from] {
		from++
	}
	end := 0
	for end < most-from && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	old, new := a[from:len(a)-end], b[from:len(b)-end]
	codes := []difflib.OpCode{{Tag: 'r', I2: len(old), J2: len(new)}}
	if len(old)*len(new) <= mostCompared {
		codes = difflib.NewMatcherWithJunk(old, new, false, nil).GetOpCodes()
	}
	last := rune(0)
	add := func(kind string, parts []string, behind rune) {
		text := strings.Join(parts, "")
		if kind != "" && strings.TrimSpace(text) == "" {
			last, behind = 0, 0 // each space is seen
		}
		if text != "" {
			all = spelled(all, kind, text, last, behind)
			last, _ = utf8.DecodeLastRuneInString(text)
		}
	}
	behind := func(more bool) rune {
		if more {
			return '.'
		}
		return 0
	}
	add("", a[:from], behind(len(old)+len(new)+end > 0))
	for _, code := range codes {
		if code.Tag == 'e' {
			add("", old[code.I1:code.I2], behind(code.I2 < len(old) || code.J2 < len(new) || end > 0))
			continue
		}
		before := last
		add(Removed, old[code.I1:code.I2], '.')
		last = before
		add(Added, new[code.J1:code.J2], '.')
	}
	add("", a[len(a)-end:], 0)
	return all
}
