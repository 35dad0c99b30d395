//go:build unix

package owner

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// foreign names the owner of a file where that is neither this user nor root. As in git, root that was called
// through sudo is also the user who called.
func foreign(info fs.FileInfo) (owner string, is bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || st.Uid == 0 || int(st.Uid) == os.Geteuid() {
		return "", false
	}
	uid := strconv.FormatUint(uint64(st.Uid), 10)
	return "uid " + uid, os.Geteuid() != 0 || os.Getenv("SUDO_UID") != uid
}

func writtenByAll(info fs.FileInfo) bool { return info.Mode().Perm()&0o002 != 0 }

func writtenByOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }
