//go:build unix

package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A browser that is unlocked stays so when the configuration is read again, and hears of passes after it as before;
// neither it nor what it listens to keeps the daemon from ending at once. A token that is too short is refused, with
// the line.
func TestPageOutlivesReloads(t *testing.T) {
	t.Parallel()
	w := newDaemonWorld(t)
	token := filepath.Join(w.repo, "page_token")
	w.check(os.WriteFile(token, []byte("0123456789abcdef\n"), 0o600))
	w.configure("page_token_file = \"page_token\"")
	cmd := w.start()
	jar, err := cookiejar.New(nil)
	w.check(err)
	browser := &http.Client{Jar: jar}
	form := func(path string, fields url.Values) int {
		r, err := http.NewRequest(http.MethodPost, w.url+path, strings.NewReader(fields.Encode()))
		w.check(err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", w.url)
		answer, err := browser.Do(r)
		w.check(err)
		w.check(answer.Body.Close())
		return answer.StatusCode
	}
	unlocked := func() bool {
		answer, err := browser.Get(w.url + "/")
		w.check(err)
		defer answer.Body.Close()
		for in := bufio.NewScanner(answer.Body); in.Scan(); {
			if strings.Contains(in.Text(), "Push now</button>") {
				return true
			}
		}
		return false
	}
	listen := func() (ended <-chan error) {
		answer, err := browser.Get(w.url + "/api/events")
		w.check(err)
		over := make(chan error, 1)
		go func() {
			defer answer.Body.Close()
			_, err := io.Copy(io.Discard, answer.Body)
			over <- err
		}()
		return over
	}
	if form("/unlock", url.Values{"token": {"0123456789abcdef"}}) != http.StatusOK || !unlocked() {
		t.Fatal("the token does not unlock the page")
	}
	stream := listen()
	w.check(os.WriteFile(token, []byte("short\n"), 0o600))
	w.check(cmd.Process.Signal(syscall.SIGHUP))
	w.told("RELOADING=1")
	if told := w.told("READY=1"); !strings.Contains(told, "not used") || !unlocked() {
		t.Errorf("a short token: %q", told)
	}
	w.until("the log says why", func() bool {
		return strings.Contains(w.logs.String(), "daemon.page_token_file: the token is shorter than 16 characters")
	})
	w.check(os.WriteFile(token, []byte("0123456789abcdef\n"), 0o600))
	w.configure("page_token_file = \"page_token\"\nrescan = \"11m\"")
	w.check(cmd.Process.Signal(syscall.SIGHUP))
	w.told("RELOADING=1")
	w.told("READY=1")
	select {
	case err := <-stream: // a browser comes again by itself
		w.check(err)
	case <-time.After(guard):
		t.Error("who listens is not sent to the new configuration")
	}
	if !unlocked() {
		t.Error("a reload locks the page")
	}
	stream = listen()
	w.check(cmd.Process.Signal(syscall.SIGTERM))
	w.ends(cmd, 10*time.Second)
	if err := <-stream; err != nil {
		t.Errorf("who listens is cut off: %v", err)
	}
}
