package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/service/local/backup"
)

// hostingBlocks are the blocks of one kind on the page about hosting.
func hostingBlocks(t *testing.T, language string) (texts []string) {
	t.Helper()
	for _, b := range blocksOf(t, filepath.Join("docs", "hosting.md")) {
		if b.language == language {
			texts = append(texts, b.text)
		}
	}
	if len(texts) == 0 {
		t.Fatalf("the page about hosting has no block of %s", language)
	}
	return texts
}

// systemd understands the units of the page about hosting.
func TestHostingUnits(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("there is no systemd-analyze here")
	}
	dir := t.TempDir()
	var files []string
	for _, text := range hostingBlocks(t, "ini") {
		name, _, _ := strings.Cut(strings.TrimPrefix(text, "# /etc/systemd/system/"), "\n")
		files = append(files, filepath.Join(dir, name))
		if err := os.WriteFile(files[len(files)-1], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command(analyze, append([]string{"verify"}, files...)...).CombinedOutput(); err != nil ||
		strings.Contains(string(out), dir) {
		t.Errorf("%v\n%s", err, out)
	}
}

// hosted is a service behind a proxy with TLS.
type hosted struct {
	*testing.T
	client *http.Client
	proxy  int // its port
	link   string
}

// behind starts a service, and the proxy of a block of the page about hosting with other ports and another certificate.
func behind(t *testing.T, program, language string, replace func(text string, proxy, service int) string,
	args ...string) *hosted {
	t.Helper()
	gittest.Long(t)
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("NOTE: there is no %s here", program)
	}
	dir := t.TempDir()
	proxy, err := unusedPort()
	if err != nil {
		t.Fatal(err)
	}
	service, err := unusedPort()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=l10n.example.com",
		"-keyout", filepath.Join(dir, "privkey.pem"), "-out", filepath.Join(dir, "fullchain.pem")).CombinedOutput()
	if err != nil {
		t.Skipf("NOTE: %v %s", err, out)
	}
	config := replace(hostingBlocks(t, language)[0], proxy, service)
	config = strings.ReplaceAll(config, "/etc/letsencrypt/live/l10n.example.com", dir)
	config = strings.ReplaceAll(config, "DIR", dir)
	for name, text := range map[string]string{"config": config, "key": "secret\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h := &hosted{T: t, proxy: proxy}
	var said lockedBuffer
	for _, cmd := range []*exec.Cmd{
		exec.Command("locsync", "service", "--listen", "127.0.0.1:"+strconv.Itoa(service), "--data",
			filepath.Join(dir, "data"), "--account", "acc", "--api-key-file", filepath.Join(dir, "key"), "--public-url",
			"https://l10n.example.com", "--trusted-proxy", "127.0.0.1"),
		exec.Command(path, append(args, filepath.Join(dir, "config"))...),
	} {
		cmd.Stdout, cmd.Stderr = &said, &said
		cmd.Env = append(os.Environ(), "HOME="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("%s", &said)
			}
			_ = cmd.Process.Signal(os.Interrupt)
			_ = cmd.Wait() // by that signal
		})
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	h.client = &http.Client{Jar: jar, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true,
		ServerName: "l10n.example.com"}, DialContext: dialTo(proxy)},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	link := regexp.MustCompile(`https://\S+/translate/invitation\?word=\w+`)
	for end := time.Now().Add(guard); ; time.Sleep(50 * time.Millisecond) {
		answer, err := h.client.Get("https://l10n.example.com/translate/sign-in")
		h.link = link.FindString(said.String())
		if err == nil {
			_ = answer.Body.Close() // the status is enough
			if answer.StatusCode == http.StatusOK && h.link != "" {
				return h
			}
		}
		if time.Now().After(end) {
			t.Fatalf("it is not up: %v\n%s", err, &said)
		}
	}
}

