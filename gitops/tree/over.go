package tree

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
)

// Over gives the files of one tree, and where that lacks a name those of another one.
func Over(top, below fs.FS) fs.FS { return over{top, below} }

type over struct{ top, below fs.FS }

var (
	_ fs.ReadDirFS  = over{}
	_ fs.StatFS     = over{}
	_ fs.ReadLinkFS = over{}
)

// ask asks the upper tree, and where it lacks the name the lower one.
func ask[T any](o over, name string, question func(fs.FS, string) (T, error)) (T, error) {
	found, err := question(o.top, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return found, err
	}
	lower, lerr := question(o.below, name)
	if errors.Is(lerr, fs.ErrNotExist) {
		return found, err
	}
	return lower, lerr
}

func (o over) Open(name string) (fs.File, error)      { return ask(o, name, fs.FS.Open) }
func (o over) Stat(name string) (fs.FileInfo, error)  { return ask(o, name, fs.Stat) }
func (o over) Lstat(name string) (fs.FileInfo, error) { return ask(o, name, fs.Lstat) }
func (o over) ReadLink(name string) (string, error)   { return ask(o, name, fs.ReadLink) }
func (o over) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := ask(o, name, fs.ReadDir)
	more, lerr := fs.ReadDir(o.below, name)
	if err != nil || lerr != nil {
		return all, err
	}
	has := make(map[string]bool, len(all))
	for _, e := range all {
		has[e.Name()] = true
	}
	for _, e := range more {
		if !has[e.Name()] {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return all, nil
}
