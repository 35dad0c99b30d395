package boltledger

import (
	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"
)

// release lets go of the pages of the file that a transaction has read. They would count as memory of this process
// until the system needs it, and stay in the system's cache all the same. The file has at least tx.Size() bytes, which
// the map covers: verify has looked, and what a transaction adds is mapped before it is used.
func release(tx *bbolt.Tx) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, tx.DB().Info().Data, uintptr(tx.Size()), unix.MADV_DONTNEED) // advice only
}
