package stringsfile

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/locsync/locsync/formats/resource"
)

const utf8Mark = "\xef\xbb\xbf"

// byteOrder is one of the two ways to store the units of UTF-16.
type byteOrder struct {
	mark      string
	low, high int    // which of a unit's two bytes is which
	beyond    uint64 // the bits that are all zero in eight bytes, read little-endian, that are four characters of ASCII
}

var (
	littleEndian = byteOrder{"\xff\xfe", 0, 1, 0xff80ff80ff80ff80}
	bigEndian    = byteOrder{"\xfe\xff", 1, 0, 0x80ff80ff80ff80ff}
)

// Decode finds the encoding by the byte order mark, or without one by the NUL that one of the first two bytes is in
// UTF-16, as the first character of such a file is one of ASCII. The way back writes the same encoding, byte order and
// mark.
func (grammar) Decode(src []byte) (string, func(string) []byte, error) {
	text := unsafe.String(unsafe.SliceData(src), len(src))
	switch {
	case strings.HasPrefix(text, "bplist"):
		return refuse("a compiled property list, which is not a text; " +
			"keep the .strings text that it was made from, or convert it with plutil")
	case strings.HasPrefix(text, "\xff\xfe\x00\x00"), strings.HasPrefix(text, "\x00\x00\xfe\xff"):
		return refuse("UTF-32, which Apple's tools do not read; save the file as UTF-8 or UTF-16")
	case strings.HasPrefix(text, utf8Mark):
		return text[len(utf8Mark):], func(s string) []byte { return append([]byte(utf8Mark), s...) }, nil
	case strings.HasPrefix(text, littleEndian.mark):
		return littleEndian.decode(littleEndian.mark, src)
	case strings.HasPrefix(text, bigEndian.mark):
		return bigEndian.decode(bigEndian.mark, src)
	case littleEndian.opens(text):
		return littleEndian.decode("", src)
	case bigEndian.opens(text):
		return bigEndian.decode("", src)
	}
	return text, nil, nil
}

func refuse(msg string) (string, func(string) []byte, error) {
	return "", nil, &resource.SyntaxError{Msg: msg}
}

// opens reports whether a file without a mark begins as one in this byte order does.
func (o byteOrder) opens(text string) bool {
	return len(text) >= 2 && text[o.high] == 0 && text[o.low] != 0
}

// decode reads all behind the mark. It refuses what has no UTF-8, so that encoding the text gives the same bytes again.
func (o byteOrder) decode(mark string, src []byte) (string, func(string) []byte, error) {
	units := src[len(mark):]
	text := make([]byte, 0, len(units)/2+len(units)/8+8)
	fail := func(msg string) (string, func(string) []byte, error) {
		return string(text), nil, &resource.SyntaxError{Offset: len(text), Msg: msg}
	}
	for len(units) >= 2 {
		if len(units) >= 8 && binary.LittleEndian.Uint64(units)&o.beyond == 0 {
			text = append(text, units[o.low], units[o.low+2], units[o.low+4], units[o.low+6])
			units = units[8:]
			continue
		}
		r := o.unit(units)
		units = units[2:]
		if r >= 0xd800 && r < 0xe000 {
			if r >= 0xdc00 || len(units) < 2 || o.unit(units)&^0x3ff != 0xdc00 {
				return fail("half a surrogate pair, which is not a character; remove it in an editor that shows it")
			}
			r = 0x10000 + (r-0xd800)<<10 + (o.unit(units) - 0xdc00)
			units = units[2:]
		}
		text = utf8.AppendRune(text, r)
	}
	if len(units) > 0 {
		return fail("UTF-16 with an odd number of bytes: part of the file is missing or too much")
	}
	return unsafe.String(unsafe.SliceData(text), len(text)), func(s string) []byte { return o.encode(mark, s) }, nil
}

func (o byteOrder) unit(units []byte) rune {
	return rune(units[o.low]) | rune(units[o.high])<<8
}

func (o byteOrder) encode(mark, text string) []byte {
	src := unsafe.Slice(unsafe.StringData(text), len(text))
	out := make([]byte, len(mark)+2*units(src))
	at := copy(out, mark)
	for len(src) > 0 {
		if len(src) >= 4 {
			if four := uint64(binary.LittleEndian.Uint32(src)); four&0x80808080 == 0 {
				four = (four | four<<16) & 0x0000ffff0000ffff
				four = (four | four<<8) & 0x00ff00ff00ff00ff
				binary.LittleEndian.PutUint64(out[at:], four<<(8*o.low))
				src, at = src[4:], at+8
				continue
			}
		}
		r, size := utf8.DecodeRune(src)
		src = src[size:]
		if r >= 0x10000 {
			o.put(out[at:], 0xd800+(r-0x10000)>>10)
			r, at = 0xdc00+(r-0x10000)&0x3ff, at+2
		}
		o.put(out[at:], r)
		at += 2
	}
	return out
}

func (o byteOrder) put(units []byte, r rune) {
	units[o.low], units[o.high] = byte(r), byte(r>>8)
}

// units is how many units of UTF-16 a text takes: one for each character, and one more for those that take four bytes
// here.
func units(text []byte) (n int) {
	const ones = 0x0101010101010101
	for ; len(text) >= 8; text = text[8:] {
		w := binary.LittleEndian.Uint64(text)
		n += 8 - bits.OnesCount64(w>>7&^(w>>6)&ones) + bits.OnesCount64(w>>7&(w>>6)&(w>>5)&(w>>4)&ones)
	}
	for _, b := range text {
		if b&0xc0 != 0x80 {
			n++
		}
		if b >= 0xf0 {
			n++
		}
	}
	return n
}
