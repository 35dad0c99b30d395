package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/command/demo"
	"github.com/locsync/locsync/sync/run/daemon"
)

func demoCommand(a *app) *cobra.Command {
	var dir string
	keep := false
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show the whole loop on this machine, with nothing configured",
		Long: "demo makes a sample repository with resource files in four formats, edits it, pushes what changed to a " +
			"translation service\nthat runs inside this program, translates, and commits the translations back. It needs git " +
			"and nothing else.",
		Example: "  locsync demo\n  locsync demo --dir /tmp/sample --keep-running",
		RunE:    func(cmd *cobra.Command, _ []string) error { return showDemo(cmd.Context(), a, dir, keep) },
	}
	c.Flags().StringVar(&dir, "dir", "", "make the sample repository in `DIR`, which must be empty or missing (default: "+
		"a temporary folder)")
	c.Flags().BoolVar(&keep, "keep-running", false, "translate yourself in a browser; the daemon stays up, until Ctrl-C")
	return c
}

func showDemo(ctx context.Context, a *app, dir string, keep bool) error {
	log, err := a.logger(zap.WarnLevel)
	if err != nil {
		return err
	}
	stage := demo.Stage{Out: a.out, Screen: a.screen(), Options: a.options(log), Yourself: keep}
	cfg, err := demo.Show(ctx, stage, dir)
	if err != nil || !keep {
		return err
	}
	fmt.Fprintf(a.out, "\nThe daemon goes on: edit a file in the repository and look at http://%s/ (Ctrl-C ends it).\n",
		cfg.Daemon.Listen)
	if log, err = a.logger(zap.InfoLevel); err != nil {
		return err
	}
	return daemon.Run(ctx, cfg, a.options(log))
}
