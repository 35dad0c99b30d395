package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/engine"
	"github.com/locsync/locsync/sync/ledger/boltledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
	"github.com/locsync/locsync/sync/web"
)

// load finds and reads the configuration.
func (a *app) load() (*config.Config, error) { return a.find(config.Load) }

// configReader is config.Load or config.LoadForCreate.
type configReader = func(file string, options ...config.Option) (*config.Config, error)

// readConfig reads a configuration. One of another user is read where git's safe.directory accepts the folder, as git would.
func readConfig(file string) (*config.Config, error) { return readConfigBy(config.Load, file) }

func readConfigBy(read configReader, file string) (*config.Config, error) {
	cfg, err := read(file, config.Accept(func(dir string) bool { return gitops.SafeDirectory(context.Background(), dir) }))
	if err == nil {
		gitops.Withhold(config.SecretVariables(cfg)...)
	}
	return cfg, err
}

// exposedSecrets names the files of secrets that others may change or read.
func exposedSecrets(ctx context.Context, cfg *config.Config) config.Problems {
	return config.ExposedSecrets(cfg, func(file string) bool { return gitops.Tracked(ctx, file) })
}

// here is the current folder, which may be gone.
func here() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", usageError{fmt.Errorf("find the current folder: %w; change into one that is there", err)}
	}
	return dir, nil
}

// locate is the configuration file: the one that was named, or the nearest.
func (a *app) locate() (string, error) {
	if a.configFile != "" {
		return a.configFile, nil
	}
	dir, err := here()
	if err != nil {
		return "", err
	}
	file, err := config.Find(dir)
	if err != nil {
		return "", usageError{err}
	}
	return file, nil
}

func (a *app) find(read configReader) (*config.Config, error) {
	file, err := a.locate()
	if err != nil {
		return nil, err
	}
	cfg, err := readConfigBy(read, file)
	if err != nil {
		return nil, usageError{err}
	}
	for _, w := range cfg.Warnings {
		a.remark(zap.WarnLevel, "locsync: warning: %v", w)
	}
	return cfg, nil
}

// logger writes to standard error. fallback is the level where --log-level is not given.
func (a *app) logger(fallback zapcore.Level) (*zap.Logger, error) {
	level := fallback
	if a.logLevel != "" {
		var err error
		if level, err = zapcore.ParseLevel(a.logLevel); err != nil {
			return nil, err
		}
	}
	settings := zap.NewProductionEncoderConfig()
	settings.EncodeTime = zapcore.ISO8601TimeEncoder
	var encoder zapcore.Encoder
	if a.logFormat == "json" {
		encoder = zapcore.NewJSONEncoder(settings)
	} else {
		settings.EncodeLevel = zapcore.CapitalLevelEncoder
		settings.ConsoleSeparator = " "
		settings.CallerKey, settings.StacktraceKey = "", ""
		if a.journal {
			settings.TimeKey, settings.LevelKey = "", ""
		}
		encoder = zapcore.NewConsoleEncoder(settings)
	}
	if a.journal {
		encoder = prioritized{encoder}
	}
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(a.err)), level)), nil
}

// house is everything that a command works with, opened for this process alone.
type house struct {
	cfg    *config.Config
	log    *zap.Logger
	engine *engine.Engine
	client *service.Client
	store  *boltledger.Store
	dir    string // of the state
	close  []io.Closer

	meter *web.Meter // of a daemon; nil
	ahead fileReader // of secrets' files that were read ahead; nil for the files themselves

	mu        sync.Mutex        // a daemon closes the embedded service beside its other work
	connected [sha256.Size]byte // a digest of what the client was made of,
	through   http.RoundTripper // and the embedded service that it calls; nil for another one
	embedded  *inProcess        // nil while nobody needs it
	closes    bool              // Close closes it
	needed    bool              // by the configuration that was connected last, or that is in use (see leave)
}

// Close closes in the opposite order of opening.
func (h *house) Close() error {
	var errs []error
	for i := len(h.close) - 1; i >= 0; i-- {
		errs = append(errs, h.close[i].Close())
	}
	h.close = nil
	return errors.Join(errs...)
}

// closer makes a function an io.Closer.
type closer func() error

func (c closer) Close() error { return c() }

