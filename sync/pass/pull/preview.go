package pull

import (
	"context"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/pass/tree"
)

// preview shows the commit of a pull instead of making it.
type preview struct{ to *delivery }

// deliverPending leaves a commit that an earlier pull made to the next one.
func (r *preview) deliverPending(context.Context) (waits bool, err error) { return false, nil }

func (r *preview) deliver(
	ctx context.Context, on *gitops.Tip, files map[string][]byte, _ gitops.Message, _ []*merged,
) (arrived bool, err error) {
	shown, err := r.to.branch.Repo.Preview(ctx, on, files)
	if err != nil {
		return false, err
	}
	r.to.account.report.Diff, r.to.tip = shown.Diff, shown.Tip
	return false, nil
}

func (r *preview) deliverAgain(context.Context, *tree.Tree, *gitops.Tip) error { return nil }

// follow tells whether the branch can follow: to what would have been committed.
func (r *preview) follow(ctx context.Context, _ *gitops.Tip) error {
	return r.to.follow(ctx, r.to.tip)
}

func (r *preview) askToMerge(context.Context) error { return nil }
