package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/command"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/run/daemon"
	"github.com/locsync/locsync/sync/run/process"
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
			cfg, err := a.loadEmpty()
			if err != nil {
				return err
			}
			a.warnAlone(cmd.Context(), cfg)
			log, err := a.logger(zap.InfoLevel)
			if err != nil {
				return err
			}
			return daemon.Run(cmd.Context(), cfg, a.options(log))
		},
	}
}

// hookedRepository is a repository whose hooks were looked at.
type hooked struct {
	Repositories []hookedRepository `json:"repositories"`
}

type hookedRepository struct {
	Repository string   `json:"repository"`
	Hooks      []string `json:"hooks"` // files that are different now
}

func hookCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "hook",
		Short: "Let git tell the running daemon to look now",
		Long: "hook install adds one line to the git hooks of every configured repository: post-commit, post-merge, " +
			"post-checkout and\n" +
			"post-rewrite, or post-receive in a bare one. The line tells the running daemon in the background; git " +
			"never fails or\n" +
			"waits because of it. The rest of those hooks stays as it is, and hook uninstall takes the line out again.",
	}
	install := &cobra.Command{
		Use: "install", Short: "Add the line to the hooks", Example: "  locsync hook install\n  locsync hook install " +
			"--config /etc/locsync/app.toml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			if cfg.Daemon.Listen == "" {
				return misuse(fmt.Errorf("%s: daemon.listen is \"\", which turns hooks off; set it, then install them", cfg.File))
			}
			commands, err := process.HookCommands(cfg)
			if err != nil {
				return err
			}
			return changeHooks(cmd.Context(), a, cfg, "installed in", func(r *gitops.Repo) ([]string, error) {
				return r.Hooks.Install(commands)
			})
		},
	}
	uninstall := &cobra.Command{
		Use: "uninstall", Short: "Take the line out of the hooks", Example: "  locsync hook uninstall",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			return changeHooks(cmd.Context(), a, cfg, "removed from", func(r *gitops.Repo) ([]string, error) {
				return r.Hooks.Uninstall()
			})
		},
	}
	tell := &cobra.Command{
		Use: "ring", Short: "What the line calls: tell the running daemon to look now",
		Example: "  locsync hook ring", Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.loadEmpty()
			if err != nil {
				return err
			}
			return command.Trigger(cmd.Context(), cfg)
		},
	}
	for _, sub := range []*cobra.Command{install, uninstall, tell} {
		noArguments(sub)
		c.AddCommand(sub)
	}
	needsSubcommand(c)
	return c
}

// changeHooks does something to the hooks of every configured repository, once each, and says what is different now.
func changeHooks(ctx context.Context, a *app, cfg *config.Config, what string,
	do func(*gitops.Repo) ([]string, error)) error {
	done := []hookedRepository{}
	seen := make(map[string]bool)
	for _, p := range cfg.Projects {
		if p.Cloned() {
			continue // its host tells by webhook
		}
		dir := cfg.Resolve(p.Repository)
		repo, err := gitops.Open(ctx, dir, gitops.Options{Trust: p.TrustOwner})
		if err != nil {
			return misuse(fmt.Errorf("project %q: %w", p.Name, err))
		}
		if facts := repo.Facts(); !seen[facts.GitDir] {
			seen[facts.GitDir] = true
			changed, err := do(repo)
			if err != nil {
				return misuse(fmt.Errorf("project %q: %w", p.Name, err))
			}
			done = append(done, hookedRepository{dir, append([]string{}, changed...)})
		}
		if err := repo.Close(); err != nil {
			return err
		}
	}
	if a.asJSON {
		return a.print(hooked{done})
	}
	for _, r := range done {
		if len(r.Hooks) == 0 {
			fmt.Fprintf(a.out, "%s: nothing to change\n", r.Repository)
		}
		for _, hook := range r.Hooks {
			fmt.Fprintf(a.out, "%s %s\n", what, hook)
		}
	}
	return nil
}