// openFor is open for one request. A dry run that would be the first to remember anything does that in a temporary folder, with an embedded service of its
// own: it changes nothing. Clones are made for good all the same; they hold nothing but what the remote has, and take long.
func (a *app) openFor(ctx context.Context, cfg *config.Config, log *zap.Logger, want web.Request, progress func(report.Doing)) (*house, error) {
	if !(want.Push.DryRun || want.Pull.DryRun) || slices.ContainsFunc(cfg.Projects, func(p config.Project) bool { return p.Cloned() }) {
		return a.open(ctx, cfg, log, progress)
	}
	if dir, err := stateDir(ctx, cfg); err != nil {
		return nil, err
	} else if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return a.open(ctx, cfg, log, progress)
	}
	dir, err := os.MkdirTemp("", "locsync-dry-run-")
	if err != nil {
		return nil, err
	}
	h := &house{cfg: cfg, log: log, dir: dir, close: []io.Closer{closer(func() error { return os.RemoveAll(dir) })}}
	if err := h.furnish(progress); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// open builds the house. A *boltledger.Locked error means that another process, most likely the daemon, has the state.
func (a *app) open(ctx context.Context, cfg *config.Config, log *zap.Logger, progress func(report.Doing)) (*house, error) {
	return a.openMetered(ctx, cfg, log, nil, progress)
}

// openMetered is open; meter, which may be nil, is told of every request to the service.
func (a *app) openMetered(ctx context.Context, cfg *config.Config, log *zap.Logger, meter *web.Meter, progress func(report.Doing)) (h *house, err error) {
	h = &house{cfg: cfg, log: log, meter: meter}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
			h = nil
		}
	}()
	if h.dir, err = stateDir(ctx, cfg); err != nil {
		return h, err
	}
	return h, h.furnish(progress)
}

// furnish opens what is kept in the house's folder, and what works with it.
func (h *house) furnish(progress func(report.Doing)) error {
	store, err := boltledger.Open(h.dir)
	if err != nil {
		return err
	}
	h.store = store
	h.close = append(h.close, store)
	if aside, why := store.Rebuilt(); why != nil {
		h.log.Warn("the state was damaged; it was moved aside and is rebuilt from the service and the branch", zap.String("moved_to", aside), zap.Error(why))
	}
	clearLeftovers(os.TempDir(), time.Now(), h.log)
	if h.client, err = h.connect(h.cfg); err != nil {
		return err
	}
	h.engine = engine.New(engine.Parts{Config: h.cfg, Service: h.client, State: store, Log: h.log, Progress: progress, Clones: clones(h.dir)})
	return nil
}

// connect makes the client of a configuration's service; the one that there is, where it would be the same. The embedded service is started when it is
// needed first, and given the projects that it lacks.
func (h *house) connect(cfg *config.Config) (*service.Client, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := service.Options{UserAgent: "locsync/" + version().Version}
	o.OnRequest = h.requested
	if h.meter != nil {
		o.OnTurn = h.meter.Turned
	}
	if cfg.Service.Embedded() {
		if err := h.startEmbedded(cfg); err != nil {
			return nil, err
		}
		o.BaseURL, o.AccountID, o.APIKey, o.Transport = embeddedURL, embeddedAccount, embeddedKey, h.embedded
	} else {
		key, err := cfg.APIKey(os.Getenv, h.readFile)
		if err != nil {
			return nil, usageError{err}
		}
		o.BaseURL, o.AccountID, o.APIKey = cfg.Service.URL, cfg.Service.AccountID, service.APIKey(key.Reveal())
		o.RequestsPerSecond, o.ShareOnHost, o.SlotDir = cfg.Service.RequestsPerSecond, true, os.Getenv("LOCSYNC_BUDGET_DIR")
		o.Warn = func(message string) { h.log.Warn(message) }
	}
	made := sha256.Sum256(fmt.Appendf(nil, "%q", []any{o.BaseURL, o.AccountID, string(o.APIKey), o.RequestsPerSecond}))
	if h.client != nil && h.connected == made && h.through == o.Transport {
		return h.client, nil
	}
	h.connected, h.through = made, o.Transport
	return h.clientWith(o)
}

// requested logs a request, and counts it where the process is a daemon.
func (h *house) requested(r service.Request) {
	h.log.Debug("request", zap.String("operation", r.Operation), zap.String("method", r.Method), zap.String("path", r.Path),
		zap.Int("status", r.Status), zap.Duration("took", r.Took))
	if h.meter != nil {
		h.meter.Requested(r.Operation, r.Status, r.Took)
	}
}

// readFile reads the file of a secret.
func (h *house) readFile(file string) ([]byte, error) {
	if h.ahead != nil {
		return h.ahead(file)
	}
	return config.ReadSecretFile(file)
}

