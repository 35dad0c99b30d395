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
	ID       string `json:"id,omitempty"` // of the project that is in the file now
	File     string `json:"file"`
	Removed  bool   `json:"removed"`  // the file is gone
	Reloaded bool   `json:"reloaded"` // a daemon runs, and works with the new configuration
}

// Change is an edit of a configuration as it is on the disk at the moment.
type Change struct {
	Make func(file string, accept config.Option) (config.Edit, *config.Config, error)
	// Settle, when not nil, is called when the changed configuration is valid and its file can be written: what it makes
	// elsewhere is made for nothing only where the disk fails. It returns what is written.
	Settle func(ctx context.Context, cfg *config.Config, stateDir string) (config.Edit, *config.Config, error)
}

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
	e, cfg, err := change.Make(file, process.AcceptSafe())
	if err != nil {
		return Edited{}, "", failure.Usage(err)
	}
	if dir == "" {
		dir, err = process.StateDir(ctx, cfg)
	}
	if err != nil && change.Settle != nil {
		return Edited{}, "", err
	}
	done, stateErr := Edited{Project: project, File: e.File, Removed: e.Text == nil}, err
	if e.Text == nil {
		err = removed(e.File)
	} else {
		err = write(e, func() ([]byte, error) {
			if change.Settle == nil {
				return e.Text, nil
			}
			e, cfg, err = change.Settle(ctx, cfg, dir)
			return e.Text, err
		})
	}
	if err != nil {
		return Edited{}, "", err
	}
	if p := cfg.Project(project); p != nil {
		done.ID = p.ID
	}
	return done, dir, stateErr
}

func removed(file string) error {
	if err := os.Remove(file); err != nil {
		return failure.Usage(fmt.Errorf("write the configuration: %w", err))
	}
	return nil
}

// write writes the file of an edit, whose text is asked for when there is a file to write it to.
func write(e config.Edit, text func() ([]byte, error)) error {
	var err, refused error
	if e.New {
		err = os.MkdirAll(filepath.Dir(e.File), 0o755)
	}
	if err == nil {
		err = files.Write(e.File, func(f *os.File) error {
			var b []byte
			b, refused = text()
			if refused != nil {
				return refused
			}
			_, err := f.Write(b)
			return err
		})
	}
	switch {
	case refused != nil:
		return refused
	case err != nil:
		return failure.Usage(fmt.Errorf("write the configuration: %w", err))
	}
	return nil
}
