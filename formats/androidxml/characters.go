package androidxml

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/locsync/locsync/formats/xmlscan"
)

// Characters, references and names of XML 1.0; names are those of the fourth edition, see xmlscan.IsName.

const (
	byteOrderMark = "\ufeff"
	spaces        = " \t\r\n"
)

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// class says what a byte of text may need done. A value's classes together are what was seen in it.
type class uint16

const (
	seenEnd        class = 1 << iota // <
	seenAmp                          // &
	seenApostrophe                   // '
	seenQuote                        // "
	seenBackslash                    // \
	seenOdd                          // white space other than a blank
	seenSuspect                      // what may be no character of XML
	seenBracket                      // ]
	seenMarkup                       // an element inside a value
	seenInner                        // a comment, CDATA or an instruction inside a value
)

var classes = func() (c [256]class) {
	for b := range byte(' ') {
		c[b] = seenSuspect
	}
	c['\t'], c['\n'], c['\r'] = seenOdd, seenOdd, seenOdd
	c['<'], c['&'], c['\''] = seenEnd, seenAmp, seenApostrophe
	c['"'], c['\\'], c[']'] = seenQuote, seenBackslash, seenBracket
	c[0xEF] = seenSuspect // begins U+FFFE and U+FFFF
	return c
}()

// classesOf is what was seen in a text. Eight bytes at a time are passed over where none of them can be of a class.
func classesOf(text string) (seen class) {
	n := len(text)
	if n < 8 {
		for i := range n {
			seen |= classes[text[i]]
		}
		return seen
	}
	bytes := unsafe.Slice(unsafe.StringData(text), n)
	for i := 0; i+8 < n; i += 8 {
		if w := bytes[i : i+8]; special(w) {
			for _, b := range w {
				seen |= classes[b]
			}
		}
	}
	if w := bytes[n-8:]; special(w) {
		for _, b := range w {
			seen |= classes[b]
		}
	}
	return seen
}

// special reports whether one of eight bytes may be of a class.
func special(bytes []byte) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	w := binary.LittleEndian.Uint64(bytes)
	quotes, brackets, tags, high := w&(0xFA*ones)^'"'*ones, w|ones^']'*ones, w^'<'*ones, w^0xEF*ones
	// A byte of v that is zero gives the highest bit of (v-1)&^v; a control character gives that of (w-' ')&^w.
	return ((quotes-ones)&^quotes|(brackets-ones)&^brackets|(tags-ones)&^tags|(high-ones)&^high|(w-' '*ones)&^w)&highs != 0
}

// characters reads text up to the next < or the end of the file.
func (s *scanner) characters(at int) (end int, seen class, err error) {
	end = len(s.src)
	if n := strings.IndexByte(s.src[at:], '<'); n >= 0 {
		end = at + n
	}
	if seen = classesOf(s.src[at:end]); seen&(seenAmp|seenSuspect|seenBracket) != 0 {
		err = s.checked(at, end, seen)
	}
	return end, seen, err
}

// checked holds text against the rules for what it may contain.
func (s *scanner) checked(at, end int, seen class) error {
	text := s.src[at:end]
	if seen&seenSuspect != 0 {
		if i := illegal(text); i >= 0 {
			r, _ := utf8.DecodeRuneInString(text[i:])
			return refuse(at+i, "the character %U is not allowed in XML", r)
		}
	}
	if seen&seenBracket != 0 {
		if i := strings.Index(text, "]]>"); i >= 0 {
			return refuse(at+i, `]]> is not allowed in text; write ]]&gt;`)
		}
	}
	if seen&seenAmp == 0 {
		return nil
	}
	for i := strings.IndexByte(text, '&'); i >= 0; {
		n, err := s.reference(at + i)
		if err != nil {
			return err
		}
		i += n
		k := strings.IndexByte(text[i:], '&')
		if k < 0 {
			return nil
		}
		i += k
	}
	return nil
}

// illegal finds the first character that XML does not allow, -1 when there is none.
func illegal(text string) int {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c < ' ' && !isSpace(c):
			return i
		case c == 0xEF && (strings.HasPrefix(text[i:], "\ufffe") || strings.HasPrefix(text[i:], "\uffff")):
			return i
		}
	}
	return -1
}

