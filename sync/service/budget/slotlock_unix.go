//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package budget

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// lockSlots opens the slot file, makes it when there is none, and locks it. The folder may be one that all
// users can write to, so nothing is taken for granted: a link, a file with a second name, a pipe or a device of
// its name is refused, because what is written there would be written elsewhere; and the file that is locked is
// the one of that name, also when it was replaced meanwhile. An error that wraps context.Cause(ctx) means that
// the lock was not to be had in time.
func lockSlots(ctx context.Context, path string) (*os.File, func() error, error) {
	for {
		file, err := openSlots(path)
		if err != nil {
			return nil, nil, err
		}
		err = lockFile(ctx, file)
		if err == nil {
			var same bool
			if same, err = isNamed(file, path); same && err == nil {
				return file, file.Close, nil // closing unlocks
			}
		}
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, nil, err
		}
	}
}

// openSlots opens without O_CREAT first: where the kernel protects files in shared folders (fs.protected_regular), a
// file of another user cannot be opened with it.
func openSlots(path string) (*os.File, error) {
	const flags = unix.O_RDWR | unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NONBLOCK
	for try := 0; ; try++ {
		fd, err := unix.Open(path, flags, 0)
		made := false
		if err == unix.ENOENT {
			fd, err = unix.Open(path, flags|unix.O_CREAT|unix.O_EXCL, 0o600)
			made = err == nil
		}
		switch {
		case err == nil:
		case err == unix.EINTR, err == unix.EEXIST && try < 10:
			continue
		case err == unix.EACCES && try < 5:
			time.Sleep(lockRetry) // its maker is about to let others in
			continue
		default:
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
		file := os.NewFile(uintptr(fd), path)
		if made {
			err = letIn(file)
		} else {
			err = checkSlots(file)
		}
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		return file, nil
	}
}

func letIn(file *os.File) error {
	mode, err := shareMode(filepath.Dir(file.Name()))
	if err != nil {
		return err
	}
	return file.Chmod(mode)
}

// checkSlots refuses what is not a plain file with one name.
func checkSlots(file *os.File) error {
	var s unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &s); err != nil {
		return err
	}
	switch {
	case s.Mode&unix.S_IFMT != unix.S_IFREG:
		return fmt.Errorf("%s is not a plain file; remove it", file.Name())
	case s.Nlink > 1:
		return fmt.Errorf("%s is also the name of another file; remove it", file.Name())
	}
	return nil
}

// removeSlots removes a slot file that was not used since then. It does so under the file's lock: a process
// that waits for the lock meanwhile sees that the name is gone, and makes the file again.
func removeSlots(path string, since time.Time) {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	file := os.NewFile(uintptr(fd), path)
	defer file.Close()
	if checkSlots(file) != nil || unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) != nil {
		return
	}
	same, err := isNamed(file, path)
	if info, err2 := file.Stat(); same && err == nil && err2 == nil && info.ModTime().Before(since) {
		_ = os.Remove(path) // another user's file in a shared folder stays
	}
}

func lockFile(ctx context.Context, file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch err {
		case nil:
			return nil
		case unix.EWOULDBLOCK, unix.EINTR:
			if err := sleep(ctx, lockRetry); err != nil {
				return err
			}
		default:
			return &fs.PathError{Op: "lock", Path: file.Name(), Err: err}
		}
	}
}

// isNamed reports whether a name still leads to the file that was opened by it.
func isNamed(file *os.File, path string) (bool, error) {
	ours, err := file.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(ours, named), err
}

// sharedFolders are where all users of a machine may make files, the best first.
var sharedFolders = []string{"/run/lock", "/tmp"}

// sharedFolder is the first of them that is safe to share: only root can replace it, and only its owner can remove a
// file in it. "" where there is none.
func sharedFolder(candidates []string) string {
	for _, dir := range candidates {
		var s unix.Stat_t
		if unix.Stat(dir, &s) != nil {
			continue
		}
		const open = unix.S_IWOTH | unix.S_ISVTX
		owned := s.Uid == 0 || int(s.Uid) == os.Getuid()
		if s.Mode&unix.S_IFMT == unix.S_IFDIR && s.Mode&open == open && owned && unix.Access(dir, unix.W_OK) == nil {
			return dir
		}
	}
	return ""
}

// ownFolder makes a folder of this user's, or refuses one that others can write to.
func ownFolder(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	var s unix.Stat_t
	if err := unix.Lstat(dir, &s); err != nil {
		return &fs.PathError{Op: "lstat", Path: dir, Err: err}
	}
	if s.Mode&unix.S_IFMT != unix.S_IFDIR || int(s.Uid) != os.Getuid() || s.Mode&(unix.S_IWOTH|unix.S_IWGRP) != 0 {
		return fmt.Errorf("%s is not this user's folder alone; remove it", dir)
	}
	return nil
}