// connectThrough makes the client of the embedded service that a daemon has open.
func (h *house) connectThrough(daemon http.RoundTripper) (*service.Client, error) {
	return h.clientWith(service.Options{
		UserAgent: "locsync/" + version().Version, BaseURL: embeddedURL, AccountID: embeddedAccount, APIKey: embeddedKey, Transport: daemon,
	})
}

func (h *house) clientWith(o service.Options) (*service.Client, error) {
	client, err := service.New(o)
	if err != nil {
		return nil, usageError{err}
	}
	h.client = client
	h.close = append(h.close, closer(func() error { client.Close(); return nil }))
	return client, nil
}

// stateDir is state_dir, else $STATE_DIRECTORY, else locsync/ inside the git directory of the first project's repository that is on this machine.
func stateDir(ctx context.Context, cfg *config.Config) (string, error) {
	if cfg.StateDir != "" {
		return cfg.Resolve(cfg.StateDir), nil
	}
	if dir := givenState(os.Getenv); dir != "" {
		return dir, nil
	}
	for _, p := range cfg.Projects {
		if p.Cloned() {
			continue
		}
		repo, err := gitops.Open(ctx, cfg.Resolve(p.Repository), gitops.Options{Trust: p.TrustOwner})
		if err != nil {
			return "", usageError{p.Blame("repository", err)}
		}
		dir := filepath.Join(repo.Facts().CommonDir, "locsync")
		return dir, repo.Close()
	}
	return "", usageError{errors.New(`state_dir must name a folder for the state and the clones: no project's repository is on this machine; for example state_dir = "state"`)}
}

// givenState is the state folder that systemd gives, the first one of several; "" for none.
func givenState(getenv func(string) string) string {
	dir, _, _ := strings.Cut(getenv("STATE_DIRECTORY"), ":")
	return dir
}

// clones is the folder for clones of repositories that are elsewhere.
func clones(stateDir string) string { return filepath.Join(stateDir, "clones") }

// The embedded service has one account that nobody else can reach: it is called inside this process only.
const (
	embeddedURL     = "http://embedded.invalid"
	embeddedAccount = "embedded"
	embeddedKey     = service.APIKey("embedded")
)

// startEmbedded opens the embedded service, where it is not open, and makes the configured projects in it.
func (h *house) startEmbedded(cfg *config.Config) error {
	h.needed = true
	if h.embedded == nil {
		svc, err := local.Open(filepath.Join(h.dir, "service"), local.Options{AccountID: embeddedAccount, Keys: []string{string(embeddedKey)}, Pseudo: true, Trial: true, Logger: h.log.Named("service")})
		if err != nil {
			return fmt.Errorf("start the embedded service: %w", err)
		}
		h.embedded = serveInProcess(svc)
		if !h.closes {
			h.closes, h.close = true, append(h.close, closer(h.closeEmbedded))
		}
	}
	for _, p := range cfg.Projects {
		if err := h.embedded.service.EnsureProject(p.ID, p.Name, p.SourceLanguage, p.TargetLanguages); err != nil {
			return fmt.Errorf("make project %q in the embedded service: %w", p.Name, err)
		}
	}
	return nil
}

// closeEmbedded closes the embedded service, where it is open.
func (h *house) closeEmbedded() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.shutEmbedded()
}

// shutEmbedded is closeEmbedded of who has the lock. Who needs the service again gets a new one, and a new client.
func (h *house) shutEmbedded() error {
	p := h.embedded
	if p == nil {
		return nil
	}
	if p.offered != nil {
		p.offered()
	}
	h.embedded = nil
	return p.Close()
}

// usingEmbedded is for the engine of a configuration (see engine.Parts.Using); nil where that has another service.
func (h *house) usingEmbedded(cfg *config.Config) func() (done func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !cfg.Service.Embedded() || h.embedded == nil {
		return nil
	}
	return h.embedded.use
}

// leave is told which configuration is in use. It returns the embedded service where that does not need it any more, to one who closes it then.
func (h *house) leave(cfg *config.Config) *inProcess {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.needed = cfg.Service.Embedded()
	if h.needed || h.embedded == nil || h.embedded.leaving {
		return nil
	}
	h.embedded.leaving = true
	return h.embedded
}

// closeLeft closes an embedded service that was left, where nobody uses it any more, or finds that it is needed again. It reports whether one of them is so.
func (h *house) closeLeft(p *inProcess) (done bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.needed:
		p.leaving = false
		return true, nil
	case p.users.Load() > 0:
		return false, nil
	}
	return true, h.shutEmbedded()
}
