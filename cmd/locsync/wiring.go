package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/engine"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
	"github.com/locsync/locsync/sync/state"
)

// load finds and reads the configuration. With --json what is wrong with it is a document on standard output, whatever the command.
func (a *app) load() (*config.Config, error) {
	cfg, err := a.find()
	if err != nil && a.asJSON {
		if failed := a.sayWrong(err); failed != nil {
			return nil, failed
		}
	}
	return cfg, err
}

func (a *app) find() (*config.Config, error) {
	file := a.configFile
	if file == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("find the configuration: %w", err)
		}
		if file, err = config.Find(dir); err != nil {
			return nil, usageError{err}
		}
	}
	cfg, err := config.Load(file)
	if err != nil {
		return nil, usageError{err}
	}
	for _, w := range cfg.Warnings {
		fmt.Fprintln(a.err, "locsync: warning:", w)
	}
	return cfg, nil
}

// logger writes to standard error. fallback is the level where --log-level is not given.
func (a *app) logger(fallback zapcore.Level) (*zap.Logger, error) {
	level := fallback
	if a.logLevel != "" {
		parsed, err := zapcore.ParseLevel(a.logLevel)
		if err != nil || parsed > zapcore.ErrorLevel {
			return nil, usageError{fmt.Errorf("--log-level %q: use debug, info, warn or error", a.logLevel)}
		}
		level = parsed
	}
	settings := zap.NewProductionEncoderConfig()
	settings.EncodeTime = zapcore.ISO8601TimeEncoder
	var encoder zapcore.Encoder
	switch a.logFormat {
	case "json":
		encoder = zapcore.NewJSONEncoder(settings)
	case "console":
		settings.EncodeLevel = zapcore.CapitalLevelEncoder
		settings.ConsoleSeparator = " "
		settings.CallerKey, settings.StacktraceKey = "", ""
		encoder = zapcore.NewConsoleEncoder(settings)
	default:
		return nil, usageError{fmt.Errorf("--log-format %q: use console or json", a.logFormat)}
	}
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(a.err)), level)), nil
}

// house is everything that a command works with, opened for this process alone.
type house struct {
	cfg    *config.Config
	log    *zap.Logger
	engine *engine.Engine
	client *service.Client
	dir    string // of the state
	close  []io.Closer
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

// open builds the house. A *state.Locked error means that another process, most likely the daemon, has the state.
func (a *app) open(ctx context.Context, cfg *config.Config, log *zap.Logger, progress func(project, what string)) (h *house, err error) {
	h = &house{cfg: cfg, log: log}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
			h = nil
		}
	}()
	if h.dir, err = stateDir(ctx, cfg); err != nil {
		return h, err
	}
	store, err := state.Open(h.dir)
	if err != nil {
		return h, err
	}
	h.close = append(h.close, store)
	if aside, why := store.Rebuilt(); why != nil {
		log.Warn("the state was damaged; it was moved aside and is rebuilt from the service and the branch", zap.String("moved_to", aside), zap.Error(why))
	}
	if err = h.connect(); err != nil {
		return h, err
	}
	h.engine = engine.New(engine.Parts{Config: cfg, Service: h.client, State: store, Log: log, Progress: progress})
	return h, nil
}

// connect makes the client of the configured service; the embedded one is started for it.
func (h *house) connect() error {
	o := service.Options{UserAgent: "locsync/" + version().Version}
	if h.cfg.Service.Embedded() {
		transport, stop, err := startEmbedded(h.cfg, filepath.Join(h.dir, "service"), h.log)
		if err != nil {
			return err
		}
		h.close = append(h.close, stop)
		o.BaseURL, o.AccountID, o.APIKey, o.Transport = embeddedURL, embeddedAccount, embeddedKey, transport
	} else {
		key, err := h.cfg.APIKey(os.Getenv, os.ReadFile)
		if err != nil {
			return usageError{err}
		}
		o.BaseURL, o.AccountID, o.APIKey = h.cfg.Service.URL, h.cfg.Service.AccountID, service.APIKey(key.Reveal())
		o.RequestsPerSecond, o.ShareOnHost, o.SlotDir = h.cfg.Service.RequestsPerSecond, true, os.Getenv("LOCSYNC_BUDGET_DIR")
		o.Warn = func(message string) { h.log.Warn(message) }
	}
	client, err := service.New(o)
	if err != nil {
		return usageError{err}
	}
	h.client = client
	h.close = append(h.close, closer(func() error { client.Close(); return nil }))
	return nil
}

// stateDir is state_dir, else $STATE_DIRECTORY, else locsync/ inside the git directory of the first project's repository.
func stateDir(ctx context.Context, cfg *config.Config) (string, error) {
	if cfg.StateDir != "" {
		return cfg.Resolve(cfg.StateDir), nil
	}
	if dirs := os.Getenv("STATE_DIRECTORY"); dirs != "" {
		return strings.SplitN(dirs, ":", 2)[0], nil
	}
	repo, err := gitops.Open(ctx, cfg.Resolve(cfg.Projects[0].Repository), gitops.Options{})
	if err != nil {
		return "", usageError{fmt.Errorf("find the repository of project %q: %w", cfg.Projects[0].Name, err)}
	}
	dir := filepath.Join(repo.Facts().CommonDir, "locsync")
	return dir, repo.Close()
}

// The embedded service has one account that nobody else can reach: it is called inside this process only.
const (
	embeddedURL     = "http://embedded.invalid"
	embeddedAccount = "embedded"
	embeddedKey     = service.APIKey("embedded")
)

// startEmbedded opens the embedded service and makes the configured projects in it.
func startEmbedded(cfg *config.Config, dir string, log *zap.Logger) (*inProcess, io.Closer, error) {
	svc, err := local.Open(dir, local.Options{AccountID: embeddedAccount, Keys: []string{string(embeddedKey)}, Pseudo: true, Logger: log.Named("service")})
	if err != nil {
		return nil, nil, fmt.Errorf("start the embedded service: %w", err)
	}
	for _, p := range cfg.Projects {
		if err := svc.EnsureProject(p.ID, p.Name, p.SourceLanguage, p.TargetLanguages); err != nil {
			return nil, nil, errors.Join(fmt.Errorf("make project %q in the embedded service: %w", p.Name, err), svc.Close())
		}
	}
	transport := serveInProcess(svc)
	return transport, closer(func() error { return errors.Join(transport.Close(), svc.Close()) }), nil
}
