package gitops

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/locsync/locsync/gitops/history"
	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/gitops/tree"
)

// History answers questions about commits, which are given in hexadecimal.
type History struct{ repo *repository.Repository }

// Past gives the youngest commits that a commit has in its history and another one lacks, itself among them: not more
// than most. What is not in this repository has no past.
func (h History) Past(commit, without string, most int) ([]string, error) {
	tip, _ := object.Parse(commit)
	if tip.IsZero() || !h.repo.Objects.Has(tip) {
		return nil, nil
	}
	other, _ := object.Parse(without)
	commits, _, err := h.repo.History.Ahead(tip, []hash{other}, most)
	var past []string
	for _, c := range commits {
		past = append(past, c.Hash.Text())
	}
	return past, err
}

// Line is Past along first parents alone: what the tip of a branch was, the youngest first. Most counts the commits of
// Past. Where one of the two is not in this repository there is no line.
func (h History) Line(commit, without string, most int) (line []string, err error) {
	tip, other, ok := h.both(commit, without)
	if !ok {
		return nil, nil
	}
	commits, _, err := h.repo.History.Ahead(tip, []hash{other}, most)
	for _, c := range commits {
		if c.Hash != tip {
			continue
		}
		line = append(line, c.Hash.Text())
		if len(c.Parents) == 0 {
			break
		}
		tip = c.Parents[0]
	}
	return line, err
}

// Fork is the youngest commit that two commits have in common; "" where there is none.
func (h History) Fork(one, two string) (string, error) {
	a, b, ok := h.both(one, two)
	if !ok {
		return "", nil
	}
	bases, err := h.repo.History.Bases(a, b)
	if err != nil || len(bases) == 0 {
		return "", err
	}
	return bases[0].Text(), nil
}

// Contains says whether a commit is another one or has it in its history. What is not in this repository has nothing
// and is in nothing.
func (h History) Contains(commit, ancestor string) (bool, error) {
	if name, _ := object.Parse(commit); commit == ancestor && h.repo.History.WasRead(name) {
		return true, nil
	}
	a, b, ok := h.both(commit, ancestor)
	if !ok {
		return false, nil
	}
	return h.repo.History.Contains(a, b)
}

// Had reports whether a commit, or one in its history, changed what is at a path.
func (h History) Had(commit, path string) (bool, error) {
	tip, _ := object.Parse(commit)
	if tip.IsZero() || !h.repo.Objects.Has(tip) {
		return false, nil
	}
	commits, _, err := h.repo.History.Ahead(tip, nil, 1, path)
	return len(commits) > 0, err
}

// Shallow reports whether this clone may lack history.
func (h History) Shallow() bool { return h.repo.History.Shallow() }

// both reads the names of two commits; false unless both are here.
func (h History) both(one, two string) (a, b hash, ok bool) {
	a, aok := object.Parse(one)
	b, bok := object.Parse(two)
	return a, b, aok && bok && h.repo.Objects.Has(a) && h.repo.Objects.Has(b)
}

// Changed gives the paths that differ between two commits, sorted. It reads only the folders that differ. "" as the old
// commit is the empty tree.
func (h History) Changed(ctx context.Context, oldCommit, newCommit string) ([]string, error) {
	pairs, err := h.changed(ctx, oldCommit, newCommit)
	paths := make([]string, len(pairs))
	for i, p := range pairs {
		paths[i] = p.Path
	}
	return paths, err
}

// ChangedTo is Changed with the blob that each path has in the new commit; "" where it is gone.
func (h History) ChangedTo(ctx context.Context, oldCommit, newCommit string) (map[string]string, error) {
	pairs, err := h.changed(ctx, oldCommit, newCommit)
	blobs := make(map[string]string, len(pairs))
	for _, p := range pairs {
		blobs[p.Path] = p.New.Hash.Text()
	}
	return blobs, err
}

