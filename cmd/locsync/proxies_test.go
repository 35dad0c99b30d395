//go:build linux

package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/service/local"
)

// tunnels is a proxy that knows some hosts, and remembers which it was asked for.
type tunnels struct {
	hosts map[string]*httptest.Server

	mu    sync.Mutex
	asked []string
}

func (p *tunnels) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Method+" "+r.Host)
	p.mu.Unlock()
	host, _, _ := net.SplitHostPort(r.Host)
	server := p.hosts[host]
	if r.Method != http.MethodConnect || server == nil {
		http.Error(w, "there is no such host", http.StatusBadGateway)
		return
	}
	there, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer there.Close()
	w.WriteHeader(http.StatusOK)
	here, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer here.Close()
	go func() {
		_, _ = io.Copy(there, here)
		there.Close()
	}()
	_, _ = io.Copy(here, there)
}

// take is what the proxy was asked for since the last time, each once.
func (p *tunnels) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.asked
	p.asked = nil
	slices.Sort(asked)
	return slices.Compact(asked)
}

// What the page about proxies says: service and remote are reached through the environment's, git's own setting goes
// first, NO_PROXY is kept, and an own authority is believed where it is named, by each of the two.
func TestProxies(t *testing.T) {
	gittest.Long(t)
	gittest.Need(t)
	t.Parallel()
	dir := t.TempDir()
	repo, bare := filepath.Join(dir, "app"), filepath.Join(dir, "app.git")
	svc, err := local.Open(t.TempDir(), local.Options{AccountID: "acc"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = svc.Close() })
	const id = "11111111-2222-3333-4444-555555555555"
	if err := svc.EnsureProject(id, "app", "en", []string{"de"}); err != nil {
		t.Fatal(err)
	}
	files, err := gittest.Handler(bare, gittest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	certificate, trusted := selfSigned(t, time.Now().Add(time.Hour))
	proxy := &tunnels{hosts: map[string]*httptest.Server{
		"translation.example.com": serveTLS(t, certificate, svc), "git.example.com": serveTLS(t, certificate, files)}}
	served := httptest.NewServer(proxy)
	t.Cleanup(served.Close)
	for name, text := range map[string]string{"locales/en/app.json": `{"a": "A"}`, "locsync.toml": `
[service]
url = "https://translation.example.com"
account_id = "acc"
[daemon]
listen = ""
[[project]]
name = "app"
id = "` + id + `"
source_language = "en"
target_languages = ["de"]
[[project.files]]
source = "locales/en/*.json"
output = "locales/{LANGUAGE}/{NAME}.json"
`} {
		file := filepath.Join(repo, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(env []string, args ...string) (string, int) {
		t.Helper()
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = repo
		cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
			return strings.Contains(strings.ToUpper(strings.SplitN(v, "=", 2)[0]), "_PROXY")
		}), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "LOCSYNC_API_KEY=secret",
			"LOCSYNC_PATIENCE=0s", "LOCSYNC_BUDGET_DIR="+dir, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost")
		cmd.Env = append(cmd.Env, env...)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	for _, line := range []string{"git init -q -b main .", "git init -q --bare -b main ../app.git", "git add -A",
		"git commit -q -m start", "git push -q ../app.git main", "git remote add origin https://git.example.com/app.git"} {
		if out, code := run(nil, strings.Fields(line)...); code != 0 {
			t.Fatalf("%s: %s", line, out)
		}
	}
	through := []string{"HTTPS_PROXY=" + served.URL, "SSL_CERT_FILE=" + trusted, "GIT_SSL_CAINFO=" + trusted}
	service, remote := "CONNECT translation.example.com:443", "CONNECT git.example.com:443"
	for _, c := range []struct {
		name  string
		args  []string
		env   []string
		code  int
		asked []string // of the proxy
		says  string
	}{
		{"through the proxy", []string{"sync"}, through, 0, []string{remote, service}, "sent 1 value"},
		{"the doctor tells", []string{"doctor"}, through, 0, []string{remote, service}, "the proxy of the environment"},
		{"but for some", []string{"pull"}, append(through, "NO_PROXY=localhost,git.example.com"), 1, nil,
			"git.example.com"},
		{"git's own goes first", []string{"pull"}, append(through, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http.proxy",
			"GIT_CONFIG_VALUE_0=http://127.0.0.1:1"), 1, nil, "127.0.0.1"},
		{"an authority that the service's client does not know", []string{"pull"}, append(through, "SSL_CERT_FILE="), 1,
			[]string{remote, service}, "certificate"},
		{"an authority that git does not know", []string{"pull"}, through[:2], 2, []string{remote}, "http.sslCAInfo"},
	} {
		proxy.take()
		out, code := run(c.env, append([]string{"locsync"}, c.args...)...)
		if asked := proxy.take(); code != c.code || !slices.Equal(asked, c.asked) || !strings.Contains(out, c.says) {
			t.Errorf("%s: exit code %d, the proxy was asked for %q\n%s", c.name, code, asked, out)
		}
	}
}
