// Package page is where people translate in the embedded service, in a browser: the keys of a project and language, a
// field for each text with its checks and suggestions, who wrote what before, and the people who may.
//
// Its law: what a person wrote is never replaced unseen. A form carries the version of the text that its writer saw;
// where that is not the stored one any more, both are shown and nothing is stored. Translations are stored by the
// function that imports use (keys.Put). Every text of a project is text to the page, never markup, and everything
// works without scripts; the one script adds checks while typing and keys.
//
// Pages are for people with an account. The first is invited by a command, the others by managers on the page.
package page

import (
	"bytes"
	"errors"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/locsync/locsync/sync/bound/serve"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/machine"
	"github.com/locsync/locsync/sync/service/local/news"
	"github.com/locsync/locsync/sync/service/local/openid"
	"github.com/locsync/locsync/sync/service/local/page/layout"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/words"
	"go.uber.org/zap"
)

// Path is where the page is served, with everything below it.
const Path = "/translate/"

// Options are what the page works with.
type Options struct {
	Store *store.Store
	// Within answers calls of the interface without asking for credentials: memories come in and go out by them.
	Within http.Handler
	// Saved is told of each project in which a person has changed a text, or asked the developers, when that is on the
	// disk.
	Saved func(project string, complete bool)
	// News tells people of what happened.
	News *news.Service
	// OpenID is where people sign in, too; nil: nowhere.
	OpenID *openid.Provider
	// Engines translate where a person asks them to.
	Engines *machine.Engines
	// Checks are what is configured for a key of a project and collection; nil: nothing is.
	Checks Checks
	Logger *zap.Logger
}

// Service serves the page. It is an http.Handler and safe for use by several goroutines.
type Service struct {
	Options
	mux       *http.ServeMux
	aside     *zap.Logger          // for what every sender can cause
	byAccount serve.Tries[attempt] // to sign in, by address and account,
	byAddress serve.Tries[string]  // and by address alone
	wrong     atomic.Int64         // attempts to sign in that failed
	forms     serve.Memory         // that are being read
	address   atomic.Value         // string
	deriver   serve.Queue          // of passwords
}

// ServeHTTP answers a request for something below Path.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "same-origin") // without any, browsers hide the Origin of the page's own forms
	h.Set("Cache-Control", "no-store")
	if r.Method != http.MethodPost && r.ContentLength != 0 {
		r.Body = http.NoBody // no page reads one, and no answer waits for it
		h.Set("Connection", "close")
	}
	s.mux.ServeHTTP(words.Answer(w, r, ""), r)
}

// refusal is what people read of an error that they can mend, and its status; 0 for another one.
func refusal(w http.ResponseWriter, err error) (status int, said string) {
	if p, is := errors.AsType[*api.Problem](err); is {
		return p.Status, p.Words(words.Of(w).Say)
	}
	return 0, ""
}

// policy lets a page use this address's own files and nothing else: whatever text got into it would stay a text.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// visitor is who asks.
type visitor struct {
	Name   string
	Form   string // the word that the forms of its pages carry
	digest string // of the word in its cookie
	person *store.Person
	role   store.Role // in the project and language that is asked for
}

// Manager reports whether the visitor manages everything.
func (v *visitor) Manager() bool { return v.person.Manager }

// Reviews reports whether the visitor confirms, approves and rejects texts.
func (v *visitor) Reviews() bool { return v.role.Includes(store.Reviewer) }

// Manages reports whether the visitor archives keys.
func (v *visitor) Manages() bool { return v.role.Includes(store.Manager) }

// handler answers a request of a visitor; nil: one who is not signed in.
type handler func(w http.ResponseWriter, r *http.Request, v *visitor) error

// only has handlers answer those visitors who may do something, and refuse the others.
func only(may func(v *visitor) bool, why string) func(do handler) handler {
	return func(do handler) handler {
		return func(w http.ResponseWriter, r *http.Request, v *visitor) error {
			if v != nil && !may(v) {
				w.Header().Set("Connection", "close") // a file is not waited for
				return &api.Problem{Status: http.StatusForbidden, Detail: why, Format: why}
			}
			return do(w, r, v)
		}
	}
}

// Bounds of what forms carry.
const (
	maxForm     = 4 << 20   // of those who are signed in
	maxUnsigned = 256 << 10 // of others: a text that is not saved is shown to its writer again
	maxSigning  = 16 << 10  // a name and a password
	maxForms    = 32 << 20  // all together
	maxTMX      = 1 << 30
)

// public adds a handler that needs no account.
func (s *Service) public(method, path string, do func(w http.ResponseWriter, r *http.Request) error) {
	s.mux.HandleFunc(method+" "+Path+path, func(w http.ResponseWriter, r *http.Request) {
		err := fromOwnPage(r)
		if err == nil {
			defer s.readForm(w, r, maxSigning, &err)()
		}
		if err == nil {
			err = do(w, r)
		}
		s.sayError(w, r, nil, err)
	})
}

