package oracle

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"howett.net/plist" // releases are rare; a reader that is not ours is the point
)

// readStrings reads a .strings file.
func readStrings(src []byte) (*document, error) {
	text, encoding, err := decodeStrings(src)
	if err != nil {
		return nil, err
	}
	s := stringsReader{src: text}
	s.prepared.WriteString("{")
	if err := s.file(); err != nil {
		return nil, err
	}
	s.prepared.WriteString("}")
	if err := s.ask(); err != nil {
		return nil, err
	}
	return &document{text: text, encoding: encoding, leaves: s.leaves}, nil
}

// decodeStrings finds a file's encoding by its byte order mark, or by where the NULs of UTF-16 are.
func decodeStrings(src []byte) (text, encoding string, err error) {
	s := string(src)
	order, marked := "", false
	switch {
	case strings.HasPrefix(s, mark):
		s, encoding = s[len(mark):], "UTF-8 with a byte order mark"
	case strings.HasPrefix(s, "\xff\xfe"):
		order, marked = "UTF-16LE", true
	case strings.HasPrefix(s, "\xfe\xff"):
		order, marked = "UTF-16BE", true
	case len(s) > 1 && s[0] == 0 && s[1] != 0, len(s) > 1 && s[0] == 0x20 && s[1]&^1 == 0x28 && len(s)%2 == 0:
		order = "UTF-16BE"
	case len(s) > 1 && s[0] != 0 && s[1] == 0,
		len(s) > 1 && s[1] == 0x20 && s[0]&^1 == 0x28 && len(s)%2 == 0 && !utf8.ValidString(s):
		order = "UTF-16LE"
	}
	if order == "" {
		return s, encoding, checkUTF8([]byte(s))
	}
	if len(s)%2 != 0 {
		return "", "", errors.New("UTF-16 with an odd number of bytes")
	}
	if encoding = order; marked {
		s, encoding = s[2:], encoding+" with a byte order mark"
	}
	units := make([]uint16, len(s)/2)
	for i := range units {
		units[i] = uint16(s[2*i]) | uint16(s[2*i+1])<<8
		if order == "UTF-16BE" {
			units[i] = units[i]<<8 | units[i]>>8
		}
	}
	runes := utf16.Decode(units)
	if len(utf16.Encode(runes)) != len(units) || lone(units) {
		return "", "", errors.New("half a surrogate pair in UTF-16")
	}
	return string(runes), encoding, nil
}

func lone(units []uint16) bool {
	high := false
	for _, u := range units {
		if low := u >= 0xdc00 && u < 0xe000; low != high {
			return true
		}
		high = u >= 0xd800 && u < 0xdc00
	}
	return high
}

// stringsReader cuts a file into tokens, and writes for the library one entry each that it reads as Apple's reader
// reads the original: the key with its number in front of it, so that order and doubles are not lost.
type stringsReader struct {
	src      string
	at       int
	prepared strings.Builder
	leaves   []Leaf
}

// gap passes over white space and comments.
func (s *stringsReader) gap() error {
	for {
		rest := s.src[s.at:]
		switch {
		case strings.HasPrefix(rest, "//"):
			end := len(rest)
			for _, eol := range []string{"\n", "\r", "\u2028", "\u2029"} {
				if n := strings.Index(rest, eol); n >= 0 {
					end = min(end, n)
				}
			}
			s.at += end
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				return errors.New("a comment that does not end")
			}
			s.at += n + 4
		default:
			r, size := utf8.DecodeRuneInString(rest)
			if rest == "" || !(r >= '\t' && r <= '\r' || r == ' ' || r == 0x2028 || r == 0x2029) {
				return nil
			}
			s.at += size
		}
	}
}

func (s *stringsReader) is(c byte) bool { return s.at < len(s.src) && s.src[s.at] == c }

func (s *stringsReader) file() error {
	if err := s.gap(); err != nil {
		return err
	}
	braces := s.is('{')
	if braces {
		s.at++
	}
	for {
		if err := s.gap(); err != nil {
			return err
		}
		if s.at == len(s.src) && !braces {
			return nil
		}
		if braces && s.is('}') {
			s.at++
			if err := s.gap(); err != nil {
				return err
			}
			if s.at < len(s.src) {
				return errors.New("text behind the closing brace")
			}
			return nil
		}
		if err := s.entry(); err != nil {
			return fmt.Errorf("entry %d: %w", len(s.leaves)+1, err)
		}
	}
}

func (s *stringsReader) entry() error {
	key, whole, err := s.token()
	if err != nil {
		return err
	}
	l := Leaf{Path: []string{key}, Kind: Text, at: s.at, end: s.at, loose: true}
	fmt.Fprintf(&s.prepared, "\"%d:%s\" = ", len(s.leaves), key)
	if err := s.gap(); err != nil {
		return err
	}
	value := key
	if s.is('=') {
		s.at++
		if err := s.gap(); err != nil {
			return err
		}
		l.loose, l.at = false, s.at
		whole = true
		if s.is('{') || s.is('(') || s.is('<') {
			l.Kind = Other
			err = s.nested()
		} else {
			value, whole, err = s.token()
		}
		if err != nil {
			return err
		}
		l.end = s.at
		if err := s.gap(); err != nil {
			return err
		}
	}
	if !whole {
		l.Kind = Other
	}
	if l.Kind == Other {
		value, l.Text = "", s.src[l.at:l.end]
	}
	fmt.Fprintf(&s.prepared, "\"%s\";\n", value)
	if !s.is(';') {
		return errors.New("no ; behind it")
	}
	s.at++
	s.leaves = append(s.leaves, l)
	return nil
}

