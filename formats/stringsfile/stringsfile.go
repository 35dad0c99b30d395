// Package stringsfile is the grammar of Apple's .strings files: old-style property lists of texts under keys, as Xcode,
// genstrings and the system's own reader know them.
//
// Its law is package resource's: what is not edited keeps every byte; an edit changes the bytes of the value that it
// names.
//
// It accepts what Apple's reader accepts: "key" = "text"; with double or single quotes or none (letters, digits and
// _$/:.- need none), comments of both kinds in every gap, a key alone ("key"; reads as its own text), all of it inside
// braces or not, any line ends, UTF-8 with or without byte order mark, UTF-16 of both byte orders with or without one.
// A file without entries is legal. Arrays, dictionaries and <data> are values that are not text (Kind Other). One key
// may be twice; the last one counts.
//
// It refuses, with line and column, what Apple's reader refuses (a missing semicolon, an open string) and what could
// only be guessed at: an open comment, a lone surrogate or half a unit in UTF-16, a second byte order mark, a raw NUL,
// text behind the closing brace, other encodings, and property lists in XML or compiled form, which belong to other
// tools (plutil converts them).
//
// A text is everything between the quotes, line ends included, with escapes decoded as Apple does: \a \b \f \n \r \t
// \v, \U and up to four hexadecimal digits of UTF-16 (a pair of surrogates is one character), up to three octal digits
// in the NeXTSTEP character set, a backslash before a line end is that line end, and before anything else it is
// nothing. So \u00e9 reads as "u00e9", as it will on the device; such an entry carries a warning. An escape that is not
// a character (half a surrogate pair, \376, \377) makes the entry Kind Other.
//
// A new text is written with the quotes that the old one has, and escapes only what it must, but line ends, tabs, the
// other quote and characters beyond ASCII are spelled as the old text, or else its neighbours, spell theirs. A text
// without quotes gets double quotes when it needs them. A key alone gets = and a text behind it.
//
// A comment directly above an entry, and one behind it on its line, belong to it: they are its note, and go with it.
// Comments that a blank line separates from the entry below stay. A new entry is on lines of its own, or on its
// neighbours' line where those share one, with their indentation, their line end and, where both sides have them, their
// blank lines; the comment of the source's entry comes with it where the file has comments. Removing it restores the
// bytes that were there before.
//
// There are no plural forms in this format: every entry is one text under one key, and forms are refused. (The
// plurals of an Apple program are in .stringsdict files.)
package stringsfile

import (
	"github.com/locsync/locsync/formats/resource"
)

// Grammar reads and writes Apple .strings.
var Grammar resource.Grammar = grammar{}

type grammar struct{}

// braced is the Style of a root whose entries are in braces.
const braced = 1

func (grammar) Name(src string, n *resource.Node) string { return decoded(n.Name.Of(src)) }

// Text decodes a value; a key alone is its own text.
func (grammar) Text(src string, n *resource.Node) string {
	if n.Value.Len() == 0 {
		return decoded(n.Name.Of(src))
	}
	return decoded(n.Value.Of(src))
}

func (grammar) Note(src string, n *resource.Node) string { return note(src, n) }
