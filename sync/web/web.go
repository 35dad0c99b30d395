// Package web is the daemon's address: the status page for people, health and metrics for machines, and the addresses
// that git hooks, git hosts and the translation service call.
//
// Its law: it changes nothing but by asking the engine, and what comes from outside only ever wakes a pass. A request
// says that something may have happened; what did, the woken pass finds out itself. Hence a forged, repeated or
// reordered notification costs a pass without changes at most.
//
// Every answer is made of an immutable Status; what readers can make it cost is bounded. Texts of the repository and
// the service are escaped wherever they are shown. The package knows no files, formats, git or HTTP client.
package web

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/engine"
	"github.com/locsync/locsync/sync/heartbeat"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/web/share"
)

// Options are what the address serves, and for whom.
type Options struct {
	Engine  *engine.Engine
	Log     *zap.Logger
	Version string

	WebhookSecret  string // empty: webhooks are refused
	CallbackHeader string // the header that the service's notifications must carry,
	CallbackSecret string // with this value; empty: they are refused
	PublicURL      string // where the outside reaches the address; empty: not by a name
	Listen         string // what it listens on, as it is configured: a name in it is one of the address

	PageToken string          // who knows it may push and pull from the status page; empty: the page has no buttons
	Sessions  *Sessions       // the browsers in which it was typed; nil: none yet
	Ends      <-chan struct{} // closed when another handler takes this one's place, or serving ends; nil: never

	Translate http.Handler // the page for translators of the embedded service; nil for none

	Beats    *heartbeat.Set // what has to move for the daemon to be healthy; nil for nothing
	Meter    *Meter         // what is counted beside the status; nil counts nothing
	Reloaded func() Reload  // the last time that the configuration was read; nil where it is read once
}

// Reload is how reading the configuration ended: OK is false where the old one stays. At is when the one in use was
// read.
type Reload struct {
	OK bool
	At time.Time
}

type server struct {
	Options
	cached    statusCache
	heard     heard
	audience  streamSet
	machine   string      // this machine's name; "" where it has none
	aside     *zap.Logger // for what strangers cause
	reads     streamSet
	decisions decisions
	bodyTime  time.Duration // for the body of a request, once it was begun to be read
}

// New makes the handler of the daemon's address (the contract, section 5).
func New(o Options) http.Handler {
	if o.Sessions == nil {
		o.Sessions = NewSessions()
	}
	machine, _ := os.Hostname() // without one the address has one name less
	return (&server{Options: o, machine: machine, aside: aboutStrangers(o.Log), bodyTime: bodyTime}).handler()
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /static/{file}", s.asset)
	mux.HandleFunc("GET /unlock", s.unlockPage)
	mux.HandleFunc("POST /unlock", s.unlock)
	mux.HandleFunc("POST /lock", s.lock)
	mux.HandleFunc("POST /ask", s.ask)
	mux.HandleFunc("GET /healthz", s.health)
	mux.HandleFunc("GET /readyz", s.ready)
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("GET /api/status", s.status)
	mux.HandleFunc("GET /api/events", s.events)
	mux.HandleFunc("GET /api/status.csv", share.Table(s.now))
	mux.HandleFunc("GET /badge/{project}/{language}", share.Badge(s.now))
	mux.HandleFunc("POST /trigger", s.trigger)
	mux.HandleFunc("POST /webhook/{host}", s.webhook)
	mux.HandleFunc("POST /callback/{object}/{event}", s.callback)
	if s.Translate != nil {
		mux.Handle("/translate/", s.Translate)
	}
	return guard(s.named(mux))
}

// guard sets what every answer carries: nothing that is answered here is a page that could run or load anything, but
// for those that say so themselves.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Referrer-Policy", "same-origin") // without any, browsers hide the Origin of the page's own forms
		h.Set("Cache-Control", "no-store")
		if r.ContentLength != 0 && r.Method != http.MethodPost {
			// That body is not read; the server would wait for it before it says anything, and a stream for ever.
			h.Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

func plain(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(text + "\n")) // the reader is gone when this fails
}

// refuse answers a request whose body is not of interest, at once: without closing, the server would wait for the rest
// of it first.
func refuse(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Connection", "close")
	plain(w, code, text)
}

// health tells whether the process works, whatever the service, a remote or a mount does: whether every part of it
// moves that has ever worked. Who asks, such as a kubelet, starts it again where it is not.
func (s *server) health(w http.ResponseWriter, _ *http.Request) {
	hanging := s.Beats.Hanging()
	if len(hanging) == 0 {
		plain(w, http.StatusOK, "ok")
		return
	}
	code, why := http.StatusOK, make([]string, len(hanging))
	for i, still := range hanging {
		if why[i] = still.String(); still.First {
			why[i] += ", from the beginning: starting again would not cure it"
		} else {
			code = http.StatusServiceUnavailable
		}
	}
	plain(w, code, strings.Join(why, "\n"))
}

