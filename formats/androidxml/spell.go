package androidxml

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/locsync/locsync/formats/resource"
)

// mode is how a value spells what looks like markup.
type mode uint8

const (
	modeAuto    mode = iota // no markup: the text decides
	modeEscaped             // &lt;b>
	modeMarkup              // <b>
	modeCDATA               // <![CDATA[<b>]]>
	modePartial             // CDATA in a part of the text: CDATA where it is needed
)

// inline are the elements that getText() styles; others are taken for markup only where the old value had them.
var inline = func() map[string]bool {
	m := make(map[string]bool)
	for name := range strings.FieldsSeq("a annotation b big br cite del dfn em font i li marquee s small strike strong sub sup tt u ul") {
		m[name] = true
	}
	return m
}()

// spelling is how an old value, or the model of a new one, is written.
type spelling struct {
	mode        mode
	quoted      bool            // every stretch of text is wrapped in "
	greater     bool            // > is spelled &gt;
	lead, trail string          // white space around the text, which is not part of it
	tags        map[string]bool // names of elements
	escapedTags map[string]bool // names of what looks like elements and is escaped
	habits      map[rune]string // characters that were spelled as escapes or references
}

// spellingOf reads the spelling of a value.
func spellingOf(raw string) spelling {
	sp := spelling{quoted: isQuoted(raw), greater: strings.Contains(raw, "&gt;")}
	spans, cdata, outside := false, false, false
	for at := 0; at < len(raw); {
		p, text, next := cut(raw, at)
		switch p {
		case partTag:
			spans = spans || isSpan(text)
			sp.tags = with(sp.tags, tagName(text))
		case partCDATA:
			cdata = true
			sp.learn(text, false)
		case partText:
			outside = outside || strings.Trim(text, spaces) != ""
			sp.escapedTags = tagNames(sp.escapedTags, resolved(text))
			sp.learn(text, true)
		}
		at = next
	}
	switch {
	case len(sp.tags) > 0:
		sp.mode = modeMarkup
	case cdata && !outside:
		sp.mode = modeCDATA
	case cdata:
		sp.mode = modePartial
	case len(sp.escapedTags) > 0:
		sp.mode = modeEscaped
	}
	if body := strings.Trim(raw, spaces); !spans && body != "" {
		at := strings.Index(raw, body)
		sp.lead, sp.trail = raw[:at], raw[at+len(body):]
	}
	return sp
}

// with adds a name to a set that may be nil.
func with(set map[string]bool, name string) map[string]bool {
	if set == nil {
		set = make(map[string]bool)
	}
	set[name] = true
	return set
}

// tagNames adds the names of what looks like tags in a decoded text.
func tagNames(set map[string]bool, text string) map[string]bool {
	for {
		at := strings.IndexByte(text, '<')
		if at < 0 {
			return set
		}
		text = strings.TrimPrefix(text[at+1:], "/")
		if n := nameLength(text); n > 0 {
			set = with(set, text[:n])
		}
	}
}

// learn notes which characters beyond ASCII are spelled as escapes or references.
func (sp *spelling) learn(text string, references bool) {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '&' && references:
			if name, n := referenceName(text[i:]); n > 0 && name[0] == '#' {
				r, _ := charReference(name)
				sp.habit(r, text[i:i+n])
			}
		case text[i] == '\\':
			i++
			if digits := text[min(i+1, len(text)):min(i+5, len(text))]; next(text, i) == 'u' && len(digits) == 4 && !hasBrokenEscape(`\u`+digits) {
				sp.habit(value4([4]byte([]byte(digits))), text[i-1:i+5])
			}
		}
	}
}

func (sp *spelling) habit(r rune, spelled string) {
	if r < utf8.RuneSelf || utf16.IsSurrogate(r) || sp.habits[r] != "" {
		return
	}
	if sp.habits == nil {
		sp.habits = make(map[rune]string)
	}
	sp.habits[r] = spelled
}

// isQuoted reports whether every stretch of text between inline markup stands inside one pair of quotes.
func isQuoted(raw string) bool {
	if strings.IndexByte(raw, '"') < 0 {
		return false
	}
	pairs, in, over := 0, false, false
	for at := 0; at < len(raw); {
		p, text, next := cut(raw, at)
		at = next
		switch {
		case p == partCDATA || p == partTag && isSpan(text) && in:
			return false
		case p == partTag && isSpan(text):
			over = false
		}
		if p != partText {
			continue
		}
		for i := 0; i < len(text); i++ {
			switch c := text[i]; {
			case c == '"' && over:
				return false
			case c == '"':
				if over = in; in {
					pairs++
				}
				in = !in
			case !in && !isSpace(c):
				return false
			case c == '\\':
				i++
			}
		}
	}
	return pairs > 0 && !in
}

