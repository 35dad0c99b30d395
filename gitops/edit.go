package gitops

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/object"
)

// Editing trees: from a tip and a set of files to a new root, reading only the trees on the way to the files.
// Everything stays in memory until the pack is written.

// change is what happens to one path: a file gets this mode and content, or goes.
type change struct {
	path string
	mode uint32
	blob hash // zero: the file goes
}

// destination is a file to be written, where it goes and how it is stored there.
type destination struct {
	target
	name string // as it was asked for
	data []byte // nil: the file goes
	how  storing
}

// edits collects the outcome.
type edits struct {
	t       *Tip
	objects map[hash]object.Object // new trees and blobs
}

func newEdits(t *Tip) *edits { return &edits{t: t, objects: map[hash]object.Object{}} }

func (e *edits) add(o object.Object) {
	e.objects[o.Name] = o
}

// plan turns files into changes against a tip: paths as they are there, content as the attributes say, equal ones
// dropped. All paths that cannot be written come back in one BadPaths.
func plan(ctx context.Context, t *Tip, files map[string][]byte) (*edits, []change, error) {
	e := newEdits(t)
	var bad []BadPath
	refuse := func(name string, err error) error {
		var refusal *errStop
		if !errors.As(err, &refusal) {
			return fmt.Errorf("%s: %w", name, err)
		}
		bad = append(bad, BadPath{name, refusal.why})
		return nil
	}
	places, err := e.destinations(files, refuse)
	if err != nil {
		return nil, nil, err
	}
	filtered, places, err := e.rules(ctx, places, refuse)
	if err != nil {
		return nil, nil, err
	}
	stored, refused, err := t.clean(ctx, filtered)
	if err != nil {
		return nil, nil, err
	}
	var changes []change
	for _, p := range places {
		c, ok, err := e.changeOf(p, stored)
		if why, no := refused[p.path]; no {
			err = stop("%s (%s)", why, p.how.line)
		}
		if err != nil {
			if err := refuse(p.name, err); err != nil {
				return nil, nil, err
			}
		} else if ok {
			changes = append(changes, c)
		}
	}
	if bad = append(bad, clashes(changes)...); len(bad) > 0 {
		return nil, nil, &BadPaths{bad}
	}
	return e, changes, nil
}

// destinations finds where the files go. What is removed and written under one name is written.
func (e *edits) destinations(files map[string][]byte, refuse func(string, error) error) ([]destination, error) {
	var places []destination
	byFold, written := map[string]string{}, map[string]bool{}
	for _, name := range sortedKeys(files) {
		p, err := e.placeOf(name, files)
		twin, twice := byFold[foldName(p.path)]
		if p.data != nil && twice && err == nil {
			err = stop("it is the same file as %s where letter case does not count", twin)
		}
		if err != nil {
			if err := refuse(name, err); err != nil {
				return nil, err
			}
			continue
		}
		if p.data != nil {
			byFold[foldName(p.path)], written[p.path] = name, true
		}
		places = append(places, p)
	}
	return slices.DeleteFunc(places, func(p destination) bool { return p.data == nil && written[p.path] }), nil
}

// rules finds how the files are stored, all in one question, and gives those whose content passes a filter.
func (e *edits) rules(ctx context.Context, places []destination, refuse func(string, error) error) (map[string][]byte, []destination, error) {
	var paths []string
	for _, p := range places {
		if p.data != nil {
			paths = append(paths, p.path)
		}
	}
	attrs, err := e.t.attributesOf(ctx, paths, telling...)
	if err != nil {
		return nil, nil, err
	}
	filtered := map[string][]byte{}
	var kept []destination
	for _, p := range places {
		if p.data != nil {
			if p.how, err = e.t.rule(p.path, attrs[p.path]); err != nil {
				if err := refuse(p.name, err); err != nil {
					return nil, nil, err
				}
				continue
			}
		}
		if kept = append(kept, p); p.how.filter != "" {
			filtered[p.path] = p.data
		}
	}
	return filtered, kept, nil
}

// placeOf finds where one of the files goes. A file that is there in another case, and is removed under that name, is
// renamed.
func (e *edits) placeOf(name string, files map[string][]byte) (destination, error) {
	p := destination{name: name, data: files[name]}
	var err error
	if p.data == nil {
		p.target, err = e.t.exactly(name)
		return p, err
	}
	if p.target, err = e.t.resolve(name); err != nil {
		return p, err
	}
	if old, named := files[p.path]; named && old == nil {
		p.path, p.exists = path.Join(path.Dir(p.path), path.Base(name)), false
	}
	return p, nil
}