// reference checks the reference at an & and returns its length.
func (s *scanner) reference(at int) (int, error) {
	name, n := referenceName(s.src[at:])
	switch {
	case n == 0:
		return 0, refuse(at, "a bare & is not XML; write &amp;")
	case name[0] == '#':
		if _, ok := charReference(name); !ok {
			return 0, refuse(at, "&%s; is not a character of XML", name)
		}
	case predefined(name) == 0 && !s.entities.declares(name):
		return 0, refuse(at, "the entity &%s; is declared nowhere; for a plain & write &amp;", name)
	}
	return n, nil
}

// referenceName returns what is between & and ; at the beginning of text, and the length of the whole; 0 when
// that is not a reference.
func referenceName(text string) (name string, n int) {
	i := 1
	if i < len(text) && text[i] == '#' {
		for i++; i < len(text) && (isHex(text[i]) || text[i] == 'x' && i == 2); i++ {
		}
	} else {
		i += nameLength(text[i:])
	}
	if i >= len(text) || text[i] != ';' || i == 1 {
		return "", 0
	}
	return text[1:i], i + 1
}

// charReference returns the character of #160 or #xA0.
func charReference(name string) (rune, bool) {
	digits, base := name[1:], rune(10)
	if strings.HasPrefix(digits, "x") {
		digits, base = digits[1:], 16
	}
	r := rune(0)
	for i := range len(digits) {
		d := hexValue(digits[i])
		if d >= base || r > utf8.MaxRune {
			return 0, false
		}
		r = r*base + d
	}
	legal := r >= ' ' || r == '\t' || r == '\n' || r == '\r'
	return r, digits != "" && legal && utf8.ValidRune(r) && r != 0xFFFE && r != 0xFFFF
}

func hexValue(c byte) rune {
	switch {
	case c <= '9':
		return rune(c - '0')
	case c <= 'F':
		return rune(c - 'A' + 10)
	}
	return rune(c - 'a' + 10)
}

// predefined returns the character of one of XML's own entities, 0 for any other.
func predefined(name string) byte {
	switch name {
	case "amp":
		return '&'
	case "lt":
		return '<'
	case "gt":
		return '>'
	case "quot":
		return '"'
	case "apos":
		return '\''
	}
	return 0
}

// Bits of nameBytes: what a byte can be in a name.
const (
	namePlain uint8 = 1 << iota
	nameColon
	nameHigh // part of a character beyond ASCII
)

var nameBytes = func() (t [256]uint8) {
	for c := range 256 {
		switch b := byte(c); {
		case b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-' || b == '.':
			t[c] = namePlain
		case b == ':':
			t[c] = nameColon
		case b >= 0x80:
			t[c] = nameHigh
		}
	}
	return t
}()

// nameLength is the length of the XML name at the beginning of text.
func nameLength(text string) int {
	n, _ := readName(text)
	return n
}

// readName is nameLength, and whether there may be a colon.
func readName(text string) (n int, colon bool) {
	seen := uint8(0)
	for n < len(text) {
		c := nameBytes[text[n]]
		if c == 0 {
			break
		}
		seen |= c
		n++
	}
	if n == 0 {
		return 0, false
	}
	if seen&nameHigh == 0 {
		if c := text[0]; c == '-' || c == '.' || c <= '9' && c >= '0' {
			return 0, false
		}
		return n, seen&nameColon != 0
	}
	if !xmlscan.IsName(text[:n]) {
		return 0, false
	}
	return n, seen&nameColon != 0
}

// hasBrokenEscape reports whether some \u lacks its digits.
func hasBrokenEscape(raw string) bool {
	for {
		at := strings.IndexByte(raw, '\\')
		if at < 0 || at+1 == len(raw) {
			return false
		}
		escaped := raw[at+1]
		raw = raw[at+2:]
		if escaped != 'u' {
			continue
		}
		for k := range 4 {
			if k == len(raw) || !isHex(raw[k]) {
				return true
			}
		}
	}
}
