// Package resource is the idea of a resource file: bytes that people wrote, in which some spans are texts
// under keys. A file is read once (Parse), asked (Entries, Lookup), and changed by cutting new bytes into
// the old ones (Rewrite); what is not edited is not even looked at again. Compose makes a small canonical file
// where there is none to follow.
//
// Its law: Rewrite with no edits returns the very bytes that were parsed, and an edit changes the bytes of the value it
// names and nothing else. Nothing is ever re-serialised. Whatever a rewrite returns was read back before and found to
// be what was asked for: a fault of a grammar, in a file of an unforeseen shape, costs the edits that it
// concerns and never an entry beside them.
//
// What a format looks like is the business of its Grammar, one per sub-folder beside this one. What
// nesting, keys, separators and positions mean is decided here, once for all of them:
//
//	bytes --Grammar.Scan--> nodes --Keys--> entries (key, form, text)
//	edits --position rule--> splices by the Grammar --> bytes
//
// The package does no input or output, and knows no languages, no service and no git.
package resource

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Limits that every grammar keeps. A file beyond them is refused with a SyntaxError.
const (
	MaxBytes   = 32 << 20 // of a whole file
	MaxEntries = 150_000  // of a whole file, containers included: one may be two bytes long, and takes fifty times that
	MaxDepth   = 1000     // of containers inside one another
	MaxName    = 64 << 10 // bytes of one name as spelled
)

// Span is a half-open range of byte offsets into a file's text.
type Span struct{ Start, End uint32 }

// At returns the span from start to end.
func At(start, end int) Span { return Span{uint32(start), uint32(end)} }

// Len is the number of bytes.
func (s Span) Len() int { return int(s.End - s.Start) }

// Of returns the bytes of src that the span covers.
func (s Span) Of(src string) string { return src[s.Start:s.End] }

// Kind says what a node is.
type Kind uint8

// The kinds of nodes. Absent, Text, Null and Other are leaves; Map, List and Forms contain others.
const (
	Absent Kind = iota // no entry: where a text of this name would be (see Multilingual)
	Text               // a text that people translate
	Null               // without a text yet: JSON null, an empty YAML value
	Other              // a value that is not text: number, boolean, resource reference, translatable="false"
	Map                // children have names
	List               // children are counted from 0 and have no names
	Forms              // children are the texts of one key: plural categories by name, or items counted from 0
)

// Node is one value of a file as its grammar found it: its offsets, nothing decoded.
type Node struct {
	Parent int32 // the container's index; -1 for the root
	End    int32 // index behind its last descendant; its own index + 1 for a leaf
	Kind   Kind
	Style  uint8 // the grammar's own note on how the value is spelled
	Meta   bool  // it says something about the file or another entry, and is never set; the root: so do others
	Name   Span  // the name as spelled, quotes included; empty in a List
	Value  Span  // the value as spelled, quotes included: what a Set replaces. A container's: all of its bytes
	Whole  Span  // the entry from its name to its last byte, separators excluded
	Note   Span  // the comments that belong to the entry; empty when there are none
	Ref    int32 // an earlier node whose value this one repeats by pointing at it (a YAML alias); 0: it has its own
}

// Warning is something wrong with one node that does not stop the rest of the file.
type Warning struct {
	Node  int
	Msg   string
	At    int  // its offset, where that is not the node's; 0 where it is
	Left  bool // the node is left out because of it, and people mean it to be a text
	Fails bool // programs refuse the file because of it
	By    Readers
}

// Readers are the programs that mind what a warning is about.
type Readers string

const (
	AllReaders Readers = ""
	YAML11     Readers = "YAML 1.1" // of the older version of YAML
)

// Layout is what Scan returns: nodes in pre-order, the root first (Parent -1, Kind Map or List), each directly followed
// by its descendants, siblings in file order.
type Layout struct {
	Nodes    []Node
	Warnings []Warning
}

// Splice replaces the bytes of At by Text.
type Splice struct {
	At   Span
	Text string
}

// Gap is between siblings: in the container In, behind the sibling After, or before the first one when After is
// -1.
type Gap struct{ In, After int }

// New is an entry that is to be written. Name is empty inside a List; Text is set for Kind Text, Children for the
// containers.
type New struct {
	Kind     Kind
	Name     string
	Text     string
	Note     string // a comment for translators, where the format has comments
	Children []New
	Like     *Model // the entry that this one is modelled on, for spelling and attributes; nil when there is none
}

