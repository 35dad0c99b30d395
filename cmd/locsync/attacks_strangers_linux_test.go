package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

const (
	strangers      = 600
	strangersTake  = 100 << 20
	strangersLeave = 30 * time.Second
	answeredWithin = time.Second
)

// signedIn is a browser with an account at the service's page, by the invitation in what was said.
func (s *attackedService) signedIn(said string) *http.Client {
	s.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	_, rest, _ := strings.Cut(said, "?word=")
	word := strings.Fields(rest + " none")[0]
	form := url.Values{"word": {word}, "name": {"Anna"}, "password": {"long enough"}}
	r, err := http.NewRequest(http.MethodPost, s.url+"/translate/invitation", strings.NewReader(form.Encode()))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err := browser.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK || len(jar.Cookies(answer.Request.URL)) == 0 {
		s.Fatalf("the account is not made: %s", answer.Status)
	}
	return browser
}

// withAccount is the embedded service by itself, and a browser with an account at its page.
func withAccount(t *testing.T) (*attackedService, *http.Client) {
	s := newAttackedService(t)
	return s, s.signedIn(s.saidSoFar())
}

// newAttackedDaemon is a daemon that has the embedded service within it, and a browser with an account at its page.
func newAttackedDaemon(t *testing.T) (*attackedService, *http.Client) {
	t.Helper()
	v := newVictim(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close() // the daemon takes it
	v.file("locsync.toml", "[service]\nurl = \"embedded\"\n[daemon]\nlisten = \""+address+"\"\n"+
		"[[project]]\nname = \"app\"\nrepository = \".\"\nsource_language = \"en\"\ntarget_languages = [\"de\"]\n"+
		"[project.pull]\nremote = \"\"\n[[project.files]]\nsource = \"locales/en/*.json\"\n"+
		"output = \"locales/{LANGUAGE}/{NAME}.json\"\n")
	s := &attackedService{watched: v.begin("run"), url: "http://" + address}
	t.Cleanup(func() {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		s.ends()
	})
	for {
		invite := v.command("locsync", "service", "invite", "Anna")
		if said, err := invite.Output(); err == nil {
			return s, s.signedIn(string(said))
		}
		if time.Since(s.began) > guard {
			t.Fatalf("it invites no person: %s", s.saidSoFar())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Strangers that hold connections, with bodies that do not end, take little memory, are gone in time, and are not
// noticed by those who are known. A process with few descriptors goes on as well.
func TestBoundOfStrangers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		begin  func(t *testing.T) (*attackedService, *http.Client)
		path   string // that those who know a secret ask for, or that has room kept
		length int    // one that may be a form, and one that may not
		long   bool
	}{
		{"service, a form", withAccount, "/api/integration/v1/account", 1000, true}, // it is waited for until the deadline
		{"service", withAccount, "/api/integration/v1/account", 4 << 20, false},
		{"daemon", newAttackedDaemon, "/healthz", 4 << 20, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.long {
				gittest.Long(t)
			}
			s, browser := c.begin(t)
			length := c.length
			before := s.peaks()
			address := strings.TrimPrefix(s.url, "http://")
			began := time.Now()
			var ends sync.WaitGroup
			for range strangers {
				conn, err := net.Dial("tcp", address)
				if err != nil {
					t.Fatal(err)
				}
				ends.Go(func() {
					defer conn.Close()
					_ = conn.SetDeadline(began.Add(2 * strangersLeave)) // it is a socket
					fmt.Fprintf(conn, "POST /translate/sign-in HTTP/1.1\r\nHost: %s\r\nSec-Fetch-Site: same-origin\r\n"+
						"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\nname=", address, length)
					_, _ = conn.Write(bytes.Repeat([]byte("x"), length-10)) // it may be refused before
					_, _ = io.Copy(io.Discard, bufio.NewReader(conn))       // until the service closes it
				})
			}
			all := make(chan struct{})
			go func() {
				ends.Wait()
				close(all)
			}()
			// A server in this process, which does nothing, tells how long an answer takes beside the strangers at least.
			idle := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			defer idle.Close()
			slowest, floor, asked := time.Duration(0), time.Duration(0), 0
			for gone := false; !gone; asked++ {
				asks := time.Now()
				answer, err := http.Get(idle.URL)
				if err != nil {
					t.Fatal(err)
				}
				_ = answer.Body.Close()
				floor = max(floor, time.Since(asks))
				for _, ask := range []func() (*http.Response, error){
					func() (*http.Response, error) { return browser.Get(s.url + "/translate/") },
					func() (*http.Response, error) {
						r, err := http.NewRequest(http.MethodGet, s.url+c.path, nil)
						if err != nil {
							return nil, err
						}
						r.SetBasicAuth("acc", "secret")
						return http.DefaultClient.Do(r)
					},
				} {
					asks := time.Now()
					answer, err := ask()
					if err != nil {
						t.Fatal(err)
					}
					_ = answer.Body.Close()
					slowest = max(slowest, time.Since(asks))
					if answer.StatusCode != http.StatusOK || strings.HasSuffix(answer.Request.URL.Path, "sign-in") {
						t.Fatalf("%s %s", answer.Request.URL, answer.Status)
					}
				}
				select {
				case <-all:
					gone = true
				case <-time.After(200 * time.Millisecond):
				}
			}
			took, takes := time.Since(began), s.peaks()-before
			t.Logf("gone after %s, %d MB more; the slowest of %d answers took %s, of a server that does nothing %s",
				took, takes>>20, asked, slowest, floor)
			if took > strangersLeave {
				t.Errorf("the last stranger is gone after %s", took)
			}
			if takes > strangersTake {
				t.Errorf("they take %d MB", takes>>20)
			}
			if slowest > answeredWithin+floor {
				t.Errorf("an answer took %s", slowest)
			}
		})
	}
}

// Guesses of API keys are slow, logged with their number, and keep no right key out.
func TestGuessesOfKeys(t *testing.T) {
	t.Parallel()
	s := newAttackedService(t)
	began, guesses := time.Now(), 0
	for ; time.Since(began) < 3*time.Second; guesses++ {
		r, err := http.NewRequest(http.MethodGet, s.url+"/api/integration/v1/account", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth("acc", fmt.Sprint("guess", guesses))
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusUnauthorized {
			t.Fatal(answer.Status)
		}
		asked := time.Now()
		s.answers(t)
		if took := time.Since(asked); took > answeredWithin {
			t.Errorf("the right key is answered after %s", took)
		}
	}
	t.Logf("%d guesses in %s", guesses, time.Since(began))
	if guesses > 20 {
		t.Errorf("%d guesses in three seconds", guesses)
	}
	if said := s.saidSoFar(); !strings.Contains(said, "a wrong API key or account") || !strings.Contains(said, `"wrong": 5`) {
		t.Errorf("the log does not count them:\n%s", clipped(said))
	}
}

// The page answers by the names of its address alone, so that no page of another site reaches it by a name that leads
// here; the interface proves itself by its key. What a sender writes about where it comes from is not believed.
func TestNamesOfTheService(t *testing.T) {
	t.Parallel()
	s := newAttackedService(t)
	ask := func(method, path, host, form string, headers ...string) int {
		t.Helper()
		r, err := http.NewRequest(method, s.url+path, strings.NewReader(form))
		if err != nil {
			t.Fatal(err)
		}
		if r.Host = host; form != "" {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		for i := 0; i+1 < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		if strings.HasPrefix(path, "/api/") {
			r.SetBasicAuth("acc", "secret")
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	own := strings.TrimPrefix(s.url, "http://")
	_, port, _ := net.SplitHostPort(own)
	const form = "name=sam&password=a+guess"
	for _, c := range []struct {
		method, path, host, form, origin string
		want                             int
	}{
		{"GET", "/translate/sign-in", own, "", "", 200},
		{"GET", "/translate/sign-in", "localhost:" + port, "", "", 200},
		{"GET", "/translate/sign-in", "evil.example:" + port, "", "", 403},
		{"GET", "/translate/", "evil.example", "", "", 403},
		{"GET", "/translate/static/translate.css", "evil.example", "", "", 403},
		{"POST", "/translate/sign-in", "evil.example:" + port, form, "http://evil.example:" + port, 403},
		{"POST", "/translate/sign-in", own, form, "http://evil.example:" + port, 403},
		{"POST", "/translate/sign-in", own, "name=eve&password=a+guess", "http://" + own, 403}, // and it was tried
		{"GET", "/api/integration/v1/account", "evil.example", "", "", 200},
	} {
		headers := []string{}
		if c.origin != "" {
			headers = append(headers, "Origin", c.origin)
		}
		if got := ask(c.method, c.path, c.host, c.form, headers...); got != c.want {
			t.Errorf("%s %s by %s from %q: %d, want %d", c.method, c.path, c.host, c.origin, got, c.want)
		}
	}
	if n := strings.Count(s.saidSoFar(), "a wrong name or password"); n != 1 {
		t.Errorf("%d passwords were tried, want the one of the page itself", n)
	}
	slowed := 0
	for i := range 20 {
		if ask("POST", "/translate/sign-in", own, form, "Origin", "http://"+own, "X-Forwarded-For",
			fmt.Sprint("198.51.100.", i)) == http.StatusTooManyRequests {
			slowed++
		}
	}
	if slowed < 10 {
		t.Errorf("%d of 20 guesses by invented addresses were slowed", slowed)
	}
}

// A crash leaves no core file, wherever the program runs, and what it prints has no secret in it.
func TestNoCore(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	v.file("keys", "secret\n")
	cmd := exec.Command("locsync", "service", "--listen", "127.0.0.1:0", "--data", "data", "--account", "acc",
		"--api-key-file", "keys")
	cmd.Dir, cmd.Env = v.dir, append(v.env(), "LOCSYNC_API_KEY=secret")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasPrefix(line, "listening on ") {
		t.Errorf("%q %v", line, err)
	}
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", cmd.Process.Pid))
	if err != nil {
		t.Error(err)
	}
	if !regexp.MustCompile(`(?m)^Max core file size +0 +0 `).Match(limits) {
		t.Errorf("a core file may be left:\n%s", limits)
	}
	if err := cmd.Process.Signal(syscall.SIGABRT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was aborted
	if said := said.String(); !strings.Contains(said, "SIGABRT") || strings.Contains(said, "secret") {
		t.Errorf("it says %s", clipped(said))
	}
	if left, _ := filepath.Glob(filepath.Join(v.dir, "core*")); len(left) > 0 {
		t.Errorf("it leaves %s", left)
	}
}
