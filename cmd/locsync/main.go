// Command locsync keeps a repository's resource files and a translation service in sync.
//
// This package is the wiring: flags, one file for each family of commands, configuration to parts, results to standard
// output, logs to standard error, errors to exit codes. It decides nothing about translations.
//
// imports_test.go lists the areas below sync/, with what is found in each, and who may import whom.
package main

import (
	"os"
	"runtime"
)

// The kernel hands SIGTERM and SIGHUP to the first thread, and to no other while that one hangs in a call, as on a
// mount that does not answer. It is kept for the main goroutine, which only waits.
func init() { runtime.LockOSThread() }

func main() { exitWith(Main) }

// exitWith ends the process with what run returns. It runs on another thread than the first, since it touches files.
func exitWith(run func() int) {
	code := make(chan int)
	go func() { code <- run() }()
	os.Exit(<-code)
}
