package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/command"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/engine"
	"github.com/locsync/locsync/sync/inspect"
	"github.com/locsync/locsync/sync/process"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/terminal"
	"github.com/locsync/locsync/sync/web"
)

// checkFlags are the wishes of a check.
type checkFlags struct {
	online, all, missing bool
	format, baseline     string
}

func checkCommand(a *app) *cobra.Command {
	f := checkFlags{format: "text"}
	c := &cobra.Command{
		Use:   "check",
		Short: "Validate the configuration and every matched file without calling the service",
		Long: "Lists every problem of every matched file with file, line, column and key, what is wrong and what to do, " +
			"without calling the service.\n\n" +
			"Errors are what would be left out of a push or pull, or would break the program or lose something in it: files " +
			"that do not parse,\n" +
			"keys that clash, translations whose placeholders or markup do not match the source's. They end the command with " +
			"3. Warnings are\n" +
			"everything else that looks like a mistake: entries that stand twice, translations of keys that are gone, plurals " +
			"without a form that\n" +
			"the language has (the program shows the form other), patterns without files (as long as others have some). They " +
			"end it with 0.\nWhat is meant as it is can be switched off with skip_checks in [[project.files]].\n\n" +
			"--baseline FILE accepts what is there today: where FILE is missing, all problems are written into it and the " +
			"command ends with 0;\n" +
			"later checks report only others. Commit FILE. It does not depend on line numbers or on the order of entries.",
		Example: "  locsync check\n\n  # in GitHub Actions: annotations at the lines of a pull request\n  locsync check " +
			"--format github\n\n  # in CI: fail on new problems only\n  locsync check --baseline locsync-baseline.json\n\n" +
			"  # also ask the service: credentials, project and languages\n  locsync check --online",
		RunE: func(cmd *cobra.Command, _ []string) error { return checkFiles(cmd.Context(), a, f) },
	}
	c.Flags().BoolVar(&f.online, "online", false, "also ask the service: credentials, projects and languages")
	c.Flags().BoolVar(&f.all, "all", false, "print equal problems one by one")
	c.Flags().BoolVar(&f.missing, "missing", false, "also report keys without a translation, as errors")
	c.Flags().StringVar(&f.baseline, "baseline", "", "report only problems that this file does not have; write it where "+
		"it is missing")
	choose(c.Flags(), &f.format, "format", "how problems are printed", "text", "github")
	return c
}

func checkFiles(ctx context.Context, a *app, f checkFlags) error {
	if f.format == "github" && a.asJSON {
		return misuse(errors.New("--format github and --json are two ways to print one result; leave one of them out"))
	}
	cfg, err := a.load()
	if f.format == "github" {
		annotateConfig(a, err)
	}
	if err != nil {
		return err
	}
	for _, w := range process.ExposedSecrets(ctx, cfg) {
		a.remark(zap.WarnLevel, "locsync: warning: %v", w)
	}
	log, err := a.logger(zap.WarnLevel)
	if err != nil {
		return err
	}
	line := a.progress()
	defer line.End()
	parts := engine.Parts{Config: cfg, Log: log, Progress: line.Show}
	if slices.ContainsFunc(cfg.Projects, func(p config.Project) bool { return p.Cloned() }) {
		// In clones of its own: a daemon may be at work in the others.
		if parts.Clones, err = os.MkdirTemp("", "locsync-check-"); err != nil {
			return err
		}
		defer os.RemoveAll(parts.Clones)
	}
	result, err := engine.New(parts).Check(ctx, inspect.Options{Missing: f.missing})
	if err != nil {
		return err
	}
	note := ""
	if f.baseline != "" {
		accepted, err := inspect.ApplyBaseline(f.baseline, &result)
		if err != nil {
			return err
		}
		note = noteOf(f.baseline, accepted)
	}
	var outcome error
	if f.online {
		line.Show(report.Doing{What: "asking the service"})
		outcome = checkOnline(ctx, cfg, log)
	}
	line.End()
	if err := sayCheck(a, result, f, note); outcome == nil || !errors.Is(err, errPartial) &&
		!errors.Is(err, errMisconfigured) {
		outcome = errors.Join(outcome, err)
	}
	return outcome
}

// checkOnline asks the service. The embedded one can be open in one process only: where that is a daemon, the daemon
// asks.
func checkOnline(ctx context.Context, cfg *config.Config, log *zap.Logger) error {
	dir, err := process.StateDir(ctx, cfg)
	if err != nil {
		return err
	}
	if cfg.Service.Embedded() {
		_, err := command.Ask(ctx, cfg, dir, web.Request{Action: "check"}, nil)
		if !errors.Is(err, web.ErrNoDaemon) {
			return err
		}
	}
	p := process.New(cfg, dir, process.Options{Version: version().Version, Log: log})
	client, err := p.Connect(cfg)
	if err == nil {
		err = engine.New(engine.Parts{Config: cfg, Log: log, Service: client}).CheckOnline(ctx)
	}
	return errors.Join(err, p.Close())
}

// sayCheck prints what was found, and returns errPartial or errMisconfigured where something of it is an error.
func sayCheck(a *app, result report.CheckReport, f checkFlags, note string) error {
	switch {
	case a.asJSON:
		if err := a.print(result); err != nil {
			return err
		}
	case f.format == "github":
		for _, p := range result.Projects {
			for _, problem := range p.Problems {
				fmt.Fprintln(a.out, terminal.Annotation(problem, p.Root, os.Getenv("GITHUB_WORKSPACE")))
			}
		}
		fallthrough
	default:
		out := a.screen()
		for _, p := range result.Projects {
			out.Check(p, f.format != "github", f.all)
		}
		if note != "" {
			out.Text("", note)
		}
	}
	switch {
	case result.Misconfigured():
		return errMisconfigured
	case !result.Sound():
		return errPartial
	}
	return nil
}

// noteOf says what a baseline made of a check.
func noteOf(file string, b inspect.Accepted) string {
	if b.Written {
		return fmt.Sprintf("wrote %s to the baseline %s; commit it, and checks with it report only others",
			terminal.Count(b.Problems, "problem"), file)
	}
	note := fmt.Sprintf("%s of the baseline %s not shown", terminal.Count(b.Problems, "problem"), file)
	if b.Gone > 0 {
		note += fmt.Sprintf("; %d more no longer there: delete the file and check again to forget them", b.Gone)
	}
	return note
}

// annotateConfig prints what is wrong with the configuration as annotations.
func annotateConfig(a *app, err error) {
	var problems config.Problems
	if !errors.As(err, &problems) {
		return
	}
	here, err := os.Getwd()
	if err != nil {
		here = ""
	}
	for _, p := range problems {
		fmt.Fprintln(a.out, terminal.Annotation(ofConfig(p), here, os.Getenv("GITHUB_WORKSPACE")))
	}
}

// ofConfig is a problem of the configuration as one of a file.
func ofConfig(p config.Problem) report.Problem {
	return report.Problem{Code: report.CodeConfiguration, Severity: report.Error,
		File: filepath.ToSlash(p.File), Line: p.Line, Column: p.Column, Key: p.Key, Problem: p.Message}
}
