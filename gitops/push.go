package gitops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/locsync/locsync/gitops/ref"
)

// PushResult is where a commit arrived.
type PushResult struct {
	Commit string // the tip
	Remote string // the remote's name, "" when commits stay local
	Pushed bool   // the remote has it
	Local  Local
	Why    string   // why the local branch was left
	Cause  error    // the same as an outcome: ErrDirty, ErrBusy, ErrMoved, ErrUnsupported, or what went wrong; nil when it was not left
	Said   []string // what the remote printed
	Offer  string   // the address for a pull or merge request that the remote printed; "" when it printed none
	Deaf   bool     // the remote takes no push options: those that were given did not reach it
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
	ctx, end := r.watch(ctx)
	defer end()
	result := PushResult{Commit: tip.Hash(), Remote: r.o.Remote}
	err := checkOptions(options)
	if err == nil {
		err = r.push(ctx, tip, options, &result)
	}
	if err != nil {
		err = fmt.Errorf("push %s: %w", tip.branch, withRemedy(err))
	}
	return result, err
}

func (r *Repo) push(ctx context.Context, tip *Tip, options []string, result *PushResult) error {
	if tip.commit.IsZero() {
		return errors.New("the merge is not committed; Commit it first")
	}
	if tip.lease.remote != r.o.Remote {
		return fmt.Errorf("%w: the commit was made for remote %q", ErrMoved, tip.lease.remote)
	}
	if r.o.Remote != "" {
		if err := r.upload(ctx, tip); err != nil {
			return err
		}
		u := update{ref: "refs/heads/" + tip.branch, old: tip.lease.at, to: tip.commit, options: options}
		if err := r.send(ctx, u, result); err != nil {
			return err
		}
		result.Pushed = true
		r.step("pushed")
		if err := r.trackPushed(ctx, tip); err != nil {
			return err
		}
		r.step("tracked")
	}
	if err := r.moveLocal(ctx, tip, result); err != nil {
		if !result.Pushed || ctx.Err() != nil {
			return err
		}
		// The commit has arrived: whatever holds the local branch must not hold up the next one.
		result.Local, result.Cause, result.Why = Left, err, fmt.Sprintf("the local branch %s was left: %v", tip.branch, err)
	}
	r.step("moved")
	if !result.Pushed && result.Local == Left {
		return nil // it has arrived nowhere yet
	}
	return r.emptyOutbox(ctx, tip)
}

// send pushes, and when the answer is in doubt asks what happened: a lost answer, a lock that was held, a lease that
// was lost.
func (r *Repo) send(ctx context.Context, u update, result *PushResult) (err error) {
	defer r.done(opPush, time.Now(), &err)
	rem, err := r.pushRemote()
	if err != nil {
		return err
	}
	for attempt := 0; ; attempt++ {
		said, err := rem.push(ctx, u)
		if errors.Is(err, errDeaf) {
			u.options, result.Deaf = nil, true
			said, err = rem.push(ctx, u)
		}
		result.Said, result.Offer = said, offered(said)
		var doubt *unsure
		if !errors.As(err, &doubt) {
			return err
		}
		if ctx.Err() != nil {
			return doubt.err // the next listing tells, in the next pass
		}
		adv, lerr := rem.list(ctx)
		if lerr != nil {
			return fmt.Errorf("%w (and asking what happened: %w)", doubt.err, lerr)
		}
		switch now := adv.refs[u.ref]; {
		case now == u.to:
			return nil
		case now != u.old:
			return &ref.Moved{Name: u.ref, Want: u.old, Have: now}
		}
		// Nothing happened. A refusal that names no lost lease is final; a lock or a broken connection is worth one more
		// try.
		if attempt > 0 {
			return doubt.err
		}
	}
}

func (r *Repo) trackPushed(ctx context.Context, tip *Tip) error {
	release, err := r.refs.Guard(ctx)
	if err != nil {
		return err
	}
	defer release()
	return r.trackOne(ctx, tip.branch, tip.commit)
}

// moveLocal advances the local branch if that loses nothing.
func (r *Repo) moveLocal(ctx context.Context, tip *Tip, result *PushResult) error {
	now, here, err := r.localBranch(tip.branch)
	if err != nil {
		return err
	}
	if here && now == tip.commit {
		result.Local = Moved
		return nil
	}
	if r.o.Remote == "" && now != tip.lease.at {
		return &ref.Moved{Name: "refs/heads/" + tip.branch, Want: tip.lease.at, Have: now}
	}
	if here && now != tip.lease.at {
		forward, err := r.history.Contains(tip.commit, now)
		if err != nil {
			return err
		}
		if !forward {
			result.Local, result.Cause = Left, ErrMoved
			result.Why = fmt.Sprintf("the local branch %s has commits of its own; git pull --rebase there, or git push", tip.branch)
			return nil
		}
	}
	if !here && !tip.here.IsZero() {
		result.Local, result.Cause, result.Why = Left, ErrMoved, "the local branch was deleted meanwhile"
		return nil
	}
	c, err := r.history.Commit(tip.commit)
	if err != nil {
		return err
	}
	result.Local, err = r.advance(ctx, tip.branch, now, tip, "locsync: "+c.Subject())
	var l *left
	if errors.As(err, &l) {
		result.Local, result.Cause = Left, l.cause
		result.Why = "the local branch " + tip.branch + " was left: " + l.why
		return nil
	}
	return err
}

// Follow makes up for a local branch that was left where it was when commits of ours were delivered: it is moved
// forward to what At gave, with the clean working tree that has it checked out, where those commits lie between.
// Result.Local is Left where that cannot be done now, with Why and Cause; Moved where there is nothing to make up
// for. The remote is not asked.
func (r *Repo) Follow(ctx context.Context, tip *Tip) (PushResult, error) {
	ctx, end := r.watch(ctx)
	defer end()
	result := PushResult{Commit: tip.Hash(), Remote: r.o.Remote, Local: Moved}
	owed, err := r.owed(tip)
	if err == nil && owed {
		err = r.moveLocal(ctx, tip, &result)
	}
	if err != nil {
		err = fmt.Errorf("move the local branch %s: %w", tip.branch, withRemedy(err))
	}
	return result, err
}

// owed reports whether the local branch lies behind a tip by commits of which one is ours. Those of others alone are
// none of our business.
func (r *Repo) owed(tip *Tip) (bool, error) {
	now, here, err := r.localBranch(tip.branch)
	if err != nil || !here || r.o.Remote == "" || tip.isNew || now == tip.commit {
		return false, err
	}
	if forward, err := r.history.Contains(tip.commit, now); err != nil || !forward {
		return false, err
	}
	between, err := r.history.Ahead(tip.commit, []hash{now})
	return slices.ContainsFunc(between, func(c *commit) bool { return isOurs(c) }), err
}

// emptyOutbox forgets the commit if it is the one that waits.
func (r *Repo) emptyOutbox(ctx context.Context, tip *Tip) error {
	waiting, err := r.Pending(tip.branch)
	if err != nil || waiting == nil || waiting.commit != tip.commit {
		return err
	}
	note, ok, err := r.refs.Read(outbox(tip.branch))
	if err != nil || !ok {
		return err
	}
	return r.refs.Remove(ctx, outbox(tip.branch), note)
}
