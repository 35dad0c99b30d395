package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"go.uber.org/zap"
)

// on is the project for one branch, with the repository of the pass that it is for: nil where there is none.
func (p *project) on(name string, repo *gitops.Repo) (*project, error) {
	cfg, err := p.branch.Project.On(name)
	if err != nil {
		return nil, err
	}
	line := p.with(cfg, repo)
	line.branch.Base, line.branch.Log = name, p.branch.Log.With(zap.String("base", name))
	if trunk := p.branch.Project.Trunk(); trunk != "" && trunk != name {
		other, err := p.on(trunk, repo)
		if err != nil {
			return nil, err
		}
		line.branch.Trunk = other.branch
	}
	return line, nil
}

// with is the project with another configuration and repository.
func (p *project) with(cfg *config.Project, repo *gitops.Repo) *project {
	line := *p.branch
	line.Project, line.Repo = cfg, repo
	return &project{engine: p.engine, common: p.common, branch: &line}
}

// pushLines are the lines of a push.
func (p *project) pushLines(ctx context.Context, dry bool) (census, error) {
	p, err := p.sourced(p.branch.Repo)
	if err != nil {
		return census{}, err
	}
	switch {
	case !p.branch.Project.PerBranch():
		return census{lines: []*project{p}}, nil
	case p.branch.Project.Push.Source != config.Worktree:
		return p.census(ctx, dry)
	}
	head, _, err := p.branch.Repo.Head()
	if err != nil {
		return census{}, err
	}
	if !p.branch.Project.Translates(head) {
		why := p.branch.NotCovered(head)
		if head == "" {
			why = "HEAD is detached, so that it cannot be told which branch its texts are for; check out a branch"
		}
		p.branch.Log.Info("nothing is pushed", zap.String("why", why))
		return census{skipped: why}, nil
	}
	line, err := p.on(head, p.branch.Repo)
	if err != nil {
		return census{}, &failure.UsageError{Err: err}
	}
	return census{lines: []*project{line}},
		p.registry().register(dry, ledger.Line{Base: head, Branch: line.branch.Project.Pull.Branch})
}

// pullLines are the lines of a pull.
func (p *project) pullLines(ctx context.Context, dry bool) (census, error) {
	p, err := p.sourced(p.branch.Repo)
	if err != nil {
		return census{}, err
	}
	if !p.branch.Project.PerBranch() {
		return census{lines: []*project{p}}, nil
	}
	return p.census(ctx, dry)
}

// census is which lines there are now.
type census struct {
	lines    []*project             // the trunk first
	skipped  string                 // why there are none, where that is as it should be
	finished []report.FinishedLine  // since the last census
	waiting  []ledger.WaitingBranch // branches that cannot be lines, or not yet
}

func (c census) found() pass.Found {
	found := pass.Found{Finished: c.finished}
	for _, w := range c.waiting {
		found.Problems = append(found.Problems, w.Problem)
	}
	return found
}

