package page

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// How often an address may try to sign in: as many times at once, and once more after each wait.
const (
	triesAtOnce = 5
	tryEvery    = 30 * time.Second
	maxPeers    = 1024
)

// guesses counts the attempts to sign in by address. An attempt counts when it begins, so that many at one time are as
// many as one after the other; a right one takes itself back, and not the wrong ones before it, which may have been
// made with another person's name.
type guesses struct {
	mu   sync.Mutex
	from map[string]*tries
}

type tries struct {
	n    int
	last int64 // Unix nanoseconds
}

func newGuesses() *guesses { return &guesses{from: map[string]*tries{}} }

// allowed counts an attempt, or says that there were too many.
func (g *guesses) allowed(from string, now int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.from[from]
	if t == nil {
		g.makeRoom(now)
		t = &tries{last: now}
		g.from[from] = t
	}
	t.forgive(now)
	if t.n >= triesAtOnce {
		return false
	}
	t.n++
	return true
}

// forgive takes off what time has forgiven.
func (t *tries) forgive(now int64) {
	n := (now - t.last) / int64(tryEvery)
	if t.n = max(t.n-int(n), 0); t.n == 0 {
		t.last = now
		return
	}
	t.last += n * int64(tryEvery)
}

// makeRoom forgets the addresses that time has forgiven, and others where there are too many all the same.
func (g *guesses) makeRoom(now int64) {
	if len(g.from) < maxPeers {
		return
	}
	for other, t := range g.from {
		if t.forgive(now); t.n == 0 || len(g.from) >= maxPeers {
			delete(g.from, other)
		}
	}
}

func (g *guesses) right(from string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t := g.from[from]; t != nil {
		t.n = max(t.n-1, 0)
	}
}

// peer names who asks: the address of the connection or, where that is a proxy on this machine, the one that it was
// asked by. Of IPv6 it is the network, all of which one owner has.
func peer(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if by := r.Header.Values("X-Forwarded-For"); ip.IsLoopback() && len(by) > 0 {
		last := by[len(by)-1]
		if asked, err := netip.ParseAddr(strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])); err == nil {
			ip = asked
		}
	}
	ip = ip.Unmap().WithZone("")
	if whole, err := ip.Prefix(64); err == nil && ip.Is6() && !ip.IsLoopback() {
		return whole.Addr().String()
	}
	return ip.String()
}
