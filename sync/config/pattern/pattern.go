// Package pattern finds the files that patterns of paths match.
//
// Its law: it finds what filepath.Glob does, and says what that keeps silent about: a folder that cannot be read. It
// knows nothing of configurations.
package pattern

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// Found is what a pattern finds.
type Found struct {
	Paths  []string
	Folder bool   // the last part has *, ? or [, and a folder to match files of is there
	Other  string // a file in such a folder that does not match; hidden ones do not count
}

// Find is filepath.Glob, except that a folder that cannot be read is an error: it does not count as an empty one.
func Find(pattern string) (Found, error) {
	var f Found
	err := f.expand(filepath.Clean(pattern))
	return f, err
}

// expand finds what a pattern matches, one part of it after the other.
func (f *Found) expand(pattern string) error {
	dir, last := filepath.Dir(pattern), filepath.Base(pattern)
	if dir == pattern {
		f.Paths = []string{dir}
		return nil
	}
	if _, err := filepath.Match(last, ""); err != nil {
		return err // also where no folder is there to match it in
	}
	if err := f.expand(dir); err != nil {
		return err
	}
	folders := f.Paths
	*f = Found{}
	for _, folder := range folders {
		err := f.match(folder, last)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return err
		}
	}
	return nil
}

// match adds what one part of a pattern matches in a folder.
func (f *Found) match(folder, part string) error {
	if name, ok := literal(part); ok {
		path := filepath.Join(folder, name)
		_, err := os.Lstat(path)
		if err == nil {
			f.Paths = append(f.Paths, path)
		}
		return err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	f.Folder = true
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		ok, err := filepath.Match(part, e.Name())
		switch {
		case err != nil:
			return err
		case ok:
			f.Paths = append(f.Paths, path)
		case f.Other == "" && !e.IsDir() && !strings.HasPrefix(e.Name(), "."):
			f.Other = path
		}
	}
	return nil
}

// literal is the one name that a part of a pattern matches; false where it has *, ? or [.
func literal(part string) (string, bool) {
	var name strings.Builder
	for i := 0; i < len(part); i++ {
		switch {
		case strings.IndexByte("*?[", part[i]) >= 0:
			return "", false
		case part[i] == '\\' && runtime.GOOS != "windows":
			if i++; i == len(part) {
				return "", false // not a good pattern, as filepath.Match will tell
			}
		}
		name.WriteByte(part[i])
	}
	return name.String(), true
}
