// Package keyring keeps the API keys of people in the keyring of their system: the Keychain of macOS, the Credential
// Manager of Windows, the Secret Service of a Linux desktop. Its law: a key is for one address and one account, and no
// call takes longer than a person may need to unlock the keyring. It decides nothing about which key is used.
package keyring

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/locsync/locsync/sync/config/secret"
)

// ErrNone: this session has no keyring that could be asked.
var ErrNone = errors.New("this session has no keyring")

// patience is how long the keyring may take: it may ask a person to unlock it.
const patience = time.Minute

// name is what keyrings show of an entry.
const name = "locsync"

// Get is the key for an account at an address, empty where none is stored. An error, ErrNone among them, means that it
// could not be found out.
func Get(ctx context.Context, address, account string) (secret.Value, error) {
	var text string
	err := ask(ctx, func() (err error) {
		text, err = keyring.Get(name, entry(address, account))
		return err
	})
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return secret.Value{}, nil
	case err != nil:
		return secret.Value{}, err
	}
	return secret.New(text), nil
}

// Set stores the key and replaces one that is there.
func Set(ctx context.Context, address, account string, key secret.Value) error {
	return ask(ctx, func() error { return keyring.Set(name, entry(address, account), key.Reveal()) })
}

// Delete removes the key. there is whether one was stored.
func Delete(ctx context.Context, address, account string) (there bool, err error) {
	err = ask(ctx, func() error { return keyring.Delete(name, entry(address, account)) })
	if errors.Is(err, keyring.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

func entry(address, account string) string { return account + " at " + address }

// ask calls the keyring on a goroutine of its own, because no context ends a call.
func ask(ctx context.Context, call func() error) error {
	if !reachable() {
		return ErrNone
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		if err != nil && !errors.Is(err, keyring.ErrNotFound) {
			return fmt.Errorf("the keyring refuses: %w", err)
		}
		return err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return fmt.Errorf("the keyring did not answer within %v; unlock it, then try again", patience)
		}
		return ctx.Err()
	}
}

// reachable reports whether there is a session bus, through which alone Linux and the BSDs have a keyring. Without one
// the library would start another bus.
func reachable() bool {
	switch runtime.GOOS {
	case "darwin", "windows":
		return true
	}
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, "bus"))
	return err == nil
}
