package inspect

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/diff"
	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/files"
	"github.com/locsync/locsync/sync/text/bundle"
)

// before is the repository before the changes that a check is of.
type before struct {
	read   func(name string) ([]byte, error)      // a file, by its name of that time
	name   func(now string) (string, error)       // what a file was called
	files  func(pattern string) ([]string, error) // those that match, at least the removed ones
	isLink func(name string) bool
}

// beforeOf is the repository as a commit has it. git is asked for the former names of files that this does not have.
func beforeOf(ctx context.Context, repo *gitops.Repo, fsys fs.FS, since *gitops.Tip) *before {
	now := ""
	if tip, is := fsys.(*gitops.Tip); is {
		now = tip.Hash()
	}
	renamed := sync.OnceValues(func() (map[string]string, error) { return repo.Renamed(ctx, since.Hash(), now) })
	return &before{
		read: func(name string) ([]byte, error) { return bound.ReadFS(since, name, resource.MaxBytes) },
		name: func(now string) (string, error) {
			if _, err := since.Stat(now); err == nil {
				return now, nil
			}
			names, err := renamed()
			return cmp.Or(names[now], now), err
		},
		files: func(pattern string) ([]string, error) { return bundle.Glob(since, pattern) },
		isLink: func(name string) bool {
			info, err := since.Lstat(name)
			return err == nil && info.Mode()&fs.ModeSymlink != 0
		},
	}
}

// beforeDiff is a tree without the changes of a diff; read reads its files.
func beforeDiff(d *diff.Diff, read func(name string) ([]byte, error)) *before {
	return &before{
		read: func(name string) ([]byte, error) { return d.Before(name, read) },
		name: func(now string) (string, error) { return d.Former(now), nil },
		files: func(pattern string) ([]string, error) {
			return slices.DeleteFunc(d.Removed(), func(name string) bool {
				return !doublestar.MatchUnvalidated(pattern, name)
			}), nil
		},
		isLink: func(name string) bool { return !d.Touches(name) }, // it is one now
	}
}

// unfit refuses a diff of other files than those of the tree.
func unfit(err error) error {
	return failure.Usage(fmt.Errorf("--diff: %w; make it of the files that are checked out, with paths from the root of "+
		"the repository, as git diff --no-relative --merge-base main | locsync check --diff does", err))
}

// formerConfig is a project of the repository at root as its configuration was; nil where that cannot be read.
func (b *before) formerConfig(p *config.Project, root string, read func(name string) ([]byte, error)) *config.Project {
	file := p.Problem("name", "").File
	name, err := filepath.Rel(files.Resolved(root), files.Resolved(file))
	if root == "" || err != nil || !filepath.IsLocal(name) {
		return p // of another repository
	}
	name = filepath.ToSlash(name)
	now, errNow := read(name)
	was, errWas := b.read(name)
	if errors.Is(errWas, fs.ErrNotExist) || errNow == nil && errWas == nil && bytes.Equal(now, was) {
		return p
	}
	if errWas != nil {
		return nil
	}
	cfg, err := config.ParseForCreate(file, was)
	if err != nil {
		return nil
	}
	for i := range cfg.Projects {
		if cfg.Projects[i].Name == p.Name {
			return &cfg.Projects[i]
		}
	}
	return nil
}

// formerBundle is the bundle of a source file by its former name and configuration, which may be nil; nil where it had
// none.
func formerBundle(b *bundle.Bundle, was string, now, then *config.Project) *bundle.Bundle {
	switch {
	case then == nil:
		return nil
	case then == now && was == b.Path:
		return b
	}
	return bundle.Of(then, was)
}