// private adds a handler for those who are signed in and see the project; others are asked to sign in. Forms carry the
// word of the visit.
func (s *Service) private(method, path string, do handler) {
	s.streamed(method, path, func(w http.ResponseWriter, r *http.Request, v *visitor) error {
		most := int64(maxForm)
		if v == nil {
			most = maxUnsigned
		}
		var err error
		defer s.readForm(w, r, most, &err)()
		switch {
		case err != nil:
			return err
		case v == nil && r.PostForm != nil && len(unsaved(r.PostForm)) > 0:
			return api.Refuse(http.StatusForbidden, "Not saved: you are not signed in any more.")
		case v == nil:
			return askToSignIn(w, r)
		case method == http.MethodPost:
			if err := v.sent(r.PostFormValue("form")); err != nil {
				return err
			}
		}
		if project, language := r.FormValue("project"), r.FormValue("language"); project != "" {
			v.role = v.person.RoleIn(project, language)
			switch {
			case !v.person.Sees(project):
				return api.Refuse(http.StatusForbidden, "This project is not one of yours. Ask a manager for it.")
			case v.role == "":
				return api.Refuse(http.StatusForbidden, "This language is not one of yours. Ask a manager for it.")
			}
		}
		return do(w, r, v)
	})
}

// streamed adds a handler that reads the body itself, and is told of who is not signed in by a nil visitor.
func (s *Service) streamed(method, path string, do handler) {
	s.mux.HandleFunc(method+" "+Path+path, func(w http.ResponseWriter, r *http.Request) {
		v, err := s.visitorOf(r)
		if v != nil {
			w = words.Answer(w, r, v.person.Language)
		}
		if err == nil {
			err = fromOwnPage(r)
		}
		if err == nil {
			err = do(w, r, v)
		}
		s.sayError(w, r, v, err)
	})
}

// readForm reads the form of a request, whose memory is given back by release. Files are read by streamed handlers
// alone: the values of a form that holds some would be written to the disk.
func (s *Service) readForm(w http.ResponseWriter, r *http.Request, most int64, err *error) (release func()) {
	if _, files := api.BoundaryOf(r.Header.Get("Content-Type")); files && r.Method == http.MethodPost {
		w.Header().Set("Connection", "close") // its rest is not waited for
		*err = api.Refuse(http.StatusUnsupportedMediaType, "No file is expected here.")
		return func() {}
	}
	r.Body, release = s.forms.Keep(http.MaxBytesReader(w, r.Body, most))
	if wrong := r.ParseForm(); errors.Is(wrong, serve.ErrFull) {
		*err = api.Refuse(http.StatusServiceUnavailable, "Too many forms came at once. Send yours again.")
	} else if wrong != nil {
		*err = api.BodyError(wrong)
	}
	return release
}

// sent checks the word of a form.
func (v *visitor) sent(form string) error {
	if !same(form, v.Form) {
		return api.Refuse(http.StatusForbidden, "the form is from before you signed in; load the page again")
	}
	return nil
}

// fromOwnPage refuses forms of other sites' pages.
func fromOwnPage(r *http.Request) error {
	if r.Method != http.MethodPost {
		return nil
	}
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	_, host, _ := strings.Cut(origin, "://")
	if site == "same-origin" || site == "" && origin != "" && strings.EqualFold(host, r.Host) {
		return nil
	}
	return api.Refuse(http.StatusForbidden, "only forms of these pages themselves are taken")
}

// sayError answers with a page that says what is wrong. err may be nil.
func (s *Service) sayError(w http.ResponseWriter, r *http.Request, v *visitor, err error) {
	if err == nil {
		return
	}
	in := words.Of(w)
	said := problem{Said: in.Text("It did not work; the service's log says why."), Texts: unsaved(r.PostForm)}
	if len(said.Texts) > 0 {
		said.Key = scopeOf(r).With("at", r.PostFormValue("at"))
	}
	status := http.StatusInternalServerError
	var p *api.Problem
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &p):
		status, said.Said = p.Status, p.Words(in.Say)
	case errors.As(err, &large):
		status, said.Said = http.StatusRequestEntityTooLarge, in.Text("That is too large to be taken.")
	default:
		s.Logger.Error("translation page", zap.String("path", r.URL.Path), zap.Error(err))
	}
	err = show(w, status, "problem", view{Visitor: v, Title: "Something is wrong", Data: said})
	if err != nil {
		s.Logger.Error("translation page", zap.Error(err))
	}
}

// problem is the page that says what is wrong, with the texts of the form that was not taken: no other page may have
// them any more.
type problem struct {
	Said  string
	Texts []field
	Key   template.URL // the query of the key that they were written for
}

// unsaved are the texts of a form.
func unsaved(form url.Values) (texts []field) {
	for _, name := range slices.Sorted(maps.Keys(form)) {
		of, is := strings.CutPrefix(name, "text-")
		is = is || slices.Contains([]string{"comment", "reason"}, name)
		if is && form.Get(name) != "" {
			texts = append(texts, field{ID: name, Form: of, Text: form.Get(name)})
		}
	}
	return texts
}

// view is what every page is made of.
type view struct {
	Visitor *visitor // nil on pages that need no account
	Title   string
	Said    string // what came of the form before
	Wrong   string // why nothing came of it
	Onward  string // the address that the browser goes on to
	Data    any
}

// show answers with a page.
func show(w http.ResponseWriter, status int, name string, v view) error {
	var b bytes.Buffer
	in := words.Of(w)
	v.Title, v.Said, v.Wrong = in.Text(v.Title), in.Text(v.Said), in.Text(v.Wrong)
	if err := layout.Write(&b, in, name, v); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the reader is gone when this fails
	return nil
}

// goTo sends the browser on where nothing went wrong, by an address that also holds behind a proxy which puts the page
// below a path of its own.
func goTo(w http.ResponseWriter, where string, err error) error {
	if err != nil {
		return err
	}
	w.Header().Set("Location", where)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}
