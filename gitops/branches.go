package gitops

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Branches are the names of all branches: those of the remote, or without Options.Remote those here, each with its commit in hexadecimal, and the branch
// that HEAD names there, "" where it names none. It is one listing; nothing is fetched.
func (r *Repo) Branches(ctx context.Context) (branches map[string]string, head string, err error) {
	ctx, end := r.watch(ctx)
	defer end()
	var refs map[string]hash
	if r.o.Remote == "" {
		if head, _, err = r.Head(); err != nil {
			return nil, "", err
		}
		if refs, err = r.refs.list("refs/heads/"); err != nil {
			return nil, "", fmt.Errorf("list the branches of %s: %w", r.facts.GitDir, err)
		}
	} else {
		defer r.done(opList, time.Now(), &err)
		rem, err := r.fetchRemote()
		if err != nil {
			return nil, "", err
		}
		adv, err := rem.list(ctx)
		if err != nil {
			return nil, "", fmt.Errorf("list the branches of %s: %w", r.o.Remote, err)
		}
		refs, head = adv.refs, strings.TrimPrefix(adv.head, "refs/heads/")
	}
	branches = make(map[string]string)
	for name, h := range refs {
		if branch, ok := strings.CutPrefix(name, "refs/heads/"); ok {
			branches[branch] = h.String()
		}
	}
	return branches, head, nil
}

// HasBranch reports whether there is a branch of this name in this repository, whatever its remote has.
func (r *Repo) HasBranch(name string) (bool, error) {
	_, here, err := r.localBranch(name)
	return here, err
}
