package page

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/locsync/locsync/sync/check"
	"github.com/pmezard/go-difflib/difflib"
)

// The kinds of pieces, which are classes of the style sheet, too.
const (
	keptPiece    = "kept" // a placeholder or a tag
	signPiece    = "sign" // a character that shows nothing, by its name
	addedPiece   = "added"
	removedPiece = "removed"
)

// piece is a part of a text as people see it.
type piece struct {
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
func signOf(r rune, before, behind rune) (piece, bool) {
	edge := func(o rune) bool { return o == 0 || o == '\n' || o == ' ' }
	named, is := signs[r]
	switch {
	case is:
		return piece{signPiece, named[0], named[1]}, true
	case r == '\n' && (before == 0 || behind == 0):
		return piece{signPiece, "↵\n", "line break"}, true
	case r == ' ' && (edge(before) || edge(behind)):
		return piece{signPiece, "·", "space"}, true
	case hides(r):
		return piece{signPiece, fmt.Sprintf(`\u%04x`, r), "control character"}, r != '\r'
	}
	return piece{}, false
}

// hides reports whether a character would be invisible, or would change the order of what is around it.
func hides(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// spelled adds a text of one kind, with the names of what it has that shows nothing. before and behind are the
// characters around it, 0 for none.
func spelled(all []piece, kind, text string, before, behind rune) []piece {
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
			if from < at {
				all = append(all, piece{Kind: kind, Text: text[from:at]})
			}
			all = append(all, sign)
			from = at + size
		}
		before = r
	}
	if from < len(text) {
		all = append(all, piece{Kind: kind, Text: strings.ReplaceAll(text[from:], "\r", "")})
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

// pieces are those of a text of a key.
func (it item) pieces(text string) (all []piece) {
	at := 0
	add := func(kind string, to int) {
		if at < to {
			before, behind := around(text, at, to)
			all = spelled(all, kind, text[at:to], before, behind)
			at = to
		}
	}
	for _, span := range check.Protected(text, it.programs()) {
		add("", span.From)
		add(keptPiece, span.To)
	}
	add("", len(text))
	return all
}

// insertable is what a click puts into a translation.
type insertable struct{ Text, Name string }

// mostInsertable is how many are offered of one key.
const mostInsertable = 20

// insertables are the placeholders, tags and characters without a sign of the source, and the no-break space.
func (it item) insertables() (all []insertable) {
	add := func(text, name string) {
		known := slices.ContainsFunc(all, func(i insertable) bool { return i.Text == text })
		if !known && len(all) < mostInsertable {
			all = append(all, insertable{text, name})
		}
	}
	for _, t := range it.row.Texts {
		for _, span := range check.Protected(t.Value, it.programs()) {
			add(t.Value[span.From:span.To], "")
		}
	}
	for _, t := range it.row.Texts {
		for _, r := range t.Value {
			if sign, is := signs[r]; is {
				add(string(r), sign[1])
			}
		}
	}
	add("\u00a0", signs['\u00a0'][1])
	return all
}

// words are what two texts are compared by.
var words = regexp.MustCompile(`[\pL\pM\pN]+|\s+|.`)

// mostCompared is how many words of two texts are compared, each with each.
const mostCompared = 60_000

// difference is what one text has more and less than another, as one text.
func difference(was, is string) (all []piece) {
	a, b := words.FindAllString(was, -1), words.FindAllString(is, -1)
	if len(a)*len(b) > mostCompared {
		a, b = []string{was}, []string{is}
	}
	last := rune(0)
	add := func(kind string, parts []string, behind rune) {
		if text := strings.Join(parts, ""); text != "" {
			all = spelled(all, kind, text, last, behind)
			last, _ = utf8.DecodeLastRuneInString(text)
		}
	}
	for _, code := range difflib.NewMatcherWithJunk(a, b, false, nil).GetOpCodes() {
		if code.Tag == 'e' {
			var behind rune
			if code.I2 < len(a) || code.J2 < len(b) {
				behind = '.'
			}
			add("", a[code.I1:code.I2], behind)
			continue
		}
		before := last
		add(removedPiece, a[code.I1:code.I2], '.')
		last = before
		add(addedPiece, b[code.J1:code.J2], '.')
	}
	return all
}
