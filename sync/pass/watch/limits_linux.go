package watch

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Limits are the kernel's, of file events for one user, and what the processes of this user take of them that can be
// seen from here.
type Limits struct {
	Watches, Instances         int // 0 where that cannot be told
	UsedWatches, UsedInstances int
}

// SystemLimits reads them.
func SystemLimits() Limits {
	l := Limits{Watches: least("fs/inotify/max_user_watches", "user/max_inotify_watches"),
		Instances: least("fs/inotify/max_user_instances", "user/max_inotify_instances")}
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return l
	}
	for _, p := range processes {
		dir := filepath.Join("/proc", p.Name())
		var s unix.Stat_t
		if _, err := strconv.Atoi(p.Name()); err != nil || unix.Stat(dir, &s) != nil || int(s.Uid) != os.Getuid() {
			continue
		}
		files, err := os.ReadDir(filepath.Join(dir, "fd"))
		if err != nil {
			continue // it ended, or is not ours to see
		}
		for _, file := range files {
			if to, err := os.Readlink(filepath.Join(dir, "fd", file.Name())); err != nil || to != "anon_inode:inotify" {
				continue
			}
			l.UsedInstances++
			if info, err := os.ReadFile(filepath.Join(dir, "fdinfo", file.Name())); err == nil {
				l.UsedWatches += bytes.Count(info, []byte("inotify wd:"))
			}
		}
	}
	return l
}

// least is the smaller of a limit of the machine and that of this user namespace; 0 where neither can be told.
func least(names ...string) int {
	result := -1
	for _, name := range names {
		if n := number(name); n >= 0 && (result < 0 || n < result) {
			result = n
		}
	}
	return max(result, 0)
}

// number reads one of the kernel's settings; -1 where there is none.
func number(name string) int {
	text, err := os.ReadFile("/proc/sys/" + name)
	if err != nil {
		return -1
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return -1
	}
	return n
}

// FileSystem names the kind of file system that a folder, or the nearest one above it that there is, is on: "ext4". ""
// where that cannot be told. deaf is what Stats would call it where events do not come of everything that happens in
// it.
func FileSystem(folder string) (kind, unreliable string) {
	for {
		if _, err := os.Stat(folder); err == nil || folder == filepath.Dir(folder) {
			break
		}
		folder = filepath.Dir(folder)
	}
	best := mountOf(mounts(), resolved(folder))
	return best.kind, deaf(folder)
}
