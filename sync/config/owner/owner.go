// Package owner says whose a configuration file or a secret's file is, and refuses those of other users.
//
// Its law: a file is refused where another user than this one and root can write it or put another instead of it.
//
// It reads no content, and does not decide what follows from a refusal.
package owner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/locsync/locsync/sync/bound"
)

// Err is the cause where a configuration file is refused because another user can write it. It decides which
// programs run, and where the API key is sent.
var Err = errors.New("the configuration is refused")

// Open opens a configuration file that belongs to this user or to root, as does the folder that it is in; of
// a link, both ends.
func Open(path string, accepted func(dir string) bool) (*os.File, error) {
	link, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	name := path
	if link.Mode()&fs.ModeSymlink != 0 {
		if name, err = filepath.EvalSymlinks(path); err != nil {
			return nil, err
		}
	}
	for _, part := range []string{path, filepath.Dir(path), name, filepath.Dir(name)} {
		info := link
		if part != path {
			if info, err = os.Stat(part); err != nil {
				return nil, err
			}
		}
		if err := refuseForeign(path, part, info, accepted); err != nil {
			return nil, err
		}
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: bound.ErrNoFile} // a pipe would wait for its writer
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat() // it may be another one by now
	if err == nil {
		err = refuseForeign(path, path, info, accepted)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func refuseForeign(path, part string, info fs.FileInfo, accepted func(dir string) bool) error {
	owner, is := foreign(info)
	if !is {
		return nil
	}
	dir, err := RealFolder(filepath.Dir(path))
	if err != nil {
		return err
	}
	if top := RepositoryTop(dir); top != "" {
		dir = top
	}
	if accepted != nil && accepted(dir) {
		return nil
	}
	if part, err = filepath.Abs(part); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s belongs to another user (%s), who could have programs run as you and the API key sent "+
		"elsewhere; run locsync as that user, or make file and folder yours with chown, or, if you trust that user: "+
		"git config --global --add safe.directory %s", Err, part, owner, dir)
}

// RefuseShared refuses a file that was found above the current folder where every user may write it, or put
// another one there.
func RefuseShared(path string) error {
	file, err := os.Stat(path)
	if err != nil {
		return err
	}
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return err
	}
	shared, what := path, "the file"
	switch {
	case writtenByAll(file):
	case writtenByAll(folder) && folder.Mode()&fs.ModeSticky == 0:
		shared, what = filepath.Dir(path), "the folder"
	default:
		return nil
	}
	return fmt.Errorf("%w: it was found at %s, and every user of this machine may write %s; chmod o-w %s, or, if you "+
		"trust it, name it: --config %s", Err, path, what, shared, path)
}

// RealFolder is a folder's path without links.
func RealFolder(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// RepositoryTop is the nearest folder, from dir upwards, that has a .git or is a bare repository; "" outside of
// repositories.
func RepositoryTop(dir string) string {
	for {
		if isThere(dir, ".git") || isThere(dir, "HEAD") && isThere(dir, "objects") && isThere(dir, "refs") {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

func isThere(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// Exposed says who else may change a file, or replace it by another one; "" where only this user and root may.
func Exposed(file string) string {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	folder, err := os.Stat(filepath.Dir(file))
	switch owner, is := foreign(info); {
	case is:
		return fmt.Sprintf("%s belongs to another user (%s), who may read and change it: make it yours with chown",
			file, owner)
	case writtenByOthers(info):
		return fmt.Sprintf("%s may be written by other users (mode %04o): chmod 600 %[1]s",
			file, info.Mode().Perm())
	case err == nil && writtenByAll(folder) && folder.Mode()&fs.ModeSticky == 0:
		dir := filepath.Dir(file)
		return fmt.Sprintf("%s may be replaced by every user of this machine: chmod o-w %s", file, dir)
	}
	return ""
}
