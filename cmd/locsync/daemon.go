package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/engine"
	"github.com/locsync/locsync/sync/heartbeat"
	"github.com/locsync/locsync/sync/ledger/boltledger"
	"github.com/locsync/locsync/sync/process"
	"github.com/locsync/locsync/sync/web"
)

// The daemon ends within ten seconds of being told to: first its work, which is given up where it waits and stored
// where it stands, then what others ask of it.
const (
	workPatience  = 7 * time.Second
	servePatience = time.Second
)

// running is the daemon while it runs. Only the goroutine that reads signals changes it; others read engine and
// reloaded.
type running struct {
	*app
	ctx      context.Context // until the daemon is told to end
	log      *zap.Logger
	cfg      *config.Config
	process  *process.Process
	door     *door
	claims   *claims
	engine   atomic.Pointer[engine.Engine]
	next     chan *engine.Engine // to the loops
	reloaded atomic.Pointer[web.Reload]
	reading  chan struct{} // of the last reading of the configuration, closed when that has ended; nil before the first
	meter    *web.Meter
	sessions *web.Sessions
	ending   func()         // ends the streams of what the door serves
	hearts   *heartbeat.Set // of everything that has to move
	manager  *manager

	served  context.Context // until nobody is served any more
	control sync.WaitGroup  // who serves commands
}

// run is the daemon: it starts, reads its configuration again when it is told to, and ends with ctx.
func (a *app) run(ctx context.Context, cfg *config.Config, log *zap.Logger) error {
	// else a panic, and systemd's watchdog, would end it with 2, after which nobody starts it again
	debug.SetTraceback("crash")
	hup := make(chan os.Signal, 1)
	notifyReload(hup)
	defer signal.Stop(hup)
	if err := stateAnswers(ctx, cfg, startPatience); err != nil {
		return orEnded(ctx, err)
	}
	meter := web.NewMeter()
	p, err := a.openWithPatience(ctx, cfg, log, meter)
	if err != nil {
		return orEnded(ctx, err)
	}
	hearts := heartbeat.New(hangsAfter)
	d := &running{app: a, ctx: ctx, log: log, process: p, claims: newClaims(log, p.Dir), next: make(chan *engine.Engine),
		meter: meter, hearts: hearts,
		sessions: web.NewSessions(), ending: func() {}}
	d.manager = newManager(log, hearts, d.doing, func() <-chan struct{} { return d.engine.Load().Changed() })
	d.door = &door{log: log, changed: d.manager.ring}
	d.reloaded.Store(&web.Reload{OK: true, At: time.Now()})
	ready, err := d.prepare(ctx, cfg)
	if err != nil {
		d.claims.release(ctx, nil)
		return orEnded(ctx, errors.Join(err, p.Close()))
	}
	d.take(ready)
	return d.live(hup)
}

// orEnded: a daemon that is told to end before it began has nothing to complain of.
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
	d.served = serving
	d.control.Go(func() {
		commands := web.Control{Dir: d.process.Dir, Engine: d.engine.Load, Patience: servePatience, Hearts: d.hearts}
		if err := commands.Serve(serving, work); err != nil {
			d.log.Error("commands cannot ask this daemon", zap.Error(err))
		}
	})
	d.offerService()
	done := make(chan error, 1)
	go func() { done <- d.engine.Load().RunReloading(work, d.next) }()
	d.manager.ready()
	d.control.Go(func() { d.manager.run(d.ctx) })
	d.log.Info("running", zap.String("configuration", d.cfg.File), zap.Int("projects", len(d.cfg.Projects)),
		zap.String("listen", d.door.where()), zap.String("version", version().Version))
	for d.ctx.Err() == nil {
		select {
		case <-d.ctx.Done():
		case <-hup:
			d.reload()
		}
	}
	d.log.Info("ending")
	d.manager.stopping()
	stopWork()
	var err error
	select {
	case err = <-done:
	case <-time.After(workPatience):
		d.log.Warn("work did not end in time; what it began is taken up at the next start")
	}
	d.control.Go(func() { d.claims.release(d.ctx, nil) })
	stopServing()
	d.ending()
	d.door.close()
	d.control.Wait()
	closed, ok := heartbeat.Within(context.WithoutCancel(d.ctx), servePatience+servePatience/2, d.process.Close)
	if !ok {
		d.log.Warn("what is open could not be closed in time; it ends with the process")
	}
	return errors.Join(err, closed)
}

