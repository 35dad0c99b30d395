// Package folder is about the files that the embedded service has beside its database: whose they are, that they are on
// the disk, when they go, and what those with settings hold.
//
// Its law: a file is removed only where no record speaks of it, and not while a copy of the service is made.
package folder

import (
	"os"
	"path/filepath"
	"sync"
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

// Discards are files whose records are gone. Its zero value is ready, and may be used by several goroutines.
type Discards struct {
	mu      sync.Mutex
	waits   int
	waiting []string
}

// Remove removes a file, or has it wait.
func (d *Discards) Remove(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waits > 0 {
		d.waiting = append(d.waiting, path)
		return
	}
	os.Remove(path)
}

// Wait has files stay until release is called.
func (d *Discards) Wait() (release func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waits++
	return sync.OnceFunc(func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.waits--; d.waits > 0 {
			return
		}
		for _, path := range d.waiting {
			os.Remove(path)
		}
		d.waiting = nil
	})
}
