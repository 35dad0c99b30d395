package serve

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// A person who signs in waits for as long as two passwords take, however many strangers wait: of one address or of many.
func TestQueue(t *testing.T) {
	const derives = 100 * time.Millisecond
	for name, address := range map[string]func(i int) string{
		"one address": func(int) string { return "stranger" }, "many": func(i int) string { return fmt.Sprint(i) },
		"the same": func(int) string { return "honest" },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var q Queue
				pass := func(ctx context.Context, from string) (time.Duration, bool) {
					began := time.Now()
					passed := q.Wait(ctx, from)
					if passed {
						time.Sleep(derives)
						q.Next()
					}
					return time.Since(began), passed
				}
				refused := make(chan bool, 200)
				for i := range 200 {
					go func() {
						_, passed := pass(t.Context(), address(i))
						refused <- !passed
					}()
				}
				synctest.Wait()
				if took, passed := pass(t.Context(), "honest"); !passed || took > 2*derives {
					t.Errorf("passed: %t, after %s", passed, took)
				}
				n := 0
				for range 200 {
					if <-refused {
						n++
					}
				}
				if want := 200 - maxWaiting; n != want && n != want-1 {
					t.Errorf("%d of 200 strangers were refused", n)
				}
				leaves, leave := context.WithCancel(t.Context())
				first := make(chan bool)
				go func() {
					pass(t.Context(), "first")
					first <- true
				}()
				synctest.Wait()
				left := make(chan bool)
				go func() {
					_, passed := pass(leaves, "second")
					left <- passed
				}()
				synctest.Wait()
				leave()
				if <-left {
					t.Error("who left passed")
				}
				<-first
				if len(q.waiting) > 0 {
					t.Error("who left is waited for")
				}
				if q.busy {
					t.Error("it stays busy")
				}
			})
		})
	}
}
