package main

import (
	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/daemon"
)

func runCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "Watch and push, pull on schedule, serve status: the daemon",
		Long: "run watches the resource files and pushes what changes, pulls translations on schedule, and serves a " +
			"status page.\nIt ends cleanly on SIGINT and SIGTERM; SIGHUP re-reads the configuration.",
		Example: "  locsync run\n  locsync run --config /etc/locsync/app.toml --log-format json\n  kill -HUP $PID   # has " +
			"it read its configuration again",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			log, err := a.logger(zap.InfoLevel)
			if err != nil {
				return err
			}
			return daemon.Run(cmd.Context(), cfg, a.options(log))
		},
	}
}
