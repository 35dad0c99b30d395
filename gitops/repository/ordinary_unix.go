//go:build unix

package repository

import (
	"os"
	"path/filepath"
	"syscall"
)

// ordinary is the git folder of a folder that is the top of a working tree of this user with the git folder in it, as
// git would say. A repository of any other kind is git's to find.
func ordinary(dir string) (commonDir string, is bool) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", false
	}
	at := filepath.Join(dir, ".git")
	for _, folder := range []string{dir, at, filepath.Join(at, "objects"), filepath.Join(at, "refs")} {
		info, err := os.Lstat(folder)
		if err != nil || !info.IsDir() {
			return "", false
		}
		owner, known := info.Sys().(*syscall.Stat_t)
		if !known || int(owner.Uid) != os.Geteuid() {
			return "", false
		}
	}
	for _, file := range []string{"HEAD", "config"} {
		info, err := os.Stat(filepath.Join(at, file))
		if err != nil || !info.Mode().IsRegular() {
			return "", false
		}
	}
	_, shared := os.Lstat(filepath.Join(at, "commondir"))
	return at, shared != nil
}
