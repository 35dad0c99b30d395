// Package bound is the one place that says how much of what comes from outside is believed. A reader of such data asks
// it before memory is taken; what is larger than its budget is an *Exceeded, which its caller makes a named problem of
// the file or the answer, so that the others go on.
package bound

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Exceeded is something that is larger than its budget.
type Exceeded struct {
	What string // of which there is too much: "bytes"
	Most int64
}

func (e *Exceeded) Error() string {
	if e.What == "bytes" && e.Most >= 1<<20 {
		return fmt.Sprintf("it has more than %d MB", e.Most>>20)
	}
	return fmt.Sprintf("it has more than %d %s", e.Most, e.What)
}

// Is reports whether an error says that a budget was exceeded.
func Is(err error) bool { return errors.As(err, new(*Exceeded)) }

// ErrNoFile is why something else is not read: a pipe would wait for a writer, a device may have no end.
var ErrNoFile = errors.New("it is not a regular file")

// Read reads all of r.
func Read(r io.Reader, most int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(b)) > most {
		return nil, &Exceeded{"bytes", most}
	}
	return b, err
}

// ReadFile reads a file of the machine. Its size is looked at first, and it is not opened unless it is a regular file.
func ReadFile(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err == nil {
		err = fits(info, most)
	}
	if err != nil {
		return nil, named(name, err)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := Read(f, most)
	return b, named(name, err)
}

// commit is the tree of a commit, which tells the size of a file with its content.
type commit interface {
	ReadAtMost(name string, most int64) ([]byte, error)
}

// ReadFS reads a file of a tree. Its size is looked at first.
func ReadFS(fsys fs.FS, name string, most int64) ([]byte, error) {
	if c, is := fsys.(commit); is {
		b, err := c.ReadAtMost(name, most)
		if err == nil && int64(len(b)) > most || Is(err) {
			return nil, named(name, &Exceeded{"bytes", most})
		}
		return b, err
	}
	if _, whole := fsys.(fs.ReadFileFS); !whole {
		return readOpen(fsys, name, most)
	}
	info, err := fs.Stat(fsys, name)
	if err == nil && info.Mode().IsRegular() {
		err = fits(info, most)
	}
	if Is(err) {
		return nil, named(name, err)
	}
	b, err := fs.ReadFile(fsys, name) // says best why something else cannot be read
	if err == nil && int64(len(b)) > most {
		return nil, named(name, &Exceeded{"bytes", most})
	}
	return b, err
}

// readOpen is ReadFS where opening a file reads nothing: it is found once.
func readOpen(fsys fs.FS, name string, most int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := fits(info, most); Is(err) {
		return nil, named(name, err)
	}
	b := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	_, err = b.ReadFrom(io.LimitReader(f, most+1))
	if err == nil && int64(b.Len()) > most {
		err = &Exceeded{"bytes", most}
	}
	if err != nil { // says best why something else cannot be read
		return nil, named(name, err)
	}
	return b.Bytes(), nil
}

func fits(info fs.FileInfo, most int64) error {
	switch {
	case !info.Mode().IsRegular():
		return ErrNoFile
	case info.Size() > most:
		return &Exceeded{"bytes", most}
	}
	return nil
}

func named(name string, err error) error {
	var known *fs.PathError
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &fs.PathError{Op: "read", Path: name, Err: err}
}
