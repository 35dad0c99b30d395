package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// Taking in the base: a three-way merge of trees, in memory. Folders that only one side touched are taken whole, so the
// cost is the size of the difference. A file that both sides changed is the caller's when it is one of its own, is merged
// as text by `git merge-file` when the git program is there, and is a conflict else. Renames are not followed: one side's
// rename of a file that the other changed is a conflict.

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

// Merge compares a branch with its base and merges what base has and the branch lacks, in memory: nothing is written
// before Commit. ours says which paths the caller merges itself. Of several best common ancestors the one that git names
// first counts; with none the state is Behind and Note says so.
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
	bases, err := r.mergeBases(branch.commit, base.commit)
	if err != nil {
		return nil, err
	}
	switch {
	case len(bases) == 0:
		note := fmt.Sprintf("%s and %s have no common history; merge them once by hand", branch.branch, base.branch)
		if r.facts.Shallow {
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
	ancestor, err := r.tipAt(branch.branch, bases[0])
	if err != nil {
		return nil, err
	}
	j := &join{ctx: ctx, r: r, sides: [3]*Tip{ancestor, branch, base}, ours: ours, edits: newEdits(base)}
	root, _, err := j.trees("", [3]hash{ancestor.tree, branch.tree, base.tree})
	if err != nil {
		return nil, err
	}
	if len(j.conflicts) > 0 {
		return &Merged{State: Behind, Tip: branch, Conflicts: j.conflicts,
			Note: fmt.Sprintf("%s cannot take in %s: both changed %s; merge them once by hand", branch.branch, base.branch, j.conflicts[0])}, nil
	}
	joined := r.successor(branch, base)
	joined.tree, joined.parents, joined.extra = root, []hash{branch.commit, base.commit}, j.edits.objects
	return &Merged{State: Joined, Tip: joined, Contested: j.contested}, nil
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

// join is one merge under way. Sides are ancestor, branch, base, in this order everywhere.
type join struct {
	ctx       context.Context
	r         *Repo
	sides     [3]*Tip
	ours      func(string) bool
	edits     *edits
	contested []Contested
	conflicts []string
}

// trees merges one folder; a zero hash is a side without it. gone says that nothing is left of it.
func (j *join) trees(folder string, roots [3]hash) (h hash, gone bool, err error) {
	var names []string
	var lists [3]*dir
	for i, root := range roots {
		if lists[i] = new(dir); !root.IsZero() {
			if lists[i], err = j.sides[i].readTree(root); err != nil {
				return hash{}, false, err
			}
		}
		for _, e := range lists[i].entries {
			names = append(names, e.name)
		}
	}
	slices.Sort(names)
	var result []entry
	for _, name := range slices.Compact(names) {
		var three [3]entry
		for i := range lists {
			if at, ok := lists[i].exact[name]; ok {
				three[i] = lists[i].entries[at]
			}
		}
		e, keep, err := j.one(path.Join(folder, name), three)
		if err != nil {
			return hash{}, false, err
		}
		if keep {
			e.name = name
			result = append(result, e)
		}
	}
	o := newObject(kindTree, encodeTree(result))
	if o.hash != roots[1] && o.hash != roots[2] {
		j.edits.add(o)
	}
	return o.hash, len(result) == 0, nil
}

// settled is the choice where only one side changed an entry, or both alike.
func settled(three [3]entry) (entry, bool) {
	was, mine, theirs := three[0], three[1], three[2]
	same := func(a, b entry) bool { return a.mode == b.mode && a.hash == b.hash }
	switch {
	case same(mine, theirs), same(was, theirs):
		return mine, true
	case same(was, mine):
		return theirs, true
	}
	return entry{}, false
}

// one merges one name. An entry without a mode is a side that does not have it.
func (j *join) one(name string, three [3]entry) (e entry, keep bool, err error) {
	if e, ok := settled(three); ok {
		return e, e.mode != 0, nil
	}
	// A name may be a file on one side and a folder on another: each part is merged by itself, and only one may be left.
	part := func(folder bool) (parts [3]entry, any bool) {
		for i, e := range three {
			if e.mode != 0 && e.isDir() == folder {
				parts[i], any = e, true
			}
		}
		return parts, any
	}
	if parts, any := part(true); any {
		h, gone, err := j.trees(name, [3]hash{parts[0].hash, parts[1].hash, parts[2].hash})
		if err != nil {
			return entry{}, false, err
		}
		e, keep = entry{mode: modeDir, hash: h}, !gone
	}
	if parts, any := part(false); any {
		f, left, err := j.file(name, parts)
		if err != nil || !left {
			return e, keep, err
		}
		if keep {
			j.conflicts = append(j.conflicts, name)
		}
		return f, true, nil
	}
	return e, keep, nil
}

// file merges what is not a folder.
func (j *join) file(name string, three [3]entry) (e entry, keep bool, err error) {
	if e, ok := settled(three); ok {
		return e, e.mode != 0, nil
	}
	for _, e := range three {
		if e.mode != 0 && !e.isFile() { // a link or a submodule
			j.conflicts = append(j.conflicts, name)
			return three[2], three[2].mode != 0, nil
		}
	}
	return j.contest(name, three)
}

// contest merges one file that both sides changed, differently.
func (j *join) contest(name string, three [3]entry) (e entry, keep bool, err error) {
	var contents [3][]byte
	mineToMerge := j.ours(name)
	for i, e := range three {
		if e.mode == 0 {
			continue
		}
		read := j.sides[i].file
		if mineToMerge {
			read = j.sides[i].content
		}
		if contents[i], err = read(name, e.hash); err != nil {
			return entry{}, false, fmt.Errorf("%s: %w", name, err)
		}
		if contents[i] == nil {
			contents[i] = []byte{}
		}
	}
	was, mine, theirs := three[0], three[1], three[2]
	if mineToMerge {
		j.contested = append(j.contested, Contested{name, contents[0], contents[1], contents[2]})
		return theirs, theirs.mode != 0, nil
	}
	result := theirs
	if was.mode == theirs.mode {
		result.mode = mine.mode
	}
	if mine.mode == 0 || theirs.mode == 0 || was.mode == 0 || was.mode != mine.mode && was.mode != theirs.mode && mine.mode != theirs.mode {
		j.conflicts = append(j.conflicts, name)
		return theirs, theirs.mode != 0, nil
	}
	merged, clean, err := j.r.mergeText(j.ctx, contents)
	if err != nil {
		return entry{}, false, fmt.Errorf("%s: %w", name, err)
	}
	if !clean {
		j.conflicts = append(j.conflicts, name)
		return theirs, true, nil
	}
	o := newObject(kindBlob, merged)
	j.edits.add(o)
	result.hash = o.hash
	return result, true, nil
}

// mergeText lets git merge three versions of a text; not clean when lines conflict, when the content is binary, or
// without the git program.
func (r *Repo) mergeText(ctx context.Context, three [3][]byte) (merged []byte, clean bool, err error) {
	if bytes.Equal(three[1], three[2]) {
		return three[1], true, nil
	}
	if bytes.Equal(three[0], three[1]) {
		return three[2], true, nil
	}
	if bytes.Equal(three[0], three[2]) {
		return three[1], true, nil
	}
	dir, err := os.MkdirTemp("", "locsync-merge-")
	if err != nil {
		return nil, false, err
	}
	defer os.RemoveAll(dir)
	names := [3]string{"ancestor", "branch", "base"}
	for i, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), three[i], 0o600); err != nil {
			return nil, false, err
		}
	}
	out, err := r.git.run(ctx, call{dir: dir, env: []string{"GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir)},
		args: []string{"merge-file", "-p", "-q", names[1], names[0], names[2]}})
	var conflict *programError
	if errors.As(err, &conflict) {
		return nil, false, nil // the number of conflicts, or 255 for what is no text
	}
	return out, err == nil, err
}
