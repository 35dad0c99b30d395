package object

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// What it takes for a file to be there after the power failed: the file is synced before it gets its name, and the
// folder after. git by default leaves references to luck; an unclean stop can leave them empty.

// Permissions are what core.sharedRepository adds to the process's own umask.
type Permissions struct{ add fs.FileMode }

// SharedAs reads a value of core.sharedRepository.
func SharedAs(v string) Permissions {
	switch v = strings.ToLower(v); v {
	case "group", "true", "1", "yes", "on":
		return Permissions{0o060}
	case "all", "world", "everybody", "2":
		return Permissions{0o064}
	case "", "umask", "false", "0", "no", "off":
		return Permissions{}
	default: // an octal mode: 0640
		mode, err := strconv.ParseUint(v, 8, 32)
		if err != nil {
			return Permissions{}
		}
		return Permissions{fs.FileMode(mode) & 0o066}
	}
}

// File widens a new file's mode.
func (p Permissions) File(f *os.File) error {
	if p.add == 0 {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return f.Chmod(info.Mode().Perm() | p.add)
}

// readOnly gives a finished pack or index the mode of such: it is not written any more, and who may read its folder may
// read it.
func (p Permissions) readOnly(f *os.File) error {
	info, err := os.Stat(filepath.Dir(f.Name()))
	if err != nil {
		return err
	}
	return f.Chmod((info.Mode().Perm() | p.add) & 0o444)
}

// MkdirAll makes a folder and its parents, shared as the repository is.
func (p Permissions) MkdirAll(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := p.MkdirAll(parent); err != nil {
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

// SyncDir makes names in a folder durable. File systems that cannot sync a folder order names themselves.
func SyncDir(dir string) error {
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