// Model points at an entry of another file of the same grammar, or of another dialect.
type Model struct {
	File *File
	Node int
}

// Grammar is one format's spelling, without memory: how its bytes fall into nodes, and how single nodes are written.
// All strings that go in and out as name, text or note are decoded, valid UTF-8. A grammar never moves or restyles
// bytes it was not asked about.
//
// Set, Insert, Remove and Rename return splices against f.Source(). Each takes care of separators (commas, line ends,
// indentation) by copying what the neighbours in f do. A text or name that the format cannot hold is an error that
// says why; it is reported for that key alone.
type Grammar interface {
	// Scan reads src, which is valid UTF-8 of at most MaxBytes, in one pass. An error is a *SyntaxError with Offset set.
	Scan(src string) (*Layout, error)
	// Name decodes the name of a node; Text the text of a Text node; Note the comment, without its signs and indentation.
	Name(src string, n *Node) string
	Text(src string, n *Node) string
	Note(src string, n *Node) string

	// Set gives the leaf i this text, in the spelling the leaf has if that can hold it, else in the nearest one that can.
	Set(f *File, i int, text string) (Splice, error)
	// Insert adds entries, in order, at one place. Where that is in a Null, it becomes a Map with them, or the error says
	// what to do.
	Insert(f *File, at Gap, add []New) (Splice, error)
	// Remove takes entries out, each with the comment directly above it. gone is sorted, holds whole subtrees by their
	// top node only, and all that go from the file at once. A container that loses all its children and is not gone itself
	// stays as an empty one. What stays and repeats a value that goes (Node.Ref) is not left pointing at nothing.
	Remove(f *File, gone []int) ([]Splice, error)
	// Rename gives node i another name, in the spelling that it has.
	Rename(f *File, i int, name string) (Splice, error)
	// Compose writes a file of these entries in the format's plainest layout: two spaces, \n, a final newline.
	Compose(top []New) ([]byte, error)
}

// Decoder is implemented by grammars whose files may have another encoding than UTF-8. Decode returns the UTF-8 text
// and the way back, which must restore the same bytes for the same text. With an error (a *SyntaxError), text is what
// was decoded before it and Offset counts in that; where text is empty, Offset counts in src.
type Decoder interface {
	Decode(src []byte) (text string, encode func(string) []byte, err error)
}

// Describer is implemented by grammars whose files may be message files: entries of a text and what describes it.
// HideDescriptions takes all but the texts of these out of what Scan returned, and makes the description the text's
// Note. A file with a Rails root does not count.
type Describer interface {
	HideDescriptions(src string, l *Layout)
}

// Bilingual is implemented by grammars whose entries hold the source text, or a state, beside the text. Beside returns
// what else changes when leaf i gets its text, of those that leaves get: its source text becomes that of
// like, the entry of the source file, where
// there is one; marks go that say that it is not translated, with what other leaves had under them. A splice may be
// returned for several leaves, and is not made where a leaf at that span gets a text.
type Bilingual interface {
	Beside(f *File, i int, texts map[int]string, like *Model) []Splice
}

// Merger is implemented by grammars whose names are source texts, and whose files keep the text of an entry that goes
// for a new one that reads nearly the same. Of entries that go, and entries of like that have no node in f and get no
// text, Merge returns those that become one, with their new names. They stay where they are, without a text that
// programs read.
//
// Revive takes out what f has left of entries that went earlier, where entries of these names come again: programs
// refuse a file that has both.
type Merger interface {
	Merge(f *File, gone []int, like *File, fresh []int) (names map[int]string, splices []Splice)
	Revive(f *File, names map[string]bool) []Splice
}

// Keeper is implemented by grammars whose files have entries, and forms of a plural, without a text: a new file has
// those of its source, and a form that is removed stays without one.
type Keeper interface {
	KeepsGaps() bool
}

func keepsGaps(g Grammar) bool {
	k, is := g.(Keeper)
	return is && k.KeepsGaps()
}

// Flagged is implemented by grammars whose files say of single entries how programs use them. Flags are those of
// leaf i, as gettext spells them: "c-format, no-wrap".
type Flagged interface {
	Flags(f *File, i int) string
}

