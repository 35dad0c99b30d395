// Package segment takes a document apart into the segments that people translate, and puts it together again with
// translations instead of them.
//
// Its laws: a document that is rendered without translations is the very bytes that were parsed; one that is rendered
// with its own texts has the same segments; a segment's translation changes the bytes of that segment and nothing else;
// and what has no letter or digit in it is not a segment.
//
//	bytes --Parse--> Document --Segments--> texts, in the order of the file
//	                 Document --Render(text by segment)--> bytes
//
// Four kinds of documents stand behind the one type: running text (plain text, Markdown, HTML), cut into sentences;
// resource files (JSON, YAML, strings, Android XML, LocJSON), one segment for each text under a key, read and rewritten
// by package formats; XLIFF, one segment for each unit, which may bring its translation along; and workbooks, one
// segment for each cell with text, whose container is written anew by its library once something is translated.
//
// A segment's text is plain where that is enough. Where it holds markup of its document (a link in the middle of a
// sentence), the text is the document's own source, and Markup says so: a translation then has the same tags.
//
// The package is pure: bytes in, values out. It knows no projects, no storage and no translation memories.
package segment

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// MaxBytes is the largest document that is taken apart, MaxSegments the most segments that one has, and MaxWeight the
// most memory that its Weight may be. A segment has two bytes at least, and takes a hundred times as many.
const (
	MaxBytes    = 64 << 20
	MaxSegments = 200_000
	MaxWeight   = 192 << 20
)

// More bounds of what is read of a document.
const (
	maxText       = 1 << 20 // bytes of one text
	maxAttributes = 1000    // of one element; what is behind them is not translated
)

// Why a document is not taken apart.
var (
	errSegments = fmt.Errorf("it has more than %d texts; cut it into smaller documents", MaxSegments)
	errText     = fmt.Errorf("one of its texts has more than %d bytes; cut it into paragraphs", maxText)
)

// Markup is what a segment's text has in it beside words.
type Markup uint8

// The kinds of markup.
const (
	Plain    Markup = iota // none: the text is what a reader sees
	Tags                   // HTML or XML tags and entities
	Markdown               // inline Markdown
)

// Segment is one piece of a document that is translated as a whole.
type Segment struct {
	Key    string // what tells it from others in a file that has names for its texts; empty in running text
	Text   string
	Markup Markup
	Note   string // what the document says about it

	// Of a bilingual document: the translation that the file has, and how far it says that has come.
	Target string
	State  State
}

// State is what a bilingual document says about the translation of a segment.
type State uint8

// The states. Only a segment with a Target has one that matters.
const (
	Unconfirmed State = iota
	Translated        // done by a translator, not yet looked at
	Approved          // through all that follows
)

// Document is a document that was taken apart. It never changes; one goroutine uses it at a time.
type Document struct {
	segments []Segment
	src      []byte
	language string // the target language that a bilingual file names
	refused  error  // why it is not taken apart

	// One of two: spans for documents that are spliced here, rewrite for those that package formats splices.
	spans   []span
	rewrite func(language string, text func(i int) (string, bool)) ([]byte, error)
	finish  func(language string) []splice // what else changes in a document that has translations
}

// span is where a segment is in the source, and how a translation is spelled there.
type span struct {
	from, to int
	spell    func(text string) (string, error)
}

// sort puts segments that were found in another order into the order of the file.
func (d *Document) sort() {
	order := make([]int, len(d.spans))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(d.spans[a].from, d.spans[b].from) })
	segments, spans := make([]Segment, len(order)), make([]span, len(order))
	for to, from := range order {
		segments[to], spans[to] = d.segments[from], d.spans[from]
	}
	d.segments, d.spans = segments, spans
}

// splice replaces bytes of the source.
type splice struct {
	from, to int
	text     string
}

// Segments are the document's segments in the order of the file. They must not be changed.
func (d *Document) Segments() []Segment { return d.segments }

