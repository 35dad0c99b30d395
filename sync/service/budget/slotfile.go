package budget

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// slotFile keeps the slots of one account and host in a file, for all processes of this machine. It is named by
// a hash so that its name tells nothing:
//
//	locsync-<hash>.slots   8 bytes of magic, then slots as encoding/binary writes it, little-endian
//
// It is read and written under its lock (see lockSlots). The lock dies with its process. A file that is
// missing, of another version, torn or damaged counts as empty, and times in it that cannot be true are dropped
// (see slots.discard): at worst the processes begin a budget anew. Times are on a clock that runs since the
// machine was started, which changes of the wall clock do not touch.
type slotFile struct {
	path     string
	patience time.Duration // how long another process may hold the lock
	holder   chan struct{} // one holder of the lock in this process
	swept    sync.Once     // of the files of accounts that are not used any more
}

const (
	slotPrefix, slotSuffix = "locsync-", ".slots"

	slotMagic = "locsync2"
	lockRetry = 2 * time.Millisecond // holding the lock takes microseconds
	lockWait  = 30 * time.Second     // a process that was stopped while it held the lock

	// By then every pause is over and every rate has recovered: the file says what a new one would.
	unusedAfter = time.Hour
)

func newSlotFile(dir, origin, account string) *slotFile {
	sum := sha256.Sum256([]byte(origin + "\n" + account))
	return &slotFile{
		path:     filepath.Join(dir, slotPrefix+hex.EncodeToString(sum[:12])+slotSuffix),
		patience: lockWait,
		holder:   make(chan struct{}, 1),
	}
}

// errHeld means that another process has held the lock for longer than patience.
var errHeld = errors.New("another process does not let go of the lock")

func (f *slotFile) update(ctx context.Context, change func(time.Duration, *slots)) error {
	if err := f.locked(ctx, change); err != nil {
		return fmt.Errorf("share the request budget through %s: %w", f.path, err)
	}
	return nil
}

func (f *slotFile) locked(ctx context.Context, change func(time.Duration, *slots)) (err error) {
	select {
	case f.holder <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-f.holder }()
	waiting, cancel := context.WithTimeoutCause(ctx, f.patience, errHeld)
	defer cancel()
	file, unlock, err := lockSlots(waiting, f.path)
	if errors.Is(err, fs.ErrNotExist) { // the folder was tidied away
		if err = os.MkdirAll(filepath.Dir(f.path), 0o700); err == nil {
			file, unlock, err = lockSlots(waiting, f.path)
		}
	}
	switch {
	case errors.Is(err, errHeld) && ctx.Err() == nil:
		return fmt.Errorf("%w, for %v; end the one that hangs", err, f.patience)
	case err != nil:
		return err
	}
	defer f.swept.Do(func() { sweepSlots(filepath.Dir(f.path), time.Now().Add(-unusedAfter)) }) // without the lock
	defer func() { err = errors.Join(err, unlock()) }()

	var s slots
	if err := readSlots(file, &s); err != nil {
		return err
	}
	change(sinceBoot(), &s)
	return writeSlots(file, &s)
}

func readSlots(file *os.File, s *slots) error {
	b := make([]byte, len(slotMagic)+binary.Size(s)+1)
	n, err := file.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return err
	}
	if n != len(b)-1 || string(b[:len(slotMagic)]) != slotMagic {
		return nil
	}
	_, err = binary.Decode(b[len(slotMagic):n], binary.LittleEndian, s)
	return err
}

// writeSlots replaces the content in place and in one call, so that a process that is killed leaves the old
// or the new state. After a crash of the machine the file means nothing any more: no fsync.
func writeSlots(file *os.File, s *slots) error {
	b, err := binary.Append([]byte(slotMagic), binary.LittleEndian, s)
	if err != nil {
		return err
	}
	if _, err := file.WriteAt(b, 0); err != nil {
		return err
	}
	if info, err := file.Stat(); err != nil || info.Size() == int64(len(b)) {
		return err
	}
	return file.Truncate(int64(len(b)))
}

// shareMode is the mode of a slot file: every user who may make files in its folder may use it.
func shareMode(dir string) (fs.FileMode, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return 0, err
	}
	if !info.IsDir() {
		return 0, fmt.Errorf("%s is not a folder", dir)
	}
	return info.Mode().Perm() & 0o666, nil
}

// sweepSlots removes the slot files of a folder that were not used since then. What cannot be removed, because
// it is another user's or in use, stays.
func sweepSlots(dir string, since time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), slotPrefix) && strings.HasSuffix(e.Name(), slotSuffix) && unused(e, since) {
			removeSlots(filepath.Join(dir, e.Name()), since)
		}
	}
}

// unused reports whether a slot file was not written since then.
func unused(e fs.DirEntry, since time.Time) bool {
	info, err := e.Info()
	return err == nil && info.Mode().IsRegular() && info.ModTime().Before(since)
}