// offerService lets commands call the embedded service, from when the daemon has it open until it closes it.
func (d *running) offerService() {
	d.process.OfferEmbedded(func(service http.Handler) func() {
		ctx, stop := context.WithCancel(d.served)
		ended := make(chan struct{})
		d.control.Go(func() {
			defer close(ended)
			if err := web.ServeService(ctx, d.process.Dir, service); err != nil {
				d.log.Error("commands cannot call this daemon's service", zap.Error(err))
			}
		})
		return func() {
			stop()
			<-ended
		}
	})
}

// leaveService closes the embedded service, which the configuration in use does not need, when nobody uses it any more:
// passes of the one before may be under way. Then another process may open it.
func (d *running) leaveService() {
	try := d.process.Leave(d.cfg)
	if try == nil {
		return
	}
	d.control.Go(func() {
		tick := time.NewTicker(lookForUsers)
		defer tick.Stop()
		for {
			switch done, err := try(); {
			case err != nil:
				d.log.Error("close the embedded service, which is not needed any more", zap.Error(err))
				return
			case done:
				return
			}
			select {
			case <-tick.C:
			case <-d.served.Done():
				return
			}
		}
	})
}

// lookForUsers is how often an embedded service that is to be closed is looked at.
const lookForUsers = 100 * time.Millisecond

// doing is what the daemon does, in a line for the service manager.
func (d *running) doing() string {
	line := d.door.trouble() + inALine(d.engine.Load())
	if !d.reloaded.Load().OK {
		return "the new configuration is not used, the log says why; " + line
	}
	return line
}

// reload reads the configuration again. It is taken whole, or not at all: everything that can fail is tried before
// anything is exchanged.
func (d *running) reload() {
	d.manager.reloading()
	heart := d.hearts.Begin("reading the configuration again")
	err := d.reconfigure(heartbeat.With(d.ctx, heart))
	heart.End()
	if d.ctx.Err() != nil {
		return // it was given up because the daemon ends
	}
	if err == nil {
		d.reloaded.Store(&web.Reload{OK: true, At: time.Now()})
	} else {
		d.reloaded.Store(&web.Reload{At: d.reloaded.Load().At})
	}
	d.engine.Load().Reloaded(err)
	if err != nil {
		d.log.Error("the new configuration is not used; the old one stays", zap.Error(err))
	}
	d.manager.ready()
}

func (d *running) reconfigure(ctx context.Context) error {
	cfg, dir, files, err := d.readAgain(ctx)
	if err != nil {
		return err
	}
	d.process.ReadFile = files
	for _, w := range cfg.Warnings {
		d.log.Warn("in the configuration", zap.String("warning", w.Error()))
	}
	if dir != d.process.Dir {
		return fmt.Errorf("the state would lie in %s instead of %s; set state_dir = %q to keep it where it is, or restart "+
			"the daemon to begin with another", dir, d.process.Dir, d.process.Dir)
	}
	ready, err := d.prepare(ctx, cfg)
	if err != nil {
		d.claims.release(ctx, d.cfg)
		d.leaveService()
		return err
	}
	d.take(ready)
	d.offerService()
	d.claims.release(ctx, cfg)
	select {
	case d.next <- ready.engine:
	case <-d.ctx.Done():
	}
	d.leaveService() // the loops of the engine before have been told to end
	d.log.Info("the configuration was read again", zap.Int("projects", len(cfg.Projects)),
		zap.String("listen", d.door.where()))
	return nil
}

// readAgain reads the configuration again, where it would have the state, and the files of its secrets, which it
// returns a reader of. All of them may lie on a mount that does not answer.
func (d *running) readAgain(ctx context.Context) (*config.Config, string, fileReader, error) {
	hangs := fmt.Errorf("%s, a file that it has a secret in, or the repository that the state lies in, does not answer: "+
		"the disk or mount that it lies on hangs; try again when it answers", d.cfg.File)
	if d.reading != nil {
		select {
		case <-d.reading:
		default:
			return nil, "", nil, hangs // one that hangs is enough
		}
	}
	type read struct {
		cfg   *config.Config
		dir   string
		files fileReader
		err   error
	}
	file, done := d.cfg.File, make(chan struct{})
	d.reading = done
	r, ok := heartbeat.Within(ctx, openPatience, func() (r read) {
		defer close(done)
		if r.cfg, r.err = process.ReadConfig(file); r.err == nil {
			r.dir, r.err = process.StateDir(ctx, r.cfg)
			r.files = readAhead(r.cfg)
		}
		return r
	})
	if !ok {
		return nil, "", nil, hangs
	}
	return r.cfg, r.dir, r.files, r.err
}

// fileReader is config.ReadSecretFile, or what has read before.
type fileReader = func(string) ([]byte, error)

