package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/process"
	"github.com/locsync/locsync/sync/web"
)

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
			"post-rewrite, or post-receive in a bare one. The line rings the running daemon in the background; git " +
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
			return changeHooks(cmd.Context(), a, cfg, "rings the daemon now", func(r *gitops.Repo) ([]string, error) {
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
			return changeHooks(cmd.Context(), a, cfg, "is as it was", func(r *gitops.Repo) ([]string, error) {
				return r.Hooks.Uninstall()
			})
		},
	}
	ring := &cobra.Command{
		Use: "ring", Short: "What the line calls: tell the running daemon to look now",
		Example: "  locsync hook ring", Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			return ring(cmd.Context(), cfg)
		},
	}
	for _, sub := range []*cobra.Command{install, uninstall, ring} {
		noArguments(sub)
		c.AddCommand(sub)
	}
	needsSubcommand(c)
	return c
}

// changeHooks does something to the hooks of every configured repository, once each, and says what is different now.
func changeHooks(ctx context.Context, a *app, cfg *config.Config, now string,
	do func(*gitops.Repo) ([]string, error)) error {
	done := []hookedRepository{}
	seen := make(map[string]bool)
	for _, p := range cfg.Projects {
		if p.Cloned() {
			continue // its host rings by webhook
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
			fmt.Fprintf(a.out, "%s %s\n", hook, now)
		}
	}
	return nil
}

// ringPatience is how long a daemon is told; git does not wait for it.
const ringPatience = 5 * time.Second

// ring tells the running daemon to look now: through the state folder, and where that is not ours to read, or no
// daemon is behind it, at the daemon's address. A daemon that does not run looks when it starts.
func ring(ctx context.Context, cfg *config.Config) error {
	ctx, cancel := context.WithTimeout(ctx, ringPatience)
	defer cancel()
	dir, err := process.StateDir(ctx, cfg)
	if err == nil {
		if _, err = web.Ask(ctx, dir, web.Request{Action: "ring"}, nil); err == nil {
			return nil
		}
	}
	if cfg.Daemon.Listen == "" || ctx.Err() != nil {
		return fmt.Errorf("ring the daemon: %w", err)
	}
	return ringAt(ctx, cfg.Daemon.Listen)
}

// ringAt rings at an address.
func ringAt(ctx context.Context, listen string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return misuse(fmt.Errorf("daemon.listen is %q: there is no address to ring", listen))
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+net.JoinHostPort(host, port)+"/trigger", nil)
	if err != nil {
		return err
	}
	resp, err := (&http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return fmt.Errorf("ring the daemon: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		said, _ := io.ReadAll(io.LimitReader(resp.Body, 1024))
		return fmt.Errorf("ring the daemon: %s: %s", resp.Status, strings.TrimSpace(string(said)))
	}
	return nil
}
