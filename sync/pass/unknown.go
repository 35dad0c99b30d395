package pass

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
)

// Unknown is a text that the service has in a collection of a tree, in any language, and that none of some trees has;
// "" for none. collections are those that were compared. Nothing is remembered.
func (p *Branch) Unknown(
	ctx context.Context, t *tree.Tree, trees []fs.FS,
) (text string, collections map[string]bool, err error) {
	collections = make(map[string]bool)
	for _, g := range bundle.Groups(t.Bundles()) {
		collections[g.Collection] = true
		if text, err = unknownIn(ctx, p, t, g, trees); text != "" || err != nil {
			return text, nil, err
		}
	}
	return "", collections, nil
}

// unknownIn is a text of one group that none of some trees has.
func unknownIn(ctx context.Context, p *Branch, t *tree.Tree, g *bundle.Group, trees []fs.FS) (string, error) {
	ask := SourceAsk(t, g)
	source := ask.Languages[0]
	for _, languages := range [][]config.Language{ask.Languages, p.Project.Targets()} {
		known := make(map[string]bool)
		var targets []bundle.Target
		for _, b := range g.Bundles {
			if languages[0] == source {
				targets = append(targets, bundle.Target{Path: b.Path, Language: source, Sources: []*bundle.Bundle{b}})
			}
		}
		for _, fsys := range trees {
			all := targets
			if len(all) == 0 {
				var err error
				all, err = bundle.Existing(fsys, g.Bundles, languages)
				if err != nil {
					return "", err
				}
			}
			for _, x := range all {
				file, _, err := x.Sources[0].Read(fsys, x.Path, x.Language)
				if err != nil {
					return "", err
				}
				for _, u := range bundle.Texts(file) {
					known[u.Text] = true
				}
			}
		}
		ask.Languages = languages
		theirs, err := exported(ctx, p, ask)
		if err != nil {
			return "", err
		}
		for _, x := range theirs {
			texts, left := t.Fitted(x.Target, nil, x.Texts)
			for _, u := range append(texts, left...) {
				if u.Text != "" && !known[u.Text] {
					return u.Text, nil
				}
			}
		}
	}
	return "", nil
}

// exported asks for the texts of a group, and remembers nothing; none where the project has no such collection.
func exported(ctx context.Context, p *Branch, ask ExportAsk) ([]Translated, error) {
	id, err := p.Service.Strings().StartExport(ctx, p.ExportRequest(ask))
	if errors.Is(err, service.ErrRefused) || errors.Is(err, service.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	archive, err := p.Service.Strings().Download(ctx, id, "")
	if err != nil {
		return nil, err
	}
	x, err := p.ReadArchive(ask, archive, new(bundle.Kept))
	if err = errors.Join(err, archive.Close()); err != nil {
		return nil, fmt.Errorf("read the texts of project %s: %w", p.Project.ID, err)
	}
	return x.Targets(ask.Group), nil
}
