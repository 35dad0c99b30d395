package pull

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/request"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
)

// delivery is the branch that a pull commits to, and what became of its commit.
type delivery struct {
	branch  *pass.Branch
	account *account
	diff    bool // the report shows it

	tip, base *gitops.Tip // the branch as this pull leaves it, and what it is to be merged into; nil before they were read
	merged    bool        // the branch has nothing that base lacks
	looked    string      // where branch and base were

	brought     bool             // the commit has arrived, and that is remembered
	redelivered bool             // it had arrived before, and the remote had lost it
	waits       bool             // it has arrived nowhere yet
	refused     *gitops.Tip      // the commit that the remote did not take; nil when it took everything
	why         error            // in its words
	offer       string           // the address for a request that the remote printed
	earlier     *ledger.Delivery // whose arrival an earlier pull did not live to remember; nil for none
}

// deliverPending pushes a commit that an earlier pull made and could not deliver. One that the branch has moved past,
// or that the remote refuses, is dropped and computed again. While it waits nothing can be added to the branch.
func (r *delivery) deliverPending(ctx context.Context) (waits bool, err error) {
	tip, err := r.branch.Repo.Pending(r.branch.Project.Pull.Branch)
	if err != nil || tip == nil {
		return false, err
	}
	r.branch.Log.Info("delivering a commit that was made earlier", zap.String("commit", tip.Hash()))
	var base *gitops.Tip
	if r.branch.Project.Pull.Request.Kind == config.RequestOptions { // they name base, which is not read yet
		at, err := r.branch.Repo.At(ctx, r.branch.Project.Pull.Branch, r.branch.Project.Pull.Base)
		if err != nil {
			return false, pass.UsageError(err)
		}
		base = at.Base()
	}
	res, err := r.push(ctx, tip, base)
	if errors.Is(err, gitops.ErrRefused) {
		r.refused, r.why = tip, err
	}
	if errors.Is(err, gitops.ErrMoved) || errors.Is(err, gitops.ErrRefused) {
		return false, r.branch.Repo.Drop(r.branch.Project.Pull.Branch)
	}
	if err != nil {
		err = fmt.Errorf("deliver commit %.10s to branch %s: %w", tip.Hash(), r.branch.Project.Pull.Branch, err)
		return false, pass.UsageError(err)
	}
	return !r.delivered(res), nil
}

// deliverAgain brings a branch back that was deleted or set back at the remote, when it has translations that base
// lacks. Where the remote refuses that, the report says so.
func (r *delivery) deliverAgain(ctx context.Context, t *tree.Tree, tip *gitops.Tip) error {
	if !tip.Unpublished() {
		return nil
	}
	targets, err := bundle.Existing(tip, t.Bundles(), r.branch.Project.Targets())
	if base := tip.Base(); base != nil { // compared with what merging the branch would bring to it
		targets = slices.DeleteFunc(targets, func(of bundle.Target) bool {
			was, werr := fs.ReadFile(base, of.Path)
			now, nerr := fs.ReadFile(t.FS, of.Path)
			neither := errors.Is(werr, fs.ErrNotExist) && errors.Is(nerr, fs.ErrNotExist)
			return neither || werr == nil && nerr == nil && bytes.Equal(was, now)
		})
	}
	if err != nil || len(targets) == 0 {
		return err
	}
	r.branch.Log.Info("the remote has lost commits of the branch; they are delivered again",
		zap.String("branch", r.branch.Project.Pull.Branch), zap.String("commit", tip.Hash()))
	res, err := r.push(ctx, tip, r.base)
	if errors.Is(err, gitops.ErrRefused) { // what this pull is for is done
		r.account.problem(report.Problem{Code: report.CodeBranch, Problem: fmt.Sprintf("the remote has lost commits of "+
			"branch %s, up to %s, and does not take them again: %v. Let it take them, or set another pull.branch; "+
			"the next pull offers them again", r.branch.Project.Pull.Branch, tip.Hash()[:10], err)})
		r.tip = nil // there is nothing there that could be asked for
		return nil
	}
	if err != nil {
		err = fmt.Errorf("deliver commit %.10s to branch %s again: %w", tip.Hash(), r.branch.Project.Pull.Branch, err)
		return pass.UsageError(err)
	}
	r.redelivered = r.delivered(res)
	return nil
}

// committed makes the commit. What the remote refused in this pull is made as it was, and comes with the refusal: the
// same content is not sent to it again before the next one.
func (r *delivery) committed(
	ctx context.Context, commit func(when time.Time) (*gitops.Tip, error),
) (made *gitops.Tip, refused, err error) {
	if r.refused != nil {
		if made, err = commit(r.refused.When()); err != nil {
			return nil, nil, err
		}
		changed, err := r.branch.Repo.History.Changed(ctx, r.refused.Hash(), made.Hash())
		if err == nil && len(changed) == 0 {
			return made, r.why, nil
		}
		if err := r.branch.Repo.Drop(r.branch.Project.Pull.Branch); err != nil {
			return nil, nil, err
		}
	}
	made, err = commit(r.branch.Now())
	return made, nil, err
}

// follow moves the branch forward to a commit of base, or a local branch that an earlier commit had to leave, now that
// there is no new one that does. A dry run finds out whether it would.
func (r *delivery) follow(ctx context.Context, tip *gitops.Tip) (err error) {
	var res gitops.PushResult
	here := r.tip == nil || tip == r.tip || r.account.o.DryRun // the remote has it, or has just refused it
	if here {
		res, err = r.branch.Repo.Follow(ctx, tip, r.account.o.DryRun)
	} else {
		res, err = r.branch.Repo.Push(ctx, tip)
	}
	if err != nil {
		return pass.UsageError(err)
	}
	if !here {
		r.tip, r.looked = tip, lookAfter(r.tip, tip.Hash())
	}
	r.leftLocal(res)
	return nil
}

