package bound

import (
	"bufio"
	"errors"
	"io"
)

// Pieces reads a JSON object of any length as several objects, which have its members in order. A new one begins with
// the first member behind size bytes; whole says that there is only one. A document that is not an object, and one from
// its first comment on, is not divided. Nothing is judged: what is damaged is so in the piece that has it.
func Pieces(document io.Reader, size, most int, each func(piece []byte, whole bool) error) error {
	c := cutter{first: true}
	r := bufio.NewReaderSize(skipMark(document), 64<<10)
	for {
		chunk, err := r.Peek(1)
		if err == nil {
			chunk, err = r.Peek(r.Buffered())
		}
		if n := c.cut(chunk, size); n >= 0 {
			c.piece = append(append(c.piece, chunk[:n]...), '}')
			if err := each(c.piece, false); err != nil {
				return err
			}
			c.piece, c.more = append(make([]byte, 0, size+size/8), '{'), true
			chunk = chunk[:n+1]
		} else {
			c.piece = append(c.piece, chunk...)
		}
		if _, gone := r.Discard(len(chunk)); gone != nil {
			return gone
		}
		switch {
		case len(c.piece) > most:
			return &Exceeded{"bytes", int64(most)}
		case errors.Is(err, io.EOF):
			return each(c.piece, !c.more)
		case err != nil:
			return err
		}
	}
}

// cutter finds the commas between the members of the outermost object.
type cutter struct {
	piece               []byte
	depth               int
	first, stays, more  bool // nothing was read yet; it is not divided from here on; there were pieces
	inText, wasEscaping bool
}

// cut is where the piece ends in what comes next; negative where it goes on behind that.
func (c *cutter) cut(next []byte, size int) int {
	for i, b := range next {
		switch {
		case c.stays:
			return -1
		case c.wasEscaping:
			c.wasEscaping = false
		case c.inText:
			c.inText, c.wasEscaping = b != '"', b == '\\'
		case b == '"':
			c.inText = true
		case b == '{' || b == '[':
			c.stays, c.first, c.depth = c.first && b == '[', false, c.depth+1
		case b == '}' || b == ']':
			c.depth--
			c.stays = c.depth <= 0
		case b == '/':
			c.stays = true
		case b == ',' && c.depth == 1 && len(c.piece)+i >= size:
			return i
		}
	}
	return -1
}
