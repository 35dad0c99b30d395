package notify

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/report"
)

const secretPath = "/services/T0/B0/canary-of-the-address"

// inbox is a receiver that keeps what it is sent.
type inbox struct {
	*httptest.Server
	mu   sync.Mutex
	sent []string
}

func newInbox(t *testing.T) *inbox {
	in := &inbox{}
	in.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		in.mu.Lock()
		defer in.mu.Unlock()
		in.sent = append(in.sent, r.Method+" "+r.URL.Path+" "+r.Header.Get("Content-Type")+" "+string(body))
	}))
	t.Cleanup(in.Close)
	return in
}

func (in *inbox) all() []string {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.sent
}

func TestPayloads(t *testing.T) {
	t.Parallel()
	m := Message{1, Complete, "app", "de", "<!channel> & done", time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}
	for kind, want := range map[string]string{
		"slack": `{"text":"&lt;!channel&gt; &amp; done"}`,
		"teams": `{"type":"message","attachments":[{"contentType":"application/vnd.microsoft.card.adaptive","content":
			{"$schema":"http://adaptivecards.io/schemas/adaptive-card.json","type":"AdaptiveCard","version":"1.4",
			"body":[{"type":"TextBlock","text":"<!channel> & done","wrap":true}]}}]}`,
		"json": `{"schema":1,"kind":"complete","project":"app","language":"de","text":"<!channel> & done",
			"at":"2026-11-23T09:00:00Z"}`,
	} {
		in := newInbox(t)
		if err := NewReceiver(in.URL+secretPath, kind, zap.NewNop()).post(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		sent := in.all()
		if len(sent) != 1 {
			t.Fatalf("%s: sent %q", kind, sent)
		}
		body, ok := strings.CutPrefix(sent[0], "POST "+secretPath+" application/json ")
		var got, wanted any
		if err := json.Unmarshal([]byte(want), &wanted); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil || !ok || !reflect.DeepEqual(got, wanted) {
			t.Errorf("%s: sent %s, %v", kind, sent[0], err)
		}
	}
}

// What was told is not told again after a restart, and what was not is.
func TestOnceAcrossARestart(t *testing.T) {
	t.Parallel()
	in, dir := newInbox(t), t.TempDir()
	for i, step := range []struct {
		now  report.Status
		want int // messages in all
	}{
		{app(conflicts("old")), 0}, {app(conflicts("old", "new")), 1}, {app(conflicts("old", "new")), 1},
		{app(conflicts("old", "new", "newest")), 2},
	} {
		store, err := boltledger.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		r := NewReceiver(in.URL, "json", zap.NewNop())
		for range 2 {
			if err := r.Tell(t.Context(), store, step.now, tuesday); err != nil {
				t.Fatal(err)
			}
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		if sent := in.all(); len(sent) != step.want {
			t.Fatalf("after step %d: %q", i, sent)
		}
	}
}

// answers is a transport.
type answers func(*http.Request) (*http.Response, error)

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) { return a(r) }

// A receiver that fails is tried three times, with growing pauses; then the message is given up, which the log says
// without the address. One that recovers meanwhile gets it once.
func TestTries(t *testing.T) {
	dir := t.TempDir()
	store, err := boltledger.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	quiet := NewReceiver("https://hooks.example.com", "json", zap.NewNop())
	if err := quiet.Tell(t.Context(), store, app(), tuesday); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zap.InfoLevel)
		r := NewReceiver("https://hooks.example.com"+secretPath, "json", zap.New(core))
		began, works := time.Now(), 99
		var tried []time.Duration
		r.client.Transport = answers(func(q *http.Request) (*http.Response, error) {
			tried = append(tried, time.Since(began))
			if len(tried) >= works {
				return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
			}
			<-q.Context().Done() // it does not answer
			return nil, q.Context().Err()
		})
		if err := r.Tell(t.Context(), store, app(conflicts("a")), tuesday); err != nil {
			t.Fatal(err)
		}
		if want := []time.Duration{0, 15 * time.Second, 55 * time.Second}; !reflect.DeepEqual(tried, want) {
			t.Errorf("tried after %v, want %v", tried, want)
		}
		if logs.Len() != 1 || strings.Contains(logs.All()[0].ContextMap()["why"].(string), "canary") {
			t.Errorf("logged %v", logs.All())
		}
		if err := r.Tell(t.Context(), store, app(conflicts("a")), tuesday); err != nil || len(tried) != 3 {
			t.Errorf("a message that was given up: %d tries, %v", len(tried), err)
		}
		works = 5 // at the second try
		if err := r.Tell(t.Context(), store, app(conflicts("a", "b")), tuesday); err != nil || len(tried) != 5 {
			t.Errorf("a receiver that recovers: %d tries, %v", len(tried), err)
		}
		if logs.Len() != 1 {
			t.Errorf("logged %v", logs.All())
		}
	})
}

// A message whose posting is interrupted is posted after the next start.
func TestInterrupted(t *testing.T) {
	store, err := boltledger.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	in := newInbox(t)
	good := NewReceiver(in.URL, "json", zap.NewNop())
	if err := good.Tell(t.Context(), store, app(), tuesday); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	hangs := NewReceiver(in.URL, "json", zap.NewNop())
	hangs.client.Transport = answers(func(q *http.Request) (*http.Response, error) {
		cancel()
		return nil, q.Context().Err()
	})
	if err := hangs.Tell(ctx, store, app(conflicts("a")), tuesday); err != nil {
		t.Fatal(err)
	}
	if err := good.Tell(t.Context(), store, app(conflicts("a")), tuesday); err != nil || len(in.all()) != 1 {
		t.Errorf("sent %q, %v", in.all(), err)
	}
}

// A message goes nowhere else than to the origin of the address, and errors do not have the address.
func TestErrorsOfReceivers(t *testing.T) {
	t.Parallel()
	elsewhere := newInbox(t)
	for name, serve := range map[string]http.HandlerFunc{
		"another origin": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
		},
		"status 403": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
		"too often": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		},
		"EOF": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		server := httptest.NewServer(serve)
		err := NewReceiver(server.URL+secretPath, "json", zap.NewNop()).once(t.Context(), []byte("{}"))
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "canary") ||
			strings.Contains(err.Error(), server.URL) {
			t.Errorf("%s: %v", name, err)
		}
		server.Close()
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	err := NewReceiver(closed.URL+secretPath, "json", zap.NewNop()).once(t.Context(), []byte("{}"))
	if err == nil || strings.Contains(err.Error(), strings.TrimPrefix(closed.URL, "http://")) {
		t.Errorf("nothing listens: %v", err)
	}
	if sent := elsewhere.all(); len(sent) > 0 {
		t.Errorf("another origin got %q", sent)
	}
}
