package gitops

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

// A patient call goes on while the remote fails in a way that may pass, says why it waits, and gives up in time. What
// stays as it is ends it at once.
func TestPatience(t *testing.T) {
	t.Parallel()
	var status, failures atomic.Int64
	s := serve(t, gittest.Options{})
	fault := func(*http.Request, int) *gittest.Fault {
		if failures.Add(-1) >= 0 {
			return &gittest.Fault{Status: int(status.Load())}
		}
		return nil
	}
	s.fault.Store(&fault)
	r := open(t, s.dir, Options{Remote: "origin"})
	var told []*Wait
	patient := Patient(t.Context(), 5*time.Second, func(w *Wait) { told = append(told, w) })
	fails := func(code, times int64) {
		status.Store(code)
		failures.Store(times)
		told = nil
	}

	fails(503, 1)
	if _, err := r.At(t.Context(), "l10n", "main"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("without patience: %v", err)
	}
	fails(503, 2)
	tip, err := r.At(patient, "l10n", "main")
	if err != nil || len(told) != 3 || told[0].Cause == "" || told[2] != nil {
		t.Fatalf("a fetch: %v, waits %v", err, told)
	}
	made := commitOn(t, r, tip, "l10n", files("a", "1"))
	fails(502, 2)
	if result, err := r.Push(patient, made); err != nil || !result.Pushed || len(told) == 0 {
		t.Errorf("a push: %+v, %v, waits %v", result, err, told)
	}
	fails(403, 1000)
	if _, err := r.At(patient, "l10n", "main"); !errors.Is(err, ErrAuth) || len(told) > 0 {
		t.Errorf("an account that may not: %v, waits %v", err, told)
	}
	fails(404, 1000)
	if _, err := r.At(patient, "l10n", "main"); err == nil || len(told) > 0 {
		t.Errorf("a repository that is not there: %v, waits %v", err, told)
	}
	fails(503, 1000)
	short := Patient(t.Context(), 300*time.Millisecond, func(w *Wait) { told = append(told, w) })
	if _, err := r.At(short, "l10n", "main"); !errors.Is(err, ErrUnavailable) || len(told) < 2 {
		t.Errorf("a server that stays away: %v, waits %v", err, told)
	}
	began := time.Now()
	if _, err := r.At(short, "l10n", "main"); !errors.Is(err, ErrUnavailable) || time.Since(began) > 5*time.Second {
		t.Errorf("once more: %v after %v", err, time.Since(began))
	}
}

// A remote that takes connections and says nothing is waited for once by all calls of a command, and has all the time
// that there is when it answers again.
func TestPatienceWithASilentRemote(t *testing.T) {
	t.Parallel()
	const silence = 3 * time.Second
	for _, scheme := range []string{"git", "http"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					defer c.Close()
				}
			}()
			dir, s := gittest.Init(t, map[string]string{"a": "1"}), serve(t, gittest.Options{})
			gittest.Git(t, dir, "remote", "add", "origin", scheme+"://"+l.Addr().String()+"/x.git")
			r := open(t, dir, Options{Remote: "origin", Silence: silence})
			patient := Patient(t.Context(), silence, func(*Wait) {})
			for i, most := range []time.Duration{2 * silence, silence / 2, silence / 2} {
				began := time.Now()
				_, err := r.At(patient, "l10n", "main")
				if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > most {
					t.Errorf("call %d: %v after %v", i, err, took)
				}
			}
			fault := func(*http.Request, int) *gittest.Fault { return &gittest.Fault{Delay: silence / 2} }
			s.fault.Store(&fault)
			other := open(t, s.dir, Options{Remote: "origin", Silence: silence})
			if _, err := other.At(patient, "l10n", "main"); err != nil {
				t.Errorf("another remote, which is slow: %v", err)
			}
		})
	}
}