// Multilingual is implemented by grammars whose files have the texts of all languages. In is the grammar of one of
// them, as paths spell it, or of the source language for "": it reads the file as if it had no other.
//
// In a language that is not the source's, each key of the file has its node: Absent, or a container without children,
// where it has no text. There Insert adds to that node, and Remove leaves one like it.
type Multilingual interface {
	Grammar
	In(language string) Grammar

	// Languages are the source language that a file, which can be read, says it has, and all that it has texts in.
	Languages(src string) (source string, all []string)
}

// Sorted is implemented by grammars whose files have entries, and plural forms, in an order of their own.
type Sorted interface {
	Compare(a, b string) int
}

// Holder is implemented by grammars whose format cannot hold every text. The error of Holds says what is in a text, or
// in a key, that it cannot hold.
type Holder interface {
	Holds(text string) error
}

// NameHolder is implemented by grammars whose format cannot hold every name of an outermost entry.
type NameHolder interface {
	HoldsName(name string) error
}

// Indexed is implemented by grammars whose files say by index which plural forms there are. Forms are these, in the
// file's order, "" at an index without a form of its own.
type Indexed interface {
	Forms(f *File) []string
}

// Forms are the plural forms that the file can hold, in its order; nil where the format holds any.
func (f *File) Forms() []string {
	if indexed, is := f.grammar.(Indexed); is {
		return indexed.Forms(f)
	}
	return nil
}

// Wrapped is implemented by grammars whose Values hold more than the text. Start is the offset of the text of leaf n.
type Wrapped interface {
	Start(src string, n *Node) int
}

// Separated is implemented by grammars that nest names in flat formats. Separator is between the names of a key.
type Separated interface {
	Separator() string
}

// Keys says how the paths in a file become the keys of the service (interface: "Flattening rule").
type Keys struct {
	Structured bool     // nested names are joined to one key; otherwise only the outermost entries have keys
	Separator  string   // between the names of a structured key; "" means "/"
	Roots      []string // names of a single outermost map that is not part of the keys: the Rails root, a language
	Translated bool     // the file is of translations: of a format with both texts in one entry, theirs are the texts
	Language   string   // whose texts are read where files have all languages; "" for the source's
}

// SyntaxError is why a file is refused, and where. Line and Col count from 1, Col in characters.
type SyntaxError struct {
	Offset    int
	Line, Col int
	Msg       string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Msg) }

// File is a resource file as it was read. It never changes. Its methods keep what they looked up, so one goroutine uses
// it at a time.
type File struct {
	grammar  Grammar
	keys     Keys
	bytes    []byte // as given to Parse
	src      string // decoded; shares memory with bytes where no decoding was needed
	encode   func(string) []byte
	nodes    []Node
	warnings []Warning
	top      int     // the container whose children are the outermost keys: 0, or the Rails root
	plurals  Plurals // see Join; nil for none
	prefix   string  // see Prefixed

	// What was looked up; see lookup.go.
	walked int                    // nodes that questions passed by so far
	index  map[id]int32           // once there is one: the last entry of each name
	before map[int32]int32        // of an entry of the index, or of its predecessors: the one before it with the same name
	labels map[int]map[string]int // of containers that were searched often
	items  map[int]int            // of lists whose items were asked for their index: each child's
	miles  []milestone            // see Position
	eol    byte                   // how lines end; see Position
}

type id struct{ key, form string }

// Parse reads a file. It keeps src and relies on it never changing afterwards. The error is a *SyntaxError.
func Parse(g Grammar, keys Keys, src []byte) (*File, error) { return parse(g, keys, src, true, true) }

// isUTF16 tells by a byte order mark, or by the half of a first character of ASCII that is zero.
func isUTF16(text string) bool {
	return strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") ||
		len(text) > 1 && (text[0] == 0) != (text[1] == 0)
}

// IsOf reports whether a file was read by a grammar.
func IsOf(g Grammar, f *File) bool { return f.grammar == g }

// ParseWhole reads a file with all its nodes: nothing is hidden as a description.
func ParseWhole(g Grammar, src []byte) (*File, error) { return parse(g, Keys{}, src, true, false) }

