package watch

import "golang.org/x/sys/unix"

// deafSystems are file systems that other machines, or the host of a virtual one, write to without the
// kernel here being told. Watching them works and stays silent.
var deafSystems = map[int64]string{
	unix.V9FS_MAGIC:       "a 9p share",
	unix.NFS_SUPER_MAGIC:  "NFS",
	unix.SMB_SUPER_MAGIC:  "an SMB share",
	unix.SMB2_SUPER_MAGIC: "an SMB share",
	unix.CIFS_SUPER_MAGIC: "an SMB share",
	unix.FUSE_SUPER_MAGIC: "FUSE",
	unix.CEPH_SUPER_MAGIC: "Ceph",
	unix.AFS_SUPER_MAGIC:  "AFS",
	0x786f4256:            "a VirtualBox share",
}

// deaf names the file system of a folder when events do not tell all that happens there; "" otherwise.
func deaf(folder string) string {
	var s unix.Statfs_t
	if unix.Statfs(folder, &s) != nil {
		return ""
	}
	return deafSystems[int64(uint32(s.Type))]
}

func systemLimit() int { return maxWatches }
