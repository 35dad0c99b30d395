package gitops

import (
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
		return fmt.Errorf("%q cannot stand in a file name on Windows", name[i])
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

// target is where a path lies in a tree: by the names that are there, with the entry that is there.
type target struct {
	path   string
	entry  entry
	exists bool
}

// errStop is a reason in words why a path cannot be written into this tree, as opposed to a tree that could not be
// read.
type errStop struct{ why string }

func (e *errStop) Error() string { return e.why }

func stop(format string, args ...any) error { return &errStop{fmt.Sprintf(format, args...)} }

// exactly finds a path that is to be removed, by no other name than its own. What is not there is nothing to remove.
func (t *Tip) exactly(name string) (target, error) {
	at := entry{Mode: object.ModeDir, Hash: t.tree}
	for part := range strings.SplitSeq(name, "/") {
		if !at.IsDir() {
			return target{path: name}, nil
		}
		d, err := t.readTree(at.Hash)
		if err != nil {
			return target{}, err
		}
		i, ok := d.exact[part]
		if !ok {
			return target{path: name}, nil
		}
		at = d.entries[i]
	}
	if at.IsDir() || at.Mode == object.ModeModule {
		return target{}, stop("%s is a folder", name)
	}
	return target{path: name, entry: at, exists: true}, nil
}

// resolve finds where a path would be written. Names that are there in another composition or case are used as they are
// there. Links and submodules are not written through, files do not become folders nor folders files.
func (t *Tip) resolve(name string) (target, error) {
	if !fs.ValidPath(name) || name == "." || len(name) > 4000 {
		return target{}, stop("not a clean path relative to the repository")
	}
	at := entry{Mode: object.ModeDir, Hash: t.tree}
	result := target{exists: true}
	parts := strings.Split(name, "/")
	for i, part := range parts {
		last := i == len(parts)-1
		if err := checkName(part); err != nil {
			return target{}, stop("%v", err)
		}
		var e entry
		if result.exists {
			d, err := t.readTree(at.Hash)
			if err != nil {
				return target{}, err
			}
			e, result.exists = t.find(d, part)
			if !result.exists {
				if twin, ok := d.near[foldName(part)]; ok && twin < 0 {
					return target{}, stop("several names in %s differ from %q only by letter case", or(result.path, "the top folder"), part)
				}
			}
		}
		if !result.exists {
			if err := checkWindowsName(part); err != nil {
				return target{}, stop("%v", err)
			}
			result.path = path.Join(result.path, part)
			continue
		}
		result.path = path.Join(result.path, e.Name)
		switch {
		case e.Mode == object.ModeLink:
			return target{}, stop("%s is a symbolic link; name the file that it points to, or replace it by a file", result.path)
		case e.Mode == object.ModeModule:
			return target{}, stop("%s is a submodule, a repository of its own", result.path)
		case last && e.IsDir():
			return target{}, stop("%s is a folder", result.path)
		case !last && !e.IsDir():
			return target{}, stop("%s is a file, not a folder", result.path)
		}
		at, result.entry = e, e
	}
	if !result.exists {
		result.entry = entry{}
	}
	return result, nil
}

// Writable says why Commit would refuse a path on this tip: an ErrPath (*BadPaths) with the reason, or an error of
// reading. Nil when it would not. Content filters (LFS) are judged too.
func (t *Tip) Writable(name string) error {
	at, err := t.resolve(name)
	if err == nil {
		var a map[string]attributes
		ctx, end := t.repo.watchRead()
		defer end()
		if a, err = t.attributesOf(ctx, []string{at.path}, "filter", "working-tree-encoding"); err == nil {
			_, err = t.rule(at.path, a[at.path])
		}
	}
	var refusal *errStop
	if errors.As(err, &refusal) {
		return &BadPaths{[]BadPath{{name, refusal.why}}}
	}
	return err
}
