//go:build unix

package daemon

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/run/notify"
	"github.com/locsync/locsync/sync/run/process"
)

// A daemon remembers what was so when messages began, tells what changes after that, and ends with its context. Without
// an address it does neither.
func TestNotifier(t *testing.T) {
	w := newWorld(t)
	said := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		said <- string(body)
	}))
	defer receiver.Close()
	file := filepath.Join(w.repo, "locsync.toml")
	text, err := os.ReadFile(file)
	w.check(err)
	t.Setenv("MESSAGES", receiver.URL)
	w.check(os.WriteFile(file, append(text, "\n[notify]\nurl_env = \"MESSAGES\"\n"...), 0o600))
	cfg, err := config.Load(file)
	w.check(err)
	p, err := process.Open(t.Context(), cfg, process.Options{Log: zap.NewNop()})
	w.check(err)
	defer func() { w.check(p.Close()) }()

	var used atomic.Pointer[engine.Engine]
	used.Store(p.Engine)
	n := &notifier{log: zap.NewNop(), store: p.Store, engine: used.Load}
	facts := func() []ledger.Fact {
		all, err := ledger.Notified.List(p.Store, ledger.AllProjects)
		w.check(err)
		return all
	}
	n.tell(t.Context(), p.Engine, true)
	if got := facts(); len(got) > 0 {
		t.Errorf("without an address it remembers %+v", got)
	}
	to, err := notify.Open(cfg, p.ReadFile, zap.NewNop())
	w.check(err)
	n.receiver.Store(to)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { n.run(ctx); close(ended) }()
	for end := time.Now().Add(time.Minute); len(facts()) < 4; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it remembers %+v", facts())
		}
	}
	cancel()
	<-ended
	gittest.Commit(t, w.repo, "German", map[string]string{"de.json": `{"a": "Ä"}`})
	for range 2 {
		n.tell(t.Context(), p.Engine, true)
	}
	if len(said) != 1 {
		t.Fatalf("it told %d times; it knows %+v", len(said), facts())
	}
	if got := <-said; !strings.Contains(got, `"kind":"complete","project":"app","language":"de"`) {
		t.Errorf("it told %s", got)
	}
}

// Of thousands of projects no repository is opened for messages: they are about what passes have left.
func TestNotifierOfMany(t *testing.T) {
	w := newWorld(t)
	cfg := *w.cfg
	for i := range 101 {
		p := w.cfg.Projects[0]
		p.Name, p.Repository = fmt.Sprint("p", i), "nowhere"
		cfg.Projects = append(cfg.Projects, p)
	}
	p, err := process.Open(t.Context(), w.cfg, process.Options{Log: zap.NewNop()})
	w.check(err)
	defer func() { w.check(p.Close()) }()
	n := &notifier{log: zap.NewNop(), store: p.Store}
	to, err := notify.Open(w.cfg, p.ReadFile, zap.NewNop())
	w.check(err)
	if to == nil {
		to = new(notify.Receiver)
	}
	n.receiver.Store(to)
	n.tell(t.Context(), engine.New(engine.Parts{Config: &cfg, State: p.Store, Log: zap.NewNop()}), true)
	all, err := ledger.Notified.List(p.Store, ledger.AllProjects)
	w.check(err)
	if len(all) > 0 {
		t.Errorf("it remembers %d facts of projects that no pass was made of", len(all))
	}
}
