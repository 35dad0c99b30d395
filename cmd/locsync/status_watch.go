package main

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/process"
	"github.com/locsync/locsync/sync/report"
)

const (
	// lookEvery is how often a status that is watched is asked for. A slow answer is not asked for again before
	// watchShare times as much has passed, so that watching costs a daemon little.
	lookEvery  = time.Second
	watchShare = 20
)

// watchStatus shows the status again when it changes, until ctx ends, which is how it is meant to end.
func watchStatus(ctx context.Context, a *app, cfg *config.Config, o statusOptions) error {
	changes := statusChanges(ctx, a, cfg, o.project)
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

// statusChanges is the status as it is, and again whenever it is another one.
func statusChanges(ctx context.Context, a *app, cfg *config.Config, project string) iter.Seq2[report.Status, error] {
	return func(yield func(report.Status, error) bool) {
		var last []byte
		for {
			began := time.Now()
			// else the last good one holds, as it does for the daemon
			if edited, err := process.ReadConfig(cfg.File); err == nil {
				cfg = edited
			}
			s, err := readStatus(ctx, a, cfg)
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
