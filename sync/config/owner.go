package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/locsync/locsync/sync/bound"
)

// ErrOwner is the cause where a configuration file is refused because another user can write it. It decides which
// programs run, and where the API key is sent.
var ErrOwner = errors.New("the configuration is refused")

// Option changes how Load reads a file.
type Option func(*loading)

type loading struct {
	withoutIDs bool
	accepted   func(dir string) bool
}

// Accept lets a configuration belong to another user where accepted says so of the top of the repository that it
// is in, or of its own folder where it is in none.
func Accept(accepted func(dir string) bool) Option {
	return func(o *loading) { o.accepted = accepted }
}

// openOwn opens a configuration file that belongs to this user or to root, as does the folder that it is in; of
// a link, both ends.
func openOwn(path string, accepted func(dir string) bool) (*os.File, error) {
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
	dir, err := realFolder(filepath.Dir(path))
	if err != nil {
		return err
	}
	if top := repositoryTop(dir); top != "" {
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
		"git config --global --add safe.directory %s", ErrOwner, part, owner, dir)
}

// refuseShared refuses a file that was found above the current folder where every user may write it, or put
// another one there.
func refuseShared(path string) error {
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
		"trust it, name it: --config %s", ErrOwner, path, what, shared, path)
}

// realFolder is a folder's path without links.
func realFolder(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// repositoryTop is the nearest folder, from dir upwards, that has a .git or is a bare repository; "" outside of
// repositories.
func repositoryTop(dir string) string {
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
