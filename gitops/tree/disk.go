package tree

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/locsync/locsync/gitops/object"
)

// Disk gives the files of a working tree. Links are followed as long as they stay inside; .git, of this repository and
// of any below it, does not exist there, nor through a link; what is neither file nor folder (a pipe, a device) cannot
// be opened. The files may change while they are read.
func Disk(root *os.Root, alive func()) fs.FS { return &disk{root, alive, new(sync.Map)} }

type disk struct {
	root  *os.Root
	alive func()
	plain *sync.Map // folders that are no links, to which no link leads
}

var (
	_ fs.ReadDirFS  = disk{}
	_ fs.ReadFileFS = disk{}
	_ fs.StatFS     = disk{}
	_ fs.ReadLinkFS = disk{}
)

// visible refuses names that are not valid, or lead into a .git, through links too. The last name may be a link that
// is not followed.
func (t disk) visible(op, name string, follow bool) error {
	if !fs.ValidPath(name) {
		return pathError(op, name, fs.ErrInvalid)
	}
	var way []string // from the top to where we are, without links
	ahead := strings.Split(name, "/")
	for links := 0; len(ahead) > 0 && links < 255; { // no system follows more; what to say then is the system's
		part := ahead[0]
		ahead = ahead[1:]
		switch {
		case part == "." || part == "":
			continue
		case part == ".." && len(way) == 0:
			return nil // it leaves the working tree, which the root refuses
		case part == "..":
			way = way[:len(way)-1]
			continue
		case object.IsDotGit(part):
			return pathError(op, name, fs.ErrNotExist)
		}
		way = append(way, part)
		if len(ahead) == 0 && !follow {
			return nil
		}
		at := strings.Join(way, "/")
		if _, known := t.plain.Load(at); known {
			continue
		}
		switch target, err := t.root.Readlink(at); {
		case err == nil && filepath.IsAbs(target):
			return nil // refused likewise
		case err == nil:
			links++
			way = way[:len(way)-1]
			ahead = append(strings.Split(filepath.ToSlash(target), "/"), ahead...)
		case len(ahead) > 0 && !errors.Is(err, fs.ErrNotExist):
			t.plain.Store(at, true)
		}
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

func (t disk) ReadFile(name string) ([]byte, error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, pathError("read", name, errors.New("is a folder"))
	}
	b := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead)) // room for the end, too
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}

func (t disk) ReadDir(name string) ([]fs.DirEntry, error) {
	t.alive()
	if err := t.visible("readdir", name, true); err != nil {
		return nil, err
	}
	list, err := fs.ReadDir(t.root.FS(), name)
	return withoutGit(list), err
}

func withoutGit(list []fs.DirEntry) []fs.DirEntry {
	kept := list[:0]
	for _, e := range list {
		if !object.IsDotGit(e.Name()) {
			kept = append(kept, e)
		}
	}
	return kept
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
