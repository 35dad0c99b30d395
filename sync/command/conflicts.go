package command

import (
	"context"
	"os"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/process"
)

// Conflicts are those that wait for a decision in a project; "" is all. They are read from a copy of the state.
func Conflicts(ctx context.Context, cfg *config.Config, project string) ([]report.Conflict, error) {
	if cfg.Clustered() {
		shared, err := process.Join(ctx, cfg, "", zap.NewNop())
		if err != nil {
			return nil, err
		}
		defer shared.Close()
		return engine.New(engine.Parts{Config: cfg, State: shared.Store(), Log: zap.NewNop()}).Conflicts(project)
	}
	dir, err := process.StateDir(ctx, cfg)
	if err != nil {
		return nil, err
	}
	copied, err := os.MkdirTemp("", "locsync-completion-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(copied)
	store, err := boltledger.OpenCopy(dir, copied)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	return engine.New(engine.Parts{Config: cfg, State: store, Log: zap.NewNop()}).Conflicts(project)
}

// Files are those that pushes of a project are for; "" is all. What cannot be listed without a request is left out.
func Files(ctx context.Context, cfg *config.Config, project string) []string {
	return engine.New(engine.Parts{Config: cfg, Log: zap.NewNop()}).Files(ctx, project)
}
