package gitops

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/content"
	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/run"
	"github.com/locsync/locsync/gitops/tree"
)

// Taking in the base: git merges the two commits (git merge-tree), with renames, attributes, merge drivers and
// however many common ancestors, in a folder that is thrown away. Our rule comes on top: a file of the caller's that
// both sides changed is not merged as text, the caller gets its versions.

// State is how a branch compares to its base.
type State int

const (
	UpToDate    State = iota // the branch has all of base
	FastForward              // the branch has nothing of its own: Tip is base's commit, for this branch
	Joined                   // both have: Tip is the merge of the two, to be committed
	Behind                   // both have, and a file that is not the caller's conflicts: Tip is the branch as it is
)

func (s State) String() string {
	return [...]string{"up to date", "fast-forward", "joined", "behind"}[s]
}

// Merged is the outcome of Merge.
type Merged struct {
	State State
	Tip   *Tip // what to go on with: read it, and commit on it
	// files of the caller's that both sides changed; until Commit gets their final bytes, base's stand
	Contested []Contested
	Conflicts []string // paths on which the merge failed
	Note      string   // in words, when State is Behind
}

// Contested is a file of the caller's in three versions; nil where it does not exist.
type Contested struct {
	Path                   string
	Ancestor, Branch, Base []byte
}

// Merge compares a branch with its base and merges what base has and the branch lacks: nothing is written before
// Commit. ours says which paths the caller merges itself. Without common history the state is Behind and Note says
// so; a shallow clone is deepened first.
func (r *Repo) Merge(ctx context.Context, branch, base *Tip, ours func(path string) bool) (*Merged, error) {
	ctx, end := r.repo.Watch(ctx)
	defer end()
	m, err := r.merge(ctx, branch, base, ours)
	if err != nil {
		return nil, fmt.Errorf("merge %s into %s: %w", base.branch, branch.branch, err)
	}
	return m, nil
}

func (r *Repo) merge(ctx context.Context, branch, base *Tip, ours func(string) bool) (*Merged, error) {
	bases, err := r.repo.History.Bases(branch.commit, base.commit)
	if err == nil && len(bases) == 0 && r.repo.History.Shallow() {
		if err = Deepen(ctx, r, base, branch); err == nil {
			bases, err = r.repo.History.Bases(branch.commit, base.commit)
		}
	}
	if err != nil {
		return nil, err
	}
	switch {
	case len(bases) == 0:
		note := fmt.Sprintf("%s and %s have no common history; merge them once by hand", branch.branch, base.branch)
		if r.repo.History.Shallow() {
			note = fmt.Sprintf("this clone is too shallow to see where %s and %s meet; git fetch --unshallow", branch.branch,
				base.branch)
		}
		return &Merged{State: Behind, Tip: branch, Note: note}, nil
	case bases[0] == base.commit:
		return &Merged{State: UpToDate, Tip: branch}, nil
	case bases[0] == branch.commit:
		forward := branch.successor(base, base.root(), nil)
		forward.commit, forward.parents = base.commit, []hash{base.commit}
		return &Merged{State: FastForward, Tip: forward}, nil
	}
	return join(ctx, branch, base, bases, ours)
}

// successor is a tip in the branch's place with the tree of a merge.
func (t *Tip) successor(base *Tip, root hash, extra map[hash]object.Object) *Tip {
	when := t.When()
	if base.When().After(when) {
		when = base.When()
	}
	return &Tip{repo: t.repo, branch: t.branch, lease: t.lease, note: t.note, base: t.base, here: t.here,
		there: slices.Concat(t.there, base.there), files: content.New(t.repo, root, when, extra)}
}

// join merges two commits that both have something of their own.
func join(ctx context.Context, branch, base *Tip, bases []hash, ours func(string) bool) (*Merged, error) {
	differs, err := tree.Compare(ctx, branch.files.FS.Entries, base.files.FS.Entries, branch.root(), base.root())
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(differs))
	for i, p := range differs {
		paths[i] = p.Path
	}
	w, err := branch.files.Workbench(paths)
	if err != nil {
		return nil, fmt.Errorf("prepare the merge: %w", err)
	}
	defer w.Close()
	ancestor, err := ancestorOf(ctx, w, branch, bases)
	if err != nil {
		return nil, err
	}
	root, conflicts, err := mergeTree(ctx, w, branch.commit, base.commit)
	if err != nil {
		return nil, err
	}
	made, err := w.Made()
	if err != nil {
		return nil, err
	}
	joined := branch.successor(base, root, made)
	joined.parents = []hash{branch.commit, base.commit}
	m := &Merged{State: Joined, Tip: joined}
	conflicts, err = m.contest(differs, conflicts, [3]*Tip{ancestor, branch, base}, ours)
	if err != nil {
		return nil, err
	}
	if len(conflicts) > 0 {
		return &Merged{State: Behind, Tip: branch, Conflicts: conflicts,
			Note: fmt.Sprintf("%s cannot take in %s: both changed %s; merge them once by hand", branch.branch, base.branch,
				conflicts[0])}, nil
	}
	return m, nil
}

