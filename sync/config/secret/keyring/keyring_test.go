package keyring

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/locsync/locsync/sync/config/secret"
)

const canary = "canary-of-a-key"

// A key is for one address and one account, replaces the one before, and is gone once it is deleted.
func TestKeys(t *testing.T) {
	keyring.MockInit()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "mocked")
	get := func(address, account, want string) {
		t.Helper()
		if key, err := Get(t.Context(), address, account); err != nil || key.Reveal() != want {
			t.Errorf("%s at %s: got another key, %v", account, address, err)
		}
	}
	get("https://a:443", "me", "")
	for _, key := range []string{"first", canary} {
		if err := Set(t.Context(), "https://a:443", "me", secret.New(key)); err != nil {
			t.Fatal(err)
		}
		get("https://a:443", "me", key)
	}
	get("https://b:443", "me", "")
	get("https://a:443", "you", "")
	for _, want := range []bool{true, false} {
		if there, err := Delete(t.Context(), "https://a:443", "me"); err != nil || there != want {
			t.Errorf("deleted: %t, %v", there, err)
		}
	}
	get("https://a:443", "me", "")
}

// A session without a keyring says so, and one that refuses does not show the key.
func TestNoKeyring(t *testing.T) {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		t.Skip("there is always one here")
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if _, err := Get(t.Context(), "a", "b"); !errors.Is(err, ErrNone) {
		t.Errorf("without a session: %v", err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "mocked")
	keyring.MockInitWithError(errors.New("locked"))
	err := Set(t.Context(), "a", "b", secret.New(canary))
	if err == nil || !strings.Contains(err.Error(), "locked") || strings.Contains(err.Error(), canary) {
		t.Errorf("refused: %v", err)
	}
}

// A keyring that does not answer, because it waits to be unlocked, ends the call and not the program.
func TestHangs(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "mocked")
	synctest.Test(t, func(t *testing.T) {
		unlock := make(chan struct{})
		hangs := func() error { <-unlock; return nil }
		began := time.Now()
		if err := ask(t.Context(), hangs); err == nil || time.Since(began) != patience {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := ask(ctx, hangs); !errors.Is(err, context.Canceled) {
			t.Errorf("interrupted: %v", err)
		}
		close(unlock)
	})
}
