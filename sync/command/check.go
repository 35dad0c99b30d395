package command

import (
	"context"
	"errors"
	"os"
	"slices"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/web"
)

// Check reads all files of a configuration. Repositories that are elsewhere are cloned for it: a daemon may be at work
// in its own clones.
func Check(ctx context.Context, cfg *config.Config, log *zap.Logger, o inspect.Options,
	progress func(report.Doing)) (report.CheckReport, error) {
	parts := engine.Parts{Config: cfg, Log: log, Progress: progress}
	if slices.ContainsFunc(cfg.Projects, func(p config.Project) bool { return p.Cloned() }) {
		clones, err := os.MkdirTemp("", "locsync-check-")
		if err != nil {
			return report.CheckReport{}, err
		}
		defer os.RemoveAll(clones)
		parts.Clones = clones
	}
	o.StaleFile = inspect.StaleFile(cfg.File)
	return engine.New(parts).Check(ctx, o)
}

// CheckOnline asks the service about each project. The embedded one can be open in one process only: where that is a
// daemon, the daemon asks.
func CheckOnline(ctx context.Context, cfg *config.Config, o process.Options) error {
	dir, err := process.StateDir(ctx, cfg)
	if err != nil {
		return err
	}
	if cfg.Service.Embedded() {
		_, err := Ask(ctx, cfg, dir, web.Request{Action: "check"}, nil)
		if !errors.Is(err, web.ErrNoDaemon) {
			return err
		}
	}
	p := process.New(cfg, dir, o)
	client, err := p.Connect(cfg)
	if err == nil {
		err = engine.New(engine.Parts{Config: cfg, Log: o.Log, Service: client}).CheckOnline(ctx)
	}
	return errors.Join(err, p.Close())
}
