package segment

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// parseXLIFF takes an XLIFF file (1.2 or 2.x) apart: a segment for each unit, with the translation that it brings
// along. Translations are written into its targets; units that are marked translate="no" are not segments.
func parseXLIFF(ctx context.Context, src []byte, _ Options) (*Document, error) {
	r := &xliffReader{d: &Document{src: src}, src: src, dec: xml.NewDecoder(bytes.NewReader(src))}
	for {
		at := int(r.dec.InputOffset())
		t, err := r.dec.RawToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, xmlError(src, r.dec, err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			err = r.start(t, at)
		case xml.EndElement:
			err = r.end(t, at)
		}
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
	}
	switch {
	case len(r.path) > 0:
		return nil, syntaxError(src, len(src), "the file ends within <%s>", r.path[len(r.path)-1])
	case !r.xliff:
		return nil, syntaxError(src, 0, "the file has no <xliff> element")
	}
	r.d.finish = r.nameLanguage
	return r.d, nil
}

func xmlError(src []byte, d *xml.Decoder, err error) error {
	var at *xml.SyntaxError
	if errors.As(err, &at) {
		return syntaxError(src, int(d.InputOffset()), "%s", at.Msg)
	}
	return syntaxError(src, int(d.InputOffset()), "%v", err)
}

// stretch is the bytes between two offsets; from is 0 for nothing.
type stretch struct{ from, to int }

// xliffUnit is the unit that is being read.
type xliffUnit struct {
	key, note      string
	frozen         bool
	source, target stretch // the content of the elements
	whole          stretch // all of the target element
	sourceEnd      int     // behind the source element
	state          string
	approved       bool
}

// mostNested is how deep elements may be within each other: encoding/xml keeps each that is open.
const mostNested = 1000

type xliffReader struct {
	d     *Document
	src   []byte
	dec   *xml.Decoder
	path  []string
	xliff bool
	files int

	outer string // XLIFF 2: the id of the unit around the segments
	unit  *xliffUnit
	depth int // of the path where unit began

	language stretch // the target language: of the attribute's value, or, empty, where the attribute belongs
	v2       bool
}

func local(n xml.Name) string { return n.Local }

func attr(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name && (a.Name.Space == "" || a.Name.Space == "xml") {
			return a.Value
		}
	}
	return ""
}

// start reads the start tag that begins at an offset.
func (r *xliffReader) start(t xml.StartElement, at int) error {
	r.path = append(r.path, local(t.Name))
	if len(r.path) > mostNested {
		return syntaxError(r.src, at, "more than %d elements are within each other", mostNested)
	}
	end := int(r.dec.InputOffset())
	switch name := local(t.Name); name {
	case "xliff":
		r.xliff = true
		if r.v2 = strings.HasPrefix(attr(t, "version"), "2"); r.v2 {
			r.findLanguage(at, end, "trgLang")
		}
	case "file":
		r.files++
		if !r.v2 {
			r.findLanguage(at, end, "target-language")
		}
	case "unit":
		r.outer = attr(t, "id")
	case "trans-unit", "segment":
		if r.unit != nil {
			return syntaxError(r.src, at, "a <%s> within another", name)
		}
		r.unit = &xliffUnit{key: attr(t, "id"), frozen: attr(t, "translate") == "no", approved: attr(t, "approved") == "yes"}
		if name == "segment" {
			r.unit.key = strings.Trim(r.outer+"/"+attr(t, "id"), "/")
			r.unit.state = attr(t, "state")
		}
		if r.files > 1 { // identifiers are unique within a <file> only
			r.unit.key = strconv.Itoa(r.files) + ":" + r.unit.key
		}
		r.depth = len(r.path)
	case "source", "target", "note":
		return r.content(t, at, end)
	}
	return nil
}

// content reads an element of a unit to its end. Elsewhere, as in the alternatives of a unit, such an element means
// nothing.
func (r *xliffReader) content(t xml.StartElement, at, from int) error {
	if r.unit == nil || len(r.path) != r.depth+1 {
		return nil
	}
	to, end, err := r.skip(t.Name, from)
	if err != nil {
		return err
	}
	switch u := r.unit; local(t.Name) {
	case "source":
		u.source, u.sourceEnd = stretch{from, to}, end
	case "target":
		u.target, u.whole = stretch{from, to}, stretch{at, end}
		if u.state == "" {
			u.state = attr(t, "state")
		}
	case "note":
		u.note, _, _ = xmlText(r.src[from:to])
	}
	r.path = r.path[:len(r.path)-1]
	return nil
}