// nested passes over a value that is a collection or data.
func (s *stringsReader) nested() error {
	depth := 0
	for s.at < len(s.src) {
		switch c := s.src[s.at]; c {
		case '{', '(', '<':
			depth++
			s.at++
		case '}', ')', '>':
			depth--
			s.at++
			if depth == 0 {
				return nil
			}
		case '"', '\'':
			if _, _, err := s.token(); err != nil {
				return err
			}
		default:
			before := s.at
			if err := s.gap(); err != nil {
				return err
			}
			if s.at == before {
				s.at++
			}
		}
	}
	return errors.New("a value that does not end")
}

const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$/:.-"

// token reads a string and returns it as it goes between the library's double quotes. whole is false where an escape is
// not a character.
func (s *stringsReader) token() (spelled string, whole bool, err error) {
	if !s.is('"') && !s.is('\'') {
		end := s.at
		for end < len(s.src) && strings.IndexByte(bare, s.src[end]) >= 0 {
			end++
		}
		if end == s.at {
			return "", false, errors.New("neither a string nor a collection")
		}
		spelled = s.src[s.at:end]
		s.at = end
		return spelled, true, nil
	}
	quote := s.src[s.at]
	var out strings.Builder
	whole = true
	for i := s.at + 1; i < len(s.src); i++ {
		switch c := s.src[i]; {
		case c == quote:
			s.at = i + 1
			return out.String(), whole, nil
		case c == '\\' && i+1 < len(s.src):
			n, ok := s.escape(s.src[i:], &out)
			whole = whole && ok
			i += n - 1
		case c == '"':
			out.WriteString(`\"`)
		default:
			out.WriteByte(c)
		}
	}
	return "", false, errors.New("unterminated string")
}

// escape hands one escape on: as it is where the library agrees with Apple's reader, as the character that Apple's
// reader makes of it where not. It returns its length, and false for what is not a character to either.
func (s *stringsReader) escape(raw string, out *strings.Builder) (int, bool) {
	digits := func(from, most int, base int) (int64, int) {
		n := 0
		for n < most && from+n < len(raw) {
			if _, err := strconv.ParseUint(raw[from+n:from+n+1], base, 8); err != nil {
				break
			}
			n++
		}
		value, _ := strconv.ParseInt(raw[from:from+n], base, 32)
		return value, n
	}
	switch c := raw[1]; {
	case c == 'U':
		high, n := digits(2, 4, 16)
		if high >= 0xd800 && high < 0xe000 {
			if strings.HasPrefix(raw[2+n:], `\U`) {
				low, m := digits(4+n, 4, 16)
				if r := utf16.DecodeRune(rune(high), rune(low)); r != utf8.RuneError {
					out.WriteRune(r)
					return 4 + n + m, true
				}
			}
			out.WriteString(`\\U` + raw[2:2+n])
			return 2 + n, false
		}
		out.WriteString(raw[:2+n])
		return 2 + n, true
	case c >= '0' && c <= '7':
		value, n := digits(1, 3, 8)
		if value > 0x7f { // NeXTSTEP's characters, Latin-1 to the library: as spelled, which tells them apart as well
			out.WriteString(`\\` + raw[1:1+n])
			return 1 + n, value&0xff < 0xfe
		}
		out.WriteString(raw[:1+n])
		return 1 + n, true
	case strings.IndexByte("abfnrtv\\", c) >= 0:
		out.WriteString(raw[:2])
		return 2, true
	case c == '"':
		out.WriteString(`\"`)
		return 2, true
	default: // nothing but the character, which may be one of several bytes
		_, size := utf8.DecodeRuneInString(raw[1:])
		out.WriteString(raw[1 : 1+size])
		return 1 + size, true
	}
}

// ask lets the library read what was prepared, and takes keys and texts from it.
func (s *stringsReader) ask() (err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, bug := r.(runtime.Error); !bug {
				panic(r)
			}
			err = errors.New("howett.net/plist cannot read it")
		}
	}()
	var read map[string]string
	if len(s.leaves) > 0 {
		if _, err := plist.Unmarshal([]byte(s.prepared.String()), &read); err != nil {
			return fmt.Errorf("howett.net/plist: %w", err)
		}
	}
	if len(read) != len(s.leaves) {
		return fmt.Errorf("howett.net/plist reads %d entries, %d are there", len(read), len(s.leaves))
	}
	for numbered, text := range read {
		number, key, _ := strings.Cut(numbered, ":")
		i, err := strconv.Atoi(number)
		if err != nil || i >= len(s.leaves) {
			return fmt.Errorf("howett.net/plist reads a key %q", numbered)
		}
		s.leaves[i].Path = []string{key}
		if s.leaves[i].Kind == Text {
			s.leaves[i].Text = text
		}
	}
	return nil
}
