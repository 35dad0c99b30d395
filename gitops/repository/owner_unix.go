//go:build unix

package repository

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// foreign says whether the file belongs to somebody else. As in git, root that was called through sudo also counts as
// the user who called.
func foreign(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) == os.Geteuid() {
		return false
	}
	return os.Geteuid() != 0 || os.Getenv("SUDO_UID") != strconv.FormatUint(uint64(st.Uid), 10)
}

// Writable says why files cannot be made in a folder; nil when nothing speaks against it.
func Writable(dir string) error {
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return err
	}
	return nil
}
