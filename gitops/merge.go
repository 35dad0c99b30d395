package gitops

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/run"
)

// Taking in the base: git merges the two commits (git merge-tree), with renames, attributes, merge drivers and
// however many common ancestors, in a folder that is thrown away. Our rule comes on top: a file of the caller's that
// both sides changed is not merged as text, the caller gets its versions.

// State is how a branch stands to its base.
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
	State     State
	Tip       *Tip        // what to go on with: read it, and commit on it
	Contested []Contested // files of the caller's that both sides changed; until Commit gets their final bytes, base's stand
	Conflicts []string    // paths on which the merge failed
	Note      string      // in words, when State is Behind
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
	ctx, end := r.watch(ctx)
	defer end()
	m, err := r.merge(ctx, branch, base, ours)
	if err != nil {
		return nil, fmt.Errorf("merge %s into %s: %w", base.branch, branch.branch, err)
	}
	return m, nil
}

func (r *Repo) merge(ctx context.Context, branch, base *Tip, ours func(string) bool) (*Merged, error) {
	bases, err := r.history.Bases(branch.commit, base.commit)
	if err == nil && len(bases) == 0 && r.history.Shallow() {
		if err = r.deepen(ctx, branch, base); err == nil {
			bases, err = r.history.Bases(branch.commit, base.commit)
		}
	}
	if err != nil {
		return nil, err
	}
	switch {
	case len(bases) == 0:
		note := fmt.Sprintf("%s and %s have no common history; merge them once by hand", branch.branch, base.branch)
		if r.history.Shallow() {
			note = fmt.Sprintf("this clone is too shallow to see where %s and %s meet; git fetch --unshallow", branch.branch, base.branch)
		}
		return &Merged{State: Behind, Tip: branch, Note: note}, nil
	case bases[0] == base.commit:
		return &Merged{State: UpToDate, Tip: branch}, nil
	case bases[0] == branch.commit:
		forward := r.successor(branch, base)
		forward.commit, forward.tree, forward.parents = base.commit, base.tree, []hash{base.commit}
		return &Merged{State: FastForward, Tip: forward}, nil
	}
	return r.join(ctx, branch, base, bases, ours)
}

// deepen brings the history that a shallow clone left out, as far as both branches have any.
func (r *Repo) deepen(ctx context.Context, tips ...*Tip) error {
	if r.o.Remote == "" {
		return nil
	}
	from, err := r.fetchRemote()
	if err != nil {
		return err
	}
	want := map[string]hash{}
	for _, t := range tips {
		if !t.lease.at.IsZero() {
			want["refs/heads/"+t.branch] = t.lease.at
		}
	}
	if err := from.fetch(ctx, want, "--unshallow"); err != nil {
		return fmt.Errorf("deepen this shallow clone: %w", err)
	}
	return nil
}

// successor is a tip that stands in the branch's place, with nothing in it yet.
func (r *Repo) successor(branch, base *Tip) *Tip {
	t := &Tip{repo: r, branch: branch.branch, lease: branch.lease, note: branch.note, base: branch.base, here: branch.here, when: branch.when}
	if base.when.After(t.when) {
		t.when = base.when
	}
	t.there = append(slices.Clone(branch.there), base.there...)
	return t
}

// join merges two commits that both have something of their own.
func (r *Repo) join(ctx context.Context, branch, base *Tip, bases []hash, ours func(string) bool) (*Merged, error) {
	differs, err := compareTrees(ctx, branch.entriesOf, base.entriesOf, branch.tree, base.tree)
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(differs))
	for i, p := range differs {
		paths[i] = p.path
	}
	w, err := branch.workbench(paths)
	if err != nil {
		return nil, fmt.Errorf("prepare the merge: %w", err)
	}
	defer w.close()
	ancestor, err := w.ancestor(ctx, branch, bases)
	if err != nil {
		return nil, err
	}
	root, conflicts, err := w.mergeTree(ctx, branch.commit, base.commit)
	if err != nil {
		return nil, err
	}
	joined := r.successor(branch, base)
	joined.tree, joined.parents = root, []hash{branch.commit, base.commit}
	if joined.extra, err = object.Loose(filepath.Join(w.root, "objects")); err != nil {
		return nil, err
	}
	m := &Merged{State: Joined, Tip: joined}
	conflicts, err = m.contest(differs, conflicts, [3]*Tip{ancestor, branch, base}, ours)
	if err != nil {
		return nil, err
	}
	if len(conflicts) > 0 {
		return &Merged{State: Behind, Tip: branch, Conflicts: conflicts,
			Note: fmt.Sprintf("%s cannot take in %s: both changed %s; merge them once by hand", branch.branch, base.branch, conflicts[0])}, nil
	}
	return m, nil
}

