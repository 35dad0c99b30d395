//go:build unix

package gittest

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"
)

// Pipe makes a pipe that nothing writes to, so that what opens it as a file hangs. At the end of the test all that
// still hangs goes on: a git process would outlive the test else, and keep what it inherited.
func Pipe(tb testing.TB, path string) {
	tb.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		end, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err == nil {
			err = errors.Join(os.Remove(path), end.Close())
		}
		if err != nil {
			tb.Error(err)
		}
	})
}
