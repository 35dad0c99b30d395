package gitops

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	format "github.com/go-git/go-git/v5/plumbing/format/diff"
	"github.com/go-git/go-git/v5/utils/diff"
	"github.com/sergi/go-diff/diffmatchpatch"
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
		blobs[p.path] = text(p.new.hash)
	}
	return blobs, err
}

func (r *Repo) changed(ctx context.Context, oldCommit, newCommit string) ([]pair, error) {
	var trees [2]hash
	for i, name := range []string{oldCommit, newCommit} {
		trees[i] = emptyTree
		if name == "" && i == 0 {
			continue
		}
		h, ok := parseHash(name)
		if !ok {
			return nil, fmt.Errorf("compare commits: %q is no commit", name)
		}
		c, err := r.readCommit(h)
		if err != nil {
			return nil, fmt.Errorf("compare commits: %w", err)
		}
		trees[i] = c.tree
	}
	pairs, err := compareTrees(ctx, r.readTree, r.readTree, trees[0], trees[1])
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
		if h == emptyTree {
			continue
		}
		entries, err := c.readers[side](h)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if byName[e.name] == nil {
				byName[e.name] = new([2]entry)
			}
			byName[e.name][side] = e
		}
	}
	for _, name := range sortedKeys(byName) {
		two := byName[name]
		if two[0].hash == two[1].hash && two[0].mode == two[1].mode {
			continue
		}
		below := [2]hash{emptyTree, emptyTree}
		for side := range two {
			if two[side].isDir() {
				below[side], two[side] = two[side].hash, entry{}
			}
		}
		at := path.Join(folder, name)
		if two[0].mode != 0 || two[1].mode != 0 {
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

// Preview computes what Commit would do with the same files, and writes nothing anywhere. The diff of a merge is against
// the branch, like that of the commit to come. Errors are those of Commit.
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
	after := &Tip{repo: r, tree: root, extra: map[hash]object{}}
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

// unified prints what differs. The library writes git's format; which lines changed is found by its Myers diff, within a
// few seconds a file, after which a hunk may be larger than it had to be.
func unified(ctx context.Context, pairs []pair, before, after *Tip) (string, error) {
	var all patch
	for _, p := range pairs {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		fp := &filePatch{pair: p}
		var contents [2][]byte
		for i, e := range []entry{p.old, p.new} {
			if e.mode == 0 || e.mode == modeModule {
				continue
			}
			var err error
			if contents[i], err = []*Tip{before, after}[i].file(p.path, e.hash); err != nil {
				return "", fmt.Errorf("%s: %w", p.path, err)
			}
			fp.binary = fp.binary || bytes.IndexByte(contents[i][:min(len(contents[i]), 8000)], 0) >= 0
		}
		if !fp.binary {
			for _, d := range diff.DoWithTimeout(string(contents[0]), string(contents[1]), 5*time.Second) {
				fp.chunks = append(fp.chunks, chunk{d})
			}
		}
		all = append(all, fp)
	}
	var out strings.Builder
	err := format.NewUnifiedEncoder(&out, format.DefaultContextLines).Encode(all)
	return out.String(), err
}

// The library's view of a patch.
type (
	patch     []format.FilePatch
	filePatch struct {
		pair
		binary bool
		chunks []format.Chunk
	}
	chunk    struct{ run diffmatchpatch.Diff }
	diffSide struct {
		path string
		entry
	}
)

func (p patch) FilePatches() []format.FilePatch { return p }
func (p patch) Message() string                 { return "" }

func (f *filePatch) IsBinary() bool         { return f.binary }
func (f *filePatch) Chunks() []format.Chunk { return f.chunks }
func (f *filePatch) Files() (from, to format.File) {
	if f.old.mode != 0 {
		from = diffSide{f.path, f.old}
	}
	if f.new.mode != 0 {
		to = diffSide{f.path, f.new}
	}
	return from, to
}

func (s diffSide) Hash() hash              { return s.hash }
func (s diffSide) Mode() filemode.FileMode { return filemode.FileMode(s.mode) }
func (s diffSide) Path() string            { return s.path }

func (c chunk) Content() string { return c.run.Text }
func (c chunk) Type() format.Operation {
	switch c.run.Type {
	case diffmatchpatch.DiffInsert:
		return format.Add
	case diffmatchpatch.DiffDelete:
		return format.Delete
	}
	return format.Equal
}
