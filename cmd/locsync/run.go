package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/state"
	"github.com/locsync/locsync/sync/web"
)

func (a *app) runCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "run",
		Short:   "The daemon: watch and push, pull on schedule, serve status",
		Long:    "run watches the resource files and pushes what changes, pulls translations on schedule, and serves a status page.\nIt ends cleanly on SIGINT and SIGTERM; SIGHUP re-reads the configuration.",
		Example: "  locsync run\n  locsync run --config /etc/locsync/app.toml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			log, err := a.logger(zap.InfoLevel)
			if err != nil {
				return err
			}
			return a.run(cmd.Context(), cfg, log)
		},
	}
}

// run lives from one configuration to the next, until ctx ends.
func (a *app) run(ctx context.Context, cfg *config.Config, log *zap.Logger) error {
	hup := make(chan os.Signal, 1)
	notifyReload(hup)
	defer signal.Stop(hup)
	var previous *config.Config
	for {
		next, err := a.live(ctx, cfg, log, hup)
		var start startError
		switch {
		case errors.As(err, &start) && ctx.Err() != nil:
			return nil // ended before it began
		case errors.As(err, &start) && previous != nil:
			log.Error("the new configuration is not used; the old one stays", zap.Error(err))
			cfg, previous = previous, nil
		case err != nil || next == nil:
			return err
		default:
			cfg, previous = next, cfg
		}
	}
}

// startError is why the daemon could not begin with a configuration.
type startError struct{ error }

func (e startError) Unwrap() error { return e.error }

// live runs the daemon with one configuration. It returns the next one after a reload, nil when ctx has ended.
func (a *app) live(ctx context.Context, cfg *config.Config, log *zap.Logger, hup <-chan os.Signal) (*config.Config, error) {
	h, err := a.openWithPatience(ctx, cfg, log)
	if err != nil {
		return nil, startError{err}
	}
	work, stopWork := context.WithCancel(ctx)
	defer stopWork()
	serving, stopServing := context.WithCancel(context.WithoutCancel(ctx))
	defer stopServing()
	var servers sync.WaitGroup
	address, err := a.serveDaemon(serving, h, &servers)
	if err == nil {
		servers.Go(func() {
			if err := web.ServeControl(serving, work, h.dir, h.engine); err != nil {
				log.Error("commands cannot ask this daemon", zap.Error(err))
			}
		})
	}
	if err != nil {
		return nil, startError{errors.Join(err, h.Close())}
	}
	done := make(chan error, 1)
	go func() { done <- h.engine.Run(work) }()
	notifySystemd(log, daemon.SdNotifyReady)
	log.Info("running", zap.String("configuration", cfg.File), zap.Int("projects", len(cfg.Projects)), zap.String("listen", address), zap.String("version", version().Version))

	next := a.waitForEnd(ctx, cfg, log, hup)
	// Work stops before serving does, so that a status can be had to the end.
	if next == nil {
		notifySystemd(log, daemon.SdNotifyStopping)
	}
	stopWork()
	select {
	case err = <-done:
	case <-time.After(8 * time.Second):
		log.Warn("work did not end in time; what it began is taken up at the next start")
	}
	stopServing()
	servers.Wait()
	return next, errors.Join(err, h.Close())
}

// startPatience is how long a daemon waits for a command, or for a daemon that is just ending, to let go of the state.
const startPatience = 30 * time.Second

// openWithPatience opens the house. A daemon that has the state already is told of at once.
func (a *app) openWithPatience(ctx context.Context, cfg *config.Config, log *zap.Logger) (*house, error) {
	for end := time.Now().Add(startPatience); ; {
		h, err := a.open(ctx, cfg, log, nil)
		var locked *state.Locked
		if !errors.As(err, &locked) || time.Now().After(end) {
			return h, err
		}
		asked, cancel := context.WithTimeout(ctx, patience)
		_, aerr := web.Ask(asked, locked.Dir, web.Request{Action: "status"})
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

// waitForEnd returns the new configuration after a SIGHUP with a good one, nil when ctx has ended.
func (a *app) waitForEnd(ctx context.Context, cfg *config.Config, log *zap.Logger, hup <-chan os.Signal) *config.Config {
	for {
		select {
		case <-ctx.Done():
			log.Info("ending")
			return nil
		case <-hup:
			notifySystemd(log, daemon.SdNotifyReloading)
			next, err := config.Load(cfg.File)
			if err == nil {
				for _, w := range next.Warnings {
					log.Warn("in the configuration", zap.String("warning", w.Error()))
				}
				log.Info("the configuration was read again")
				return next
			}
			log.Error("the new configuration is not used; the old one stays", zap.Error(err))
			notifySystemd(log, daemon.SdNotifyReady)
		}
	}
}

// serveDaemon serves the daemon's address until ctx ends, and returns what it is; "" when there is none.
func (a *app) serveDaemon(ctx context.Context, h *house, servers *sync.WaitGroup) (string, error) {
	d := h.cfg.Daemon
	if d.Listen == "" {
		return "", nil
	}
	handler, err := a.handler(h)
	if err != nil {
		return "", err
	}
	listener, err := net.Listen("tcp", d.Listen)
	if err != nil {
		return "", usageError{fmt.Errorf("listen on %s: %w; choose another address in daemon.listen, or \"\" for none", d.Listen, err)}
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := server.Shutdown(end); err != nil {
			_ = server.Close() // someone keeps a connection open
		}
	})
	servers.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			h.log.Error("the daemon's address is not served any more", zap.Error(err))
		}
	})
	return listener.Addr().String(), nil
}

// handler is what the daemon's address serves.
func (a *app) handler(h *house) (http.Handler, error) {
	webhook, err := h.cfg.WebhookSecret(os.Getenv, os.ReadFile)
	if err != nil {
		return nil, usageError{err}
	}
	callback, err := h.cfg.CallbackSecret(os.Getenv, os.ReadFile)
	if err != nil {
		return nil, usageError{err}
	}
	return web.New(web.Options{
		Engine: h.engine, Log: h.log.Named("web"), Version: version().Version,
		WebhookSecret: webhook.Reveal(), CallbackHeader: h.cfg.Daemon.CallbackHeader, CallbackSecret: callback.Reveal(),
	}), nil
}

// notifySystemd tells the service manager, where there is one.
func notifySystemd(log *zap.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("tell systemd", zap.Error(err))
	}
}
