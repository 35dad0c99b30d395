package page_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// page is what a browser gets.
func (w *world) page(client *http.Client, path string) string {
	w.t.Helper()
	r, err := http.NewRequest(http.MethodGet, w.server.URL+"/translate/"+path, nil)
	w.check(err)
	r.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0")
	return w.send(client, r)
}

// signsIn is a browser that a person signs in with.
func (w *world) signsIn(name, password, agent string) *http.Client {
	w.t.Helper()
	client := w.browser()
	r, err := http.NewRequest(http.MethodPost, w.server.URL+"/translate/sign-in",
		strings.NewReader(url.Values{"name": {name}, "password": {password}}.Encode()))
	w.check(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("User-Agent", agent)
	w.has(w.send(client, r), "200 /translate/")
	return client
}

// A person changes the password who knows it; all other browsers are signed out by that, and the roles stay.
func TestOwnPassword(t *testing.T) {
	w := newWorld(t)
	ben := w.invited("Ben", url.Values{"role": {"translator"}, "into": {"de"}})
	other := w.signsIn("Ben", "long enough", "")
	change := func(client *http.Client, present, next string) string {
		f := form(w.page(client, "account"), "password")
		f.Set("password", present)
		f.Set("new", next)
		return w.post(client, "password", f)
	}
	w.has(change(ben, "a guess...", "another password"), "403 ", "That is not your password")
	w.has(change(ben, "long enough", "short"), "400 ", "from 10 to")
	w.has(change(ben, "long enough", "another password"), "200 /translate/account", "Your password is changed.")
	w.has(w.page(ben, "account"), "200 /translate/account")
	w.has(w.page(other, "account"), "200 /translate/sign-in")
	w.signsIn("Ben", "another password", "")
	w.has(w.get("people"), "translator into German (de)")
	for range 5 {
		change(ben, "a guess...", "yet another password")
	}
	w.has(change(ben, "another password", "yet another password"), "429 ", "Too many attempts")
	w.now.Add(int64(31 * time.Second))
	w.has(change(ben, "another password", "yet another password"), "200 /translate/account")
	noted := strings.Join(w.noted(), ", ")
	if !strings.Contains(noted, "Ben userPasswordChanged") {
		t.Error(noted)
	}
	f := form(w.page(ben, "account"), "password")
	f.Del("form")
	w.has(w.post(ben, "password", f), "403 ")
	w.has(w.post(w.browser(), "password", url.Values{}), "200 /translate/sign-in")
}

// A person takes another name, and stays signed in; the old one is no other person's, and texts keep it.
func TestOwnName(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "One"}`)
	ben := w.invited("Ben", url.Values{"role": {"reviewer"}})
	w.as(ben, func() {
		f := form(w.get("key?"+inGerman), "key")
		f.Set("text-", "Eins")
		f.Set("state", "final")
		w.has(w.post(w.client, "key", f), "200 ")
	})
	rename := func(client *http.Client, name string) string {
		f := form(w.page(client, "account"), "name")
		f.Set("name", name)
		return w.post(client, "name", f)
	}
	w.has(rename(ben, " "), "400 ", "A name is missing")
	w.has(rename(ben, "ANNA"), "409 ", "Another person is called ANNA")
	invited, err := w.service.Page().Invite("ben", false)
	w.check(err)
	w.has(rename(ben, "Benjamin"), "200 /translate/account", "Your name is changed.", "<bdi>Benjamin</bdi>")
	w.has(w.get("people"), "<bdi>Benjamin</bdi>")
	w.lacks(w.get("people"), "<bdi>Ben</bdi>")
	w.has(w.get("key?"+inGerman+"&show=all"), "<bdi>Ben</bdi>")
	w.has(rename(w.client, "BEN"), "409 ")
	path, err := w.service.Page().Invite("Ben", false)
	w.check(err)
	w.has(w.accept(w.browser(), path, "", "long enough"), "409 ", "Another person is called Ben")
	w.signsIn("benjamin", "long enough", "")
	w.has(rename(ben, "BenJamin"), "200 /translate/account", "<bdi>BenJamin</bdi>") // only its letters
	w.has(rename(ben, "Ben"), "200 /translate/account", "<bdi>Ben</bdi>")           // back
	w.has(w.accept(w.browser(), invited, "", "a third password"), "200 /translate/", "<bdi>Ben</bdi>")
	w.has(w.get("audit"), "<b><bdi>Ben</bdi></b> · <bdi>Name changed: Benjamin</bdi>")
}

// A person sees the browsers that are signed in, and signs out all others.
func TestOwnSessions(t *testing.T) {
	w := newWorld(t)
	here := w.signsIn("Anna", "long enough", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0")
	w.now.Add(int64(time.Hour))
	other := w.signsIn("Anna", "long enough", "Mozilla/5.0 (Linux; Android 16) Chrome/140.0 "+strings.Repeat("x", 1000))
	w.invited("Ben", url.Values{})
	page := w.page(here, "account")
	w.has(page, "Firefox on Linux <span class=\"tag\">this browser</span>", "Chrome on Android <span class=\"weak\">since")
	if n := strings.Count(page, "last seen"); n != 3 {
		t.Errorf("%d browsers", n)
	}
	w.has(w.post(here, "elsewhere", form(page, "elsewhere")), "200 /translate/account", "signed out everywhere else")
	page = w.page(here, "account")
	if n := strings.Count(page, "last seen"); n != 1 || strings.Contains(page, "everywhere else</button>") {
		t.Errorf("%d browsers are left", n)
	}
	w.has(w.page(other, "account"), "200 /translate/sign-in")
}

// An invitation for a new password leaves the names that a person had before: no other person takes them.
func TestNewPasswordKeepsFormerNames(t *testing.T) {
	w := newWorld(t)
	ben := w.invited("Ben", url.Values{"role": {"reviewer"}})
	f := form(w.page(ben, "account"), "name")
	f.Set("name", "Benjamin")
	w.has(w.post(ben, "name", f), "200 /translate/account")
	path, err := w.service.Page().Invite("Benjamin", false)
	w.check(err)
	w.has(w.accept(w.browser(), path, "", "another password"), "200 /translate/")
	path, err = w.service.Page().Invite("", false)
	w.check(err)
	w.has(w.accept(w.browser(), path, "Ben", "long enough"), "409 ", "Another person is called Ben")
}