// skip reads on to the end tag of an element. It returns where that begins and where it ends.
func (r *xliffReader) skip(name xml.Name, from int) (to, end int, err error) {
	open := []xml.Name{name}
	for {
		to = int(r.dec.InputOffset())
		t, err := r.dec.RawToken()
		if err != nil {
			return 0, 0, xmlError(r.src, r.dec, err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			open = append(open, t.Name)
		case xml.EndElement:
			if t.Name != open[len(open)-1] {
				return 0, 0, syntaxError(r.src, to, "</%s> where <%s> is open", local(t.Name), local(open[len(open)-1]))
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return to, int(r.dec.InputOffset()), nil
			}
		}
	}
}

// end reads the end tag that begins at an offset.
func (r *xliffReader) end(t xml.EndElement, at int) error {
	if len(r.path) == 0 || r.path[len(r.path)-1] != local(t.Name) {
		return syntaxError(r.src, at, "</%s> closes nothing that is open", local(t.Name))
	}
	if r.unit != nil && len(r.path) == r.depth {
		if err := r.add(r.unit); err != nil {
			return err
		}
		r.unit = nil
	}
	r.path = r.path[:len(r.path)-1]
	return nil
}

// add makes the segment of a unit.
func (r *xliffReader) add(u *xliffUnit) error {
	if u.frozen || u.sourceEnd == 0 {
		return nil
	}
	source, tags, err := xmlText(r.src[u.source.from:u.source.to])
	if err != nil {
		return syntaxError(r.src, u.source.from, "%v", err)
	}
	s := Segment{Key: u.key, Text: source, Note: u.note}
	if len(tags) > 0 {
		s.Markup = Tags
	}
	if u.target.from > 0 {
		target, have, err := xmlText(r.src[u.target.from:u.target.to])
		if err != nil {
			return syntaxError(r.src, u.target.from, "%v", err)
		}
		if strings.TrimSpace(target) != "" && slices.Equal(tags, have) {
			s.Target, s.State = target, u.confirmed()
		}
	}
	spell := spellXML(s.Markup == Tags, tags)
	from, to := u.whole.from, u.whole.to
	if from == 0 {
		from, to = u.sourceEnd, u.sourceEnd
	}
	r.d.add(from, to, s, func(text string) (string, error) {
		if text == s.Target && text != "" {
			return string(r.src[from:to]), nil // as the file spells it
		}
		inner, err := spell(text)
		if err != nil {
			return "", err
		}
		return r.targetElement(u, inner), nil
	})
	return nil
}

// targetElement is the element with a translation in it: the one that is there with other content, or a new one on a
// line of its own.
func (r *xliffReader) targetElement(u *xliffUnit, inner string) string {
	prefix := "" // of the namespace
	if at := bytes.LastIndexByte(r.src[:u.sourceEnd], '<'); at >= 0 {
		if name, _, ok := strings.Cut(strings.TrimLeft(string(r.src[at:u.sourceEnd]), "</"), ":"); ok {
			prefix = name + ":"
		}
	}
	if u.whole.from > 0 {
		tag := string(r.src[u.whole.from:u.target.from])
		if self := strings.HasSuffix(tag, "/>"); self {
			return strings.TrimRight(strings.TrimSuffix(tag, "/>"), " ") + ">" + inner + "</" + prefix + "target>"
		}
		return tag + inner + string(r.src[u.target.to:u.whole.to])
	}
	indent := ""
	before := r.src[:u.source.from]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	if rest := bytes.TrimLeft(line, " \t"); bytes.HasPrefix(rest, []byte("<"+prefix+"source")) && len(line) < len(before) {
		indent = "\n" + string(line[:len(line)-len(rest)])
		if bytes.HasSuffix(before[:len(before)-len(line)], []byte("\r\n")) {
			indent = "\r" + indent
		}
	}
	return indent + "<" + prefix + "target>" + inner + "</" + prefix + "target>"
}

// confirmed reads the states of XLIFF 1.2 and 2.x.
func (u *xliffUnit) confirmed() State {
	switch {
	case u.approved || u.state == "final" || u.state == "signed-off" || u.state == "reviewed":
		return Approved
	case u.state == "translated" || strings.HasPrefix(u.state, "needs-review-"):
		return Translated
	}
	return Unconfirmed
}

// xmlText reads the content of an element. Without elements in it, it is text, its entities and CDATA sections
// resolved; with elements, it is the source as it is, and tags are the names with their identifiers, sorted.
func xmlText(raw []byte) (text string, tags []string, err error) {
	d := xml.NewDecoder(bytes.NewReader(raw))
	var plain strings.Builder
	var open []xml.Name
	for {
		t, err := d.RawToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", nil, err
		}
		switch t := t.(type) {
		case xml.CharData:
			plain.Write(t)
		case xml.StartElement:
			tags = append(tags, strings.TrimSpace(local(t.Name)+" "+attr(t, "id")))
			open = append(open, t.Name)
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != t.Name {
				return "", nil, fmt.Errorf("closes <%s>, which is not open there", local(t.Name))
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return "", nil, fmt.Errorf("does not close <%s>", local(open[len(open)-1]))
	}
	if len(tags) > 0 {
		slices.Sort(tags)
		return string(raw), tags, nil
	}
	return plain.String(), nil, nil
}

// EscapeXML writes a text as the content of an XML element. An error names a character that XML cannot hold.
func EscapeXML(text string) (string, error) {
	for _, r := range text {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
			return "", fmt.Errorf("has the character %U, which XML cannot hold", r)
		}
	}
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#13;").Replace(text), nil
}

func spellXML(markup bool, want []string) func(string) (string, error) {
	return func(text string) (string, error) {
		if !markup {
			return EscapeXML(text)
		}
		_, have, err := xmlText([]byte(text))
		if err != nil {
			return "", err
		}
		if !slices.Equal(want, have) {
			return "", fmt.Errorf("has the tags %s where the source has %s", tagList(have), tagList(want))
		}
		return text, nil
	}
}

// findLanguage notes the target language of the file, and where it is in the tag between two offsets. Of several files
// the first one says.
func (r *xliffReader) findLanguage(from, to int, name string) {
	if r.language != (stretch{}) {
		return
	}
	for _, a := range attributesOf(string(r.src[from:to]), from) {
		if a.name == strings.ToLower(name) {
			r.language = stretch{a.from, a.to}
			r.d.language = string(r.src[a.from:a.to])
		}
	}
}

// nameLanguage writes the language of the translations into a file that names one.
func (r *xliffReader) nameLanguage(language string) []splice {
	if r.language == (stretch{}) || strings.EqualFold(r.d.language, language) {
		return nil
	}
	return []splice{{r.language.from, r.language.to, language}}
}
