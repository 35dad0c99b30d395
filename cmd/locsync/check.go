package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops/diff"
	"github.com/locsync/locsync/sync/command"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/terminal"
)

// checkFlags are the wishes of a check.
type checkFlags struct {
	online, all, missing bool
	stale, comment, diff bool
	accept               []string
	format, baseline     string
	explain, since       string
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
			"--since REF reads everything and tells only problems of keys whose text changed, in the source or in the " +
			"translation, since REF and\nwhat is checked out parted: what a pull request did. " +
			"--diff takes what git diff prints from standard input in place of\nREF, and needs no history.\n\n" +
			"--comment, in a CI job of a pull or merge request, keeps one comment there that says the same, and which " +
			"source texts the request\nadds or changes without their translations, and sets the status " +
			"locsync/translations; --since is its base branch then.\n\n" +
			"--stale reads git's history, too, and names translations that are older than their source text.\n\n" +
			"--baseline FILE accepts what is there today: where FILE is missing, all problems are written into it and the " +
			"command ends with 0;\n" +
			"later checks report only others. Commit FILE. It does not depend on line numbers or on the order of entries.",
		Example: "  locsync check\n\n  # in GitHub Actions: annotations at the lines of a pull request\n  locsync check " +
			"--format github\n\n  # in CI: fail on new problems only\n  locsync check --baseline locsync-baseline.json\n\n" +
			"  # in a pull request: only what it changed\n  locsync check --since origin/main\n  git diff --merge-base main | " +
			"locsync check --diff\n\n" +
			"  # also ask the service: credentials, project and languages\n  locsync check --online",
		RunE: func(cmd *cobra.Command, _ []string) error { return checkFiles(cmd.Context(), a, f, cmd.Flags()) },
	}
	c.Flags().BoolVar(&f.online, "online", false, "also ask the service: credentials, projects and languages")
	c.Flags().BoolVar(&f.all, "all", false, "print equal problems one by one")
	c.Flags().BoolVar(&f.missing, "missing", false, "also report keys without a translation, as errors")
	c.Flags().StringVar(&f.baseline, "baseline", "", "report only problems that this file does not have; write it where "+
		"it is missing")
	c.Flags().StringVar(&f.explain, "explain", "", "also tell how the source text of this key is read, and what says so")
	c.Flags().BoolVar(&f.stale, "stale", false, "also report translations older than their source text, by git's history")
	c.Flags().StringArrayVar(&f.accept, "accept-stale", nil, "the change of this `KEY`'s source text kept its meaning")
	c.Flags().StringVar(&f.since, "since", "", "report only problems of keys that changed, in source or translation, "+
		"since this commit or branch and what is checked out parted")
	c.Flags().BoolVar(&f.diff, "diff", false, "as --since, for the changes that git diff prints: read from standard input")
	c.Flags().BoolVar(&f.comment, "comment", false, "in a job of a pull or merge request: keep one comment and a status "+
		"there")
	forms := append([]string{"text"}, terminal.Forms...)
	choose(c.Flags(), &f.format, "format", "how problems are printed", forms...)
	return c
}

