// Package daemon is the process that runs until it is told to end: its address, the socket for commands, signals,
// systemd (readiness, watchdog, journal), claims of projects, reloads of the configuration. Its law: a configuration is
// taken whole or not at all, and an end takes at most ten seconds and loses nothing. What a pass does, and when, is the
// engine's.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/web"
)

// The daemon ends within ten seconds of being told to: first its work, which is interrupted where it waits and stored
// as far as it is, then what others ask of it.
const (
	workPatience  = 7 * time.Second
	servePatience = time.Second

	// MostToEnd is how long the end may take in all.
	MostToEnd = workPatience + 2*servePatience
)

// running is the daemon while it runs. Only the goroutine that reads signals changes it; others read engine and
// reloads.
type running struct {
	o        process.Options
	ctx      context.Context // until the daemon is told to end
	cfg      *config.Config
	process  *process.Process
	address  *address
	claims   *claims
	engine   atomic.Pointer[engine.Engine]
	next     chan *engine.Engine // to the loops
	reloads  reloads
	pages    pages
	beats    *heartbeat.Set // of everything that has to move
	manager  *manager
	servers  servers
	notifier *notifier
}

// pages are what outlasts a reading of the configuration, of what the address serves, and what does not.
type pages struct {
	sessions *web.Sessions
	ending   func() // ends the streams
}

// reloads are the readings of the configuration after the first.
type reloads struct {
	last    atomic.Pointer[web.Reload]
	reading chan struct{} // closed when the last reading of the files has ended; nil before the first
	inUse   atomic.Pointer[secrets]
	asked   chan chan<- error
}

// servers are the goroutines that serve commands, and how long they do.
type servers struct {
	sync.WaitGroup
	until context.Context
}

// Run is the daemon: it starts, reads its configuration again when it is told to, and ends with ctx. An error means
// that it did not begin, or that its end was not in order.
func Run(ctx context.Context, cfg *config.Config, o process.Options) error {
	debug.SetTraceback("crash") // else a panic, and systemd's watchdog, would end it with 2, and it is not started again
	o.Patient = false           // what fails is made again by the schedule
	hup := make(chan os.Signal, 1)
	notifyReload(hup)
	defer signal.Stop(hup)
	if err := stateAnswers(ctx, cfg, startPatience); err != nil {
		return orEnded(ctx, err)
	}
	o.Meter = web.NewMeter()
	p, err := openWithPatience(ctx, cfg, o)
	if err != nil {
		return orEnded(ctx, err)
	}
	d := &running{o: o, ctx: ctx, process: p, claims: newClaims(o.Log, p.Dir), next: make(chan *engine.Engine),
		beats: heartbeat.New(HangsAfter), pages: pages{web.NewSessions(), func() {}}}
	p.TranslatedBy(d.translated)
	d.notifier = &notifier{log: o.Log, store: p.Store, engine: d.engine.Load}
	d.manager = newManager(o.Log, d.beats, d.doing, func() <-chan struct{} { return d.engine.Load().Changed() })
	d.address = &address{log: o.Log, changed: d.manager.ring}
	d.reloads.last.Store(&web.Reload{OK: true, At: time.Now()})
	d.reloads.asked = make(chan chan<- error)
	ready, err := d.prepare(ctx, cfg)
	if err != nil {
		d.claims.release(ctx, nil)
		return orEnded(ctx, errors.Join(err, p.Close()))
	}
	d.take(ready)
	return d.live(hup)
}

// translated tells the engine that a person has changed a text at the embedded service.
func (d *running) translated(project string, complete bool) {
	if e := d.engine.Load(); e != nil {
		e.Saved(func(id string) bool { return strings.EqualFold(id, project) }, complete)
	}
}

