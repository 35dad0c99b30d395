package gitops

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Branches are the names of all branches: those of the remote, or without Options.Remote those here, each with its
// commit in hexadecimal, and the branch that HEAD names there, "" where it names none. It is one listing; nothing is
// fetched.
func (r *Repo) Branches(ctx context.Context) (branches map[string]string, head string, err error) {
	ctx, end := r.watch(ctx)
	defer end()
	var refs map[string]hash
	if r.o.Remote == "" {
		if head, _, err = r.Head(); err != nil {
			return nil, "", err
		}
		if refs, err = r.refs.List("refs/heads/"); err != nil {
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

// IsTip reports whether a commit is the tip of a branch that is wanted, here or as last fetched from a remote.
func (r *Repo) IsTip(commit string, wanted func(branch string) bool) (bool, error) {
	for _, prefix := range []string{"refs/heads/", "refs/remotes/"} {
		refs, err := r.refs.List(prefix)
		if err != nil {
			return false, fmt.Errorf("list the branches of %s: %w", r.facts.GitDir, err)
		}
		for name, h := range refs {
			branch := strings.TrimPrefix(name, prefix)
			if prefix == "refs/remotes/" {
				remote, rest, _ := strings.Cut(branch, "/")
				if branch = rest; !r.HasRemote(remote) || branch == "HEAD" {
					continue
				}
			}
			if h.String() == commit && wanted(branch) {
				return true, nil
			}
		}
	}
	return false, nil
}
