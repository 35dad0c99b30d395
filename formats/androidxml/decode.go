package androidxml

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// part is one piece of a value that is known to be well-formed.
type part uint8

const (
	partText    part = iota // characters and references
	partCDATA               // the inside of a CDATA section
	partTag                 // a start or end tag
	partNothing             // a comment or a processing instruction
)

// cut returns the part of raw that begins at an offset, and where the next one begins.
func cut(raw string, at int) (p part, text string, next int) {
	rest := raw[at:]
	until := func(p part, start, end string) (part, string, int) {
		n := len(start) + strings.Index(rest[len(start):], end)
		return p, rest[len(start):n], at + n + len(end)
	}
	switch {
	case rest[0] != '<':
		n := strings.IndexByte(rest, '<')
		if n < 0 {
			n = len(rest)
		}
		return partText, rest[:n], at + n
	case strings.HasPrefix(rest, cdataStart):
		return until(partCDATA, cdataStart, cdataEnd)
	case strings.HasPrefix(rest, "<!--"):
		return until(partNothing, "<!--", "-->")
	case strings.HasPrefix(rest, "<?"):
		return until(partNothing, "<?", "?>")
	}
	n := tagLength(rest)
	return partTag, rest[:n], at + n
}

// tagLength is the length of the well-formed tag at the beginning of text.
func tagLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case '>':
			return i + 1
		case '"', '\'':
			i += 1 + strings.IndexByte(text[i+1:], c)
		}
	}
	return len(text)
}

// tagName is the name in a tag.
func tagName(tag string) string {
	tag = strings.TrimPrefix(tag[1:], "/")
	return tag[:nameLength(tag)]
}

// isSpan reports whether a tag is inline markup to the compiler. Elements with a prefix, like xliff:g, are transparent.
func isSpan(tag string) bool { return strings.IndexByte(tagName(tag), ':') < 0 }

// hasSpan reports whether a value has inline markup.
func hasSpan(raw string) bool {
	if strings.IndexByte(raw, '<') < 0 {
		return false
	}
	for at := 0; at < len(raw); {
		p, text, next := cut(raw, at)
		if p == partTag && isSpan(text) {
			return true
		}
		at = next
	}
	return false
}

// decode turns a value as spelled into its text.
func decode(raw string) string {
	d := decoder{out: make([]byte, 0, len(raw))}
	d.value(raw)
	return unsafe.String(unsafe.SliceData(d.out), len(d.out)) // it is not written to any more
}

// decoder builds a text the way the compiler's string builder does, one character at a time where it matters.
type decoder struct {
	out    []byte
	spans  bool // the value has inline markup: its ends are not trimmed
	quoted bool // white space counts
	spaced bool // the last character is a collapsed space
	begun  bool // something other than white space was seen, or the first stretch of text is over

	escape int     // 0: none, 1: behind a backslash, 2 to 5: behind \u and that many digits less two
	digits [4]byte // of the \u that is being read
	high   [4]byte // digits of the high surrogate before it
	paired bool    // there is such a surrogate

	// The white space that ends the current stretch of text between tags, and the last stretch that was not empty.
	characters   int // of the stretch
	running      bool
	run          int // where its white space begins in out
	tail, tailTo int // the same of the last stretch; what is trimmed in the end

	bare bool // there was an apostrophe outside of quotes
}

// value decodes a whole value.
func (d *decoder) value(raw string) {
	d.spans = hasSpan(raw)
	d.begun = d.spans
	for at := 0; at < len(raw); {
		p, text, next := cut(raw, at)
		switch p {
		case partText:
			d.text(text, true)
		case partCDATA:
			d.text(text, false)
		case partTag:
			d.endStretch()
			d.out = append(d.out, text...)
			if isSpan(text) {
				d.quoted, d.spaced = false, false
			}
		}
		at = next
	}
	d.endStretch()
	if !d.spans && d.tailTo > d.tail {
		d.out = append(d.out[:d.tail], d.out[d.tailTo:]...)
	}
}

