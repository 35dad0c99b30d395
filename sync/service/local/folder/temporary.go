package folder

import (
	"os"
	"path/filepath"
)

// TemporaryName begins the names of files that are used while a call is answered, and of the folder that a restore
// unpacks into.
const TemporaryName = "temporary-"

// Temporary makes a file in a folder; done removes it.
func Temporary(dir string) (f *os.File, done func(), err error) {
	f, err = os.CreateTemp(dir, TemporaryName+"*")
	if err != nil {
		return nil, nil, err
	}
	return f, func() {
		f.Close()
		os.Remove(f.Name())
	}, nil
}

// SweepTemporary removes what a process that was killed left of such files.
func SweepTemporary(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, TemporaryName+"*")) // a folder of such a name keeps them
	for _, name := range left {
		os.RemoveAll(name)
	}
}
