package budget

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/windows"
)

// lockSlots opens the slot file, makes it when there is none, and locks it through a file beside it. An error
// that wraps context.Cause(ctx) means that the lock was not to be had in time.
func lockSlots(ctx context.Context, path string) (*os.File, func() error, error) {
	lock := flock.New(path + ".lock")
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, nil, errors.Join(err, lock.Close())
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, errors.Join(err, lock.Close())
	}
	return file, func() error { return errors.Join(file.Close(), lock.Close()) }, nil
}

// sharedFolders: a folder in which every user may write every file, and none remove another's, cannot be
// counted on here.
var sharedFolders []string

func sharedFolder([]string) string { return "" }

func ownFolder(dir string) error { return os.MkdirAll(dir, 0o700) }

// sinceBoot is a clock that all processes of this machine read alike and that cannot be set. It ticks
// every 16 ms or so; the margin of the budget is a dozen times that.
func sinceBoot() time.Duration { return windows.DurationSinceBoot() }
