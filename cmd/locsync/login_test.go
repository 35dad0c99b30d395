package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"github.com/locsync/locsync/gitops/gittest"
)

// A key that the service accepts is stored, used by other commands and removed; one that it refuses is not stored, and
// none is shown.
func TestLogin(t *testing.T) {
	keyring.MockInit()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "mocked")
	t.Setenv("LOCSYNC_API_KEY", "")
	t.Setenv("LOCSYNC_BUDGET_DIR", t.TempDir())
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, key, _ := r.BasicAuth(); key != "canary-right" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"accountId": "acc"}`))
	}))
	defer service.Close()
	dir := t.TempDir()
	gittest.Git(t, dir, "init", "-q")
	file := filepath.Join(dir, "locsync.toml")
	text := "[service]\nurl = \"" + service.URL + "\"\naccount_id = \"acc\"\n" + `[[project]]
name = "app"
id = "55555555-6666-7777-8888-999999999999"
source_language = "en"
target_languages = ["de"]
[[project.files]]
source = "en.json"
output = "{LANGUAGE}.json"
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	call := func(typed string, args ...string) (string, error) {
		var out bytes.Buffer
		a := &app{out: &out, err: &out, in: strings.NewReader(typed), args: args}
		root := a.root()
		root.SetArgs(append(args, "--config", file))
		err := root.ExecuteContext(t.Context())
		if strings.Contains(out.String(), "canary") || err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%s shows the key: %s %v", args, out.String(), err)
		}
		return out.String(), err
	}
	for _, step := range []struct {
		typed, args, says string
		fails             bool
	}{
		{"", "api GET /v1/account", "no API key found", true},
		{"canary-wrong\n", "login", "the key was not stored", true},
		{"", "logout", "the keyring has no API key of acc", false},
		{"canary-right\n", "login", "stored the API key of acc for " + service.URL, false},
		{"", "api GET /v1/account", "accountId", false},
		{"", "login", "the standard input is empty", true},
		{"canary\ncanary\n", "login", "more than one line", true},
		{"", "logout", "removed the API key of acc", false},
		{"", "api GET /v1/account", "no API key found", true},
	} {
		said, err := call(step.typed, strings.Fields(step.args)...)
		if err != nil {
			said += err.Error()
		}
		if (err != nil) != step.fails || !strings.Contains(said, step.says) {
			t.Errorf("%s: %v\n%s", step.args, err, said)
		}
	}
}
