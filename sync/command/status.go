package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/web"
)

// A daemon may take so long to say how things stand, before a command looks for itself: the answer about thousands of
// projects is tens of megabytes, and to open their repositories takes minutes.
const (
	patience           = 3 * time.Second
	patienceForProject = 5 * time.Millisecond
)

func patienceFor(projects int) time.Duration {
	return patience + time.Duration(projects)*patienceForProject
}

// Status asks the daemon, or else reads the files and a copy of the state: it makes no requests and changes
// nothing. A daemon with many projects has read only the one that is named now; "" names none.
func Status(ctx context.Context, cfg *config.Config, project string, log *zap.Logger) (report.Status, error) {
	var daemon report.Daemon
	dir, err := process.StateDir(ctx, cfg) // an error here is in the status again, as a problem
	if err == nil {
		want := web.Request{Action: "status", Identity: engine.Identity(cfg), Project: project}
		asked, cancel := context.WithTimeout(ctx, patienceFor(len(cfg.Projects)))
		defer cancel()
		answer, err := web.Ask(asked, dir, want, nil)
		if err == nil {
			return answer.Status, nil
		}
		daemon = silentDaemon(asked, err, cfg)
	}
	if cfg.Clustered() {
		s, err := sharedStatus(ctx, cfg, log)
		s.Daemon = daemon
		return s, err
	}
	copied, err := os.MkdirTemp("", "locsync-status-")
	if err != nil && dir != "" {
		copied, err = os.MkdirTemp(dir, "status-") // where the state is there is room for a copy of it
	}
	if err != nil {
		return report.Status{}, fmt.Errorf("make a folder for a copy of the state: %w; let TMPDIR name one that can be "+
			"written", err)
	}
	defer os.RemoveAll(copied)
	store, err := boltledger.OpenCopy(dir, copied)
	if err != nil {
		return report.Status{}, err
	}
	defer store.Close()
	parts := engine.Parts{Config: cfg, State: store, Log: log, Clones: process.Clones(dir), Patience: 3 * time.Minute}
	s := engine.New(parts).Status(ctx)
	s.Daemon = daemon
	return s, nil
}

// sharedStatus is what the processes of a cluster have published.
func sharedStatus(ctx context.Context, cfg *config.Config, log *zap.Logger) (report.Status, error) {
	shared, err := process.Join(ctx, cfg, "", log)
	if err != nil {
		return report.Status{Projects: []report.ProjectStatus{}}, err
	}
	defer shared.Close()
	e := engine.New(engine.Parts{Config: cfg, State: shared.Store(), Log: log, Cluster: shared})
	if err := shared.Learn(ctx, e); err != nil {
		return report.Status{Projects: []report.ProjectStatus{}}, err
	}
	return e.Status(ctx), nil
}

// silentDaemon is a daemon that runs and did not give its status: it hangs, or works with another configuration.
func silentDaemon(asked context.Context, err error, cfg *config.Config) report.Daemon {
	var other *web.Mismatch
	if errors.As(err, &other) && sameFile(other.File, cfg.File) {
		return report.Daemon{Running: true, PID: other.PID}
	}
	return report.Daemon{Running: asked.Err() != nil || errors.Is(err, web.ErrHangs)}
}

const (
	// lookEvery is how often a status that is watched is asked for. A slow answer is not asked for again before
	// watchShare times as much has passed, so that watching costs a daemon little.
	lookEvery  = time.Second
	watchShare = 20
)

// Changes is the status as it is, and again whenever it is another one.
func Changes(ctx context.Context, cfg *config.Config, project string, log *zap.Logger) iter.Seq2[report.Status, error] {
	return func(yield func(report.Status, error) bool) {
		var last []byte
		for {
			began := time.Now()
			// else the last good one holds, as it does for the daemon
			if edited, err := process.ReadConfig(cfg.File); err == nil {
				cfg = edited
			}
			s, err := Status(ctx, cfg, project, log)
			s = s.Only(project)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				yield(s, err)
				return
			}
			now, err := json.Marshal(s)
			if err != nil {
				yield(s, err)
				return
			}
			if !bytes.Equal(now, last) && !yield(s, nil) {
				return
			}
			last = now
			select {
			case <-ctx.Done():
				return
			case <-time.After(max(lookEvery, watchShare*time.Since(began))):
			}
		}
	}
}