// endStretch is for a tag or the end of the value.
func (d *decoder) endStretch() {
	d.flush()
	if d.characters > 0 {
		d.tail, d.tailTo = 0, 0
		if d.running {
			d.tail, d.tailTo = d.run, len(d.out)
		}
		d.begun = true
	}
	d.escape, d.characters, d.running = 0, 0, false // a backslash without a character is dropped
}

// isPlain are the bytes that are themselves wherever they stand.
var isPlain = func() (plain [256]bool) {
	for c := range 256 {
		plain[c] = c != ' ' && classes[c]&^(seenSuspect|seenBracket|seenEnd) == 0
	}
	return plain
}()

// text decodes characters, and references where there are any.
func (d *decoder) text(s string, references bool) {
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && (isPlain[s[j]] || s[j] == ' ' && j > i && j+1 < len(s) && isPlain[s[j+1]]) {
			j++
		}
		if j > i {
			d.plain(s[i:j])
			i = j
			continue
		}
		switch c := s[i]; {
		case c == '&' && references:
			name, n := referenceName(s[i:])
			d.reference(s[i:i+n], name)
			i += n
		case c == '\r': // XML reads every line end as \n
			if next(s, i+1) != '\n' {
				d.character('\n')
			}
			i++
		default:
			d.character(c)
			i++
		}
	}
}

// reference decodes &name; as one character, or keeps it as written.
func (d *decoder) reference(spelled, name string) {
	if name[0] != '#' {
		if c := predefined(name); c != 0 {
			d.character(c)
		} else {
			d.plain(spelled)
		}
		return
	}
	r, _ := charReference(name)
	if r < utf8.RuneSelf {
		d.character(byte(r))
		return
	}
	var b [utf8.UTFMax]byte
	d.plain(string(b[:utf8.EncodeRune(b[:], r)]))
}

// plain adds bytes that are themselves, unless an escape is being read.
func (d *decoder) plain(s string) {
	for d.escape > 0 && s != "" {
		d.character(s[0])
		s = s[1:]
	}
	if s == "" {
		return
	}
	d.flush()
	d.out = append(d.out, s...)
	d.characters += len(s)
	d.begun, d.spaced, d.running = true, false, false
}

// character takes one byte of text as XML sees it: an ASCII character, or a byte of another one.
func (d *decoder) character(c byte) {
	d.characters++
	if d.escape >= 2 && isHex(c) {
		d.running = false
		d.digit(c)
		return
	}
	if d.escape >= 2 {
		d.flush()
	}
	if isSpace(c) {
		d.space(c)
		return
	}
	d.begun, d.running = true, false
	switch {
	case d.escape == 1:
		d.escaped(c)
	case c == '\\':
		d.escape = 1
	case c == '"':
		d.flush()
		d.quoted = !d.quoted
	default:
		d.flush()
		d.bare = d.bare || c == '\'' && !d.quoted
		d.out = append(d.out, c)
	}
	d.spaced = false
}

func (d *decoder) space(c byte) {
	if !d.begun {
		return
	}
	if d.escape == 0 {
		d.flush()
	}
	if !d.running {
		d.running, d.run = true, len(d.out)
	}
	switch {
	case d.escape == 1:
		d.flush()
		d.run = len(d.out)
		d.escape, d.spaced = 0, false
		d.out = append(d.out, c)
	case d.quoted:
		d.spaced = false
		d.out = append(d.out, c)
	case !d.spaced:
		d.spaced = true
		d.out = append(d.out, ' ')
	}
}

// escaped takes the character behind a backslash.
func (d *decoder) escaped(c byte) {
	d.escape = 0
	if c == 'u' {
		d.escape = 2
		return
	}
	d.flush()
	switch c {
	case 'n':
		c = '\n'
	case 't':
		c = '\t'
	}
	d.out = append(d.out, c)
}