// orEnded drops err if ctx is already done.
func orEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// live works until ctx ends. Work stops before serving does, so that a status can be had to the end.
func (d *running) live(hup <-chan os.Signal) error {
	work, stopWork := context.WithCancel(d.ctx)
	defer stopWork()
	serving, stopServing := context.WithCancel(context.WithoutCancel(d.ctx))
	defer stopServing()
	d.servers.until = serving
	d.keep("the address for commands", func() {
		commands := web.Control{Dir: d.process.Dir, Engine: d.engine.Load, Patience: servePatience, Beats: d.beats,
			Reload: d.askReload}
		if err := commands.Serve(serving, work); err != nil {
			d.o.Log.Error("commands cannot ask this daemon", zap.Error(err))
		}
	})
	d.offerService()
	done := make(chan error, 1)
	go func() {
		defer close(done)
		fault.Keep(work, "the work of all projects", func() { done <- d.work(work) })
	}()
	d.manager.ready()
	d.keep("the service manager", func() { d.manager.run(d.ctx) })
	d.keep("messages to people", func() { d.notifier.run(d.ctx) })
	d.keep("the account's balance", func() { watchBalance(d.ctx, d.o.Log, d.engine.Load) })
	d.keep("the counts of stale translations", func() { countStale(d.ctx, d.o.Log, d.engine.Load) })
	rotated := make(chan rotation)
	d.keep("the watch over secrets", func() { watchSecrets(d.ctx, d.reloads.inUse.Load, rotated) })
	file := d.cfg.File                                                // which a reload exchanges
	go fault.Keep(d.ctx, "the watch over the configuration", func() { // it may hang with its mount
		d.watchConfiguration(d.ctx, file)
	})
	d.keep("memory at rest", func() {
		atRest(d.ctx, func() <-chan struct{} { return d.engine.Load().Changed() },
			func() bool { return d.engine.Load().Doing("") != (report.Doing{}) }, debug.FreeOSMemory)
	})
	d.o.Log.Info("running", zap.String("configuration", d.cfg.File), zap.Int("projects", len(d.cfg.Projects)),
		zap.String("listen", d.address.where()), zap.String("version", d.o.Version))
	d.tellEmpty()
	for d.ctx.Err() == nil {
		select {
		case <-d.ctx.Done():
		case <-hup:
			_ = d.reloaded() // which is logged
		case answer := <-d.reloads.asked:
			answer <- d.reloaded()
		case r := <-rotated:
			d.rotated(r)
		}
	}
	d.o.Log.Info("ending")
	d.manager.stopping()
	stopWork()
	var err error
	select {
	case err = <-done:
	case <-time.After(workPatience):
		d.o.Log.Warn("work did not end in time; what it began is taken up at the next start")
	}
	d.keep("the release of claims", func() { d.claims.release(d.ctx, nil) })
	stopServing()
	d.pages.ending()
	d.address.close()
	d.servers.Wait()
	closed, ok := heartbeat.Within(context.WithoutCancel(d.ctx), servePatience+servePatience/2, d.process.Close)
	if !ok {
		d.o.Log.Warn("what is open could not be closed in time; it ends with the process")
	}
	return errors.Join(err, closed)
}

// keep runs a part of the daemon on a goroutine that its end waits for.
func (d *running) keep(part string, run func()) {
	d.servers.Go(func() { fault.Keep(d.ctx, part, run) })
}

// reloaded and rotated are reload and rotate, whose faults end nothing.
func (d *running) reloaded() (err error) {
	defer fault.Catch("the reload of the configuration", &err)
	return d.reload()
}

func (d *running) rotated(r rotation) {
	var err error // which is logged
	defer fault.Catch("the rotation of a secret", &err)
	d.rotate(r)
}

// work makes passes until ctx ends: this process's own, or those that it gets of the cluster's.
func (d *running) work(ctx context.Context) error {
	if d.process.Cluster == nil {
		return d.engine.Load().RunReloading(ctx, d.next)
	}
	shared := make(chan error, 1)
	go func() {
		defer close(shared)
		fault.Keep(ctx, "the work of the cluster", func() { shared <- d.process.Cluster.Run(ctx, d.engine.Load) })
	}()
	return errors.Join(d.engine.Load().RunReloading(ctx, d.next), <-shared)
}

