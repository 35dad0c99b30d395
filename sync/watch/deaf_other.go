//go:build !linux

package watch

import "runtime"

// deaf would name the file system of a folder when events do not tell all that happens there. Here that
// shows only when a rescan finds what no event announced.
func deaf(string) string { return "" }

// maxWatchesKqueue is for systems where each file in a watched folder takes a descriptor.
const maxWatchesKqueue = 500

func systemLimit() int {
	if runtime.GOOS == "windows" {
		return maxWatches
	}
	return maxWatchesKqueue
}
