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

// Fork is the youngest commit that two commits have in common; "" where there is none. All are in hexadecimal.
func (r *Repo) Fork(one, two string) (string, error) {
	a, aok := parseHash(one)
	b, bok := parseHash(two)
	if !aok || !bok || !r.objects.has(a) || !r.objects.has(b) {
		return "", nil
	}
	bases, err := r.mergeBases(a, b)
	if err != nil || len(bases) == 0 {
		return "", err
	}
	return text(bases[0]), nil
}
