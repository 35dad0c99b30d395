package tree

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/object"
)

// Pair is a path in two trees; an entry without a mode is a tree without it.
type Pair struct {
	Path     string
	Old, New object.Entry
}

// Reader gives what is in a folder.
type Reader func(object.Name) ([]object.Entry, error)

// Compare gives the files that differ, by path. A submodule counts as a file.
func Compare(ctx context.Context, readOld, readNew Reader, old, new object.Name) ([]Pair, error) {
	c := comparison{ctx: ctx, readers: [2]Reader{readOld, readNew}}
	if old != new {
		if err := c.folder("", [2]object.Name{old, new}); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(c.pairs, func(a, b Pair) int { return strings.Compare(a.Path, b.Path) })
	return c.pairs, nil
}

// comparison is one walk through two trees side by side.
type comparison struct {
	ctx     context.Context
	readers [2]Reader
	pairs   []Pair
}

func (c *comparison) folder(folder string, trees [2]object.Name) error {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	byName := map[string]*[2]object.Entry{}
	for side, h := range trees {
		entries, err := c.readers[side](h)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if byName[e.Name] == nil {
				byName[e.Name] = new([2]object.Entry)
			}
			byName[e.Name][side] = e
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		two := byName[name]
		if two[0].Hash == two[1].Hash && two[0].Mode == two[1].Mode {
			continue
		}
		var below [2]object.Name
		for side := range two {
			if two[side].IsDir() {
				below[side], two[side] = two[side].Hash, object.Entry{}
			}
		}
		at := path.Join(folder, name)
		if two[0].Mode != 0 || two[1].Mode != 0 {
			c.pairs = append(c.pairs, Pair{at, two[0], two[1]})
		}
		if below[0] != below[1] {
			if err := c.folder(at, below); err != nil {
				return err
			}
		}
	}
	return nil
}
