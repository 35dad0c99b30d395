package watch

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// fileID tells a folder from all others, whatever path leads to it.
type fileID struct{ device, inode uint64 }

func identify(path string) (fileID, error) {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil {
		return fileID{}, err
	}
	return fileID{s.Dev, s.Ino}, nil
}

// inode tells when a file was last changed in any way, and its number.
func inode(info fs.FileInfo) (changed int64, number uint64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano(), s.Ino
	}
	return 0, 0
}
