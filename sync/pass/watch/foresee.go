package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Prospect is what watching a tree would need here and now, for `doctor`, or why it does not work.
type Prospect struct {
	Folders    int    // that would be watched
	Most       int    // folders that one tree watches; with more, files are compared every few seconds instead
	Unreliable string // why events would not tell everything; "" where nothing speaks against them
}

// Foresee looks at a tree as a Watcher would, and watches nothing.
func Foresee(o Options) (Prospect, error) {
	o.Rescan = max(o.Rescan, 1) // it is not needed, and New wants it
	w, err := New(o)
	if err != nil {
		return Prospect{}, err
	}
	w.counting = true
	w.watchGit()
	w.walk("")
	return Prospect{Folders: len(w.watched), Most: w.limit, Unreliable: w.unreliable()}, nil
}

// ErrNoWatches and ErrNoInstances are why events cannot be had; the errors that wrap them say what to raise.
var (
	ErrNoWatches   = errors.New("the user's limit of watched folders is reached")
	ErrNoInstances = errors.New("the user's limit of programs that watch is reached")
)

// Hear makes a file in a folder, waits until the kernel tells of it, takes it away again, and says how long that took.
// What it makes is called .locsync-heard-* and holds nothing. The error of an event that does not come until ctx ends
// wraps ctx's.
func Hear(ctx context.Context, folder string) (took time.Duration, err error) {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		if errors.Is(err, syscall.EMFILE) {
			err = fmt.Errorf("%w; %s: %w", ErrNoInstances, raiseInstances, err)
		}
		return 0, fmt.Errorf("watch %s: %w", folder, err)
	}
	defer events.Close()
	if err := events.Add(folder); err != nil {
		if errors.Is(err, syscall.ENOSPC) {
			err = fmt.Errorf("%w; %s: %w", ErrNoWatches, raiseWatches, err)
		}
		return 0, fmt.Errorf("watch %s: %w", folder, err)
	}
	began := time.Now()
	file, err := os.CreateTemp(folder, ".locsync-heard-*")
	if err != nil {
		return 0, fmt.Errorf("make a file to hear of: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	if err := file.Close(); err != nil {
		return 0, fmt.Errorf("make a file to hear of: %w", err)
	}
	for {
		select {
		case e := <-events.Events:
			if filepath.Base(e.Name) == filepath.Base(file.Name()) {
				return time.Since(began), nil
			}
		case err := <-events.Errors:
			return 0, fmt.Errorf("watch %s: %w", folder, err)
		case <-ctx.Done():
			return 0, fmt.Errorf("no event came of a file that was made in %s: %w", folder, context.Cause(ctx))
		}
	}
}
