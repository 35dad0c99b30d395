package boltledger

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/locsync/locsync/sync/memory/ledger"
)

// sealVersion is the first byte of every value.
const sealVersion = 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal wraps the value of a key with its version and checksum. The database does not check what it reads:
// a digest with a turned bit would look like a change that was not made, and one under a wrong key like
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
