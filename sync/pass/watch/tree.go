package watch

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// fileStamp is what tells a file from its earlier self without reading it. Programs set times and sizes as they like,
// and neither the time of the last change nor the number of the file; both are 0 where the system does not tell them.
type fileStamp struct {
	size    int64
	mtime   int64
	changed int64
	number  uint64
}

func stampOf(info fs.FileInfo) fileStamp {
	changed, number := inode(info)
	return fileStamp{info.Size(), info.ModTime().UnixNano(), changed, number}
}

// sameFiles compares what an event tells of: a change of a file's mode is none.
func sameFiles(a, b map[string]fileStamp) bool {
	return maps.EqualFunc(a, b, func(a, b fileStamp) bool { return a.size == b.size && a.mtime == b.mtime })
}

const (
	// racy is how young a file must be for a reader not to see that it was written once more: file systems keep times in
	// steps of up to two seconds.
	racy = 2 * time.Second
	// settled is how old a file is that is not written through a memory map any more: such writes are stamped when the
	// system writes them out, half a minute later.
	settled = 2 * time.Minute
)

// young reports whether one of some files was written so shortly before a time, or after it, by its clock.
func young(at time.Time, within time.Duration, clock func(fileStamp) int64, files map[string]fileStamp) bool {
	for _, f := range files {
		if at.Sub(time.Unix(0, clock(f))).Abs() < within {
			return true
		}
	}
	return false
}

func (f fileStamp) written() int64 { return f.mtime }

func (f fileStamp) touched() int64 { return max(f.mtime, f.changed) }

// walk watches a folder and every folder below it that can hold a file that matters, and lists those
// files. A folder is watched before it is listed: what comes into it later is an event, what came
// before is in the list.
func (w *Watcher) walk(folder string) map[string]fileStamp {
	found := map[string]fileStamp{}
	if folder == "" {
		w.links = newLinks()
	}
	w.walkInto(folder, found, nil)
	return found
}

// walkInto walks one folder; above are the folders that the way led through, so that links in a circle end.
func (w *Watcher) walkInto(folder string, found map[string]fileStamp, above []fs.FileInfo) {
	if !w.files.reaches(folder) {
		return
	}
	w.o.Alive(0)
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
				w.walkInto(rel, found, above)
			}
		case e.Type()&fs.ModeSymlink != 0:
			w.walkLink(rel, found, above)
		case w.files.match(rel) && !temporary(e.Name()):
			if info, err := e.Info(); err == nil {
				found[rel] = stampOf(info)
			}
		}
	}
}

// walkLink takes a link for what it leads to.
func (w *Watcher) walkLink(rel string, found map[string]fileStamp, above []fs.FileInfo) {
	matches, reaches := w.files.match(rel) && !temporary(path.Base(rel)), w.files.reaches(rel)
	if !matches && !reaches {
		return
	}
	full := filepath.Join(w.o.Root, filepath.FromSlash(rel))
	info := w.behind(full)
	switch {
	case info == nil:
	case info.IsDir() && reaches:
		same := func(a fs.FileInfo) bool { return os.SameFile(a, info) }
		root, err := os.Stat(w.o.Root)
		if err != nil || os.SameFile(root, info) || slices.ContainsFunc(above, same) || isRepository(full) {
			return
		}
		w.links.folders[full] = true
		w.walkInto(rel, found, append(slices.Clip(above), info))
	case matches && info.Mode().IsRegular():
		found[rel] = stampOf(info)
	}
}

// isRepository reports whether a folder is a repository or worktree of its own, and so none of ours.
func isRepository(folder string) bool {
	_, err := os.Lstat(filepath.Join(folder, ".git"))
	return err == nil
}
