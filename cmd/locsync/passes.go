package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/command"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/web"
)

func pushCommand(a *app) *cobra.Command {
	want := web.Request{Action: "push"}
	c := &cobra.Command{
		Use:   "push",
		Short: "Send everything that changed since the last push",
		Long: "push sends the keys whose text was added or changed since the service accepted them last, and the " +
			"translations that people changed in the repository. " +
			"Nothing is sent where nothing changed. Where repository and service have different translations that they never " +
			"agreed on, neither side changes until it is decided: by push --translations, pull --accept-service, or one by " +
			"one. Beside a running daemon the daemon does it.\n\n" +
			"A translation that was changed here and at the service keeps the service's text until it is decided: with " +
			"--ours or --theirs. --key, --language and --file choose some of them; the others wait.\n\n" +
			"Without --ours and --theirs, --file pushes only some files: source or translated ones, by their paths in the " +
			"repository as status names them, or by globs. What changed in others waits for the next push of all, but " +
			"translations of new keys go with their source file. A translation of a changed source text waits until that " +
			"is pushed.",
		Example: "  locsync push\n  locsync push --dry-run\n  locsync push --project app --all\n" +
			"  locsync push --file locales/en/menu.json --file 'locales/de/*.json'\n\n" +
			"  # where the two never agreed on a translation, send the repository's\n  locsync push --translations\n\n" +
			"  # of a translation changed on both sides: send the one from here after all\n  locsync push --ours --key " +
			"menu.open --language de\n\n" +
			"  # of all of a file, take the service's\n  locsync push --theirs --file locales/de/menu.json",
		RunE: func(cmd *cobra.Command, _ []string) error { return runPass(cmd.Context(), a, want) },
	}
	passFlags(a, c, &want)
	pushFlags(c, &want.Push)
	conflictFlags(c, &want.Push)
	c.Flags().BoolVar(&want.Push.Force, "force", false, "push source files even if they lost so many keys that "+
		"push.guard holds them back")
	c.Flags().BoolVar(&want.Push.JoinPlurals, "join-plurals", false, "send plurals whose forms were sent as keys, one by "+
		"one, as one key each, with their translations")
	return c
}

func pullCommand(a *app) *cobra.Command {
	want := web.Request{Action: "pull"}
	c := &cobra.Command{
		Use:   "pull",
		Short: "Bring translations back: export, merge, commit, push to the remote",
		Long: "pull asks the service for the translations, merges them key by key into the files of the translation " +
			"branch, and delivers one commit: here and at the remote. The working tree is not touched, unless that branch " +
			"is checked out and clean. What would break the program is left out and named (3).\n\n" +
			"With --language only the files of these languages are changed. The others wait for the next pull of all.",
		Example: "  locsync pull\n  locsync pull --dry-run\n  locsync pull --language de,fr\n\n" +
			"  # look at everything again, whatever was pulled before\n  locsync pull --full\n\n" +
			"  # where the two never agreed on a translation, take the service's\n  locsync pull --accept-service",
		RunE: func(cmd *cobra.Command, _ []string) error { return runPass(cmd.Context(), a, want) },
	}
	passFlags(a, c, &want)
	pullFlags(c, &want.Pull)
	c.Flags().StringSliceVar(&want.Pull.Languages, "language", nil, "only in these `CODES`")
	c.Flags().BoolVar(&want.Pull.Force, "force", false, "once, let files pass that the guard would hold back")
	return c
}

func syncCommand(a *app) *cobra.Command {
	want := web.Request{Action: "sync"}
	force := false
	c := &cobra.Command{
		Use:     "sync",
		Short:   "Push, then pull",
		Long:    "sync does what push and then pull do, in one go: for a CI job or a timer.",
		Example: "  locsync sync\n  locsync sync --dry-run\n  locsync sync --json > report.json",
		RunE:    func(cmd *cobra.Command, _ []string) error { return runPass(cmd.Context(), a, want) },
	}
	passFlags(a, c, &want)
	pushFlags(c, &want.Push)
	pullFlags(c, &want.Pull)
	c.Flags().BoolVar(&force, "force", false, "once, let files pass that would be held back, in both directions")
	also := c.PreRun
	c.PreRun = func(cmd *cobra.Command, args []string) {
		also(cmd, args)
		want.Push.Force, want.Pull.Force = force, force
	}
	return c
}

