//go:build !unix

package daemon

import "os"

// notifyReload: there is no SIGHUP here; a restart reads the configuration again.
func notifyReload(chan<- os.Signal) {}
