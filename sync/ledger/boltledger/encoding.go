package boltledger

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
)

// sealVersion is the first byte of every value.
const sealVersion = 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal wraps the value of a key with its version and checksum. The database does not check what it reads:
// a digest with a turned bit would look like a change that nobody made, and one under a wrong key like
// another file's.
func seal(key, content []byte) []byte {
	sealed := make([]byte, 0, 1+len(content)+4)
	sealed = append(sealed, sealVersion)
	sealed = append(sealed, content...)
	return binary.BigEndian.AppendUint32(sealed, checksum(key, sealed))
}

// unseal is the inverse of seal. The content is a part of the sealed bytes.
func unseal(key, sealed []byte) ([]byte, error) {
	end := len(sealed) - 4
	if end < 1 || binary.BigEndian.Uint32(sealed[end:]) != checksum(key, sealed[:end]) {
		return nil, errors.New("a stored value is damaged")
	}
	if sealed[0] != sealVersion {
		return nil, fmt.Errorf("a stored value has version %d, this program reads %d", sealed[0], sealVersion)
	}
	return sealed[1:end], nil
}

func checksum(key, value []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, value)
}

// encodeMarks writes marks as the package comment draws them.
func encodeMarks(marks catalog.Marks) []byte {
	buf := make([]byte, 0, 10+48*len(marks))
	buf = binary.AppendUvarint(buf, uint64(len(marks)))
	last := ""
	for _, name := range marks.Names() {
		shared := sharedPrefix(last, name.Key)
		buf = binary.AppendUvarint(buf, uint64(shared))
		buf = binary.AppendUvarint(buf, uint64(len(name.Key)-shared))
		buf = append(buf, name.Key[shared:]...)
		buf = binary.AppendUvarint(buf, uint64(len(name.Form)))
		buf = append(buf, name.Form...)
		mark := marks[name]
		buf = append(buf, mark[:]...)
		last = name.Key
	}
	return buf
}

// decodeMarks is the inverse of encodeMarks. It refuses everything that encodeMarks would not write.
func decodeMarks(content []byte) (catalog.Marks, error) {
	r := reader{rest: content}
	count := r.number()
	if count > uint64(len(content))/19 { // a mark takes at least three lengths and its digest
		return nil, errors.New("marks cannot be read: more are announced than there is room for")
	}
	marks := make(catalog.Marks, count)
	var last catalog.Name
	var key []byte
	for i := range count {
		shared := r.number()
		if shared > uint64(len(last.Key)) {
			return nil, errors.New("marks cannot be read: a key begins with more than there is")
		}
		key = append(key[:shared], r.bytes()...)
		name := catalog.Name{Key: string(key), Form: string(r.bytes())}
		mark := r.take(uint64(len(catalog.Mark{})))
		if r.short {
			return nil, errors.New("marks cannot be read: they end too early")
		}
		if i > 0 && last.Compare(name) >= 0 || int(shared) != sharedPrefix(last.Key, name.Key) {
			return nil, errors.New("marks cannot be read: they are out of order")
		}
		marks[name] = catalog.Mark(mark)
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
		return make([]byte, len(catalog.Mark{}))
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

// bytes takes a length and so many bytes.
func (r *reader) bytes() []byte {
	n := r.number()
	if r.short {
		return nil
	}
	taken := r.take(n)
	if r.short {
		return nil
	}
	return taken
}

const (
	partEnd = "\x00\x01"
	nul     = "\x00"
	nulText = "\x00\xff"
)

// joinKey makes a key of its parts. A key that ends with an empty part is the prefix of all that have the
// parts before it.
func joinKey(parts ...string) []byte {
	var b bytes.Buffer
	for i, part := range parts {
		if i > 0 {
			b.WriteString(partEnd)
		}
		b.WriteString(strings.ReplaceAll(part, nul, nulText))
	}
	return b.Bytes()
}

// splitKey is the inverse of joinKey.
func splitKey(key []byte, want int) ([]string, error) {
	parts := strings.Split(string(key), partEnd)
	if len(parts) != want {
		return nil, fmt.Errorf("a stored key has %d parts, not %d", len(parts), want)
	}
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(part, nulText, nul)
	}
	return parts, nil
}

func slotKey(s ledger.Slot) []byte {
	scope, kind, path, of := s.Parts()
	return joinKey(scope, kind, path, of)
}

func recordKey(k ledger.Key) []byte { return joinKey(k.Scope, k.Kind, k.ID) }
