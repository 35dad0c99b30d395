package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/files"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/web"
)

// Edited is what an edit of the configuration has done.
type Edited struct {
	Project  string `json:"project"`
	File     string `json:"file"`
	Removed  bool   `json:"removed"`  // the file is gone
	Reloaded bool   `json:"reloaded"` // a daemon runs, and works with the new configuration
}

// Change is an edit of a configuration as it is on the disk at the moment.
type Change func(file string, accept config.Option) (config.Edit, *config.Config, error)

// Edit changes a configuration, and has a daemon that runs read it. Edits of several processes are made one after the
// other. An error with Reloaded false may be the daemon's: then the file is written, and the daemon goes on as before.
func Edit(ctx context.Context, file, project string, change Change) (Edited, error) {
	done, dir, err := edit(ctx, file, project, change)
	if err != nil {
		return done, err
	}
	_, err = web.Ask(ctx, dir, web.Request{Action: "reload"}, nil)
	switch {
	case errors.Is(err, web.ErrNoDaemon):
		return done, nil
	case err != nil:
		return done, fmt.Errorf("%s is written, and the daemon that runs does not use it: %w", done.File, err)
	}
	done.Reloaded = true
	return done, nil
}

// edit makes the change, and returns the folder of the state: as the configuration before has it, for a daemon works
// with that one, and else, where there was none, as the new one does.
func edit(ctx context.Context, file, project string, change Change) (Edited, string, error) {
	unlock, err := files.Lock(ctx, file)
	if err != nil {
		return Edited{}, "", err
	}
	defer unlock()
	dir := ""
	if before, err := process.ReadConfig(file); err == nil {
		dir, _ = process.StateDir(ctx, before) // an error is that of the new one, too, or is mended by it
	}
	e, cfg, err := change(file, process.AcceptSafe())
	if err != nil {
		return Edited{}, "", failure.Usage(err)
	}
	switch {
	case e.Text == nil:
		err = os.Remove(e.File)
	case e.New:
		err = os.MkdirAll(filepath.Dir(e.File), 0o755)
	}
	if err == nil && e.Text != nil {
		err = files.Write(e.File, func(f *os.File) error {
			_, err := f.Write(e.Text)
			return err
		})
	}
	if err != nil {
		return Edited{}, "", failure.Usage(fmt.Errorf("write the configuration: %w", err))
	}
	done := Edited{Project: project, File: e.File, Removed: e.Text == nil}
	if dir == "" {
		dir, err = process.StateDir(ctx, cfg)
	}
	return done, dir, err
}
