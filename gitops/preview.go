package gitops

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/gitops/content"
	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/tree"
)

// Preview is what Commit would do: the paths that would change as the tree spells them, and the unified diff.
type Preview struct {
	Changed []string
	Diff    string
	Tip     *Tip // what the branch would have, for Follow; nothing can be built on it
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
	before := on.files.FS
	if len(on.parents) > 1 {
		tip, err := tipAt(on.repo, on.branch, on.parents[0])
		if err != nil {
			return result, err
		}
		before = tip.files.FS
	}
	news := maps.Clone(on.files.FS.Extra)
	if news == nil {
		news = e.Objects
	}
	maps.Copy(news, e.Objects)
	next := *on
	next.files, next.commit = content.New(on.repo, root, on.When(), news), hash{}
	result.Tip = &next
	pairs, err := tree.Compare(ctx, before.Entries, next.files.FS.Entries, before.Root, root)
	if err != nil {
		return result, err
	}
	if len(pairs) == 0 && len(on.parents) == 1 {
		return result, ErrNothing
	}
	for _, p := range pairs {
		result.Changed = append(result.Changed, p.Path)
	}
	result.Diff, err = diff(ctx, on, before.Root, root, slices.Collect(maps.Values(news)))
	return result, err
}

// diff lets git print what differs between two trees, in a folder that is thrown away.
func diff(ctx context.Context, on *Tip, before, after hash, news []object.Object) (string, error) {
	w, err := on.files.Workbench(nil)
	if err != nil {
		return "", err
	}
	defer w.Close()
	for _, o := range news {
		if err := w.Put(o); err != nil {
			return "", err
		}
	}
	out, err := w.Run(ctx, nil, "-c", "core.quotePath=false", "diff-tree", "-r", "-p", "--full-index", "--no-renames",
		"--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", before.String(), after.String())
	return string(out), err
}
