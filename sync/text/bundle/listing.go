package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// Glob lists the files of a pattern. A folder that is closed (see Closed), and one whose name is not UTF-8, has none;
// any other folder that cannot be read fails the search: its files would be taken for gone.
func Glob(fsys fs.FS, pattern string) ([]string, error) {
	found, _, err := glob(fsys, pattern)
	return found, err
}

// glob is Glob; unnamed are the folders whose names are not UTF-8.
func glob(fsys fs.FS, pattern string) (found, unnamed []string, err error) {
	w := &listing{FS: fsys}
	found, err = doublestar.Glob(w, pattern, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
	if w.err != nil {
		err = w.err
	}
	if err != nil && !absent(err) {
		return nil, nil, fmt.Errorf("look for %s: %w", pattern, err)
	}
	slices.Sort(found)
	return found, w.unnamed, nil
}

// listing keeps the error of a name that could not be looked up, which a search passes over, and the folder that was
// read last: a search for ** reads each folder twice in a row.
type listing struct {
	fs.FS
	err     error
	unnamed []string
	last    string
	entries []fs.DirEntry
}

func (l *listing) ReadDir(name string) ([]fs.DirEntry, error) {
	if !utf8.ValidString(name) {
		l.unnamed = append(l.unnamed, name)
		return nil, nil
	}
	if name == l.last {
		return slices.Clone(l.entries), nil
	}
	entries, err := fs.ReadDir(l.FS, name)
	if l.note(name, err); err == nil {
		l.last, l.entries = name, slices.Clone(entries)
	}
	return entries, err
}

// Stat follows a link. One that leads to nothing that can be read does not stop the listing.
func (l *listing) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(l.FS, name)
	if err != nil {
		_, own := fs.Lstat(l.FS, name)
		l.note(name, own)
	}
	return info, err
}

// note keeps an error, unless it says that there is no such file: as of a name that this system does not have, such as
// con on Windows.
func (l *listing) note(name string, err error) {
	if l.err == nil && err != nil && filepath.IsLocal(name) && !absent(err) && !Closed(l.FS, name, err) {
		l.err = err
	}
}

// Closed reports whether an error says of a file or folder that this user may not read it, or that it is behind a link
// which leads out of the tree or to itself.
func Closed(fsys fs.FS, name string, err error) bool {
	return errors.Is(err, fs.ErrPermission) || err != nil && !absent(err) && IsLink(fsys, name)
}

// absent reports whether an error says that there is no such file, also where a file has the name of a folder above.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// unreadable is why a file's name keeps it out.
func unreadable(name string) string {
	if utf8.ValidString(name) {
		return ""
	}
	return "the name is not UTF-8, so no service and no other system could tell it; rename it"
}
