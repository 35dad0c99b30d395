// Package engine says when passes are made: it has the loops of all projects with their triggers, schedules, locks and
// retries, makes a pass over each branch that has one, and tells the status.
//
// Its law: passes of one project never overlap, and triggers carry no data: whatever starts a pass, it reads
// everything again. A pass that failed is repeated when it may work; what one project meets keeps no other one from
// its passes.
//
// It decides nothing about texts. What a pass does is in packages push and pull, which branches have one in package
// branches, how a repository is opened in package repository; which errors stay until something is changed is in
// Permanent.
package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/pass/repository"
	"github.com/locsync/locsync/sync/pass/trigger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// Engine runs the passes of all projects of a configuration. Its methods may be called from any goroutine; passes of
// one project never overlap.
type Engine struct {
	*host
	projects []*project
	// by the names of projects, also of those that earlier configurations had: who makes a pass
	locks    map[string]*passLock
	contacts repository.Contacts // also of earlier configurations, where they have not answered yet
	balance  atomic.Pointer[report.Balance]
}

// New makes an engine. Nothing is opened or called yet.
func New(parts Parts) *Engine {
	shared := process{run: uuid.NewString(), ended: new(atomic.Int64), changes: new(trigger.Changes),
		order: newOrder()}
	return shared.engine(parts.filled(), nil)
}

// engine is one for a configuration, which waits for passes and for repositories that the engine before waits for.
func (shared process) engine(parts Parts, before *Engine) *Engine {
	e := &Engine{host: &host{parts, shared}, locks: make(map[string]*passLock), contacts: make(repository.Contacts)}
	if before != nil {
		maps.Copy(e.locks, before.locks)
		e.contacts.Inherit(before.contacts)
	}
	for i := range parts.Config.Projects {
		cfg := &parts.Config.Projects[i]
		if e.locks[cfg.Name] == nil {
			e.locks[cfg.Name] = &passLock{project: cfg.Name, taken: make(chan struct{}, 1)}
		}
		e.projects = append(e.projects, newProject(e.host, cfg, e.locks[cfg.Name], e.contacts))
	}
	return e
}

// pick returns the projects that a pass is for: one by name, or all.
func (e *Engine) pick(name string) ([]*project, error) {
	if name == "" {
		return e.projects, nil
	}
	for _, p := range e.projects {
		if p.branch.Project.Name == name {
			return []*project{p}, nil
		}
	}
	return nil, &failure.UsageError{Err: e.Config.NoProject(name)}
}

// Push sends what changed. One project's failure does not keep the others from being pushed; the errors come back
// joined, and each in its project's part of the report.
func (e *Engine) Push(ctx context.Context, o push.Options) (report.PushReport, error) {
	result, _, err := pushAll(ctx, e, o)
	return result, err
}

func pushAll(ctx context.Context, e *Engine, o push.Options) (sent report.PushReport, all []push.Report, err error) {
	sent = report.PushReport{DryRun: o.DryRun, Projects: []report.ProjectPush{}}
	projects, err := e.pick(o.Project)
	if err == nil {
		o, err = decision(o, languages(projects))
	}
	if err == nil && len(o.Part()) > 0 {
		projects, o, err = concerned(ctx, projects, o)
	}
	if err != nil {
		return sent, nil, err
	}
	ctx = service.As(ctx, service.Asked)
	all, err = each(projects, func(p *project) ([]push.Report, error) {
		reports, err := p.push(ctx, o)
		if o.Patient && !o.DryRun {
			return p.pushAgain(ctx, o, reports, err)
		}
		return reports, err
	})
	nameUndecidable(o, all)
	for _, p := range all {
		sent.Projects = append(sent.Projects, p.ProjectPush)
	}
	return sent, all, err
}

// concerned are the projects that have files that a push is for, and the push with the patterns that are globs.
func concerned(ctx context.Context, projects []*project, o push.Options) ([]*project, push.Options, error) {
	projects = slices.DeleteFunc(slices.Clone(projects), func(p *project) bool { return !p.branch.Project.Push.Enabled })
	meant, globs, err := inspect.Choose(o.Part(), func(now bool) (all []inspect.Listing) {
		for _, p := range projects {
			files, err := p.files(ctx, now, o.Translations)
			all = append(all, inspect.Listing{Project: p.branch.Project, Files: files, Err: err})
		}
		return all
	})
	o.Globs = globs
	return slices.DeleteFunc(projects, func(p *project) bool { return !slices.Contains(meant, p.branch.Project) }), o, err
}

// each makes the passes of projects, and joins what they report and why they failed.
func each[R any](projects []*project, pass func(*project) ([]R, error)) (all []R, _ error) {
	var errs []error
	for _, p := range projects {
		reports, err := pass(p)
		errs = append(errs, err)
		all = append(all, reports...)
	}
	return all, errors.Join(errs...)
}

// Pull brings translations back.
func (e *Engine) Pull(ctx context.Context, o pull.Options) (report.PullReport, error) {
	all, err := pullAll(ctx, e, o)
	result := report.PullReport{DryRun: o.DryRun, Projects: []report.ProjectPull{}}
	for _, p := range all {
		result.Projects = append(result.Projects, p.ProjectPull)
	}
	return result, err
}

func pullAll(ctx context.Context, e *Engine, o pull.Options) (all []pull.Report, err error) {
	projects, err := e.pick(o.Project)
	if err == nil {
		err = translated(o.Languages, languages(projects))
	}
	if err != nil {
		return nil, err
	}
	ctx = service.As(ctx, service.Asked)
	projects = slices.DeleteFunc(slices.Clone(projects), func(p *project) bool {
		return len(o.Languages) > 0 && !slices.ContainsFunc(p.branch.Project.TargetLanguages, o.Has)
	})
	return each(projects, func(p *project) ([]pull.Report, error) { return p.pull(ctx, o) })
}

// Sync is a push and then a pull, which tells nothing that the push has told.
func (e *Engine) Sync(ctx context.Context, sent push.Options, got pull.Options) (report.SyncReport, error) {
	if sent.Translations && got.AcceptService {
		return report.SyncReport{}, &failure.UsageError{Err: errors.New("where the two sides never agreed on a text, " +
			"--translations decides for the repository " +
			"and --accept-service for the service; use one of them")}
	}
	sent.Yields, sent.Followed = got.AcceptService, true
	pushed, all, err := pushAll(ctx, e, sent)
	got.Told = make(map[string]map[string]pass.Conflict)
	for _, p := range all {
		got.Told[ledger.TargetID(p.Name, p.Base)] = p.Open
	}
	pulled, perr := e.Pull(ctx, got)
	return report.SyncReport{Push: pushed, Pull: pulled}, errors.Join(err, perr)
}

// languages are those that any of the projects is translated into.
func languages(projects []*project) []string {
	var known []string
	for _, p := range projects {
		known = append(known, p.branch.Project.TargetLanguages...)
	}
	slices.Sort(known)
	return slices.Compact(known)
}
