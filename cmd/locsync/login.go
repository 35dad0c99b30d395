package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"golang.org/x/term"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/secret"
	"github.com/locsync/locsync/sync/documents/operation"
	"github.com/locsync/locsync/sync/run/process"
)

// loggedIn is the result of login and logout.
type loggedIn struct {
	URL     string `json:"url"`
	Account string `json:"account_id"`
	Stored  bool   `json:"stored"`
}

func loginCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "login",
		Short: "Store the API key in this system's keyring",
		Long: "login asks for the API key of the configured account, has the service check it, and stores it in the " +
			"keyring of this system: the Keychain of macOS, the Credential Manager of Windows, the Secret Service of " +
			"a Linux desktop. In a pipe it reads the key from standard input. The key is used where neither " +
			"api_key_env nor api_key_file nor a systemd credential has one, and goes to the address in service.url " +
			"only. Where there is no keyring, as on a server, use one of those.",
		Example: "  locsync login\n  locsync check --online   # shows that the key works",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return inKeyring(cmd.Context(), a, func(ctx context.Context, p *process.Process, cfg *config.Config) error {
				err := p.Login(ctx, func() (secret.Value, error) { return askKey(ctx, a, cfg) })
				if err != nil {
					return err
				}
				if found, err := cfg.APIKey(os.Getenv, secret.ReadFile); err != nil || !found.IsZero() {
					a.remark(zap.WarnLevel, "locsync: warning: the key in the keyring is not used yet: api_key_env "+
						"(%s), api_key_file or a systemd credential comes first; remove that to use it",
						cfg.Service.APIKeyEnv)
				}
				return a.sayKeyring(cfg, true, "stored the API key of %s for %s in the keyring\n")
			})
		},
	}
	noArguments(c)
	return c
}

func logoutCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "logout",
		Short:   "Remove the API key from this system's keyring",
		Long:    "logout removes the API key that locsync login stored. The key stays valid at the service.",
		Example: "  locsync logout",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return inKeyring(cmd.Context(), a, func(ctx context.Context, p *process.Process, cfg *config.Config) error {
				there, err := p.Logout(ctx)
				switch {
				case err != nil:
					return err
				case there:
					return a.sayKeyring(cfg, false, "removed the API key of %s for %s from the keyring\n")
				}
				return a.sayKeyring(cfg, false, "the keyring has no API key of %s for %s\n")
			})
		},
	}
	noArguments(c)
	return c
}

// inKeyring runs a command about the keyring's entry for the configured service.
func inKeyring(ctx context.Context, a *app, do func(context.Context, *process.Process, *config.Config) error) error {
	cfg, err := a.find(config.LoadForCreate)
	if err != nil {
		return err
	}
	log, err := a.logger(zap.WarnLevel)
	if err != nil {
		return err
	}
	p := process.New(cfg, "", a.options(log))
	return errors.Join(do(ctx, p, cfg), p.Close())
}

func (a *app) sayKeyring(cfg *config.Config, stored bool, text string) error {
	return a.sayResult(operation.Result{Document: loggedIn{cfg.Service.URL, cfg.Service.AccountID, stored},
		Text: fmt.Sprintf(text, cfg.Service.AccountID, cfg.Service.URL)})
}

// askKey reads the key: what is typed, without showing it, or the standard input.
func askKey(ctx context.Context, a *app, cfg *config.Config) (secret.Value, error) {
	read := func(string) ([]byte, error) { return io.ReadAll(io.LimitReader(a.in, secret.MaxBytes+1)) }
	if in, is := a.in.(*os.File); is && term.IsTerminal(int(in.Fd())) {
		fmt.Fprintf(a.err, "API key of %s for %s: ", cfg.Service.AccountID, cfg.Service.URL)
		read = func(string) ([]byte, error) { return typed(ctx, in) }
		defer fmt.Fprintln(a.err)
	}
	key, _, err := secret.Source{File: "the standard input"}.Find(os.Getenv, read)
	if err != nil && ctx.Err() == nil {
		return key, misuse(err)
	}
	return key, err
}

// typed is a line that is typed without being shown. An interrupt leaves the terminal as it was.
func typed(ctx context.Context, in *os.File) ([]byte, error) {
	before, err := term.GetState(int(in.Fd()))
	if err != nil {
		return nil, err
	}
	type line struct {
		text []byte
		err  error
	}
	done := make(chan line, 1)
	go func() {
		text, err := term.ReadPassword(int(in.Fd()))
		done <- line{text, err}
	}()
	select {
	case l := <-done:
		return l.text, l.err
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), term.Restore(int(in.Fd()), before))
	}
}
