package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/engine"
	"github.com/locsync/locsync/sync/web"
)

func (a *app) checkCommand() *cobra.Command {
	online, all, format := false, false, "text"
	c := &cobra.Command{
		Use:   "check",
		Short: "Validate the configuration and every matched file, calling nobody",
		Long: "Lists every problem of every matched file with file, line, column and key, what is wrong and what to do, and calls nobody.\n\n" +
			"Errors are what would be left out of a push or pull or would break the program: files that do not parse, keys that clash,\n" +
			"translations whose placeholders, markup or plural forms do not match. They end the command with 3. Warnings are everything\n" +
			"else that looks like a mistake: entries that stand twice, translations of keys that are gone, keys of i18next's plurals that a\n" +
			"language needs and the source does not have, patterns without files (as long as others have some). They end it with 0. What is meant as it is can be\n" +
			"switched off with skip_checks in [[project.files]].",
		Example: "  locsync check\n\n  # in GitHub Actions: annotations at the lines of a pull request\n  locsync check --format github\n\n  # also ask the service: credentials, project and languages\n  locsync check --online",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format == "github" && a.asJSON {
				return usageError{errors.New("--format github and --json are two ways to print one result; leave one of them out")}
			}
			cfg, err := a.load()
			if format == "github" {
				a.annotateConfig(err)
			}
			if err != nil {
				return err
			}
			log, err := a.logger(zap.WarnLevel)
			if err != nil {
				return err
			}
			line := a.progress()
			defer line.end()
			parts := engine.Parts{Config: cfg, Log: log, Progress: line.show}
			if slices.ContainsFunc(cfg.Projects, func(p config.Project) bool { return p.Cloned() }) {
				// In clones of its own: a daemon may be at work in the others.
				if parts.Clones, err = os.MkdirTemp("", "locsync-check-"); err != nil {
					return err
				}
				defer os.RemoveAll(parts.Clones)
			}
			report, err := engine.New(parts).Check(cmd.Context())
			if err != nil {
				return err
			}
			var outcome error
			if online {
				line.show(engine.Doing{What: "asking the service"})
				outcome = checkOnline(cmd.Context(), cfg, log)
			}
			line.end()
			if err := a.sayCheck(report, format, all); outcome == nil || !errors.Is(err, errPartial) && !errors.Is(err, errMisconfigured) {
				outcome = errors.Join(outcome, err)
			}
			return outcome
		},
	}
	c.Flags().BoolVar(&online, "online", false, "also ask the service: credentials, projects and languages")
	c.Flags().BoolVar(&all, "all", false, "also print equal problems one by one")
	choose(c.Flags(), &format, "format", "how problems are printed", "text", "github")
	return c
}

// checkOnline asks the service. The embedded one can be open in one process only: where that is a daemon, the daemon asks.
func checkOnline(ctx context.Context, cfg *config.Config, log *zap.Logger) error {
	dir, err := stateDir(ctx, cfg)
	if err != nil {
		return err
	}
	if cfg.Service.Embedded() {
		_, err := askDaemon(ctx, cfg, dir, web.Request{Action: "check"}, nil)
		if !errors.Is(err, web.ErrNoDaemon) {
			return err
		}
	}
	h := &house{log: log, dir: dir}
	client, err := h.connect(cfg)
	if err == nil {
		err = engine.New(engine.Parts{Config: cfg, Log: log, Service: client}).CheckOnline(ctx)
	}
	return errors.Join(err, h.Close())
}

// sayCheck prints what was found, and returns errPartial or errMisconfigured where something of it is an error.
func (a *app) sayCheck(report engine.CheckReport, format string, all bool) error {
	switch {
	case a.asJSON:
		if err := a.print(report); err != nil {
			return err
		}
	case format == "github":
		for _, p := range report.Projects {
			for _, problem := range p.Problems {
				fmt.Fprintln(a.out, annotation(problem, p.Root, os.Getenv("GITHUB_WORKSPACE")))
			}
		}
		fallthrough
	default:
		out := a.screen()
		for _, p := range report.Projects {
			out.checked(p, format != "github", all)
		}
	}
	switch {
	case report.Misconfigured():
		return errMisconfigured
	case !report.Sound():
		return errPartial
	}
	return nil
}
