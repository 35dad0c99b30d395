package page_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// An invitation makes one account, once, in its time; its holder signs out and in again by name and password.
func TestInvitation(t *testing.T) {
	w := newWorld(t)
	link := func(with url.Values) string {
		t.Helper()
		f := form(w.get("people"), "people")
		for name, values := range with {
			f[name] = values
		}
		page := w.post(w.client, "people", f)
		_, rest, found := strings.Cut(page, `id="link" href="`)
		path, _, _ := strings.Cut(rest, `"`)
		if !found {
			t.Fatalf("no link:\n%s", page)
		}
		return path
	}
	path := link(url.Values{"name": {""}})
	ben := w.browser()
	w.has(w.accept(ben, path, "", "long enough"), "400 ", "A name is missing")
	w.has(w.accept(ben, path, "Ben", "short"), "400 ", "from 10 to")
	w.has(w.accept(ben, path, "ANNA", "long enough"), "409 ", "Another person is called ANNA")
	w.has(w.accept(ben, path, "Ben", "long enough"), "200 /translate/", "<bdi>Ben</bdi>")
	w.has(w.accept(w.browser(), path, "Carl", "long enough"), "404 ", "was used already")
	w.has(w.post(ben, "people", url.Values{}), "403 ")

	r, err := http.NewRequest(http.MethodGet, w.server.URL+"/translate/people", nil)
	w.check(err)
	w.has(w.send(ben, r), "403 ", "Only managers")

	again := link(url.Values{"name": {"ben"}}) // a link for a new password
	w.has(w.accept(w.browser(), again, "", "another password"), "200 /translate/", "<bdi>Ben</bdi>")
	r, err = http.NewRequest(http.MethodGet, w.server.URL+"/translate/", nil)
	w.check(err)
	w.has(w.send(ben, r), "/translate/sign-in") // with the old password
	in := url.Values{"name": {"BEN"}, "password": {"long enough"}, "next": {"list?x=1"}}
	w.has(w.post(ben, "sign-in", in), "403 ", "not a name and its password")
	in.Set("password", "another password")
	in.Set("next", "//elsewhere.example/")
	w.has(w.post(ben, "sign-in", in), "200 /translate/\n")

	old := link(url.Values{"name": {"Dora"}})
	w.now.Add(int64(8 * 24 * time.Hour))
	w.has(w.accept(w.browser(), old, "", "long enough"), "404 ")

	f := form(w.get("people"), "remove")
	w.has(w.post(w.client, "remove", f), "200 /translate/people")
	w.lacks(w.get("people"), "Ben")
}

// Passwords cannot be guessed at any speed, and forms count from these pages only.
func TestStrangers(t *testing.T) {
	w := newWorld(t)
	stranger := w.browser()
	wrong := url.Values{"name": {"Anna"}, "password": {"a guess"}}
	for range 5 {
		w.has(w.post(stranger, "sign-in", wrong), "403 ")
	}
	right := url.Values{"name": {"Anna"}, "password": {"long enough"}}
	w.has(w.post(stranger, "sign-in", right), "429 ", "Too many attempts")
	w.now.Add(int64(31 * time.Second))
	w.has(w.post(stranger, "sign-in", right), "200 /translate/", "<bdi>Anna</bdi>")

	w.imports("language=en&format=json", "app.json", `{"save": "Save"}`)
	f := form(w.get("key?"+inGerman), "key")
	f.Set("text-", "Speichern")
	f.Set("state", "final")
	send := func(site, origin string, f url.Values) string {
		r, err := http.NewRequest(http.MethodPost, w.server.URL+"/translate/key", strings.NewReader(f.Encode()))
		w.check(err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", site)
		r.Header.Set("Origin", origin)
		return w.send(w.client, r)
	}
	w.has(send("cross-site", w.server.URL, f), "403 ")
	w.has(send("", "http://elsewhere.example", f), "403 ")
	w.has(send("", "", f), "403 ")
	forged := url.Values{}
	for name, values := range f {
		forged[name] = values
	}
	forged.Set("form", "WRONG")
	w.has(send("same-origin", w.server.URL, forged), "403 ", "load the page again")
	w.has(w.post(w.browser(), "key", f), "200 /translate/sign-in") // without a cookie nothing is saved
	w.has(w.get("list?"+inGerman+"&show=untranslated"), ">save<")
	w.has(send("", w.server.URL, f), "200 ") // an older browser

	answer, err := http.Get(w.server.URL + "/translate/sign-in")
	w.check(err)
	w.check(answer.Body.Close())
	for name, want := range map[string]string{"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff",
		"Cache-Control": "no-store", "Referrer-Policy": "same-origin"} {
		if got := answer.Header.Get(name); !strings.Contains(got, want) || strings.Contains(got, "unsafe") {
			t.Errorf("%s: %q", name, got)
		}
	}
}
