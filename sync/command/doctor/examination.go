package doctor

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/service"
)

// Options are what an examination is told.
type Options struct {
	Program report.Build           // this program
	Locate  func() (string, error) // finds the configuration file
	Offline bool                   // calls neither the service nor remotes
	Limit   time.Duration          // of the whole; 0 for the usual one
}

// doctor is one examination: what is known from the beginning, and what several probes need.
type doctor struct {
	o         Options
	ctx       context.Context
	now       func() time.Time
	built     time.Time // when this program's commit was made; the zero time where that is not known
	getenv    func(string) string
	freeSpace func(string) (int64, bool)

	cfg     *config.Config // nil where there is none that can be read
	cfgErr  error
	scratch string // a folder to work in, removed at the end; "" where none could be made

	stateDir  *fact[string]
	service   *fact[*process.Process] // its client
	contacted *fact[contacted]
	daemon    *fact[report.Status]
	checkouts []*checkout
}

// limit is what a probe may wait for: shorter than the probe, so that it can say what it waited for.
func (d *doctor) limit() time.Duration { return d.o.Limit * 3 / 4 }

// contacted is what came of one call at the service.
type contacted struct {
	client *service.Client
	met    service.Contact
	err    error // of the call
}

// noScratch is what to do where no temporary folder can be made.
const noScratch = "make room in the folder for temporary files, or let TMPDIR name another"

// scratchFolder is a new folder to work in.
func (d *doctor) scratchFolder(name string) (string, error) {
	if d.scratch == "" {
		return "", fmt.Errorf("no temporary folder can be made in %s", os.TempDir())
	}
	return os.MkdirTemp(d.scratch, name)
}
