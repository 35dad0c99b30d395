package object

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// Name is the name of an object: 20 bytes in a SHA-1 repository, 32 in a SHA-256 one. The zero value names none, and so
// does one of zeros only.
type Name struct {
	raw  [sha256.Size]byte
	size uint8
}

// Kind is commit, tree, blob or tag.
type Kind = plumbing.ObjectType

const (
	Commit = plumbing.CommitObject
	Tree   = plumbing.TreeObject
	Blob   = plumbing.BlobObject
	Tag    = plumbing.TagObject
)

// Parse reads a name in hexadecimal.
func Parse(s string) (Name, bool) {
	if len(s) != 2*sha1.Size && len(s) != 2*sha256.Size {
		return Name{}, false
	}
	raw, err := hex.DecodeString(s)
	return fromBytes(raw), err == nil
}

func fromBytes(raw []byte) Name {
	n := Name{size: uint8(len(raw))}
	copy(n.raw[:], raw)
	if n.raw == (Name{}).raw {
		return Name{}
	}
	return n
}

// IsZero says whether it names no object.
func (n Name) IsZero() bool { return n.size == 0 }

// String is the name in hexadecimal; forty zeros for none.
func (n Name) String() string {
	if n.IsZero() {
		return hex.EncodeToString(n.raw[:sha1.Size])
	}
	return hex.EncodeToString(n.Bytes())
}

// Text is the name in hexadecimal, "" for none.
func (n Name) Text() string {
	if n.IsZero() {
		return ""
	}
	return n.String()
}

// Bytes are what trees, packs and their indexes hold of it.
func (n Name) Bytes() []byte { return n.raw[:n.size] }

// Format is how a repository names its objects.
type Format int

const (
	SHA1 Format = iota
	SHA256
)

// String is git's word for it (extensions.objectFormat).
func (f Format) String() string { return [...]string{"sha1", "sha256"}[f] }

// FormatOf is the format of a name.
func FormatOf(n Name) Format {
	if n.size == sha256.Size {
		return SHA256
	}
	return SHA1
}

// Zeros is written for no object where a name has to be.
func (f Format) Zeros() string { return strings.Repeat("0", 2*f.size()) }

// size is the length of a name in bytes.
func (f Format) size() int {
	if f == SHA256 {
		return sha256.Size
	}
	return sha1.Size
}

// digest is what packs and their indexes end with: a plain SHA-1, as git's own.
func (f Format) digest() hash.Hash {
	if f == SHA256 {
		return sha256.New()
	}
	return sha1.New()
}

// Object is one object that is in no store yet.
type Object struct {
	Kind Kind
	Name Name
	Data []byte
}

// New makes an object of its content. The SHA-1 is go-git's, which detects collisions.
func (f Format) New(k Kind, data []byte) Object {
	if f == SHA1 {
		sum := plumbing.ComputeHash(k, data)
		return Object{k, fromBytes(sum[:]), data}
	}
	d := sha256.New()
	fmt.Fprintf(d, "%s %d\x00", k, len(data))
	d.Write(data)
	return Object{k, fromBytes(d.Sum(nil)), data}
}
