// Package yamlfile is the grammar of YAML resource files (YAML 1.2 and 1.1, https://yaml.org/spec/1.2.2/): how their
// bytes fall into entries, and how single entries are written without touching the rest.
//
// Its law: what it accepts, YAML readers read alike, with the same structure and the same texts. Where readers of 1.1
// and 1.2 would see different things, or where a construct is not understood to the last byte, the file is refused with
// line and column.
//
// It does not check what texts say, resolves no merge keys and expands no aliases.
//
// # What is read
//
// Block and flow mappings and sequences in every nesting, compact ones too ("- - a", "- a: b"), sequences at their
// key's column; plain, single- and double-quoted scalars, also over several lines; literal and folded ones with all
// indicators; anchors, aliases, tags, merge keys, explicit keys ("? k"), comments, several documents, %YAML 1.1 and
// 1.2, document marks, LF and CRLF, a byte order mark. The entries of several documents stand side by side, without a
// number of the document in their keys. Lists are counted from 0. YAML has no plural forms of its own: plural
// categories are ordinary names inside a mapping, and so are their keys.
//
// A scalar is a text (resource.Text) when it is quoted, a block scalar, tagged !!str, or plain and a string to every
// reader. Plain ones that YAML 1.1 or the core schema of 1.2 takes for null are Null; for a boolean, a number, a
// sexagesimal or a date, Other; so are Ruby's symbols (:day), which are names in a program, and scalars whose tag says
// that they are something else. Package answers tells of a plain yes, no, on or off. Names are taken as written: 404
// and '404' are one key.
//
// An alias reads as the text of its anchor (resource.Node.Ref). Setting an alias replaces it by the text; setting or
// removing the anchored value leaves what others read as it was. Aliases of mappings and sequences, merge keys, and
// entries whose key is not a scalar are kept and never looked into: they appear as containers without entries.
//
// A message file, as browser extensions have them, is one whose outermost values are texts and mappings of a text
// "message" beside nothing but a text "description", a mapping "placeholders", one of which occurs, and numbers and
// booleans. There only the texts and the messages are entries, the description is the message's Note, and a new
// message brings the model's placeholders with it, and the description where its neighbours have one. Nothing but a
// message can be put into such a mapping. A file with an alias, a merge key or a Rails root is not a message file.
// An edit that would turn a file into one is refused: it would hide the descriptions from the next reader.
//
// The "description" and "hash" beside plural forms (go-i18n) are metadata: Other, never sent, not in a new file.
//
// # What is refused
//
// Beyond what is not YAML: a single scalar as document; several documents unless all are block mappings; tabs as
// indentation; %TAG and unknown directives, and named tag handles; anything but a flow collection on the line of "---";
// an anchor or a tag on a whole document; collections and aliases as implicit keys, block collections and block scalars
// as explicit ones, "? k" inside flow collections, names over several lines there, and names that are not there (":
// a"); "{a:}" and "{a\n: b}", where the colon has no space behind it or is not on the line of its name; aliases of
// names, and aliases from and to what is not looked into; colons and other characters than ASCII in anchors; U+0085,
// U+2028 and U+2029 outside of flow texts (YAML 1.1 takes them for line ends, and a flow text with one is left out
// alone, unless it is inside a quoted line); a byte order mark elsewhere
// than in front or inside a line; lone carriage returns and other control characters; a block scalar that ends the file
// in a line of spaces. All of these are read differently by readers that are in use, or would take more of the grammar
// than people write. A file that is cut off while it is being written is refused where YAML can tell: inside quotes and
// brackets. Elsewhere it is a shorter file.
//
// # What is written
//
// A new text keeps the spelling of the old one when that can hold it, and becomes double-quoted otherwise: a plain one
// whenever any reader could take it for something else, a single-quoted one for line ends and control characters, a
// block scalar for what blocks cannot hold, and for trailing blank lines where others follow. No line is ever wrapped;
// a text that was folded over several lines goes on one, except that double quotes keep the lines that did not change.
//
// A new entry takes the column, the separators and the quotes of names of its neighbours, and where there are none
// those of the source's entry, which also says how the text is quoted and whether it is a block scalar. Mappings and
// lists that come with it are indented as the file does it first, else as the source does. {} and [] become block
// collections, but not inside flow ones. A name that some reader takes for something else (no, on, null, 1.0) gets
// quotes, unless the source spells that very name without: then both files are to be read alike.
//
// Single edits are refused, with what to do about it, where they are against what the file says: a text for a tag that
// says it is none (!!int); an entry inside an alias, a merge key or a pair without braces; one behind a block scalar
// that ends the file without a line end, which would become part of the text; more than resource.MaxDepth levels; a
// name of more than 1,000 bytes in a flow collection, where it cannot be an explicit key.
//
// A removal that follows an insertion restores the bytes, except where the first key went into a mapping spelled {}
// (which is gone then), into a file that has only comments (which has a blank line more), or behind a name without a
// value in a flow collection, where nothing but a bracket, a comment or a line end follows it (which has a space more).
package yamlfile