func (s *server) ready(w http.ResponseWriter, _ *http.Request) {
	if err := s.Engine.Ready(); err != nil {
		plain(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	plain(w, http.StatusOK, "ready")
}

func (s *server) status(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	now, err := chosen(s.now(r.Context()), r.URL.Query())
	if err != nil {
		plain(w, http.StatusBadRequest, err.Error())
		return
	}
	now.Daemon = itself()
	doc, err := report.Indented(now, report.Failure{})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(doc) // the reader is gone when this fails
}

// mostRead is how many projects are read for one answer. Of more, each is told as its last pass has left it: to
// open and read thousands of repositories takes minutes.
const mostRead = 100

// tooMany reports whether an engine has more projects than are read for one answer.
func tooMany(e *engine.Engine) bool { return len(e.Config.Projects) > mostRead }

// reuse bounds what readers of the status cost: one is served again until this many times its duration has passed.
const reuse = 20

// statusCache is the last status and how long it is served. A new one reads every file, so in a large repository a page
// that is open in many browsers must not mean many of them; in a small one it is as good as new.
type statusCache struct {
	mu     sync.Mutex // held while it is made, so that readers at one time share one
	status report.Status
	until  time.Time
	ended  int64    // passes before it: another one makes it stale
	busy   []string // projects that passes ran in, which it tells
}

// now is the status as it is, or was a moment ago. One that was begun is finished for the next reader where this one
// leaves: else impatient readers would begin it again and again.
func (s *server) now(ctx context.Context) report.Status {
	if tooMany(s.Engine) {
		return engine.Overview(s.Engine)
	}
	s.cached.mu.Lock()
	defer s.cached.mu.Unlock()
	begin, ended := time.Now(), s.Engine.Ended()
	if begin.After(s.cached.until) || ended != s.cached.ended || slices.ContainsFunc(s.cached.busy, s.idle) {
		looking, cut := context.WithCancel(context.WithoutCancel(ctx))
		defer cut()
		defer context.AfterFunc(ctx, func() { s.outlast(looking, cut) })()
		busy := engine.Busy(s.Engine)
		status := s.Engine.Status(looking)
		if looking.Err() != nil {
			return status // cut short; the next reader makes its own
		}
		var took time.Duration // as work: what does not answer is waited for, and should be asked again soon
		for _, p := range status.Projects {
			took += p.Took
		}
		s.cached.status, s.cached.until, s.cached.ended, s.cached.busy = status, time.Now().Add(reuse*took), ended, busy
	}
	return s.cached.status
}

// outlast cuts a status that no reader waits for when the handler ends, or when it takes longer than an answer may.
func (s *server) outlast(looking context.Context, cut context.CancelFunc) {
	wait := time.NewTimer(answerTime)
	defer wait.Stop()
	select {
	case <-looking.Done():
	case <-s.Ends:
		cut()
	case <-wait.C:
		cut()
	}
}

func (s *server) idle(project string) bool { return s.Engine.Doing(project).What == "" }

// trigger is what git hooks call: look now. Only this machine may, and no page of another site that is open in a
// browser here.
func (s *server) trigger(w http.ResponseWriter, r *http.Request) {
	if !fromHere(r) {
		refuse(w, http.StatusForbidden, "only from this machine")
		return
	}
	name, action := r.URL.Query().Get("project"), r.URL.Query().Get("action")
	known := false
	switch action {
	case "", "push":
		known = s.Engine.Soon(name, "trigger", engine.Push)
	case "pull":
		known = s.Engine.Soon(name, "trigger", engine.Pull)
	case "sync":
		known = s.Engine.Soon(name, "trigger", engine.Push, engine.Pull)
	default:
		plain(w, http.StatusBadRequest, "action is push, pull or sync")
		return
	}
	if !known {
		plain(w, http.StatusNotFound, "no project is called "+text(name))
		return
	}
	plain(w, http.StatusAccepted, "looking")
}

// fromHere reports whether a request comes from this machine and was not made by a page of another site.
func fromHere(r *http.Request) bool {
	if !bound.Loopback(hostOf(r.RemoteAddr)) {
		return false
	}
	if !bound.Loopback(hostOf(r.Host)) {
		return false // a name of another owner that resolves to this machine
	}
	for _, by := range []string{
		"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip",
	} {
		if r.Header.Get(by) != "" {
			return false // a proxy on this machine passes on what others ask
		}
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}