// place is what the file allows around a value.
type place struct {
	prefixes map[string]int
	entities entities
}

// placeOf reads the declarations of a file, and of the entry n when there is one.
func placeOf(src string, n *resource.Node) place {
	if isBlank(src) {
		return place{}
	}
	s := scanner{src: src}
	if at, err := s.prolog(); err == nil {
		_, _ = s.startTag(at)
	}
	p := place{prefixes: make(map[string]int), entities: s.entities}
	p.declare(&s.tag)
	if n != nil {
		p.declare(startTagOf(src, n))
	}
	return p
}

func (p *place) declare(t *tag) {
	for _, a := range t.attributes {
		if prefix, ok := strings.CutPrefix(a.name, "xmlns:"); ok {
			p.prefixes[prefix]++
		}
	}
}

// startTagOf reads the start tag of a node again.
func startTagOf(src string, n *resource.Node) *tag {
	s := scanner{src: src, entities: entities{open: true}}
	_, _ = s.startTag(int(n.Whole.Start))
	return &s.tag
}

// spell writes a text in this spelling. missing are the prefixes of its tags that the place does not declare.
func (sp *spelling) spell(text string, in place) (raw string, missing []string, err error) {
	if err := writable(text); err != nil {
		return "", nil, err
	}
	pieces := []piece{{text: text}}
	cdata := sp.mode == modeCDATA || sp.mode == modePartial && strings.ContainsAny(text, "<&")
	if (sp.mode == modeAuto || sp.mode == modeMarkup) && strings.IndexByte(text, '<') >= 0 {
		found, undeclared, err := sp.markup(text, in)
		switch {
		case err == nil:
			pieces, missing = found, undeclared
		case sp.mode == modeMarkup:
			return "", nil, err
		}
	}
	w := writer{sp: sp, in: in, cdata: cdata, quoted: sp.quoted}
	w.value(pieces)
	raw = string(w.out)
	if raw != "" && !w.spans && decode(sp.lead+raw+sp.trail) == text {
		raw = sp.lead + raw + sp.trail
	}
	if decode(raw) != text {
		return "", nil, errors.New("the text cannot be written so that Android reads it the same")
	}
	return raw, missing, nil
}

// writable refuses what no value can hold.
func writable(text string) error {
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			return errors.New("the text is not valid UTF-8")
		case r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0xFFFE || r == 0xFFFF:
			return fmt.Errorf("the text has the control character %U, which XML cannot hold; take it out of the translation", r)
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
func (sp *spelling) markup(text string, in place) (pieces []piece, missing []string, err error) {
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
	in     place
	out    []byte
	cdata  bool
	quoted bool
	spans  bool
	inside bool // a quote is open
	begun  bool // there was a character
	spaced bool // the last one was a space that is not escaped
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
		if r == ' ' {
			w.space(last && i == len(s)-1)
		} else {
			w.character(r, s[i:])
			w.spaced = false
		}
		w.begun = true
	}
}

// space writes a blank so that it neither collapses nor is trimmed.
func (w *writer) space(end bool) {
	if !w.inside && (w.spaced || !w.spans && (end || !w.begun)) {
		w.out = append(w.out, `\u0020`...)
		w.spaced = false
		return
	}
	w.out = append(w.out, ' ')
	w.spaced = !w.inside
}

// character writes the first character of rest, which is r and no blank.
func (w *writer) character(r rune, rest string) {
	spelled := ""
	switch r {
	case '\n':
		spelled = `\n`
	case '\t':
		spelled = `\t`
	case '\r':
		spelled = `\u000D`
	case '\\':
		spelled = `\\`
	case '"':
		spelled = `\"`
	case '\'':
		if !w.inside {
			spelled = `\'`
		}
	case '@', '?':
		if !w.begun && !w.inside {
			spelled = `\` + string(r)
		}
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
	if spelled == "" {
		w.out = utf8.AppendRune(w.out, r)
		return
	}
	w.out = append(w.out, spelled...)
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

// isEntity reports whether rest begins with a reference to an entity that the file declares itself.
func (w *writer) isEntity(rest string) bool {
	name, n := referenceName(rest)
	return n > 0 && w.in.entities.names[name] && predefined(name) == 0
}

// habit spells a character as the old value did; a character reference is none inside CDATA.
func (w *writer) habit(r rune) string {
	spelled := w.sp.habits[r]
	if w.cdata && strings.HasPrefix(spelled, "&") {
		return ""
	}
	return spelled
}
