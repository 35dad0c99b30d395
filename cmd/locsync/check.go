package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/engine"
	"github.com/locsync/locsync/sync/web"
)

func (a *app) checkCommand() *cobra.Command {
	online := false
	c := &cobra.Command{
		Use:     "check",
		Short:   "Validate the configuration and every matched file without calling the service",
		Example: "  locsync check\n  locsync check --online   # also credentials, project and languages",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			log, err := a.logger(zap.WarnLevel)
			if err != nil {
				return err
			}
			report, err := engine.New(engine.Parts{Config: cfg, Log: log}).Check(cmd.Context())
			if err != nil {
				return err
			}
			var outcome error
			if online {
				outcome = checkOnline(cmd.Context(), cfg, log)
			}
			if err := a.sayCheck(report); outcome == nil || !errors.Is(err, errPartial) {
				outcome = errors.Join(outcome, err)
			}
			return outcome
		},
	}
	c.Flags().BoolVar(&online, "online", false, "also ask the service: credentials, projects and languages")
	return c
}

// checkOnline asks the service. The embedded one can be open in one process only: where that is a daemon, the daemon asks.
func checkOnline(ctx context.Context, cfg *config.Config, log *zap.Logger) error {
	dir, err := stateDir(ctx, cfg)
	if err != nil {
		return err
	}
	if cfg.Service.Embedded() {
		if _, err := web.Ask(ctx, dir, web.Request{Action: "check"}); !errors.Is(err, web.ErrNoDaemon) {
			return err
		}
	}
	h := &house{cfg: cfg, log: log, dir: dir}
	err = h.connect()
	if err == nil {
		err = engine.New(engine.Parts{Config: cfg, Log: log, Service: h.client}).CheckOnline(ctx)
	}
	return errors.Join(err, h.Close())
}

func (a *app) sayCheck(report engine.CheckReport) error {
	bad := false
	for _, p := range report.Projects {
		bad = bad || len(p.Problems) > 0
	}
	if a.asJSON {
		if err := a.print(report); err != nil {
			return err
		}
	} else {
		for _, p := range report.Projects {
			fmt.Fprintf(a.out, "%s: %s, %s in the source, %s\n", p.Name, count(p.Files, "file"), count(p.Keys, "key"), count(len(p.Problems), "problem"))
			for _, problem := range p.Problems {
				fmt.Fprintf(a.out, "  problem: %s\n", problem)
			}
			for _, w := range p.Warnings {
				fmt.Fprintf(a.out, "  warning: %s\n", w)
			}
		}
	}
	if bad {
		return errPartial
	}
	return nil
}
