package backup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/service/local/folder"
	"github.com/locsync/locsync/sync/service/local/store"
)

// A restore happens within the folder, whose own parent may be of others, or another disk. The name of a folder in it
// says how far the restore has come; behind it is when it began:
//
//	temporary-restore-  is being unpacked: nothing has changed, and the next start removes it
//	restore-unpacked-   is whole: what the folder had before is being moved aside, into replaced-
//	restore-cleared-    all of that was moved, and the files of the copy are being moved into the folder
const (
	unpackedName = "restore-unpacked-"
	clearedName  = "restore-cleared-"
	replacedName = "replaced-"
	stampLayout  = "20060102T150405.000Z"
)

// ErrNotEmpty is the cause where a folder has something that would be replaced.
var ErrNotEmpty = errors.New("the folder is not empty")

// Restored is what a restore did.
type Restored struct {
	Copy     Copy
	Replaced string // the folder with what was there before; empty: nothing was
}

// Restore puts the service of a copy into a folder, in place of what it has where that is meant. The folder of a
// service that runs is refused with store.ErrInUse.
func Restore(r io.Reader, dir string, replace bool, clock func() time.Time) (done Restored, err error) {
	return restore(r, dir, replace, clock, store.NotedRestored)
}

// restore is Restore, which the audit log calls act.
func restore(r io.Reader, dir string, replace bool, clock func() time.Time, act string) (done Restored, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		defer os.Remove(dir) // where nothing came into it
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return done, err
	}
	if err := Finish(dir); err != nil {
		return done, err
	}
	release, err := store.Hold(dir, false)
	if err != nil {
		return done, err
	}
	defer release()
	before, err := contents(dir)
	if err != nil {
		return done, err
	}
	if len(before) > 0 && !replace {
		return done, fmt.Errorf("%w: %s has %s", ErrNotEmpty, dir, before[0])
	}
	temporary, err := os.MkdirTemp(dir, folder.TemporaryName+"restore-")
	if err != nil {
		return done, err
	}
	defer os.RemoveAll(temporary)
	if done.Copy, err = unpack(r, temporary); err != nil {
		return done, err
	}
	if err := note(temporary, act, done.Copy, clock); err != nil {
		return done, err
	}
	if err := settle(temporary, dir); err != nil {
		return done, err
	}
	stamp := clock().UTC().Format(stampLayout)
	if err := move(temporary, filepath.Join(dir, unpackedName+stamp)); err != nil {
		return done, err
	}
	if len(before) > 0 {
		done.Replaced = filepath.Join(dir, replacedName+stamp)
	}
	return done, Finish(dir)
}

// contents are the names of a folder that are of a service.
func contents(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if !notService(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// unpack writes the files of a copy into a folder.
func unpack(r io.Reader, dir string) (Copy, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Copy{}, err
	}
	defer root.Close()
	return read(r, func(name string, content io.Reader) error {
		if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return damaged(fmt.Errorf("it has %q twice", name))
		}
		if err != nil {
			return err
		}
		_, err = io.Copy(f, content)
		return errors.Join(err, f.Close())
	})
}

// note has the audit log of each account say what was done. It shows, too, that the database opens.
func note(dir, act string, of Copy, clock func() time.Time) error {
	for _, account := range append(of.Accounts, "")[:max(1, len(of.Accounts))] {
		st, err := store.Open(dir, account, clock)
		if err != nil {
			return err
		}
		if account != "" {
			err = st.Update(func(tx *store.Tx) error {
				return store.PutNote(tx, act, "", store.Noted{Made: of.Created.Format(time.RFC3339)})
			})
		}
		if err := errors.Join(err, st.Close()); err != nil {
			return err
		}
	}
	return nil
}

// settle makes everything below a folder durable, and the property of who has the folder that it is for: root may
// restore what another user serves.
func settle(unpacked, dir string) error {
	return filepath.WalkDir(unpacked, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = folder.GiveTo(dir, path)
		}
		if err != nil {
			return err
		}
		if d.IsDir() {
			return folder.Sync(path)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

// Finish ends restores of a folder that had all their files when they were killed. A folder without any stays as it is.
func Finish(dir string) error {
	for _, name := range []string{unpackedName, clearedName} {
		begun, err := filepath.Glob(filepath.Join(dir, name+"*"))
		if err != nil {
			return err
		}
		for _, restoring := range begun {
			if err := finish(dir, restoring); err != nil {
				return fmt.Errorf("finish the restore of %s: %w", dir, err)
			}
		}
	}
	return nil
}

// finish moves what a folder has aside, and the files of a restore into it: the database as the last one, so that
// it is held by one process until all others are there.
func finish(dir, restoring string) error {
	release, err := store.Hold(restoring, true)
	if err != nil {
		return err
	}
	defer release()
	if stamp, is := strings.CutPrefix(filepath.Base(restoring), unpackedName); is {
		if err := moveAll(dir, filepath.Join(dir, replacedName+stamp)); err != nil {
			return err
		}
		cleared := filepath.Join(dir, clearedName+stamp)
		if err := move(restoring, cleared); err != nil {
			return err
		}
		restoring = cleared
	}
	if err := moveAll(restoring, dir); err != nil {
		return err
	}
	atStep()
	return errors.Join(os.Remove(restoring), folder.Sync(dir))
}

// moveAll moves what a folder has of a service into another one, which is made where there is something to move.
func moveAll(from, to string) error {
	names, err := contents(from)
	if err != nil || len(names) == 0 {
		return err
	}
	if err := errors.Join(os.MkdirAll(to, 0o700), folder.GiveTo(from, to)); err != nil {
		return err
	}
	last := ""
	for _, name := range names {
		if name == store.DatabaseFile {
			last = name
		} else if err := move(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			return err
		}
	}
	if last == "" {
		return nil
	}
	return move(filepath.Join(from, last), filepath.Join(to, last))
}

// move renames, durably.
func move(from, to string) error {
	atStep()
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return errors.Join(folder.Sync(filepath.Dir(from)), folder.Sync(filepath.Dir(to)))
}

// atStep is called before each step of a restore that changes the folder. Tests kill the process there.
var atStep = func() {}
