package service_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/service"
)

// Faults come in pairs: the service refused before any effect, or it did what was asked and the answer was
// lost. What may have been done is done again only where that does no harm, and the error says so.
func TestLostAnswers(t *testing.T) {
	gittest.Long(t)
	for _, fault := range []struct {
		name string
		step http.HandlerFunc
	}{
		{"connection reset", service.Lose},
		{"half an answer", service.Half},
		{"502", service.Say(502, "<html><title>Bad gateway</title>")},
		{"503", service.Say(503, "", "Retry-After", "0")},
		{"504", service.Say(504, `{"detail":"late"}`)},
	} {
		for _, op := range operations {
			if fault.name == "half an answer" && (op.silent || op.stream) {
				continue // there is no content to lose, or some of it was handed on: TestStreamCutOff
			}
			t.Run(op.name+", "+fault.name, func(t *testing.T) {
				s := service.Serve(t, fault.step, op.ok)
				err := op.do(t.Context(), s.Client(t))
				requests := len(s.Seen())
				switch {
				case op.repeatable && (err != nil || requests != 2):
					t.Errorf("%d requests, %v; want it repeated", requests, err)
				case !op.repeatable && (!errors.Is(err, service.ErrUnknownOutcome) ||
					!errors.Is(err, service.ErrTemporary) ||
					requests != 1):
					t.Errorf("%d requests, %v; want one, and the doubt told", requests, err)
				}
			})
			t.Run(op.name+", "+fault.name+" for ever", func(t *testing.T) {
				s := service.Serve(t, fault.step)
				err := op.do(t.Context(), s.Client(t))
				if requests := len(s.Seen()); !errors.Is(err, service.ErrTemporary) ||
					errors.Is(err, service.ErrUnknownOutcome) != op.changes || requests > service.Attempts {
					t.Errorf("%d requests, %v", requests, err)
				}
			})
		}
	}
}

// Refused before any effect: a 429 and a connection that was not made are repeated, whatever the call.
func TestRefusedBeforeTheEffect(t *testing.T) {
	t.Parallel()
	for _, op := range operations {
		t.Run(op.name+", 429", func(t *testing.T) {
			service.Bubble(t, service.Say(429, ""), op.ok, func(t *testing.T, c *service.Client,
				arrivals func() []time.Duration) {
				err, at := op.do(t.Context(), c), arrivals()
				if err != nil || len(at) != 2 || at[1]-at[0] < time.Second/2 {
					t.Errorf("requests at %v, %v", at, err)
				}
			})
		})
		t.Run(op.name+", no connection", func(t *testing.T) {
			s := service.Serve(t, op.ok)
			c := s.Client(t)
			var dials atomic.Int32
			service.Dialing(c, func(usual func() (net.Conn, error)) (net.Conn, error) {
				if dials.Add(1) == 1 {
					return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
				}
				return usual()
			})
			if err := op.do(t.Context(), c); err != nil || len(s.Seen()) != 1 {
				t.Errorf("%d requests, %v", len(s.Seen()), err)
			}
		})
		t.Run(op.name+", never a connection", func(t *testing.T) {
			s := service.Serve(t, op.ok)
			c := s.Client(t)
			// A closed server's port may be another test's by then.
			service.Dialing(c, func(func() (net.Conn, error)) (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
			})
			if err := op.do(t.Context(), c); !errors.Is(err, service.ErrTemporary) ||
				errors.Is(err, service.ErrUnknownOutcome) {
				t.Errorf("error %v", err)
			}
		})
		t.Run(op.name+", 400", func(t *testing.T) {
			s := service.Serve(t, service.Say(400, `{"detail":"language is missing"}`))
			err := op.do(t.Context(), s.Client(t))
			if len(s.Seen()) != 1 || errors.Is(err, service.ErrRefused) == op.waits ||
				errors.Is(err, service.ErrNotReady) != op.waits || errors.Is(err, service.ErrTemporary) ||
				errors.Is(err, service.ErrUnknownOutcome) ||
				!strings.Contains(err.Error(), "language is missing") {
				t.Errorf("%d requests, %v", len(s.Seen()), err)
			}
		})
		t.Run(op.name+", 500", func(t *testing.T) {
			s := service.Serve(t, service.Say(500, ""), op.ok)
			err := op.do(t.Context(), s.Client(t))
			get := s.Seen()[0].Method == http.MethodGet
			if get != (err == nil) || errors.Is(err, service.ErrUnknownOutcome) != (op.changes && !get) {
				t.Errorf("%d requests, %v", len(s.Seen()), err)
			}
		})
	}
}

