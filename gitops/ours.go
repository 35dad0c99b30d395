package gitops

import (
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/object"
)

// Made is a commit of ours with its parents, in hexadecimal.
type Made struct {
	Commit  string
	Parents []string
}

// Ours gives the commits of a project (our Trailer names it) that a tip has in its history and another commit has
// not, oldest first: of more than most, the youngest. since may be a commit that is not here, or "", which has
// nothing in its history. A commit at which a shallow clone was cut is none of them: what it changed cannot be told.
func (r *Repo) Ours(tip *Tip, since, project string, most int) ([]Made, error) {
	if tip.commit.IsZero() {
		return nil, nil
	}
	var without []hash
	if h, ok := object.Parse(since); ok {
		without = append(without, h)
	}
	commits, err := r.history.Ahead(tip.commit, without)
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

// AtCommit is a commit as a file system. Nothing can be built on it.
func (r *Repo) AtCommit(commit string) (*Tip, error) {
	h, _ := object.Parse(commit)
	return r.tipAt("", h)
}

// Fork is the youngest commit that two commits have in common; "" where there is none. All are in hexadecimal.
func (r *Repo) Fork(one, two string) (string, error) {
	a, aok := object.Parse(one)
	b, bok := object.Parse(two)
	if !aok || !bok || !r.objects.Has(a) || !r.objects.Has(b) {
		return "", nil
	}
	bases, err := r.history.Bases(a, b)
	if err != nil || len(bases) == 0 {
		return "", err
	}
	return bases[0].Text(), nil
}

// isOurs says whether the last paragraph of a commit's message carries our trailer.
func isOurs(c *commit) bool { return len(trailers(c)) > 0 }

// trailers are the values of our trailer: the projects that the commit was made for.
func trailers(c *commit) []string {
	body := strings.TrimRight(c.Message, "\n")
	last := body[strings.LastIndex(body, "\n\n")+1:]
	var values []string
	for line := range strings.Lines(last) {
		if value, is := strings.CutPrefix(line, Trailer+":"); is {
			values = append(values, strings.TrimSpace(value))
		}
	}
	return values
}

// Contains says whether a commit, given in hexadecimal like the other, is that one or has it in its history. What is
// not in this repository has nothing and is in nothing.
func (r *Repo) Contains(commit, ancestor string) (bool, error) {
	var hashes [2]hash
	for i, name := range []string{commit, ancestor} {
		h, ok := object.Parse(name)
		if !ok || h.IsZero() || !r.objects.Has(h) {
			return false, nil
		}
		hashes[i] = h
	}
	return r.history.Contains(hashes[0], hashes[1])
}