func (h History) changed(ctx context.Context, oldCommit, newCommit string) ([]tree.Pair, error) {
	var trees [2]hash
	for i, text := range []string{oldCommit, newCommit} {
		if text == "" && i == 0 {
			continue
		}
		name, ok := object.Parse(text)
		if !ok {
			return nil, fmt.Errorf("compare commits: %q is not a commit", text)
		}
		c, err := h.repo.History.Commit(name)
		if err != nil {
			return nil, fmt.Errorf("compare commits: %w", err)
		}
		trees[i] = c.Tree
	}
	pairs, err := tree.Compare(ctx, h.repo.Objects.Entries, h.repo.Objects.Entries, trees[0], trees[1])
	if err != nil {
		return nil, fmt.Errorf("compare %.12s with %.12s: %w", oldCommit, newCommit, err)
	}
	return pairs, nil
}

// SameMeaning begins lines of a message that name keys whose source text a commit changed and meant as before.
const SameMeaning = history.SameMeaning

// Logged is a commit of a history.
type Logged struct {
	Commit  string
	Parents []int // where they are in the log: behind it
	When    time.Time
	Same    []string // keys that its message says to mean what they meant (SameMeaning)
	Cut     bool     // it has parents that are not here, or are not read
	Changes []Change // what differs from its first parent; of a commit without parents, all files
}

// Change is a path with the name of its content; "" where it is gone.
type Change struct{ Path, Content string }

// Log is the history of a commit, each commit before its parents, with the changes of wanted paths.
func (h History) Log(ctx context.Context, commit string, wanted func(path string) bool) ([]Logged, error) {
	tip, _ := object.Parse(commit)
	commits, err := h.repo.History.Log(ctx, tip, wanted)
	all := make([]Logged, len(commits))
	for i, c := range commits {
		all[i] = Logged{c.Commit.Text(), c.Parents, time.Unix(c.When, 0).UTC(), c.Same, c.Cut, make([]Change, len(c.Changes))}
		for n, change := range c.Changes {
			all[i].Changes[n] = Change{change.Path, change.Blob.Text()}
		}
	}
	return all, err
}

// When is the time at which a commit was made.
func (h History) When(commit string) (time.Time, error) {
	name, _ := object.Parse(commit)
	c, err := h.repo.History.Commit(name)
	if err != nil {
		return time.Time{}, err
	}
	return time.Unix(c.When, 0).UTC(), nil
}

// Made is a commit of ours with its parents.
type Made struct {
	Commit  string
	Parents []string
}

// Ours gives the commits of a project (our Trailer names it) that a tip has in its history and another commit
// lacks, oldest first: of more than most, the youngest. since may be a commit that is not here, or "", which has
// nothing in its history. A shallow clone that is cut in that history is deepened first. Where it cannot be, or the tip
// is of no branch, the commit at which it is cut is none of them: what it changed cannot be told.
func Ours(ctx context.Context, r *Repo, tip *Tip, since, project string, most int) ([]Made, error) {
	if tip.commit.IsZero() {
		return nil, nil
	}
	var without []hash
	if h, ok := object.Parse(since); ok {
		without = append(without, h)
	}
	graph := r.repo.History
	if graph.Shallow() && tip.branch != "" {
		commits, _, err := graph.Ahead(tip.commit, without, history.Most)
		cut := false
		if err == nil {
			cut, err = graph.Cuts(commits)
		}
		if cut {
			err = Deepen(ctx, r, tip, tip.base)
		}
		if err != nil {
			return nil, err
		}
	}
	commits, err := graph.Made(tip.commit, without)
	if err != nil {
		return nil, err
	}
	var all []Made
	for _, c := range commits {
		if len(all) == most {
			break
		}
		if len(c.Parents) == 0 || !slices.Contains(c.Projects, project) {
			continue
		}
		made := Made{Commit: c.Hash.Text()}
		for _, parent := range c.Parents {
			made.Parents = append(made.Parents, parent.Text())
		}
		all = append(all, made)
	}
	slices.Reverse(all)
	return all, nil
}

// Deepen brings the history that a shallow clone left out, as far as the remote has the branches. A tip may be nil.
func Deepen(ctx context.Context, r *Repo, tips ...*Tip) error {
	if !r.repo.History.Shallow() {
		return nil
	}
	ctx, end := r.repo.Watch(ctx)
	defer end()
	there := make(map[string]hash)
	for _, tip := range slices.DeleteFunc(tips, func(t *Tip) bool { return t == nil }) {
		there[tip.branch] = tip.lease.at
	}
	return r.Branches.Deepen(ctx, there)
}