// parse reads a file; encoded says that it may have an encoding to decode, hides that descriptions are not entries.
func parse(g Grammar, keys Keys, src []byte, encoded, hides bool) (*File, error) {
	g, keys = settled(g, keys)
	f := &File{grammar: g, keys: keys, bytes: src}
	if len(src) > MaxBytes {
		return nil, &SyntaxError{Line: 1, Col: 1, Msg: fmt.Sprintf("the file has more than %d MiB", MaxBytes>>20)}
	}
	if d, ok := g.(Decoder); ok && encoded {
		text, encode, err := d.Decode(src)
		if err != nil {
			if text == "" {
				text = string(src)
			}
			return nil, located(text, err)
		}
		f.src, f.encode = text, encode
	} else {
		f.src = unsafe.String(unsafe.SliceData(src), len(src))
	}
	if isUTF16(f.src) {
		return nil, &SyntaxError{Line: 1, Col: 1, Msg: "the file is UTF-16; save it as UTF-8"}
	}
	if !utf8.ValidString(f.src) {
		return nil, located(f.src, &SyntaxError{Offset: invalidAt(f.src), Msg: "not valid UTF-8"})
	}
	layout, err := g.Scan(f.src)
	if err != nil {
		return nil, located(f.src, err)
	}
	f.nodes = layout.Nodes
	if f.top = f.root(); f.top == 0 {
		if d, ok := g.(Describer); ok && hides {
			d.HideDescriptions(f.src, layout)
		}
	}
	f.nodes, f.warnings = layout.Nodes, layout.Warnings
	if !f.keysAreBearable() {
		return nil, &SyntaxError{Line: 1, Col: 1, Msg: "the names that entries are nested in are too long " +
			"for so many entries; nest them less deeply or shorten the names"}
	}
	return f, nil
}

// settled are the grammar and the keys of a file, where the one has a say in the other.
func settled(g Grammar, keys Keys) (Grammar, Keys) {
	if all, ok := g.(Multilingual); ok {
		g, keys.Roots = all.In(keys.Language), nil
	}
	if keys.Separator == "" {
		keys.Separator = "/"
	}
	if s, ok := g.(Separated); ok {
		keys.Structured, keys.Separator, keys.Roots = true, s.Separator(), nil
	}
	return g, keys
}

// located adds line and column, once, at the outermost call.
func located(src string, err error) error {
	e, ok := err.(*SyntaxError)
	if !ok {
		return err
	}
	e.Line, e.Col = position(src, e.Offset)
	return e
}

func position(src string, offset int) (line, col int) {
	before := src[:min(max(offset, 0), len(src))]
	line = 1 + strings.Count(before, "\n")
	last := strings.LastIndexByte(before, '\n') + 1
	if !strings.Contains(before, "\n") && strings.Contains(before, "\r") {
		line = 1 + strings.Count(before, "\r")
		last = strings.LastIndexByte(before, '\r') + 1
	}
	return line, 1 + utf8.RuneCountInString(before[last:])
}

func invalidAt(s string) int {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return len(s)
}

// root finds the Rails root: the only outermost entry, a map or nothing at all, with one of the names of Keys.Roots.
// The letter case does not matter: it means nothing in language tags.
func (f *File) root() int {
	if len(f.nodes) < 2 || f.nodes[0].Kind != Map || f.nodes[1].End != f.nodes[0].End ||
		f.nodes[1].Kind != Map && (f.nodes[1].Kind != Null || f.nodes[1].Value.Len() > 0) {
		return 0
	}
	name := f.Name(1)
	if slices.ContainsFunc(f.keys.Roots, func(r string) bool { return strings.EqualFold(r, name) }) {
		return 1
	}
	return 0
}

// Bytes returns the bytes that were parsed. They must not be changed.
func (f *File) Bytes() []byte { return f.bytes }

// Source returns the decoded text that all spans refer to.
func (f *File) Source() string { return f.src }

// mile is how many bytes are between two offsets whose line and column a file keeps.
const mile = 4 << 10

// milestone is line and column at such an offset.
type milestone struct{ line, col int }

// to is the line and column behind text.
func (m milestone) to(text string, eol byte) milestone {
	for i := range len(text) {
		switch {
		case text[i] == eol:
			m = milestone{m.line + 1, 1}
		case text[i]&0xc0 != 0x80:
			m.col++
		}
	}
	return m
}

