package backup

import (
	"errors"
	"io"
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
		from, into := io.Pipe()
		made := make(chan error)
		go func() {
			_, err := Make(into, st, clock())
			made <- into.CloseWithError(err)
		}()
		done, err := Restore(from, to, false, clock)
		from.CloseWithError(err)
		atStep()
		<-made // it reads the database, which its owner may close
		c = done.Copy
		return err
	})
	return c, err
}

// MoveStopped is Move of a service that is not running.
func MoveStopped(dir, to string, clock func() time.Time) (Copy, error) {
	if err := Finish(dir); err != nil {
		return Copy{}, err
	}
	st, err := store.OpenToRead(dir)
	if err != nil {
		return Copy{}, err
	}
	c, err := Move(st, to, clock)
	return c, errors.Join(err, st.Close())
}
