package gitops

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/content"
	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/gitops/run"
	"github.com/locsync/locsync/gitops/tree"
)

// Taking in the base: git merges the two commits (git merge-tree), with renames, attributes, merge drivers and
// however many common ancestors, in a folder that is thrown away. A file of the caller's that both sides changed is not
// merged as text: its attributes tell git to leave it (-merge), and the caller gets its versions.

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
	// files of the caller's that both sides changed; until Commit gets their final bytes, they are base's
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
	return join(ctx, branch, base, ours)
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
func join(ctx context.Context, branch, base *Tip, ours func(string) bool) (*Merged, error) {
	differs, err := tree.Compare(ctx, branch.files.FS.Entries, base.files.FS.Entries, branch.root(), base.root())
	if err != nil {
		return nil, err
	}
	var paths, callers []string
	for _, p := range differs {
		if paths = append(paths, p.Path); ours(p.Path) {
			callers = append(callers, p.Path)
		}
	}
	w, err := branch.files.Workbench(paths)
	if err != nil {
		return nil, fmt.Errorf("prepare the merge: %w", err)
	}
	defer w.Close()
	if err := branch.files.KeepWhole(w, callers); err != nil {
		return nil, fmt.Errorf("prepare the merge: %w", err)
	}
	overridden, err := mergedByRule(ctx, branch.repo, w, callers)
	if err != nil {
		return nil, err
	}
	if overridden != "" {
		return &Merged{State: Behind, Tip: branch, Note: fmt.Sprintf("%s cannot take in %s: a line of .git/info/attributes "+
			"lets git merge %s by lines; take it out, or merge them by hand", branch.branch, base.branch, overridden)}, nil
	}
	root, left, err := mergeTree(ctx, w, branch.commit, base.commit)
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
	if err := m.resolve(left, ours); err != nil {
		return nil, err
	}
	if len(m.Conflicts) > 0 {
		return &Merged{State: Behind, Tip: branch, Conflicts: m.Conflicts,
			Note: fmt.Sprintf("%s cannot take in %s: both changed %s; merge them once by hand", branch.branch, base.branch,
				m.Conflicts[0])}, nil
	}
	return m, nil
}

// mergedByRule is a file of callers that git would merge all the same, "" for none: the attributes of the repository's
// own folder are stronger than those of KeepWhole.
func mergedByRule(
	ctx context.Context, r *repository.Repository, w content.Workbench, callers []string,
) (string, error) {
	stronger, err := os.Stat(filepath.Join(r.Facts.CommonDir, "info", "attributes"))
	if err != nil || stronger.Size() == 0 || len(callers) == 0 {
		return "", nil
	}
	out, err := w.Run(ctx, []byte(strings.Join(callers, "\x00")+"\x00"), "check-attr", "-z", "--stdin", "merge")
	if err != nil {
		return "", fmt.Errorf("read how files are merged: %w", err)
	}
	for said := range slices.Chunk(strings.Split(string(out), "\x00"), 3) { // path, attribute, value
		if len(said) == 3 && said[2] != "unset" {
			return said[0], nil
		}
	}
	return "", nil
}

// unmerged is a path that git could not decide about: what ancestor, branch and base have there. Of several common
// ancestors it is their merge.
type unmerged struct {
	path  string
	sides [3]object.Entry // without a mode: nothing
}

// mergeTree lets git merge two commits, and gives the tree, with what git could not decide.
func mergeTree(ctx context.Context, w content.Workbench, one, two hash) (root hash, left []unmerged, err error) {
	out, err := w.Run(ctx, nil, "merge-tree", "--write-tree", "-z", "--no-messages", one.String(), two.String())
	var failed *run.Error
	if err != nil && !(errors.As(err, &failed) && failed.Exit == 1) {
		return hash{}, nil, err
	}
	first, rest, _ := strings.Cut(string(out), "\x00")
	root, ok := object.Parse(first)
	for item := range strings.SplitSeq(strings.TrimRight(rest, "\x00"), "\x00") { // mode, name, stage, path
		about, name, is := strings.Cut(item, "\t")
		if !is {
			continue
		}
		var mode uint32
		var blob string
		var stage int
		if _, err := fmt.Sscanf(about, "%o %s %d", &mode, &blob, &stage); err != nil || stage < 1 || stage > 3 {
			ok = false
			break
		}
		if len(left) == 0 || left[len(left)-1].path != name {
			left = append(left, unmerged{path: name})
		}
		h, _ := object.Parse(blob)
		left[len(left)-1].sides[stage-1] = object.Entry{Mode: mode, Hash: h}
	}
	if !ok {
		return hash{}, nil, fmt.Errorf("git merge-tree printed %.80q", out)
	}
	return root, left, nil
}

// resolve puts base's version instead of each file of the caller's that both sides changed. Where one of them did,
// and renames around it kept git from deciding, that one's stays; the rest are conflicts.
func (m *Merged) resolve(left []unmerged, ours func(string) bool) error {
	var changes []tree.Change
	for _, u := range left {
		ancestor, branch, base := u.sides[0], u.sides[1], u.sides[2]
		if !ours(u.path) || m.clashes(u.path, left) ||
			slices.ContainsFunc(u.sides[:], func(e object.Entry) bool { return e.Mode != 0 && !e.IsFile() }) {
			m.Conflicts = append(m.Conflicts, u.path)
			continue
		}
		stays := base
		if ancestor == base {
			stays = branch
		} else if ancestor != branch && branch != base {
			c, err := m.contested(u)
			if err != nil {
				return err
			}
			m.Contested = append(m.Contested, c)
		}
		changes = append(changes, tree.Change{Path: u.path, Mode: stays.Mode, Blob: stays.Hash})
	}
	if len(m.Conflicts) > 0 {
		return nil
	}
	e := tree.NewEdit(m.Tip.files.FS)
	root, err := e.Apply(changes)
	if err != nil {
		return err
	}
	m.Tip.files.FS.Root = root
	maps.Copy(m.Tip.files.FS.Extra, e.Objects)
	return nil
}

// clashes says whether a path is a file on one side and a folder on the other, also where git gave the file another
// name.
func (m *Merged) clashes(name string, left []unmerged) bool {
	return slices.ContainsFunc(m.Tip.parents, func(side hash) bool { return strings.Contains(name, "~"+side.String()) }) ||
		slices.ContainsFunc(left, func(u unmerged) bool { return strings.HasPrefix(u.path, name+"/") })
}

// contested reads the three versions of a file.
func (m *Merged) contested(u unmerged) (Contested, error) {
	var contents [3][]byte
	for i, e := range u.sides {
		if e.Mode == 0 {
			continue
		}
		content, err := m.Tip.files.Read(u.path, e.Hash, math.MaxInt64)
		if err != nil {
			return Contested{}, fmt.Errorf("%s: %w", u.path, err)
		}
		contents[i] = append([]byte{}, content...)
	}
	return Contested{u.path, contents[0], contents[1], contents[2]}, nil
}
