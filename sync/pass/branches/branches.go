// Package branches tells which branches of a project have passes: the only one, or, where the branches of a project are
// translated beside each other, the lines, each with a ledger scope of its own.
//
// Its law: a line is found in git and remembered in the ledger; one that git does not have any more is finished, named
// once, and forgotten later. It makes no pass and opens no repository.
package branches

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"go.uber.org/zap"
)

// On is a project's line of one branch, with the repository of the pass that it is for: nil where there is none.
func On(p *pass.Branch, name string, repo *gitops.Repo) (*pass.Branch, error) {
	cfg, err := p.Project.On(name)
	if err != nil {
		return nil, err
	}
	line := With(p, cfg, repo)
	line.Base, line.Log = name, p.Log.With(zap.String("base", name))
	if trunk := p.Project.Trunk(); trunk != "" && trunk != name {
		if line.Trunk, err = On(p, trunk, repo); err != nil {
			return nil, err
		}
	}
	return line, nil
}

// With is a branch with another configuration and repository.
func With(p *pass.Branch, cfg *config.Project, repo *gitops.Repo) *pass.Branch {
	line := *p
	line.Project, line.Repo = cfg, repo
	return &line
}

// Sourced is the project with the branch that its pushes read: the default one of a clone whose configuration names
// none.
func Sourced(p *pass.Branch, repo *gitops.Repo) (*pass.Branch, error) {
	p, err := p.Settled()
	if err != nil {
		return nil, err
	}
	if p.Project.Push.Source != "" {
		return p, nil
	}
	head, _, err := repo.Head()
	if err != nil {
		return nil, err
	}
	return With(p, p.Project.From(head), repo), nil
}

// ForPush are the branches of a push, whose repository is open.
func ForPush(ctx context.Context, p *pass.Branch) (Census, error) {
	p, err := Sourced(p, p.Repo)
	if err != nil {
		return Census{}, err
	}
	c, err := forPush(ctx, p)
	if err != nil {
		return c, err
	}
	nowhere, err := Nowhere(ctx, p)
	if nowhere != nil {
		c.waiting = append(c.waiting, ledger.WaitingBranch{Problem: *nowhere})
	}
	return c, err
}

// Nowhere is the problem of push.branches of which none exists, neither here nor at the remote; nil where one does, or
// where the remote does not say.
func Nowhere(ctx context.Context, p *pass.Branch) (*report.Problem, error) {
	if p.Project.Push.Source != config.Worktree || len(p.Project.Push.Branches) == 0 {
		return nil, nil
	}
	head, _, err := p.Repo.Head()
	if err != nil || p.Project.Push.Covers(head) {
		return nil, err
	}
	known, err := p.Repo.BranchWith("", p.Project.Push.Covers)
	if err != nil || known != "" {
		return nil, err
	}
	there, usual, err := p.Repo.Branches.List(ctx)
	if err != nil && !errors.Is(err, gitops.ErrNoRemote) {
		return nil, ctx.Err()
	}
	for name := range there {
		if p.Project.Push.Covers(name) {
			return nil, nil
		}
	}
	at := p.Project.Problem("push.branches", "none of them (%s) exists, here or at the remote, so that nothing is pushed",
		strings.Join(p.Project.Push.Branches, ", "))
	return &report.Problem{Code: report.CodeBranch, File: at.File, Line: at.Line,
		Column: max(at.Column, 1), Key: at.Key, Problem: at.Message,
		Remedy: fmt.Sprintf("name a branch that exists, such as %s", cmp.Or(head, usual, "main"))}, nil
}

func forPush(ctx context.Context, p *pass.Branch) (Census, error) {
	switch {
	case !p.Project.PerBranch():
		return Census{Lines: []*pass.Branch{p}}, nil
	case p.Project.Push.Source != config.Worktree:
		return take(ctx, p)
	}
	head, _, err := p.Repo.Head()
	if err != nil {
		return Census{}, err
	}
	if !p.Project.Translates(head) {
		why := p.NotCovered(head)
		if head == "" {
			why = "HEAD is detached, so that it cannot be told which branch its texts are for; check out a branch"
		}
		p.Log.Info("nothing is pushed", zap.String("why", why))
		return Census{Skipped: why}, nil
	}
	line, err := On(p, head, p.Repo)
	if err != nil {
		return Census{}, &failure.UsageError{Err: err}
	}
	return Census{Lines: []*pass.Branch{line}},
		registry{p}.register(ledger.Line{Base: head, Branch: line.Project.Pull.Branch})
}

// ForPull are the branches of a pull, whose repository is open.
func ForPull(ctx context.Context, p *pass.Branch) (Census, error) {
	p, err := Sourced(p, p.Repo)
	if err != nil {
		return Census{}, err
	}
	if !p.Project.PerBranch() {
		return Census{Lines: []*pass.Branch{p}}, nil
	}
	return take(ctx, p)
}

// Census is which branches have passes now.
type Census struct {
	Lines    []*pass.Branch         // the trunk first
	Skipped  string                 // why there are none, where that is as it should be
	finished []report.FinishedLine  // since the last census
	waiting  []ledger.WaitingBranch // branches that cannot be lines, or not yet
}

