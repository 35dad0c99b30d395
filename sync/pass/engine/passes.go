package engine

import (
	"context"
	"errors"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/branches"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
	"go.uber.org/zap"
)

// A pass for which a clone had to be made again (see package repository) is two runs, and one report: what the first
// run did before the clone broke is done, so the second finds nothing of it to do.

// runReport is a line's report of a run, which can be continued by the report of another run.
type runReport[R any] interface {
	Line() string
	Then(R) R
}

// kind is what pushes and pulls differ in: which branches have one, how it is made, and the reports of none.
type kind[O any, R runReport[R]] struct {
	name    string // in the ledger, too
	enabled func(*config.Project) bool
	census  func(context.Context, *pass.Branch) (branches.Census, error)
	make    func(context.Context, *pass.Branch, O, pass.Found) (R, error)
	none    func(p *pass.Branch, o O, why string, found pass.Found, err error) (R, error)
	failed  func(*pass.Branch, O, error) R
	near    func(O) bool // it is about what changed here, and asks the remote for nothing before it sends that

	// followed says that another pass of a project follows at once, which saves what both have learned.
	followed func(O, *config.Project) bool
}

var (
	pushes = kind[push.Options, push.Report]{ledger.PassPush, func(p *config.Project) bool { return p.Push.Enabled },
		branches.ForPush, push.Make, push.None, push.Failed, func(o push.Options) bool { return o.Near },
		func(o push.Options, p *config.Project) bool { return o.Followed && p.Pull.Enabled }}
	pulls = kind[pull.Options, pull.Report]{ledger.PassPull, func(p *config.Project) bool { return p.Pull.Enabled },
		branches.ForPull, pull.Make, pull.None, pull.Failed, func(pull.Options) bool { return false },
		func(pull.Options, *config.Project) bool { return false }}
)

// push makes one pass for each line that pushes are for.
func (p *project) push(ctx context.Context, o push.Options) ([]push.Report, error) {
	return pushes.run(ctx, p, o, o.DryRun, false)
}

// pull makes one pass for each line that translations are wanted for.
func (p *project) pull(ctx context.Context, o pull.Options) ([]pull.Report, error) {
	return pulls.run(ctx, p, o, o.DryRun, !o.DryRun && len(o.Languages) == 0)
}

// run makes a pass of each line that has one, and makes it again where what it failed for could be repaired. The
// schedule goes on from one that counts.
func (of kind[O, R]) run(ctx context.Context, p *project, o O, dry, counts bool) (reports []R, err error) {
	defer func() {
		if e := fault.Of(recover()); e != nil {
			e.Log("the " + of.name + " of project " + p.branch.Project.Name)
			reports, err = []R{of.failed(p.branch, o, e)}, e
		}
	}()
	ctx, done, err := p.lock(ctx, of.name)
	if err != nil {
		return []R{of.failed(p.branch, o, err)}, err
	}
	defer done()
	if !of.enabled(p.branch.Project) {
		return []R{of.failed(p.branch, o, nil)}, nil
	}
	defer p.finished()
	if of.name == ledger.PassPush {
		defer func() { // a push that came back in vain because git is busy waits for it
			p.branch.GitBusy.Is(p.branch.Now())
			if !errors.Is(err, gitops.ErrBusy) {
				p.branch.GitBusy.Ends()
			}
		}()
	} else if counts {
		p.began(p.branch.Now())
	}
	first, err := of.once(ctx, p, o, dry)
	if !p.repository.Repair(ctx, err) {
		return first, err
	}
	second, err := of.once(ctx, p, o, dry)
	if dry { // nothing was done
		return second, err
	}
	return mergeReports(first, second), err
}

// once makes a pass of each branch that has one. The failure of one does not keep the others from theirs.
func (of kind[O, R]) once(ctx context.Context, p *project, o O, dry bool) ([]R, error) {
	branch, c := p.branch, branches.Census{}
	if dry {
		branch = branch.Draft()
	}
	repo, err := p.repository.Open(ctx)
	if err == nil {
		defer p.repository.Close(repo)
		m := memoryOf(branch, repo, dry)
		err = m.Begin(ctx, of.near(o))
		if err == nil && !of.followed(o, branch.Project) {
			defer p.remember(ctx, m, branch, repo)
		}
		if err == nil {
			c, err = of.census(ctx, branches.With(branch, branch.Project, repo))
		}
	}
	if err == nil {
		err = c.Remember(branch, of.name)
	}
	if err != nil || len(c.Lines) == 0 {
		result, err := of.none(branch, o, c.Skipped, c.Found(), err)
		return []R{result}, err
	}
	var reports []R
	var errs []error
	for i, line := range c.Lines {
		var found pass.Found
		if i == 0 {
			found = c.Found()
		}
		result, err := of.make(ctx, line, o, found)
		reports = append(reports, result)
		errs = append(errs, err)
	}
	if !dry && of.name == ledger.PassPull {
		p.repository.Maintain(ctx, repo)
	}
	if !dry {
		p.repository.Shrink(ctx)
	}
	return reports, errors.Join(errs...)
}

// remember saves what a pass has learned. What cannot be saved now is saved by the next pass.
func (p *project) remember(ctx context.Context, m *memory.Memory, branch *pass.Branch, repo *gitops.Repo) {
	if m == nil || ctx.Err() != nil {
		return
	}
	if err := m.End(ctx, func() ([]memory.Line, error) { return linesOf(branch, repo, m.Kept) }); err != nil {
		p.branch.Log.Error("what was agreed on with the service cannot be saved in the repository; other clones do not "+
			"know of it", zap.Error(err))
	}
}

// pushAgain makes a push again while imports of it are lost on their way and the service may come back. What is still
// pending is then sent as it is by that time, after the service's present texts were read again.
func (p *project) pushAgain(
	ctx context.Context, o push.Options, reports []push.Report, err error,
) ([]push.Report, error) {
	again := service.NewRecovery(p.branch.Service)
	defer again.End()
	for again.Worth(ctx, err) {
		var second []push.Report
		second, err = p.push(ctx, o)
		reports = mergeReports(reports, second)
	}
	return reports, err
}

// mergeReports are the reports of two runs by line, in the second's order.
func mergeReports[R runReport[R]](first, second []R) []R {
	at := make(map[string]int, len(second))
	for i, r := range second {
		at[r.Line()] = i
	}
	for _, r := range first {
		i, both := at[r.Line()]
		switch {
		case both:
			second[i] = r.Then(second[i])
		case r.Line() == "": // it did not come as far as to the lines
			second[0] = r.Then(second[0])
		default: // its branch is gone since
			second = append(second, r)
		}
	}
	return second
}