// census looks at the branches and remembers which of the lines are there.
func (p *project) census(ctx context.Context, dry bool) (c census, err error) {
	there, _, err := p.branch.Repo.Branches.List(ctx)
	if err != nil {
		return c, pass.UsageError(err)
	}
	records, err := p.registry().records()
	if err != nil {
		return c, err
	}
	head := ""
	if p.branch.Project.Push.Source == config.Worktree {
		if head, _, err = p.branch.Repo.Head(); err != nil {
			return c, err
		}
	}
	for _, name := range p.candidates(there, records, head) {
		line, err := p.on(name, p.branch.Repo)
		if err != nil {
			c.waiting = append(c.waiting, ledger.WaitingBranch{Problem: report.Problem{
				Code: report.CodeConfiguration, Problem: err.Error()}})
			continue
		}
		if _, at := there[name]; !at {
			if name == head {
				c.waiting = append(c.waiting, ledger.WaitingBranch{Head: head, Ends: ledger.EndsPublished,
					Problem: report.Problem{Code: report.CodeBranch,
						Problem: fmt.Sprintf("branch %s is not at %s yet; its translations come when it is; run git push %s %s", name,
							p.branch.Project.Pull.Remote, p.branch.Project.Pull.Remote, name)}})
			}
			continue
		}
		if clash := clashing(line.branch.Project.Pull.Branch, there); clash != "" {
			c.waiting = append(c.waiting, ledger.WaitingBranch{Problem: report.Problem{Code: report.CodeBranch,
				Problem: fmt.Sprintf("branch %s cannot have a branch for its translations: %s exists, so git cannot have %s "+
					"beside it. "+
					"Delete the one, or choose another pull.branch", name, clash, line.branch.Project.Pull.Branch)}})
			continue
		}
		c.lines = append(c.lines, line)
		if err := p.registry().register(dry, ledger.Line{Base: name, Branch: line.branch.Project.Pull.Branch,
			Published: true}); err != nil {
			return c, err
		}
	}
	if p.branch.Project.Push.Source == config.Worktree && head == "" && len(c.lines) == 0 {
		c.waiting = append(c.waiting, ledger.WaitingBranch{Ends: ledger.EndsAttached, Problem: report.Problem{
			Code: report.CodeBranch, Problem: "HEAD names a commit, so that it cannot be told which branch translations are " +
				"for; check out a branch, or set pull.base"}})
	}
	c.finished, err = p.registry().finish(records, there, head, dry)
	return c, err
}

// clashing is a branch that would be a folder of a new one, or the other way round; "" for none.
func clashing(branch string, there map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if strings.HasPrefix(branch, name+"/") || strings.HasPrefix(name, branch+"/") {
			return name
		}
	}
	return ""
}

// candidates are the branches that may be lines, the trunk first.
func (p *project) candidates(there map[string]string, records map[string]ledger.Line, head string) []string {
	names := make(map[string]bool)
	switch {
	case p.branch.Project.Push.Source != config.Worktree:
		for name := range there {
			names[name] = true
		}
	case len(p.branch.Project.Push.Branches) > 0: // else whatever was once checked out would get translations for good
		for name := range records {
			names[name] = true
		}
		fallthrough
	default:
		names[head] = true
	}
	maps.DeleteFunc(names, func(name string, _ bool) bool { return !p.branch.Project.Translates(name) })
	list := slices.Sorted(maps.Keys(names))
	if at := slices.Index(list, p.branch.Project.Trunk()); at > 0 {
		list = slices.Insert(slices.Delete(list, at, at+1), 0, p.branch.Project.Trunk())
	}
	return list
}

// statusLine is the line that the status is about, after it has listed all of them.
func (p *project) statusLine(ctx context.Context, s *report.ProjectStatus) (*project, error) {
	if !p.branch.Project.PerBranch() && p.branch.Project.Push.Source != "" {
		return p, nil
	}
	from, line := p, (*project)(nil)
	repo, err := p.openWith(ctx, "")
	if err == nil {
		if sourced, serr := p.sourced(repo); serr == nil {
			from = sourced
		}
		line, err = p.current(repo)
		err = errors.Join(err, repo.Close())
	}
	if lerr := from.registry().lineStatuses(s); lerr != nil || err != nil {
		return nil, errors.Join(err, lerr)
	}
	s.Base = line.branch.Base
	return line, nil
}

// current is the line that is shown for all: what pushes are for now, else the trunk; the project
// itself where it has no lines.
func (p *project) current(repo *gitops.Repo) (*project, error) {
	p, err := p.sourced(repo)
	if err != nil || !p.branch.Project.PerBranch() {
		return p, err
	}
	base := p.branch.Project.Trunk()
	if p.branch.Project.Push.Source == config.Worktree {
		head, _, err := repo.Head()
		if err != nil {
			return nil, err
		}
		if p.branch.Project.Translates(head) || base == "" {
			base = head
		}
	}
	if base == "" {
		return nil, &failure.UsageError{Err: errors.New("no branch is checked out, and push.branches names none")}
	}
	return p.on(base, nil) // a pass may be under way, whose repository is its own
}