// leftLocal says that the local branch stays behind, and why.
func (r *delivery) leftLocal(res gitops.PushResult) {
	if res.Local == gitops.Left {
		r.account.problem(report.Problem{Code: report.CodeBranch,
			Problem: res.Why + "; until that is settled the branch cannot follow"})
	}
}

// delivered puts what became of a commit into the report; false when it has arrived nowhere.
func (r *delivery) delivered(res gitops.PushResult) bool {
	r.account.report.Commit, r.account.report.Pushed = res.Commit, res.Pushed
	for _, line := range res.Said {
		r.branch.Log.Info("the remote says", zap.String("line", line))
	}
	r.leftLocal(res)
	if r.offer = cmp.Or(res.Offer, r.offer); res.NoPushOptions {
		r.account.problem(report.Problem{Code: report.CodeRequest, Problem: "the remote takes no push options, so no merge " +
			`request was made; set pull.request.kind to "gitlab", which takes a token`})
	}
	r.waits = !res.Pushed && res.Local == gitops.Left
	return !r.waits
}

// recall remembers the merges of an earlier commit that the branch has, and forgets those of one that it does not have.
func (r *delivery) recall(ctx context.Context, tip *gitops.Tip) error {
	d, ok, err := ledger.Deliveries.Get(r.branch.Ledger, r.branch.StateName(), r.branch.Project.Pull.Branch)
	if err != nil || !ok {
		return err
	}
	arrived, err := tip.Contains(d.Commit)
	if err != nil {
		return err
	}
	if err := Unstage(ctx, r.branch, d, arrived && d.Staged); err != nil {
		return err
	}
	if arrived {
		r.earlier = &d
	}
	return nil
}

// deliver makes the commit and brings it to its branch. It returns false when it has arrived nowhere: the branch is
// checked out here and its tree has changes of its own.
func (r *delivery) deliver(
	ctx context.Context, on *gitops.Tip, files map[string][]byte, message gitops.Message, done []*merged,
) (arrived bool, err error) {
	r.branch.Say("committing %s to branch %s", report.Counted(len(files), "file", "files"), r.branch.Project.Pull.Branch)
	made, refused, err := r.committed(ctx, func(when time.Time) (*gitops.Tip, error) {
		message.When = when
		made, err := r.branch.Repo.Commit(ctx, on, r.branch.Project.Pull.Branch, files, message)
		if err != nil {
			return nil, pass.UsageError(fmt.Errorf("commit to branch %s: %w", r.branch.Project.Pull.Branch, err))
		}
		return made, nil
	})
	if err != nil {
		return false, err
	}
	if r.diff {
		var shown gitops.Preview
		if shown, err = r.branch.Repo.Preview(ctx, on, files); err != nil {
			r.branch.Log.Warn("cannot show what was committed", zap.Error(err))
		}
		r.account.report.Diff = shown.Diff
	}
	if err := stage(ctx, r.branch, ledger.Delivery{Commit: made.Hash(), Keys: r.account.report.Keys}, done); err != nil {
		return false, err
	}
	var res gitops.PushResult
	if err = refused; err == nil {
		res, err = r.push(ctx, made, r.base)
	}
	if errors.Is(err, gitops.ErrMoved) {
		return false, errors.Join(err, r.branch.Repo.Drop(r.branch.Project.Pull.Branch))
	}
	if err != nil {
		r.account.report.Commit = made.Hash()
		return false, pass.UsageError(fmt.Errorf("deliver commit %.10s to branch %s "+
			"(it is kept and delivered by the next pull): %w", made.Hash(), r.branch.Project.Pull.Branch, err))
	}
	if !r.delivered(res) {
		return false, nil
	}
	r.tip, r.merged, r.looked = made, false, lookAfter(r.tip, made.Hash())
	return true, nil
}

// push brings a commit to its branch. The options that a request needs name base.
func (r *delivery) push(ctx context.Context, tip, base *gitops.Tip) (gitops.PushResult, error) {
	options, err := r.toMerge().PushOptions(ctx, tip, base)
	if err != nil {
		return gitops.PushResult{}, err
	}
	return r.branch.Repo.Push(ctx, tip, options...)
}

// Look is the commits that decide what a pull builds on.
func Look(tip *gitops.Tip) string {
	text := tip.Hash()
	if tip.New() {
		return text + " new"
	}
	if base := tip.Base(); base != nil {
		text += " " + base.Hash()
	}
	return text
}

// lookAfter is what Look says to the next pull when this one made a commit and nothing else happens.
func lookAfter(tip *gitops.Tip, made string) string {
	if tip.New() {
		return made + " " + tip.Hash() // that was its base
	}
	return made + strings.TrimPrefix(Look(tip), tip.Hash())
}

// toMerge is the request to merge the branch, which has the problems of this pull.
func (r *delivery) toMerge() *request.Branch {
	b := r.branch.MergeRequest(r.branch.Repo)
	b.Problems = &r.account.report.Problems
	return b
}

// askToMerge brings the branch's request in sync with it.
func (r *delivery) askToMerge(ctx context.Context) error {
	q, err := r.toMerge().Update(ctx, request.Pulled{Tip: r.tip, Base: r.base, Merged: r.merged, Offer: r.offer})
	r.account.report.RequestURL, r.account.report.Request = q.URL, q.Did
	return err
}
