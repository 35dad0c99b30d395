//go:build unix

package daemon

import (
	"os"
	"os/signal"
	"syscall"
)

func notifyReload(c chan<- os.Signal) { signal.Notify(c, syscall.SIGHUP) }
