// Package fault keeps a panic where it happened: in one file, project, request or loop.
//
// Its law: a fault of the program itself becomes an error, or a panic of the goroutine that waits for the one that met
// it, and never ends the process; its stack is in the log of the process (zap.L), once. It repairs nothing: whatever
// was under way is as if the process had been killed there, which all that is stored has to bear anyway.
package fault

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// Error is a panic, with the stack of the goroutine that met it.
type Error struct {
	Value any
	Stack string

	logged atomic.Bool
}

// Remedy is what people can do about a fault.
const Remedy = "report it with the stack, which is in the log"

func (e *Error) Error() string {
	return fmt.Sprintf("a fault of locsync itself (%v); %s", e.Value, Remedy)
}

// ErrorCode is what reports call it.
func (e *Error) ErrorCode() string { return "internal" }

// Of is the fault of what recover returned; nil for none. The end of an answer is not a fault, and goes on as a panic.
func Of(recovered any) *Error {
	switch p := recovered.(type) {
	case nil:
		return nil
	case *Error:
		return p
	default:
		if p == http.ErrAbortHandler {
			panic(p)
		}
		return &Error{Value: p, Stack: string(debug.Stack())}
	}
}

// Log has the log say where a fault happened, with its stack.
func (e *Error) Log(where string) {
	if !e.logged.Swap(true) {
		zap.L().Error("a fault of locsync itself", zap.String("in", where), zap.Any("fault", fmt.Sprint(e.Value)),
			zap.String("stack", e.Stack))
	}
}

// Catch is deferred where a fault is to become the error of a function.
func Catch(where string, err *error) {
	if e := Of(recover()); e != nil {
		e.Log(where)
		*err = e
	}
}

// Group is goroutines that one waits for, which has their faults as its own.
type Group struct {
	all   sync.WaitGroup
	first atomic.Pointer[Error]
}

// Go runs f on a goroutine of its own.
func (g *Group) Go(f func()) {
	g.all.Go(func() {
		defer func() {
			if e := Of(recover()); e != nil {
				g.first.CompareAndSwap(nil, e)
			}
		}()
		f()
	})
}

// Wait waits for all, and panics with the first of their faults.
func (g *Group) Wait() {
	g.all.Wait()
	if e := g.first.Load(); e != nil {
		panic(e)
	}
}

// Each runs f for the numbers below n, as many at once as there are processors, and waits for all.
func Each(n int, f func(i int)) {
	var next atomic.Int64
	var workers Group
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	workers.Wait()
}

// firstPause and longestPause are how long a loop that met a fault rests before it begins again.
const (
	firstPause   = time.Second
	longestPause = time.Minute
)

// Keep runs a loop until it returns, or ctx ends: where it met a fault, it begins again after a pause.
func Keep(ctx context.Context, where string, loop func()) {
	run := func() (err error) {
		defer Catch(where, &err)
		loop()
		return nil
	}
	for pause := firstPause; run() != nil; pause = min(2*pause, longestPause) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// Handler answers a request whose handler meets a fault with 500, where nothing was answered yet.
func Handler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &begun{ResponseWriter: w}
		defer func() {
			e := Of(recover())
			if e == nil {
				return
			}
			e.Log(r.Method + " " + r.URL.Path)
			if seen.is {
				panic(http.ErrAbortHandler) // what was answered is not whole
			}
			http.Error(w, e.Error(), http.StatusInternalServerError)
		}()
		h.ServeHTTP(seen, r)
	})
}

// begun knows whether an answer has begun.
type begun struct {
	http.ResponseWriter
	is bool
}

func (w *begun) WriteHeader(status int) {
	w.is = w.is || status >= http.StatusOK
	w.ResponseWriter.WriteHeader(status)
}

func (w *begun) Write(b []byte) (int, error) {
	w.is = true
	return w.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (w *begun) Unwrap() http.ResponseWriter { return w.ResponseWriter }
