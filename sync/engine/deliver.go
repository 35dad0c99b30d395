package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
)

// deliverPending pushes a commit that an earlier pull made and could not deliver. One that the branch has moved past is dropped: what it
// said is computed again. So is one that the remote refuses, for the service may have by now what the remote wants. waits means that it cannot be delivered now, and that the report says why: nothing can be added to the branch before.
func (r *pulling) deliverPending(ctx context.Context) (waits bool, err error) {
	tip, err := r.repo.Pending(r.cfg.Pull.Branch)
	if err != nil || tip == nil {
		return false, err
	}
	r.log.Info("delivering a commit that was made earlier", zap.String("commit", tip.Hash()))
	var options []string
	if r.cfg.Pull.Request.Kind == config.RequestOptions { // they speak of base, which nobody has read yet
		at, err := r.repo.At(ctx, r.cfg.Pull.Branch, r.cfg.Pull.Base)
		if err != nil {
			return false, usage(err)
		}
		if options, err = r.pushOptions(ctx, tip, at.Base()); err != nil {
			return false, err
		}
	}
	res, err := r.repo.Push(ctx, tip, options...)
	if errors.Is(err, gitops.ErrMoved) {
		return false, r.repo.Drop(r.cfg.Pull.Branch)
	}
	if errors.Is(err, gitops.ErrRefused) {
		r.refused = &refusal{tip, err}
		return false, r.repo.Drop(r.cfg.Pull.Branch)
	}
	if err != nil {
		return false, usage(fmt.Errorf("deliver commit %.10s to branch %s: %w", tip.Hash(), r.cfg.Pull.Branch, err))
	}
	return !r.delivered(res), nil
}

// deliverAgain brings a branch back that was deleted at the remote, or set back there, when it has translations that base has not: nobody has merged them.
// Where the remote refuses that, the report says so.
func (r *pulling) deliverAgain(ctx context.Context, t *tree, tip *gitops.Tip) error {
	if !tip.Unpublished() {
		return nil
	}
	targets, err := bundle.Existing(tip, t.bundles(), r.cfg.Targets())
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(targets, func(target bundle.Target) bool {
		ours, err := fs.ReadFile(tip, target.Path)
		if err != nil || tip.Base() == nil {
			return err == nil
		}
		theirs, err := fs.ReadFile(tip.Base(), target.Path)
		return err != nil || !bytes.Equal(ours, theirs)
	}) {
		return nil
	}
	r.log.Info("the remote has lost commits of the branch; they are delivered again", zap.String("branch", r.cfg.Pull.Branch), zap.String("commit", tip.Hash()))
	options, err := r.pushOptions(ctx, tip, r.base)
	if err != nil {
		return err
	}
	res, err := r.repo.Push(ctx, tip, options...)
	if errors.Is(err, gitops.ErrRefused) { // what this pull is for is done
		r.problem(report.Problem{Code: report.CodeBranch, Problem: fmt.Sprintf("the remote has lost commits of branch %s, up to %s, and does not take them again: %v. Let it take them, or set another pull.branch; the next pull offers them again",
			r.cfg.Pull.Branch, tip.Hash()[:10], err)})
		r.tip = nil // there is nothing there that could be asked for
		return nil
	}
	if err != nil {
		return usage(fmt.Errorf("deliver commit %.10s to branch %s again: %w", tip.Hash(), r.cfg.Pull.Branch, err))
	}
	r.redelivered = r.delivered(res)
	return nil
}

// refusal is a commit that the remote refused in this pull, and its words.
type refusal struct {
	tip *gitops.Tip
	err error
}

// committed makes the commit. What the remote refused in this pull is made as it was, and comes with the refusal: the same content is not
// sent to it again before the next one.
func (r *pulling) committed(ctx context.Context, commit func(when time.Time) (*gitops.Tip, error)) (made *gitops.Tip, refused, err error) {
	if r.refused == nil {
		made, err = commit(r.Now())
		return made, nil, err
	}
	if made, err = commit(r.refused.tip.When()); err != nil {
		return nil, nil, err
	}
	if changed, err := r.repo.History.Changed(ctx, r.refused.tip.Hash(), made.Hash()); err == nil && len(changed) == 0 {
		return made, r.refused.err, nil
	}
	if err := r.repo.Drop(r.cfg.Pull.Branch); err != nil {
		return nil, nil, err
	}
	made, err = commit(r.Now())
	return made, nil, err
}

// follow moves a local branch that an earlier commit had to leave, now that there is no new one that does.
func (r *pulling) follow(ctx context.Context, tip *gitops.Tip) error {
	res, err := r.repo.Follow(ctx, tip)
	if err == nil {
		r.leftLocal(res)
	}
	return err
}

// leftLocal says that the local branch stays behind, and why.
func (r *pulling) leftLocal(res gitops.PushResult) {
	if res.Local == gitops.Left {
		r.problem(report.Problem{Code: report.CodeBranch,
			Problem: res.Why + "; until that is settled the branch cannot follow"})
	}
}

