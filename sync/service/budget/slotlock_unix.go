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
// its name is refused, because what is written there would be written elsewhere. An error that wraps
// context.Cause(ctx) means that the lock was not to be had in time.
func lockSlots(ctx context.Context, path string) (*os.File, func() error, error) {
	file, err := openSlots(path)
	if err != nil {
		return nil, nil, err
	}
	if err := lockFile(ctx, file); err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, file.Close, nil // closing unlocks
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

// letIn lets every user who may make files in its folder use the file.
func letIn(file *os.File) error {
	dir, err := os.Stat(filepath.Dir(file.Name()))
	if err != nil {
		return err
	}
	return file.Chmod(dir.Mode().Perm() & 0o666)
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

func lockFile(ctx context.Context, file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch err {
		case nil:
			return nil
		case unix.EWOULDBLOCK, unix.EINTR:
			if err := Sleep(ctx, lockRetry); err != nil {
				return err
			}
		default:
			return &fs.PathError{Op: "lock", Path: file.Name(), Err: err}
		}
	}
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

// sinceBoot is a clock that all processes of this machine read alike and that cannot be set.
func sinceBoot() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(ts.Nano())
}
