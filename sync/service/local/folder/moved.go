package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// MovedFile is in a folder whose service was moved, and names the folder that has it.
const MovedFile = "moved-to"

// ErrMoved is the cause where the service of a folder was moved to another one.
var ErrMoved = errors.New("the service was moved")

// Unmoved refuses a folder whose service was moved.
func Unmoved(dir string) error {
	path := filepath.Join(dir, MovedFile)
	to, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, fmt.Errorf("%w from %s to %s; serve that folder, or delete %s to serve this one again, "+
		"without what was stored since", ErrMoved, dir, to, path))
}

// Move has do put the service of a folder into another one, and the folder be that of a service that was moved. A full
// disk is noticed before.
func Move(dir, to string, do func() error) error {
	if err := Unmoved(dir); err != nil {
		return err
	}
	f, done, err := Temporary(dir)
	if err != nil {
		return err
	}
	defer done()
	_, err = f.WriteString(to)
	err = errors.Join(err, f.Sync(), f.Close(), GiveTo(dir, f.Name()))
	if err == nil {
		err = do()
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, MovedFile))
	}
	return errors.Join(err, Sync(dir))
}