// mergeTree lets git merge two commits, and gives the tree, with what git could not decide.
func (w workbench) mergeTree(ctx context.Context, one, two hash) (tree hash, conflicts []string, err error) {
	out, err := w.run(ctx, nil, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", one.String(), two.String())
	var failed *run.Error
	if err != nil && !(errors.As(err, &failed) && failed.Exit == 1) {
		return hash{}, nil, err
	}
	parts := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	tree, ok := object.Parse(parts[0])
	if !ok {
		return hash{}, nil, fmt.Errorf("git merge-tree printed %.80q", out)
	}
	return tree, parts[1:], nil
}

// ancestor is what both sides come from. Of several best common ancestors it is their merge, as git takes it, without
// the files that they disagree about.
func (w workbench) ancestor(ctx context.Context, branch *Tip, bases []hash) (*Tip, error) {
	t, err := w.r.tipAt(branch.branch, bases[0])
	if err != nil || len(bases) == 1 {
		return t, err
	}
	joined := t.commit
	var unclear []change
	for _, other := range bases[1:] {
		tree, conflicts, err := w.mergeTree(ctx, joined, other)
		if err != nil {
			return nil, err
		}
		for _, name := range conflicts {
			unclear = append(unclear, change{path: name})
		}
		out, err := w.run(ctx, nil, "-c", "user.name=locsync", "-c", "user.email=locsync@localhost", "-c", "commit.gpgSign=false",
			"commit-tree", "-p", joined.String(), "-p", other.String(), "-m", "common ancestor", tree.String())
		if err != nil {
			return nil, err
		}
		joined, t.tree = hashIn(out), tree
	}
	if t.extra, err = object.Loose(filepath.Join(w.root, "objects")); err != nil {
		return nil, err
	}
	e := newEdits(t)
	if t.tree, err = e.apply(unclear); err != nil {
		return nil, err
	}
	maps.Copy(t.extra, e.objects)
	return t, nil
}

// contest puts base's version in the place of each file of the caller's that both sides changed, or that git could not
// decide about, and gives the conflicts that are left. Sides are ancestor, branch, base.
func (m *Merged) contest(differs []pair, conflicts []string, sides [3]*Tip, ours func(string) bool) ([]string, error) {
	candidates := map[string]bool{} // whether git could not decide
	for _, p := range differs {
		if ours(p.path) {
			candidates[p.path] = false
		}
	}
	var left []string
	for _, name := range conflicts {
		if candidates[name] = true; !ours(name) {
			delete(candidates, name)
			left = append(left, name)
		}
	}
	var changes []change
	for _, name := range sortedKeys(candidates) {
		var three [3]entry
		files := true
		for i, t := range sides {
			at, err := t.exactly(name)
			var folder *errStop
			if err != nil && !errors.As(err, &folder) {
				return nil, err
			}
			three[i] = at.entry
			files = files && err == nil && (!at.exists || at.entry.IsFile())
		}
		same := func(a, b entry) bool { return a.Mode == b.Mode && a.Hash == b.Hash }
		both := !same(three[0], three[1]) && !same(three[0], three[2]) && !same(three[1], three[2])
		switch {
		case !files && candidates[name]:
			left = append(left, name)
		case !both && candidates[name]: // only one side changed what is at this path
			e := three[2]
			if same(three[0], three[2]) {
				e = three[1]
			}
			changes = append(changes, change{name, e.Mode, e.Hash})
		}
		if !files || !both {
			continue
		}
		c, err := contested(name, three, sides)
		if err != nil {
			return nil, err
		}
		m.Contested = append(m.Contested, c)
		changes = append(changes, change{name, three[2].Mode, three[2].Hash})
	}
	if len(left) > 0 {
		return left, nil
	}
	e := newEdits(m.Tip)
	root, err := e.apply(changes)
	if err != nil {
		return nil, err
	}
	m.Tip.tree = root
	maps.Copy(m.Tip.extra, e.objects)
	return nil, nil
}

// contested reads the three versions of a file.
func contested(name string, three [3]entry, sides [3]*Tip) (Contested, error) {
	var contents [3][]byte
	for i, e := range three {
		if e.Mode == 0 {
			continue
		}
		content, err := sides[i].content(name, e.Hash)
		if err != nil {
			return Contested{}, fmt.Errorf("%s: %w", name, err)
		}
		contents[i] = append([]byte{}, content...)
	}
	return Contested{name, contents[0], contents[1], contents[2]}, nil
}

// hashIn is the object's name that a git command printed.
func hashIn(out []byte) hash {
	h, _ := object.Parse(strings.TrimSpace(string(out)))
	return h
}
