package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/heartbeat"
	"github.com/locsync/locsync/sync/state"
)

// claims are what a daemon keeps in step: a project of the service on a branch of a repository. Two daemons with states of their own would each take the
// other's commits for a person's changes, so the second one does not begin. They lie in the git directory, where every daemon of the repository looks:
//
//	<git directory>/locsync/daemon-<digest>/   see state.TakeClaim; their address is the daemon's state folder
type claims struct {
	log  *zap.Logger
	held map[string]claimed // by folder
}

type claimed struct {
	*state.Claim
	project string
}

// claimPatience is how long a claim is tried for: a command that looks whether there is one is in the way for a moment.
const claimPatience = 2 * time.Second

// claimDir is the folder of a project's claim; "" where there is no repository, which is for the passes to tell.
func claimDir(ctx context.Context, cfg *config.Config, p *config.Project) string {
	if p.Cloned() {
		return "" // each state has a clone of its own
	}
	repo, err := gitops.Open(ctx, cfg.Resolve(p.Repository), gitops.Options{Trust: p.TrustOwner, Alive: heartbeat.From(ctx).Beat})
	if err != nil {
		return ""
	}
	defer repo.Close()
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []string{cfg.Service.URL, cfg.Service.AccountID, p.ID, p.Pull.Branch}))
	return filepath.Join(repo.Facts().CommonDir, "locsync", "daemon-"+hex.EncodeToString(sum[:8]))
}

// take takes the claims of a configuration that are not taken yet. Where the git directory cannot be written to, there is nothing that two daemons could spoil.
func (c *claims) take(ctx context.Context, cfg *config.Config, stateDir string) error {
	for i := range cfg.Projects {
		p := &cfg.Projects[i]
		dir := claimDir(ctx, cfg, p)
		if _, ours := c.held[dir]; dir == "" || ours {
			continue
		}
		claim, err := takeClaim(ctx, dir, absolute(stateDir)) // others stand in other folders
		var other *state.Locked
		switch {
		case errors.As(err, &other):
			return usageError{fmt.Errorf("project %q: another daemon keeps it in step already (%s); stop that one, or use its configuration for both", p.Name, holderOf(other))}
		case err != nil:
			c.log.Warn("whether another daemon works for the same project cannot be told", zap.String("project", p.Name), zap.Error(err))
			continue
		}
		if c.held == nil {
			c.held = make(map[string]claimed)
		}
		c.held[dir] = claimed{claim, p.Name}
	}
	return nil
}

func takeClaim(ctx context.Context, dir, stateDir string) (*state.Claim, error) {
	for end := time.Now().Add(claimPatience); ; {
		claim, err := state.TakeClaim(dir, stateDir)
		var other *state.Locked
		if !errors.As(err, &other) || time.Now().After(end) {
			return claim, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// release gives up the claims that a configuration does not need; all of them where it is nil. A project whose repository cannot be opened now keeps its own.
func (c *claims) release(ctx context.Context, cfg *config.Config) {
	needed, closed := make(map[string]bool), make(map[string]bool)
	if cfg != nil {
		for i := range cfg.Projects {
			p := &cfg.Projects[i]
			dir := claimDir(ctx, cfg, p)
			needed[dir], closed[p.Name] = true, dir == "" && !p.Cloned()
		}
	}
	for dir, claim := range c.held {
		if !needed[dir] && !closed[claim.project] {
			claim.Release()
			delete(c.held, dir)
		}
	}
}

// warnOfDaemons tells a command of daemons that keep the same projects in step and have another state: what it does, they do not know of.
func (a *app) warnOfDaemons(ctx context.Context, cfg *config.Config, stateDir string) {
	for i := range cfg.Projects {
		p := &cfg.Projects[i]
		dir := claimDir(ctx, cfg, p)
		if dir == "" {
			continue
		}
		if other := state.Claimed(dir); other != nil && other.PID != os.Getpid() && other.Address != absolute(stateDir) {
			a.remark(zap.WarnLevel, "locsync: warning: project %q: a daemon keeps it in step already (%s), and does not know what is done here; with state_dir = %q it does the work", p.Name, holderOf(other), other.Address)
		}
	}
}

func holderOf(l *state.Locked) string {
	if l.PID == 0 {
		return "a process that has only just begun"
	}
	return fmt.Sprintf("process %d, since %s, state in %s", l.PID, inUTC(l.Since), l.Address)
}
