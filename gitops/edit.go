package gitops

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Editing trees: from a tip and a set of files to a new root, reading only the trees on the way to the files. Everything
// stays in memory until the pack is written.

// change is what happens to one path: a file gets this mode and content, or goes.
type change struct {
	path string
	mode uint32
	blob hash // zero: the file goes
}

// edits collects the outcome.
type edits struct {
	t       *Tip
	objects map[hash]object // new trees and blobs
	order   []hash
}

func newEdits(t *Tip) *edits { return &edits{t: t, objects: map[hash]object{}} }

func (e *edits) add(o object) {
	if _, ok := e.objects[o.hash]; !ok {
		e.objects[o.hash] = o
		e.order = append(e.order, o.hash)
	}
}

// plan turns files into changes against a tip: paths as they are there, line ends as the attributes say, equal ones
// dropped. All paths that cannot be written come back in one BadPaths.
func plan(t *Tip, files map[string][]byte) (*edits, []change, error) {
	e := newEdits(t)
	attrs := t.attributes()
	var changes []change
	var bad []BadPath
	byFold := map[string]string{}
	for _, name := range sortedKeys(files) {
		c, ok, err := e.planOne(attrs, name, files[name])
		var refusal *errStop
		if errors.As(err, &refusal) {
			bad = append(bad, BadPath{name, refusal.why})
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		folded := foldName(c.path)
		if twin, twice := byFold[folded]; twice {
			bad = append(bad, BadPath{name, "it is the same file as " + twin + " where letter case does not count"})
			continue
		}
		byFold[folded] = name
		if ok {
			changes = append(changes, c)
		}
	}
	bad = append(bad, clashes(changes)...)
	if len(bad) > 0 {
		return nil, nil, &BadPaths{bad}
	}
	return e, changes, nil
}

// planOne gives the change of one path; false when nothing changes.
func (e *edits) planOne(attrs *attributes, name string, data []byte) (change, bool, error) {
	at, err := e.t.resolve(name)
	if err != nil {
		return change{}, false, err
	}
	c := change{path: at.path, mode: modeFile}
	if data == nil {
		return c, at.exists, nil
	}
	rule, err := attrs.rule(at.path)
	if err != nil {
		return c, false, err
	}
	var old []byte
	if at.exists {
		c.mode = at.entry.mode
		if rule == unlessOld {
			if old, err = e.t.file(at.path, at.entry.hash); err != nil {
				return c, false, err
			}
		}
	}
	o := newObject(kindBlob, rule.normalise(data, old))
	c.blob = o.hash
	if at.exists && at.entry.hash == o.hash {
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
		i, there := d.exact[n.name]
		if gone {
			n.name = "" // taken out below
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
			set(entry{name, changes[0].mode, changes[0].blob}, changes[0].blob.IsZero())
			changes = changes[1:]
			continue
		}
		prefix := changes[0].path[:skip+len(name)+1]
		n := 1
		for n < len(changes) && strings.HasPrefix(changes[n].path, prefix) {
			n++
		}
		below := emptyTree
		if i, ok := d.exact[name]; ok && d.entries[i].isDir() {
			below = d.entries[i].hash
		}
		child, gone, err := e.applyTo(below, changes[:n], len(prefix))
		if err != nil {
			return hash{}, false, err
		}
		set(entry{name, modeDir, child}, gone)
		changes = changes[n:]
	}
	entries = slices.DeleteFunc(entries, func(e entry) bool { return e.name == "" })
	o := newObject(kindTree, encodeTree(entries))
	if o.hash != tree {
		e.add(o)
	}
	return o.hash, len(entries) == 0, nil
}

// needed are the objects in memory that the new root leads to: its own, and those of a merge that the tip holds.
func (e *edits) needed(root hash) ([]object, error) {
	var list []object
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
		if o.kind != kindTree {
			return nil
		}
		entries, err := parseTree(o.data)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if err := visit(entry.hash); err != nil {
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
