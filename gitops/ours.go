package gitops

import (
	"context"
	"slices"

	"github.com/locsync/locsync/gitops/history"
	"github.com/locsync/locsync/gitops/object"
)

// Made is a commit of ours with its parents.
type Made struct {
	Commit  string
	Parents []string
}

// Ours gives the commits of a project (our Trailer names it) that a tip has in its history and another commit has
// not, oldest first: of more than most, the youngest. since may be a commit that is not here, or "", which has
// nothing in its history. A shallow clone that is cut in that history is deepened first. Where it cannot be, or the tip
// is of no branch, the commit at which it is cut is none of them: what it changed cannot be told. The 10,000 youngest
// commits (history.Most) are read, for a second: what is not found among them counts as not made.
func Ours(ctx context.Context, r *Repo, tip *Tip, since, project string, most int) ([]Made, error) {
	if tip.commit.IsZero() {
		return nil, nil
	}
	var without []hash
	if h, ok := object.Parse(since); ok {
		without = append(without, h)
	}
	graph := r.repo.History
	commits, _, err := graph.Ahead(tip.commit, without, history.Most)
	cut := false
	if err == nil && tip.branch != "" {
		cut, err = graph.Cuts(commits)
	}
	if cut {
		if err = Deepen(ctx, r, tip, tip.base); err == nil {
			commits, _, err = graph.Ahead(tip.commit, without, history.Most)
		}
	}
	if err != nil {
		return nil, err
	}
	var all []Made
	for _, c := range commits {
		if len(all) == most {
			break
		}
		if len(c.Parents) == 0 || !slices.Contains(trailers(c), project) {
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
