package web

import (
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/bound/serve"
	"github.com/locsync/locsync/sync/pass/engine"
)

// The page's buttons. Who typed the page's token, once in a browser session, may ask for passes; asking is all that a
// button does. A request counts when it comes from a page of this address (Host, Sec-Fetch-Site, Origin), with the
// cookie, which no script and no other site's page can use, and with the form's own word. Everything works without
// scripts.

// maxForm bounds the forms of the page.
const maxForm = 16 << 10

// forms takes the forms of the page.
type forms struct {
	page      *statusPage
	names     serve.Names
	decisions decisions
	log       *zap.Logger
	aside     *zap.Logger // for what strangers cause
	bodyTime  time.Duration
}

// see sends the browser on, by an address that also holds behind a proxy which puts the page below a path of its own.
func see(w http.ResponseWriter, where string) {
	w.Header().Set("Location", where)
	w.WriteHeader(http.StatusSeeOther)
}

// locked answers where no token is configured: there are no buttons, so the page does not lead here.
func (f *forms) locked(w http.ResponseWriter) bool {
	if f.page.token != "" {
		return false
	}
	refuse(w, http.StatusForbidden, "the page has no buttons: no page token is configured (daemon.page_token_env)")
	return true
}

// unlockPage asks for the token, on a page of its own that nothing renews while the token is typed.
func (f *forms) unlockPage(w http.ResponseWriter, _ *http.Request) {
	if !f.locked(w) {
		f.page.write(w, http.StatusOK, "unlock", nil)
	}
}

// unlock takes the token and gives the browser a session for it.
func (f *forms) unlock(w http.ResponseWriter, r *http.Request) {
	if f.locked(w) || !f.ownPage(w, r) {
		return
	}
	from, right := serve.Peer(r), equal(strings.TrimSpace(r.PostFormValue("token")), f.page.token)
	if !f.page.sessions.try(from, right) && !fromHere(r) { // people on this machine cannot be locked out by others
		w.Header().Set("Retry-After", "30")
		f.page.write(w, http.StatusTooManyRequests, "unlock",
			"Too many wrong tokens came from your address. Try again in half a minute.")
		return
	}
	if !right {
		f.aside.Warn("a wrong page token", zap.String("from", from))
		f.page.write(w, http.StatusForbidden, "unlock", "That is not the token. It is what daemon.page_token_env or "+
			"daemon.page_token_file of this daemon's configuration names.")
		return
	}
	word := f.page.sessions.begin(f.page.token)
	http.SetCookie(w, &http.Cookie{Name: cookieName(r), Value: word, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: encrypted(r)})
	see(w, "./")
}

// lock ends the browser's session.
func (f *forms) lock(w http.ResponseWriter, r *http.Request) {
	v, ok := f.asked(w, r)
	if !ok {
		return
	}
	f.page.sessions.end(v)
	http.SetCookie(w, &http.Cookie{Name: cookieName(r), Path: "/", MaxAge: -1, HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: encrypted(r)})
	see(w, "./")
}

// ask wakes the pass of a button.
func (f *forms) ask(w http.ResponseWriter, r *http.Request) {
	v, ok := f.asked(w, r)
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
		known, said = f.page.engine.Soon(name, "status page", engine.Push), "Push requested."
	case "pull":
		known, said = f.page.engine.Soon(name, "status page", engine.Pull), "Pull requested."
	case "ours", "theirs":
		known, said = true, "That conflict was decided or has changed meanwhile; nothing was done."
		if c, there := conflictOf(f.page.statuses.now(r.Context()), name, r.PostFormValue("conflict")); there {
			said = ""
			f.decisions.take(c, name, action, func(text string) { f.page.sessions.say(v, name, text) })
		}
	default:
		plain(w, http.StatusBadRequest, "action is push, pull, ours or theirs")
		return
	}
	if !known {
		plain(w, http.StatusNotFound, "no project is called so any more; load the page again")
		return
	}
	f.log.Info("asked for by the status page", zap.String("action", action), zap.String("project", name),
		zap.String("from", serve.Peer(r)))
	if said != "" {
		f.page.sessions.say(v, name, said)
	}
	see(w, f.page.at(name))
}

// asked reports whether a form was sent by a browser that may, and answers where not.
func (f *forms) asked(w http.ResponseWriter, r *http.Request) (visit, bool) {
	if f.locked(w) || !f.ownPage(w, r) {
		return visit{}, false
	}
	v, ok := f.page.sessions.of(r, f.page.token)
	if !ok {
		f.page.write(w, http.StatusForbidden, "unlock",
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
func (f *forms) ownPage(w http.ResponseWriter, r *http.Request) bool {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	if site != "" && site != "same-origin" || origin != "" && !f.names.Own(r, origin) || site == "" && origin == "" {
		refuse(w, http.StatusForbidden, "only the status page's own forms are taken, under its own name: set "+
			"daemon.public_url where a proxy has another; programs ask by POST /trigger")
		return false
	}
	r.Body = bodyOf(w, r, maxForm, f.bodyTime)
	if err := r.ParseForm(); err != nil {
		plain(w, http.StatusBadRequest, "the form cannot be read")
		return false
	}
	return true
}