// Found is what the report of a pass tells of the branches.
func (c Census) Found() pass.Found {
	found := pass.Found{Finished: c.finished}
	for _, w := range c.waiting {
		found.Problems = append(found.Problems, w.Problem)
	}
	return found
}

// take looks at the branches and remembers which of the lines are there.
func take(ctx context.Context, p *pass.Branch) (c Census, err error) {
	there, _, err := p.Repo.Branches.List(ctx)
	if err != nil {
		return c, pass.UsageError(err)
	}
	records, err := registry{p}.records()
	if err != nil {
		return c, err
	}
	head := ""
	if p.Project.Push.Source == config.Worktree {
		if head, _, err = p.Repo.Head(); err != nil {
			return c, err
		}
	}
	for _, name := range candidates(p, there, records, head) {
		line, err := On(p, name, p.Repo)
		if err != nil {
			c.waiting = append(c.waiting, ledger.WaitingBranch{Problem: report.Problem{
				Code: report.CodeConfiguration, Problem: err.Error()}})
			continue
		}
		if _, at := there[name]; !at {
			if name == head {
				word, _ := report.ShellWord(name)
				c.waiting = append(c.waiting, ledger.WaitingBranch{Head: head, Ends: ledger.EndsPublished,
					Problem: report.Problem{Code: report.CodeBranch,
						Problem: fmt.Sprintf("branch %s is not at %s yet; its translations come when it is; run git push %s %s", name,
							p.Project.Pull.Remote, p.Project.Pull.Remote, word)}})
			}
			continue
		}
		if clash := clashing(line.Project.Pull.Branch, there); clash != "" {
			c.waiting = append(c.waiting, ledger.WaitingBranch{Problem: report.Problem{Code: report.CodeBranch,
				Problem: fmt.Sprintf("branch %s cannot have a branch for its translations: %s exists, so git cannot have %s "+
					"beside it. "+
					"Delete the one, or choose another pull.branch", name, clash, line.Project.Pull.Branch)}})
			continue
		}
		c.Lines = append(c.Lines, line)
		now := ledger.Line{Base: name, Branch: line.Project.Pull.Branch, Published: true}
		if err := (registry{p}).register(now); err != nil {
			return c, err
		}
	}
	if p.Project.Push.Source == config.Worktree && head == "" && len(c.Lines) == 0 {
		c.waiting = append(c.waiting, ledger.WaitingBranch{Ends: ledger.EndsAttached, Problem: report.Problem{
			Code: report.CodeBranch, Problem: "HEAD names a commit, so that it cannot be told which branch translations are " +
				"for; check out a branch, or set pull.base"}})
	}
	c.finished, err = registry{p}.finish(records, there, head)
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
func candidates(p *pass.Branch, there map[string]string, records map[string]ledger.Line, head string) []string {
	names := make(map[string]bool)
	switch {
	case p.Project.Push.Source != config.Worktree:
		for name := range there {
			names[name] = true
		}
	case len(p.Project.Push.Branches) > 0: // else whatever was once checked out would get translations for good
		for name := range records {
			names[name] = true
		}
		fallthrough
	default:
		names[head] = true
	}
	maps.DeleteFunc(names, func(name string, _ bool) bool { return !p.Project.Translates(name) })
	list := slices.Sorted(maps.Keys(names))
	if at := slices.Index(list, p.Project.Trunk()); at > 0 {
		list = slices.Insert(slices.Delete(list, at, at+1), 0, p.Project.Trunk())
	}
	return list
}

// Current is the line that is shown for all: what pushes are for now, else the trunk; the project
// itself where it has no lines.
func Current(p *pass.Branch, repo *gitops.Repo) (*pass.Branch, error) {
	p, err := Sourced(p, repo)
	if err != nil || !p.Project.PerBranch() {
		return p, err
	}
	base := p.Project.Trunk()
	if p.Project.Push.Source == config.Worktree {
		head, _, err := repo.Head()
		if err != nil {
			return nil, err
		}
		if p.Project.Translates(head) || base == "" {
			base = head
		}
	}
	if base == "" {
		return nil, &failure.UsageError{Err: errors.New("no branch is checked out, and push.branches names none")}
	}
	return On(p, base, nil) // a pass may be under way, whose repository is its own
}

// Tree is the current line, and the files that its pushes read: as they are in the working tree, whatever branch is
// checked out, or of a branch: as its remote has it now or, where contents may be missing, as it was seen last. Where
// no line is for now, the files are there all the same.
func Tree(
	ctx context.Context, p *pass.Branch, repo *gitops.Repo, now bool,
) (line *pass.Branch, fsys fs.FS, err error) {
	line, err = Current(p, repo)
	if errors.As(err, new(*failure.UsageError)) {
		line, err = p, nil
	}
	switch {
	case err != nil:
	case line.Project.Push.Source == config.Worktree:
		fsys, err = repo.Worktree()
	default:
		tip, missing := repo.Seen(line.Project.Push.Source, line.Project.Push.Source)
		if now {
			tip, missing = repo.At(ctx, line.Project.Push.Source, line.Project.Push.Source)
		}
		if tip, err = line.Committed(repo, tip, missing); err == nil && now {
			err = line.FetchBlobs(ctx, tip)
		}
		fsys = tip
	}
	return line, fsys, pass.UsageError(err)
}
