package tree

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/object"
)

// Disk gives the files of a working tree. Links are followed as long as they stay inside; .git, of this repository and
// of any below it, does not exist there, nor through a link; what is neither file nor folder (a pipe, a device) cannot
// be opened. The files may change while they are read.
func Disk(root *os.Root, alive func()) fs.FS {
	top, err := filepath.EvalSymlinks(root.Name())
	if err != nil {
		top = root.Name() // what is wrong with it is told where it is read
	}
	return &disk{root, top, alive}
}

type disk struct {
	root  *os.Root
	top   string // where the root is, without links
	alive func()
}

var (
	_ fs.StatFS     = disk{}
	_ fs.ReadLinkFS = disk{}
)

// visible refuses names that are not valid, or lead into a .git, through links too. The last name may be a link that
// is not followed. A link that leads nowhere, or out of the working tree, is refused by the root.
func (t disk) visible(op, name string, follow bool) error {
	if !fs.ValidPath(name) {
		return pathError(op, name, fs.ErrInvalid)
	}
	parts, followed := strings.Split(name, "/"), name
	if !follow {
		followed = path.Dir(name)
	}
	if at, err := filepath.EvalSymlinks(filepath.Join(t.top, filepath.FromSlash(followed))); err == nil {
		if at, err = filepath.Rel(t.top, at); err == nil {
			parts = append(parts, strings.Split(filepath.ToSlash(at), "/")...)
		}
	}
	if slices.ContainsFunc(parts, object.IsDotGit) {
		return pathError(op, name, fs.ErrNotExist)
	}
	return nil
}

func (t disk) Open(name string) (fs.File, error) {
	t.alive()
	if err := t.visible("open", name, true); err != nil {
		return nil, err
	}
	info, err := t.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, pathError("open", name, errors.New("neither a file nor a folder"))
	}
	f, err := t.root.Open(name)
	if err != nil || !info.IsDir() {
		return f, err
	}
	return diskDir{f}, nil
}

// diskDir lists a folder without .git.
type diskDir struct{ fs.ReadDirFile }

func (d diskDir) ReadDir(n int) ([]fs.DirEntry, error) {
	for {
		list, err := d.ReadDirFile.ReadDir(n)
		kept := withoutGit(list)
		if len(kept) > 0 || len(list) == 0 || err != nil || n <= 0 {
			return kept, err
		}
	}
}

func withoutGit(list []fs.DirEntry) []fs.DirEntry {
	return slices.DeleteFunc(list, func(e fs.DirEntry) bool { return object.IsDotGit(e.Name()) })
}

func (t disk) Stat(name string) (fs.FileInfo, error) {
	if err := t.visible("stat", name, true); err != nil {
		return nil, err
	}
	return t.root.Stat(name)
}

func (t disk) Lstat(name string) (fs.FileInfo, error) {
	if err := t.visible("lstat", name, false); err != nil {
		return nil, err
	}
	return t.root.Lstat(name)
}

func (t disk) ReadLink(name string) (string, error) {
	if err := t.visible("readlink", name, false); err != nil {
		return "", err
	}
	return t.root.Readlink(path.Clean(name))
}
