package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/branches"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// Check reads every file of the configuration, as passes would, and calls no service. What is wrong in files is in the
// report; an error means that it could not be found out.
func (e *Engine) Check(ctx context.Context, o inspect.Options) (report.CheckReport, error) {
	result := report.CheckReport{Projects: []report.ProjectCheck{}}
	var faults []error
	for _, p := range e.projects {
		c, err := p.check(ctx, o)
		if err != nil {
			err = fmt.Errorf("check %q: %w", p.branch.Project.Name, err)
		}
		if _, faulty := errors.AsType[*fault.Error](err); faulty { // it keeps no other project from being checked
			faults = append(faults, err)
			continue
		}
		if err != nil {
			return result, err
		}
		result.Projects = append(result.Projects, c)
	}
	return result, errors.Join(faults...)
}

func (p *project) check(ctx context.Context, o inspect.Options) (_ report.ProjectCheck, err error) {
	defer fault.Catch("the check of project "+p.branch.Project.Name, &err)
	repo, err := p.openToCheck(ctx)
	if err != nil {
		return report.ProjectCheck{}, err
	}
	defer repo.Close()
	line, fsys, err := branches.Tree(ctx, p.branch, repo, true)
	if err != nil {
		return report.ProjectCheck{}, err
	}
	defer p.finished()
	line, err = line.Settled()
	if err != nil {
		return report.ProjectCheck{}, err
	}
	return inspect.Project(ctx, line.Project, repo, fsys, o, line.Announce)
}

// openToCheck opens the repository as it is here; of a clone, what was fetched last may be old.
func (p *project) openToCheck(ctx context.Context) (*gitops.Repo, error) {
	if p.branch.Project.Cloned() {
		return p.repository.With(ctx, gitops.CloneRemote)
	}
	return p.repository.With(ctx, "")
}

// Files are those that pushes of a project are for, or of all, as far as they can be listed without a request.
func (e *Engine) Files(ctx context.Context, name string) (all []string) {
	projects, _ := e.pick(name)
	for _, p := range projects {
		if p.branch.Project.Push.Enabled {
			files, _ := p.files(ctx, false, false)
			all = append(all, files...)
		}
	}
	return all
}

// CheckOnline asks the service for credentials, projects and languages, and the git hosts of pull requests for tokens
// and repositories. Its error stays until the configuration or the project changes, unless the service could not be
// reached.
func (e *Engine) CheckOnline(ctx context.Context) error {
	defer e.Using()()
	_, account := e.Service.Ping(ctx)
	if account != nil && !errors.Is(account, service.ErrNotFound) {
		return account
	}
	var errs []error
	for _, p := range e.projects {
		errs = append(errs, p.checkAllOnline(ctx)...)
	}
	if len(errs) > 0 && account != nil { // no project, and nothing else either: the address may be another server's
		errs = append(errs, account)
	}
	return errors.Join(errs...)
}

// CheckProjectOnline is what CheckOnline asks about one project: everything that is wrong with it.
func (e *Engine) CheckProjectOnline(ctx context.Context, name string) []error {
	picked, err := e.pick(name)
	if err != nil {
		return []error{err}
	}
	return picked[0].checkAllOnline(ctx)
}

func (p *project) checkAllOnline(ctx context.Context) (errs []error) {
	var err error
	defer func() {
		if err != nil {
			errs = append(errs, fmt.Errorf("project %q: %w", p.branch.Project.Name, err))
		}
	}()
	defer fault.Catch("the check of project "+p.branch.Project.Name+" at the service", &err)
	errs = pass.Online(ctx, p.branch.Service, p.branch.Project)
	err = errors.Join(p.checkRequest(ctx), p.checkBranches(ctx))
	return errs
}

// checkBranches finds out whether there is a branch that pushes are for.
func (p *project) checkBranches(ctx context.Context) error {
	if !p.branch.Project.Push.Enabled || len(p.branch.Project.Push.Branches) == 0 {
		return nil
	}
	repo, err := p.repository.With(ctx, p.branch.Project.Pull.Remote)
	if err != nil {
		return nil // that is told by what reads its files
	}
	defer repo.Close()
	line, err := branches.Sourced(p.branch, repo)
	if err != nil {
		return err
	}
	nowhere, err := branches.Nowhere(ctx, branches.With(line, line.Project, repo))
	if nowhere == nil {
		return err
	}
	return &failure.UsageError{Err: errors.New(nowhere.String())}
}

// checkRequest asks the git host whether it could be asked to merge the branch.
func (p *project) checkRequest(ctx context.Context) error {
	if !p.branch.Project.Pull.Enabled || !p.branch.Project.Pull.Request.Forge() {
		return nil
	}
	repo, err := p.repository.With(ctx, p.branch.Project.Pull.Remote)
	if err != nil {
		return err
	}
	defer repo.Close()
	line, err := branches.Current(p.branch, repo)
	if errors.As(err, new(*failure.UsageError)) {
		line, err = branches.On(p.branch, "HEAD", nil) // none is for now; the token and the repository are the same for all
	}
	if err != nil {
		return err
	}
	return line.MergeRequest(repo).Check(ctx)
}
