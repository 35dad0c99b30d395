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
	"github.com/locsync/locsync/sync/service"
)

// CheckReport is what is wrong with the files of every project.
type CheckReport struct {
	Schema   int            `json:"schema"` // CheckSchema
	Known    int            `json:"known"`  // problems that a baseline has, which the projects do not
	Projects []ProjectCheck `json:"projects"`
}

// CheckSchema is the version of the report's JSON.
const CheckSchema = 1

// ProjectCheck is one project's part of a check.
type ProjectCheck struct {
	Name     string         `json:"name"`
	Root     string         `json:"root"` // the folder that the paths are relative to; "" where a bare repository was looked at
	Keys     int            `json:"keys"` // in the source files
	Files    []CheckedFile  `json:"files"`
	Problems []CheckProblem `json:"problems"` // by file, line and column; those of the whole project first
}

// CheckedFile is one file that was read: a source file, or its translations into one language.
type CheckedFile struct {
	Path       string `json:"path"`
	Language   string `json:"language"`
	Format     string `json:"format"`
	Collection string `json:"collection"`
	Keys       int    `json:"keys"`
	Errors     int    `json:"errors"`
	Warnings   int    `json:"warnings"`
}

// CheckProblem is one problem of a file. Its words do not say what to do: its remedy does.
type CheckProblem struct {
	Code     string `json:"code"`     // what kind it is: one of the checks of translations, or one of the codes below
	Severity string `json:"severity"` // Error or Warning
	Problem
}

// How bad a problem is: an Error keeps a file, a key or a translation from being sent or written, or would break the program; a Warning does not.
const (
	Error   = "error"
	Warning = "warning"
)

// The kinds of problems that are not checks of translations.
const (
	kindSyntax    = "syntax"     // the file does not parse
	kindRead      = "unreadable" // it cannot be read at all, or not be written
	kindClash     = "clash"      // a key means two things
	kindDuplicate = "duplicate"  // an entry stands twice
	kindSpelling  = "spelling"   // an entry is spelled in a way that its format's readers do not like
	kindFormat    = "format"     // values that the configured format has no keys for
	kindDivided   = "divided"    // a key that files of a collection translate differently
	kindOrphan    = "orphan"     // a translation of nothing
	kindStray     = "stray"      // a file of translations of no source file
	kindPattern   = "pattern"    // a pattern that matches nothing
	kindPlace     = "place"      // files that would be written over one another
	kindIgnored   = "ignored"    // a file of translations that git does not see
	kindLanguage  = "language"   // a language that a translation service is known not to have
	kindGap       = "missing"    // a key without a translation
)

// Sound reports whether no problem is an error.
func (r CheckReport) Sound() bool {
	return !slices.ContainsFunc(r.Projects, func(p ProjectCheck) bool {
		return slices.ContainsFunc(p.Problems, func(p CheckProblem) bool { return p.Severity == Error })
	})
}

// Misconfigured reports whether the configuration does not fit the files that are there.
func (r CheckReport) Misconfigured() bool {
	return slices.ContainsFunc(r.Projects, func(p ProjectCheck) bool {
		return slices.ContainsFunc(p.Problems, func(p CheckProblem) bool { return p.Configuration })
	})
}

// String is the problem on one line: file:line:column: warning: key (language): what (what to do).
func (p CheckProblem) String() string {
	s := p.Problem
	if p.Remedy != "" {
		s.Problem += " (" + p.Remedy + ")"
	}
	if p.Severity != Warning {
		return s.String()
	}
	place := Problem{File: s.File, Line: s.Line, Column: s.Column}.String()
	s.File = ""
	return place + "warning: " + s.String()
}

// CheckOptions say what a check looks for beside what is wrong.
type CheckOptions struct {
	Missing bool // also keys without a translation
}

// Check reads every file of the configuration, as passes would, and calls no service. What is wrong in files is in the report; an error means that it
// could not be found out.
func (e *Engine) Check(ctx context.Context, o CheckOptions) (CheckReport, error) {
	report := CheckReport{Schema: CheckSchema, Projects: []ProjectCheck{}}
	for _, p := range e.projects {
		c, err := p.check(ctx, o)
		if err != nil {
			return report, fmt.Errorf("check %q: %w", p.cfg.Name, err)
		}
		report.Projects = append(report.Projects, c)
	}
	return report, nil
}

func (p *project) check(ctx context.Context, o CheckOptions) (ProjectCheck, error) {
	x := inspection{o: o, report: ProjectCheck{Name: p.cfg.Name, Files: []CheckedFile{}, Problems: []CheckProblem{}}}
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
	slices.SortStableFunc(problems, func(a, b CheckProblem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column, cmp.Compare(a.Key, b.Key))
	})
	problems = slices.Compact(problems)
	x.report.Problems = problems
	slices.SortStableFunc(x.report.Files, func(a, b CheckedFile) int { return cmp.Compare(a.Path, b.Path) })
	x.report.Count()
}

// Count counts the problems of each file.
func (c *ProjectCheck) Count() {
	files := make(map[string]*CheckedFile, len(c.Files))
	for i := range c.Files {
		f := &c.Files[i]
		f.Errors, f.Warnings = 0, 0
		files[f.Path] = f
	}
	for _, p := range c.Problems {
		switch f := files[p.File]; {
		case f == nil:
		case p.Severity == Error:
			f.Errors++
		default:
			f.Warnings++
		}
	}
}

// CheckOnline asks the service whether it accepts the credentials, has the projects, and knows their languages, and the forges of pull requests whether
// they accept the tokens and have the repositories. A service that does not tell the account may still know the projects, which takes
// credentials as well. Its error stays until the configuration or the project is changed, unless the service could not be reached.
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