// passFlags adds what push, pull and sync have in common.
func passFlags(a *app, c *cobra.Command, want *web.Request) {
	c.Flags().StringVarP(&want.Push.Project, "project", "p", "", "only the project called `NAME`")
	c.Flags().BoolVar(&want.Push.All, "all", false, "send also what did not change; with --dry-run, show all texts")
	c.Flags().BoolVarP(&want.Push.DryRun, "dry-run", "n", false, "report exactly what would be done, and change "+
		"nothing anywhere")
	c.PreRun = func(*cobra.Command, []string) {
		want.Pull.Project, want.Pull.DryRun = want.Push.Project, want.Push.DryRun
	}
}

func pushFlags(c *cobra.Command, o *push.Options) {
	o.Patient = true
	c.Flags().BoolVar(&o.Translations, "translations", false, "where repository and service never agreed on a text: "+
		"send the repository's")
}

// conflictFlags decide about translations that were changed on both sides.
func conflictFlags(c *cobra.Command, o *push.Options) {
	c.Flags().BoolVar(&o.Ours, "ours", false, "of translations that wait for a decision: send the repository's")
	c.Flags().BoolVar(&o.Theirs, "theirs", false, "of translations that wait for a decision: take the service's")
	c.Flags().StringArrayVar(&o.Keys, "key", nil, "with --ours or --theirs: only of `KEY`; may be repeated (default: "+
		"all that locsync status names)")
	c.Flags().StringSliceVar(&o.Languages, "language", nil, "with --ours or --theirs: only in these `CODES`")
	c.Flags().StringArrayVar(&o.Files, "file", nil, "only the source or translated file at `PATH` in the repository, or "+
		"those that match it as a glob; may be repeated. With --ours or --theirs: only conflicts in this translated file")
}

func pullFlags(c *cobra.Command, o *pull.Options) {
	c.Flags().BoolVar(&o.Full, "full", false, "ignore what was pulled before")
	c.Flags().BoolVar(&o.AcceptService, "accept-service", false, "where repository and service never agreed on a text: "+
		"take the service's")
	c.Flags().BoolVar(&o.Prune, "prune", false, "take out entries whose keys the source does not have, also those that "+
		"it never had")
}

// runPass runs a pass here or has the daemon run it, and prints its report.
func runPass(ctx context.Context, a *app, want web.Request) error {
	cfg, err := a.load()
	if err != nil {
		return err
	}
	a.warnAlone(ctx, cfg)
	log, err := a.logger(zap.WarnLevel)
	if err != nil {
		return err
	}
	line := a.progress()
	o := a.options(log)
	o.Progress = line.Show
	answer, err := command.Pass(ctx, cfg, o, want, func(other process.OtherDaemon) {
		a.remark(zap.WarnLevel, "locsync: warning: project %q: a daemon already manages it (%s), and does not know "+
			"what is done here; with state_dir = %q it does the work", other.Project, other.Holder, other.State)
	})
	line.End()
	if perr := sayReport(a, cfg, want, answer); perr != nil {
		return errors.Join(err, perr)
	}
	if err != nil {
		return err
	}
	return ended(answer)
}

// ended is how a pass ended that reports this.
func ended(a web.Answer) error {
	var problems []report.Problem
	for _, p := range a.Push.Projects {
		problems = append(problems, p.Problems...)
	}
	for _, p := range a.Pull.Projects {
		problems = append(problems, p.Problems...)
	}
	switch {
	case slices.ContainsFunc(problems, func(p report.Problem) bool { return p.Configuration }):
		return errMisconfigured
	case report.LeavesOut(problems):
		return errPartial
	}
	return nil
}

// sayReport prints what was done. A list in JSON is never null, not even where nothing was begun.
func sayReport(a *app, cfg *config.Config, want web.Request, answer web.Answer) error {
	if a.asJSON {
		if answer.Push.Projects == nil {
			answer.Push.Projects = []report.ProjectPush{}
		}
		if answer.Pull.Projects == nil {
			answer.Pull.Projects = []report.ProjectPull{}
		}
		switch want.Action {
		case "push":
			return a.print(answer.Push)
		case "pull":
			return a.print(answer.Pull)
		}
		return a.print(report.SyncReport{Push: answer.Push, Pull: answer.Pull})
	}
	out := a.screen()
	out.All = want.Push.All
	for _, p := range answer.Push.Projects {
		out.Push(p, answer.Push.DryRun)
	}
	for _, p := range answer.Pull.Projects {
		out.Pull(p, answer.Pull.DryRun)
	}
	if cfg.Service.Embedded() && !want.Push.DryRun {
		out.Drafts(answer.Push.Projects, answer.Pull.Projects, cfg.Daemon.Listen)
	}
	return nil
}
