package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/service"
)

// CheckReport is what is wrong with the files of every project.
type CheckReport struct {
	Projects []ProjectCheck `json:"projects"`
}

// ProjectCheck is one project's part of a check.
type ProjectCheck struct {
	Name     string    `json:"name"`
	Files    int       `json:"files"` // read, source files and translations
	Keys     int       `json:"keys"`  // in the source files
	Problems []Problem `json:"problems"`
	Warnings []Problem `json:"warnings"`
}

// Check reads every file of the configuration, as passes would, and calls nobody.
func (e *Engine) Check(ctx context.Context) (CheckReport, error) {
	report := CheckReport{Projects: []ProjectCheck{}}
	for _, p := range e.projects {
		c, err := p.check(ctx)
		if err != nil {
			return report, fmt.Errorf("check %q: %w", p.cfg.Name, err)
		}
		report.Projects = append(report.Projects, c)
	}
	return report, nil
}

func (p *project) check(ctx context.Context) (ProjectCheck, error) {
	c := ProjectCheck{Name: p.cfg.Name, Problems: []Problem{}, Warnings: []Problem{}}
	repo, err := p.openWith(ctx, "")
	if err != nil {
		return c, err
	}
	defer repo.Close()
	fsys, err := p.statusTree(ctx, repo)
	if err != nil {
		return c, usage(err)
	}
	t, err := p.readTree(fsys)
	if err != nil {
		return c, err
	}
	c.Problems = append(c.Problems, t.problems...)
	if len(t.sources) == 0 {
		c.Problems = append(c.Problems, Problem{Problem: "no file matches the source patterns of [[project.files]]; they are relative to the repository"})
	}
	for _, s := range t.sources {
		c.Files++
		if !s.broken() {
			c.Keys += len(s.texts.Keys())
			c.Warnings = append(c.Warnings, bundle.Warnings(s.file, s.Path, s.Source)...)
		}
	}
	targets, err := bundle.Existing(fsys, t.bundles(), p.cfg.Targets())
	if err != nil {
		return c, err
	}
	for _, target := range targets {
		if err := c.target(t, target); err != nil {
			return c, err
		}
	}
	return c, nil
}

// target checks one file of translations: that it can be read, and that what it says would not break the program.
func (c *ProjectCheck) target(t *tree, target bundle.Target) error {
	f, problem, err := target.Sources[0].Read(t.fsys, target.Path, target.Language)
	if problem != nil {
		c.Problems = append(c.Problems, *problem)
	}
	if err != nil || f == nil {
		return err
	}
	c.Files++
	source, ok := t.sourceTexts(target)
	if !ok {
		return nil
	}
	b, texts := target.Sources[0], bundle.Texts(f)
	source = widened(source, b.Separator, b.Source, target.Language, texts)
	index, lacks := source.Index(), lackingForms(b, target.Language, source, texts)
	for _, u := range texts {
		for _, finding := range inspect(b, target.Language, source, index, u.Name, u.Text) {
			w := Problem{File: target.Path, Key: u.Key, Language: target.Language.Code, Problem: finding.Reason}
			if e, ok := f.Lookup(u.Key, u.Form); ok {
				w.Line, w.Column = f.Position(int(f.Node(e.Node).Whole.Start))
			}
			c.Warnings = append(c.Warnings, w)
		}
		if why := lacks[u.Key]; why != "" {
			delete(lacks, u.Key)
			w := Problem{File: target.Path, Key: u.Key, Language: target.Language.Code, Problem: why}
			if e, ok := f.Lookup(u.Key, u.Form); ok {
				w.Line, w.Column = f.Position(int(f.Node(e.Node).Whole.Start))
			}
			c.Warnings = append(c.Warnings, w)
		}
	}
	return nil
}

// CheckOnline asks the service whether it accepts the credentials, has the projects, and knows their languages. Its error stays until
// the configuration or the project is changed, unless the service could not be reached.
func (e *Engine) CheckOnline(ctx context.Context) error {
	if _, err := e.Service.Ping(ctx); err != nil {
		return err
	}
	var errs []error
	for _, p := range e.projects {
		if err := p.checkOnline(ctx); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (p *project) checkOnline(ctx context.Context) error {
	record, err := p.Service.Project(ctx, p.cfg.ID)
	switch {
	case errors.Is(err, service.ErrNotFound):
		return &UsageError{p.cfg.Problem("id", "the service has no project %s", p.cfg.ID)}
	case err != nil:
		return fmt.Errorf("project %q: %w", p.cfg.Name, err)
	}
	var errs []error
	if record.SourceLanguage != "" && !strings.EqualFold(record.SourceLanguage, p.cfg.SourceLanguage) {
		errs = append(errs, &UsageError{p.cfg.Problem("source_language", "the project's source language at the service is %s", record.SourceLanguage)})
	}
	for _, l := range p.cfg.TargetLanguages {
		if !slices.ContainsFunc(record.TargetLanguages, func(have string) bool { return strings.EqualFold(have, l) }) {
			errs = append(errs, &UsageError{p.cfg.Problem("target_languages", "the project at the service has no target language %q; it has %s", l, strings.Join(record.TargetLanguages, ", "))})
		}
	}
	return errors.Join(errs...)
}
