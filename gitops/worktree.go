package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Worktree gives the files as they lie in the working tree. Links are followed as long as they stay inside; .git, of this
// repository and of any below it, does not exist there; what is neither file nor folder (a pipe, a device) cannot be
// opened. The files may change while they are read. ErrUnsupported for a bare repository.
func (r *Repo) Worktree() (fs.FS, error) {
	if r.facts.WorkTree == "" {
		return nil, fmt.Errorf("a working tree is %w by the bare repository %s; read a branch instead", ErrUnsupported, r.facts.GitDir)
	}
	r.treeOnce.Do(func() { r.tree, r.treeErr = os.OpenRoot(r.facts.WorkTree) })
	if r.treeErr != nil {
		return nil, fmt.Errorf("open working tree: %w", r.treeErr)
	}
	return treeFS{r.tree, r.o.Alive}, nil
}

type treeFS struct {
	root  *os.Root
	alive func()
}

var (
	_ fs.ReadDirFS  = treeFS{}
	_ fs.ReadFileFS = treeFS{}
	_ fs.StatFS     = treeFS{}
	_ fs.ReadLinkFS = treeFS{}
)

// visible refuses names that are not valid, or lead into a .git.
func visible(op, name string) error {
	if !fs.ValidPath(name) {
		return pathError(op, name, fs.ErrInvalid)
	}
	for part := range strings.SplitSeq(name, "/") {
		if isDotGit(part) {
			return pathError(op, name, fs.ErrNotExist)
		}
	}
	return nil
}

func (t treeFS) Open(name string) (fs.File, error) {
	t.alive()
	if err := visible("open", name); err != nil {
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
	return treeDir{f}, nil
}

// treeDir lists a folder without .git.
type treeDir struct{ *os.File }

func (d treeDir) ReadDir(n int) ([]fs.DirEntry, error) {
	for {
		list, err := d.File.ReadDir(n)
		kept := list[:0]
		for _, e := range list {
			if !isDotGit(e.Name()) {
				kept = append(kept, e)
			}
		}
		if len(kept) > 0 || len(list) == 0 || err != nil || n <= 0 {
			return kept, err
		}
	}
}

func (t treeFS) ReadFile(name string) ([]byte, error) {
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
	return t.root.ReadFile(name)
}

func (t treeFS) ReadDir(name string) ([]fs.DirEntry, error) {
	t.alive()
	if err := visible("readdir", name); err != nil {
		return nil, err
	}
	list, err := fs.ReadDir(t.root.FS(), name)
	kept := list[:0]
	for _, e := range list {
		if !isDotGit(e.Name()) {
			kept = append(kept, e)
		}
	}
	return kept, err
}

func (t treeFS) Stat(name string) (fs.FileInfo, error) {
	if err := visible("stat", name); err != nil {
		return nil, err
	}
	return t.root.Stat(name)
}

func (t treeFS) Lstat(name string) (fs.FileInfo, error) {
	if err := visible("lstat", name); err != nil {
		return nil, err
	}
	return t.root.Lstat(name)
}

func (t treeFS) ReadLink(name string) (string, error) {
	if err := visible("readlink", name); err != nil {
		return "", err
	}
	return t.root.Readlink(path.Clean(name))
}