// passes is what a proxy of the page about hosting is for.
func (h *hosted) passes() {
	h.Helper()
	do := func(method, path, body string, change func(r *http.Request)) (*http.Response, string) {
		h.Helper()
		r, err := http.NewRequest(method, "https://l10n.example.com"+path, strings.NewReader(body))
		if err != nil {
			h.Fatal(err)
		}
		change(r)
		answer, err := h.client.Do(r)
		if err != nil {
			h.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			h.Fatal(err)
		}
		return answer, string(text)
	}
	asClient := func(r *http.Request) { r.SetBasicAuth("acc", "secret") }
	asPage := func(r *http.Request) {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if answer, _ := do("GET", "/api/integration/v1/account", "", asClient); answer.StatusCode != http.StatusOK {
		h.Errorf("a client: %s", answer.Status)
	}
	large := strings.Repeat("0123456789abcdef", 1<<18) // 4 MB
	if answer, text := do("PUT", "/api/integration/v1/file-management/file/large", large,
		asClient); answer.StatusCode != http.StatusCreated {
		h.Errorf("an upload: %s %s", answer.Status, text)
	}
	if answer, _ := do("GET", "/", "", asPage); answer.StatusCode != http.StatusSeeOther ||
		!strings.HasSuffix(answer.Header.Get("Location"), "/translate/") {
		h.Errorf("/: %s to %s", answer.Status, answer.Header.Get("Location"))
	}
	for _, path := range []string{"/metrics", "/api", "/healthz", "/locsync/backup", "/translated/"} {
		if answer, _ := do("GET", path, "", asClient); answer.StatusCode == http.StatusOK {
			h.Errorf("%s: %s", path, answer.Status)
		}
	}
	link, err := url.Parse(h.link)
	if err != nil {
		h.Fatal(err)
	}
	form := url.Values{"word": {link.Query().Get("word")}, "name": {"Anna"}, "password": {"long enough"}}.Encode()
	answer, text := do("POST", "/translate/invitation", form, asPage)
	if answer.StatusCode != http.StatusSeeOther || len(answer.Cookies()) != 1 || !answer.Cookies()[0].Secure {
		h.Errorf("an invitation: %s %v %s", answer.Status, answer.Cookies(), text)
	}
	if answer, text := do("GET", "/translate/people", "", asPage); answer.StatusCode != http.StatusOK ||
		!strings.Contains(text, "<bdi>Anna</bdi>") {
		h.Errorf("the page: %s %s", answer.Status, text)
	}
}

func TestHostingBehindNginx(t *testing.T) {
	behind(t, "nginx", "nginx", func(text string, proxy, service int) string {
		text = strings.ReplaceAll(text, "listen 443 ssl;", fmt.Sprintf("listen 127.0.0.1:%d ssl;", proxy))
		text = strings.ReplaceAll(text, "127.0.0.1:7430", "127.0.0.1:"+strconv.Itoa(service))
		var temporary bytes.Buffer
		for _, what := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
			fmt.Fprintf(&temporary, "%s_temp_path DIR/%s;\n", what, what)
		}
		return "daemon off; pid DIR/pid; error_log stderr;\nevents {}\nhttp {\naccess_log off;\n" + temporary.String() + text +
			"}\n"
	}, "-e", "stderr", "-c").passes()
}

func TestHostingBehindCaddy(t *testing.T) {
	behind(t, "caddy", "caddy", func(text string, proxy, service int) string {
		text = strings.ReplaceAll(text, "127.0.0.1:7430", "127.0.0.1:"+strconv.Itoa(service))
		text = strings.Replace(text, "l10n.example.com {", fmt.Sprintf("l10n.example.com:%d {\n    bind 127.0.0.1\n"+
			"    tls DIR/fullchain.pem DIR/privkey.pem", proxy), 1)
		return "{\n    admin off\n    auto_https off\n}\n" + text
	}, "run", "--adapter", "caddyfile", "--config").passes()
}

// A backup whose command is killed at any moment is no file, or a whole one; the service is not affected.
func TestKilledBackupCommand(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	dir := t.TempDir()
	data, file, key := filepath.Join(dir, "data"), filepath.Join(dir, "copy"), filepath.Join(dir, "key")
	if err := os.WriteFile(key, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var said lockedBuffer
	service := exec.Command("locsync", "service", "--listen", "127.0.0.1:0", "--data", data, "--account", "acc",
		"--api-key-file", key)
	service.Stdout, service.Stderr = &said, &said
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	defer service.Process.Kill()
	var took time.Duration
	for {
		began := time.Now()
		again := exec.Command("locsync", "service", "backup", file, "--data", data, "--force")
		if again.Run() == nil && strings.Contains(said.String(), "listening") {
			took = time.Since(began)
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	seen := make(map[bool]int)
	for round := 0; round < 40 || round < 400 && seen[true]*seen[false] == 0; round++ { // the machine may be slow by now
		if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		cmd := exec.Command("locsync", "service", "backup", file, "--data", data)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(took * time.Duration(20+2*round) / 60)
		_ = cmd.Process.Kill() // where it has not ended
		_ = cmd.Wait()
		f, err := os.Open(file)
		seen[err == nil]++
		if err != nil {
			continue
		}
		if _, err := backup.Check(f); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
		_ = f.Close() // it was only read
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("%v: nothing was tested", seen)
	}
	again := exec.Command("locsync", "service", "backup", file, "--data", data, "--force")
	if out, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v %s\n%s", err, out, &said)
	}
}

// dialTo leads every connection to a port of this machine.
func dialTo(port int) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:"+strconv.Itoa(port))
	}
}
