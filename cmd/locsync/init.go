package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"golang.org/x/term"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/setup"
	"github.com/locsync/locsync/sync/setup/discover"
	"github.com/locsync/locsync/sync/setup/migrate"
	"github.com/locsync/locsync/sync/terminal"
)

func initCommand(a *app) *cobra.Command {
	var given setup.Answers
	var o initOptions
	c := &cobra.Command{
		Use:   "init",
		Short: "Find the resource files of this repository and write a working locsync.toml",
		Long: "init finds the repository's resource files and languages, reports what it found and what it left out, and " +
			"writes a locsync.toml that works\n" +
			"without changes. At a terminal it asks for what it cannot know; flags answer in advance. Otherwise it uses what " +
			"it found and the embedded\n" +
			"service, whose commits stay in this repository. It makes no network requests and never overwrites a file.",
		Example: "  cd my-app && locsync init && locsync check\n  locsync init --languages de,fr --url " +
			"https://t.example.com --account-id 42\n  locsync init --dry-run   # shows the file, writes none\n  " +
			"locsync init --from crowdin.yml   # the files that another tool has",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.agents {
				return sayToAgents(a, o.dryRun)
			}
			return initialize(cmd.Context(), a, given, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.from, "from", "", "take over the files and languages of another tool's configuration `FILE`: "+
		"crowdin.yml, .tolgeerc, lokalise2.yml, .phrase.yml, .tx/config or Lingo.dev's i18n.json; of Smartcat's .smartcat, "+
		"the service, account and project")
	f.StringVar(&given.Source, "source", "", "the `LANGUAGE` that the source files are written in")
	f.StringSliceVar(&given.Targets, "languages", nil, "the `LANGUAGES` to translate into, separated by commas "+
		"(default: those that are there)")
	f.StringVar(&given.URL, "url", "", "the service's `ADDRESS` (default: embedded, a service inside locsync)")
	f.StringVar(&given.Account, "account-id", "", "the account's `ID` at the service")
	f.StringVar(&given.KeyEnv, "api-key-env", "", "the environment `VARIABLE` that holds the API key (default: "+
		"LOCSYNC_API_KEY)")
	f.StringVar(&given.ID, "project-id", "", "the project's `ID` at the service")
	f.StringVar(&given.Branch, "branch", "", "the `BRANCH` that translations are committed on (default: l10n)")
	f.StringVar(&given.Reviewed, "reviewed", "", "`yes` where the translations that are there are reviewed: they are "+
		"sent as final, not as drafts")
	f.StringVar(&given.Name, "name", "", "the project's `NAME` in messages (default: the folder's)")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "show the file and write none; the report goes to standard error")
	f.BoolVar(&o.verbose, "verbose", false, "report all that was found, however much it is")
	f.BoolVar(&o.agents, "agents", false, "write no locsync.toml but AGENTS.md: what coding agents are to do with "+
		"translations here")
	f.BoolVar(&o.noInput, "no-input", false, "do not ask, also at a terminal")
	return c
}

type initOptions struct {
	dryRun, noInput, verbose, agents bool
	from                             string
}

// initialized is the result of init.
type initialized struct {
	File    string `json:"file"`
	Written bool   `json:"written"`
	Text    string `json:"text"`
	discover.Result
	From *migrate.Found `json:"from,omitempty"`
}

func initialize(ctx context.Context, a *app, given setup.Answers, o initOptions) error {
	dir, err := here()
	if err != nil {
		return err
	}
	p, err := setup.New(ctx, dir, setup.Options{Answers: given, File: a.configFile, Written: o.dryRun, From: o.from})
	if err != nil {
		return err
	}
	asks := !o.noInput && !o.dryRun && atTerminal(a)
	if asks {
		talk := terminal.Converse(a.in, a.out)
		if err = p.Offer(ctx, talk, given); err == nil {
			p.Explain(a.sayWrapped, o.verbose)
			err = p.Ask(ctx, talk, given, a.sayWrapped)
		}
	} else {
		err = p.Sure(given)
	}
	if err == nil {
		err = p.TryOut(func(cfg *config.Config) (report.CheckReport, error) {
			line := a.progress()
			defer line.End()
			parts := engine.Parts{Config: cfg, Log: zap.NewNop(), Progress: line.Show}
			return engine.New(parts).Check(ctx, inspect.Options{})
		})
	}
	if err == nil && !o.dryRun {
		err = p.Write()
	}
	switch {
	case err != nil:
		return err
	case a.asJSON:
		return a.print(initialized{p.File, !o.dryRun, p.Text(), p.Found, p.From})
	case o.dryRun:
		p.Explain(func(format string, args ...any) { a.remark(zap.InfoLevel, format, args...) }, o.verbose)
		a.remark(zap.InfoLevel, "%s", p.Checked)
		fmt.Fprint(a.out, p.Text())
		return nil
	case !asks:
		p.Explain(a.sayWrapped, o.verbose)
	}
	p.Next(a.sayWrapped)
	return nil
}

// atTerminal reports whether a person can be asked: types, and sees the question.
func atTerminal(a *app) bool {
	in, typed := a.in.(*os.File)
	out := outputOf(a.out)
	return typed && out != nil && !a.asJSON && term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.file.Fd()))
}

// sayWrapped says a line, which a terminal shows broken between words.
func (a *app) sayWrapped(format string, args ...any) {
	whole := fmt.Sprintf(format, args...)
	text := strings.TrimLeft(whole, " ")
	a.screen().Text(whole[:len(whole)-len(text)], text)
}
