package config

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/config/secret"
)

const canary = "hunter2-canary"

// A secret is found in its three sources in their order.
func TestAPIKey(t *testing.T) {
	const service = "[service]\nurl = \"http://127.0.0.1:1\"\naccount_id = \"me\"\n"
	withID := strings.Replace(smallest, "name", "id = \"3f0a1c52-7b1e-4a5e-9c3b-2d1f0e9a8b7c\"\nname", 1)
	for _, c := range []struct {
		name, keys string
		env, files map[string]string
		want, says string
	}{
		{"environment first", "api_key_file = \"k\"\n", map[string]string{"LOCSYNC_API_KEY": "e", "CREDENTIALS_DIRECTORY": "/run/c"}, map[string]string{"/etc/k": "f", "/run/c/api_key": "c"}, "e", ""},
		{"another variable", "api_key_env = \"OTHER\"\n", map[string]string{"OTHER": "o", "LOCSYNC_API_KEY": "e"}, nil, "o", ""},
		{"then the file, beside the configuration", "api_key_file = \"k\"\n", map[string]string{"CREDENTIALS_DIRECTORY": "/run/c"}, map[string]string{"/etc/k": "f\r\n", "/run/c/api_key": "c"}, "f", ""},
		{"then the credential", "", map[string]string{"CREDENTIALS_DIRECTORY": "/run/c"}, map[string]string{"/run/c/api_key": "c\n"}, "c", ""},
		{"nothing", "", nil, nil, "", "set the environment variable LOCSYNC_API_KEY, or name a file in api_key_file, or pass the systemd credential api_key"},
		{"no such credential", "", map[string]string{"CREDENTIALS_DIRECTORY": "/run/c"}, nil, "", "no API key"},
		{"an empty credential, as the units have it", "", map[string]string{"CREDENTIALS_DIRECTORY": "/run/c"},
			map[string]string{"/run/c/api_key": "\n"}, "", "no API key"},
		{"no such file", "api_key_file = \"k\"\n", nil, nil, "", "read the secret"},
		{"empty file", "api_key_file = \"k\"\n", nil, map[string]string{"/etc/k": "\n"}, "", "is empty"},
		{"a whole file of things", "api_key_file = \"k\"\n", nil, map[string]string{"/etc/k": canary + "\nb"}, "", "more than one line"},
		{"too much", "api_key_file = \"k\"\n", nil, map[string]string{"/etc/k": strings.Repeat("x", 5000)}, "", "more than 4096 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config, err := Parse("/etc/locsync.toml", []byte(service+c.keys+withID))
			if err != nil {
				t.Fatal(err)
			}
			got, err := config.APIKey(func(k string) string { return c.env[k] }, reader(c.files))
			if err == nil && got.IsZero() {
				err = config.NoAPIKey() // as callers do when the keyring has none
			}
			if got.Reveal() != c.want || (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Fatalf("got %q, %v", got.Reveal(), err)
			}
			if ps, ok := errors.AsType[Problems](err); err != nil && (!ok || ps[0].Line < 1 || strings.Contains(err.Error(), canary)) {
				t.Errorf("got %v", err)
			}
		})
	}
	embedded := mustParse(t, smallest)
	if s, err := embedded.APIKey(func(string) string { return "" }, reader(nil)); err != nil || !s.IsZero() {
		t.Errorf("the embedded service needs no key: %v", err)
	}
}

func TestDaemonSecrets(t *testing.T) {
	env := map[string]string{"HOOK": "w", "CREDENTIALS_DIRECTORY": "/run/c"}
	getenv := func(k string) string { return env[k] }
	none := mustParse(t, smallest)
	if s, err := none.WebhookSecret(getenv, reader(nil)); err != nil || !s.IsZero() {
		t.Errorf("none configured: %v, %v", s, err)
	}
	c := mustParse(t, "[daemon]\nwebhook_secret_env = \"HOOK\"\ncallback_secret_env = \"NONE\"\n"+smallest)
	if s, err := c.WebhookSecret(getenv, reader(nil)); err != nil || s.Reveal() != "w" {
		t.Errorf("webhook: %v", err)
	}
	if _, err := c.CallbackSecret(getenv, reader(nil)); err == nil || !strings.Contains(err.Error(), "locsync.toml:3: daemon.callback_secret_env: the environment variable NONE is not set") {
		t.Errorf("callback: %v", err)
	}
	if s, err := c.CallbackSecret(getenv, reader(map[string]string{"/run/c/callback_secret": "c"})); err != nil || s.Reveal() != "c" {
		t.Errorf("callback by credential: %v", err)
	}
}