// mergeTree lets git merge two commits, and gives the tree, with what git could not decide.
func mergeTree(ctx context.Context, w content.Workbench, one, two hash) (root hash, conflicts []string, err error) {
	out, err := w.Run(ctx, nil, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", one.String(),
		two.String())
	var failed *run.Error
	if err != nil && !(errors.As(err, &failed) && failed.Exit == 1) {
		return hash{}, nil, err
	}
	parts := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	root, ok := object.Parse(parts[0])
	if !ok {
		return hash{}, nil, fmt.Errorf("git merge-tree printed %.80q", out)
	}
	return root, parts[1:], nil
}

// ancestorOf is what both sides come from. Of several best common ancestors it is their merge, as git takes it, without
// the files that they disagree about.
func ancestorOf(ctx context.Context, w content.Workbench, branch *Tip, bases []hash) (*Tip, error) {
	t, err := tipAt(branch.repo, branch.branch, bases[0])
	if err != nil || len(bases) == 1 {
		return t, err
	}
	joined := t.commit
	var unclear []tree.Change
	for _, other := range bases[1:] {
		root, conflicts, err := mergeTree(ctx, w, joined, other)
		if err != nil {
			return nil, err
		}
		for _, name := range conflicts {
			unclear = append(unclear, tree.Change{Path: name})
		}
		out, err := w.Run(ctx, nil, "-c", "user.name=locsync", "-c", "user.email=locsync@localhost", "-c",
			"commit.gpgSign=false",
			"commit-tree", "-p", joined.String(), "-p", other.String(), "-m", "common ancestor", root.String())
		if err != nil {
			return nil, err
		}
		joined, t.files.FS.Root = hashIn(out), root
	}
	if t.files.FS.Extra, err = w.Made(); err != nil {
		return nil, err
	}
	e := tree.NewEdit(t.files.FS)
	if t.files.FS.Root, err = e.Apply(unclear); err != nil {
		return nil, err
	}
	maps.Copy(t.files.FS.Extra, e.Objects)
	return t, nil
}

// contest puts base's version in the place of each file of the caller's that both sides changed, or that git could not
// decide about, and gives the conflicts that are left. Sides are ancestor, branch, base.
func (m *Merged) contest(
	differs []tree.Pair, conflicts []string, sides [3]*Tip, ours func(string) bool,
) ([]string, error) {
	candidates := map[string]bool{} // whether git could not decide
	for _, p := range differs {
		if ours(p.Path) {
			candidates[p.Path] = false
		}
	}
	var left []string
	for _, name := range conflicts {
		if candidates[name] = true; !ours(name) {
			delete(candidates, name)
			left = append(left, name)
		}
	}
	var changes []tree.Change
	for _, name := range slices.Sorted(maps.Keys(candidates)) {
		three, files, err := entriesAt(name, sides)
		if err != nil {
			return nil, err
		}
		both := three[0] != three[1] && three[0] != three[2] && three[1] != three[2]
		switch {
		case !files && candidates[name]:
			left = append(left, name)
		case !both && candidates[name]: // only one side changed what is at this path
			e := three[2]
			if three[0] == three[2] {
				e = three[1]
			}
			changes = append(changes, tree.Change{Path: name, Mode: e.Mode, Blob: e.Hash})
		}
		if !files || !both {
			continue
		}
		c, err := contested(name, three, sides)
		if err != nil {
			return nil, err
		}
		m.Contested = append(m.Contested, c)
		changes = append(changes, tree.Change{Path: name, Mode: three[2].Mode, Blob: three[2].Hash})
	}
	if len(left) > 0 {
		return left, nil
	}
	e := tree.NewEdit(m.Tip.files.FS)
	root, err := e.Apply(changes)
	if err != nil {
		return nil, err
	}
	m.Tip.files.FS.Root = root
	maps.Copy(m.Tip.files.FS.Extra, e.Objects)
	return nil, nil
}

// entriesAt are the entries at a path on all sides, and whether they are files where they exist.
func entriesAt(name string, sides [3]*Tip) (three [3]object.Entry, files bool, err error) {
	files = true
	for i, t := range sides {
		at, err := t.files.FS.Exactly(name)
		var folder *tree.Refusal
		if err != nil && !errors.As(err, &folder) {
			return three, false, err
		}
		three[i] = at.Entry
		files = files && err == nil && (!at.Exists || at.Entry.IsFile())
	}
	return three, files, nil
}

// contested reads the three versions of a file.
func contested(name string, three [3]object.Entry, sides [3]*Tip) (Contested, error) {
	var contents [3][]byte
	for i, e := range three {
		if e.Mode == 0 {
			continue
		}
		content, err := sides[i].files.Read(name, e.Hash)
		if err != nil {
			return Contested{}, fmt.Errorf("%s: %w", name, err)
		}
		contents[i] = append([]byte{}, content...)
	}
	return Contested{name, contents[0], contents[1], contents[2]}, nil
}
