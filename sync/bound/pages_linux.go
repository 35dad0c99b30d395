package bound

import "golang.org/x/sys/unix"

// ReleasePages lets go of the pages of a file that is mapped at an address, as far as size reaches; the map must. They
// would count as memory of this process until the system needs it, and stay in the system's cache all the same.
func ReleasePages(data uintptr, size int64) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, data, uintptr(size), unix.MADV_DONTNEED) // advice only
}
