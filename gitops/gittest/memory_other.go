//go:build !linux

package gittest

// InMemory puts the temporary files of a package's tests into memory, on Linux.
func InMemory() (done func()) { return func() {} }