// readAhead reads the files of a configuration's secrets, and returns what reads them without their disk.
func readAhead(cfg *config.Config) fileReader {
	type content struct {
		data []byte
		err  error
	}
	read := make(map[string]content)
	once := func(file string) ([]byte, error) {
		c, there := read[file]
		if !there {
			c.data, c.err = config.ReadSecretFile(file)
			read[file] = c
		}
		return c.data, c.err
	}
	for _, secret := range []func(func(string) string, fileReader) (config.Secret, error){cfg.APIKey, cfg.WebhookSecret,
		cfg.CallbackSecret, cfg.PageToken} {
		_, _ = secret(os.Getenv, once) // what is wrong with one is told when it is used
	}
	return once
}

// prepared is everything that a configuration needs to be worked with.
type prepared struct {
	cfg    *config.Config
	engine *engine.Engine
	door   func() // puts its handler behind its address; cannot fail
	ending func() // ends the handler's streams
}

// prepare makes it. Nothing that the daemon does now is disturbed by it.
func (d *running) prepare(ctx context.Context, cfg *config.Config) (prepared, error) {
	if err := d.claims.take(ctx, cfg); err != nil {
		return prepared{}, err
	}
	client, err := d.process.Connect(cfg)
	if err != nil {
		return prepared{}, err
	}
	parts := engine.Parts{Config: cfg, Service: client, State: d.process.Store, Log: d.log, Passed: d.meter.Passed,
		GitDone: d.meter.GitDone, Clones: process.Clones(d.process.Dir),
		Hearts: d.hearts, Claim: func(ctx context.Context, p *config.Project, commonDir string) error {
			return d.claims.claim(ctx, cfg, p, process.ClaimIn(commonDir, cfg, p))
		}, Using: d.process.UsingEmbedded(cfg)}
	next := engine.New(parts)
	if before := d.engine.Load(); before != nil {
		next = before.Reconfigured(parts)
	}
	options, err := d.serving(cfg, next)
	if err != nil {
		return prepared{}, err
	}
	opened, err := d.door.open(cfg.Daemon.Listen)
	if err != nil {
		return prepared{}, err
	}
	ends := make(chan struct{})
	options.Ends = ends
	return prepared{cfg, next, func() { d.door.serve(opened, web.New(options)) }, sync.OnceFunc(func() {
		close(ends)
	})}, nil
}

// take exchanges what was prepared for what there was.
func (d *running) take(p prepared) {
	d.cfg = p.cfg
	d.engine.Store(p.engine)
	before := d.ending
	d.ending = p.ending
	before() // browsers come back to the new one; else an address that is given up would wait for them
	p.door()
}

// serving is what the daemon's address serves.
func (d *running) serving(cfg *config.Config, e *engine.Engine) (web.Options, error) {
	webhook, err := cfg.WebhookSecret(os.Getenv, d.process.ReadFile)
	if err != nil {
		return web.Options{}, misuse(err)
	}
	callback, err := cfg.CallbackSecret(os.Getenv, d.process.ReadFile)
	if err != nil {
		return web.Options{}, misuse(err)
	}
	page, err := cfg.PageToken(os.Getenv, d.process.ReadFile)
	if err != nil {
		return web.Options{}, misuse(err)
	}
	return web.Options{
		Engine: e, Log: d.log.Named("web"), Version: version().Version, Meter: d.meter, Hearts: d.hearts,
		Reloaded:      func() web.Reload { return *d.reloaded.Load() },
		WebhookSecret: webhook.Reveal(), CallbackHeader: cfg.Daemon.CallbackHeader, CallbackSecret: callback.Reveal(),
		PublicURL: cfg.Daemon.PublicURL, Listen: cfg.Daemon.Listen,
		PageToken: page.Reveal(), Sessions: d.sessions,
	}, nil
}

// startPatience is how long a daemon waits for the place of the state to answer, and for a command, or for a daemon
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
		"or mount that it lies on hangs; state_dir can name a folder elsewhere, so that the other projects need " +
		"not wait for it")
}

// openWithPatience opens what the daemon works with. A daemon that has the state already is told of at once.
func (a *app) openWithPatience(ctx context.Context, cfg *config.Config, log *zap.Logger,
	meter *web.Meter) (*process.Process, error) {
	for end := time.Now().Add(startPatience); ; {
		p, err := process.Open(ctx, cfg, process.Options{Version: version().Version, Log: log, Meter: meter})
		var locked *boltledger.Locked
		if !errors.As(err, &locked) || time.Now().After(end) {
			return p, err
		}
		asked, cancel := context.WithTimeout(ctx, patience)
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
