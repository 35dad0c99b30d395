package tree

import (
	"io/fs"
	"slices"
	"sync"
)

// Once is a tree on a disk whose folders are read once, for what looks for several patterns at one time.
func Once(fsys fs.FS) fs.FS {
	if _, whole := fsys.(fs.ReadFileFS); whole { // a commit's, which has them at hand
		return fsys
	}
	return &once{fsys: fsys, folders: make(map[string][]fs.DirEntry)}
}

type once struct {
	fsys    fs.FS
	mu      sync.Mutex // around folders
	folders map[string][]fs.DirEntry
}

func (o *once) ReadDir(name string) ([]fs.DirEntry, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if entries, known := o.folders[name]; known {
		return slices.Clone(entries), nil
	}
	entries, err := fs.ReadDir(o.fsys, name)
	if err == nil {
		o.folders[name] = slices.Clone(entries)
	}
	return entries, err
}

func (o *once) Open(name string) (fs.File, error)      { return o.fsys.Open(name) }
func (o *once) Stat(name string) (fs.FileInfo, error)  { return fs.Stat(o.fsys, name) }
func (o *once) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(o.fsys, name) }
func (o *once) ReadLink(name string) (string, error)   { return fs.ReadLink(o.fsys, name) }
