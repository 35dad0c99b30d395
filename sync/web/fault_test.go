package web

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/report"
)

// TestFaultInRequests: a fault in what a page or a command asks for is the failure of that request, with its stack in
// the log, and the next one is answered.
func TestFaultInRequests(t *testing.T) {
	core, logs := observer.New(zapcore.ErrorLevel)
	defer zap.ReplaceGlobals(zap.New(core))()
	asked := 0
	w := newWorld(t, "", func(o *Options) {
		o.Translate = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			if asked++; asked == 1 {
				panic("the page went wrong")
			}
		})
	}, worldProject{name: "app", languages: []string{"de"},
		files: map[string]string{"locales/en/a.json": `{"k":"Text"}`}})
	for _, want := range []int{http.StatusInternalServerError, http.StatusOK} {
		answer, err := http.Get(w.server.URL + "/translate/")
		check(t, err)
		check(t, answer.Body.Close())
		if answer.StatusCode != want {
			t.Errorf("the page answers %d, want %d", answer.StatusCode, want)
		}
	}
	dir, serving := t.TempDir(), t.Context()
	ctx, stop := context.WithCancel(serving)
	done := make(chan error, 1)
	go func() {
		c := Control{Dir: dir, Patience: 50 * time.Millisecond, Engine: func() *engine.Engine { return w.engine }}
		done <- c.Serve(ctx, ctx)
	}()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, controlFile)); err == nil {
			break
		}
	}
	w.saying = func(report.Doing) { panic("progress went wrong") }
	answer, err := Ask(t.Context(), dir, Request{Action: "push"}, nil)
	if err == nil && answer.Failure == (report.Failure{}) {
		t.Errorf("a push whose progress has a fault: %+v", answer)
	}
	w.saying = nil
	answer, err = Ask(t.Context(), dir, Request{Action: "push"}, nil)
	if err != nil || answer.Failure != (report.Failure{}) || len(answer.Push.Projects) != 1 ||
		answer.Push.Projects[0].Keys != 1 {
		t.Errorf("the next push: %+v %v", answer, err)
	}
	stop()
	if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n := logs.FilterMessage("a fault of locsync itself").Len(); n != 2 {
		t.Errorf("%d stacks in the log, want 2", n)
	}
}
