package gitops

import (
	"context"
	"fmt"
	"maps"

	"github.com/locsync/locsync/gitops/content"
	"github.com/locsync/locsync/gitops/tree"
)

// Preview is what Commit would do: the paths that would change as the tree spells them, and the unified diff.
type Preview struct {
	Changed []string
	Diff    string
}

// Preview computes what Commit would do with the same files, and writes nothing anywhere. The diff of a merge is
// against the branch, like that of the commit to come. Errors are those of Commit.
func (r *Repo) Preview(ctx context.Context, on *Tip, files map[string][]byte) (Preview, error) {
	p, err := preview(ctx, on, files)
	if err != nil {
		return Preview{}, fmt.Errorf("preview: %w", err)
	}
	return p, nil
}

func preview(ctx context.Context, on *Tip, files map[string][]byte) (result Preview, err error) {
	e, changes, err := on.files.Plan(ctx, files)
	if err != nil {
		return result, err
	}
	root, err := e.Apply(changes)
	if err != nil {
		return result, err
	}
	before := on
	if len(on.parents) > 1 {
		if before, err = tipAt(on.repo, on.branch, on.parents[0]); err != nil {
			return result, err
		}
	}
	extra := maps.Clone(e.Objects)
	maps.Copy(extra, on.files.FS.Extra)
	after := content.New(on.repo, root, on.When(), extra)
	pairs, err := tree.Compare(ctx, before.files.FS.Entries, after.FS.Entries, before.root(), root)
	if err != nil {
		return result, err
	}
	if len(pairs) == 0 && len(on.parents) == 1 {
		return result, ErrNothing
	}
	for _, p := range pairs {
		result.Changed = append(result.Changed, p.Path)
	}
	result.Diff, err = tree.Unified(ctx, pairs, before.files.Stored, after.Stored)
	return result, err
}
