package tree

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

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
	return &disk{root, top, alive, new(sync.Map)}
}

type disk struct {
	root    *os.Root
	top     string // where the root is, without links
	alive   func()
	folders *sync.Map // where each is, without links, as it was when a name in it was first asked for
}

var (
	_ fs.StatFS     = disk{}
	_ fs.ReadLinkFS = disk{}
)

// visible refuses names that are not valid, or lead into a .git, through links too. The last name may be a link that
// is not followed. A link that leads nowhere, or out of the working tree, is refused by the root. info is nil where a
// link is followed.
func (t disk) visible(op, name string, follow bool) (info fs.FileInfo, err error) {
	if !fs.ValidPath(name) {
		return nil, pathError(op, name, fs.ErrInvalid)
	}
	parts, followed := strings.Split(name, "/"), name
	if !follow {
		followed = path.Dir(name)
	}
	at, info := t.followed(followed)
	if at != "" {
		if at, err := filepath.Rel(t.top, at); err == nil {
			parts = append(parts, strings.Split(filepath.ToSlash(at), "/")...)
		}
	}
	if slices.ContainsFunc(parts, object.IsDotGit) {
		return nil, pathError(op, name, fs.ErrNotExist)
	}
	return info, nil
}

// followed is where a name leads, without links; "" where it leads to nothing. info is nil where the name is a link.
func (t disk) followed(name string) (at string, info fs.FileInfo) {
	folder, known := t.folders.Load(path.Dir(name))
	if !known {
		real, err := filepath.EvalSymlinks(filepath.Join(t.top, filepath.FromSlash(path.Dir(name))))
		if err != nil {
			return "", nil
		}
		folder, _ = t.folders.LoadOrStore(path.Dir(name), real)
	}
	at = filepath.Join(folder.(string), path.Base(name))
	info, err := os.Lstat(at)
	if err != nil || info.Mode().IsRegular() || info.IsDir() {
		return at, info
	}
	at, _ = filepath.EvalSymlinks(at)
	return at, nil
}

func (t disk) Open(name string) (fs.File, error) {
	t.alive()
	info, err := t.visible("open", name, true)
	if err == nil && info == nil {
		info, err = t.root.Stat(name)
	}
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
	if _, err := t.visible("stat", name, true); err != nil {
		return nil, err
	}
	return t.root.Stat(name)
}

func (t disk) Lstat(name string) (fs.FileInfo, error) {
	if _, err := t.visible("lstat", name, false); err != nil {
		return nil, err
	}
	return t.root.Lstat(name)
}

func (t disk) ReadLink(name string) (string, error) {
	if _, err := t.visible("readlink", name, false); err != nil {
		return "", err
	}
	return t.root.Readlink(path.Clean(name))
}
