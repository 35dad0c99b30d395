package service

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// What tests of the whole interface use, which are outside the package because the packages above it are in them.
type (
	Seen   = seen
	Script = script
)

// Canary is the key of test clients.
const Canary = canary

// Attempts is how often a call is made at most.
var Attempts = defaultLimits.attempts

// The answers of a scripted server.
var (
	Say  = say
	Lose = lose
	Half = half
)

// Serve is a server that gives one answer after the other.
func Serve(t testing.TB, steps ...http.HandlerFunc) *Script { return serve(t, steps...) }

// Dialing has the client's connections made by dial, which is given the usual way of making one.
func Dialing(c *Client, dial func(usual func() (net.Conn, error)) (net.Conn, error)) {
	usual := c.own.DialContext
	c.own.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return dial(func() (net.Conn, error) { return usual(ctx, network, address) })
	}
}

// LimitedOnce gives up after the first 429.
func LimitedOnce(c *Client) { c.limits.rateAttempts = 1 }

// Bubble runs f in fake time with a client of a service that gives one answer to its first request and another one to
// all that follow; arrivals are when they came.
func Bubble(t *testing.T, first, then http.HandlerFunc, f func(t *testing.T, c *Client,
	arrivals func() []time.Duration)) {
	bubble(t, time.Millisecond, func(t *testing.T, l *line, client func(float64) *Client) {
		l.answer = func(n int) *http.Response {
			w := httptest.NewRecorder()
			if n == 1 {
				first(w, nil)
			} else {
				then(w, nil)
			}
			return w.Result()
		}
		f(t, client(0), func() []time.Duration { return l.arrivals })
	})
}

// PartsOf are the parts of a form that a server got, by "name filename".
func PartsOf(t *testing.T, s Seen) map[string]string { return partsOf(t, s) }

// Zipped is an archive of one file.
func Zipped(t testing.TB, name, content string) string { return string(zipped(t, file(name, content))) }
