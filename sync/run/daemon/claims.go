package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/run/process"
)

// claims are what a daemon keeps in sync: a project of the service on a branch of a repository. Two daemons with states
// of their own would each take the other's commits for a person's changes, so the second one does not begin. They lie
// in the git directory, where every daemon of the repository looks:
//
//	<git directory>/locsync/daemon-<digest>/   see boltledger.TakeClaim; their address is the daemon's state folder
//
// A repository may be on a mount that does not answer. It does not keep others waiting for long: its claim is taken by
// the first pass that gets to it.
type claims struct {
	log      *zap.Logger
	stateDir string
	opening  chan struct{} // has room for as many as are opened at once

	mu     sync.Mutex
	needed map[string]bool     // what may be claimed: what configurations need that are in use or being prepared
	held   map[string]claimed  // by folder
	at     map[string]string   // the folder of each claim, by what is claimed
	asked  map[string]*asked   // repositories that are being opened to claim them, by what is claimed
	told   map[string]struct{} // folders whose trouble was logged
}

type claimed struct {
	*boltledger.Claim
	whats []string // what it is held for: a repository may have several names
}

// asked is a repository that is being opened to be claimed.
type asked struct {
	began time.Time
	done  chan struct{}
	err   error // when it is done
}

func newClaims(log *zap.Logger, stateDir string) *claims {
	return &claims{log: log, stateDir: process.Absolute(stateDir), needed: make(map[string]bool),
		held: make(map[string]claimed), at: make(map[string]string), opening: make(chan struct{}, openAtOnce),
		asked: make(map[string]*asked), told: make(map[string]struct{})}
}

const (
	// claimPatience is how long a claim is tried for: a command that looks whether there is one is in the way for a
	// moment.
	claimPatience = 2 * time.Second
	// openPatience is how long a repository may take to be opened.
	openPatience = 5 * time.Second
	// openAtOnce is how many are opened at once: each takes a git program. So many may hang before others wait for them.
	openAtOnce = 64
	// releasePatience is how long claims may take to be given up. What is left of them ends with the process.
	releasePatience = time.Second
)

// claimOf names what is claimed for a project, as its configuration has it.
func claimOf(cfg *config.Config, p *config.Project) string {
	return fmt.Sprintf("%q", []string{cfg.Service.URL, cfg.Service.AccountID, p.ID, p.Pull.Branch,
		cfg.Resolve(p.Repository)})
}

// take takes the claims of a configuration that are not taken yet. Another daemon's claim is an error. A repository
// that does not answer soon is not waited for: what is wrong with its claim is for the first pass to tell.
func (c *claims) take(ctx context.Context, cfg *config.Config) error {
	var all []*asked
	for i := range cfg.Projects {
		if p := &cfg.Projects[i]; !p.Cloned() {
			all = append(all, c.ask(ctx, cfg, p))
		}
	}
	var errs []error
	for _, a := range all {
		late := time.NewTimer(openPatience - time.Since(a.began))
		select {
		case <-a.done:
			errs = append(errs, a.err)
		case <-late.C:
		case <-ctx.Done():
			errs = append(errs, ctx.Err())
		}
		late.Stop()
	}
	return errors.Join(errs...)
}

// caught is claim, of what there is to claim, whose faults are errors.
func (c *claims) caught(ctx context.Context, cfg *config.Config, p *config.Project) (err error) {
	defer fault.Catch("the claim of project "+p.Name, &err)
	dir := process.ClaimDir(ctx, cfg, p)
	if dir == "" {
		return nil
	}
	return c.claim(ctx, cfg, p, dir)
}

// ask begins to take a project's claim, or joins who does so already.
func (c *claims) ask(ctx context.Context, cfg *config.Config, p *config.Project) *asked {
	c.mu.Lock()
	defer c.mu.Unlock()
	what := claimOf(cfg, p)
	c.needed[what] = true
	if a := c.asked[what]; a != nil {
		return a
	}
	a := &asked{began: time.Now(), done: make(chan struct{})}
	c.asked[what] = a
	ctx = heartbeat.With(ctx, nil) // it may hang, and no new start of the daemon would end that
	go func() {
		c.opening <- struct{}{}
		leave := sync.OnceFunc(func() { <-c.opening })
		defer time.AfterFunc(openPatience, leave).Stop() // one that hangs keeps no other from being opened
		a.err = c.caught(ctx, cfg, p)
		leave()
		c.mu.Lock()
		delete(c.asked, what)
		c.mu.Unlock()
		close(a.done)
	}()
	return a
}

