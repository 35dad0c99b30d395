package watch

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// A symbolic link says nothing when what it leads to changes: a file behind it that is written, a link on the way that
// is swapped for another (as Kubernetes does when it replaces the files of a volume). So the way behind each link that
// matters is known: every link on it and the file or folder at its end, with watches on the folders that hold them.
// Ways that leave the working tree are not followed: nothing is read there.

// links are the ways behind the links that matter, by full path.
type links struct {
	steps   map[string]bool // what on such a way is a link or a file: when it changes, something that matters did
	folders map[string]bool // links to folders that are watched under the link's name
}

func newLinks() links { return links{steps: map[string]bool{}, folders: map[string]bool{}} }

var errOutside = errors.New("it leads out of the working tree")

// way resolves a path below the root. It returns the links on the way and where it ends.
func way(root, path string) (steps []string, end string, err error) {
	const most = 40 // as the kernel
	rest := strings.Split(strings.TrimPrefix(path, root+string(filepath.Separator)), string(filepath.Separator))
	at := root
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			if at == root {
				return steps, "", errOutside
			}
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		if err != nil {
			return append(steps, next), "", err // when it comes, that is an event
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		steps = append(steps, next)
		to, err := os.Readlink(next)
		if err != nil {
			return steps, "", err
		}
		if filepath.IsAbs(to) || len(steps) > most {
			return steps, "", errOutside
		}
		rest = append(strings.Split(filepath.FromSlash(to), string(filepath.Separator)), rest...)
	}
	return steps, at, nil
}

// behind looks at a link that matters, watches what its way goes through, and returns what it leads to; nil when that
// is nothing that is read.
func (w *Watcher) behind(full string) fs.FileInfo {
	steps, end, err := way(w.o.Root, full)
	if end != "" {
		steps = append(steps, end)
	}
	for _, step := range steps {
		w.links.steps[step] = true
		if dir := filepath.Dir(step); !w.watched[dir] {
			w.add(dir)
		}
	}
	if err != nil {
		return nil // dangling, or outside
	}
	info, err := os.Stat(end)
	if err != nil {
		return nil
	}
	return info
}

// rejoin watches what is behind links again, after something on their ways changed.
func (w *Watcher) rejoin() {
	for folder := range maps.Clone(w.links.folders) {
		w.forget(folder)
	}
	w.walk("")
}
