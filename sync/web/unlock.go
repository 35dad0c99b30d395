package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/engine"
)

// The page's buttons. Who typed the page's token, once in a browser session, may ask for passes; asking is all that a
// button does. A request counts when it comes from a page of this address (Host, Sec-Fetch-Site, Origin), with the
// cookie, which no script and no other site's page can use, and with the form's own word. Everything works without
// scripts.

// maxForm bounds the forms of the page.
const maxForm = 16 << 10

// see sends the browser on, by an address that also holds behind a proxy which puts the page below a path of its own.
func see(w http.ResponseWriter, where string) {
	w.Header().Set("Location", where)
	w.WriteHeader(http.StatusSeeOther)
}

// locked answers where no token is configured: there are no buttons, so the page does not lead here.
func (s *server) locked(w http.ResponseWriter) bool {
	if s.PageToken != "" {
		return false
	}
	refuse(w, http.StatusForbidden, "the page has no buttons: no page token is configured (daemon.page_token_env)")
	return true
}

// unlockPage asks for the token, on a page of its own that nothing renews while the token is typed.
func (s *server) unlockPage(w http.ResponseWriter, _ *http.Request) {
	if !s.locked(w) {
		s.write(w, http.StatusOK, "unlock", nil)
	}
}

// unlock takes the token and gives the browser a session for it.
func (s *server) unlock(w http.ResponseWriter, r *http.Request) {
	if s.locked(w) || !s.ownPage(w, r) {
		return
	}
	from, right := peer(r), equal(strings.TrimSpace(r.PostFormValue("token")), s.PageToken)
	if !s.Sessions.try(from, right) && !fromHere(r) { // people on this machine cannot be locked out by others
		w.Header().Set("Retry-After", "30")
		s.write(w, http.StatusTooManyRequests, "unlock",
			"Too many wrong tokens came from your address. Try again in half a minute.")
		return
	}
	if !right {
		s.aside.Warn("a wrong page token", zap.String("from", from))
		s.write(w, http.StatusForbidden, "unlock", "That is not the token. It is what daemon.page_token_env or "+
			"daemon.page_token_file of this daemon's configuration names.")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName(r), Value: s.Sessions.begin(s.PageToken), Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: encrypted(r)})
	see(w, "./")
}

// lock ends the browser's session.
func (s *server) lock(w http.ResponseWriter, r *http.Request) {
	v, ok := s.asked(w, r)
	if !ok {
		return
	}
	s.Sessions.end(v)
	http.SetCookie(w, &http.Cookie{Name: cookieName(r), Path: "/", MaxAge: -1, HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: encrypted(r)})
	see(w, "./")
}

// ask wakes the pass of a button.
func (s *server) ask(w http.ResponseWriter, r *http.Request) {
	v, ok := s.asked(w, r)
	if !ok {
		return
	}
	name, action := r.PostFormValue("project"), r.PostFormValue("action")
	if name == "" {
		plain(w, http.StatusBadRequest, "which project?")
		return
	}
	var known bool
	var said string
	switch action {
	case "push":
		known, said = s.Engine.Soon(name, "status page", engine.Push), "Push requested."
	case "pull":
		known, said = s.Engine.Soon(name, "status page", engine.Pull), "Pull requested."
	case "ours", "theirs":
		known, said = true, "That conflict was decided or has changed meanwhile; nothing was done."
		if c, there := conflictOf(s.now(r.Context()), name, r.PostFormValue("conflict")); there {
			said = ""
			s.decisions.take(s.Engine, s.Ends, c, name, action, s.Log, func(text string) { s.Sessions.say(v, name, text) })
		}
	default:
		plain(w, http.StatusBadRequest, "action is push, pull, ours or theirs")
		return
	}
	if !known {
		plain(w, http.StatusNotFound, "no project is called so any more; load the page again")
		return
	}
	s.Log.Info("asked for by the status page", zap.String("action", action), zap.String("project", name),
		zap.String("from", peer(r)))
	if said != "" {
		s.Sessions.say(v, name, said)
	}
	see(w, s.at(name))
}

// asked reports whether a form was sent by a browser that may, and answers where not.
func (s *server) asked(w http.ResponseWriter, r *http.Request) (visit, bool) {
	if s.locked(w) || !s.ownPage(w, r) {
		return visit{}, false
	}
	v, ok := s.Sessions.of(r, s.PageToken)
	if !ok {
		s.write(w, http.StatusForbidden, "unlock",
			"This browser is not unlocked, or not any more. Type the token, then press the button again.")
		return visit{}, false
	}
	if !equal(r.PostFormValue("nonce"), v.Nonce) {
		plain(w, http.StatusForbidden, "the form is not from this page, or from before it was unlocked; load the page again")
		return visit{}, false
	}
	return v, true
}

// ownPage reports whether a form was sent by a page of this address and reads it, and answers where not.
func (s *server) ownPage(w http.ResponseWriter, r *http.Request) bool {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	if site != "" && site != "same-origin" || origin != "" && !s.own(r, origin) || site == "" && origin == "" {
		refuse(w, http.StatusForbidden, "only the status page's own forms are taken, under its own name: set "+
			"daemon.public_url where a proxy has another; programs ask by POST /trigger")
		return false
	}
	r.Body = s.body(w, r, maxForm)
	if err := r.ParseForm(); err != nil {
		plain(w, http.StatusBadRequest, "the form cannot be read")
		return false
	}
	return true
}

// own reports whether an origin is this address, by the name that it was asked for or by its public one.
func (s *server) own(r *http.Request, origin string) bool {
	from, err := url.Parse(origin)
	if err != nil || from.Host == "" {
		return false
	}
	public, err := url.Parse(s.PublicURL)
	return strings.EqualFold(from.Host, r.Host) || err == nil && strings.EqualFold(from.Host, public.Host)
}

// peer names who asks: the address of the connection; or, where that is a proxy on this machine, the one that it says
// to have been asked by.
func peer(r *http.Request) string {
	host := hostOf(r.RemoteAddr)
	if by := r.Header.Values("X-Forwarded-For"); bound.Loopback(host) && len(by) > 0 {
		last := by[len(by)-1]
		if ip := net.ParseIP(strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])); ip != nil {
			host = ip.String()
		}
	}
	return network(host)
}

// network names who has an address: of IPv6, all of its network.
func network(host string) string {
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	ip = ip.Unmap().WithZone("")
	if whole, err := ip.Prefix(64); err == nil && ip.Is6() && !ip.IsLoopback() {
		return whole.Addr().String() // who has one of these addresses has them all
	}
	return ip.String()
}

// encrypted reports whether the browser came by TLS, to here or to a proxy.
func encrypted(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// cookieName is the name of the session's cookie. Browsers do not tell ports of one host apart, so that two daemons on
// a machine need two names.
func cookieName(r *http.Request) string {
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		return "locsync-" + port
	}
	return "locsync"
}
