package process

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass/engine"
)

// Lasting reports whether an error stays until something is changed: the exit code 2. A disk may have room again.
func Lasting(err error) bool {
	var problems config.Problems
	return !errors.Is(err, syscall.ENOSPC) && (errors.As(err, &problems) || engine.Permanent(err) || forbidden(err))
}

// forbidden reports whether a file or folder is not for this user, or cannot be written at all. A network may refuse in
// the same words, which passes.
func forbidden(err error) bool {
	var at *fs.PathError
	return errors.As(err, &at) && (errors.Is(at.Err, fs.ErrPermission) || errors.Is(at.Err, syscall.EROFS))
}
