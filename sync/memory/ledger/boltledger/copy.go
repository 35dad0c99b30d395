package boltledger

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// OpenCopy copies the state of a directory into another one, which must be empty, and opens it there: to look at what
// is remembered while another process has it open, without waiting for that and without changing anything. The store
// is empty where dir is "", or there is no state in it that can be read.
//
// A copy that was taken in the middle of a write is damaged, which the store's own checks find; it is taken again then.
func OpenCopy(dir, to string) (*Store, error) {
	const tries = 5
	for try := 1; ; try++ {
		if file, err := os.Open(filepath.Join(dir, fileName)); dir != "" && err == nil {
			if err := errors.Join(copyTo(filepath.Join(to, fileName), file), file.Close()); err != nil {
				return nil, fmt.Errorf("copy the state: %w", err)
			}
		}
		s, err := Open(to)
		if err != nil {
			return nil, err
		}
		if _, damaged := s.Rebuilt(); damaged == nil || try == tries {
			return s, nil
		}
		if err := s.Close(); err != nil {
			return nil, err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func copyTo(name string, from io.Reader) error {
	to, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}
