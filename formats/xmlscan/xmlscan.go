// Package xmlscan reads XML 1.0 as a row of tokens with their offsets, for grammars of formats that are XML, and spells
// texts in it.
//
// Its law: the tokens of a file, one behind the other, are the file. What is not well-formed is refused where it is: a
// tag that does not match, a reference that nothing declares, a character that XML does not have.
//
// It knows no entities but the five of XML: a DOCTYPE is refused, or read over where the format has one and it declares
// nothing itself. It knows no namespaces, and no encoding but UTF-8. androidxml has a scanner of its own, for files
// with entities and for Android's rules of what a text is, and takes from here where elements come and go by lines.
package xmlscan

import (
	"encoding/xml"
	"fmt"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/locsync/locsync/formats/resource"
)

// Kind says what a token is.
type Kind uint8

// The kinds of tokens.
const (
	Start       Kind = iota + 1 // <name ...>, or with Closed <name .../>, behind which no End comes
	End                         // </name>
	Characters                  // between tags, references as spelled
	CDATA                       // <![CDATA[...]]>
	Comment                     // <!--...-->
	Instruction                 // <?...?>, the declaration too
	Doctype                     // <!DOCTYPE ...>
	Nothing                     // the end of the file
)

// Token is one of a file.
type Token struct {
	Kind       Kind
	At         resource.Span // all of it
	Name       string        // of Start and End
	Closed     bool
	Attributes []Attribute // of Start; valid until the next token
}

// Attribute is name="value" of a tag.
type Attribute struct {
	Name  string
	Value resource.Span // with its quotes, as spelled
}

// Attribute returns the value of an attribute, decoded, and where it is; false where there is none.
func (t *Token) Attribute(src, name string) (value string, at resource.Span, has bool) {
	for _, a := range t.Attributes {
		if a.Name == name {
			return Decoded(src[a.Value.Start+1 : a.Value.End-1]), a.Value, true
		}
	}
	return "", resource.Span{}, false
}

// Scanner is one pass over a file. Its depth is bounded by resource.MaxDepth.
type Scanner struct {
	Doctype bool // a DOCTYPE may come, once, before the root

	src    string
	at     int
	open   []string // names of the elements around
	rooted bool     // there was a root
	token  Token
}

// New begins a pass. src is without a byte order mark, see Decode.
func New(src string) *Scanner { return &Scanner{src: src} }

// Seek goes to an offset, where an element begins that is read as a root.
func (s *Scanner) Seek(at int) { s.at = at }

// Depth is how many elements are open.
func (s *Scanner) Depth() int { return len(s.open) }

func refuse(at int, format string, args ...any) error {
	return &resource.SyntaxError{Offset: at, Msg: fmt.Sprintf(format, args...)}
}

// Next reads a token. The error is a *resource.SyntaxError.
func (s *Scanner) Next() (*Token, error) {
	start := s.at
	s.token = Token{Attributes: s.token.Attributes[:0]}
	var err error
	switch rest := s.src[start:]; {
	case rest == "":
		err = s.ends()
	case rest[0] != '<':
		err = s.characters()
	case strings.HasPrefix(rest, "<!--"):
		err = s.comment()
	case strings.HasPrefix(rest, "<![CDATA["):
		err = s.cdata()
	case s.Doctype && strings.HasPrefix(rest, "<!DOCTYPE"):
		err = s.doctype()
	case strings.HasPrefix(rest, "<!"):
		err = refuse(start, "a DOCTYPE, or a <! that begins no comment; files with one are not read")
	case strings.HasPrefix(rest, "<?"):
		err = s.instruction()
	case strings.HasPrefix(rest, "</"):
		err = s.endTag()
	default:
		err = s.startTag()
	}
	if err != nil {
		return nil, err
	}
	s.token.At = resource.At(start, s.at)
	return &s.token, nil
}

func (s *Scanner) ends() error {
	s.token.Kind = Nothing
	switch {
	case len(s.open) > 0:
		return refuse(s.at, "the file ends inside <%s>: its end tag is missing", s.open[len(s.open)-1])
	case !s.rooted:
		return refuse(s.at, "there is no root element")
	}
	return nil
}

// Skip passes over the rest of the element whose start tag was read last, and returns where it ends.
func (s *Scanner) Skip() (end int, err error) {
	if s.token.Closed {
		return s.at, nil
	}
	for depth := len(s.open); len(s.open) >= depth; {
		if _, err := s.Next(); err != nil {
			return 0, err
		}
	}
	return s.at, nil
}

