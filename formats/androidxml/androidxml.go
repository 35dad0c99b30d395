// Package androidxml is the grammar of Android string resources: XML files whose root is <resources>.
//
// Its law: a text is what Android's resource compiler (AAPT2) would put into the app, inline markup kept as tags; a new
// text is written so that reading it gives that very text again, or it is refused.
//
// # What is a text
//
//	<string name="k">          one text under k
//	<item type="string" ...>   the same
//	<plurals name="k">         the texts of k, one for each quantity (resource.Forms)
//	<string-array name="k">    the texts of k, counted from 0 (resource.Forms)
//
// All other kinds of resources (color, dimen, style, integer-array, public, ...) have no nodes; their bytes stay. A
// string and plurals may share one name. What is marked translatable="false", itself or on the root, is Kind Other and
// cannot be set; so is a value that is a reference (@string/other, ?attr/title, @null), which a Set turns into a text.
//
// A variant for one product is a key of its own, name@product: <string name="k" product="tablet"> is "k@tablet". Names
// cannot hold an @ in Android, so the two cannot meet. product="default" is what a device gets that no variant fits,
// the same as no attribute to the compiler, so its key is "k" alone.
//
// # How a value decodes
//
// XML first: entities, character references, CDATA, comments left out. Then, as the compiler does it, also inside
// CDATA: \n \t \' \" \@ \? \\ \# and \uXXXX (surrogate pairs too; a broken one stays as written); any other escaped
// character is that character; a " is not part of the text but turns collapsing of white space off, or on again;
// outside of quotes each run of ASCII white space is one space; both ends are trimmed, unless the value has inline
// markup (<b>, <a>, ...; not xliff:g), before and after which quoting starts anew. Tags stay in the text byte for byte.
// A reference to an entity of the file's own DOCTYPE stays as written: &app; is never expanded.
//
// # Compose Multiplatform
//
// Its files (Compose) are the same XML, and its build turns values into texts in another way: XML first, then \n \t
// \uXXXX and \\; any other backslash, quotes, apostrophes, @ and ? are themselves, and so is all white space. No value
// refers to another resource. What all that comes to is the two values of dialect; the rest of the package knows none
// of them.
//
// # How a new text is spelled
//
// The old value's spelling is kept: wrapped in quotes, CDATA, real markup, escaped markup (&lt;b>), \u escapes of
// characters that had one, white space around the text. A new entry takes these from its model, quoting from its
// neighbours. Where nothing tells, well-formed markup of known inline tags is written as markup, everything else
// escaped. Refused are control characters, broken markup where real markup is expected, tags with a prefix that nothing
// declares.
//
// # What is refused
//
// Bytes that an XML parser or the compiler refuses as a whole: not well-formed, entities that nothing declares, another
// root than <resources>, other encodings than UTF-8. An undeclared prefix (xliff: in practice), an unescaped
// apostrophe, a broken \u escape, a missing name, plurals without other, text directly inside <resources> are warnings:
// other entries are none the worse for them. (The compiler refuses such text too, but Gradle's merger of resources
// leaves it out before the compiler sees the file.) A file of nothing but white space is read as one without entries.
//
// # Insert and Remove
//
// An entry that has its lines to itself goes and comes with them, and with its comment: comments on lines of their own
// directly above, and those behind it on its last line. A comment that holds commented-out code belongs to no entry. On
// a shared line only the element and the white space before it go. A new entry brings its source's comment where the
// file has comments. Removing what was just inserted restores the bytes but in these cases: <resources/> was opened;
// <resources></resources> or a blank file had no line for it; likewise plurals and arrays without items.
//
// # Compose
//
// Attributes come from the model but those that belong to its own file (tools: and other prefixes, translatable,
// msgid), notes become comments, prefixes are declared on the root. An array item that is not text is copied from the
// model; where it is unknown, it is @null, so that the items behind it keep their indexes.
//
// A new file of translations, which is a copy of its source with other texts, keeps nothing that only the source is
// for: see Monolingual.
//
// The package reads strings and returns splices; it does no input or output and holds no state.
package androidxml

import (
	"strconv"
	"strings"
	"unsafe"

	"github.com/locsync/locsync/formats/resource"
)

type grammar struct{ *dialect } // see Grammar and Compose

// Bits of Node.Style: what Scan saw that is worth remembering.
const (
	styleSpecial uint8 = 1 << iota // the value's text is not its bytes, trimmed
	styleMarkup                    // elements inside the value
	styleProduct                   // the product attribute is part of the name
	styleClosed                    // <string name="k"/>: the value span is the "/>"
	styleLocked                    // translatable="false"
	styleCounted                   // an item of a string-array: the empty Name span holds its index
	styleArray                     // a string-array
)

// quantities are the names that plural items can have, in CLDR's order.
var quantities = []string{"zero", "one", "two", "few", "many", "other"}

// Decode passes UTF-8 through, and says clearly what is wrong with other encodings.
func (grammar) Decode(src []byte) (string, func(string) []byte, error) {
	text := unsafe.String(unsafe.SliceData(src), len(src))
	if _, err := declaration(text); err != nil {
		return "", nil, err
	}
	return text, nil, nil
}

// Name is the name attribute with the product, the quantity of a plurals item, or the index of an array item.
func (grammar) Name(src string, n *resource.Node) string {
	if n.Style&styleCounted != 0 {
		return strconv.Itoa(int(n.Name.Start))
	}
	if n.Name.Len() < 2 {
		return ""
	}
	name := attributeText(src[n.Name.Start+1 : n.Name.End-1])
	if n.Style&styleProduct != 0 {
		name += "@" + product(src, n)
	}
	return name
}

// product is the decoded product attribute of an entry that has one.
func product(src string, n *resource.Node) string {
	a, _ := startTagOf(src, n).attribute("product")
	return attributeText(a.text(src))
}

// isDefault reports whether a product is the one that every device falls back to.
func isDefault(product string) bool { return product == "" || product == "default" }

// splitName takes a key apart into name and product.
func splitName(key string) (name, variant string) {
	at := strings.LastIndexByte(key, '@')
	if at <= 0 || isDefault(key[at+1:]) {
		return key, ""
	}
	return key[:at], key[at+1:]
}

// Text decodes a value as the package comment says.
func (g grammar) Text(src string, n *resource.Node) string {
	raw := valueOf(src, n)
	if n.Style&styleSpecial != 0 {
		return g.decode(raw)
	}
	return g.plain(raw)
}

// valueOf is the content of a leaf's element as spelled; nothing where the element has no end tag.
func valueOf(src string, n *resource.Node) string {
	if n.Style&styleClosed != 0 {
		return ""
	}
	return n.Value.Of(src)
}

// Note is the comment above an entry, line by line without its indentation.
func (grammar) Note(src string, n *resource.Node) string {
	var lines []string
	for rest := n.Note.Of(src); ; {
		start := strings.Index(rest, "<!--")
		if start < 0 {
			return strings.Join(lines, "\n")
		}
		rest = rest[start+4:]
		end := strings.Index(rest, "-->")
		for line := range strings.Lines(strings.TrimSpace(rest[:end])) {
			lines = append(lines, strings.TrimSpace(line))
		}
		rest = rest[end+3:]
	}
}