import (
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// Grammar reads and edits YAML files.
var Grammar resource.Grammar = grammar{}

type grammar struct{}

// How a value is spelled, in resource.Node.Style. Block scalars are literal or folded, plus the column of their content
// when an indicator gives it.
const (
	plain         = iota + 1 // as it reads
	plainFolded              // over several lines
	single                   // in single quotes, otherwise as it reads
	singleEscaped            // with '' inside, or over several lines
	double                   // in double quotes, otherwise as it reads
	doubleEscaped            // with escapes inside, or over several lines
	empty                    // nothing; the value goes behind the colon, the dash or the tag
	emptyFlow                // nothing, not even a colon: {name}
	emptyExplicit            // nothing, not even a colon: "? name"
	tagged                   // a scalar that is not text by its tag
	alias                    // *name
	sealed                   // what is not looked into
	block                    // a block mapping or sequence
	flow                     // a flow mapping or sequence
	pair                     // a mapping without braces inside a flow sequence: [a: b]
	message                  // a block mapping with a message
	messageFlow              // a flow mapping with one

	literal      = 32                   // "|"
	folded       = 128                  // ">"
	maxIndicated = folded - literal - 1 // the widest indicated column that a style can note
)

func isBlockText(style uint8) bool { return style >= literal }

// Name decodes the name of a node. The name of an entry whose key is not a scalar is returned as it is spelled.
func (grammar) Name(src string, n *resource.Node) string {
	return decodeName(n.Name.Of(src))
}

func decodeName(raw string) string {
	if len(raw) < 2 {
		return raw
	}
	switch raw[0] {
	case '"':
		return unquoteDouble(raw)
	case '\'':
		return unquoteSingle(raw)
	case '[', '{':
		return raw
	}
	return fold(raw)
}

// Text decodes the text of a Text node.
func (grammar) Text(src string, n *resource.Node) string {
	raw := n.Value.Of(src)
	switch s := n.Style; s {
	case single, double:
		return raw[1 : len(raw)-1]
	case singleEscaped:
		return unquoteSingle(raw)
	case doubleEscaped:
		return unquoteDouble(raw)
	case plainFolded:
		return fold(raw)
	default:
		if isBlockText(s) {
			return unblock(src, n.Value, s)
		}
		return raw
	}
}

// Note returns a message's description, or the comment lines of a note without signs and indentation, joined by
// newlines.
func (grammar) Note(src string, n *resource.Node) string {
	if isDescription(src, n.Note) {
		return describe(src, n)
	}
	var out strings.Builder
	for line := range strings.Lines(n.Note.Of(src)) {
		line = strings.TrimLeft(strings.TrimSpace(line), "#")
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(strings.TrimSpace(line))
	}
	return out.String()
}