// Position returns line and column of a byte offset, both from 1, columns in characters. Many questions about one file,
// which may be one long line, cost no more than reading it.
func (f *File) Position(offset int) (line, col int) {
	offset = min(max(offset, 0), len(f.src))
	if f.miles == nil {
		f.eol = '\n'
		if !strings.Contains(f.src, "\n") {
			f.eol = '\r'
		}
		at := milestone{1, 1}
		f.miles = append(f.miles, at)
		for from := 0; from+mile <= len(f.src); from += mile {
			at = at.to(f.src[from:from+mile], f.eol)
			f.miles = append(f.miles, at)
		}
	}
	at := f.miles[offset/mile].to(f.src[offset/mile*mile:offset], f.eol)
	return at.line, at.col
}

// Len returns the number of nodes; Node one of them. Node 0 is the root.
func (f *File) Len() int { return len(f.nodes) }

// Node returns node i. It must not be changed.
func (f *File) Node(i int) *Node { return &f.nodes[i] }

// Name returns the decoded name of node i; empty for the root and inside a List.
func (f *File) Name(i int) string { return f.grammar.Name(f.src, &f.nodes[i]) }

// Text returns the decoded text of node i; "" where that is not a Text, whose value a grammar cannot decode.
func (f *File) Text(i int) string {
	if f.nodes[i].Kind != Text {
		return ""
	}
	if ref := f.nodes[i].Ref; ref != 0 {
		i = int(ref)
	}
	return f.grammar.Text(f.src, &f.nodes[i])
}

// Start is the offset of the text of node i, or of its value where that is not a Text.
func (f *File) Start(i int) int {
	n := &f.nodes[i]
	if g, is := f.grammar.(Wrapped); is && n.Kind == Text {
		return g.Start(f.src, n)
	}
	return int(n.Value.Start)
}

// Children calls yield with the index of each child of a container in file order.
func (f *File) Children(of int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := of + 1; i < int(f.nodes[of].End); i = int(f.nodes[i].End) {
			if !yield(i) {
				return
			}
		}
	}
}

// Root returns the Rails root's name as the file spells it, and whether there is one.
func (f *File) Root() (string, bool) {
	if f.top == 0 {
		return "", false
	}
	return f.Name(f.top), true
}

// Warnings returns what is wrong with single entries, with their nodes.
func (f *File) Warnings() []Warning { return f.warnings }

// Plurals says which keys of a file are the forms of one plural, where programs read each form under a key of its own:
// cart_one and cart_other are cart's, and so are cart/one and cart/other.
type Plurals interface {
	// Form takes a key of the file apart into a plural's key and a category; form is "" for every other key.
	Form(key string) (of, form string)
	// Spelled is the key in the file of a plural's form; false where the file's program has no such plural or form.
	Spelled(of, form string) (key string, ok bool)
	// Single reports whether the file has a single text, under the plural's key, as its form "other". Whole is the key of
	// that form once there are others beside it.
	Single(of string) bool
	Whole(of string) (key string)
}

// Join returns the file with the keys of plurals put together: Entries, Lookup, KeyOf, Together, Rewrite, Fresh and
// Present then know a plural by its one key and its forms. The bytes of the file, and where entries are written, stay.
func (f *File) Join(p Plurals) *File {
	joined := *f
	joined.plurals = p
	return &joined
}

// Plurals is what the file was joined by; nil for nothing.
func (f *File) Plurals() Plurals { return f.plurals }

// Prefixed returns the file with all its keys behind a prefix, as Join does with plurals: keys of plurals are put
// together as they are behind it. The bytes of the file have no prefix.
func (f *File) Prefixed(prefix string) *File {
	prefixed := *f
	prefixed.prefix = prefix
	return &prefixed
}

// unprefixed is a key as the file has it.
func (f *File) unprefixed(key string) string { return strings.TrimPrefix(key, f.prefix) }

// joined is the name that an entry has outside of this package.
func (f *File) joined(at id) id {
	at.key = f.prefix + at.key
	return f.grouped(at)
}

// grouped is the name of an entry whose key may be of a plural's form.
func (f *File) grouped(at id) id {
	if f.plurals == nil || at.form != "" {
		return at
	}
	if of, form := f.plurals.Form(at.key); form != "" {
		return id{of, form}
	}
	return at
}

// spelled is the name that an entry has in the file.
func (f *File) spelled(at id) id {
	if f.plurals != nil && at.form != "" {
		if key, ok := f.plurals.Spelled(at.key, at.form); ok {
			at = id{key: key}
		}
	}
	at.key = f.unprefixed(at.key)
	return at
}
