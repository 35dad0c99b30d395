package androidxml

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/resource"
)

// inline are the elements that getText() styles; others are taken for markup only where the old value had them.
var inline = func() map[string]bool {
	m := make(map[string]bool)
	const names = "a annotation b big br cite del dfn em font i li marquee s small strike strong sub sup tt u ul"
	for name := range strings.FieldsSeq(names) {
		m[name] = true
	}
	return m
}()

// spell writes a text in this spelling. missing are the prefixes of its tags that are not declared there.
func (sp *spelling) spell(text string, in scope) (raw string, missing []string, err error) {
	if err := writable(text); err != nil {
		return "", nil, err
	}
	pieces := []piece{{text: text}}
	cdata := sp.mode == modeCDATA || sp.mode == modePartial && strings.ContainsAny(text, "<&") && !sp.refers(text)
	if (sp.mode == modeAuto || sp.mode == modeMarkup) && strings.IndexByte(text, '<') >= 0 {
		found, undeclared, err := sp.markup(text, in)
		switch {
		case err == nil:
			pieces, missing = found, undeclared
		case sp.mode == modeMarkup:
			return "", nil, err
		}
	}
	w := writer{sp: sp, in: in, cdata: cdata, quoted: sp.quoted && sp.dialect.quotes}
	w.value(pieces)
	raw = string(w.out)
	if raw != "" && !w.spans && sp.dialect.decode(sp.lead+raw+sp.trail) == text {
		raw = sp.lead + raw + sp.trail
	}
	if sp.dialect.decode(raw) != text {
		return "", nil, errors.New("the text cannot be written so that its program reads it the same")
	}
	return raw, missing, nil
}

// refers reports whether a text refers to an entity that the old value referred to.
func (sp *spelling) refers(text string) bool {
	for name := range sp.referred {
		if strings.Contains(text, "&"+name+";") {
			return true
		}
	}
	return false
}

// Holds refuses what no value, and no name, can hold.
func (grammar) Holds(text string) error { return writable(text) }

// writable refuses what no value can hold.
func writable(text string) error {
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			return errors.New("the text is not valid UTF-8")
		case r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0xFFFE || r == 0xFFFF:
			return fmt.Errorf("the text has the control character %U, which XML cannot hold; take it out", r)
		}
	}
	return nil
}

// piece is a tag, or the text between two.
type piece struct {
	tag  bool
	text string
}

// markup cuts a text at its tags. What is not taken for a tag is text; what is must be well-formed and balanced.
func (sp *spelling) markup(text string, in scope) (pieces []piece, missing []string, err error) {
	s := scanner{src: text, entities: in.entities}
	s.names.bound = make(map[string]int, len(in.prefixes))
	for prefix, n := range in.prefixes {
		s.names.bound[prefix] = n
	}
	from := 0
	for i := 0; ; {
		k := strings.IndexByte(text[i:], '<')
		if k < 0 {
			break
		}
		at := i + k
		ending := strings.HasPrefix(text[at:], "</")
		name := tagName(text[at:])
		if !sp.isTag(name) {
			i = at + 1
			continue
		}
		switch {
		case !ending:
			i, err = s.startTag(at)
		case len(s.open) == 0:
			err = refuse(at, "</%s> ends nothing", name)
		default:
			i, err = s.endTag(at)
		}
		if err == nil && len(s.open) > resource.MaxDepth-8 {
			err = refuse(at, "too many elements inside one another")
		}
		if err != nil {
			return nil, nil, broken(err)
		}
		pieces = append(pieces, piece{text: text[from:at]}, piece{true, text[at:i]})
		from = i
	}
	if len(s.open) > 0 {
		return nil, nil, broken(refuse(0, "<%s> is not closed", s.open[len(s.open)-1]))
	}
	for prefix := range s.names.unbound {
		missing = append(missing, prefix)
	}
	slices.Sort(missing)
	return append(pieces, piece{text: text[from:]}), missing, nil
}

func broken(err error) error {
	var e *resource.SyntaxError
	if errors.As(err, &e) {
		return fmt.Errorf("the markup in the text is broken: %s; correct the translation", e.Msg)
	}
	return err
}