func (s *Scanner) characters() error {
	s.token.Kind = Characters
	rest := s.src[s.at:]
	n := strings.IndexByte(rest, '<')
	if n < 0 {
		n = len(rest)
	}
	text := rest[:n]
	if len(s.open) == 0 && strings.Trim(text, Spaces) != "" {
		return refuse(s.at+len(text)-len(strings.TrimLeft(text, Spaces)), "text outside of the root element")
	}
	if i := strings.Index(text, "]]>"); i >= 0 {
		return refuse(s.at+i, "]]> in a text; write ]]&gt;")
	}
	if err := s.checked(text, true); err != nil {
		return err
	}
	s.at += n
	return nil
}

// Spaces are the white space of XML.
const Spaces = " \t\r\n"

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// checked refuses what XML has no character or reference for in a text that begins at s.at, or behind it.
func (s *Scanner) checked(text string, references bool) error {
	base := s.at + strings.Index(s.src[s.at:], text)
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '&' && references:
			_, size := reference(text[i:])
			if size == 0 {
				return refuse(base+i, "a & that begins no reference that XML has; write &amp;")
			}
			i += size
		case c < utf8.RuneSelf:
			if c < ' ' && !isSpace(c) {
				return refuse(base+i, "the character U+%04X, which XML does not have", c)
			}
			i++
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			if !isCharacter(r) {
				return refuse(base+i, "the character U+%04X, which XML does not have", r)
			}
			i += size
		}
	}
	return nil
}

// delimited reads what is between two signs.
func (s *Scanner) delimited(kind Kind, open, end, what string) (string, error) {
	s.token.Kind = kind
	inside, _, closed := strings.Cut(s.src[s.at+len(open):], end)
	if !closed {
		return "", refuse(s.at, "%s that does not end", what)
	}
	if err := s.checked(inside, false); err != nil {
		return "", err
	}
	s.at += len(open) + len(inside) + len(end)
	return inside, nil
}

func (s *Scanner) cdata() error {
	if len(s.open) == 0 {
		return refuse(s.at, "text outside of the root element")
	}
	_, err := s.delimited(CDATA, "<![CDATA[", "]]>", "a CDATA section")
	return err
}

func (s *Scanner) comment() error {
	start := s.at
	inside, err := s.delimited(Comment, "<!--", "-->", "a comment")
	if err == nil && (strings.Contains(inside, "--") || strings.HasSuffix(inside, "-")) {
		return refuse(start, "-- inside a comment, which XML does not allow")
	}
	return err
}

// doctype reads over one that names a grammar. What is declared inside it would be entities and defaults.
func (s *Scanner) doctype() error {
	s.token.Kind, s.Doctype = Doctype, false
	if s.rooted {
		return refuse(s.at, "a DOCTYPE behind the beginning of the root element")
	}
	for at := s.at; at < len(s.src); at++ {
		switch c := s.src[at]; c {
		case '[', '<':
			if at > s.at {
				return refuse(at, "the DOCTYPE declares something itself; files with such a one are not read")
			}
		case '"', '\'':
			n := strings.IndexByte(s.src[at+1:], c)
			if n < 0 {
				return refuse(at, "a DOCTYPE that does not end")
			}
			at += 1 + n
		case '>':
			text := s.src[s.at : at+1]
			if err := s.checked(text, false); err != nil {
				return err
			}
			s.at = at + 1
			return nil
		}
	}
	return refuse(s.at, "a DOCTYPE that does not end")
}

func (s *Scanner) instruction() error {
	start := s.at
	inside, err := s.delimited(Instruction, "<?", "?>", "a processing instruction")
	if err != nil {
		return err
	}
	name, rest, _ := strings.Cut(inside, " ")
	switch n := nameLength(inside); {
	case n == 0 || n < len(inside) && !isSpace(inside[n]):
		return refuse(start, "a processing instruction without a name")
	case strings.EqualFold(name, "xml") && start > 0:
		return refuse(start, "<?xml ...?> is allowed only at the very beginning of a file")
	case strings.EqualFold(name, "xml"):
		return declared(rest)
	}
	return nil
}

// declared checks what the declaration says, which is at the beginning of the file.
func declared(said string) error {
	said = strings.ReplaceAll(said, "'", `"`)
	if !strings.Contains(said, `version="1.0"`) {
		return refuse(0, "the XML declaration does not say version 1.0")
	}
	if _, of, has := strings.Cut(said, "encoding="); has {
		of, _, _ = strings.Cut(strings.TrimPrefix(of, `"`), `"`)
		if !strings.EqualFold(of, "utf-8") {
			return refuse(0, "the file says that it is %s; save it as UTF-8 and declare that", of)
		}
	}
	return nil
}

// nameLength is the length of the name that a text begins with; 0 for none.
func nameLength(text string) int {
	n, beyond := 0, false // beyond ASCII
	for ; n < len(text); n++ {
		c := text[n]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == ':' || c == '_' || c >= 0x80
		if !letter && (n == 0 || c != '-' && c != '.' && (c < '0' || c > '9')) {
			break
		}
		beyond = beyond || c >= 0x80
	}
	if beyond && !IsName(text[:n]) {
		return 0
	}
	return n
}

