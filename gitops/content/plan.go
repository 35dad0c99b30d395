package content

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"unicode/utf8"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/tree"
)

// destination is a file to be written, where it goes and how it is stored there.
type destination struct {
	tree.Target
	name string // as it was asked for
	data []byte // nil: the file goes
	how  storing
}

// plan is what files change in a tree.
type plan struct {
	t    *Files
	edit *tree.Edit
	bad  []outcome.BadPath
}

// Plan turns files into changes: paths as they are there, content as the attributes say, equal ones dropped. All paths
// that cannot be written come back in one *outcome.BadPaths.
func (t *Files) Plan(ctx context.Context, files map[string][]byte) (*tree.Edit, []tree.Change, error) {
	p := &plan{t: t, edit: tree.NewEdit(t.FS)}
	found, err := p.destinations(files)
	if err != nil {
		return nil, nil, err
	}
	converted, found, err := p.rules(ctx, found)
	if err != nil {
		return nil, nil, err
	}
	stored, refused, err := t.clean(ctx, converted)
	if err != nil {
		return nil, nil, err
	}
	var changes []tree.Change
	for _, d := range found {
		var err error
		c, ok := p.changeOf(d, stored)
		if why, no := refused[d.Path]; no {
			err = tree.Refuse("%s (%s)", why, cmp.Or(d.how.line, "git check-attr -a "+d.Path))
		}
		if err != nil {
			if err := p.refuse(d.name, err); err != nil {
				return nil, nil, err
			}
		} else if ok {
			changes = append(changes, c)
		}
	}
	if bad := append(p.bad, clashes(changes)...); len(bad) > 0 {
		return nil, nil, &outcome.BadPaths{Paths: bad}
	}
	return p.edit, changes, nil
}

// refuse notes a path that cannot be written; other errors it gives back.
func (p *plan) refuse(name string, err error) error {
	var refusal *tree.Refusal
	if !errors.As(err, &refusal) {
		return fmt.Errorf("%s: %w", name, err)
	}
	p.bad = append(p.bad, outcome.BadPath{Path: name, Why: refusal.Why})
	return nil
}

// destinations finds where the files go. What is removed and written under one name is written.
func (p *plan) destinations(files map[string][]byte) ([]destination, error) {
	var found []destination
	byFold, written := map[string]string{}, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		d, err := p.placeOf(name, files)
		twin, twice := byFold[tree.Fold(d.Path)]
		if d.data != nil && twice && err == nil {
			err = tree.Refuse("it is the same file as %s where letter case does not count", twin)
		}
		if err != nil {
			if err := p.refuse(name, err); err != nil {
				return nil, err
			}
			continue
		}
		if d.data != nil {
			byFold[tree.Fold(d.Path)], written[d.Path] = name, true
		}
		found = append(found, d)
	}
	return slices.DeleteFunc(found, func(d destination) bool { return d.data == nil && written[d.Path] }), nil
}

// rules finds how the files are stored, all in one question, and gives those whose content git may convert.
func (p *plan) rules(ctx context.Context, found []destination) (converted, kept []destination, err error) {
	var paths []string
	for _, d := range found {
		if d.data != nil {
			paths = append(paths, d.Path)
		}
	}
	attrs, err := p.t.attributesOf(ctx, paths, asked...)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range found {
		if d.data != nil {
			d.how, err = p.t.rule(d.Path, attrs[d.Path])
			if err == nil && d.how.utf8 && !utf8.Valid(d.data) {
				err = tree.Refuse("working-tree-encoding applies to it (%s), so it is stored in UTF-8, and this content "+
					"is not", d.how.line)
			}
			if err != nil {
				if err := p.refuse(d.name, err); err != nil {
					return nil, nil, err
				}
				continue
			}
		}
		if kept = append(kept, d); d.data != nil && d.how.converts(d.data) {
			converted = append(converted, d)
		}
	}
	return converted, kept, nil
}

// placeOf finds where one of the files goes. A file that is there in another case, and is removed under that name, is
// renamed.
func (p *plan) placeOf(name string, files map[string][]byte) (destination, error) {
	d := destination{name: name, data: files[name]}
	var err error
	if d.data == nil {
		d.Target, err = p.t.FS.Exactly(name)
		return d, err
	}
	if d.Target, err = p.t.FS.Resolve(name); err != nil {
		return d, err
	}
	if old, named := files[d.Path]; named && old == nil {
		d.Path, d.Exists = path.Join(path.Dir(d.Path), path.Base(name)), false
	}
	return d, nil
}

// changeOf gives the change of one path; false when nothing changes. stored is what git made of some files.
func (p *plan) changeOf(d destination, stored map[string][]byte) (tree.Change, bool) {
	c := tree.Change{Path: d.Path, Mode: cmp.Or(d.Entry.Mode, object.ModeFile)}
	if d.data == nil {
		return c, d.Exists
	}
	data, converted := stored[d.Path]
	if !converted {
		data = d.data
	}
	o := p.t.repo.Objects.Format.New(object.Blob, data)
	c.Blob = o.Name
	if d.Exists && d.Entry.Hash == o.Name {
		return c, false
	}
	p.edit.Add(o)
	return c, true
}

// clashes finds new paths that are folders of other new ones.
func clashes(changes []tree.Change) []outcome.BadPath {
	files := map[string]bool{}
	for _, c := range changes {
		if !c.Blob.IsZero() {
			files[tree.Fold(c.Path)] = true
		}
	}
	var bad []outcome.BadPath
	for _, c := range changes {
		folded := tree.Fold(c.Path)
		for i := range folded {
			if folded[i] == '/' && files[folded[:i]] && !c.Blob.IsZero() {
				bad = append(bad, outcome.BadPath{Path: c.Path, Why: folded[:i] + " is to be a file, not a folder"})
				break
			}
		}
	}
	return bad
}

// Writable says why Plan would refuse a path: *outcome.BadPaths with the reason, or an error of reading. Nil when it
// would not. Content filters (LFS) are judged too.
func (t *Files) Writable(name string) error {
	at, err := t.FS.Resolve(name)
	if err == nil {
		ctx, end := t.repo.WatchRead()
		defer end()
		var a map[string]attributes
		if a, err = t.attributesOf(ctx, []string{at.Path}, asked...); err == nil {
			_, err = t.rule(at.Path, a[at.Path])
		}
	}
	var refusal *tree.Refusal
	if errors.As(err, &refusal) {
		return &outcome.BadPaths{Paths: []outcome.BadPath{{Path: name, Why: refusal.Why}}}
	}
	return err
}
