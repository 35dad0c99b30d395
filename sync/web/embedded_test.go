package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/bound/serve"
)

// A command reaches the daemon's embedded service through its file, whatever host it names; none without the token
// does; and when the daemon has ended, or another program has its address after a crash, there is none.
func TestServiceBesideTheDaemon(t *testing.T) {
	dir := t.TempDir()
	if _, err := ServiceTransport(t.Context(), dir); !errors.Is(err, ErrNoDaemon) {
		t.Fatalf("without a daemon: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- ServeService(ctx, dir, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get(tokenHeader) != "" {
				t.Error("the service gets the token")
			}
			_, _ = io.WriteString(w, r.URL.Path)
		}))
	}()
	var transport http.RoundTripper
	for end := time.Now().Add(10 * time.Second); transport == nil &&
		time.Now().Before(end); time.Sleep(time.Millisecond) {
		transport, _ = ServiceTransport(t.Context(), dir)
	}
	if transport == nil {
		t.Fatal("it never came up")
	}
	resp, err := (&http.Client{Transport: transport}).Get("http://embedded.invalid/api/integration/v1/account")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if string(body) != "/api/integration/v1/account" {
		t.Errorf("answered %q", body)
	}
	info, err := os.Stat(filepath.Join(dir, serviceFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	data, err := os.ReadFile(filepath.Join(dir, serviceFile))
	var ticket controlTicket
	if err := errors.Join(err, json.Unmarshal(data, &ticket)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/integration/v1/account", aliveness} {
		resp, err := http.Get("http://" + ticket.Address + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s without the token: %s", path, resp.Status)
		}
	}
	transport.(through).CloseIdleConnections()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, serviceFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its file is left behind: %v", err)
	}

	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "hello")
	}))
	defer other.Close()
	for _, address := range []string{strings.TrimPrefix(other.URL, "http://"), ticket.Address} {
		if err := writeTicket(filepath.Join(dir, serviceFile), controlTicket{address, ticket.Token}); err != nil {
			t.Fatal(err)
		}
		if _, err := ServiceTransport(t.Context(), dir); !errors.Is(err, ErrNoDaemon) {
			t.Errorf("left behind, %s: %v", address, err)
		}
	}
}

// Every user of the machine can connect to that address; silent connections keep no command out, and are few.
func TestServiceBoundsConnections(t *testing.T) {
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- ServeService(ctx, dir, http.NotFoundHandler()) }()
	var ticket controlTicket
	for end := time.Now().Add(10 * time.Second); ticket.Address == "" &&
		time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if data, err := os.ReadFile(filepath.Join(dir, serviceFile)); err == nil {
			check(t, json.Unmarshal(data, &ticket))
		}
	}
	o := &outside{t, ticket.Address}
	silent := make([]net.Conn, 0, serve.Connections()+40)
	for range cap(silent) {
		silent = append(silent, o.dial(""))
	}
	if _, err := ServiceTransport(t.Context(), dir); err != nil {
		t.Errorf("a command beside %d silent connections: %v", len(silent), err)
	}
	closedByServer(t, silent, 41)
	stop()
	check(t, <-ended)
}