// IsName reports whether a text is a name of XML as programs read them: the fourth edition's, to which encoding/xml and
// expat (aapt2, Python) hold. The fifth has more characters.
func IsName(text string) bool {
	token, err := xml.NewDecoder(strings.NewReader("<" + strings.ReplaceAll(text, ":", "_") + "/>")).RawToken()
	start, is := token.(xml.StartElement)
	return err == nil && is && len(start.Name.Local) == len(text) && len(start.Attr) == 0
}

func (s *Scanner) endTag() error {
	s.token.Kind = End
	n := nameLength(s.src[s.at+2:])
	name := s.src[s.at+2 : s.at+2+n]
	if len(s.open) == 0 || name != s.open[len(s.open)-1] {
		return refuse(s.at, "</%s> ends no element that is open here", name)
	}
	at := s.blanks(s.at + 2 + n)
	if at == len(s.src) || s.src[at] != '>' {
		return refuse(s.at, "the end tag </%s> is not well-formed", name)
	}
	s.open = s.open[:len(s.open)-1]
	s.token.Name, s.at = name, at+1
	return nil
}

func (s *Scanner) blanks(at int) int {
	for at < len(s.src) && isSpace(s.src[at]) {
		at++
	}
	return at
}

func (s *Scanner) startTag() error {
	s.token.Kind = Start
	if len(s.open) == 0 && s.rooted {
		return refuse(s.at, "something follows the root element")
	}
	n := nameLength(s.src[s.at+1:])
	if n == 0 {
		return refuse(s.at, "a < that begins no tag; write &lt;")
	}
	start := s.at
	name := s.src[start+1 : start+1+n]
	s.token.Name, s.rooted = name, true
	for at := start + 1 + n; ; {
		next := s.blanks(at)
		rest := s.src[next:]
		switch {
		case strings.HasPrefix(rest, ">"):
			if len(s.open) == resource.MaxDepth {
				return refuse(start, "more than %d elements inside one another", resource.MaxDepth)
			}
			s.open, s.at = append(s.open, name), next+1
			return nil
		case strings.HasPrefix(rest, "/>"):
			s.token.Closed, s.at = true, next+2
			return nil
		case next == at || rest == "":
			return refuse(min(next, len(s.src)), "the tag <%s> is not well-formed here", name)
		}
		end, err := s.attribute(next)
		if err != nil {
			return err
		}
		at = end
	}
}

// attribute reads name="value".
func (s *Scanner) attribute(start int) (end int, err error) {
	n := nameLength(s.src[start:])
	name := s.src[start : start+n]
	at := s.blanks(start + n)
	if n == 0 || at == len(s.src) || s.src[at] != '=' {
		return 0, refuse(start, "the tag <%s> is not well-formed here", s.token.Name)
	}
	at = s.blanks(at + 1)
	if at == len(s.src) || s.src[at] != '"' && s.src[at] != '\'' {
		return 0, refuse(start, "the value of the attribute %s of <%s> is not in quotes", name, s.token.Name)
	}
	size := strings.IndexByte(s.src[at+1:], s.src[at])
	if size < 0 {
		return 0, refuse(at, "the value of the attribute %s of <%s> is not closed", name, s.token.Name)
	}
	value := s.src[at+1 : at+1+size]
	if i := strings.IndexByte(value, '<'); i >= 0 {
		return 0, refuse(at+1+i, "a < inside an attribute; write &lt;")
	}
	s.at = at + 1
	if err := s.checked(value, true); err != nil {
		return 0, err
	}
	for _, a := range s.token.Attributes {
		if a.Name == name {
			return 0, refuse(start, "<%s> has the attribute %s twice", s.token.Name, name)
		}
	}
	if len(s.token.Attributes) == maxAttributes {
		return 0, refuse(start, "more than %d attributes", maxAttributes)
	}
	s.token.Attributes = append(s.token.Attributes, Attribute{name, resource.At(at, at+size+2)})
	return at + size + 2, nil
}

// maxAttributes is how many a tag may have: each is held against those before it.
const maxAttributes = 100

// Decode takes a byte order mark away, and gives it back. A grammar's Decode.
func Decode(src []byte) (string, func(string) []byte, error) {
	text := unsafe.String(unsafe.SliceData(src), len(src))
	const mark = "\xef\xbb\xbf"
	if rest, marked := strings.CutPrefix(text, mark); marked {
		return rest, func(s string) []byte { return append([]byte(mark), s...) }, nil
	}
	return text, nil, nil
}