// delivered puts what became of a commit into the report; false when it has arrived nowhere.
func (r *pulling) delivered(res gitops.PushResult) bool {
	r.report.Commit, r.report.Pushed = res.Commit, res.Pushed
	for _, line := range res.Said {
		r.log.Info("the remote says", zap.String("line", line))
	}
	r.leftLocal(res)
	if r.offer = cmp.Or(res.Offer, r.offer); res.Deaf {
		r.problem(report.Problem{Code: report.CodeRequest, Problem: `the remote takes no push options, so no merge request was made; set pull.request.kind to "gitlab", which takes a token`})
	}
	r.waits = !res.Pushed && res.Local == gitops.Left
	return !r.waits
}

// recall remembers the merges of an earlier commit that the branch has, and forgets those of one that it does not have.
func (r *pulling) recall(ctx context.Context, tip *gitops.Tip) error {
	d, ok, err := ledger.Deliveries.Get(r.State, r.stateName(), r.cfg.Pull.Branch)
	if err != nil || !ok {
		return err
	}
	arrived, err := tip.Contains(d.Commit)
	if err != nil {
		return err
	}
	if err := r.unstage(ctx, d, arrived); err != nil {
		return err
	}
	if arrived {
		r.earlier = &d
	}
	return nil
}

// stage writes down what a commit's merges are to be remembered as, after the delivery itself: what a crash leaves half staged is dropped
// with the delivery, since its commit is pushed later only. Texts enter the files' histories at once: a reader that finds them in the
// repository must not take them for a person's change.
func (r *pulling) stage(ctx context.Context, commit string, done []*merged) error {
	d := ledger.Delivery{Commit: commit, Keys: r.report.Keys}
	var staged []*merged
	for _, m := range done {
		if m.bytes == nil {
			continue
		}
		f := ledger.DeliveredFile{Path: m.Path, Language: m.Language.Code}
		if m.wording != nil {
			f.Collection = m.wording.at.Collection
		}
		d.Files, staged = append(d.Files, f), append(staged, m)
	}
	put := func(tx ledger.Writer) (int, error) {
		return 0, ledger.Deliveries.Put(tx, r.stateName(), r.cfg.Pull.Branch, d)
	}
	return r.inPieces(ctx, append([]stateStep{put}, r.remembering(staged, true)...), func(ledger.Writer) error { return nil })
}

// remembering are the steps that write down merges.
func (r *pulling) remembering(done []*merged, staged bool) (steps []stateStep) {
	for _, m := range done {
		steps = append(steps, func(tx ledger.Writer) (int, error) { return m.weight, m.remember(r.project, tx, staged) })
	}
	return steps
}

// unstage ends a delivery, which has arrived or not.
func (r *pulling) unstage(ctx context.Context, d ledger.Delivery, arrived bool) error {
	return r.inPieces(ctx, r.unstaging(d, arrived), r.ending(d, arrived))
}

// unstaging are the steps that take over what is staged where the commit arrived, and drop it otherwise. Each may be made again.
func (r *pulling) unstaging(d ledger.Delivery, arrived bool) (steps []stateStep) {
	if arrived {
		steps = append(steps, func(tx ledger.Writer) (int, error) { return 0, r.reworded(tx, d) })
	}
	for _, f := range d.Files {
		steps = append(steps, func(tx ledger.Writer) (int, error) { return unstagedWeight, r.unstageOne(tx, f, arrived) })
	}
	return steps
}

// unstagedWeight stands for the number of texts in one file, which is not known here.
const unstagedWeight = pieceWeight / 32

func (r *pulling) unstageOne(tx ledger.Writer, f ledger.DeliveredFile, arrived bool) error {
	if f.Collection != "" {
		return tx.DropMarks(r.pushedSlot(f.Source()).Stage(true))
	}
	for _, kind := range []ledger.TargetMarks{ledger.Merged, ledger.Filler, ledger.Made, ledger.Outdated, lookAt(r.cfg.Pull.Branch).kind()} {
		slot := r.slot(kind, f.Path, f.Language).Stage(true)
		if !arrived {
			if err := tx.DropMarks(slot); err != nil {
				return err
			}
		} else if _, err := tx.MoveMarks(slot, r.slot(kind, f.Path, f.Language)); err != nil {
			return err
		}
	}
	if !arrived {
		return nil
	}
	return r.written(tx, f.Path, f.Language)
}

// ending is the last step of a delivery: without its record nothing of it is left.
func (r *pulling) ending(d ledger.Delivery, arrived bool) func(ledger.Writer) error {
	return func(tx ledger.Writer) error {
		if arrived {
			if err := r.mergedAt(tx, d.Commit); err != nil {
				return err
			}
		}
		return ledger.Deliveries.Delete(tx, r.stateName(), r.cfg.Pull.Branch)
	}
}

// mergedAt remembers the commit of the branch that everything was merged into, which is also the last one that was looked at there.
func (r *pulling) mergedAt(tx ledger.Writer, commit string) error {
	if commit != "" {
		if err := ledger.RecollectedAt.Put(tx, r.stateName(), r.cfg.Pull.Branch, commit); err != nil {
			return err
		}
	}
	if err := ledger.MergedAt.Put(tx, r.stateName(), r.cfg.Pull.Branch, commit); err != nil {
		return err
	}
	return ledger.SeenAt.Put(tx, r.stateName(), lookAt(r.cfg.Pull.Branch).record(), commit)
}

