package gitops

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/locsync/locsync/gitops/object"
)

// Changed gives the paths that differ between two commits, sorted. It reads only the folders that differ. "" as the old
// commit is the empty tree.
func (r *Repo) Changed(ctx context.Context, oldCommit, newCommit string) ([]string, error) {
	pairs, err := r.changed(ctx, oldCommit, newCommit)
	paths := make([]string, len(pairs))
	for i, p := range pairs {
		paths[i] = p.path
	}
	return paths, err
}

// ChangedTo is Changed with the blob that each path has in the new commit, in hexadecimal; "" where it is gone.
func (r *Repo) ChangedTo(ctx context.Context, oldCommit, newCommit string) (map[string]string, error) {
	pairs, err := r.changed(ctx, oldCommit, newCommit)
	blobs := make(map[string]string, len(pairs))
	for _, p := range pairs {
		blobs[p.path] = p.new.Hash.Text()
	}
	return blobs, err
}

func (r *Repo) changed(ctx context.Context, oldCommit, newCommit string) ([]pair, error) {
	var trees [2]hash
	for i, name := range []string{oldCommit, newCommit} {
		if name == "" && i == 0 {
			continue
		}
		h, ok := object.Parse(name)
		if !ok {
			return nil, fmt.Errorf("compare commits: %q is no commit", name)
		}
		c, err := r.history.Commit(h)
		if err != nil {
			return nil, fmt.Errorf("compare commits: %w", err)
		}
		trees[i] = c.Tree
	}
	pairs, err := compareTrees(ctx, r.objects.Entries, r.objects.Entries, trees[0], trees[1])
	if err != nil {
		return nil, fmt.Errorf("compare %.12s with %.12s: %w", oldCommit, newCommit, err)
	}
	return pairs, nil
}

// pair is a path in two trees; an entry without a mode is a tree without it.
type pair struct {
	path     string
	old, new entry
}

type treeReader func(hash) ([]entry, error)

// compareTrees gives the files that differ, by path. A submodule counts as a file.
func compareTrees(ctx context.Context, readOld, readNew treeReader, old, new hash) ([]pair, error) {
	c := comparison{ctx: ctx, readers: [2]treeReader{readOld, readNew}}
	if old != new {
		if err := c.folder("", [2]hash{old, new}); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(c.pairs, func(a, b pair) int { return strings.Compare(a.path, b.path) })
	return c.pairs, nil
}

// comparison is one walk through two trees side by side.
type comparison struct {
	ctx     context.Context
	readers [2]treeReader
	pairs   []pair
}

func (c *comparison) folder(folder string, trees [2]hash) error {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	byName := map[string]*[2]entry{}
	for side, h := range trees {
		entries, err := c.readers[side](h)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if byName[e.Name] == nil {
				byName[e.Name] = new([2]entry)
			}
			byName[e.Name][side] = e
		}
	}
	for _, name := range sortedKeys(byName) {
		two := byName[name]
		if two[0].Hash == two[1].Hash && two[0].Mode == two[1].Mode {
			continue
		}
		var below [2]hash
		for side := range two {
			if two[side].IsDir() {
				below[side], two[side] = two[side].Hash, entry{}
			}
		}
		at := path.Join(folder, name)
		if two[0].Mode != 0 || two[1].Mode != 0 {
			c.pairs = append(c.pairs, pair{at, two[0], two[1]})
		}
		if below[0] != below[1] {
			if err := c.folder(at, below); err != nil {
				return err
			}
		}
	}
	return nil
}

// Preview is what Commit would do: the paths that would change as the tree spells them, and the unified diff.
type Preview struct {
	Changed []string
	Diff    string
}

