package watch

import (
	"maps"
	"os"
	"path"
	"path/filepath"
)

// fileStamp is what tells a file from its earlier self without reading it.
type fileStamp struct {
	size  int64
	mtime int64
}

func sameFiles(a, b map[string]fileStamp) bool { return maps.Equal(a, b) }

// walk watches a folder and every folder below it that can hold a file that matters, and lists those
// files. A folder is watched before it is listed: what comes into it later is an event, what came
// before is in the list.
func (w *Watcher) walk(folder string) map[string]fileStamp {
	found := map[string]fileStamp{}
	w.walkInto(folder, found)
	return found
}

func (w *Watcher) walkInto(folder string, found map[string]fileStamp) {
	if !w.files.reaches(folder) {
		return
	}
	full := filepath.Join(w.o.Root, filepath.FromSlash(folder))
	w.add(full)
	entries, err := os.ReadDir(full)
	if err != nil {
		return // gone, or not ours to read: the files in it are missed by who looks, and named there
	}
	for _, e := range entries {
		rel := path.Join(folder, e.Name())
		switch {
		case e.IsDir():
			if w.files.reaches(rel) && !isRepository(filepath.Join(full, e.Name())) {
				w.walkInto(rel, found)
			}
		case w.files.match(rel) && !temporary(e.Name()):
			if info, err := e.Info(); err == nil {
				found[rel] = fileStamp{info.Size(), info.ModTime().UnixNano()}
			}
		}
	}
}

// isRepository reports whether a folder is a repository or worktree of its own, and so none of ours.
func isRepository(folder string) bool {
	_, err := os.Lstat(filepath.Join(folder, ".git"))
	return err == nil
}
