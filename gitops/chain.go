package gitops

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/ref"
)

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
	ctx, end := r.watch(ctx)
	defer end()
	tip, err := r.chain(ctx, on, branch, steps)
	if err != nil {
		return nil, fmt.Errorf("commit to %s: %w", branch, withRemedy(err))
	}
	return tip, nil
}

func (r *Repo) chain(ctx context.Context, on *Tip, branch string, steps []Step) (last *Tip, err error) {
	defer r.done(opCommit, time.Now(), &err)
	if err := ref.CheckName("refs/heads/" + branch); err != nil {
		return nil, err
	}
	if _, waits, err := r.refs.Read(outbox(branch)); err != nil {
		return nil, err
	} else if waits {
		return nil, errWaits
	}
	tip, author := on, Person{}
	var objects []object.Object
	has := map[hash]bool{}
	for _, step := range steps {
		next, made, err := r.compose(ctx, tip, branch, step.Files, step.Message)
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
			next.extra[o.Name] = o // what the next step reads is in no store yet
		}
		tip, author = next, step.Message.Author
	}
	if tip == on {
		return nil, ErrNothing
	}
	tip.extra = treesOf(objects)
	note := r.objects.Format.New(object.Tag, encodeOutbox(tip.commit, branch, tip.lease, author, tip.when))
	return tip, r.keepPending(ctx, tip, append(objects, note), note.Name)
}
