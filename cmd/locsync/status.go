package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/engine"
	"github.com/locsync/locsync/sync/ledger/boltledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/web"
)

func (a *app) statusCommand() *cobra.Command {
	all, watched := false, false
	c := &cobra.Command{
		Use:   "status",
		Short: "Show what is in step and what is not: per project, file and language",
		Long: "Shows of every project what waits to be pushed, how much of it each language has, how the last push and pull ended and when the next\n" +
			"pull is, and everything that was left out with what to do. It asks the running daemon, and else looks for itself; it calls nobody.\n\n" +
			"At a terminal equal problems are one line, and long lists are cut (--all). In a pipe every problem and file has a line of its own.",
		Example: "  locsync status\n  locsync status --watch   # until Ctrl-C, drawn anew when something changes\n  locsync status --json --watch   # a line of JSON for each change",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			if watched {
				return a.watchStatus(cmd.Context(), cfg, all)
			}
			s, err := a.status(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			if a.asJSON {
				return a.print(s)
			}
			out := a.screen()
			_, err = io.WriteString(out.to, out.status(s, time.Now(), all))
			return err
		},
	}
	c.Flags().BoolVar(&all, "all", false, "at a terminal: every file, problem and event")
	c.Flags().BoolVar(&watched, "watch", false, "go on, and show it again when something changes")
	return c
}

// patience is how long a daemon may take to say how things stand, before a command looks for itself.
const patience = 3 * time.Second

// status asks the daemon, or else reads the files and a copy of the state: it makes no requests and changes nothing.
func (a *app) status(ctx context.Context, cfg *config.Config) (report.Status, error) {
	log, err := a.logger(zap.ErrorLevel)
	if err != nil {
		return report.Status{}, err
	}
	dir, err := stateDir(ctx, cfg) // an error here is in the status again, as a problem
	if err == nil {
		asked, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if answer, err := web.Ask(asked, dir, web.Request{Action: "status", Identity: engine.Identity(cfg)}, nil); err == nil {
			return answer.Status, nil
		}
	}
	copied, err := os.MkdirTemp("", "locsync-status-")
	if err != nil && dir != "" {
		copied, err = os.MkdirTemp(dir, "status-") // where the state is there is room for a copy of it
	}
	if err != nil {
		return report.Status{}, fmt.Errorf("make a folder for a copy of the state: %w; let TMPDIR name one that can be written", err)
	}
	defer os.RemoveAll(copied)
	store, err := boltledger.OpenCopy(dir, copied)
	if err != nil {
		return report.Status{}, err
	}
	defer store.Close()
	parts := engine.Parts{Config: cfg, State: store, Log: log, Clones: clones(dir), Patience: 3 * time.Minute}
	return engine.New(parts).Status(ctx), nil
}
