package past

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
)

// Merged is what commits of ours brought to one target file.
type Merged struct {
	bundle.Target
	Known  catalog.Catalog // what they wrote and what that replaced, the oldest first
	Agreed catalog.Marks   // what they wrote last
}

// Brought reads what commits of ours brought, the oldest first. targets finds the target files of a tree.
func Brought(
	ctx context.Context, repo *gitops.Repo, made []gitops.Made, targets func(fs.FS) ([]bundle.Target, error),
) ([]*Merged, error) {
	b := brought{targets: targets, index: make(map[[2]string]*Merged)}
	for _, m := range made {
		if err := b.add(ctx, repo, m); err != nil {
			return nil, fmt.Errorf("read what commit %.10s brought: %w", m.Commit, err)
		}
	}
	return b.all, nil
}

type brought struct {
	targets func(fs.FS) ([]bundle.Target, error)
	all     []*Merged
	index   map[[2]string]*Merged // by path and language
}

func (b *brought) of(t bundle.Target) *Merged {
	id := [2]string{t.Path, t.Language.Code}
	if b.index[id] == nil {
		b.index[id] = &Merged{Target: t, Agreed: make(catalog.Marks)}
		b.all = append(b.all, b.index[id])
	}
	return b.index[id]
}

// add adds what one commit brought: texts that none of its parents has.
func (b *brought) add(ctx context.Context, repo *gitops.Repo, made gitops.Made) error {
	paths := make(map[string]int)
	parents := make([]*gitops.Tip, len(made.Parents))
	for i, parent := range made.Parents {
		changed, err := repo.History.Changed(ctx, parent, made.Commit)
		if err != nil {
			return err
		}
		for _, path := range changed {
			paths[path]++
		}
		if parents[i], err = repo.AtCommit(parent); err != nil {
			return err
		}
	}
	now, err := repo.AtCommit(made.Commit)
	if err != nil {
		return err
	}
	targets, err := b.targets(now)
	if err != nil {
		return err
	}
	for _, t := range targets {
		if paths[t.Path] < len(parents) {
			continue
		}
		texts, err := TextsAt(now, t)
		if err != nil {
			return err
		}
		f := b.of(t)
		brought := texts.Marks()
		for _, parent := range parents {
			before, err := TextsAt(parent, t)
			if err != nil {
				return err
			}
			for _, u := range before {
				if brought.Has(u.Name, u.Text) {
					delete(brought, u.Name)
				}
			}
			for _, u := range before {
				if _, replaced := brought[u.Name]; replaced && u.Text != "" {
					f.Known = append(f.Known, u)
				}
			}
		}
		for _, u := range texts {
			if _, ours := brought[u.Name]; ours {
				f.Known = append(f.Known, u)
				f.Agreed[u.Name] = catalog.MarkOf(u.Text)
			}
		}
	}
	return nil
}

// TextsAt are the texts of a target file in a commit; none where it cannot be read there.
func TextsAt(tip *gitops.Tip, t bundle.Target) (catalog.Catalog, error) {
	f, _, err := t.Sources[0].Read(tip, t.Path, t.Language)
	return bundle.Texts(f), err
}
