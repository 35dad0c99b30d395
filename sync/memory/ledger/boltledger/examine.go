package boltledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Findings are what was found in a state directory.
type Findings struct {
	There  bool     // there is a store
	Size   int64    // of the store, in bytes
	Holder *Locked  // who has it open; nil when it is closed
	Damage error    // why the store cannot be trusted: the next Open puts it aside; nil when it is sound
	Aside  []string // names of stores that were put aside, the oldest first
}

// Examine reads a state directory, open or not, and changes nothing in it: a store is copied into scratch,
// an empty folder, and checked there. The error is why it could not be looked at, or be opened: it is not ours to
// read, a newer locsync has written it.
func Examine(dir, scratch string) (Findings, error) {
	f := Findings{Holder: Claimed(dir)}
	if entries, err := os.ReadDir(dir); err == nil { // sorted by name, which begins with the time
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), fileName+asideMark) {
				f.Aside = append(f.Aside, e.Name())
			}
		}
	}
	info, err := os.Stat(filepath.Join(dir, fileName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return f, fmt.Errorf("look at the state: %w", err)
	}
	f.There, f.Size = true, info.Size()
	if !info.Mode().IsRegular() {
		return f, fmt.Errorf("look at the state: %s is not a file; move it away", filepath.Join(dir, fileName))
	}
	if file, err := os.Open(filepath.Join(dir, fileName)); err != nil {
		return f, fmt.Errorf("look at the state: %w", err)
	} else if err := file.Close(); err != nil {
		return f, err
	}
	s, err := OpenCopy(dir, scratch)
	if err != nil {
		return f, err
	}
	_, f.Damage = s.Rebuilt()
	return f, s.Close()
}
