//go:build !linux

package watch

import "runtime"

// unreliable would say why the file system does not tell all that happens. Here that shows only when a rescan finds
// what no event announced.
func (w *Watcher) unreliable() string { return "" }

func (w *Watcher) remoteGit() bool { return false }

// maxWatchesKqueue is for systems where each file in a watched folder takes a descriptor.
const maxWatchesKqueue = 500

func systemLimit() int {
	if runtime.GOOS == "windows" {
		return maxWatches
	}
	return maxWatchesKqueue
}
