package tree

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/locsync/locsync/gitops/object"
)

// Which paths may be written. The library's tree encoder takes every name; `git fsck --strict` and checkouts on other
// systems do not. Everything is judged before any object is made.

// checkName refuses what is dangerous or impossible anywhere.
func checkName(name string) error {
	if len(name) > 255 {
		return fmt.Errorf("%.20q… is longer than the 255 bytes that file systems allow", name)
	}
	for _, c := range name {
		switch {
		case c == '\\':
			return errors.New("a backslash separates folders on Windows")
		case c < ' ', c == 0x7f:
			return errors.New("control characters in the name")
		}
	}
	if object.IsDotGit(name) {
		return errors.New("it is git's own folder")
	}
	return nil
}

// checkWindowsName refuses new names that cannot be checked out on Windows. A file that is there under such a name is
// the repository's own choice and can be written.
func checkWindowsName(name string) error {
	if i := strings.IndexAny(name, `<>:"|?*`); i >= 0 {
		return fmt.Errorf("%q is not allowed in a file name on Windows", name[i])
	}
	if deviceNames[strings.ToLower(stem(name))] {
		return fmt.Errorf("%q is a device on Windows", name)
	}
	if strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
		return fmt.Errorf("the end of %q is dropped by Windows", name)
	}
	return nil
}

// stem is what Windows looks at for a device name: up to the first dot or trailing blanks.
func stem(name string) string {
	base, _, _ := strings.Cut(name, ".")
	return strings.TrimRight(base, " ")
}

var deviceNames = func() map[string]bool {
	names := map[string]bool{"con": true, "prn": true, "aux": true, "nul": true, "conin$": true, "conout$": true}
	for _, digit := range "123456789¹²³" {
		names["com"+string(digit)], names["lpt"+string(digit)] = true, true
	}
	return names
}()

// Target is where a path is in a tree: by the names that are there, with the entry that is there.
type Target struct {
	Path   string
	Entry  object.Entry
	Exists bool
}

// Refusal is a reason in words why a path cannot be written into this tree, as opposed to a tree that could not be
// read.
type Refusal struct{ Why string }

func (e *Refusal) Error() string { return e.Why }

// Refuse makes a Refusal.
func Refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// Exactly finds a path that is to be removed, by no other name than its own. What is not there is nothing to remove.
func (t *FS) Exactly(name string) (Target, error) {
	at := object.Entry{Mode: object.ModeDir, Hash: t.Root}
	for part := range strings.SplitSeq(name, "/") {
		if !at.IsDir() {
			return Target{Path: name}, nil
		}
		d, err := t.readTree(at.Hash)
		if err != nil {
			return Target{}, err
		}
		i, ok := d.exact[part]
		if !ok {
			return Target{Path: name}, nil
		}
		at = d.entries[i]
	}
	if at.IsDir() || at.Mode == object.ModeModule {
		return Target{}, Refuse("%s is a folder", name)
	}
	return Target{Path: name, Entry: at, Exists: true}, nil
}

// Resolve finds where a path would be written. Names that are there in another composition or case are used as they are
// there. Links and submodules are not written through, files do not become folders nor folders files.
func (t *FS) Resolve(name string) (Target, error) {
	if !fs.ValidPath(name) || name == "." || len(name) > 4000 {
		return Target{}, Refuse("not a clean path relative to the repository")
	}
	at := object.Entry{Mode: object.ModeDir, Hash: t.Root}
	result := Target{Exists: true}
	parts := strings.Split(name, "/")
	for i, part := range parts {
		last := i == len(parts)-1
		if err := checkName(part); err != nil {
			return Target{}, Refuse("%v", err)
		}
		var e object.Entry
		if result.Exists {
			d, err := t.readTree(at.Hash)
			if err != nil {
				return Target{}, err
			}
			e, result.Exists = t.find(d, part)
			if !result.Exists {
				if twin, ok := d.near[Fold(part)]; ok && twin < 0 {
					return Target{}, Refuse("several names in %s differ from %q only by letter case", cmp.Or(result.Path,
						"the top folder"), part)
				}
			}
		}
		if !result.Exists {
			if err := checkWindowsName(part); err != nil {
				return Target{}, Refuse("%v", err)
			}
			result.Path = path.Join(result.Path, part)
			continue
		}
		result.Path = path.Join(result.Path, e.Name)
		switch {
		case e.Mode == object.ModeLink:
			return Target{}, Refuse("%s is a symbolic link; name the file that it points to, or replace it by a file",
				result.Path)
		case e.Mode == object.ModeModule:
			return Target{}, Refuse("%s is a submodule, a repository of its own", result.Path)
		case last && e.IsDir():
			return Target{}, Refuse("%s is a folder", result.Path)
		case !last && !e.IsDir():
			return Target{}, Refuse("%s is a file, not a folder", result.Path)
		}
		at, result.Entry = e, e
	}
	if !result.Exists {
		result.Entry = object.Entry{}
	}
	return result, nil
}
