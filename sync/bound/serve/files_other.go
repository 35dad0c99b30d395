//go:build !unix

package serve

import "math"

// openFiles is how many files this process may have open: other systems have no limit that is near.
func openFiles() int { return math.MaxInt32 }
