// Package pack is the binary form in which the embedded service stores keys and translations: numbers as uvarints,
// strings and lists with their length before them.
//
// Its law: no stored bytes make a reader panic or ask for more memory than they have themselves. It knows no records.
package pack

import (
	"encoding/binary"
	"errors"
)

// ErrBroken is of bytes that no writer has written.
var ErrBroken = errors.New("a stored key cannot be read")

// AppendString adds a string with its length.
func AppendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// Reader reads what was written. After an error everything reads as zero.
type Reader struct {
	Rest []byte
	Err  error
}

func (d *Reader) fail() { d.Rest, d.Err = nil, ErrBroken }

// Byte is the next byte.
func (d *Reader) Byte() byte {
	if len(d.Rest) == 0 {
		d.fail()
		return 0
	}
	c := d.Rest[0]
	d.Rest = d.Rest[1:]
	return c
}

// Uvarint is the next number.
func (d *Reader) Uvarint() uint64 {
	n, size := binary.Uvarint(d.Rest)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.Rest = d.Rest[size:]
	return n
}

// Count is a length of a list: never more than there are bytes left, so that broken bytes cannot ask for all the
// memory.
func (d *Reader) Count() int {
	n := d.Uvarint()
	if n > uint64(len(d.Rest)) {
		d.fail()
		return 0
	}
	return int(n)
}

// String is the next string, copied.
func (d *Reader) String() string {
	n := d.Count()
	s := string(d.Rest[:n])
	d.Rest = d.Rest[n:]
	return s
}
