package transfer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/locsync/locsync/sync/files"
	"github.com/locsync/locsync/sync/service/documents"
)

// memory is what was fetched, and of which state of the document. It only saves requests: without it everything is
// asked for once more.
type memory struct {
	file    string
	asked   string
	changed bool

	Fetched map[string]remembered `json:"fetched"` // by what was asked for, and the document's identifier
}

type remembered struct {
	Record string    `json:"record"` // a digest of the document's record: its dates, status and progress
	File   string    `json:"file"`
	Digest string    `json:"digest"` // of the file's content
	At     time.Time `json:"at"`
}

const (
	// fresh is how long a record without a change is taken for a document without one: a record does not tell of every
	// correction of a text that was confirmed before.
	fresh = 24 * time.Hour
	// longestMemory bounds the file; a larger one is begun anew.
	longestMemory = 64 << 20
)

// recall reads the memory; one that cannot be read is empty.
func recall(file, asked string) *memory {
	m := &memory{file: file, asked: asked}
	if f, err := os.Open(file); err == nil {
		defer f.Close()
		_ = json.NewDecoder(io.LimitReader(f, longestMemory)).Decode(m)
	}
	if m.Fetched == nil {
		m.Fetched = map[string]remembered{}
	}
	return m
}

func (m *memory) key(r *FetchedDocument) string { return m.asked + " " + r.doc.ID }

// holds reports whether what would be fetched is in its file already.
func (m *memory) holds(r *FetchedDocument, root *os.Root) bool {
	was, is := m.Fetched[m.key(r)]
	age := time.Since(was.At)
	if !is || was.File != r.File || was.Record != r.doc.RevisionLabel || age > fresh || age < 0 {
		return false
	}
	content, err := root.ReadFile(filepath.FromSlash(r.File))
	return err == nil && digest(content) == was.Digest
}

// note remembers what was fetched.
func (m *memory) note(r *FetchedDocument) {
	if r.Error != "" || m.file == "" {
		return
	}
	m.Fetched[m.key(r)] = remembered{r.doc.RevisionLabel, r.File, r.digest, time.Now().UTC()}
	m.changed = true
}

// keep writes the memory, without what is too old to save anything.
func (m *memory) keep() error {
	if m.file == "" || !m.changed {
		return nil
	}
	for key, was := range m.Fetched {
		if time.Since(was.At) > fresh {
			delete(m.Fetched, key)
		}
	}
	if err := os.MkdirAll(filepath.Dir(m.file), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("remember what was fetched: %w", err)
	}
	err := files.Write(m.file, func(f *os.File) error { return json.NewEncoder(f).Encode(m) })
	if err != nil {
		return fmt.Errorf("remember what was fetched: %w", err)
	}
	return nil
}

// digestOf is of everything that the record says of a document.
func digestOf(doc documents.Document) string {
	record, err := json.Marshal(doc)
	if err != nil {
		return ""
	}
	return digest(record)
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
