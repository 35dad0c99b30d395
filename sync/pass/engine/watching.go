package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass/watch"
	"go.uber.org/zap"
)

// watch rings for a push whenever what pushes read settles after a change: the working tree, or a branch.
// Where nothing can be watched, the rescan rings.
func (p *project) watch(ctx context.Context) {
	if !p.branch.Project.Push.Enabled {
		return
	}
	beat := p.Beats.Try(fmt.Sprintf("the watcher of project %q", p.branch.Project.Name), p.proven.Load)
	defer beat.End()
	ctx = beats(ctx, beat)
	for ctx.Err() == nil {
		if p.branch.Project.Cloned() {
			p.far.Store(true) // nothing happens here; the remote is asked
		} else if err := p.watchOnce(ctx); err != nil && ctx.Err() == nil {
			p.branch.Log.Warn("the repository cannot be watched now; changes are seen at the rescan", zap.Error(err))
		}
		beat.Expect(p.branch.Config.Daemon.Rescan)
		select {
		case <-ctx.Done():
		case <-time.After(p.branch.Config.Daemon.Rescan):
			p.signals[wake{Push, false}].Send()
		}
	}
}

// watchOnce watches until ctx ends or watching fails.
func (p *project) watchOnce(ctx context.Context) error {
	repo, err := p.repository.With(ctx, "")
	if err != nil {
		return err
	}
	facts := repo.Facts()
	if err := repo.Close(); err != nil {
		return err
	}
	d := p.branch.Config.Daemon
	o := watch.Options{Root: facts.WorkTree, GitDir: facts.GitDir, CommonDir: facts.CommonDir, Debounce: d.Debounce,
		MaxDelay: d.MaxDelay, Rescan: d.Rescan,
		Alive: heartbeat.From(ctx).Expect, Next: heartbeat.From(ctx).Next,
		Warn: func(message string) { p.branch.Log.Warn(message) }}
	if p.branch.Project.Push.Source == config.Worktree {
		o.Patterns = p.branch.Project.WatchPatterns()
	}
	w, err := watch.New(o)
	if err != nil {
		return err
	}
	p.view.watcher.Store(w)
	defer p.view.watcher.Store(nil)
	return w.Run(ctx, p.signals[wake{Push, false}].Send)
}
