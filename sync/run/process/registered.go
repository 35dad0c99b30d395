package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/secret"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// HookCommands are what the hooks call. In a hook that people commit there are only names that mean the same
// everywhere; git runs it in the repository, where the configuration is found.
func HookCommands(cfg *config.Config) (gitops.HookCommands, error) {
	program, err := os.Executable()
	if err != nil {
		return gitops.HookCommands{}, fmt.Errorf("find this program, for the hooks: %w", err)
	}
	file, err := filepath.Abs(cfg.File)
	if err != nil {
		return gitops.HookCommands{}, fmt.Errorf("find the configuration, for the hooks: %w", err)
	}
	return gitops.HookCommands{
		Here: report.ShellQuoted(filepath.ToSlash(program)) + " hook ring --config " +
			report.ShellQuoted(filepath.ToSlash(file)),
		Team: "locsync hook ring",
	}, nil
}

// Callback is what the service's notifications of a configuration are registered with.
func Callback(cfg *config.Config) (service.Callback, error) {
	value, err := cfg.CallbackSecret(os.Getenv, secret.ReadFile)
	if err != nil {
		return service.Callback{}, &failure.UsageError{Err: err}
	}
	if value.IsZero() {
		return service.Callback{}, &failure.UsageError{Err: errors.New("daemon.public_url is set, but no secret that " +
			"notifications carry: set callback_secret_env or callback_secret_file, or the daemon refuses them")}
	}
	return service.Callback{
		URL:               strings.TrimRight(cfg.Daemon.PublicURL, "/") + "/callback",
		AdditionalHeaders: []wire.CallbackHeader{{Name: cfg.Daemon.CallbackHeader, Value: value.Reveal()}},
	}, nil
}
