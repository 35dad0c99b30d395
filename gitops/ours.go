package gitops

import "slices"

// Made is a commit of ours with its parents, in hexadecimal.
type Made struct {
	Commit  string
	Parents []string
}

// Ours gives the commits of a project (our Trailer names it) that a tip has in its history and another commit has not, oldest first: of more than most, the
// youngest. since may be a commit that is not here, or "", which has nothing in its history. A commit at which a shallow clone was cut is none of them: what
// it changed cannot be told.
func (r *Repo) Ours(tip *Tip, since, project string, most int) ([]Made, error) {
	if tip.commit.IsZero() {
		return nil, nil
	}
	var without []hash
	if h, ok := parseHash(since); ok {
		without = append(without, h)
	}
	commits, err := r.ahead(tip.commit, without)
	if err != nil {
		return nil, err
	}
	var all []Made
	for _, c := range commits {
		if len(all) == most {
			break
		}
		if len(c.parents) == 0 || !slices.Contains(c.trailers(), project) {
			continue
		}
		made := Made{Commit: text(c.hash)}
		for _, parent := range c.parents {
			made.Parents = append(made.Parents, text(parent))
		}
		all = append(all, made)
	}
	slices.Reverse(all)
	return all, nil
}

// AtCommit is a commit as a file system. Nothing can be built on it.
func (r *Repo) AtCommit(commit string) (*Tip, error) {
	h, _ := parseHash(commit)
	return r.tipAt("", h)
}
