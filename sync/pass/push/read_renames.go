package push

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// renameReader reads what a push knows of the translations of renamed keys. The service is asked for each group once,
// and each file is read once.
type renameReader struct {
	push    *followers
	groups  []*bundle.Group
	moves   []ledger.Move
	exports map[stateOf]*pass.Exported
	files   map[string]*translations
}

// stateOf is what is asked for of a group.
type stateOf struct {
	group *bundle.Group
	state service.CompletionState
}

func (r *followers) reader() *renameReader {
	return &renameReader{push: r, groups: bundle.Groups(r.tree.Bundles()), files: make(map[string]*translations),
		exports: make(map[stateOf]*pass.Exported)}
}

// readRenames reads them, by file and language.
func (r *followers) readRenames(ctx context.Context, renames []ledger.Rename) (all []*followingFile, err error) {
	if len(renames) == 0 || len(r.Errs) > 0 {
		return nil, nil
	}
	byPath := make(map[string][]ledger.Rename)
	for _, m := range renames {
		byPath[m.Path] = append(byPath[m.Path], m)
	}
	from := r.reader()
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
		format: r.groupOf(b).ExportFormat(), archived: r.push.accepted.Archived(b.Collection)}
	if s := r.push.tree.Of(b); s != nil && !s.Broken() {
		f.living, f.source = s.TextKeys(), catalog.Digests(s.All.Marks())
	}
	if path := b.Target(l); path != "" {
		of := bundle.Target{Path: path, Language: l, Sources: []*bundle.Bundle{b}}
		f.branch, err = r.push.snapshots.branchTexts(of)
		if err != nil {
			return nil, err
		}
	}
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
	t := &translations{path: path, edited: make(map[string]catalog.Catalog)}
	if err := r.present(ctx, t, b, l); err != nil {
		return nil, err
	}
	if r.files[id] = t; path == "" {
		return t, nil // labels at the service name the file
	}
	f, _, err := b.Read(r.push.tree.FS, path, l)
	if err != nil {
		return nil, err
	}
	kinds := []ledger.TargetMarks{ledger.Filler, ledger.Known, ledger.Merged, ledger.Made, ledger.Outdated}
	of, err := r.push.branch.Memory().Read(path, l.Code, kinds...)
	if left := r.left(ledger.Rename{Collection: b.Collection, Path: b.Path}); err == nil && of[ledger.Known] == nil &&
		left != nil { // of the file before it moved
		path := r.push.branch.Project.FormerTarget(left.Path, left.Collection, l)
		of, err = r.push.branch.Memory().Read(path, l.Code, kinds...)
	}
	if err != nil {
		return nil, err
	}
	t.made = catalog.Made{
		For: maps.Clone(of[ledger.Made]), Outdated: maps.Clone(of[ledger.Outdated]), Base: of[ledger.Merged]}
	t.ours, t.past = ledger.Without(of[ledger.Filler], bundle.Texts(f)).Written().ByKey(), of[ledger.Known]
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
		t.findEdited(ledger.Without(of[ledger.Filler], bundle.Texts(f)))
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

// present reads what the service has of a file in a language, and in which states.
func (r *renameReader) present(ctx context.Context, t *translations, b *bundle.Bundle, l config.Language) error {
	exports := make(map[service.CompletionState]catalog.Catalog)
	for _, state := range []service.CompletionState{service.Draft, service.Final, service.Intermediate} {
		x, err := r.export(ctx, b, state)
		if err != nil {
			return err
		}
		if x.Lacks(b, l) {
			return fmt.Errorf("what the service has for %s (%s) cannot be read", b.Path, l.Code)
		}
		exports[state] = x.Of(b, l).Written()
		if pass.SameTexts(exports[service.Draft], exports[service.Final]) {
			exports[service.Intermediate] = exports[service.Final]
			break
		}
	}
	t.all = pass.ByState(exports)
	t.theirs = exports[service.CompletionState(r.push.branch.Project.Pull.CompletionState)].ByKey()
	return nil
}

// export is the service's answer for a bundle's group in a state or better.
func (r *renameReader) export(
	ctx context.Context, b *bundle.Bundle, state service.CompletionState,
) (*pass.Exported, error) {
	g := r.groupOf(b)
	if r.exports[stateOf{g, state}] != nil {
		return r.exports[stateOf{g, state}], nil
	}
	r.push.branch.Say("asking what the service has in %q", g.Collection)
	ask := pass.ExportAsk{Group: g, Languages: r.push.branch.Project.Targets(), Completion: string(state)}
	answers, err := r.push.ask(ctx, []pass.ExportAsk{ask})
	if err != nil {
		return nil, err
	}
	r.exports[stateOf{g, state}] = answers[0]
	return answers[0], nil
}
