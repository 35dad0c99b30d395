package web

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"github.com/locsync/locsync/sync/bound/serve"
)

// Bounds of what is remembered of browsers.
const (
	maxSessions = 256
	sessionIdle = 12 * time.Hour  // a browser that did not come for so long has to be unlocked again
	saidFor     = 2 * time.Minute // how long the page says what was asked for
)

// Sessions are the browsers in which the page's token was typed, and the addresses from which wrong ones came. They
// live as long as the process, across reloads, and are nowhere else: the cookie holds a random word that means nothing
// without them.
type Sessions struct {
	mu   sync.Mutex
	open map[[sha256.Size]byte]*session // by the digest of the word in the cookie
	now  func() time.Time

	wrong serve.Tries[string] // by address
}

// session is one browser. The fields are guarded by the lock of Sessions.
type session struct {
	token [sha256.Size]byte // digest of the token that was typed: with another one configured, it counts no more
	nonce string            // what the page's forms carry, and a page of another site cannot know
	seen  time.Time

	project, said string // what was asked for last,
	at            time.Time
}

// NewSessions remembers no browser.
func NewSessions() *Sessions {
	return &Sessions{open: make(map[[sha256.Size]byte]*session), now: time.Now,
		wrong: serve.Tries[string]{AtOnce: maxWrong, Every: wrongWait}}
}

// visit is what a page may know of the session that a request belongs to.
type visit struct {
	Nonce         string
	Project, Said string
	id            [sha256.Size]byte
}

// begin makes a session and returns the word for its cookie.
func (s *Sessions) begin(token string) string {
	word := rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	var oldest [sha256.Size]byte
	for id, one := range s.open {
		if now.Sub(one.seen) > sessionIdle {
			delete(s.open, id)
		} else if first, there := s.open[oldest]; !there || one.seen.Before(first.seen) {
			oldest = id
		}
	}
	if len(s.open) >= maxSessions {
		delete(s.open, oldest)
	}
	s.open[sha256.Sum256([]byte(word))] = &session{token: sha256.Sum256([]byte(token)), nonce: rand.Text(), seen: now}
	return word
}

// of returns the session of a request; false when it has none that counts.
func (s *Sessions) of(r *http.Request, token string) (visit, bool) {
	if token == "" {
		return visit{}, false
	}
	cookie, err := r.Cookie(cookieName(r))
	if err != nil {
		return visit{}, false
	}
	id := sha256.Sum256([]byte(cookie.Value))
	s.mu.Lock()
	defer s.mu.Unlock()
	one, now := s.open[id], s.now()
	if one == nil || one.token != sha256.Sum256([]byte(token)) || now.Sub(one.seen) > sessionIdle {
		delete(s.open, id)
		return visit{}, false
	}
	one.seen = now
	serve.Known(r.Context())
	v := visit{Nonce: one.nonce, id: id}
	if now.Sub(one.at) < saidFor {
		v.Project, v.Said = one.project, one.said
	}
	return v, true
}

// say has the page tell a session's browser what it asked for.
func (s *Sessions) say(v visit, project, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.open[v.id]; one != nil {
		one.project, one.said, one.at = project, text, s.now()
	}
}

func (s *Sessions) end(v visit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, v.id)
}

// Wrong tokens that an address may send at once, and how long it waits for each further one. Tokens are too long to be
// guessed at any rate; this keeps the log readable.
const (
	maxWrong  = 5
	wrongWait = 30 * time.Second
)

// try takes a token that an address sent: a wrong one counts. false means that too many wrong ones came from there
// before, so that this one is not compared, be it right or wrong.
func (s *Sessions) try(peer string, right bool) bool {
	if s.wrong.Take(peer, s.now()) > 0 {
		return false
	}
	if right {
		s.wrong.Return(peer)
	}
	return true
}
