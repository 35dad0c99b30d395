package daemon

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/secret"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/notify"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/web"
)

// reload reads the configuration again. It is taken whole, or not at all: everything that can fail is tried before
// anything is exchanged.
func (d *running) reload() error {
	d.manager.reloading()
	beat := d.beats.Begin("reading the configuration again")
	err := d.reconfigure(heartbeat.With(d.ctx, beat))
	beat.End()
	if d.ctx.Err() != nil {
		return d.ctx.Err() // it was given up because the daemon ends
	}
	if err == nil {
		d.reloads.last.Store(&web.Reload{OK: true, At: time.Now()})
	} else {
		d.reloads.last.Store(&web.Reload{At: d.reloads.last.Load().At})
	}
	d.engine.Load().Reloaded(err)
	if err != nil {
		d.o.Log.Error("the new configuration is not used; the old one stays", zap.Error(err))
	}
	d.manager.ready()
	return err
}

// askReload has the configuration read again, and returns what came of it.
func (d *running) askReload(ctx context.Context) error {
	answer := make(chan error, 1)
	select {
	case d.reloads.asked <- answer:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

const (
	// lookAtFiles is how often it is seen whether files of the configuration were changed.
	lookAtFiles = 15 * time.Second
	// lookShare times what a check took is the pause before the next one, up to lookLatest: thousands of files
	// cost little, too.
	lookShare  = 2000
	lookLatest = time.Minute
	// settled is how long they must be as they are before they are read: an editor, or a checkout, may be at work.
	settled = 2 * time.Second
)

// watchConfiguration has the configuration read again after its files were changed.
func (d *running) watchConfiguration(ctx context.Context, file string) {
	watched := config.Watch(file)
	for pause := lookAtFiles; wait(ctx, pause); {
		began := time.Now()
		changed := watched.Changed()
		pause = max(lookAtFiles, min(lookShare*time.Since(began), lookLatest))
		if !changed {
			continue
		}
		for wait(ctx, settled) && watched.Changed() {
		}
		d.o.Log.Info("the configuration was changed", zap.String("configuration", file))
		_ = d.askReload(ctx) // which is logged
	}
}

// wait waits, and reports false where ctx ends before.
func wait(ctx context.Context, patience time.Duration) bool {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (d *running) reconfigure(ctx context.Context) error {
	cfg, dir, files, err := d.readAgain(ctx)
	if err != nil {
		return err
	}
	for _, w := range cfg.Warnings {
		d.o.Log.Warn("in the configuration", zap.String("warning", w.Error()))
	}
	if dir != d.process.Dir {
		return fmt.Errorf("the state would be in %s instead of %s; set state_dir = %q to keep it where it is, or restart "+
			"the daemon to begin with another", dir, d.process.Dir, d.process.Dir)
	}
	if err := d.exchange(ctx, cfg, files); err != nil {
		return err
	}
	d.o.Log.Info("the configuration was read again", zap.Int("projects", len(cfg.Projects)),
		zap.String("listen", d.address.where()))
	d.tellEmpty()
	return nil
}

// tellEmpty tells where there is nothing to do yet.
func (d *running) tellEmpty() {
	if len(d.cfg.Projects) == 0 {
		d.o.Log.Warn(report.NoProject, zap.String("configuration", d.cfg.File))
	}
}

// exchange works with a configuration from now on, or, with an error, goes on with the one before.
func (d *running) exchange(ctx context.Context, cfg *config.Config, files fileReader) error {
	d.process.ReadFile = files
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
	d.shareProjects(ctx)
	return nil
}

// readAgain reads the configuration again, where it would have the state, and the files of its secrets, which it
// returns a reader of. All of them may lie on a mount that does not answer.
func (d *running) readAgain(ctx context.Context) (*config.Config, string, fileReader, error) {
	hangs := fmt.Errorf("%s, a file that it has a secret in, or the repository that has the state, does not answer: "+
		"the disk or mount that it is on hangs; try again when it answers", d.cfg.File)
	if d.reloads.reading != nil {
		select {
		case <-d.reloads.reading:
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
	d.reloads.reading = done
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

// fileReader is secret.ReadFile, or what has read before.
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
			c.data, c.err = secret.ReadFile(file)
			read[file] = c
		}
		return c.data, c.err
	}
	for _, find := range secretsOf(cfg) {
		_, _ = find(os.Getenv, once) // an error is reported when the secret is used
	}
	return once
}

// secretsOf are what finds each secret of a configuration, but for one that only the keyring has.
func secretsOf(cfg *config.Config) []func(func(string) string, fileReader) (secret.Value, error) {
	all := []func(func(string) string, fileReader) (secret.Value, error){cfg.APIKey, cfg.WebhookSecret,
		cfg.CallbackSecret, cfg.PageToken, cfg.NotifyURL}
	if cfg.Clustered() {
		all = append(all, cfg.DatabaseURL)
	}
	return all
}

// prepared is everything that a configuration needs to be worked with.
type prepared struct {
	cfg    *config.Config
	engine *engine.Engine
	serve  func() // puts its handler behind its address; cannot fail
	ending func() // ends the handler's streams

	receiver  *notify.Receiver // of messages for people; nil for none
	readdress func()           // the cluster's database, whose password may be another one
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
	readdress, err := d.process.Readdress(cfg)
	if err != nil {
		return prepared{}, err
	}
	parts := d.process.Shared(engine.Parts{Config: cfg, Service: client, State: d.process.Store, Log: d.o.Log,
		Meter: engine.Meter{Passed: d.o.Meter.Passed, GitDone: d.o.Meter.GitDone}, Clones: process.Clones(d.process.Dir),
		Beats: d.beats, Claim: func(ctx context.Context, p *config.Project, commonDir string) error {
			return d.claims.claim(ctx, cfg, p, process.ClaimIn(commonDir, cfg, p))
		}, Using: d.process.UsingEmbedded(cfg)})
	next := engine.New(parts)
	if before := d.engine.Load(); before != nil {
		next = before.Reconfigured(parts)
	}
	options, err := d.serving(cfg, next)
	if err != nil {
		return prepared{}, err
	}
	receiver, err := notify.Open(cfg, d.process.ReadFile, d.o.Log.Named("notify"))
	if err != nil {
		return prepared{}, wrongUse(err)
	}
	opened, err := d.address.open(cfg.Daemon.Listen)
	if err != nil {
		return prepared{}, err
	}
	ends := make(chan struct{})
	options.Ends = ends
	return prepared{cfg: cfg, engine: next, serve: func() { d.address.serve(opened, web.New(options)) },
		ending: sync.OnceFunc(func() { close(ends) }), receiver: receiver, readdress: readdress}, nil
}

// take exchanges what was prepared for what there was.
func (d *running) take(p prepared) {
	d.cfg = p.cfg
	bound.LimitMemory(len(p.cfg.Projects))
	p.readdress()
	d.reloads.inUse.Store(&secrets{p.cfg, digestOf(p.cfg, d.process.ReadFile)})
	d.engine.Store(p.engine)
	d.notifier.receiver.Store(p.receiver)
	before := d.pages.ending
	d.pages.ending = p.ending
	before() // browsers come back to the new one; else an address that is closed would wait for them
	p.serve()
	d.process.PageAt(pageAddress(p.cfg.Daemon.PublicURL, d.address.where()))
}

// pageAddress is where people reach the daemon's address: by the public one, where that is configured.
func pageAddress(public, listen string) string {
	if public != "" || listen == "" {
		return public
	}
	return "http://" + listen
}

// serving is what the daemon's address serves.
func (d *running) serving(cfg *config.Config, e *engine.Engine) (web.Options, error) {
	webhook, err := cfg.WebhookSecret(os.Getenv, d.process.ReadFile)
	if err != nil {
		return web.Options{}, wrongUse(err)
	}
	callback, err := cfg.CallbackSecret(os.Getenv, d.process.ReadFile)
	if err != nil {
		return web.Options{}, wrongUse(err)
	}
	page, err := cfg.PageToken(os.Getenv, d.process.ReadFile)
	if err != nil {
		return web.Options{}, wrongUse(err)
	}
	proxies, err := bound.Proxies(cfg.Daemon.TrustedProxies)
	if err != nil {
		return web.Options{}, wrongUse(err)
	}
	return web.Options{
		Engine: e, Log: d.o.Log.Named("web"), Version: d.o.Version, Meter: d.o.Meter, Beats: d.beats,
		Reloaded:      func() web.Reload { return *d.reloads.last.Load() },
		WebhookSecret: webhook.Reveal(),
		Callback:      web.Header{Name: cfg.Daemon.CallbackHeader, Value: callback.Reveal()},
		PublicURL:     cfg.Daemon.PublicURL, Listen: cfg.Daemon.Listen, Proxies: proxies,
		PageToken: page.Reveal(), Sessions: d.pages.sessions, Translate: d.translationPage(cfg),
	}, nil
}

// translationPage is where people translate, where the service is the embedded one.
func (d *running) translationPage(cfg *config.Config) http.Handler {
	if !cfg.Service.Embedded() {
		return nil
	}
	return d.process.TranslationPage()
}
