//go:build !unix

package repository

// ordinary leaves all repositories to git, which knows who owns them.
func ordinary(string) (commonDir string, is bool) { return "", false }
