package androidxml

import (
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

// spelling is how an old value, or the model of a new one, is written.
type spelling struct {
	dialect     *dialect
	mode        mode
	quoted      bool            // every stretch of text is wrapped in "
	greater     bool            // > is spelled &gt;
	lead, trail string          // white space around the text, which is not part of it
	tags        map[string]bool // names of elements
	escapedTags map[string]bool // names of what looks like elements and is escaped
	habits      map[rune]string // characters that were spelled as escapes or references
	literal     map[string]bool // names of entities that the text only looks like it refers to: &amp;app;
	referred    map[string]bool // names of entities that it does refer to
}

// spelling reads the spelling of a value.
func (d *dialect) spelling(raw string) spelling {
	sp := spelling{dialect: d, quoted: isQuoted(raw), greater: strings.Contains(raw, "&gt;")}
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
			sp.reference(text[i:])
		case text[i] == '\\':
			i++
			digits := text[min(i+1, len(text)):min(i+5, len(text))]
			if next(text, i) == 'u' && len(digits) == 4 && !hasBrokenEscape(`\u`+digits) {
				sp.habit(value4([4]byte([]byte(digits))), text[i-1:i+5])
			}
		}
	}
}

// reference notes the reference that text begins with, if it does.
func (sp *spelling) reference(text string) {
	name, n := referenceName(text)
	r := rune(predefined(name))
	switch {
	case n == 0:
		return
	case name[0] == '#':
		r, _ = charReference(name)
		sp.habit(r, text[:n])
	case r == 0:
		sp.referred = with(sp.referred, name)
	}
	if r == '&' {
		if k := nameLength(text[n:]); next(text, n+k) == ';' {
			sp.literal = with(sp.literal, text[n:n+k])
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

// isQuoted reports whether every stretch of text between inline markup is inside one pair of quotes.
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

// scope is what the file allows around a value.
type scope struct {
	prefixes map[string]int
	entities entities
}

// scopeOf reads the declarations of a file, and of the entry n when there is one.
func scopeOf(src string, n *resource.Node) scope {
	if isBlank(src) {
		return scope{}
	}
	s := scanner{src: src}
	if at, err := s.prolog(); err == nil {
		_, _ = s.startTag(at)
	}
	p := scope{prefixes: make(map[string]int), entities: s.entities}
	p.declare(&s.tag)
	if n != nil {
		p.declare(startTagOf(src, n))
	}
	return p
}

func (p *scope) declare(t *tag) {
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
