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

// temporary begins the names of files that are used while a call is answered.
const temporary = "temporary-"

// Temporary makes a file beside the database for what is too large for the memory; done removes it.
func (st *Store) Temporary() (f *os.File, done func(), err error) {
	f, err = os.CreateTemp(st.dir, temporary+"*")
	if err != nil {
		return nil, nil, err
	}
	return f, func() {
		f.Close()
		os.Remove(f.Name())
	}, nil
}

// sweepTemporary removes such files of a process that was killed.
func sweepTemporary(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, temporary+"*")) // a folder of such a name keeps them
	for _, name := range left {
		os.Remove(name)
	}
}
