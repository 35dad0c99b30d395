package gitops

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/locsync/locsync/gitops/content"
	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/repository"
)

// Commit makes a commit on a tip that branch is to have next, and keeps it in refs/locsync-outbox/<branch> until Push
// delivered it. Nothing else moves. files are whole contents by path relative to the repository; nil deletes. Content
// is stored as the branch's .gitattributes say (line ends, encoding, $Id$, filters); an existing file keeps its mode
// and the spelling of its name. On a Tip of Merge the commit is a merge commit. The same input gives the same commit,
// unless it is signed with a signature that has a time.
//
// Order: objects into one pack, reserved and synced; then the reference; then the reservation goes. A crash before the
// reference leaves garbage that the next git gc takes; after it, the commit is found by Pending.
//
// Errors: ErrSign when the commit must be signed and cannot be; ErrNothing when no file differs and there is nothing
// to merge; *BadPaths (ErrPath) before anything was written; ErrMoved when an earlier commit for the branch waits to
// be delivered or dropped.
func (r *Repo) Commit(ctx context.Context, on *Tip, branch string, files map[string][]byte, msg Message) (*Tip, error) {
	ctx, end := r.repo.Watch(ctx)
	defer end()
	tip, err := r.commit(ctx, on, branch, files, msg)
	if err != nil {
		return nil, fmt.Errorf("commit to %s: %w", branch, outcome.WithRemedy(err))
	}
	return tip, nil
}

func (r *Repo) commit(
	ctx context.Context, on *Tip, branch string, files map[string][]byte, msg Message,
) (made *Tip, err error) {
	defer outcome.Tell(r.repo.Options.Done, outcome.Commit, time.Now(), &err)
	if err := ref.CheckName("refs/heads/" + branch); err != nil {
		return nil, err
	}
	old, err := delivered(r, on, branch)
	if err != nil {
		return nil, err
	}
	made, objects, err := on.compose(ctx, branch, files, msg)
	if err != nil {
		return nil, err
	}
	outbox := encodeOutbox(made.commit, branch, made.lease, msg.Author, made.When())
	note := r.repo.Objects.Format.New(object.Tag, outbox)
	return made, keepPending(ctx, made, append(objects, note), old, note.Name)
}

// compose makes a commit on a tip, in memory: it gives the tip of it and all that is new in it.
func (t *Tip) compose(
	ctx context.Context, branch string, files map[string][]byte, msg Message,
) (*Tip, []object.Object, error) {
	e, changes, err := t.files.Plan(ctx, files)
	if err != nil {
		return nil, nil, err
	}
	root, err := e.Apply(changes)
	if err != nil {
		return nil, nil, err
	}
	if len(t.parents) == 1 && root == t.root() {
		return nil, nil, ErrNothing
	}
	objects, err := e.Needed(root)
	if err != nil {
		return nil, nil, err
	}
	when := msg.When.Truncate(time.Second)
	if msg.When.IsZero() {
		when = t.repo.Options.Now().Truncate(time.Second)
	}
	if !when.After(t.When()) {
		when = t.When().Add(time.Second)
	}
	made, err := t.commitObject(ctx, root, objects, msg, when)
	if err != nil {
		return nil, nil, err
	}
	next := &Tip{repo: t.repo, branch: branch, commit: made.Name, parents: []hash{made.Name}, base: t.base, there: t.there,
		lease: lease{remote: t.repo.Options.Remote}, files: content.New(t.repo, root, when, nil)}
	if branch == t.branch {
		next.lease, next.here = t.lease, t.here
	}
	return next, append(objects, made), nil
}

var errWaits = fmt.Errorf("%w: an earlier commit for it is not delivered yet; Push or Drop it first", ErrMoved)

// delivered is what the outbox of a branch may hold when a commit is made on a tip: nothing, or a commit that has
// arrived there and could not be taken out.
func delivered(r *Repo, on *Tip, branch string) (note hash, err error) {
	waiting, note, err := r.pending(branch)
	if err != nil || waiting == nil {
		return hash{}, err
	}
	if on.branch != branch || on.lease.at.IsZero() {
		return hash{}, errWaits
	}
	arrived, err := r.repo.History.Contains(on.lease.at, waiting.commit)
	if err == nil && !arrived {
		err = errWaits
	}
	return note, err
}

// keepPending writes the objects and points the branch's outbox at them.
func keepPending(ctx context.Context, next *Tip, objects []object.Object, old, note hash) error {
	repo := next.repo
	if err := repo.Refs.Sweep(); err != nil {
		return err
	}
	repo.Step("to pack")
	release, err := repo.Objects.WritePack(ctx, objects)
	if err != nil {
		return err
	}
	defer release()
	repo.Step("packed")
	err = repo.Refs.Swap(ctx, repository.Outbox(next.branch), old, note, "")
	if errors.Is(err, ErrMoved) {
		return errWaits
	}
	repo.Step("kept")
	return err
}
