package pull

import (
	"context"
	"fmt"
	"maps"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// reword merges the service's source texts into the source files of a tree. The tree has the new texts afterwards.
func (r *pull) reword(ctx context.Context, t *tree.Tree) ([]*merged, error) {
	if !r.branch.Project.Pull.Source || len(r.o.Languages) > 0 {
		return nil, nil
	}
	theirs, err := r.readSources(ctx, t)
	if err != nil {
		return nil, err
	}
	w := &sourceMerge{project: r.branch.Project, options: r.o, tree: t, accepted: r.merging.accepted, show: r.merging.show,
		theirs: theirs, barred: make(map[sourceKey]bool), dead: make(map[*tree.Source]bool)}
	done := w.merge()
	r.account.report.Problems = append(r.account.report.Problems, w.told...)
	r.account.holds = append(r.account.holds, w.holds...)
	for _, m := range done {
		if m.bytes == nil {
			continue
		}
		if err := r.take(t, m); err != nil {
			return nil, err
		}
	}
	return done, nil
}

// readSources reads the service's source texts of all groups.
func (r *pull) readSources(ctx context.Context, t *tree.Tree) (map[*tree.Source]catalog.Catalog, error) {
	var open []*bundle.Group
	var asks []pass.ExportAsk
	for _, g := range bundle.Groups(t.Bundles()) {
		if g.Template().HasLabel() {
			r.account.problem(report.Problem{Code: report.CodeConfiguration,
				File: g.Bundles[0].Path, Language: g.Bundles[0].Source.Code,
				Problem: fmt.Sprintf("pull.source = true does nothing for collection %q: labels at the service name its files "+
					"there, so which text belongs to which source file is not known; change these texts in the repository",
					g.Collection)})
			continue
		}
		open = append(open, g)
		if r.exports["source\x00"+g.ID()] == nil {
			// Source texts have no state: what is there is the service's.
			asks = append(asks, pass.ExportAsk{Group: g, Languages: []config.Language{g.Bundles[0].Source}, Completion: "draft",
				Resumed: true})
		}
	}
	answers, err := r.branch.ExportAll(ctx, asks)
	if err != nil {
		return nil, err
	}
	for i, x := range answers {
		r.account.report.Requests++
		r.exports["source\x00"+asks[i].Group.ID()] = x
	}
	theirs := make(map[*tree.Source]catalog.Catalog)
	for _, g := range open {
		x := r.exports["source\x00"+g.ID()]
		r.account.report.Problems = append(r.account.report.Problems, x.Problems...)
		var texts catalog.Catalog
		for _, e := range x.Entries {
			texts = append(texts, e.Texts...)
		}
		for _, b := range g.Bundles {
			if s := t.Of(b); !s.Broken() {
				theirs[s], err = r.merging.withoutLate(s, texts)
				if err != nil {
					return nil, err
				}
			}
		}
	}
	return theirs, nil
}

// take puts a file that will be written into the tree, so that the translations are merged against it.
func (r *pull) take(t *tree.Tree, m *merged) error {
	s := t.Of(m.Sources[0])
	t.FS.(*joinedTree).take(m)
	f, err := s.Parse(m.bytes, s.Source)
	if err != nil {
		return fmt.Errorf("read %s as it will be written: %w", s.Path, err)
	}
	s.Put(f)
	service := maps.Clone(r.merging.accepted.Texts[s.Collection])
	for _, u := range m.wording.accepts {
		service[u.Name] = u.Mark
	}
	r.merging.accepted.Texts[s.Collection] = service
	r.merging.digested.service[s.Collection] = catalog.Digests(service)
	r.probe.last = nil // translations may be outdated by it, so every file is looked at
	return nil
}
