package doctor

import (
	"io/fs"

	"golang.org/x/sys/windows"
)

// freeSpace is how many bytes this user may still write on the disk of a folder, or of the nearest one above it that
// there is; ok is false where that cannot be told.
func freeSpace(dir string) (free int64, ok bool) {
	name, err := windows.UTF16PtrFromString(nearest(dir))
	if err != nil {
		return 0, false
	}
	var bytes uint64
	if err := windows.GetDiskFreeSpaceEx(name, &bytes, nil, nil); err != nil {
		return 0, false
	}
	return int64(min(bytes, 1<<62)), true
}

// mayWrite says why files cannot be made in a folder. Here that shows only when one is made.
func mayWrite(string) error { return nil }

// ownerOf: users have no numbers here.
func ownerOf(fs.FileInfo) (uid int, ok bool) { return 0, false }
