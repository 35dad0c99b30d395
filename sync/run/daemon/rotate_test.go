package daemon

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/secret"
)

// Each change of a secret is announced once, within the time that is promised, with what the files hold then: also of a
// file that is gone for a while.
func TestWatchSecrets(t *testing.T) {
	t.Setenv("LOCSYNC_API_KEY", "")
	dir := t.TempDir()
	key := filepath.Join(dir, "key")
	write := func(text string) {
		t.Helper()
		next := filepath.Join(dir, "next")
		if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, key); err != nil {
			t.Fatal(err)
		}
	}
	write("first\n")
	cfg, err := config.Parse(filepath.Join(dir, "locsync.toml"), []byte(`
[service]
url = "https://service.example.com"
account_id = "me"
api_key_file = "key"
[[project]]
name = "app"
source_language = "en"
target_languages = ["de"]
id = "55555555-6666-7777-8888-999999999999"
[[project.files]]
source = "en.json"
output = "{LANGUAGE}.json"
`))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var used atomic.Pointer[secrets]
		used.Store(&secrets{cfg, digestOf(cfg, secret.ReadFile)})
		rotated := make(chan rotation, 10)
		go watchSecrets(t.Context(), used.Load, rotated)
		pass := func(want int) {
			t.Helper()
			for range 3 {
				time.Sleep(lookForSecrets) // of the test's own clock
			}
			if len(rotated) != want {
				t.Fatalf("announced %d times, want %d", len(rotated), want)
			}
		}
		pass(0)
		write("first\n")
		pass(0)
		write("second\n")
		pass(1) // and once only, also while it is not taken
		r := <-rotated
		if found, err := r.cfg.APIKey(os.Getenv, r.files); err != nil || found.Reveal() != "second" {
			t.Errorf("another key, or %v", err)
		}
		used.Store(&r.secrets)
		pass(0)
		if err := os.Remove(key); err != nil {
			t.Fatal(err)
		}
		pass(1)
		if r := <-rotated; r.digest == used.Load().digest {
			t.Error("a missing file is a change")
		}
		write("second\n")
		pass(0) // what is in use
	})
}
