//go:build unix

package folder

import (
	"os"
	"syscall"
)

// Sync makes a rename within a folder durable.
func Sync(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// GiveTo gives a file to the owner of a folder, where another user (root) has made it.
func GiveTo(folder, path string) error {
	info, err := os.Stat(folder)
	if err != nil {
		return err
	}
	owner, is := info.Sys().(*syscall.Stat_t)
	if !is || int(owner.Uid) == os.Geteuid() {
		return nil
	}
	return os.Lchown(path, int(owner.Uid), int(owner.Gid))
}
