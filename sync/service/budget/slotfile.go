package budget

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// slotFile keeps the slots of an account in a file of a folder, for all processes of this machine. Its name has a hash
// of the account, so that it tells nothing, and it holds what slots.encode makes.
//
// It is read and written under its lock (see lockSlots). The lock dies with its process. Where the file is missing,
// of another version, torn or damaged, or has times that cannot be true (see decode), the processes begin a budget
// anew; so they do where it was removed by what tidies the folder. Times are on a clock that runs since the machine
// was started, which changes of the wall clock do not touch.
type slotFile struct {
	dir      string
	ofUser   bool          // the folder is this user's alone
	patience time.Duration // how long another process may hold the lock
}

const (
	lockRetry    = 2 * time.Millisecond // holding the lock takes microseconds
	lockWait     = 30 * time.Second     // a process that was stopped while it held the lock
	hostPatience = 2 * time.Second      // a lock that any user can hold is waited for so long
)

// hostKeepers keep the slots where all users of this host find them; where that fails, where all processes of
// this user do; and in memory at the last. A folder that all users may write to can be spoiled by one of them:
// a file that another user made and keeps to himself, a lock that is never let go, is a reason to do without it
// for a while, never to stand still. shared and own are folders; "" leaves that one out.
func hostKeepers(shared, own string, warn func(string)) (keepers []Keeper) {
	if shared != "" {
		keepers = append(keepers, &slotFile{dir: shared, patience: hostPatience})
	}
	if err := ownFolder(own); err != nil {
		warn(fmt.Sprintf("the request budget cannot be shared through %s: %v", own, err))
	} else {
		keepers = append(keepers, &slotFile{dir: own, ofUser: true, patience: lockWait})
	}
	return append(keepers, newSlotMemory())
}

// userFolder is where the processes of this user share the budget.
func userFolder() string {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		return filepath.Join(dir, "locsync")
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("locsync-%d", os.Getuid()))
}

// errHeld means that another process has held the lock for longer than patience.
var errHeld = errors.New("another process does not let go of the lock")

func (f *slotFile) path(account string) string {
	return filepath.Join(f.dir, "locsync-"+account+".budget")
}

func (f *slotFile) Update(ctx context.Context, account string, change func(time.Duration, []byte) []byte) error {
	waiting, cancel := context.WithTimeoutCause(ctx, f.patience, errHeld)
	defer cancel()
	path := f.path(account)
	file, unlock, err := lockSlots(waiting, path)
	if errors.Is(err, fs.ErrNotExist) { // the folder was tidied away
		err = os.MkdirAll(f.dir, 0o700)
		if err == nil {
			file, unlock, err = lockSlots(waiting, path)
		}
	}
	switch {
	case err == nil:
		err = errors.Join(rewrite(file, change), unlock())
	case errors.Is(err, errHeld):
		err = fmt.Errorf("%w, for %v; end the one that hangs", err, f.patience)
	}
	if err != nil {
		return fmt.Errorf("share the request budget through %s: %w", path, err)
	}
	return nil
}

// rewrite replaces the content in place and in one call, so that a process that is killed leaves the old
// or the new state. After a crash of the machine the file means nothing any more: no fsync.
func rewrite(file *os.File, change func(time.Duration, []byte) []byte) error {
	const most = 64 << 10 // more than any content
	before, err := io.ReadAll(io.NewSectionReader(file, 0, most))
	if err != nil {
		return err
	}
	after := change(sinceBoot(), before)
	if _, err := file.WriteAt(after, 0); err != nil {
		return err
	}
	if len(before) <= len(after) {
		return nil
	}
	return file.Truncate(int64(len(after)))
}
