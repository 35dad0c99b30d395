package push

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/tree"
)

// renameReader reads what a push knows of the translations of renamed keys. The service is asked for each group once,
// and each file is read once.
type renameReader struct {
	push    *followers
	groups  []*bundle.Group
	moves   []ledger.Move
	exports map[*bundle.Group]*pass.Exported
	files   map[string]*translations
}

// readRenames reads them, by file and language.
func (r *followers) readRenames(ctx context.Context, renames []ledger.Rename) (all []*followingFile, err error) {
	byPath := make(map[string][]ledger.Rename)
	for _, m := range renames {
		byPath[m.Path] = append(byPath[m.Path], m)
	}
	from := &renameReader{push: r, groups: bundle.Groups(r.tree.Bundles()), files: make(map[string]*translations),
		exports: make(map[*bundle.Group]*pass.Exported)}
	if from.moves, err = ledger.Moves.List(r.branch.Ledger, r.branch.StateName()); err != nil {
		return nil, err
	}
	for _, b := range r.tree.Bundles() {
		if len(byPath[b.Path]) == 0 {
			continue
		}
		for _, l := range r.branch.Project.Targets() {
			f, err := from.file(ctx, b, l, byPath[b.Path])
			if err != nil {
				return nil, err
			}
			all = append(all, f)
		}
	}
	return all, nil
}

// file reads one file's renames in one language. A key moves whole: a language may have other plural forms than the
// source.
func (r *renameReader) file(
	ctx context.Context, b *bundle.Bundle, l config.Language, renames []ledger.Rename,
) (*followingFile, error) {
	now, err := r.translations(ctx, b, b.Target(l), l)
	if err != nil {
		return nil, err
	}
	f := &followingFile{bundle: b, language: l, now: now, path: cmp.Or(b.Target(l), b.Path),
		format: r.groupOf(b).ExportFormat()}
	keys := make(map[string]*followingKey)
	for _, m := range renames {
		if !m.In(l.Code) {
			continue
		}
		id := m.Before().ID() + "\x00" + m.From.Key
		if k := keys[id]; k != nil {
			k.ids = append(k.ids, m.ID())
			continue
		}
		k := &followingKey{rename: m, ids: []string{m.ID()}, was: now}
		if left := r.left(m); left != nil {
			was, path := r.former(b, l, *left)
			if was == nil {
				continue
			}
			if k.was, err = r.translations(ctx, was, path, l); err != nil {
				return nil, err
			}
		}
		keys[id], f.keys = k, append(f.keys, k)
	}
	return f, nil
}

// left is the file that a key was in; nil where it is the same. Of one that moved, no pull has moved the translations.
func (r *renameReader) left(m ledger.Rename) *ledger.Source {
	if m.Left != nil {
		return m.Left
	}
	var left *ledger.Source
	at := m.Before()
	for range r.moves { // a file may have moved more than once
		i := slices.IndexFunc(r.moves, func(x ledger.Move) bool { return x.To == at })
		if i < 0 {
			break
		}
		left, at = &r.moves[i].From, r.moves[i].From
	}
	return left
}

// former is the file that a key was in, with the path of its translations; nil where it cannot be read. A file that is
// gone has moved here.
func (r *renameReader) former(b *bundle.Bundle, l config.Language, left ledger.Source) (*bundle.Bundle, string) {
	at := slices.IndexFunc(r.push.tree.Sources, func(s *tree.Source) bool { return s.ID() == left })
	switch {
	case at < 0:
		former := *b
		former.Collection = left.Collection
		return &former, r.push.branch.Project.FormerTarget(left.Path, left.Collection, l)
	case r.push.tree.Sources[at].Broken():
		return nil, ""
	}
	return r.push.tree.Sources[at].Bundle, r.push.tree.Sources[at].Target(l)
}

// translations reads those of a file in a language.
func (r *renameReader) translations(
	ctx context.Context, b *bundle.Bundle, path string, l config.Language,
) (*translations, error) {
	id := fmt.Sprintf("%q", []string{b.Collection, b.Path, l.Code, path})
	if r.files[id] != nil {
		return r.files[id], nil
	}
	present, err := r.present(ctx, b)
	if err != nil {
		return nil, err
	}
	if present.Lacks(b, l) {
		return nil, fmt.Errorf("what the service has for %s (%s) cannot be read", b.Path, l.Code)
	}
	t := &translations{path: path, theirs: written(present.Of(b, l)).ByKey(), edited: make(map[string]catalog.Catalog)}
	if r.files[id] = t; path == "" {
		return t, nil // labels at the service name the file
	}
	f, _, err := b.Read(r.push.tree.FS, path, l)
	if err != nil {
		return nil, err
	}
	of, err := r.push.branch.Memory().Read(path, l.Code, ledger.Filler, ledger.Known, ledger.Merged)
	if left := r.left(ledger.Rename{Collection: b.Collection, Path: b.Path}); err == nil && of[ledger.Known] == nil &&
		left != nil { // of the file before it moved
		path := r.push.branch.Project.FormerTarget(left.Path, left.Collection, l)
		of, err = r.push.branch.Memory().Read(path, l.Code, ledger.Filler, ledger.Known, ledger.Merged)
	}
	if err != nil {
		return nil, err
	}
	t.ours, t.past = written(without(of[ledger.Filler], bundle.Texts(f))).ByKey(), of[ledger.Known]
	if t.past == nil || !r.push.branch.Project.Push.Translations {
		return t, nil
	}
	t.agreed = of[ledger.Merged]
	if err := r.push.snapshots.find(ctx); err != nil {
		return nil, err
	}
	for _, at := range r.push.snapshots.all {
		f, _, err := b.Read(at.fsys, path, l)
		if err != nil {
			return nil, err
		}
		t.findEdited(without(of[ledger.Filler], bundle.Texts(f)))
	}
	return t, nil
}

// groupOf is a bundle's group; one of its own where the tree does not have the bundle any more.
func (r *renameReader) groupOf(b *bundle.Bundle) *bundle.Group {
	same := func(of *bundle.Bundle) bool { return of.Path == b.Path }
	for _, g := range r.groups {
		if g.Collection == b.Collection && slices.ContainsFunc(g.Bundles, same) {
			return g
		}
	}
	g := bundle.Groups([]*bundle.Bundle{b})[0]
	r.groups = append(r.groups, g)
	return g
}

// present is the service's answer for a bundle's group.
func (r *renameReader) present(ctx context.Context, b *bundle.Bundle) (*pass.Exported, error) {
	g, project := r.groupOf(b), r.push.branch.Project
	if r.exports[g] != nil {
		return r.exports[g], nil
	}
	r.push.branch.Say("asking what the service has in %q", g.Collection)
	ask := pass.ExportAsk{Group: g, Languages: project.Targets(), Completion: project.Pull.CompletionState}
	answers, err := r.push.ask(ctx, []pass.ExportAsk{ask})
	if err != nil {
		return nil, err
	}
	r.exports[g] = answers[0]
	return answers[0], nil
}