// Preview computes what Commit would do with the same files, and writes nothing anywhere. The diff of a merge is
// against the branch, like that of the commit to come. Errors are those of Commit.
func (r *Repo) Preview(ctx context.Context, on *Tip, files map[string][]byte) (Preview, error) {
	e, changes, err := plan(ctx, on, files)
	if err != nil {
		return Preview{}, fmt.Errorf("preview: %w", err)
	}
	root, err := e.apply(changes)
	if err != nil {
		return Preview{}, fmt.Errorf("preview: %w", err)
	}
	before := on
	if len(on.parents) > 1 {
		if before, err = r.tipAt(on.branch, on.parents[0]); err != nil {
			return Preview{}, fmt.Errorf("preview: %w", err)
		}
	}
	after := &Tip{repo: r, tree: root, extra: map[hash]object.Object{}}
	for h, o := range on.extra {
		after.extra[h] = o
	}
	for h, o := range e.objects {
		after.extra[h] = o
	}
	pairs, err := compareTrees(ctx, before.entriesOf, after.entriesOf, before.tree, after.tree)
	if err != nil {
		return Preview{}, fmt.Errorf("preview: %w", err)
	}
	if len(pairs) == 0 && len(on.parents) == 1 {
		return Preview{}, fmt.Errorf("preview: %w", ErrNothing)
	}
	var result Preview
	for _, p := range pairs {
		result.Changed = append(result.Changed, p.path)
	}
	result.Diff, err = unified(ctx, pairs, before, after)
	return result, err
}

func (t *Tip) entriesOf(h hash) ([]entry, error) {
	d, err := t.readTree(h)
	if err != nil {
		return nil, err
	}
	return d.entries, nil
}

// unified prints what differs as git does.
func unified(ctx context.Context, pairs []pair, before, after *Tip) (string, error) {
	var out strings.Builder
	for _, p := range pairs {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		var contents [2][]byte
		binary := false
		for i, e := range []entry{p.old, p.new} {
			if e.Mode == 0 || e.Mode == object.ModeModule {
				continue
			}
			var err error
			if contents[i], err = []*Tip{before, after}[i].file(p.path, e.Hash); err != nil {
				return "", fmt.Errorf("%s: %w", p.path, err)
			}
			binary = binary || bytes.IndexByte(contents[i][:min(len(contents[i]), 8000)], 0) >= 0
		}
		p.head(&out)
		names := [2]string{"a/" + p.path, "b/" + p.path}
		for i, e := range []entry{p.old, p.new} {
			if e.Mode == 0 {
				names[i] = "/dev/null"
			}
		}
		if binary {
			fmt.Fprintf(&out, "Binary files %s and %s differ\n", names[0], names[1])
			continue
		}
		// The first line of the library's is its own; below are those of both names and the hunks.
		_, hunks, _ := bytes.Cut(diff.Diff(names[0], contents[0], names[1], contents[1]), []byte("\n"))
		out.Write(hunkHead.ReplaceAllFunc(hunks, func(head []byte) []byte { return bytes.ReplaceAll(head, []byte(",1 "), []byte(" ")) }))
	}
	return out.String(), nil
}

// hunkHead is the first line of a hunk, in which git leaves out a length of 1.
var hunkHead = regexp.MustCompile(`(?m)^@@ .* @@$`)

// head prints the lines above a file's hunks.
func (p pair) head(out *strings.Builder) {
	fmt.Fprintf(out, "diff --git a/%s b/%s\n", p.path, p.path)
	mode := ""
	switch {
	case p.old.Mode == 0:
		fmt.Fprintf(out, "new file mode %o\n", p.new.Mode)
	case p.new.Mode == 0:
		fmt.Fprintf(out, "deleted file mode %o\n", p.old.Mode)
	case p.old.Mode != p.new.Mode:
		fmt.Fprintf(out, "old mode %o\nnew mode %o\n", p.old.Mode, p.new.Mode)
	default:
		mode = fmt.Sprintf(" %o", p.new.Mode)
	}
	if p.old.Hash != p.new.Hash {
		fmt.Fprintf(out, "index %s..%s%s\n", p.old.Hash, p.new.Hash, mode)
	}
}