// isTag decides by its name whether something that looks like a tag is one.
func (sp *spelling) isTag(name string) bool {
	switch {
	case name == "":
		return false
	case sp.tags[name]:
		return true
	case sp.escapedTags[name]:
		return false
	}
	return inline[name] || strings.HasPrefix(name, "xliff:")
}

// writer spells one value. It tracks what the compiler's string builder will know at each point.
type writer struct {
	sp     *spelling
	in     scope
	out    []byte
	cdata  bool
	quoted bool
	position
}

// value writes all pieces.
func (w *writer) value(pieces []piece) {
	last := -1                           // the last piece with text
	ahead := make([]bool, len(pieces)+1) // is there text before the next inline markup?
	for i, p := range slices.Backward(pieces) {
		switch {
		case p.tag && isSpan(p.text):
			w.spans = true
		case !p.tag && p.text != "":
			last = max(last, i)
			ahead[i] = true
		default:
			ahead[i] = ahead[i+1]
		}
	}
	if w.cdata {
		w.out = append(w.out, cdataStart...)
		w.quoted = false
	}
	for i, p := range pieces {
		switch {
		case !p.tag:
			if w.quoted && !w.inside && (ahead[i] || last < 0 && !w.spans) {
				w.out = append(w.out, '"')
				w.inside = true
			}
			w.text(p.text, i == last)
		case isSpan(p.text):
			w.close()
			w.spaced = false
			w.out = append(w.out, p.text...)
		default:
			w.out = append(w.out, p.text...)
		}
	}
	w.close()
	if w.cdata {
		w.out = append(w.out, cdataEnd...)
	}
}

// close ends an open quote.
func (w *writer) close() {
	if w.inside {
		w.out = append(w.out, '"')
		w.inside, w.spaced = false, false
	}
}

// text writes characters; last says that nothing but tags follows.
func (w *writer) text(s string, last bool) {
	for i, r := range s {
		spelled := w.character(r, s[i:])
		if spelled == "" {
			spelled = w.sp.dialect.guard(w.position, r, last && i == len(s)-1)
		}
		w.spaced = r == ' ' && spelled == "" && !w.inside
		w.begun = true
		if spelled == "" {
			w.out = utf8.AppendRune(w.out, r)
			continue
		}
		w.out = append(w.out, spelled...)
	}
}

// character spells the first character of rest, which is r; "" where it is itself in any dialect.
func (w *writer) character(r rune, rest string) (spelled string) {
	switch r {
	case '\n':
		spelled = `\n`
	case '\t':
		spelled = `\t`
	case '\r':
		spelled = `\u000D`
	case '\\':
		spelled = `\\`
	case '<':
		if !w.cdata {
			spelled = "&lt;"
		}
	case '>':
		spelled = w.greater()
	case '&':
		if !w.cdata && !w.isEntity(rest) {
			spelled = "&amp;"
		}
	default:
		if r >= utf8.RuneSelf {
			spelled = w.habit(r)
		}
	}
	return spelled
}

// greater spells >, which must not follow ]].
func (w *writer) greater() string {
	ends := len(w.out) >= 2 && string(w.out[len(w.out)-2:]) == "]]"
	switch {
	case w.cdata && ends:
		return cdataEnd + cdataStart + ">"
	case !w.cdata && (ends || w.sp.greater):
		return "&gt;"
	}
	return ""
}

// isEntity reports whether rest begins with a reference to an entity that the file declares itself, and the old value
// does not spell it out.
func (w *writer) isEntity(rest string) bool {
	name, n := referenceName(rest)
	return n > 0 && w.in.entities.names[name] && predefined(name) == 0 && (!w.sp.literal[name] || w.sp.referred[name])
}

// habit spells a character as the old value did; a character reference is none inside CDATA.
func (w *writer) habit(r rune) string {
	spelled := w.sp.habits[r]
	if w.cdata && strings.HasPrefix(spelled, "&") {
		return ""
	}
	return spelled
}