// changeOf gives the change of one path; false when nothing changes. stored is what filters made of some files.
func (e *edits) changeOf(p destination, stored map[string][]byte) (change, bool, error) {
	c := change{path: p.path, mode: object.ModeFile}
	if p.data == nil {
		return c, p.exists, nil
	}
	var old []byte
	var err error
	if p.entry.Mode != 0 {
		c.mode = p.entry.Mode
		if p.how.lines == unlessOld && p.how.filter == "" {
			if old, err = e.t.file(p.path, p.entry.Hash); err != nil {
				return c, false, err
			}
		}
	}
	data, filtered := stored[p.path]
	if !filtered {
		if data, err = p.how.normalise(p.data, old); err != nil {
			return c, false, err
		}
	}
	o := e.t.repo.objects.Format.New(object.Blob, data)
	c.blob = o.Name
	if p.exists && p.entry.Hash == o.Name {
		return c, false, nil
	}
	e.add(o)
	return c, true, nil
}

// clashes finds new paths that are folders of other new ones.
func clashes(changes []change) []BadPath {
	files := map[string]bool{}
	for _, c := range changes {
		if !c.blob.IsZero() {
			files[foldName(c.path)] = true
		}
	}
	var bad []BadPath
	for _, c := range changes {
		folded := foldName(c.path)
		for i := range folded {
			if folded[i] == '/' && files[folded[:i]] && !c.blob.IsZero() {
				bad = append(bad, BadPath{c.path, folded[:i] + " is to be a file, not a folder"})
				break
			}
		}
	}
	return bad
}

// apply makes the new trees and gives the new root. Folders that lose their last file go with it.
func (e *edits) apply(changes []change) (hash, error) {
	slices.SortFunc(changes, func(a, b change) int { return strings.Compare(a.path, b.path) })
	root, _, err := e.applyTo(e.t.tree, changes, 0)
	return root, err
}

// applyTo edits one tree with the changes below it; skip is the length of their common path up to it.
func (e *edits) applyTo(tree hash, changes []change, skip int) (h hash, empty bool, err error) {
	d, err := e.t.readTree(tree)
	if err != nil {
		return hash{}, false, err
	}
	entries := slices.Clone(d.entries)
	set := func(n entry, gone bool) {
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
		name, _, deeper := strings.Cut(changes[0].path[skip:], "/")
		if !deeper {
			set(entry{Name: name, Mode: changes[0].mode, Hash: changes[0].blob}, changes[0].blob.IsZero())
			changes = changes[1:]
			continue
		}
		prefix := changes[0].path[:skip+len(name)+1]
		n := 1
		for n < len(changes) && strings.HasPrefix(changes[n].path, prefix) {
			n++
		}
		below := hash{}
		if i, ok := d.exact[name]; ok && d.entries[i].IsDir() {
			below = d.entries[i].Hash
		}
		child, gone, err := e.applyTo(below, changes[:n], len(prefix))
		if err != nil {
			return hash{}, false, err
		}
		set(entry{Name: name, Mode: object.ModeDir, Hash: child}, gone)
		changes = changes[n:]
	}
	entries = slices.DeleteFunc(entries, func(e entry) bool { return e.Name == "" })
	o := e.t.repo.objects.Format.New(object.Tree, object.EncodeTree(entries))
	if o.Name != tree {
		e.add(o)
	}
	return o.Name, len(entries) == 0, nil
}

// needed are the objects in memory that the new root leads to: its own, and those of a merge that the tip holds.
func (e *edits) needed(root hash) ([]object.Object, error) {
	var list []object.Object
	seen := map[hash]bool{}
	var visit func(h hash) error
	visit = func(h hash) error {
		o, ok := e.objects[h]
		if !ok {
			o, ok = e.t.extra[h]
		}
		if !ok || seen[h] {
			return nil
		}
		seen[h] = true
		list = append(list, o)
		if o.Kind != object.Tree {
			return nil
		}
		entries, err := e.t.repo.objects.Format.ParseTree(o.Data)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if err := visit(entry.Hash); err != nil {
				return err
			}
		}
		return nil
	}
	err := visit(root)
	return list, err
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
