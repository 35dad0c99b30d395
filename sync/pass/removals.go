package pass

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/spelling"
)

// A pull takes a translation out of the branch when the source loses its key, and the base keeps it until the two are
// merged. Where the source has the key again by then, the base's text is put back: the merge would lose it.

// Removals are the translations that commits of ours took out of the branch since it left its base; nil for none.
type Removals struct {
	branch    *Branch
	tip, base *gitops.Tip

	read    bool          // the rest is read when it is first needed
	made    []gitops.Made // the youngest first
	changed [][]string    // the paths that each of them changed, sorted
}

// RemovalsOf are those of a branch whose tip has a base; the tip stays the caller's.
func RemovalsOf(p *Branch, tip *gitops.Tip) *Removals {
	return &Removals{branch: p, tip: tip, base: tip.Base()}
}

// PutBack adds to the texts of a target file those of the base that it lacks because a commit of ours took them out
// while the source did not have the key; branch has its files. A key that replaced another is left to what its old key
// has. back are those that were added.
func (o *Removals) PutBack(
	ctx context.Context, branch fs.FS, x bundle.Target, renamed []catalog.Rename, source, ours catalog.Catalog,
) (all, back catalog.Catalog, err error) {
	had := o.baseTexts(branch, x)
	if len(had) == 0 {
		return ours, nil, nil
	}
	asked, has := widely(x, source, had), ours.Index()
	for _, r := range renamed {
		delete(asked, r.To.Key)
	}
	lacks := slices.DeleteFunc(had.Restrict(asked), func(u catalog.Unit) bool {
		_, here := has[u.Name]
		return here || u.Text == ""
	})
	if len(lacks) == 0 {
		return ours, nil, nil
	}
	if err := o.list(ctx); err != nil {
		return nil, nil, fmt.Errorf("read what was taken out of branch %s: %w", o.tip.Branch(), err)
	}
	for i, made := range o.made {
		if len(lacks) == 0 {
			break
		}
		if _, is := slices.BinarySearch(o.changed[i], x.Path); !is {
			continue
		}
		out, all, err := o.tookOut(made, x)
		if err != nil {
			return nil, nil, fmt.Errorf("read what commit %.10s took out of %s: %w", made.Commit, x.Path, err)
		}
		lacks = slices.DeleteFunc(lacks, func(u catalog.Unit) bool {
			if out[u.Name] {
				back = append(back, u)
			}
			return all[u.Name]
		})
	}
	return append(ours, back...), back, nil
}

// baseTexts are the texts of a target file as the base has it, where the branch has it otherwise. A file of the base
// that cannot be read is a problem of the passes that read it.
func (o *Removals) baseTexts(branch fs.FS, x bundle.Target) catalog.Catalog {
	if o == nil {
		return nil
	}
	there, err := fs.ReadFile(o.base, x.Path)
	if err != nil {
		return nil
	}
	if here, err := fs.ReadFile(branch, x.Path); err != nil || bytes.Equal(here, there) {
		return nil
	}
	f, err := x.Sources[0].Parse(there, x.Language)
	if err != nil {
		return nil
	}
	return bundle.Texts(f)
}

// widely are the keys of source texts, with the further forms that texts have of their plurals.
func widely(x bundle.Target, source, texts catalog.Catalog) map[string]bool {
	b := x.Sources[0]
	return spelling.Widened(source, b.Separator, b.Source.Code, texts).Keys()
}

// list reads which commits there are.
func (o *Removals) list(ctx context.Context) error {
	if o.read {
		return nil
	}
	made, err := gitops.Ours(ctx, o.branch.Repo, o.tip, o.base.Hash(), o.branch.Project.Name, RecollectMost)
	if err != nil {
		return err
	}
	slices.Reverse(made)
	for _, m := range made {
		paths, err := o.branch.Repo.History.Changed(ctx, m.Parents[0], m.Commit)
		if err != nil {
			return err
		}
		o.changed = append(o.changed, paths)
	}
	o.made, o.read = made, true
	return nil
}

// tookOut are the texts that a commit of ours brought to the branch or took out (all), and those that it took out
// because the source did not have the key (out). Its first parent is the branch as it was.
func (o *Removals) tookOut(made gitops.Made, x bundle.Target) (out, all map[catalog.Name]bool, err error) {
	had, err := o.branch.TextsIn(made.Parents[0], x)
	has, herr := o.branch.TextsIn(made.Commit, x)
	if err = errors.Join(err, herr); err != nil {
		return nil, nil, err
	}
	var source catalog.Catalog
	for _, b := range x.Sources {
		at := bundle.Target{Path: b.Path, Language: b.Source, Sources: []*bundle.Bundle{b}}
		texts, err := o.branch.TextsIn(made.Commit, at)
		if err != nil {
			return nil, nil, err
		}
		source = append(source, texts...)
	}
	living := widely(x, source, had)
	out, all = make(map[catalog.Name]bool), make(map[catalog.Name]bool)
	for _, c := range catalog.Diff(had.Marks(), has) {
		all[c.Name] = true
		out[c.Name] = c.Op == catalog.Removed && !living[c.Key]
	}
	return out, all, nil
}
