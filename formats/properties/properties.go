// Package properties is the grammar of Java's .properties files: resource bundles of java.util, Spring and others.
//
// Its law is package resource's: what is not edited keeps every byte; an edit changes the bytes of the value that it
// names.
//
// It reads what java.util.Properties.load reads: key and text on one line, with =, : or white space between them;
// comments behind # or !; lines that go on behind an odd number of backslashes, without the white space that the next
// one begins with; the escapes \t \n \r \f and \uXXXX, a backslash before anything else being nothing; line ends of
// all three kinds. A key alone has the empty text. One key may be twice; the last one counts. An escape \u without
// four hexadecimal digits is refused, as Java refuses the file. Half a surrogate pair makes the entry Kind Other.
//
// A file with characters beyond ASCII that is valid UTF-8 is UTF-8, any other one is ISO-8859-1, in which other
// characters are written as \uXXXX. Such characters of a new text are spelled as the old text, or else most of the
// file's, spell theirs. A file that shows neither gets \uXXXX, which every program reads right, whatever encoding it
// expects; but a new entry, or a new file, is written as its source, where that is in UTF-8.
//
// Comments directly above an entry belong to it: they are its note, and go with it. Comments that a blank line
// separates from the entry below stay. A text with a line of the file for each of its own stays so. There are no plural
// forms in this format. Removing a new entry restores the bytes that were there before, but behind a backslash at the
// end of the file, whose line is ended first. A byte order mark is kept, and does not belong to the first key.
package properties

import (
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/locsync/locsync/formats/resource"
)

// Grammar reads and writes .properties.
var Grammar resource.Grammar = grammar{}

type grammar struct{}

func (grammar) Name(src string, n *resource.Node) string {
	name, _ := decoded(n.Name.Of(src))
	return name
}

func (grammar) Text(src string, n *resource.Node) string {
	text, _ := decoded(n.Value.Of(src))
	return text
}

// Note is the comment lines without their signs.
func (grammar) Note(src string, n *resource.Node) string {
	if n.Note.Len() == 0 {
		return ""
	}
	var lines []string
	for _, line := range strings.FieldsFunc(n.Note.Of(src), func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = strings.TrimLeft(line, " \t\f")
		lines = append(lines, strings.TrimSpace(strings.TrimLeft(line, line[:min(1, len(line))])))
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// Comment returns where the comment at an offset ends.
func (grammar) Comment(src string, at int) int {
	if at < len(src) && (src[at] == '#' || src[at] == '!') {
		return lineRest(src, at)
	}
	return at
}

// Annotates says that new entries get the comments of their models.
func (grammar) Annotates() bool { return true }

const mark = "\xef\xbb\xbf"

// Decode takes what is not valid UTF-8 for ISO-8859-1.
func (grammar) Decode(src []byte) (string, func(string) []byte, error) {
	text := unsafe.String(unsafe.SliceData(src), len(src))
	if strings.IndexByte(text, 0) >= 0 {
		return "", nil, &resource.SyntaxError{Offset: strings.IndexByte(text, 0),
			Msg: `a NUL character; this is not a text file, or the text needs \u0000 there`}
	}
	switch {
	case !utf8.ValidString(text):
		out := make([]byte, 0, len(src)+len(src)/8)
		for _, b := range src {
			out = utf8.AppendRune(out, rune(b))
		}
		return unsafe.String(unsafe.SliceData(out), len(out)), latin1, nil
	case strings.HasPrefix(text, mark):
		return text[len(mark):], func(s string) []byte { return append([]byte(mark), s...) }, nil
	}
	return text, nil, nil
}

// latin1 encodes a text in ISO-8859-1, which has all characters of it.
func latin1(text string) []byte {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		out = append(out, byte(r))
	}
	return out
}
