// Package jsonfile reads and edits JSON resource files, and JSON with comments (JSONC).
//
// Its law is that of package resource: an edit changes the bytes of the value it names, an entry that comes or goes
// takes its own comma, line and comment with it, and nothing else moves.
//
// Accepted: RFC 8259 with an object or an array at the root; // and /* */ comments in every gap; one trailing comma per
// object or array; a byte order mark; duplicate names (the last one counts, all are kept); line ends \n, \r\n and \r.
// Refused, with line and column: anything else at the root and an empty file, text behind the root, unquoted or
// single-quoted names, control characters inside a string, a second byte order mark, and what exceeds the limits of
// package resource.
//
// Values: a string is Text, null is Null, numbers and booleans are Other. All escapes are decoded. A string with half
// of a surrogate pair is not Unicode text: it is Other, with a Warning, and so is an entry whose name has one, with all
// that is in it; such a name decodes with the half pair as it is spelled. Arrays are Lists, their items have no
// names. JSON has no Forms: plural suffixes (key_one) and ICU messages are ordinary names and texts.
//
// A message file, as browser extensions, VS Code and FormatJS have them, is one whose outermost values are strings and
// objects of a text "message" ("defaultMessage" in FormatJS) beside nothing but "description", "placeholders" and
// "comment", one of which occurs, and numbers and booleans: there only the strings and the messages are entries,
// description or comment are the message's Note, and a new message brings the model's placeholders with it. Nothing but
// a message can be put into such an object. A message
// that has nothing but a comment (VS Code's package.nls.json and bundle.l10n.json) is a text under the object's own
// name, since the translated files have a plain string under that name. In all others (browser extensions) the object's
// name and "message" are nested names, as in the translated files, which have the same objects. A file with a Rails
// root is not a message file. An edit that would turn a file into a message file, such as taking out the only member
// that keeps it from being one, is refused: it would hide the descriptions from the next reader.
//
// In a file of messages with plural forms, as go-i18n has them (maps of strings under "one", "other" and the like),
// their "description" and "hash" are metadata. A file is such where one of these messages has a hash, or a description
// and several forms, or where all outermost objects are such messages; it has no Rails root. An edit that would make
// one of an ordinary file is refused.
//
// Metadata is not text: an outermost string "$schema", and "locale" beside an object "translations" that holds all the
// rest, as Angular has it; outermost members whose name begins with @@ (ARB's "@@locale"), and those whose name begins
// with @ and that hold an object (MediaWiki's "@metadata", ARB's "@key" beside "key"), but for messages, whose object
// has a string "message". They are Other with all that is in them, never sent and never changed. A new file has none
// but "$schema" and "locale", which programs want; its "locale" is its own language (In). The others would name the
// authors, or the language, of the source. A container with nothing else goes with its last text. A plain string under
// "@mention" is a text, and below the outermost level an @ means nothing.
//
// The Note of an entry is the comment directly above it (or in front of it on its line), else the one behind it on its
// line. A comment that a blank line separates from an entry belongs to no entry and stays when the entry goes.
//
// Removing an entry that was just inserted restores the bytes, with two exceptions: an object or array that was empty
// but not spelled {} or [], such as { }, becomes {} or []; and one that was empty inside another goes with the entry,
// as every container does with its last one.
package jsonfile

import (
	"github.com/locsync/locsync/formats/resource"
)

// Grammar is JSON and JSONC, flat or nested: resource.Keys says which.
var Grammar resource.Grammar = grammar{}

type grammar struct{}

// What Node.Style says of a node. The root has no name, so that it says in these bits how the file's strings are
// spelled.
const (
	nameEscaped  uint8 = 1 << iota // the name has a backslash
	valueEscaped                   // the string has one
	halfName                       // the name has half a surrogate pair
	messageEntry                   // an object with a message, or a message with a comment; the root: it is a message file

	seenRaw   // root: some string has a character beyond ASCII as it is
	seenCode  // root: some string has a letter beyond ASCII as \u
	seenSlash // root: some string has \/
	seenUpper // root: some \u has the digits A to F in upper case
)

// Scan reads JSON or JSONC. See the package comment for what it accepts.
func (grammar) Scan(src string) (*resource.Layout, error) {
	s := newScanner(src, JSONC)
	s.metadata = true
	return s.scan()
}

// ScanARB reads an Application Resource Bundle: all outermost members whose names begin with @ are metadata.
func ScanARB(src string) (*resource.Layout, error) {
	s := newScanner(src, JSONC)
	s.metadata, s.arb = true, true
	return s.scan()
}

// Name decodes the name of a member.
func (grammar) Name(src string, n *resource.Node) string {
	if n.Name.Len() == 0 {
		return ""
	}
	if n.Style&nameEscaped == 0 {
		return src[n.Name.Start+1 : n.Name.End-1]
	}
	return Unquote(n.Name.Of(src))
}

// Text decodes a string.
func (grammar) Text(src string, n *resource.Node) string {
	if n.Style&valueEscaped == 0 {
		return src[n.Value.Start+1 : n.Value.End-1]
	}
	return Unquote(n.Value.Of(src))
}

// Note returns the text of the comments that belong to an entry, or a message's description.
func (grammar) Note(src string, n *resource.Node) string {
	at := n.Note.Of(src)
	switch {
	case at == "":
		return ""
	case at[0] == '"':
		return Unquote(at)
	case at[0] == '[':
		return Join(at, "\n")
	}
	return commentText(at)
}
