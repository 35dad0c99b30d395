package ref

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/locsync/locsync/gitops/object"
)

// refLock is <name>.lock, held by us: a hard link of mine, which says so after a crash.
type refLock struct {
	refs   *Files
	path   string // <target>.lock
	mine   string // our own name of the same file, "" where there are no hard links
	target string
	held   bool
}

// lock takes the lock file of a reference (or of packed-refs) with the content that will become the reference. ErrBusy
// when another process holds it for longer than we wait; the message says how old that lock is.
func (r *Files) lock(ctx context.Context, name, content string) (*refLock, error) {
	target := r.file(name)
	l := &refLock{refs: r, path: target + ".lock", target: target,
		mine: filepath.Join(r.Common, OurDir, "ref-"+url.PathEscape(name))}
	// Never write into a file that is there: after a crash it may be a hard link of the reference itself.
	if err := os.Remove(l.mine); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := r.writeSynced(l.mine, []byte(content), os.O_EXCL); err != nil {
		return nil, err
	}
	r.Step("named lock")
	deadline := time.Now().Add(lockPatience)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := r.link(l, []byte(content))
		if err == nil {
			l.held = true
			return l, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			l.drop()
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		if time.Now().After(deadline) {
			l.drop()
			return nil, r.lockedBySomebody(name, l.path)
		}
		select {
		case <-ctx.Done():
			l.drop()
			return nil, context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// link makes the lock file, and its folder: git removes folders of references as they become empty.
func (r *Files) link(l *refLock, content []byte) error {
	for attempt := 0; ; attempt++ {
		if err := r.Perm.MkdirAll(filepath.Dir(l.path)); err != nil {
			if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("a branch has the name of its folder; choose another branch name: %v", err)
			}
			return err
		}
		err := os.Link(l.mine, l.path)
		switch {
		case err == nil, errors.Is(err, fs.ErrExist):
			return err
		case errors.Is(err, fs.ErrNotExist) && attempt < 5:
			continue
		case errors.Is(err, fs.ErrNotExist):
			return err
		}
		// No hard links on this file system: an exclusive file does the same, only that a crash leaves it to a person.
		f, err := os.OpenFile(l.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		_ = os.Remove(l.mine)
		l.mine = ""
		_, err = f.Write(content)
		return errors.Join(err, r.Perm.File(f), f.Sync(), f.Close())
	}
}

func (r *Files) lockedBySomebody(name, path string) error {
	age := ""
	if info, err := os.Stat(path); err == nil {
		if old := time.Since(info.ModTime()); old > 10*time.Minute {
			age = fmt.Sprintf("; it is %s old: if no git runs there, remove it", old.Round(time.Minute))
		}
	}
	return fmt.Errorf("%s is locked by %s: %w%s", name, path, ErrBusy, age)
}

func (r *Files) writeSynced(name string, content []byte, flag int) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|flag, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, r.Perm.File(f), f.Sync(), f.Close())
}

// rewrite replaces the content before commit; a lock file is not read.
func (l *refLock) rewrite(content []byte) error {
	return l.refs.writeSynced(l.path, content, os.O_TRUNC)
}

// commit gives the lock file the reference's name.
func (l *refLock) commit() error {
	for attempt := 0; ; attempt++ {
		err := os.Rename(l.path, l.target)
		if err == nil {
			break
		}
		// A folder without files is where the reference goes: left by branches that were deleted.
		if info, serr := os.Stat(l.target); attempt > 0 || serr != nil || !info.IsDir() {
			return err
		}
		if err := removeEmptyDirs(l.target); err != nil {
			return fmt.Errorf("%s is a folder of other branches; choose another branch name", l.target)
		}
	}
	l.held = false
	l.refs.Step("renamed")
	return object.SyncDir(filepath.Dir(l.target))
}

// drop gives the lock up, if it was not committed, and forgets our name for it.
func (l *refLock) drop() {
	if l.held {
		l.held = false
		_ = os.Remove(l.path)
	}
	if l.mine != "" {
		_ = os.Remove(l.mine)
		l.mine = ""
	}
}

// removeEmptyDirs removes a folder that holds nothing but such folders.
func removeEmptyDirs(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			return &fs.PathError{Op: "remove", Path: filepath.Join(dir, e.Name()), Err: syscall.ENOTEMPTY}
		}
		if err := removeEmptyDirs(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return os.Remove(dir)
}

func (r *Files) logFile(name string) string {
	return filepath.Join(r.Common, "logs", filepath.FromSlash(name))
}

// log appends a line to the reference's log where git would. A log that cannot be written does not stop the move: it
// is a convenience for people, and the folder may clash with an older one.
func (r *Files) log(name string, old, to object.Name, why string) {
	path := r.logFile(name)
	wanted := r.Logs == "always" || r.Logs == "true" &&
		(strings.HasPrefix(name, "refs/heads/") || strings.HasPrefix(name, "refs/remotes/"))
	flags := os.O_APPEND | os.O_WRONLY
	if wanted && !strings.HasPrefix(name, "refs/locsync") {
		if r.Perm.MkdirAll(filepath.Dir(path)) != nil {
			return
		}
		flags |= os.O_CREATE
	}
	f, err := os.OpenFile(path, flags, 0o666)
	if isDirectory(err) && removeEmptyDirs(path) == nil { // left by branches that were deleted
		f, err = os.OpenFile(path, flags, 0o666)
	}
	if err != nil {
		return
	}
	defer f.Close()
	_ = r.Perm.File(f)
	fmt.Fprintf(f, "%s %s %s", cmp.Or(old.Text(), object.FormatOf(to).Zeros()), to, logLine(why, r.Now()))
}
