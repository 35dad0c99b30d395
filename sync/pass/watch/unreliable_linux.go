package watch

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// deafSystems are file systems that other machines, or the host of a virtual one, write to without the
// kernel here being told. Watching them works and stays silent.
var deafSystems = map[int64]string{
	unix.V9FS_MAGIC:       "a 9p share",
	unix.NFS_SUPER_MAGIC:  "NFS",
	unix.SMB_SUPER_MAGIC:  "an SMB share",
	unix.SMB2_SUPER_MAGIC: "an SMB share",
	unix.CIFS_SUPER_MAGIC: "an SMB share",
	unix.FUSE_SUPER_MAGIC: "FUSE", // virtiofs, too
	unix.CEPH_SUPER_MAGIC: "Ceph",
	unix.AFS_SUPER_MAGIC:  "AFS",
	0x786f4256:            "a VirtualBox share",
	0x53464846:            "a Windows drive", // drvfs, lxfs of the first WSL
}

// deafTypes are the same by the names that the mount table gives them, as far as they differ.
var deafTypes = map[string]string{
	"9p": "a 9p share", "drvfs": "a Windows drive", "nfs": "NFS", "nfs4": "NFS", "cifs": "an SMB share",
	"smb3": "an SMB share", "smbfs": "an SMB share",
	"fuse": "FUSE", "fuseblk": "FUSE", "virtiofs": "virtiofs", "vboxsf": "a VirtualBox share",
	"vmhgfs": "a VMware share", "prl_fs": "a Parallels share",
	"ceph": "Ceph", "afs": "AFS", "lustre": "Lustre", "gpfs": "GPFS", "glusterfs": "GlusterFS", "overlay": "an overlay",
}

// deaf names the file system of a folder when events do not tell all that happens there; "" otherwise.
func deaf(folder string) string {
	var s unix.Statfs_t
	if unix.Statfs(folder, &s) != nil {
		return ""
	}
	if name := deafSystems[int64(uint32(s.Type))]; name != "" {
		return name
	}
	name, _ := deafMount(mounts(), resolved(folder))
	return name
}

func resolved(folder string) string {
	if path, err := filepath.EvalSymlinks(folder); err == nil {
		return path
	}
	return folder
}

// mount is one line of the mount table.
type mount struct{ at, kind string }

func mounts() []mount {
	file, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	defer file.Close()
	return readMounts(file)
}

// readMounts reads the mount table (proc(5), mountinfo): the fifth field is where, the one behind the dash what.
func readMounts(table io.Reader) (all []mount) {
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		before, after, ok := strings.Cut(lines.Text(), " - ")
		fields, kind := strings.Fields(before), strings.Fields(after)
		if ok && len(fields) >= 5 && len(kind) > 0 {
			all = append(all, mount{unescapeMount(fields[4]), kind[0]})
		}
	}
	return all
}

// unescapeMount undoes \040 for a space and the like.
func unescapeMount(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// deafMount finds the mount that holds a folder, the last of the longest, and names it when it is deaf. An overlay at
// the root is a container's own, which is only written to from inside.
func deafMount(all []mount, folder string) (name, at string) {
	best := mountOf(all, folder)
	return best.deaf(), best.at
}

func mountOf(all []mount, folder string) (best mount) {
	for _, m := range all {
		if within(folder, m.at) && len(m.at) >= len(best.at) {
			best = m
		}
	}
	return best
}

func (m mount) deaf() string {
	switch name := deafTypes[m.kind]; {
	case m.kind == "overlay" && m.at == "/":
		return ""
	case name == "" && strings.HasPrefix(m.kind, "fuse."):
		return "FUSE"
	default:
		return name
	}
}

// deafBelow finds the deaf mounts below a folder.
func deafBelow(all []mount, folder string) map[string]string {
	found := map[string]string{}
	for _, m := range all {
		if name := m.deaf(); m.at != folder && within(m.at, folder) {
			found[m.at] = name // a later mount hides an earlier one
		}
	}
	return found
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// unreliable says why events do not tell everything, "" where they do: when the root, or a folder below it that can
// hold a file that matters, is on a file system without events.
func (w *Watcher) unreliable() string {
	if name := deaf(w.o.Root); name != "" {
		return w.o.Root + " is on " + name + ", which does not announce what others write"
	}
	root := resolved(w.o.Root)
	for at, name := range deafBelow(mounts(), root) {
		if rel, err := filepath.Rel(root, at); name != "" && err == nil && w.files.reaches(filepath.ToSlash(rel)) {
			return at + " is on " + name + ", which does not announce what others write"
		}
	}
	return ""
}

// remoteGit reports whether a git directory is on a file system that may stop to answer.
func (w *Watcher) remoteGit() bool {
	return slices.ContainsFunc(w.gitDirs, func(dir string) bool { return deaf(dir) != "" })
}

// systemLimit leaves half of the user's share of watches to other programs.
func systemLimit() int {
	if n := number("fs/inotify/max_user_watches"); n > 0 {
		return min(maxWatches, max(1, n/2))
	}
	return maxWatches
}
