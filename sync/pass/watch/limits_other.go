//go:build !linux

package watch

// Limits are the kernel's, of file events for one user; none can be told here.
type Limits struct {
	Watches, Instances         int
	UsedWatches, UsedInstances int
}

// SystemLimits reads them.
func SystemLimits() Limits { return Limits{} }

// FileSystem names the kind of file system that a folder is on; "" where that cannot be told.
func FileSystem(string) (kind, unreliable string) { return "", "" }
