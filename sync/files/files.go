// Package files opens files that are sent, and writes results into files: each is there as a whole, or as it was. What
// a path names is checked first: a pipe would wait for its other end.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/locsync/locsync/sync/failure"
)

// Open opens a regular file, and tells its size.
func Open(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	var failed *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("there is no file %s", path)
	case errors.As(err, &failed):
		err = fmt.Errorf("read %s: %w", path, failed.Err)
	case err == nil && info.IsDir():
		err = fmt.Errorf("%s is a directory; name its files: %s", path, filepath.Join(path, "*"))
	case err == nil && !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, 0, failure.Usage(err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, failure.Usage(err)
	}
	return f, info.Size(), nil
}

// Write writes a result into a file that is there as a whole, or not at all. A file that is there already keeps its
// mode, and is found behind symbolic links.
func Write(path string, write func(f *os.File) error) error { return writeAs(path, 0o644, write) }

// WritePrivate is Write for what only its owner may read. It is on the disk when it returns.
func WritePrivate(path string, write func(f *os.File) error) error {
	err := writeAs(path, 0o600, func(f *os.File) error { return errors.Join(write(f), f.Sync()) })
	if dir, openErr := os.Open(filepath.Dir(path)); openErr == nil {
		_ = dir.Sync() // Windows cannot, and journals renames by itself
		_ = dir.Close()
	}
	return err
}

func writeAs(path string, mode fs.FileMode, write func(f *os.File) error) error {
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return failure.Usage(fmt.Errorf("%s is not a regular file", path))
		}
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return failure.Usage(fmt.Errorf("write %s: %w", path, err))
		}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".locsync-*")
	if err != nil {
		if of, is := errors.AsType[*fs.PathError](err); is {
			err = of.Err // its path is that of a temporary file
		}
		return failure.Usage(fmt.Errorf("write %s: %w", path, err))
	}
	err = errors.Join(write(f), f.Chmod(mode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// WriteBelow writes a file below a folder as a whole, or not at all; no symbolic link leads it out of the folder. A
// file that is there already keeps its mode.
func WriteBelow(root *os.Root, name string, content []byte) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	before, err := root.Lstat(name)
	exists := err == nil && before.Mode().IsRegular()
	if exists {
		mode = before.Mode().Perm()
	}
	temp := name + ".locsync-new"
	if err := root.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode) // never through a link of that name
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if exists && err == nil {
		err = f.Chmod(mode)
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		_ = root.Remove(temp) // the error that matters is the first one
	}
	return err
}

// Resolved is a path without links, as far as it is there: the two paths of a comparison may have come by different
// ways.
func Resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}
