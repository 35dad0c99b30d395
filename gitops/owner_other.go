//go:build !unix

package gitops

import (
	"io/fs"
	"os"
)

func foreign(fs.FileInfo) bool { return false }

// writable says why files cannot be made in a folder, as far as that shows without making one.
func writable(dir string) error {
	_, err := os.Stat(dir)
	return err
}

// executable: git here runs every hook.
func executable(fs.FileInfo) bool { return true }
