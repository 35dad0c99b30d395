// Package content is what files hold: as people see it, and as git stores it by the attributes of a tree (line ends,
// encoding, filters such as git LFS); what a partial clone left out is brought. git answers for the tree that is read
// or written, not for the working tree, which may be on another branch.
package content

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/remote"
	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/gitops/tree"
)

// Files are the files of a tree.
type Files struct {
	FS   *tree.FS
	repo *repository.Repository

	mu        sync.Mutex
	attrs     map[string]attributes // of files that were read
	attrFiles map[string][]byte     // .gitattributes, by folder
}

// New gives the files of a tree. Extra are objects that are in no store yet.
func New(repo *repository.Repository, root object.Name, when time.Time, extra map[object.Name]object.Object) *Files {
	t := &Files{repo: repo}
	t.FS = &tree.FS{Root: root, When: when, Store: repo.Objects, Extra: extra, Alive: repo.Options.Alive,
		Content: t.Read}
	return t
}

// Read reads a file as people see it. What a partial clone left out is fetched, one by one; Prefetch brings many.
// One that is stored with more bytes than most is a *bound.Exceeded.
func (t *Files) Read(name string, h object.Name, most int64) ([]byte, error) {
	stored, err := t.FS.StoredAtMost(h, most)
	if err != nil {
		return nil, err
	}
	return t.smudged(name, h, stored)
}

// Prefetch brings the blobs of files that a partial clone has left out here, all in one request. enter says which
// folders may hold such files. Where nothing is missing, or the repository is not partial, no remote is asked.
func (t *Files) Prefetch(ctx context.Context, enter, wanted func(path string) bool) error {
	r := t.repo
	if !r.Facts.Partial {
		return nil
	}
	ctx, end := r.Watch(ctx)
	defer end()
	missing := map[object.Name]bool{}
	err := fs.WalkDir(t.FS, ".", func(name string, d fs.DirEntry, err error) error {
		info, ierr := d.Info()
		switch {
		case err != nil || ctx.Err() != nil || ierr != nil:
			return cmp.Or(err, context.Cause(ctx), ierr)
		case d.IsDir():
			if name != "." && !enter(name) {
				return fs.SkipDir
			}
		case wanted(name) || d.Type()&fs.ModeSymlink != 0 || d.Name() == ".gitattributes":
			if h := info.Sys().(object.Name); !t.repo.Objects.Has(h) {
				missing[h] = true
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for what a partial clone left out: %w", err)
	}
	if len(missing) == 0 {
		return nil
	}
	if err := remote.FetchPromised(ctx, r, slices.Collect(maps.Keys(missing))); err != nil {
		return fmt.Errorf("%w: fetch %d of them: %w", outcome.ErrUnfetched, len(missing), err)
	}
	return nil
}
