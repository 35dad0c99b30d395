package gitops

import (
	"context"
	"slices"
)

// SafeDirectory says whether safe.directory, in the user's or the system's git configuration, accepts that a
// folder belongs to another user.
func SafeDirectory(ctx context.Context, dir string) bool {
	git, err := findProgram(ctx, "")
	return err == nil && slices.ContainsFunc(safeDirectories(ctx, git), func(s string) bool { return covers(s, dir) })
}
