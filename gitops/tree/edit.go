package tree

import (
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/object"
)

// Editing trees: from a tip and a set of files to a new root, reading only the trees on the way to the files.
// Everything stays in memory until the pack is written.

// Change is what happens to one path: a file gets this mode and content, or goes.
type Change struct {
	Path string
	Mode uint32
	Blob object.Name // zero: the file goes
}

// Edit collects new trees and blobs.
type Edit struct {
	fs      *FS
	Objects map[object.Name]object.Object
}

// NewEdit begins an edit of a tree.
func NewEdit(fs *FS) *Edit { return &Edit{fs, map[object.Name]object.Object{}} }

// Add keeps a new object.
func (e *Edit) Add(o object.Object) { e.Objects[o.Name] = o }

// Apply makes the new trees and gives the new root. Folders that lose their last file go with it.
func (e *Edit) Apply(changes []Change) (object.Name, error) {
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	root, _, err := e.applyTo(e.fs.Root, changes, 0)
	return root, err
}

// applyTo edits one tree with the changes below it; skip is the length of their common path up to it.
func (e *Edit) applyTo(tree object.Name, changes []Change, skip int) (h object.Name, empty bool, err error) {
	d, err := e.fs.readTree(tree)
	if err != nil {
		return object.Name{}, false, err
	}
	entries := slices.Clone(d.entries)
	set := func(n object.Entry, gone bool) {
		i, there := d.exact[n.Name]
		if gone {
			n.Name = "" // taken out below
		}
		if there {
			entries[i] = n
		} else {
			entries = append(entries, n)
		}
	}
	for len(changes) > 0 {
		name, _, deeper := strings.Cut(changes[0].Path[skip:], "/")
		if !deeper {
			set(object.Entry{Name: name, Mode: changes[0].Mode, Hash: changes[0].Blob}, changes[0].Blob.IsZero())
			changes = changes[1:]
			continue
		}
		prefix := changes[0].Path[:skip+len(name)+1]
		n := 1
		for n < len(changes) && strings.HasPrefix(changes[n].Path, prefix) {
			n++
		}
		below := object.Name{}
		if i, ok := d.exact[name]; ok && d.entries[i].IsDir() {
			below = d.entries[i].Hash
		}
		child, gone, err := e.applyTo(below, changes[:n], len(prefix))
		if err != nil {
			return object.Name{}, false, err
		}
		set(object.Entry{Name: name, Mode: object.ModeDir, Hash: child}, gone)
		changes = changes[n:]
	}
	entries = slices.DeleteFunc(entries, func(e object.Entry) bool { return e.Name == "" })
	o := e.fs.Store.Format.New(object.Tree, object.EncodeTree(entries))
	if o.Name != tree {
		e.Add(o)
	}
	return o.Name, len(entries) == 0, nil
}

// Needed are the objects in memory that the new root leads to: its own, and those of a merge that the tip holds.
func (e *Edit) Needed(root object.Name) ([]object.Object, error) {
	var list []object.Object
	seen := map[object.Name]bool{}
	var visit func(h object.Name) error
	visit = func(h object.Name) error {
		o, ok := e.Objects[h]
		if !ok {
			o, ok = e.fs.Extra[h]
		}
		if !ok || seen[h] {
			return nil
		}
		seen[h] = true
		list = append(list, o)
		if o.Kind != object.Tree {
			return nil
		}
		entries, err := e.fs.Store.Format.ParseTree(o.Data)
		if err != nil {
			return err
		}
		for _, below := range entries {
			if err := visit(below.Hash); err != nil {
				return err
			}
		}
		return nil
	}
	err := visit(root)
	return list, err
}
