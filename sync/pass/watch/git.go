package watch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// watchGit watches what git leaves behind when it is done.
func (w *Watcher) watchGit() {
	for _, dir := range w.gitDirs {
		w.add(dir)
		w.watchBranches(filepath.Join(dir, "refs", "heads"))
		if reftable := filepath.Join(dir, "reftable"); isFolder(reftable) {
			w.add(reftable)
		}
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// gitDirs are the git directories of the options, in full and once each.
func (o Options) gitDirs() ([]string, error) {
	var dirs []string
	for _, dir := range []string{o.GitDir, o.CommonDir} {
		if dir == "" {
			continue
		}
		dir, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		if len(dirs) == 0 || dirs[0] != dir {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// watchBranches watches the folders of branches, which have folders where names have slashes.
func (w *Watcher) watchBranches(dir string) {
	if _, err := os.Lstat(dir); err != nil {
		return
	}
	w.add(dir)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			w.watchBranches(filepath.Join(dir, e.Name()))
		}
	}
}

// references are the stamps of what git keeps of branches.
func (w *Watcher) references() map[string]fileStamp {
	found := map[string]fileStamp{}
	take := func(path string) {
		if info, err := os.Lstat(path); err == nil {
			found[path] = stampOf(info)
		}
	}
	for _, dir := range w.gitDirs {
		for _, name := range []string{"HEAD", "packed-refs", filepath.Join("reftable", "tables.list")} {
			take(filepath.Join(dir, name))
		}
		_ = filepath.WalkDir(filepath.Join(dir, "refs", "heads"), func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				take(path)
			}
			return nil // what cannot be read is gone again
		})
	}
	return found
}

// inGit reports whether a path is in a git directory and not among the files.
func (w *Watcher) inGit(path string) bool {
	for _, dir := range w.gitDirs {
		if strings.HasPrefix(path, dir+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// gitDone reports whether something that happened in a git directory tells that git finished: HEAD moved,
// a branch did, or what is there during a checkout, commit or rebase is gone. The index itself says
// nothing, mere looks at the status write it.
func gitDone(path string, structural bool) bool {
	switch filepath.Base(path) {
	case "HEAD", "packed-refs", "tables.list": // the last one is the list of a reftable
		return true
	case "index.lock", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG",
		"sequencer":
		if !structural {
			return false
		}
		_, err := os.Lstat(path)
		return errors.Is(err, fs.ErrNotExist)
	}
	return isBranch(path) && !strings.HasSuffix(path, ".lock")
}

// isBranch reports whether a path of a git directory is a branch, or a folder of branches.
func isBranch(path string) bool {
	path = filepath.ToSlash(path)
	return strings.Contains(path, "/refs/heads/") || strings.HasSuffix(path, "/refs/heads")
}
