package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/command"
	"github.com/locsync/locsync/sync/config"
)

func statusCommand(a *app) *cobra.Command {
	var o statusOptions
	c := &cobra.Command{
		Use:   "status",
		Short: "Show what is in sync and what is not: per project, file and language",
		Long: "Shows of every project what waits to be pushed, how much of it each language has, how the last push and " +
			"pull ended and when the next\n" +
			"pull is, and everything that was left out with what to do. It asks the running daemon, and else looks for " +
			"itself; it makes no requests.\n\n" +
			"At a terminal equal problems are one line, and long lists are cut (--all). In a pipe every problem and file has " +
			"a line of its own.",
		Example: "  locsync status\n  locsync status --fail-if-incomplete 95 --language de   # fails a CI job\n  locsync " +
			"status --watch   # until Ctrl-C, drawn anew when something changes\n  locsync status --json --watch   # a line " +
			"of JSON for each change",
		RunE: func(cmd *cobra.Command, _ []string) error { return sayStatus(a, cmd, o) },
	}
	f := c.Flags()
	f.BoolVar(&o.all, "all", false, "at a terminal: every file, problem and event")
	f.BoolVar(&o.watched, "watch", false, "go on, and show it again when something changes")
	f.StringVarP(&o.project, "project", "p", "", "only the project called `NAME`")
	f.Float64Var(&o.least, "fail-if-incomplete", 0, "end with 3 where a language has less than `PERCENT` of the keys")
	f.StringSliceVar(&o.languages, "language", nil, "with --fail-if-incomplete: only these `CODES`")
	return c
}

// statusOptions are the flags of status.
type statusOptions struct {
	all, watched bool
	project      string
	least        float64 // in percent
	languages    []string
}

func sayStatus(a *app, cmd *cobra.Command, o statusOptions) error {
	gated := cmd.Flags().Changed("fail-if-incomplete")
	switch {
	case gated && !(o.least >= 0 && o.least <= 100):
		return misuse(fmt.Errorf("--fail-if-incomplete takes a percentage from 0 to 100, not %v", o.least))
	case o.languages != nil && !gated:
		return misuse(errors.New("--language chooses what --fail-if-incomplete is about; add that, or leave it out"))
	case o.watched && gated:
		return misuse(errors.New("--watch goes on, and --fail-if-incomplete ends; leave one of them out"))
	}
	cfg, err := a.loadEmpty()
	if gated { // without a project nothing is complete
		cfg, err = a.load()
	}
	if err != nil {
		return err
	}
	if o.project != "" && cfg.Project(o.project) == nil {
		return misuse(cfg.NoProject(o.project))
	}
	a.warnAlone(cmd.Context(), cfg)
	if err := knownTargets(cfg, o); err != nil {
		return err
	}
	log, err := a.logger(zap.ErrorLevel)
	if err != nil {
		return err
	}
	if o.watched {
		return watchStatus(cmd.Context(), a, cfg, o, log)
	}
	s, err := command.Status(cmd.Context(), cfg, o.project, log)
	if err != nil {
		return err
	}
	s = s.Only(o.project)
	if gated {
		s.Incomplete = s.Below(o.least, o.languages)
	}
	if a.asJSON {
		err = a.print(s)
	} else {
		err = a.screen().Status(s, time.Now(), o.all)
	}
	if err == nil && len(s.Incomplete) > 0 {
		err = errPartial
	}
	return err
}

// knownTargets refuses a language that no chosen project is translated into: it would never be incomplete.
func knownTargets(cfg *config.Config, o statusOptions) error {
	var known []string
	for _, p := range cfg.Projects {
		if o.project == "" || p.Name == o.project {
			known = append(known, p.TargetLanguages...)
		}
	}
	for _, language := range o.languages {
		if !slices.Contains(known, language) {
			return misuse(noneOf("target language", language, known))
		}
	}
	return nil
}

// watchStatus shows the status again when it changes, until ctx ends, which is how it is meant to end.
func watchStatus(ctx context.Context, a *app, cfg *config.Config, o statusOptions, log *zap.Logger) error {
	changes := command.Changes(ctx, cfg, o.project, log)
	if !a.asJSON {
		return a.screen().Follow(ctx, changes, o.all)
	}
	for s, err := range changes {
		if err != nil {
			return err
		}
		if err := a.printLine(s); err != nil {
			return err
		}
	}
	return nil
}