// digit takes a hexadecimal digit behind \u.
func (d *decoder) digit(c byte) {
	d.digits[d.escape-2] = c
	d.escape++
	if d.escape < 6 {
		return
	}
	d.escape = 0
	r := value4(d.digits)
	switch {
	case d.paired && r >= 0xDC00 && r < 0xE000:
		d.paired = false
		d.out = utf8.AppendRune(d.out, utf16.DecodeRune(value4(d.high), r))
		return
	case r >= 0xD800 && r < 0xDC00:
		d.flush()
		d.high, d.paired = d.digits, true
		return
	}
	d.flush()
	if !utf8.ValidRune(r) {
		d.literal(d.digits[:])
		return
	}
	d.out = utf8.AppendRune(d.out, r)
}

func value4(digits [4]byte) (r rune) {
	for _, c := range digits {
		r = r<<4 | hexValue(c)
	}
	return r
}

// flush writes what is not the escape that it began as, the way it is spelled.
func (d *decoder) flush() {
	if d.paired {
		d.paired = false
		d.literal(d.high[:])
	}
	if d.escape >= 2 {
		n := d.escape - 2
		d.escape = 0
		d.literal(d.digits[:n])
	}
}

func (d *decoder) literal(digits []byte) {
	d.out = append(append(d.out, `\u`...), digits...)
}

// plainXML decodes XML alone: what the compiler's own rules are applied to. Tags are left out.
func plainXML(raw string) string {
	if !strings.ContainsAny(raw, "<&\r") {
		return raw
	}
	var out strings.Builder
	for at := 0; at < len(raw); {
		p, text, next := cut(raw, at)
		switch p {
		case partText:
			out.WriteString(resolved(text))
		case partCDATA:
			out.WriteString(text)
		}
		at = next
	}
	return out.String()
}

// resolved replaces the references of XML itself by their characters.
func resolved(text string) string {
	if strings.IndexByte(text, '&') < 0 {
		return text
	}
	var out strings.Builder
	for {
		at := strings.IndexByte(text, '&')
		if at < 0 {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:at])
		name, n := referenceName(text[at:])
		switch {
		case n == 0:
			n = 1
			out.WriteByte('&')
		case name[0] == '#':
			r, _ := charReference(name)
			out.WriteRune(r)
		case predefined(name) != 0:
			out.WriteByte(predefined(name))
		default:
			out.WriteString(text[at : at+n])
		}
		text = text[at+n:]
	}
}

// attributeText decodes the value of an attribute. White space in it is blanks, as XML has it.
func attributeText(raw string) string {
	seen := class(0)
	for i := range len(raw) {
		seen |= classes[raw[i]]
	}
	if seen&(seenOdd|seenAmp) == 0 {
		return raw
	}
	if seen&seenOdd != 0 {
		raw = strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ", "\t", " ").Replace(raw)
	}
	return resolved(raw)
}

// isReference reports whether a value without markup is a reference to another resource. The compiler looks at it
// before quotes and escapes, so \@ and "@ begin texts.
func isReference(raw string, seen class) bool {
	for raw != "" && isSpace(raw[0]) {
		raw = raw[1:]
	}
	switch next(raw, 0) {
	case '<', '&':
		raw = plainXML(raw)
	case '@', '?':
		if seen&(seenAmp|seenInner) != 0 {
			raw = plainXML(raw)
		}
	default:
		return false
	}
	raw = strings.Trim(raw, spaces)
	if raw == "" || raw[0] != '@' && raw[0] != '?' {
		return false
	}
	rest := raw[1:]
	if raw[0] == '@' && (rest == "null" || rest == "empty") {
		return true
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "+"), "*")
	if before, after, ok := strings.Cut(rest, ":"); ok {
		if !isResourceName(before) {
			return false
		}
		rest = after
	}
	kind, name, typed := strings.Cut(rest, "/")
	if !typed {
		name = rest
	}
	if raw[0] == '?' {
		return isResourceName(name) && (!typed || kind == "attr")
	}
	return typed && isResourceName(kind) && isResourceName(name)
}

// isResourceName reports whether a name is made as those of resources, packages and types are.
func isResourceName(name string) bool {
	for i, r := range name {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || r != '.' && r != '-' && !unicode.In(r, unicode.M, unicode.N)) {
			return false
		}
	}
	return name != ""
}
