package process

import (
	"context"
	"errors"
	"fmt"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/secret"
	"github.com/locsync/locsync/sync/config/secret/keyring"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/service"
)

// APIKey is the password for the configured service: from the sources of Config.APIKey, else from the keyring. It is
// empty for the embedded service. Not having one is an error that names every source.
func APIKey(ctx context.Context, cfg *config.Config, getenv func(string) string,
	readFile func(string) ([]byte, error)) (secret.Value, error) {
	found, err := cfg.APIKey(getenv, readFile)
	if err != nil || !found.IsZero() || cfg.Service.Embedded() {
		return found, err
	}
	found, err = keyring.Get(ctx, config.AddressOf(cfg.Service.URL), cfg.Service.AccountID)
	switch {
	case err != nil && !errors.Is(err, keyring.ErrNone):
		return secret.Value{}, fmt.Errorf("%w; %w", cfg.NoAPIKey(), err)
	case found.IsZero():
		return secret.Value{}, cfg.NoAPIKey()
	}
	return found, nil
}

// errNoKeyring says what to do without a keyring.
var errNoKeyring = errors.New("there is no keyring in this session (on Linux it is that of the desktop); put the API " +
	"key into a file that only you can read, and name it in api_key_file, or set it in the environment")

// Login stores the API key of the configured account in the keyring, once the service has accepted it. It is asked for
// only where there is a keyring.
func (p *Process) Login(ctx context.Context, ask func() (secret.Value, error)) error {
	address, account, err := p.entry()
	if err != nil {
		return err
	}
	if _, err := keyring.Get(ctx, address, account); errors.Is(err, keyring.ErrNone) {
		return &failure.UsageError{Err: errNoKeyring}
	}
	key, err := ask()
	if err != nil {
		return err
	}
	patience, giveUp, err := p.patience()
	if err != nil {
		return err
	}
	client, err := p.clientWith(service.Options{UserAgent: "locsync/" + p.o.Version, BaseURL: p.cfg.Service.URL,
		AccountID: account, APIKey: service.APIKey(key.Reveal()), RequestsPerSecond: p.cfg.Service.RequestsPerSecond,
		ShareOnHost: true, OnRequest: p.requested, Patience: patience, GiveUp: giveUp})
	if err != nil {
		return err
	}
	if _, err := client.Ping(service.As(ctx, service.Asked)); err != nil {
		return fmt.Errorf("the key was not stored: %w", err)
	}
	return keyring.Set(ctx, address, account, key)
}

// Logout removes that key from the keyring. there is whether it had one.
func (p *Process) Logout(ctx context.Context) (there bool, err error) {
	address, account, err := p.entry()
	if err != nil {
		return false, err
	}
	there, err = keyring.Delete(ctx, address, account)
	if errors.Is(err, keyring.ErrNone) {
		return false, &failure.UsageError{Err: errNoKeyring}
	}
	return there, err
}

// entry is what the keyring knows the key by.
func (p *Process) entry() (address, account string, err error) {
	if p.cfg.Service.Embedded() {
		return "", "", &failure.UsageError{Err: errors.New("the embedded service has no accounts; set service.url " +
			"and service.account_id for another one")}
	}
	return config.AddressOf(p.cfg.Service.URL), p.cfg.Service.AccountID, nil
}
