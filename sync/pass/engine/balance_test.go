package engine

import (
	"net/http"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service/local"
)

// A balance is asked for once an hour at most, once each time, and kept in the state; a service that does not tell it
// makes no pass fail.
func TestBalance(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int // of the service's answer; 0: its own
		kept   bool
	}{
		{"told", 0, true},
		{"no such operation", http.StatusNotFound, false},
		{"not allowed", http.StatusForbidden, false},
		{"down", http.StatusBadGateway, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`},
				func(o *local.Options) { o.Balance = 700 })
			w.wire.failing(func(r *http.Request) local.Fault {
				if strings.HasSuffix(r.URL.Path, "/smartwords/balance") {
					return local.Fault{Refuse: c.status}
				}
				return local.Fault{}
			})
			for range 2 {
				kept, err := AskBalance(t.Context(), w.Engine)
				if kept != c.kept || (err != nil) != (c.status != 0) {
					t.Fatalf("kept %v, %v", kept, err)
				}
			}
			asked, want := len(w.wire.take("")), 1
			if c.status != 0 {
				want = 2
			}
			if asked != want {
				t.Errorf("%d requests, want %d", asked, want)
			}
			w.restart(w.Config)
			told := w.Status(t.Context()).Balance
			if (told == nil) != (c.status != 0) || told != nil && told.Words != 700 {
				t.Errorf("the status tells %v", told)
			}
			w.clean(push.Options{})
		})
	}
}
