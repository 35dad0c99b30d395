package web

import (
	"os"
	"time"

	"github.com/locsync/locsync/sync/report"
)

// began is when this process did.
var began = time.Now().UTC().Truncate(time.Second)

// itself is the daemon that this process is.
func itself() report.Daemon { return report.Daemon{Running: true, PID: os.Getpid(), Since: began} }