// The caller's context ends any call at once; for a call that changes something the doubt stays.
func TestCancel(t *testing.T) {
	for _, op := range operations {
		t.Run(op.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			s := service.Serve(t, func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
			err := op.do(ctx, s.Client(t))
			if !errors.Is(err, context.Canceled) || errors.Is(err, service.ErrUnknownOutcome) != op.changes ||
				errors.Is(err, service.ErrTemporary) || len(s.Seen()) != 1 {
				t.Errorf("%d requests, %v", len(s.Seen()), err)
			}
		})
	}
}

// The key turns up in no error, no record of the hook, no printed client, even where the service echoes it.
func TestKeyStaysSecret(t *testing.T) {
	t.Parallel()
	basic := base64.StdEncoding.EncodeToString([]byte(t.Name() + ":" + service.Canary))
	echo := func(code int) http.HandlerFunc {
		return service.Say(code,
			`{"detail":"wrong key `+service.Canary+`","title":"`+basic+`","requestId":"`+service.Canary+
				`","instance":"`+service.Canary+`","code":"`+service.Canary+`","type":"`+service.Canary+`"}`, "X-Request-Id",
			service.Canary)
	}
	check := func(what string, v any) {
		t.Helper()
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			said := fmt.Sprintf(verb, v)
			for _, secret := range []string{service.Canary, basic, fmt.Sprintf("%x", service.Canary),
				fmt.Sprint([]byte(service.Canary))} {
				if strings.Contains(said, secret) {
					t.Errorf("%s, %s: %s", what, verb, said)
				}
			}
		}
	}
	for _, op := range operations {
		for _, code := range []int{200, 400, 401, 403, 404, 429, 500, 503} {
			s := service.Serve(t, echo(code))
			c := s.Client(t)
			service.LimitedOnce(c)
			err := op.do(t.Context(), c)
			check(op.name, err)
			var e *service.Error
			if errors.As(err, &e) {
				check(op.name, *e)
			}
			check("client", c)
		}
	}
	s := service.Serve(t, service.Say(200, `{"status":"failed","errors":[{"error":"`+service.Canary+`"}]}`))
	_, err := s.Client(t).Strings().WaitImport(t.Context(), "i")
	check("import failed", err)
	o := service.Options{APIKey: service.Canary}
	check("options", o)
	check("key", o.APIKey)
	b, err := json.Marshal(o.APIKey)
	check("JSON", string(b))
	if err != nil {
		t.Error(err)
	}
	text, _ := o.APIKey.MarshalText()
	check("text", string(text))
	check("by hand", o.APIKey.String()+o.APIKey.GoString())
}

func TestRedirects(t *testing.T) {
	elsewhere := service.Serve(t, service.Say(200, `{"id":"stolen"}`))
	t.Run("elsewhere", func(t *testing.T) {
		s := service.Serve(t, service.Say(307, "", "Location", elsewhere.URL+"/api"))
		for _, op := range operations {
			if err := op.do(t.Context(), s.Client(t)); err == nil || !strings.Contains(err.Error(), "redirect") ||
				errors.Is(err, service.ErrTemporary) {
				t.Errorf("%s: %v", op.name, err)
			}
		}
		if n := len(elsewhere.Seen()); n != 0 {
			t.Errorf("%d requests went elsewhere, with credentials %v", n, elsewhere.Seen()[0].Header)
		}
	})
	t.Run("same server", func(t *testing.T) {
		for _, op := range operations {
			s := service.Serve(t, service.Say(308, "", "Location", "/moved?x=1"), op.ok)
			if err := op.do(t.Context(), s.Client(t)); err != nil {
				t.Errorf("%s: %v", op.name, err)
			}
			if calls := s.Seen(); len(calls) != 2 || calls[1].Path != "/moved" || calls[0].Method != calls[1].Method ||
				calls[0].Body != calls[1].Body {
				t.Errorf("%s: calls %+v", op.name, calls)
			}
		}
	})
	t.Run("POST to GET", func(t *testing.T) {
		s := service.Serve(t, service.Say(303, "", "Location", "/moved"))
		if _, err := s.Client(t).Strings().StartImport(t.Context(), oneFile()); err == nil || len(s.Seen()) != 1 {
			t.Errorf("%d requests, %v", len(s.Seen()), err)
		}
	})
	t.Run("in circles", func(t *testing.T) {
		s := service.Serve(t, service.Say(302, "", "Location", "/again"))
		if _, err := s.Client(t).Projects().Read(t.Context(), "p"); !errors.Is(err, service.ErrUnusable) ||
			len(s.Seen()) != 4 {
			t.Errorf("%d requests, %v", len(s.Seen()), err)
		}
	})
}