// errUnneeded is the error of a claim that no configuration needs: of a pass that waited while the daemon read another
// one.
var errUnneeded = errors.New("the daemon has read its configuration again meanwhile, and this is not in it any more")

// claim takes the claim of a project in a folder, where it is not held already. Where the git directory cannot be
// written to, there is nothing that two daemons could spoil.
func (c *claims) claim(ctx context.Context, cfg *config.Config, p *config.Project, dir string) error {
	what := claimOf(cfg, p)
	err := c.takeClaim(ctx, dir, what)
	var other *boltledger.Locked
	switch {
	case errors.As(err, &other):
		return wrongUse(fmt.Errorf("project %q: another daemon already manages it (%s); stop that one, or use its "+
			"configuration for both", p.Name, process.HolderOf(other)))
	case errors.Is(err, errUnneeded):
		return fmt.Errorf("project %q: %w", p.Name, err)
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		c.mu.Lock()
		defer c.mu.Unlock()
		if _, told := c.told[dir]; !told {
			c.told[dir] = struct{}{}
			c.log.Warn("cannot check for other daemons", zap.String("project", p.Name),
				zap.Error(err))
		}
		return nil
	}
	c.mu.Lock()
	before := c.at[what]
	c.at[what] = dir
	c.mu.Unlock()
	if before != "" && before != dir { // the repository is another one now, under the same name
		c.drop(ctx, []gone{{before, what}})
	}
	return nil
}

// takeClaim takes a claim. One that this daemon has already is held for this as well then.
func (c *claims) takeClaim(ctx context.Context, dir, what string) error {
	for end := time.Now().Add(claimPatience); ; {
		if have, err := c.hold(dir, what, nil); have || err != nil {
			return err
		}
		claim, err := boltledger.TakeClaim(dir, c.stateDir) // others are in other folders
		if err == nil {
			if _, err = c.hold(dir, what, claim); err != nil { // it was given up while the repository did not answer
				claim.Release()
			}
			return err
		}
		var other *boltledger.Locked
		if !errors.As(err, &other) || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// hold holds a folder's claim for something, that which is held or, where none is, a new one; nil for none. It reports
// whether there is one.
func (c *claims) hold(dir, what string, claim *boltledger.Claim) (have bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.needed[what] {
		return false, errUnneeded
	}
	held, have := c.held[dir]
	switch {
	case !have && claim == nil:
		return false, nil
	case !have:
		held.Claim = claim
	}
	if !slices.Contains(held.whats, what) {
		held.whats = append(held.whats, what)
	}
	c.held[dir] = held
	return true, nil
}

// release gives up the claims that a configuration does not need; all of them where it is nil. Passes of an earlier one
// do not get them again.
func (c *claims) release(ctx context.Context, cfg *config.Config) {
	needed := make(map[string]bool)
	if cfg != nil {
		for i := range cfg.Projects {
			needed[claimOf(cfg, &cfg.Projects[i])] = true
		}
	}
	c.mu.Lock()
	c.needed = needed
	var unneeded []gone
	for dir, held := range c.held {
		for _, what := range held.whats {
			if !needed[what] {
				unneeded = append(unneeded, gone{dir, what})
				delete(c.at, what)
			}
		}
	}
	c.mu.Unlock()
	c.drop(ctx, unneeded)
}

// gone is what a folder is not held for any more.
type gone struct{ dir, what string }

// drop gives up the claims of which nothing is left that they are held for. It waits for a moment only: their
// repositories may not answer.
func (c *claims) drop(ctx context.Context, unneeded []gone) {
	c.mu.Lock()
	var dropped []claimed
	for _, g := range unneeded {
		held, is := c.held[g.dir]
		if !is {
			continue
		}
		held.whats = slices.DeleteFunc(held.whats, func(what string) bool { return what == g.what })
		c.held[g.dir] = held
		if len(held.whats) == 0 {
			delete(c.held, g.dir)
			dropped = append(dropped, held)
		}
	}
	c.mu.Unlock()
	if len(dropped) == 0 {
		return
	}
	var all fault.Group
	for _, held := range dropped {
		all.Go(held.Release)
	}
	heartbeat.Within(context.WithoutCancel(ctx), releasePatience, func() struct{} { all.Wait(); return struct{}{} })
}

// wrongUse marks an error that stays until something is changed.
func wrongUse(err error) error { return &failure.UsageError{Err: err} }
