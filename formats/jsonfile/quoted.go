package jsonfile

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Each of these finds bytes in a word of eight: the lowest marked byte is right, those above it may not be.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

func hasByte(w uint64, c byte) uint64 {
	x := w ^ ones*uint64(c)
	return (x - ones) &^ x & highs
}

func hasControl(w uint64) uint64 { return (w - ones*0x20) &^ w & highs }

// quoted reads the string that starts at the quote at and returns where it ends, with valueEscaped when it has a
// backslash and halfName when half of a surrogate pair.
func (s *scanner) quoted(start int) (end int, style uint8, err error) {
	b, at := s.bytes, start+1
	high := uint64(0)
	for {
		for at+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[at:])
			if stop := hasByte(w, '"') | hasByte(w, '\\') | hasControl(w); stop != 0 {
				high |= w & (stop&-stop - 1)
				at += bits.TrailingZeros64(stop) >> 3
				break
			}
			high |= w
			at += 8
		}
		for at < len(b) && b[at] != '"' && b[at] != '\\' && b[at] >= ' ' {
			high |= uint64(b[at])
			at++
		}
		if at == len(b) {
			return 0, 0, refuse(start, "a string that is not closed")
		}
		switch c := b[at]; c {
		case '"':
			if high&highs != 0 {
				s.seen |= seenRaw
			}
			return at + 1, style, nil
		case '\\':
			style |= valueEscaped
			next, half := s.escape(at)
			if next == 0 {
				return 0, 0, refuse(at, "%s is not an escape that JSON has", s.src[at:runeEnd(s.src, at+1)])
			}
			if half {
				style |= halfName
			}
			at = next
		case '\n', '\r':
			return 0, 0, refuse(at, "a line end inside a string; close the string or write it as \\n")
		default:
			return 0, 0, refuse(at, "control character U+%04X inside a string; write it as \\u%04x", c, c)
		}
	}
}

// escape returns where the escape at at ends, 0 when it is none, and whether it is half of a surrogate pair.
func (s *scanner) escape(at int) (end int, half bool) {
	if at+1 == len(s.src) {
		return 0, false
	}
	switch s.src[at+1] {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return at + 2, false
	case '/':
		s.seen |= seenSlash
		return at + 2, false
	case 'u':
	default:
		return 0, false
	}
	v, ok := hex4(s.src, at)
	if !ok {
		return 0, false
	}
	if v >= utf8.RuneSelf && unicode.IsLetter(v) { // no-break spaces and the like are coded in files that else are not
		s.seen |= seenCode
	}
	if strings.ContainsAny(s.src[at+2:at+6], "ABCDEF") {
		s.seen |= seenUpper
	}
	switch {
	case v < 0xd800 || v > 0xdfff:
		return at + 6, false
	case v < 0xdc00:
		if low, ok := hex4(s.src, at+6); ok && low >= 0xdc00 && low <= 0xdfff {
			return at + 12, false
		}
	}
	return at + 6, true
}

// hex4 reads a \uXXXX at at.
func hex4(s string, at int) (v rune, ok bool) {
	if at+6 > len(s) || s[at] != '\\' || s[at+1] != 'u' {
		return 0, false
	}
	for _, c := range []byte(s[at+2 : at+6]) {
		switch {
		case c >= '0' && c <= '9':
			v = v<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			v = v<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return v, true
}
