package fault

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// observed is the log of the process until the test ends.
func observed(t *testing.T) *observer.ObservedLogs {
	t.Helper()
	core, logs := observer.New(zapcore.ErrorLevel)
	t.Cleanup(zap.ReplaceGlobals(zap.New(core)))
	return logs
}

func faulty() { panic("x went wrong") }

// stackOf is the only stack in a log, which has to name the function that was at fault.
func stackOf(t *testing.T, logs *observer.ObservedLogs) {
	t.Helper()
	all := logs.FilterMessage("a fault of locsync itself").All()
	if len(all) != 1 || !strings.Contains(all[0].ContextMap()["stack"].(string), "fault.faulty") {
		t.Fatalf("log %v, want the stack once", all)
	}
}

func TestCatch(t *testing.T) {
	logs := observed(t)
	err := func() (err error) {
		defer Catch("a test", &err)
		faulty()
		return nil
	}()
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "x went wrong") {
		t.Fatalf("error %v", err)
	}
	stackOf(t, logs)
}

// TestGroup: the fault of a goroutine is that of the one that waits, with the stack of the first.
func TestGroup(t *testing.T) {
	logs := observed(t)
	done := make([]bool, 3)
	err := func() (err error) {
		defer Catch("outer", &err)
		defer Catch("inner", &err)
		var all Group
		for i := range done {
			all.Go(func() {
				if done[i] = true; i == 1 {
					faulty()
				}
			})
		}
		all.Wait()
		t.Error("it was waited for, and there is no fault")
		return nil
	}()
	if err == nil || !done[0] || !done[2] {
		t.Fatalf("error %v, done %v", err, done)
	}
	stackOf(t, logs)
}

// TestEach: each number once, however many there are, and a fault is that of the caller.
func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		met := make([]int, n)
		Each(n, func(i int) { met[i]++ })
		for i, times := range met {
			if times != 1 {
				t.Fatalf("%d of %d %d times", i, n, times)
			}
		}
	}
	logs := observed(t)
	err := func() (err error) {
		defer Catch("a test", &err)
		Each(10, func(i int) {
			if i == 3 {
				faulty()
			}
		})
		return nil
	}()
	if err == nil {
		t.Fatal("the fault went by")
	}
	stackOf(t, logs)
}

func TestKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		Keep(t.Context(), "a loop", func() {
			if runs++; runs < 5 {
				faulty()
			}
		})
		if runs != 5 {
			t.Errorf("the loop ran %d times, want 5", runs)
		}
		ctx, cancel := context.WithCancel(t.Context())
		Keep(ctx, "a loop", func() { cancel(); faulty() })
	})
}

func TestHandler(t *testing.T) {
	logs := observed(t)
	server := httptest.NewServer(Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/begun":
			_, _ = w.Write(make([]byte, 1<<20))
			panic("too late")
		case "/fault":
			faulty()
		}
	})))
	defer server.Close()
	for path, want := range map[string]int{"/": 200, "/fault": 500} {
		answer, err := server.Client().Get(server.URL + path)
		if err != nil || answer.StatusCode != want {
			t.Fatalf("%s: %v %v, want %d", path, answer, err, want)
		}
		_ = answer.Body.Close()
	}
	stackOf(t, logs)
	answer, err := server.Client().Get(server.URL + "/begun")
	if err == nil {
		_, err = answer.Body.Read(make([]byte, 2<<20))
		for err == nil {
			_, err = answer.Body.Read(make([]byte, 2<<20))
		}
		_ = answer.Body.Close()
	}
	if err == nil || err.Error() == "EOF" {
		t.Errorf("an answer that was cut reads as whole: %v", err)
	}
}
