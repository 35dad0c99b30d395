package segment

import (
	"bytes"
	"context"
	"strings"
)

// parseText takes plain text apart: every line is a paragraph of its own, cut into sentences. Line ends, blank lines,
// indentation and a byte order mark stay as they are.
func parseText(ctx context.Context, src []byte, o Options) (*Document, error) {
	d, rules := &Document{src: src}, rulesOf(o.Source)
	at := 0
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		at = 3
	}
	for at < len(src) && ctx.Err() == nil {
		end := len(src)
		if i := bytes.IndexAny(src[at:], "\r\n\f\v"); i >= 0 {
			end = at + i
		}
		line := string(src[at:end])
		for _, p := range rules.pieces(line, nil) {
			d.add(at+p[0], at+p[1], Segment{Text: line[p[0]:p[1]]}, spellLine)
		}
		at = end + 1
	}
	return d, ctx.Err()
}

// add appends a segment of running text, unless there is nothing in it to translate.
func (d *Document) add(from, to int, s Segment, spell func(string) (string, error)) {
	switch {
	case !translatable(s.Text, s.Markup):
	case len(s.Text) > maxText:
		d.refused = errText
	case len(d.segments) == MaxSegments:
		d.refused = errSegments
	default:
		d.segments = append(d.segments, s)
		d.spans = append(d.spans, span{from, to, spell})
	}
}

// spellLine writes a text into one line: a line break in it would make two paragraphs of one.
func spellLine(text string) (string, error) {
	breaks := func(r rune) bool { return r == '\n' || r == '\r' || r == '\f' || r == '\v' }
	return strings.Join(strings.FieldsFunc(text, breaks), " "), nil
}
