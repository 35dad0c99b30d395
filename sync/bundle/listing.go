package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// glob lists the files of a pattern. A folder that may not be read, and one whose name is not UTF-8, has none; any
// other folder that cannot be read fails the search: its files would be taken for gone.
func glob(fsys fs.FS, pattern string) ([]string, error) {
	w := &listing{FS: fsys}
	found, err := doublestar.Glob(w, pattern, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
	if w.err != nil {
		err = w.err
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for %s: %w", pattern, err)
	}
	slices.Sort(found)
	return found, nil
}

// listing keeps the error of a folder that could not be listed, which a search passes over.
type listing struct {
	fs.FS
	err error
}

func (l *listing) ReadDir(name string) ([]fs.DirEntry, error) {
	if !utf8.ValidString(name) {
		return nil, nil
	}
	entries, err := fs.ReadDir(l.FS, name)
	if l.err == nil && err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		l.err = err
	}
	return entries, err
}

func (l *listing) Stat(name string) (fs.FileInfo, error) { return fs.Stat(l.FS, name) }

// unreadable is why a file's name keeps it out.
func unreadable(name string) string {
	if utf8.ValidString(name) {
		return ""
	}
	return "the name is not UTF-8, so no service and no other system could tell it; rename the file"
}
