package store

import (
	"os"
	"path/filepath"
)

// Sweep removes the files of a folder that nothing stored speaks of.
func Sweep(folder string, known map[string]bool) error {
	present, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range present {
		if !known[e.Name()] {
			os.Remove(filepath.Join(folder, e.Name()))
		}
	}
	return nil
}
