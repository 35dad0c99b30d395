package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// What it takes for a file to be there after the power failed: the file is synced before it gets its name, and the folder
// after. git by default leaves references to luck; an unclean stop can leave them empty.

// permissions are what core.sharedRepository adds to the process's own umask.
type permissions struct{ add fs.FileMode }

func permissionsOf(set settings) permissions {
	switch v := strings.ToLower(set.get("core.sharedrepository")); v {
	case "group", "true", "1", "yes", "on":
		return permissions{0o060}
	case "all", "world", "everybody", "2":
		return permissions{0o064}
	case "", "umask", "false", "0", "no", "off":
		return permissions{}
	default: // an octal mode: 0640
		mode, err := strconv.ParseUint(v, 8, 32)
		if err != nil {
			return permissions{}
		}
		return permissions{fs.FileMode(mode) & 0o066}
	}
}

// file widens a new file's mode.
func (p permissions) file(f *os.File) error {
	if p.add == 0 {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return f.Chmod(info.Mode().Perm() | p.add)
}

// readOnly gives a finished pack or index the mode of such: nobody writes it, and whoever may read its folder may read
// it.
func (p permissions) readOnly(f *os.File) error {
	info, err := os.Stat(filepath.Dir(f.Name()))
	if err != nil {
		return err
	}
	return f.Chmod((info.Mode().Perm() | p.add) & 0o444)
}

// mkdirAll makes a folder and its parents, shared as the repository is.
func (p permissions) mkdirAll(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := p.mkdirAll(parent); err != nil {
			return err
		}
	}
	err := os.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrExist) {
		info, serr := os.Stat(dir)
		if serr == nil && info.IsDir() {
			return nil
		}
		return err
	}
	if err == nil && p.add != 0 {
		info, serr := os.Stat(dir)
		if serr != nil {
			return serr
		}
		add := p.add | p.add>>2&0o011 // who may read may enter
		err = os.Chmod(dir, info.Mode().Perm()|add|fs.ModeSetgid)
	}
	return err
}

// syncDir makes names in a folder durable. File systems that cannot sync a folder order names themselves.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, fs.ErrInvalid) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// withRemedy says what to do about a disk or a process that does not let us write.
func withRemedy(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w; let this user write there, or run locsync as the user who owns the repository", err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w; make room there", err)
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return fmt.Errorf("%w; raise the limit of open files (ulimit -n, LimitNOFILE= in a unit)", err)
	}
	return err
}
