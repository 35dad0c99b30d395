package gittest

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	inMemory   = "/dev/shm"
	memoryName = "locsync-tests-" // and the number of the process
	memoryFree = 4 << 30          // bytes that have to be free
	noExec     = 8                // the flag of a file system from which nothing is run (ST_NOEXEC)
)

// InMemory puts the temporary files of a package's tests into memory, where that has room for them: they wait for the
// disk more than for anything else, and a killed process loses nothing of either. TMPDIR wins. done removes them.
func InMemory() (done func()) {
	var fs syscall.Statfs_t
	err := syscall.Statfs(inMemory, &fs)
	if err != nil || fs.Flags&noExec != 0 || fs.Bavail*uint64(fs.Bsize) < memoryFree || os.Getenv("TMPDIR") != "" {
		return func() {}
	}
	removeLeft()
	dir := filepath.Join(inMemory, memoryName+strconv.Itoa(os.Getpid()))
	err = os.Mkdir(dir, 0o700)
	if err == nil {
		err = os.Chmod(dir, 0o777|os.ModeSticky) // as of the folder that it replaces: some tests run programs as other users
	}
	if err != nil {
		return func() {}
	}
	os.Setenv("TMPDIR", dir)
	return func() {
		os.Unsetenv("TMPDIR")
		os.RemoveAll(dir)
	}
}

// removeLeft removes what processes have left that were killed.
func removeLeft() {
	dirs, _ := filepath.Glob(filepath.Join(inMemory, memoryName+"*"))
	for _, dir := range dirs {
		pid, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(dir), memoryName))
		if err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			os.RemoveAll(dir)
		}
	}
}
