package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// lockRetry is how often a lock that another process has is tried again.
const lockRetry = 10 * time.Millisecond

// Lock keeps other processes that call it from changing a file, or what belongs to it, until what it returns is called.
// The lock is a file beside it, which goes with the lock. In a folder that cannot be written it is the file itself,
// which is not replaced there.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	path = Resolved(path)
	beside := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
	for {
		if info, err := os.Lstat(beside); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("lock %s: %s is not a regular file; remove it", path, beside)
		}
		lock := flock.New(beside)
		_, err := lock.TryLockContext(ctx, lockRetry)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, fmt.Errorf("wait for another process that changes %s: %w", path, context.Cause(ctx))
		case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
			return lockItself(ctx, path)
		case err != nil:
			return nil, fmt.Errorf("lock %s: %w", path, err)
		case is(lock, beside):
			_ = os.Chmod(beside, 0o644) // so that others can lock one that a crash leaves
			return func() { release(lock, beside) }, nil
		}
		_ = lock.Close() // the process that had it has taken the file away
	}
}

// lockItself locks the file. What cannot even be read is not changed.
func lockItself(ctx context.Context, path string) (unlock func(), err error) {
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("wait for another process that changes %s: %w", path, context.Cause(ctx))
	}
	return func() { _ = lock.Close() }, nil
}

// is reports whether a lock is that of the file which has the name now.
func is(lock *flock.Flock, name string) bool {
	locked, err := lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(name)
	return err == nil && os.SameFile(locked, named)
}

// release takes the file away while it is locked: who waits for it sees that. On Windows an open file stays, and is the
// next one's.
func release(lock *flock.Flock, name string) {
	if runtime.GOOS != "windows" {
		_ = os.Remove(name) // where it stays, it locks as well as a new one
	}
	_ = lock.Close()
}
