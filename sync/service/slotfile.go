package service

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// slotFile keeps the slots of one account and host in a file, for all processes of this machine. Two
// files lie side by side, named by a hash so that their names tell nothing:
//
//	<hash>.slots   8 bytes of magic, then slots as encoding/binary writes it, little-endian
//	<hash>.lock    empty; whoever holds its advisory lock may read and write the other
//
// The lock dies with its process. A .slots file that is missing, of another version, torn or damaged
// counts as empty, and times in it that cannot be true are dropped (see slots.discard): at worst the
// processes begin a budget anew. Times are on a clock that runs since the machine was started, which
// changes of the wall clock do not touch.
type slotFile struct {
	path string
	lock *flock.Flock
	turn chan struct{} // one holder of lock in this process: an advisory lock is the process's
}

const (
	slotMagic = "locsync1"
	lockRetry = 2 * time.Millisecond // holding the lock takes microseconds
	lockWait  = 30 * time.Second     // a process that was stopped while it held the lock
)

func newSlotFile(dir, origin, account string) *slotFile {
	sum := sha256.Sum256([]byte(origin + "\n" + account))
	path := filepath.Join(dir, hex.EncodeToString(sum[:12]))
	return &slotFile{
		path: path + ".slots",
		lock: flock.New(path + ".lock"),
		turn: make(chan struct{}, 1),
	}
}

func (f *slotFile) update(ctx context.Context, change func(time.Duration, *slots)) error {
	if err := f.locked(ctx, change); err != nil {
		return fmt.Errorf("share the request budget through %s: %w", f.path, err)
	}
	return nil
}

func (f *slotFile) locked(ctx context.Context, change func(time.Duration, *slots)) (err error) {
	select {
	case f.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-f.turn }()
	waiting, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	_, err = f.lock.TryLockContext(waiting, lockRetry)
	if errors.Is(err, fs.ErrNotExist) { // somebody tidied the folder away
		if err = os.MkdirAll(filepath.Dir(f.path), 0o700); err == nil {
			_, err = f.lock.TryLockContext(waiting, lockRetry)
		}
	}
	switch {
	case ctx.Err() != nil:
		return errors.Join(context.Cause(ctx), f.lock.Unlock())
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("another process has held the lock for %v; end the one that hangs", lockWait)
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, f.lock.Unlock()) }()

	var s slots
	if err := f.read(&s); err != nil {
		return err
	}
	change(sinceBoot(), &s)
	return f.write(&s)
}

func (f *slotFile) read(s *slots) error {
	b, err := os.ReadFile(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(b) != len(slotMagic)+binary.Size(s) || string(b[:len(slotMagic)]) != slotMagic {
		return nil
	}
	_, err = binary.Decode(b[len(slotMagic):], binary.LittleEndian, s)
	return err
}

// write replaces the content in place and in one call, so that a process that is killed leaves the old
// or the new state. After a crash of the machine the file means nothing any more: no fsync.
func (f *slotFile) write(s *slots) (err error) {
	b, err := binary.Append([]byte(slotMagic), binary.LittleEndian, s)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.WriteAt(b, 0); err != nil {
		return err
	}
	return file.Truncate(int64(len(b)))
}
