package memory

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// decoded is a file as UTF-8 where it is in UTF-16, as its byte order mark or the first signs of XML tell.
func decoded(file io.Reader) io.Reader {
	r := bufio.NewReader(file)
	begin, _ := r.Peek(2)
	order, mark := unicode.BigEndian, unicode.IgnoreBOM
	switch string(begin) {
	case "\xfe\xff", "\x00<":
	case "\xff\xfe", "<\x00":
		order = unicode.LittleEndian
	default:
		return transform.NewReader(r, unicode.BOMOverride(transform.Nop))
	}
	if begin[0] >= 0xfe {
		mark = unicode.UseBOM
	}
	return transform.NewReader(r, unicode.UTF16(order, mark).NewDecoder())
}

// charsetReader reads what an XML file says that it is in: UTF-16, which is decoded by then, ASCII, or one of the
// character sets of a byte, such as ISO-8859-1 and windows-1252.
func charsetReader(label string, input io.Reader) (io.Reader, error) {
	plain := func(name string) string {
		return strings.NewReplacer("-", "", " ", "", "_", "").Replace(strings.ToLower(name))
	}
	name := strings.NewReplacer("latin1", "iso88591", "cp125", "windows125").Replace(plain(label))
	switch name {
	case "utf16", "utf16le", "utf16be", "usascii", "ascii":
		return input, nil
	}
	for _, e := range charmap.All {
		if known, named := e.(fmt.Stringer); named && plain(known.String()) == name {
			return e.NewDecoder().Reader(input), nil
		}
	}
	return nil, fmt.Errorf("the character set %q is not read here; write the file in UTF-8", label)
}

// stretch bounds how much is read for one piece of a file.
type stretch struct {
	from io.Reader
	left int
}

var errStretch = errors.New("a unit has no end within 1 MB")

func (s *stretch) Read(p []byte) (int, error) {
	if s.left <= 0 {
		return 0, errStretch
	}
	n, err := s.from.Read(p[:min(len(p), s.left)])
	s.left -= n
	return n, err
}