// TargetLanguage is the language of the translations that a bilingual file brings along, as the file spells it; empty
// when it does not say.
func (d *Document) TargetLanguage() string { return d.language }

// Accepts says whether a text can stand for segment i: the error tells why it cannot, like a tag that the source does
// not have.
func (d *Document) Accepts(i int, text string) error {
	if !utf8.ValidString(text) {
		return errors.New("is not valid UTF-8")
	}
	if d.spans == nil {
		return nil // the format's own rules are applied where it is rewritten
	}
	_, err := d.spans[i].spell(text)
	return err
}

// Render returns the document with the texts that text has; a segment without one keeps its source. language is the
// code of the language that the document is now in. The error names the segment that cannot be written.
func (d *Document) Render(language string, text func(i int) (string, bool)) ([]byte, error) {
	if d.rewrite != nil {
		return d.rewrite(language, text)
	}
	var splices []splice
	for i, at := range d.spans {
		t, ok := text(i)
		if !ok {
			continue
		}
		spelled, err := at.spell(t)
		if err != nil {
			return nil, fmt.Errorf("segment %d %q: %w", i+1, clip(d.segments[i].Text), err)
		}
		splices = append(splices, splice{at.from, at.to, spelled})
	}
	if len(splices) > 0 && d.finish != nil {
		splices = append(splices, d.finish(language)...)
	}
	return cut(d.src, splices), nil
}

// cut makes splices, which do not overlap. Without any it returns src itself.
func cut(src []byte, splices []splice) []byte {
	if len(splices) == 0 {
		return src
	}
	slices.SortStableFunc(splices, func(a, b splice) int { return cmp.Compare(a.from, b.from) })
	var out bytes.Buffer
	at := 0
	for _, s := range splices {
		out.Write(src[at:s.from])
		out.WriteString(s.text)
		at = s.to
	}
	out.Write(src[at:])
	return out.Bytes()
}

// clip shortens a text for an error.
func clip(s string) string {
	r := []rune(s)
	if len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

// Align finds, for each new segment, the old one whose translation it can keep; -1 for none. Segments with keys are
// paired by key, as long as their texts are the same; others by text, in order, so that of several equal ones each
// keeps its own; what is left of those with keys is paired by text, too, since a key may have been renamed.
func Align(old, now []Segment) []int {
	at := make([]int, len(now))
	used := make([]bool, len(old))
	byKey := make(map[string]int, len(old))
	byText := make(map[string][]int, len(old))
	for i, s := range old {
		if s.Key != "" {
			byKey[s.Key] = i
		}
		byText[s.Text] = append(byText[s.Text], i)
	}
	for i, s := range now {
		at[i] = -1
		if from, ok := byKey[s.Key]; ok && s.Key != "" && old[from].Text == s.Text && !used[from] {
			at[i], used[from] = from, true
		}
	}
	for i, s := range now {
		if at[i] >= 0 {
			continue
		}
		rest := byText[s.Text]
		for len(rest) > 0 && used[rest[0]] {
			rest = rest[1:]
		}
		if len(rest) > 0 {
			at[i], used[rest[0]] = rest[0], true
			rest = rest[1:]
		}
		byText[s.Text] = rest
	}
	return at
}

// position is the line and column, from 1, columns in characters, of a byte offset.
func position(src []byte, offset int) (line, col int) {
	offset = min(max(offset, 0), len(src))
	start := bytes.LastIndexByte(src[:offset], '\n') + 1
	return bytes.Count(src[:offset], []byte("\n")) + 1, utf8.RuneCount(src[start:offset]) + 1
}

// SyntaxError is why a document cannot be read, and where.
type SyntaxError struct {
	Line, Col int
	Msg       string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Msg) }

func syntaxError(src []byte, offset int, format string, args ...any) error {
	line, col := position(src, offset)
	return &SyntaxError{line, col, fmt.Sprintf(format, args...)}
}
