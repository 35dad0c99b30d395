// Package doctor finds out whether everything works that locsync needs: program, git, configuration, state,
// repositories, files, file events, service, daemon, hooks. Its law: it changes nothing, tells no secret, waits for
// nothing longer than its limit, and says of each fault what to do. It does not repair.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/process"
)

// Examine makes a diagnosis of everything that has to work. The error is why ctx ended before that.
func Examine(ctx context.Context, o Options) (report.Diagnosis, error) {
	o.Limit = cmp.Or(o.Limit, usualLimit)
	d := newDoctor(ctx, o)
	found, hung := examine(ctx, o.Limit, d.probes())
	if !hung {
		d.close()
	}
	if ctx.Err() != nil {
		return report.Diagnosis{}, ctx.Err() // what was given up for it is not a finding
	}
	code := outcome(found)
	return report.Diagnosis{Version: o.Program.Version, At: d.now().UTC().Truncate(time.Second),
		OK:   code == report.ExitDone,
		Code: code, Findings: found}, nil
}

func newDoctor(ctx context.Context, o Options) *doctor {
	d := &doctor{o: o, ctx: ctx, now: time.Now, built: builtAt(), getenv: os.Getenv, freeSpace: freeSpace}
	file, err := o.Locate()
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

// probes are all probes, in the order of the report.
func (d *doctor) probes() []probe {
	probes := []probe{
		{"program", "", "version", d.probeProgram},
		{"program", "", "release", d.probeRelease},
		{"program", "", "git", d.probeGit},
		{"configuration", "", "file", d.probeConfiguration},
		{"configuration", "", "secrets", d.probeSecrets},
		{"state", "", "folder", d.probeState},
	}
	if d.cfg != nil && d.cfg.Clustered() {
		probes = append(probes, probe{"state", "", "database", d.probeDatabase})
	}
	for _, c := range d.checkouts {
		probes = append(probes, probesOfCheckout(d, c)...)
	}
	if d.cfg != nil {
		probes = append(probes, probe{"files", "", "files", d.probeFiles})
	}
	probes = append(probes, probe{"file events", "", "limits", d.probeLimits})
	for _, c := range d.checkouts {
		if c.watched() {
			probes = append(probes, probe{"file events", c.names(), "folders", func(ctx context.Context, n *notes) {
				probeWatching(ctx, d, n, c)
			}})
		}
	}
	if d.cfg != nil {
		probes = append(probes, probesOfService(d)...)
	}
	return append(probes, probesOfDaemon(d)...)
}

// connect makes a client of the configured service: that of the daemon where the service is embedded and a daemon has
// it. Without a key it is made all the same, because the way to the service can be tried without.
func (d *doctor) connect(ctx context.Context) (*process.Process, error) {
	if d.cfg == nil {
		return nil, errors.New("which service it is, the configuration says")
	}
	dir, err := d.stateDir.get(ctx)
	if err != nil && d.cfg.Service.Embedded() {
		return nil, err
	}
	p := process.New(d.cfg, dir, process.Options{Version: d.o.Program.Version, Log: zap.NewNop()})
	if d.cfg.Service.Embedded() {
		return p, connectEmbedded(ctx, d, p)
	}
	if _, err := p.Connect(d.cfg); err == nil || !process.Lasting(err) {
		return p, err
	}
	_, err = p.ConnectWithoutKey()
	return p, err
}
