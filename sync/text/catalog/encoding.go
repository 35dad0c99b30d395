package catalog

import (
	"encoding/binary"
	"errors"
	"unique"
)

// Packed are marks that are kept for later, in a third of their memory; equal ones share it. The zero one is nil.
type Packed struct{ content unique.Handle[string] }

// Pack packs marks.
func (m Marks) Pack() Packed {
	if m == nil {
		return Packed{}
	}
	return Packed{unique.Make(string(m.Encode()))}
}

// Marks returns what was packed.
func (p Packed) Marks() (Marks, error) {
	if p == (Packed{}) {
		return nil, nil
	}
	return DecodeMarks([]byte(p.content.Value()))
}

// Encode writes them as bytes, as Marks does.
func (p Packed) Encode() []byte {
	if p == (Packed{}) {
		return Marks(nil).Encode()
	}
	return []byte(p.content.Value())
}

// Encode writes marks as bytes, in one way only: their number, then by Name.Compare each name and mark. Of a name come
// the number of bytes that its key shares with the key before, the rest of the key, and the form. Numbers are unsigned
// varints.
func (m Marks) Encode() []byte {
	buf := make([]byte, 0, 10+48*len(m))
	buf = binary.AppendUvarint(buf, uint64(len(m)))
	last := ""
	for _, name := range m.Names() {
		shared := sharedPrefix(last, name.Key)
		buf = binary.AppendUvarint(buf, uint64(shared))
		buf = binary.AppendUvarint(buf, uint64(len(name.Key)-shared))
		buf = append(buf, name.Key[shared:]...)
		buf = binary.AppendUvarint(buf, uint64(len(name.Form)))
		buf = append(buf, name.Form...)
		mark := m[name]
		buf = append(buf, mark[:]...)
		last = name.Key
	}
	return buf
}

// DecodeMarks is the inverse of Encode. Its error is that of bytes which Encode would not write.
func DecodeMarks(content []byte) (Marks, error) {
	r := reader{rest: content}
	count := r.number()
	if count > uint64(len(content))/19 { // a mark takes at least three lengths and its digest
		return nil, errors.New("marks cannot be read: more are announced than there is room for")
	}
	marks := make(Marks, count)
	var last Name
	var key []byte
	for i := range count {
		shared := r.number()
		if shared > uint64(len(last.Key)) {
			return nil, errors.New("marks cannot be read: a key begins with more than there is")
		}
		key = append(key[:shared], r.bytes()...)
		name := Name{Key: string(key), Form: last.Form}
		if form := r.bytes(); string(form) != last.Form { // those of a history are alike
			name.Form = string(form)
		}
		mark := r.take(uint64(len(Mark{})))
		if i > 0 && last.Compare(name) >= 0 || int(shared) != sharedPrefix(last.Key, name.Key) {
			return nil, errors.New("marks cannot be read: they are out of order")
		}
		marks[name] = Mark(mark)
		last = name
	}
	if r.short || len(r.rest) > 0 {
		return nil, errors.New("marks cannot be read: they end in the wrong place")
	}
	return marks, nil
}

func sharedPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// reader takes pieces from the front of some bytes; short is set when there were too few.
type reader struct {
	rest  []byte
	short bool
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || size > 1 && r.rest[size-1] == 0 { // only the shortest spelling counts
		r.short, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.short, r.rest = true, nil
		return make([]byte, len(Mark{}))
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

// bytes takes a length and so many bytes.
func (r *reader) bytes() []byte { return r.take(r.number()) }
