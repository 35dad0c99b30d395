package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
)

// staleEvery is how often the stale translations of a project are counted at most, and staleRetry how often after one
// that failed; longer than that none is waited for.
const staleEvery, staleRetry = time.Hour, 10 * time.Minute

// CountStale counts the stale translations of the projects of which the last count is old, where the commit or the
// configuration is another one since. A project in which a pass runs is left for the next call.
//
// It is for one goroutine.
func CountStale(ctx context.Context, e *Engine) error {
	var errs []error
	for _, p := range e.projects {
		v := p.view
		if ctx.Err() != nil || v.current() != nil || e.Now().Sub(v.tried).Abs() < staleRetry ||
			!v.counting.CompareAndSwap(false, true) {
			continue
		}
		v.tried = e.Now()
		err, ended := heartbeat.Within(ctx, staleRetry, func() error {
			defer v.counting.Store(false)
			return v.countStale(ctx)
		})
		if !ended {
			err = fmt.Errorf("the history is still read after %s", staleRetry)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("project %q: %w", p.branch.Project.Name, err))
		}
	}
	return errors.Join(errs...)
}

func (v *view) countStale(ctx context.Context) (err error) {
	defer fault.Catch("the stale translations of project "+v.branch.Project.Name, &err)
	name, now := v.branch.Project.Name, v.branch.Now()
	before, _, err := ledger.Stale.Get(v.State, ledger.AllProjects, name)
	if err != nil {
		return err
	}
	same := before.Config == v.branch.Configured()
	if same && now.Sub(before.Texts.At).Abs() < staleEvery {
		return nil
	}
	repo, err := v.repository.OpenToRead(ctx)
	if err != nil {
		return err
	}
	defer repo.Close()
	line, err := currentLine(v.branch, repo, nil, &report.ProjectStatus{})
	if err != nil {
		return err
	}
	tip, err := committedTree(line, repo)
	if err != nil || tip == nil {
		return err
	}
	count := before
	count.Texts.At = now.UTC()
	if !same || before.Texts.Commit != tip.Hash() || before.Base != line.Base {
		count.Config, count.Base = v.branch.Configured(), line.Base
		if count.Texts, err = staleIn(ctx, line, repo, tip); err != nil {
			return err
		}
	}
	if err := ledger.Stale.Put(v.State, ledger.AllProjects, name, count); err != nil {
		return err
	}
	v.glance(ctx)
	v.ended.Add(1)
	v.changes.Send()
	return nil
}

// committedTree is the commit of the tree that pushes read; nil where none is made yet.
func committedTree(line *pass.Branch, repo *gitops.Repo) (*gitops.Tip, error) {
	fsys, err := statusTree(line, repo)
	if err != nil {
		return nil, err
	}
	if tip, is := fsys.(*gitops.Tip); is {
		return tip, nil
	}
	_, commit, err := repo.Head()
	if err != nil || commit == "" {
		return nil, err
	}
	return repo.AtCommit(commit)
}

// staleIn counts the stale translations of a commit, by language.
func staleIn(ctx context.Context, line *pass.Branch, repo *gitops.Repo, tip *gitops.Tip) (
	of report.StaleStatus, err error,
) {
	of = report.StaleStatus{Commit: tip.Hash(), At: line.Now().UTC(), Languages: []report.StaleCount{},
		Command: report.ListStale}
	t, err := tree.Find(tip, line.Project, nil)
	if err != nil {
		return of, err
	}
	all, known, err := inspect.Stale(ctx, line.Project, repo, t, inspect.StaleFile(line.Config.File),
		func(report.Doing) {})
	if err != nil {
		return of, err
	}
	of.Unknown = !known
	for _, code := range inspect.ChecksStale(line.Project, t) {
		count := report.StaleCount{Language: code}
		for _, p := range all {
			if p.Language == code {
				count.Keys++
			}
		}
		if known {
			of.Languages = append(of.Languages, count)
		}
	}
	return of, nil
}
