package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/locsync/locsync/sync/bound/serve"
	"go.uber.org/zap"
)

// admit decides whether a call is answered at all.
func (s *Server) admit(r *http.Request) error {
	if err := s.identify(r); err != nil {
		return err
	}
	if s.o.Personal {
		return Refuse(http.StatusForbidden, "the account %s is a personal one; this interface is for company accounts",
			s.o.Account)
	}
	if wait := s.window.take(s.o.Now()); wait > 0 {
		return &Problem{
			Status: http.StatusTooManyRequests,
			Detail: "more than " + strconv.FormatFloat(s.o.RateLimit, 'g', -1, 64) + " requests per second; slow down",
			retry:  strconv.Itoa(int(math.Ceil(wait.Seconds()))),
		}
	}
	return nil
}

// Wrong keys of one address: as many are answered at once, and one more after each wait. So many calls wait; further
// ones of the address are not compared with the keys, unless their connection has had a right one.
const (
	wrongAtOnce  = 10
	wrongEvery   = 500 * time.Millisecond
	wrongWaiting = 16
)

// guesses are the calls with a wrong key.
type guesses struct {
	rate    serve.Tries[string] // by address
	mu      sync.Mutex
	waiting map[string]int // by address
	all     int64
}

func newGuesses() guesses {
	return guesses{rate: serve.Tries[string]{AtOnce: wrongAtOnce, Every: wrongEvery}, waiting: map[string]int{}}
}

// identify refuses who has no key. Guessing is slowed by address: a right key is taken meanwhile, also from there.
func (s *Server) identify(r *http.Request) error {
	if len(s.o.Keys) == 0 {
		return nil
	}
	from := serve.Peer(r)
	if s.wrong.full(from) && !serve.IsKnown(r.Context()) {
		return &Problem{Status: http.StatusTooManyRequests, retry: "1",
			Detail: "too many calls of your address have a wrong key; slow down"}
	}
	if s.authentic(r) {
		serve.Known(r.Context())
		return nil
	}
	if r.Header.Get("Authorization") == "" { // a client that waits to be asked for its key
		return Refuse(http.StatusUnauthorized, "HTTP Basic credentials are missing")
	}
	all := s.wrong.slow(r.Context(), from)
	s.aside.Warn("a wrong API key or account", zap.String("from", from), zap.Int64("wrong", all))
	return Refuse(http.StatusUnauthorized, "HTTP Basic credentials are wrong")
}

// full says that so many calls of an address wait that no further one is read.
func (g *guesses) full(from string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.waiting[from] >= wrongWaiting
}

// slow has a wrong call wait for its answer, and returns how many there were.
func (g *guesses) slow(ctx context.Context, from string) (all int64) {
	g.mu.Lock()
	g.all++
	all = g.all
	g.waiting[from]++
	g.mu.Unlock()
	for wait := g.rate.Take(from, time.Now()); wait > 0; wait = g.rate.Take(from, time.Now()) {
		if !Pause(ctx, wait) {
			break
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting[from]--; g.waiting[from] == 0 {
		delete(g.waiting, from)
	}
	return all
}

func (s *Server) authentic(r *http.Request) bool {
	user, password, ok := credentials(r.Header.Get("Authorization"))
	if !ok {
		return false
	}
	// All keys are compared, so that the time it takes tells nothing about them.
	match := 0
	for _, key := range s.o.Keys {
		match |= same(password, key)
	}
	return same(user, s.o.Account)&match == 1
}

// credentials reads a Basic header. White space inside the encoded part is dropped: some clients fold it into lines.
func credentials(header string) (user, password string, ok bool) {
	scheme, encoded, found := strings.Cut(strings.TrimSpace(header), " ")
	if !found || !strings.EqualFold(scheme, "Basic") {
		return "", "", false
	}
	encoded = strings.TrimRight(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, encoded), "=")
	decoded, err := base64.RawStdEncoding.DecodeString(encoded)
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(decoded), ":")
}

// same compares in a time that does not depend on where the texts differ, nor on their lengths; 1 means equal.
func same(a, b string) int {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:])
}

// window counts the calls of the last second. Calls that are refused do not count, so that a client which keeps
// trying gets through.
type window struct {
	mu    sync.Mutex
	most  int
	span  time.Duration
	taken []time.Time // ring of the last calls, oldest at next
	next  int
}

// newWindow allows rate calls in any second, or, below 1, one call in 1/rate seconds. 0 allows everything.
func newWindow(rate float64) *window {
	switch {
	case rate == 0 || math.IsInf(rate, 1):
		return &window{}
	case rate < 1:
		return &window{most: 1, span: time.Duration(float64(time.Second) / rate)}
	}
	return &window{most: int(min(rate, 1e6)), span: time.Second}
}

// take counts a call, or says how long to wait until there is room for it.
func (w *window) take(now time.Time) (wait time.Duration) {
	if w.most == 0 {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.taken) < w.most {
		w.taken = append(w.taken, now)
		return 0
	}
	if wait = w.taken[w.next].Add(w.span).Sub(now); wait > 0 {
		return wait
	}
	w.taken[w.next] = now
	w.next = (w.next + 1) % w.most
	return 0
}
