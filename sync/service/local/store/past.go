package store

import (
	"encoding/binary"
	"slices"

	"github.com/locsync/locsync/sync/service/local/pack"
)

// Bounds of what is kept of the past of one text.
const (
	maxPast      = 20       // translations
	maxPastBytes = 64 << 10 // of all of them
)

// remember adds a translation that is about to be replaced to the past of its text. The oldest ones go where there are
// too many.
func (k *Keyspace) remember(code string, n []byte, was *Translation) error {
	b, err := k.language(inPast, code, true)
	if err != nil {
		return err
	}
	all := append(rawPast(b.Get(n)), was.encode())
	size := 0
	for i, raw := range slices.Backward(all) {
		if size += len(raw); size > maxPastBytes || len(all)-i > maxPast {
			all = all[i+1:]
			break
		}
	}
	var joined []byte
	for _, raw := range all {
		joined = pack.AppendString(joined, string(raw))
	}
	return b.Put(n, joined)
}

// rawPast takes a stored past apart; of one that cannot be read nothing is kept.
func rawPast(stored []byte) (all [][]byte) {
	for len(stored) > 0 {
		length, size := binary.Uvarint(stored)
		if size <= 0 || length > uint64(len(stored)-size) {
			return nil
		}
		end := size + int(length)
		all = append(all, slices.Clone(stored[size:end]))
		stored = stored[end:]
	}
	return all
}

// Past are the translations that a row had in a language before the present one, the last of them first.
func (k *Keyspace) Past(code string, n []byte) ([]*Translation, error) {
	b, err := k.language(inPast, code, false)
	if b == nil || err != nil {
		return nil, err
	}
	var all []*Translation
	for _, raw := range slices.Backward(rawPast(b.Get(n))) {
		t, err := decodeTranslation(raw)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// Offered is the translation that an import had for a row and that was not taken because there is another one; nil
// where there is none, or where it was decided since.
func (k *Keyspace) Offered(code string, n []byte) (*Translation, error) {
	return k.stored(inOffers, code, n)
}

// SetOffered notes a translation that was not taken; nil: it is decided.
func (k *Keyspace) SetOffered(code string, n []byte, t *Translation) error {
	return k.putAside(inOffers, code, n, t)
}