// commit writes what the merges brought as one commit and delivers it, then remembers the merges: effect first, memory second. When
// the delivery fails the commit waits in the repository, and nothing is remembered that the branch does not have.
func (r *pulling) commit(ctx context.Context, on *gitops.Tip, joined map[string][]byte, done []*merged) error {
	for {
		files, data := r.tally(joined, done)
		var err error
		switch {
		case len(data.Files) == 0:
		case r.o.DryRun:
			var preview gitops.Preview
			preview, err = r.repo.Preview(ctx, on, files)
			r.report.Diff = preview.Diff
		default:
			var arrived bool
			if arrived, err = r.deliver(ctx, on, files, data, done); err == nil && !arrived {
				return nil // it waits; nothing is remembered of it yet
			}
		}
		var bad *gitops.BadPaths
		if errors.As(err, &bad) {
			if done, err = r.without(bad, joined, done); err == nil {
				continue
			}
		}
		if errors.Is(err, gitops.ErrNothing) {
			r.report.Files, r.report.Keys, err = []report.PulledFile{}, 0, nil
		}
		if err != nil || r.o.DryRun {
			return err
		}
		r.brought, err = r.rememberAll(context.WithoutCancel(ctx), on, done)
		return err
	}
}

// rememberAll writes down all merges, also those that were staged with a delivery, which it ends and reports.
func (r *pulling) rememberAll(ctx context.Context, on *gitops.Tip, done []*merged) (delivered bool, err error) {
	d, delivered, err := ledger.Deliveries.Get(r.State, r.stateName(), r.cfg.Pull.Branch)
	if err != nil {
		return false, err
	}
	done = slices.DeleteFunc(slices.Clone(done), func(m *merged) bool { return delivered && m.bytes != nil && m.wording == nil })
	steps := r.remembering(done, false)
	end := func(tx ledger.Writer) error { return r.mergedAt(tx, on.Hash()) }
	if delivered {
		steps, end = append(steps, r.unstaging(d, true)...), r.ending(d, true)
	}
	err = r.inPieces(ctx, steps, end)
	return delivered && err == nil, err
}

// without takes the files out that cannot be written, and reports them.
func (r *pulling) without(bad *gitops.BadPaths, joined map[string][]byte, done []*merged) ([]*merged, error) {
	before := len(done) + len(joined)
	for _, b := range bad.Paths {
		r.problem(report.Problem{Code: report.CodeWrite, File: b.Path, Problem: "is not written: " + b.Why})
		delete(joined, b.Path)
		done = slices.DeleteFunc(done, func(m *merged) bool { return m.Path == b.Path })
	}
	if len(done)+len(joined) == before {
		return nil, bad
	}
	return done, nil
}

// deliver makes the commit and brings it to its branch. It returns false when it has arrived nowhere: the branch is checked out here and its
// tree has changes of its own.
func (r *pulling) deliver(ctx context.Context, on *gitops.Tip, files map[string][]byte, data config.CommitData, done []*merged) (arrived bool, err error) {
	steps, err := r.steps(files, data, done)
	if err != nil {
		return false, err
	}
	r.say("committing %s to branch %s", counted(len(files), "file", "files"), r.cfg.Pull.Branch)
	made, refused, err := r.committed(ctx, func(when time.Time) (*gitops.Tip, error) {
		for i := range steps {
			steps[i].Message.When = when
		}
		made, err := r.repo.Chain(ctx, on, r.cfg.Pull.Branch, steps)
		if err != nil {
			return nil, usage(fmt.Errorf("commit to branch %s: %w", r.cfg.Pull.Branch, err))
		}
		return made, nil
	})
	if err != nil {
		return false, err
	}
	if r.o.Diff {
		var shown gitops.Preview
		if shown, err = r.repo.Preview(ctx, on, files); err != nil {
			r.log.Warn("show what was committed", zap.Error(err))
		}
		r.report.Diff = shown.Diff
	}
	if err := r.stage(ctx, made.Hash(), done); err != nil {
		return false, err
	}
	options, err := r.pushOptions(ctx, made, r.base)
	if err != nil {
		return false, err
	}
	var res gitops.PushResult
	if err = refused; err == nil {
		res, err = r.repo.Push(ctx, made, options...)
	}
	if errors.Is(err, gitops.ErrMoved) {
		return false, errors.Join(err, r.repo.Drop(r.cfg.Pull.Branch))
	}
	if err != nil {
		r.report.Commit = made.Hash()
		return false, usage(fmt.Errorf("deliver commit %.10s to branch %s (it is kept and delivered by the next pull): %w", made.Hash(), r.cfg.Pull.Branch, err))
	}
	if !r.delivered(res) {
		return false, nil
	}
	r.tip, r.merged, r.looked = made, false, lookAfter(r.tip, made.Hash())
	return true, nil
}
