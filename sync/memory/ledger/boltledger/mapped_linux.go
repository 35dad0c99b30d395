package boltledger

import (
	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"
)

// release lets go of the pages of the file that a transaction has read. They would count as memory of this process
// until the system needs it, and stay in the system's cache all the same.
func release(tx *bbolt.Tx) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, tx.DB().Info().Data, uintptr(tx.Size()), unix.MADV_DONTNEED) // advice only
}