func TestPageToken(t *testing.T) {
	const long = "0123456789abcdef"
	env := map[string]string{"TOKEN": long, "SHORT": long[1:], "SPACES": " " + long + "\t ", "BLANK": strings.Repeat(" ", 20), "CREDENTIALS_DIRECTORY": "/run/c"}
	getenv := func(k string) string { return env[k] }
	credentials := reader(map[string]string{"/run/c/page_token": long + "c\n", "/etc/token": long + "f\n", "/etc/short": "short\n"})
	for keys, want := range map[string]string{
		"":                                 long + "c",
		"page_token_env = \"TOKEN\"\n":     long,
		"page_token_file = \"token\"\n":    long + "f",
		"page_token_env = \"SPACES\"\n":    long,
		"page_token_env = \"BLANK\"\n":     "locsync.toml:2: daemon.page_token_env: the token is shorter than 16 characters, and could be guessed; make one with: openssl rand -hex 16",
		"page_token_env = \"SHORT\"\n":     "locsync.toml:2: daemon.page_token_env: the token is shorter than 16 characters, and could be guessed; make one with: openssl rand -hex 16",
		"page_token_file = \"short\"\n":    "locsync.toml:2: daemon.page_token_file: the token is shorter than 16 characters, and could be guessed; make one with: openssl rand -hex 16",
		"page_token_file = \"nowhere\"\n":  "locsync.toml:2: daemon.page_token_file: read the secret: open /etc/nowhere: file does not exist; name a file that this user can read",
		"page_token_env = \"A B\"\n# no\n": "not parsed",
	} {
		c, err := Parse("/etc/locsync.toml", []byte("[daemon]\n"+keys+smallest))
		if want == "not parsed" {
			if err == nil {
				t.Errorf("%q is taken", keys)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		s, err := c.PageToken(getenv, credentials)
		got := s.Reveal()
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "/etc/")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", keys, got, want)
		}
	}
	if s, err := mustParse(t, smallest).PageToken(getenv, reader(nil)); err != nil || !s.IsZero() {
		t.Errorf("none configured: %v, %v", s, err)
	}
}

func reader(files map[string]string) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
}

// What notifications are to carry can be carried: the name is free to be used, the value arrives as it is.
func TestCallbackCanBeCarried(t *testing.T) {
	for name, says := range map[string]string{"X-Bell": "", "Authorization": "", "Host": "of HTTP itself", "content-LENGTH": "of HTTP itself", "Transfer-Encoding": "of HTTP itself", "X Bell": "not the name", "": "not the name"} {
		_, err := Parse("locsync.toml", []byte("[daemon]\ncallback_header = \""+name+"\"\n"+smallest))
		if (err != nil) != (says != "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", name, err)
		}
	}
	c := mustParse(t, "[daemon]\ncallback_secret_file = \"bell\"\n"+smallest)
	for text, fine := range map[string]bool{"a+/=b c~": true, "a\n": true, " a": false, "a \n": false, "\ta": false, "a\x1bb": false, "größe": false, "a\x7f": false} {
		s, err := c.CallbackSecret(func(string) string { return "" }, func(string) ([]byte, error) { return []byte(text), nil })
		if (err == nil) != fine || s.IsZero() == fine {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "openssl rand") || strings.Contains(err.Error(), strings.TrimSpace(text)+"\"")) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A file without an end is no secret, and costs no memory to find out.
func TestSecretWithoutEnd(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip(err)
	}
	c := mustParse(t, "[service]\nurl = \"https://example.com\"\naccount_id = \"me\"\napi_key_file = \"/dev/zero\"\n"+
		strings.Replace(smallest, "name = \"app\"", "name = \"app\"\nid = \"11111111-2222-3333-4444-555555555555\"", 1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := c.APIKey(func(string) string { return "" }, secret.ReadFile)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "it is not a regular file") {
		t.Error(err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("it took %d bytes of memory", got)
	}
}

// With LOCSYNC_SERVICE_URL beside the key, a change of the configuration cannot take the key elsewhere.
func TestPinnedService(t *testing.T) {
	c := mustParse(t, "[service]\nurl = \"https://example.com/x\"\naccount_id = \"me\"\n"+
		strings.Replace(smallest, "name = \"app\"", "name = \"app\"\nid = \"11111111-2222-3333-4444-555555555555\"", 1))
	for address, goes := range map[string]bool{
		"": true, "https://example.com": true, "HTTPS://Example.com:443/other": true,
		"http://example.com": false, "https://example.com:444": false, "https://example.com.evil": false,
		"example.com": false, "embedded": false, "://": false,
	} {
		env := map[string]string{"LOCSYNC_SERVICE_URL": address, "LOCSYNC_API_KEY": "key"}
		key, err := c.APIKey(func(name string) string { return env[name] }, secret.ReadFile)
		if goes && (err != nil || key.Reveal() != "key") || !goes && (err == nil || !key.IsZero()) {
			t.Errorf("%q: %v", address, err)
		}
	}
}
