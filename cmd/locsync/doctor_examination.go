package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/process"
	"github.com/locsync/locsync/sync/report"
)

// doctor is one examination: what is known from the begin, and what several looks need.
type doctor struct {
	app       *app
	ctx       context.Context
	offline   bool
	limit     time.Duration // of what a look may wait for: shorter than the look, so that it can say what it waited for
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

func (a *app) newDoctor(ctx context.Context, offline bool, limit time.Duration) *doctor {
	d := &doctor{app: a, ctx: ctx, offline: offline, limit: limit * 3 / 4, now: time.Now, built: builtAt(),
		getenv: os.Getenv, freeSpace: freeSpace}
	file, err := a.locate()
	if err == nil {
		d.cfg, err = process.ReadConfig(file)
	}
	d.cfgErr = err
	d.scratch, _ = os.MkdirTemp("", "locsync-doctor-") // what needs it says that there is none
	d.stateDir = newFact(func() (string, error) {
		dir, err := d.findState(ctx)
		return process.Absolute(dir), err
	})
	d.checkouts = d.findCheckouts()
	d.service = newFact(func() (*process.Process, error) { return d.connect(ctx) })
	d.contacted = newFact(func() (contacted, error) { return d.contact(ctx) })
	d.daemon = newFact(func() (report.Status, error) { return d.askDaemon(ctx) })
	return d
}

// close lets everything go that was opened. It is not called where something hangs: the end of the process does it
// then.
func (d *doctor) close() {
	<-d.service.done
	if d.service.err == nil {
		_ = d.service.value.Close() // nothing was written
	}
	for _, c := range d.checkouts {
		if <-c.repo.done; c.repo.err == nil {
			_ = c.repo.value.Close()
		}
	}
	if d.scratch != "" {
		_ = os.RemoveAll(d.scratch)
	}
}

// findState is the state folder of the configuration, or where there is none the one that would be the usual one here.
func (d *doctor) findState(ctx context.Context) (string, error) {
	if d.cfg != nil {
		return process.StateDir(ctx, d.cfg)
	}
	if dir := process.GivenState(d.getenv); dir != "" {
		return dir, nil
	}
	repo, err := gitops.Open(ctx, ".", gitops.Options{})
	if err != nil {
		return "", errors.New("without a configuration it cannot be told where the state is")
	}
	return filepath.Join(repo.Facts().CommonDir, "locsync"), repo.Close()
}

// looks are all looks, in the order of the report.
func (d *doctor) looks() []look {
	looks := []look{
		{"program", "", "version", d.lookAtProgram},
		{"program", "", "git", d.lookAtGit},
		{"configuration", "", "file", d.lookAtConfiguration},
		{"configuration", "", "secrets", d.lookAtSecrets},
		{"state", "", "folder", d.lookAtState},
	}
	for _, c := range d.checkouts {
		looks = append(looks, d.looksAtCheckout(c)...)
	}
	if d.cfg != nil {
		looks = append(looks, look{"files", "", "files", d.lookAtFiles})
	}
	looks = append(looks, look{"file events", "", "limits", d.lookAtLimits})
	for _, c := range d.checkouts {
		if c.watched() {
			looks = append(looks, look{"file events", c.names(), "folders", func(ctx context.Context, n *notes) {
				d.lookAtWatching(ctx, n, c)
			}})
		}
	}
	if d.cfg != nil {
		looks = append(looks, d.looksAtService()...)
	}
	return append(looks, d.looksAtDaemon()...)
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

// connect makes a client of the configured service: that of the daemon where the service is embedded and a daemon has
// it. Without a key it is made all the same, because the way to the service can be looked at without.
func (d *doctor) connect(ctx context.Context) (*process.Process, error) {
	if d.cfg == nil {
		return nil, errors.New("which service it is, the configuration says")
	}
	dir, err := d.stateDir.get(ctx)
	if err != nil && d.cfg.Service.Embedded() {
		return nil, err
	}
	p := process.New(d.cfg, dir, process.Options{Version: version().Version, Log: zap.NewNop()})
	if d.cfg.Service.Embedded() {
		return p, d.connectEmbedded(ctx, p)
	}
	if _, err := p.Connect(d.cfg); err == nil || !process.Lasting(err) {
		return p, err
	}
	_, err = p.ConnectWithoutKey()
	return p, err
}
