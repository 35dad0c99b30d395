//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package budget

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/gofrs/flock"
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

// removeSlots leaves the file: here the lock is another file, whose name cannot be taken away safely.
func removeSlots(string, time.Time) {}

// sharedFolders: a folder in which every user may write every file, and none remove another's, cannot be
// counted on here.
var sharedFolders []string

func sharedFolder([]string) string { return "" }

func ownFolder(dir string) error { return os.MkdirAll(dir, 0o700) }
