// Package command does what one command asks for: in this process, or by the daemon where the state is the daemon's. A
// command that only reads takes a copy of the state, so that nothing waits for it.
package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/web"
)

// commandPatience is how long a command waits for another one that has the state.
const commandPatience = 2 * time.Minute

// Pass does it in this process, or asks the daemon where the state is the daemon's. warn is told of daemons that keep
// the same projects in sync and have another state: what is done here they do not know.
func Pass(ctx context.Context, cfg *config.Config, o process.Options, want web.Request,
	warn func(process.OtherDaemon)) (web.Answer, error) {
	open := process.Open
	if want.Push.DryRun || want.Pull.DryRun {
		open = process.OpenForDryRun
	}
	for end := time.Now().Add(commandPatience); ; {
		p, err := open(ctx, cfg, o)
		var locked *boltledger.Locked
		switch {
		case errors.As(err, &locked):
			answer, aerr := Ask(ctx, cfg, locked.Dir, want, o.Progress)
			switch {
			case errors.Is(aerr, web.ErrHangs):
				return answer, fmt.Errorf("%w: process %d; look at its log, or end it (kill -9 %d loses nothing) and try again",
					aerr, locked.PID, locked.PID)
			case !errors.Is(aerr, web.ErrNoDaemon):
				return answer, aerr
			case time.Now().After(end): // another command has it, or a daemon that cannot be reached
				return answer, err
			}
			o.Progress(report.Doing{What: fmt.Sprintf("waiting: process %d is at work on the same repository", locked.PID)})
			select {
			case <-ctx.Done():
				return answer, ctx.Err()
			case <-time.After(200 * time.Millisecond):
			}
			continue
		case err != nil:
			return web.Answer{}, err
		}
		for _, other := range process.OtherDaemons(ctx, cfg, p.Dir) {
			warn(other)
		}
		var answer web.Answer
		patient, err := process.Patiently(ctx)
		if err == nil {
			answer, err = web.Do(patient, p.Engine, want)
		}
		return answer, errors.Join(err, p.Close())
	}
}

// reloadPatience is how long a command waits for a daemon that may be about to read the configuration again.
const reloadPatience = 3 * time.Second

// Ask has the daemon that has the state do the work, as this command would with its configuration.
func Ask(ctx context.Context, cfg *config.Config, dir string, want web.Request,
	progress func(report.Doing)) (web.Answer, error) {
	want.Identity = engine.Identity(cfg)
	for end := time.Now().Add(reloadPatience); ; {
		answer, err := web.Ask(ctx, dir, want, progress)
		var other *web.Mismatch
		if !errors.As(err, &other) {
			return answer, err
		}
		if !sameFile(other.File, cfg.File) {
			return answer, failure.Usage(fmt.Errorf("%w; use --config %s to have it do the work, or give %s a state_dir of "+
				"its own", err, other.File, cfg.File))
		}
		if time.Now().After(end) {
			return answer, failure.Usage(fmt.Errorf("%s changed since the daemon (pid %d) loaded it; reload it (systemctl "+
				"reload, or kill -HUP %d), then run this again", cfg.File, other.PID, other.PID))
		}
		select {
		case <-ctx.Done():
			return answer, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// sameFile reports whether two paths, the first one absolute, are of one file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
