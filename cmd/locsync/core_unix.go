//go:build unix

package main

import "syscall"

// leaveNoCore has a crash leave no core file, here or in programs that are run: it would have the API key in it. Where
// that cannot be set, the service manager has its own limit.
func leaveNoCore() { _ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) }
