package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// CheckOptions say what a check looks for beside what is wrong.
type CheckOptions struct {
	Missing bool // also keys without a translation
}

// Check reads every file of the configuration, as passes would, and calls no service. What is wrong in files is in the report; an error means that it
// could not be found out.
func (e *Engine) Check(ctx context.Context, o CheckOptions) (report.CheckReport, error) {
	result := report.CheckReport{Projects: []report.ProjectCheck{}}
	for _, p := range e.projects {
		c, err := p.check(ctx, o)
		if err != nil {
			return result, fmt.Errorf("check %q: %w", p.cfg.Name, err)
		}
		result.Projects = append(result.Projects, c)
	}
	return result, nil
}

func (p *project) check(ctx context.Context, o CheckOptions) (report.ProjectCheck, error) {
	x := inspection{o: o, report: report.ProjectCheck{Name: p.cfg.Name, Files: []report.CheckedFile{}, Problems: []report.Problem{}}}
	remote := ""
	if p.cfg.Cloned() {
		remote = gitops.CloneRemote // what was fetched last may be old
	}
	repo, err := p.openWith(ctx, remote)
	if err != nil {
		return x.report, err
	}
	defer repo.Close()
	line, err := p.current(repo)
	if errors.As(err, new(*UsageError)) {
		line, err = p, nil // no line is for now, and the files are there all the same
	}
	if err != nil {
		return x.report, err
	}
	x.project, x.report.Root = line, repo.Facts().WorkTree
	defer line.finished()
	fsys, err := line.checkTree(ctx, repo)
	if err != nil {
		return x.report, usage(err)
	}
	if err := x.look(fsys); err != nil {
		return x.report, err
	}
	if err := x.ignored(ctx, repo); err != nil {
		return x.report, err
	}
	x.languages()
	x.finish()
	return x.report, nil
}

// checkTree is what is checked: the files as they lie, whatever branch is checked out, or a branch as its remote has it.
func (p *project) checkTree(ctx context.Context, repo *gitops.Repo) (fs.FS, error) {
	switch {
	case p.cfg.Push.Source == config.Worktree:
		return repo.Worktree()
	case !p.cfg.Cloned():
		return p.statusTree(repo)
	}
	tip, err := repo.At(ctx, p.cfg.Push.Source, p.cfg.Push.Source)
	if err == nil {
		err = p.fetchBlobs(ctx, tip)
	}
	return tip, err
}

// finish puts the problems in order and counts them.
func (x *inspection) finish() {
	problems := x.report.Problems
	slices.SortStableFunc(problems, func(a, b report.Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column, cmp.Compare(a.Key, b.Key))
	})
	problems = slices.Compact(problems)
	x.report.Problems = problems
	slices.SortStableFunc(x.report.Files, func(a, b report.CheckedFile) int { return cmp.Compare(a.Path, b.Path) })
	x.report.Count()
}

// CheckOnline asks the service for credentials, projects and languages, and the git hosts of pull requests for tokens
// and repositories. Its error stays until the configuration or the project changes, unless the service could not be
// reached.
func (e *Engine) CheckOnline(ctx context.Context) error {
	defer e.using()()
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

func (p *project) checkAllOnline(ctx context.Context) []error {
	errs := p.checkOnline(ctx)
	if err := p.checkForge(ctx); err != nil {
		errs = append(errs, err)
	}
	return errs
}

func (p *project) checkOnline(ctx context.Context) (errs []error) {
	record, err := p.Service.Project(ctx, p.cfg.ID)
	switch {
	case errors.Is(err, service.ErrNotFound):
		return []error{&UsageError{p.cfg.Problem("id", "the service has no project %s", p.cfg.ID)}}
	case err != nil:
		return []error{fmt.Errorf("project %q: %w", p.cfg.Name, err)}
	}
	if record.SourceLanguage != "" && !strings.EqualFold(record.SourceLanguage, p.cfg.SourceLanguage) {
		errs = append(errs, &UsageError{p.cfg.Problem("source_language", "the project's source language at the service is %s", record.SourceLanguage)})
	}
	unknown := make(map[string]string)
	for _, u := range p.cfg.UnknownLanguages() {
		unknown[u.Code] = "; " + u.Remedy
	}
	for _, l := range p.cfg.TargetLanguages {
		if !slices.ContainsFunc(record.TargetLanguages, func(have string) bool { return strings.EqualFold(have, l) }) {
			errs = append(errs, &UsageError{p.cfg.Problem("target_languages", "the project at the service has no target language %q; it has %s%s", l, strings.Join(record.TargetLanguages, ", "), unknown[l])})
		}
	}
	return errs
}
