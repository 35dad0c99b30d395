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
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/bound/serve"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/web/share"
)

// Options are what the address serves, and for whom.
type Options struct {
	Engine  *engine.Engine
	Log     *zap.Logger
	Version string

	WebhookSecret string         // empty: webhooks are refused
	Callback      Header         // that the service's notifications must carry; without a value they are refused
	PublicURL     string         // where the outside reaches the address; empty: not by a name
	Proxies       []netip.Prefix // whose X-Forwarded-For is believed
	Listen        string         // what it listens on, as it is configured: a name in it is one of the address

	PageToken string          // who knows it may push and pull from the status page; empty: the page has no buttons
	Sessions  *Sessions       // the browsers in which it was typed; nil: none yet
	Ends      <-chan struct{} // closed when another handler takes this one's place, or serving ends; nil: never

	Translate http.Handler // the page for translators of the embedded service; nil for none

	Beats    *heartbeat.Set // what has to move for the daemon to be healthy; nil for nothing
	Meter    *Meter         // what is counted beside the status; nil counts nothing
	Reloaded func() Reload  // the last time that the configuration was read; nil where it is read once
}

// Header is a header of a request, and its secret value.
type Header struct{ Name, Value string }

// Reload is how reading the configuration ended: OK is false where the old one stays. At is when the one in use was
// read.
type Reload struct {
	OK bool
	At time.Time
}

// server is the parts of the address, each with what it needs.
type server struct {
	names     serve.Names
	statuses  *statuses
	page      *statusPage
	forms     *forms
	changes   *changes
	webhooks  *webhooks
	callbacks *callbacks
	gauges    *gauges
}

// New makes the handler of the daemon's address (the contract, section 5).
func New(o Options) http.Handler { return assemble(&o).handler(o) }

func assemble(o *Options) *server {
	if o.Sessions == nil {
		o.Sessions = NewSessions()
	}
	machine, _ := os.Hostname() // without one the address has one name less
	s := &server{
		names:     serve.Names{Listen: o.Listen, PublicURL: o.PublicURL, Machine: machine},
		statuses:  &statuses{engine: o.Engine, ends: o.Ends},
		changes:   &changes{of: o.Engine.Changed, ends: o.Ends},
		webhooks:  &webhooks{engine: o.Engine, secret: o.WebhookSecret, meter: o.Meter, bodyTime: serve.BodyTime},
		callbacks: &callbacks{engine: o.Engine, header: o.Callback, meter: o.Meter, log: o.Log, bodyTime: serve.BodyTime},
		gauges:    &gauges{engine: o.Engine, version: o.Version, meter: o.Meter, reloaded: o.Reloaded},
	}
	s.page = &statusPage{engine: o.Engine, statuses: s.statuses, sessions: o.Sessions, token: o.PageToken,
		version: o.Version, editor: o.Translate != nil, log: o.Log}
	s.forms = &forms{page: s.page, names: s.names, log: o.Log, aside: serve.Aside(o.Log),
		decisions: decisions{engine: o.Engine, ends: o.Ends, log: o.Log}, bodyTime: serve.BodyTime}
	return s
}

func (s *server) handler(o Options) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page.serve)
	mux.HandleFunc("GET /static/{file}", serveAsset)
	mux.HandleFunc("GET /unlock", s.forms.unlockPage)
	mux.HandleFunc("POST /unlock", s.forms.unlock)
	mux.HandleFunc("POST /lock", s.forms.lock)
	mux.HandleFunc("POST /ask", s.forms.ask)
	mux.Handle("GET /healthz", liveness(o.Beats))
	mux.Handle("GET /readyz", readiness(o.Engine))
	mux.HandleFunc("GET /metrics", s.gauges.serve)
	mux.HandleFunc("GET /api/status", s.statuses.serve)
	mux.HandleFunc("GET /api/events", s.changes.serve)
	mux.HandleFunc("GET /api/status.csv", share.Table(s.statuses.now))
	mux.HandleFunc("GET /badge/{project}/{language}", share.Badge(s.statuses.now))
	mux.Handle("POST /trigger", trigger(o.Engine))
	mux.HandleFunc("POST /webhook/{host}", s.webhooks.serve)
	mux.HandleFunc("POST /callback/{object}/{event}", s.callbacks.serve)
	if o.Translate != nil {
		mux.Handle("/translate/", o.Translate)
	}
	named := s.names.Guard(func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusForbidden, "this machine is not called "+text(serve.Host(r.Host))+
			": ask for the address itself, or name this host in daemon.public_url (a proxy's) or daemon.listen")
	}, mux)
	// Webhooks and notifications prove themselves.
	mixed := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/webhook/") || strings.HasPrefix(r.URL.Path, "/callback/") {
			mux.ServeHTTP(w, r)
			return
		}
		named.ServeHTTP(w, r)
	})
	return serve.Behind(o.Proxies, guard(mixed))
}

// liveness tells whether the process works, whatever the service, a remote or a mount does: whether every part of it
// moves that has ever worked. Who asks, such as a kubelet, starts it again where it is not.
func liveness(beats *heartbeat.Set) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		hanging := beats.Hanging()
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
}

// readiness tells whether configuration, repositories and service have been seen to work.
func readiness(e *engine.Engine) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if err := e.Ready(); err != nil {
			plain(w, http.StatusServiceUnavailable, err.Error())
			return
		}
		plain(w, http.StatusOK, "ready")
	}
}

// trigger is what git hooks call: look now. Only this machine may, and no page of another site that is open in a
// browser here.
func trigger(e *engine.Engine) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !fromHere(r) {
			refuse(w, http.StatusForbidden, "only from this machine")
			return
		}
		name, action := r.URL.Query().Get("project"), r.URL.Query().Get("action")
		known := false
		switch action {
		case "", "push":
			known = e.Soon(name, "trigger", engine.Push)
		case "pull":
			known = e.Soon(name, "trigger", engine.Pull)
		case "sync":
			known = e.Soon(name, "trigger", engine.Push, engine.Pull)
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
}
