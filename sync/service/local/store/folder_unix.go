//go:build unix

package store

import (
	"os"
)

// SyncFolder makes a rename within a folder durable.
func SyncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
