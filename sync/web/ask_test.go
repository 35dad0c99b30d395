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
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
)

// served puts an address behind a state folder's control file, of somebody who has its token.
func served(t *testing.T, handler http.Handler) (dir string) {
	t.Helper()
	return taken(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !introduced(w, r, "token") {
			t.Error("the request does not say who asks")
		}
		handler.ServeHTTP(w, r)
	}))
}

// taken is served for somebody who has no token.
func taken(t *testing.T, handler http.Handler) (dir string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	dir = t.TempDir()
	check(t, writeTicket(filepath.Join(dir, controlFile), controlTicket{strings.TrimPrefix(server.URL, "http://"),
		"token"}))
	return dir
}

// Whatever answers in the place of a daemon, or in the middle of what it says, is not taken for an answer.
func TestAskIsNotFooled(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		gone    bool // the command does the work itself
	}{
		"another server": {http.NotFound, true},
		"a daemon with new tokens": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "not for you", http.StatusForbidden)
		}, true},
		"cut before anything": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, true},
		"cut in the middle": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{}` + "\n" + `{"answer": {"push":`))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, true},
		"ended without an answer": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}\n{}\n")) },
			true},
		"ending": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"ending": true}`))
		}, true},
		"no JSON": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) }, false},
	} {
		_, err := Ask(t.Context(), served(t, c.handler), Request{Action: "push"}, nil)
		if err == nil || errors.Is(err, ErrNoDaemon) != c.gone {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Ask(t.Context(), t.TempDir(), Request{Action: "push"}, nil); !errors.Is(err, ErrNoDaemon) {
		t.Errorf("nobody there: %v", err)
	}
	for name, forged := range map[string]func(*http.Request) string{
		"an impostor":           func(*http.Request) string { return "" },
		"one who gives it back": func(r *http.Request) string { return r.Header.Get(proofHeader) },
		"one with another token": func(r *http.Request) string {
			return vouch("another", "answers", r.Header.Get(wordHeader))
		},
	} {
		_, err := Ask(t.Context(), taken(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for header, values := range r.Header {
				if strings.Contains(strings.Join(values, " "), "token") {
					t.Errorf("%s hears the token in %s", name, header)
				}
			}
			w.Header().Set(proofHeader, forged(r))
			_, _ = w.Write([]byte(`{"answer": {}}`))
		})), Request{Action: "push"}, nil)
		if !errors.Is(err, ErrNoDaemon) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, controlFile), []byte(`{"addr`), 0o600))
	if _, err := Ask(t.Context(), dir, Request{Action: "push"}, nil); err == nil {
		t.Error("half a control file is no error")
	}
}

// What comes of a request comes back as it is: the report, the error and whether it stays, and on the way what is going
// on.
func TestAskHearsEverything(t *testing.T) {
	s, _ := newServer(t)
	work, end := context.WithCancel(t.Context())
	dir := served(t, Control{Engine: func() *engine.Engine { return s.Engine }}.handler(work, "token"))
	ask := func(r Request) (Answer, error) { return Ask(t.Context(), dir, r, nil) }

	answer, err := ask(Request{Action: "status", Identity: engine.Identity(s.Engine.Config)})
	if err != nil || len(answer.Status.Projects) != 1 || answer.Status.Projects[0].Pending != 1 {
		t.Errorf("%+v, %v", answer, err)
	}
	_, err = ask(Request{Action: "push", Push: push.Options{Project: "nope"}})
	if !engine.Permanent(err) || !strings.Contains(err.Error(), `no project is called "nope"`) {
		t.Errorf("%v", err)
	}
	if _, err = ask(Request{Action: "dance"}); err == nil || engine.Permanent(err) {
		t.Errorf("%v", err)
	}
	var other *Mismatch
	if _, err = ask(Request{Action: "push", Identity: "another"}); !errors.As(err, &other) ||
		other.File != s.Engine.Config.File || other.PID != os.Getpid() {
		t.Errorf("%v", err)
	}
	end()
	if _, err = ask(Request{Action: "push", Push: push.Options{DryRun: true}}); err != nil &&
		!errors.Is(err, ErrNoDaemon) {
		t.Errorf("while it ends: %v", err)
	}
}

// Progress is told once for each thing that is going on.
func TestAskTellsProgress(t *testing.T) {
	dir := served(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		out := json.NewEncoder(w)
		for _, l := range []line{{}, {Doing: &report.Doing{Project: "app", What: "reading"}}, {},
			{Doing: &report.Doing{Project: "app", What: "sending"}}, {Answer: &Answer{}}} {
			_ = out.Encode(l)
		}
	}))
	var told []string
	if _, err := Ask(t.Context(), dir, Request{Action: "push"},
		func(d report.Doing) { told = append(told, d.Project+": "+d.What) }); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(told, ", "); got != "app: reading, app: sending" {
		t.Errorf("told %q", got)
	}
}

// serveControl serves commands from a new state folder. end stops that, and fails the test where it takes too long.
func serveControl(t *testing.T) (dir string, ticket controlTicket, end func()) {
	t.Helper()
	s, _ := newServer(t)
	dir = t.TempDir()
	serving, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		c := Control{Dir: dir, Patience: 50 * time.Millisecond, Engine: func() *engine.Engine { return s.Engine }}
		done <- c.Serve(serving, serving)
	}()
	for end := time.Now().Add(10 * time.Second); ticket.Address == "" &&
		time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if data, err := os.ReadFile(filepath.Join(dir, controlFile)); err == nil {
			check(t, json.Unmarshal(data, &ticket))
		}
	}
	return dir, ticket, func() {
		t.Helper()
		stop()
		select {
		case err := <-done:
			check(t, err)
		case <-time.After(10 * time.Second):
			t.Fatal("it does not end")
		}
	}
}

// Every user of the machine can connect to the address for commands; silent connections must not keep a command out.
func TestControlBoundsConnections(t *testing.T) {
	dir, ticket, end := serveControl(t)
	defer end()
	o := &outside{t, ticket.Address}
	silent := make([]net.Conn, 0, serve.Connections()+40)
	for i := range cap(silent) {
		conn := o.dial("")
		if i%2 == 1 {
			_, err := io.WriteString(conn, "GET "+answersAt+" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
			check(t, err)
			if got := says(conn); got != http.StatusNoContent { // from here on it is idle
				t.Fatalf("%s: %d", answersAt, got)
			}
		}
		silent = append(silent, conn)
	}
	if _, err := Ask(t.Context(), dir, Request{Action: "status"}, nil); err != nil {
		t.Errorf("a command beside %d silent connections: %v", len(silent), err)
	}
	closedByServer(t, silent, 41)
}

// Commands that stay connected do not keep the daemon from ending.
func TestControlEnds(t *testing.T) {
	dir, ticket, end := serveControl(t)
	body := strings.NewReader(`{"action": "status"`) // and never the rest of it
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+ticket.Address+"/do", body)
	check(t, err)
	request.ContentLength = 1000
	introduce(request, ticket.Token)
	go func() {
		if answer, err := http.DefaultTransport.RoundTrip(request); err == nil {
			answer.Body.Close()
		}
	}()
	end()
	if _, err := os.Stat(filepath.Join(dir, controlFile)); !os.IsNotExist(err) {
		t.Errorf("its file is there: %v", err)
	}
}
