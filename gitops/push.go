package gitops

import (
	"context"
	"errors"
	"fmt"

	"github.com/locsync/locsync/gitops/content"
	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/ref"
	"github.com/locsync/locsync/gitops/remote"
	"github.com/locsync/locsync/gitops/repository"
)

// PushResult is where a commit arrived.
type PushResult struct {
	Commit string // the tip
	Remote string // the remote's name, "" when commits stay local
	Pushed bool   // the remote has it
	Local  Local
	Why    string // why the local branch was left
	// the same as an outcome: ErrDirty, ErrBusy, ErrMoved, ErrUnsupported, or what went wrong; nil when it was not left
	Cause         error
	Said          []string // what the remote printed
	Offer         string   // the address for a pull or merge request that the remote printed; "" when it printed none
	NoPushOptions bool     // the remote takes no push options: those that were given did not reach it
}

// Push delivers a tip (of Commit, of Pending, or a fast-forward of Merge) to its branch: at the remote with the value
// that At saw there as the lease, then the tracking reference, then the local branch, then the outbox is emptied.
// Everything may be repeated: what arrived before is not sent again.
//
// The local branch only moves forward. Left there is no error; without a remote it means that the commit stays in the
// outbox for another try. A local branch that does not exist is made, unless it was there when At looked.
//
// Errors: ErrMoved (compute again on a new tip; the outbox keeps the commit until Drop), *Refused, ErrAuth,
// ErrUntrusted, *Unavailable, ErrBusy, network errors. An answer that was lost is resolved by asking the remote what
// it has.
//
// Options are what the remote's hooks get besides (git push -o), one line each. They travel with the update: a commit
// that the remote has already takes none along.
func (r *Repo) Push(ctx context.Context, tip *Tip, options ...string) (PushResult, error) {
	ctx, end := r.repo.Watch(ctx)
	defer end()
	d := deliveryOf(r, tip)
	err := d.push(ctx, options)
	if err != nil {
		err = fmt.Errorf("push %s: %w", tip.branch, outcome.WithRemedy(err))
	}
	return d.result, err
}

// delivery is one tip on its way.
type delivery struct {
	r      *Repo
	repo   *repository.Repository
	tip    *Tip
	result PushResult
	dry    bool // nothing is moved

	delivers, emptied bool // where it arrives the outbox is emptied; it is
}

func deliveryOf(r *Repo, tip *Tip) *delivery {
	return &delivery{r: r, repo: r.repo, tip: tip,
		result: PushResult{Commit: tip.Hash(), Remote: r.repo.Options.Remote}}
}

func (d *delivery) push(ctx context.Context, options []string) error {
	tip, name := d.tip, d.repo.Options.Remote
	d.delivers = true
	if tip.commit.IsZero() {
		return errors.New("the merge is not committed; Commit it first")
	}
	if tip.lease.remote != name {
		return fmt.Errorf("%w: the commit was made for remote %q", ErrMoved, tip.lease.remote)
	}
	if name != "" {
		u := remote.Update{Ref: "refs/heads/" + tip.branch, Old: tip.lease.at, To: tip.commit, Options: options}
		if err := content.Upload(ctx, d.repo, u, tip.there); err != nil {
			return err
		}
		if err := d.send(ctx, u); err != nil {
			return err
		}
		d.repo.Step("pushed")
		// It has arrived: where another process moves the same reference, the next listing tells.
		if err := disregard(d.r.Branches.Track(ctx, tip.branch, tip.commit)); err != nil {
			return err
		}
		d.repo.Step("tracked")
	}
	if err := d.moveLocal(ctx); err != nil {
		if !d.result.Pushed || ctx.Err() != nil {
			return err
		}
		// The commit has arrived: whatever holds the local branch must not hold up the next one.
		d.leave(err, "the local branch %s was left: %v", tip.branch, err)
	}
	d.repo.Step("moved")
	if !d.result.Pushed && d.result.Local == Left {
		return nil // it has arrived nowhere yet
	}
	return d.emptyOutbox(ctx)
}

func (d *delivery) send(ctx context.Context, u remote.Update) error {
	answer, err := remote.Send(ctx, d.repo, u)
	d.result.Said, d.result.Offer, d.result.NoPushOptions = answer.Said, answer.Offer, answer.NoPushOptions
	d.result.Pushed = err == nil
	return err
}

// Propose pushes a tip to refs/for/<base>, where a server that knows the AGit flow (Gitea, Forgejo) makes a pull
// request of it, or finds the one of the same topic, without a branch and without moving base. The options say which
// topic and title. What the server prints is in Said and Offer.
//
// Errors are those of Push. A server that knows no AGit flow makes a plain reference of that name.
func (r *Repo) Propose(ctx context.Context, tip *Tip, base string, options ...string) (PushResult, error) {
	ctx, end := r.repo.Watch(ctx)
	defer end()
	d := deliveryOf(r, tip)
	if err := d.send(ctx, remote.Update{Ref: "refs/for/" + base, To: tip.commit, Options: options}); err != nil {
		return d.result, fmt.Errorf("propose %s for %s: %w", tip.branch, base, err)
	}
	return d.result, nil
}

// disregard lets go what another process moves at the same time, or holds.
func disregard(err error) error {
	if errors.Is(err, ErrMoved) || errors.Is(err, ErrBusy) {
		return nil
	}
	return err
}

// emptyOutbox forgets the commit if it is the one that waits. Where a lock is in the way, the next commit
// replaces it.
func (d *delivery) emptyOutbox(ctx context.Context) error {
	move, waits, err := d.outbox()
	if err != nil || !waits {
		return err
	}
	return disregard(d.repo.Refs.SwapAll(ctx, "", move))
}

// outbox is the move that empties the outbox; false when it does not hold what is delivered.
func (d *delivery) outbox() (move ref.Move, waits bool, err error) {
	if !d.delivers || d.emptied {
		return move, false, nil
	}
	waiting, note, err := d.r.pending(d.tip.branch)
	waits = err == nil && waiting != nil && waiting.commit == d.tip.commit
	return ref.Move{Name: repository.Outbox(d.tip.branch), Old: note}, waits, err
}
