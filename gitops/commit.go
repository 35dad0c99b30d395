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

// Commit makes a commit on a tip that branch is to have next, and keeps it in refs/locsync/<branch> until Push
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
	return r.Chain(ctx, on, branch, []Step{{files, msg}})
}

// Step is one commit of a chain: whole contents by path, as for Commit, and what it says about itself.
type Step struct {
	Files   map[string][]byte
	Message Message
}

// Chain is Commit for several commits, each on the one before. They are one delivery: one pack, one entry of the
// outbox, one push; a crash leaves all of them or none. A step that changes nothing makes no commit. The tip is the
// last one's.
//
// Errors as of Commit. *BadPaths names the paths of the first step that has any; nothing was written then.
func (r *Repo) Chain(ctx context.Context, on *Tip, branch string, steps []Step) (*Tip, error) {
	ctx, end := r.repo.Watch(ctx)
	defer end()
	tip, err := r.chain(ctx, on, branch, steps)
	if err != nil {
		return nil, fmt.Errorf("commit to %s: %w", branch, outcome.WithRemedy(err))
	}
	return tip, nil
}

func (r *Repo) chain(ctx context.Context, on *Tip, branch string, steps []Step) (last *Tip, err error) {
	repo := r.repo
	defer outcome.Tell(repo.Options.Done, outcome.Commit, time.Now(), &err)
	if err := ref.CheckName("refs/heads/" + branch); err != nil {
		return nil, err
	}
	old, err := delivered(r, on, branch)
	if err != nil {
		return nil, err
	}
	tip, author := on, Person{}
	var objects []object.Object
	has := map[hash]bool{}
	for _, step := range steps {
		next, made, err := tip.compose(ctx, repo, branch, step)
		if errors.Is(err, ErrNothing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, o := range made {
			if !has[o.Name] { // two steps may bring the same content
				has[o.Name] = true
				objects = append(objects, o)
			}
			next.files.FS.Extra[o.Name] = o // what the next step reads is in no store yet
		}
		tip, author = next, step.Message.Author
	}
	if tip == on {
		return nil, ErrNothing
	}
	tip.files.FS.Extra = nil
	note := repo.Objects.Format.New(object.Tag, encodeOutbox(tip.commit, branch, tip.lease, author, tip.When()))
	return tip, keepPending(ctx, tip, append(objects, note), old, note.Name)
}

// compose makes one commit on a tip, in memory: it gives the tip of it and all that is new in it.
func (t *Tip) compose(
	ctx context.Context, repo *repository.Repository, branch string, step Step,
) (*Tip, []object.Object, error) {
	e, changes, err := t.files.Plan(ctx, step.Files)
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
	when := step.Message.When.Truncate(time.Second)
	if step.Message.When.IsZero() {
		when = t.repo.Options.Now().Truncate(time.Second)
	}
	if !when.After(t.When()) {
		when = t.When().Add(time.Second)
	}
	made, err := t.commitObject(ctx, root, objects, step.Message, when)
	if err != nil {
		return nil, nil, err
	}
	next := &Tip{repo: repo, branch: branch, commit: made.Name, parents: []hash{made.Name}, base: t.base, there: t.there,
		lease: lease{remote: repo.Options.Remote}, files: content.New(repo, root, when, map[hash]object.Object{})}
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
