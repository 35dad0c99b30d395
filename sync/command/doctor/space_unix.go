//go:build linux || darwin || freebsd

package doctor

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// freeSpace is how many bytes this user may still write on the disk of a folder, or of the nearest one above it that
// there is; ok is false where that cannot be told.
func freeSpace(dir string) (free int64, ok bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(nearest(dir), &s); err != nil || s.Blocks == 0 { // what is not a disk has none
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}

// mayWrite says why files cannot be made in a folder; nil where nothing speaks against it.
func mayWrite(dir string) error {
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return err
	}
	return nil
}

// ownerOf is the number of the user whom a file belongs to.
func ownerOf(info fs.FileInfo) (uid int, ok bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(s.Uid), true
}