// shareProjects has the cluster know the projects of a configuration that was read again.
func (d *running) shareProjects(ctx context.Context) {
	if d.process.Cluster == nil {
		return
	}
	if err := d.process.Cluster.Check(ctx); err != nil { // it is tried again within a minute
		d.o.Log.Warn("the cluster does not know the new configuration yet", zap.Error(err))
	}
}

// offerService lets commands call the embedded service, from when the daemon has it open until it closes it.
func (d *running) offerService() {
	d.process.OfferEmbedded(func(service http.Handler) func() {
		ctx, stop := context.WithCancel(d.servers.until)
		ended := make(chan struct{})
		d.servers.Go(func() {
			defer close(ended)
			fault.Keep(ctx, "the service for commands", func() {
				if err := web.ServeService(ctx, d.process.Dir, service); err != nil {
					d.o.Log.Error("commands cannot call this daemon's service", zap.Error(err))
				}
			})
		})
		return func() {
			stop()
			<-ended
		}
	})
}

// leaveService closes the embedded service, which the configuration in use does not need, when it is not in use any
// more: passes of the one before may be under way. Then another process may open it.
func (d *running) leaveService() {
	try := d.process.Leave(d.cfg)
	if try == nil {
		return
	}
	d.keep("the end of the embedded service", func() {
		tick := time.NewTicker(lookForUsers)
		defer tick.Stop()
		for {
			switch done, err := try(); {
			case err != nil:
				d.o.Log.Error("close the embedded service, which is not needed any more", zap.Error(err))
				return
			case done:
				return
			}
			select {
			case <-tick.C:
			case <-d.servers.until.Done():
				return
			}
		}
	})
}

// lookForUsers is how often an embedded service that is to be closed is looked at.
const lookForUsers = 100 * time.Millisecond

// doing is what the daemon does, in a line for the service manager.
func (d *running) doing() string {
	line := d.address.trouble() + summary(d.engine.Load())
	if !d.reloads.last.Load().OK {
		return "the new configuration is not used, the log says why; " + line
	}
	return line
}

// askPatience is how long another daemon may take to say that it runs.
const askPatience = 3 * time.Second

// startPatience is how long a daemon waits for the folder of the state to answer, and for a command, or for a daemon
// that is just ending, to let go of it.
const startPatience = 30 * time.Second

// stateAnswers returns an error where the state is to lie in a repository, or a folder, that does not answer. Nothing
// can be begun without it, so that the daemon ends, with 1, and says why; the service manager starts it again until the
// repository answers.
func stateAnswers(ctx context.Context, cfg *config.Config, patience time.Duration) error {
	_, ok := heartbeat.Within(ctx, patience, func() error { // an error is met again when it is opened
		dir, err := process.StateDir(ctx, cfg)
		if err == nil {
			_, err = os.Stat(dir)
		}
		return err
	})
	if ok {
		return nil
	}
	return errors.New("the folder of the state, or the repository whose git directory has it, does not answer: the disk " +
		"or mount that it is on hangs; state_dir can name a folder elsewhere, so that the other projects need " +
		"not wait for it")
}

// openWithPatience opens what the daemon works with. A daemon that has the state already is told of at once.
func openWithPatience(ctx context.Context, cfg *config.Config, o process.Options) (*process.Process, error) {
	for end := time.Now().Add(startPatience); ; {
		p, err := process.Open(ctx, cfg, o)
		var locked *boltledger.Locked
		if !errors.As(err, &locked) || time.Now().After(end) {
			return p, err
		}
		asked, cancel := context.WithTimeout(ctx, askPatience)
		_, aerr := web.Ask(asked, locked.Dir, web.Request{Action: "status"}, nil)
		cancel()
		if aerr == nil {
			return nil, fmt.Errorf("a daemon is running already: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
