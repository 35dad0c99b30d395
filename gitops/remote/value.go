package remote

import (
	"context"
	"fmt"
	"time"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/repository"
)

// Value is what a reference of any name holds where commits are delivered; zero where that has none. It is one listing,
// which also answers who asks for the branches within a moment.
func Value(ctx context.Context, r *repository.Repository, ref string, branches ...string) (h object.Name, err error) {
	defer outcome.Tell(r.Options.Done, outcome.List, time.Now(), &err)
	to, err := To(r)
	if err != nil {
		return h, err
	}
	asked := []string{ref}
	for _, branch := range branches {
		if branch != "" {
			asked = append(asked, "refs/heads/"+branch)
		}
	}
	at := time.Now()
	adv, err := to.listRefs(ctx, true, asked)
	if err != nil {
		return h, fmt.Errorf("read %s of %s: %w", ref, r.Options.Remote, err)
	}
	if len(branches) > 0 {
		r.Listed.Store(&repository.Listing{Address: to.Address, At: at, Asked: asked[1:], Refs: adv.refs, Head: adv.head})
	}
	return adv.refs[ref], nil
}

// FetchValue brings what a reference of any name holds where commits are delivered, without moving a reference here. A
// shallow clone gets its last commit and no history.
func FetchValue(ctx context.Context, r *repository.Repository, ref string) (err error) {
	defer outcome.Tell(r.Options.Done, outcome.Fetch, time.Now(), &err)
	to, err := To(r)
	if err != nil {
		return err
	}
	args := append([]string{}, intoPacks...)
	args = append(args, "fetch", "--progress", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head",
		"--no-auto-maintenance", "--refmap=")
	if r.History.Shallow() {
		args = append(args, "--depth=1")
	}
	args = append(args, to.name, ref)
	if err := to.bring(ctx, args); err != nil {
		return fmt.Errorf("fetch %s of %s: %w", ref, r.Options.Remote, err)
	}
	return nil
}
