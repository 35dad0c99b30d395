//go:build !unix

package main

import "os"

// notifyReload: there is no SIGHUP here; a restart reads the configuration again.
func notifyReload(chan<- os.Signal) {}
