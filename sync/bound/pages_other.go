//go:build !linux

package bound

// ReleasePages does nothing where the system counts pages of files otherwise.
func ReleasePages(uintptr, int64) {}
