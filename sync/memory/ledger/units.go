package ledger

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"

	"github.com/locsync/locsync/sync/text/catalog"
)

// Units are texts in their order. In JSON they are one string, since an import has very many: for each the key and the
// form, with their lengths in bytes before them, and the mark.
type Units []Text

// MarshalJSON writes them as one string, in base64.
func (t Units) MarshalJSON() ([]byte, error) {
	var packed []byte
	for _, u := range t {
		for _, word := range []string{u.Key, u.Form} {
			packed = binary.AppendUvarint(packed, uint64(len(word)))
			packed = append(packed, word...)
		}
		packed = append(packed, u.Mark[:]...)
	}
	return json.Marshal(packed)
}

// UnmarshalJSON is the inverse of MarshalJSON. It also reads the list of objects of versions before.
func (t *Units) UnmarshalJSON(content []byte) error {
	if bytes.HasPrefix(content, []byte("[")) {
		return json.Unmarshal(content, (*[]Text)(t))
	}
	var packed []byte
	if err := json.Unmarshal(content, &packed); err != nil {
		return err
	}
	*t = nil
	for rest := string(packed); rest != ""; {
		var u Text
		for _, word := range []*string{&u.Key, &u.Form} {
			size, n := binary.Uvarint([]byte(rest[:min(len(rest), binary.MaxVarintLen64)]))
			if n <= 0 || size > uint64(len(rest)-n) {
				return errShort
			}
			*word, rest = rest[n:n+int(size)], rest[n+int(size):]
		}
		if len(rest) < len(u.Mark) {
			return errShort
		}
		u.Mark = catalog.Mark([]byte(rest[:len(u.Mark)]))
		*t, rest = append(*t, u), rest[len(u.Mark):]
	}
	return nil
}

var errShort = errors.New("texts of an import end too early")