func checkFiles(ctx context.Context, a *app, f checkFlags, flags *pflag.FlagSet) error {
	if f.format != "text" && a.asJSON {
		return misuse(fmt.Errorf("--format %s and --json are two ways to print one result; leave one of them out", f.format))
	}
	cfg, err := a.load()
	if err != nil {
		here, _ := os.Getwd() // "" leaves paths as they are
		wrong := []report.ProjectCheck{{Root: here, Problems: inspect.OfConfiguration(err)}}
		if to := terminal.NewExchange(version().Version, ""); f.format != "text" {
			err = errors.Join(err, to.Write(a.out, f.format, report.CheckReport{Projects: wrong}))
		}
		return err
	}
	for _, w := range process.ExposedSecrets(ctx, cfg) {
		a.remark(zap.WarnLevel, "locsync: warning: %v", w)
	}
	log, err := a.logger(zap.WarnLevel)
	if err != nil {
		return err
	}
	request, silent := command.RequestAtHand(os.Getenv)
	if f.comment && silent == nil && f.since == "" {
		f.since = request.Since
	}
	changes, err := diffOf(a, cfg, f)
	if err != nil {
		return err
	}
	line := a.progress()
	defer line.End()
	result, err := command.Check(ctx, cfg, log, inspect.Options{Missing: f.missing, Explain: f.explain, Since: f.since,
		Diff: changes, Stale: f.stale || len(f.accept) > 0}, line.Show)
	if err == nil && len(f.accept) > 0 {
		err = inspect.AcceptStale(inspect.StaleFile(cfg.File), &result, f.accept)
	}
	if err != nil {
		return err
	}
	note := ""
	if f.baseline != "" {
		accepted, err := inspect.ApplyBaseline(f.baseline, &result)
		if err != nil {
			return err
		}
		note = accepted.Note(f.baseline)
	}
	var outcome error
	if f.online {
		line.Show(report.Doing{What: "asking the service"})
		outcome = command.CheckOnline(ctx, cfg, a.options(log))
	}
	line.End()
	explained := func(p report.ProjectCheck) bool { return len(p.Explained) > 0 }
	if f.explain != "" && !slices.ContainsFunc(result.Projects, explained) {
		a.remark(zap.WarnLevel, "locsync: warning: no source file has the key %q that --explain is about", f.explain)
	}
	if err := sayCheck(a, cfg, result, f, note); outcome == nil || !errors.Is(err, errPartial) &&
		!errors.Is(err, errMisconfigured) {
		outcome = errors.Join(outcome, err)
	}
	if f.comment {
		a.comment(ctx, request, silent, result, sameCheck(flags, f.since))
	}
	return outcome
}

// diffOf is the diff that standard input has; nil where none is asked for.
func diffOf(a *app, cfg *config.Config, f checkFlags) (*diff.Diff, error) {
	if !f.diff {
		return nil, nil
	}
	if f.since != "" || f.comment {
		return nil, misuse(errors.New("--diff and --since, which --comment sets, are two ways to say what changed; leave " +
			"one of them out"))
	}
	for _, p := range cfg.Projects {
		if p.Repository != cfg.Projects[0].Repository {
			return nil, misuse(errors.New("--diff is of one repository, and the configuration has several; use --since"))
		}
	}
	d, err := diff.Read(a.in)
	if err != nil {
		return nil, misuse(fmt.Errorf("--diff: what standard input has cannot be read as a diff of git: %w", err))
	}
	return d, nil
}

// sameCheck is the command line that finds the same: it has the flags that decide what is found.
func sameCheck(flags *pflag.FlagSet, since string) string {
	line := "locsync check"
	flags.Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{"accept-stale", "baseline", "config", "missing", "stale"}, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, is := f.Value.(pflag.SliceValue); is {
			values = list.GetSlice()
		}
		for _, value := range values {
			switch {
			case f.Value.Type() != "bool":
				word, _ := report.ShellWord(value)
				line += " --" + f.Name + " " + word
			case value == "true":
				line += " --" + f.Name
			}
		}
	})
	word, _ := report.ShellWord(since)
	return line + " --since " + word
}

// comment leaves the comment, or prints it where the job may not: what a check found is told all the same.
func (a *app) comment(ctx context.Context, r command.Request, silent error, found report.CheckReport, same string) {
	v := command.Verdict{Comment: terminal.Comment(found, same), Title: terminal.Verdict(found), Passed: found.Sound()}
	if silent == nil {
		silent = r.Say(ctx, v)
	}
	if silent != nil {
		a.remark(zap.WarnLevel, "locsync: warning: the request could not be told: %v\n%s", silent, v.Comment)
	}
}

// sayCheck prints what was found, and returns errPartial or errMisconfigured where something of it is an error.
func sayCheck(a *app, cfg *config.Config, result report.CheckReport, f checkFlags, note string) error {
	var err error
	if a.asJSON {
		err = a.print(result)
	} else if f.format != "text" {
		err = terminal.NewExchange(version().Version, cfg.File).Write(a.out, f.format, result)
	}
	if err != nil {
		return err
	}
	if !a.asJSON && (f.format == "text" || f.format == "github") {
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
