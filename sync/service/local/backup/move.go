package backup

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/locsync/locsync/sync/service/local/folder"
	"github.com/locsync/locsync/sync/service/local/store"
)

// ErrMoved is the cause where the service of a folder was moved to another one.
var ErrMoved = folder.ErrMoved

// Move puts a service, which may be at work, into a folder that is empty or not there. Nothing is stored meanwhile, nor
// in the folder that it had from then on.
func Move(st *store.Store, to string, clock func() time.Time) (c Copy, err error) {
	err = st.Move(to, func() error {
		if err := makeFolder(to, st.Dir()); err != nil {
			return err
		}
		from, into := io.Pipe()
		made := make(chan error)
		go func() {
			_, err := makeIn(to, into, st, clock())
			into.CloseWithError(err)
			made <- err
		}()
		done, err := restore(from, to, false, clock, store.NotedMoved)
		from.CloseWithError(err)
		atStep()
		failed := <-made // it reads the database, which its owner may close
		if failed != nil && errors.Is(err, ErrUnusable) {
			err = failed // which has cut the copy
		}
		c = done.Copy
		return err
	})
	return c, err
}

// makeFolder makes a folder that is not there, as the property of who has another one.
func makeFolder(dir, as string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(os.MkdirAll(dir, 0o700), folder.GiveTo(as, dir), folder.Sync(filepath.Dir(dir)))
}

// MoveStopped is Move of a service that is not running.
func MoveStopped(dir, to string, clock func() time.Time) (Copy, error) {
	if err := Finish(dir); err != nil {
		return Copy{}, err
	}
	st, err := store.OpenToRead(dir, true)
	if err != nil {
		return Copy{}, err
	}
	c, err := Move(st, to, clock)
	return c, errors.Join(err, st.Close())
}
