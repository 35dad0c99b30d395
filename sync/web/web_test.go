package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/report"
)

// newServer is the address over a real repository and state; no service is asked for what it tells.
// loopback is where tests have their proxies.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

func newServer(t testing.TB) (s *Options, repo string) {
	t.Helper()
	gittest.Need(t)
	repo = gittest.Init(t, map[string]string{"en.json": `{"a": "A"}`})
	file := filepath.Join(repo, "locsync.toml")
	text := "[[project]]\nname = \"app\"\nsource_language = \"en\"\ntarget_languages = [\"de\"]\n[[project.files]]\nsource = \"en.json\"\noutput = \"{LANGUAGE}.json\"\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	store, err := boltledger.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return &Options{Engine: engine.New(engine.Parts{Config: cfg, State: store, Log: zap.NewNop()}),
		Log: zap.NewNop(), Version: "test", Proxies: loopback}, repo
}

func pendingOf(t *testing.T, s *statuses) int {
	t.Helper()
	answer := httptest.NewRecorder()
	s.serve(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/status", nil))
	var got report.Status
	if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil || len(got.Projects) != 1 {
		t.Fatalf("%s, %v", answer.Body, err)
	}
	return got.Projects[0].Pending
}

// Many readers cost one look, and a look is not kept for longer than it is worth.
func TestReadersShareAStatus(t *testing.T) {
	o, repo := newServer(t)
	s := assemble(o).statuses
	begin := time.Now()
	if got := pendingOf(t, s); got != 1 {
		t.Fatalf("%d values wait, want 1", got)
	}
	if took := time.Since(begin); s.until.After(time.Now().Add(reuse * took)) {
		t.Errorf("a look that took at most %v is kept until %v", took, s.until)
	}
	if err := os.WriteFile(filepath.Join(repo, "en.json"), []byte(`{"a": "A", "b": "B"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s.until = time.Now().Add(time.Hour)
	if got := pendingOf(t, s); got != 1 {
		t.Errorf("%d values wait: a second look was made", got)
	}
	s.until = time.Now().Add(-time.Second)
	if got := pendingOf(t, s); got != 2 {
		t.Errorf("%d values wait, want 2", got)
	}
}

// A reader who leaves has the look made for the next one; but where the handler ends, it ends, and nothing is kept of
// it.
func TestStatusOfReadersThatLeave(t *testing.T) {
	o, _ := newServer(t)
	ends := make(chan struct{})
	o.Ends = ends
	s := assemble(o).statuses
	gone, leave := context.WithCancel(t.Context())
	leave()
	s.now(gone)
	if s.until.IsZero() || len(s.last.Projects) != 1 || s.last.Projects[0].Pending != 1 {
		t.Errorf("for the next reader there is %+v", s.last)
	}
	s.until = time.Time{}
	close(ends)
	for end := time.Now().Add(20 * time.Second); ; {
		began := time.Now()
		s.now(gone)
		if s.until.IsZero() {
			break // it was cut
		}
		if s.until = (time.Time{}); began.After(end) {
			t.Fatal("a look goes on for nobody when the handler has ended")
		}
	}
	s.engine.Status(gone)
	if last := s.engine.LastStatus().Projects; len(last) != 1 || last[0].Pending != 1 || len(last[0].Problems) > 0 {
		t.Errorf("after a look that was cut short the last status is %+v", last)
	}
}

// Whatever is asked for, the answer can neither be framed, sniffed nor kept, and runs nothing from elsewhere.
func TestEveryAnswerIsGuarded(t *testing.T) {
	s, _ := newServer(t)
	handler := New(*s)
	for target, want := range map[string]int{
		"GET /": 200, "GET /healthz": 200, "GET /readyz": 503, "GET /metrics": 200, "GET /api/status": 200,
		"GET /else": 404, "GET /trigger": 405, "POST /": 405, "POST /webhook/github": 403,
		"POST /callback/project/status": 403,
	} {
		method, path, _ := strings.Cut(target, " ")
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1"+path, nil))
		if answer.Code != want {
			t.Errorf("%s: %d, want %d: %s", target, answer.Code, want, answer.Body)
		}
		h := answer.Header()
		if !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" ||
			h.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%s: headers %v", target, h)
		}
	}
}

func TestIdentifiers(t *testing.T) {
	for body, want := range map[string]string{
		`["a", "b"]`: "a b", `[]`: "", `"a"`: "a", `{"id": "a"}`: "a", `{"taskId": "b"}`: "b",
		`{}`: "no", `[1]`: "no", `3`: "no", ``: "no", `["a"`: "no", `[` + strings.Repeat(`"x",`, 1000) + `"x"]`: "no",
	} {
		ids, ok := identifiers([]byte(body))
		got := strings.Join(ids, " ")
		if !ok {
			got = "no"
		}
		if got != want {
			t.Errorf("%.40s: %q, want %q", body, got, want)
		}
	}
}
