package api

import (
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
)

// admit decides whether a call is answered at all.
func (s *Server) admit(r *http.Request) error {
	if !s.authentic(r) {
		return Refuse(http.StatusUnauthorized,
			"HTTP Basic credentials are missing or wrong")
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

func (s *Server) authentic(r *http.Request) bool {
	if len(s.o.Keys) == 0 {
		return true
	}
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
