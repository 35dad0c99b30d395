//go:build !unix

package repository

import (
	"io/fs"
	"os"
)

func foreign(fs.FileInfo) bool { return false }

// Writable says why files cannot be made in a folder, as far as that shows without making one.
func Writable(dir string) error {
	_, err := os.Stat(dir)
	return err
}
