package page_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/local"
	"github.com/locsync/locsync/sync/service/local/people"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
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

	stale := link(url.Values{"name": {"Ben"}})
	again := link(url.Values{"name": {"ben"}}) // a link for a new password
	w.has(w.accept(w.browser(), again, "", "another password"), "200 /translate/", "<bdi>Ben</bdi>")
	w.has(w.accept(w.browser(), stale, "", "a third password"), "404 ") // one of them is enough
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
	w.has(w.post(stranger, "sign-in", url.Values{"name": {"Ben"}, "password": {"a guess"}}), "403 ") // another account
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
	w.has(w.post(w.browser(), "key", f), "403 /translate/key", "Not saved") // without a cookie nothing is saved
	w.has(w.get("list?"+inGerman+"&show=untranslated"), ">save<")
	w.has(send("", w.server.URL, f), "200 ") // an older browser

	answer, err := http.Get(w.server.URL + "/translate/sign-in")
	w.check(err)
	w.check(answer.Body.Close())
	for name, want := range map[string]string{"Content-Security-Policy": "default-src 'none'",
		"X-Content-Type-Options": "nosniff",
		"Cache-Control":          "no-store", "Referrer-Policy": "same-origin"} {
		if got := answer.Header.Get(name); !strings.Contains(got, want) || strings.Contains(got, "unsafe") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A form that is not taken comes back with what was written, whatever the reason: its page may not have it any more.
func TestUnsavedTextIsShown(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"save": "Save"}`)
	f := form(w.get("key?"+inGerman), "key")
	f.Set("text-", "Mühsam </textarea> übersetzt")
	f.Set("state", "final")
	for why, change := range map[string]func(){
		"you are not signed in any more": func() { w.now.Add(int64(15 * 24 * time.Hour)) },
		"from before you signed in": func() {
			w.post(w.client, "sign-in", url.Values{"name": {"Anna"}, "password": {"long enough"}})
		},
		"The form is not whole": func() {
			f.Set("form", form(w.get(""), "sign-out").Get("form"))
			f.Del("state")
		},
	} {
		w.client = w.browser()
		w.post(w.client, "sign-in", url.Values{"name": {"Anna"}, "password": {"long enough"}})
		change()
		page := w.post(w.client, "key", f)
		f.Set("state", "final")
		w.has(page, why, "Mühsam &lt;/textarea&gt; übersetzt", "at=1.main", "not stored")
	}
	w.has(w.post(w.browser(), "sign-out", url.Values{}), "200 /translate/sign-in") // nothing is lost here
}

// A service that has moved still shows its texts, and what was written when it is not stored any more.
func TestPagesAfterAMove(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"save": "Save"}`)
	f := form(w.get("key?"+inGerman), "key")
	f.Set("text-", "Mühsam übersetzt")
	f.Set("state", "final")
	if status, said := w.command("POST", wire.CommandMove+"?to="+url.QueryEscape(t.TempDir())); status != 200 {
		t.Fatal(status, said)
	}
	w.has(w.post(w.client, "key", f), "503 ", "This service has moved to another folder", "Mühsam übersetzt", "not stored")
	w.now.Add(int64(2 * time.Hour))
	w.has(w.get("key?"+inGerman), "Save")
}

// A person who was removed has no invitation left: neither for that person nor made by that person.
func TestRemovedManager(t *testing.T) {
	w := newWorld(t)
	word := func(client *http.Client, name string) string {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, w.server.URL+"/translate/people", nil)
		w.check(err)
		f := form(w.send(client, r), "people")
		f.Set("name", name)
		f.Set("manager", "1")
		page := w.post(client, "people", f)
		_, rest, _ := strings.Cut(page, `id="link" href="`)
		path, _, found := strings.Cut(rest, `"`)
		if !found {
			t.Fatalf("no link:\n%s", page)
		}
		return path
	}
	ben := w.browser()
	w.has(w.accept(ben, word(w.client, "Ben"), "", "long enough"), "200 /translate/")
	paths := []string{word(ben, ""), word(ben, "Carl"), word(ben, "ben")}
	kept := word(w.client, "Dora")
	f := form(w.get("people"), "remove")
	f.Set("name", "BEN")
	w.has(w.post(w.client, "remove", f), "200 /translate/people")
	for _, path := range paths {
		w.has(w.accept(w.browser(), path, "Ben", "long enough"), "410 ", "was revoked")
	}
	w.has(w.accept(w.browser(), kept, "", "long enough"), "200 /translate/")
}

// Of several who are invited before the first account is made, one becomes a manager: the first whose invitation does
// not say what that person may do.
func TestFirstIsManager(t *testing.T) {
	service, err := local.Open(t.TempDir(), local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, service: service, server: httptest.NewServer(service.Page())}
	t.Cleanup(func() {
		w.server.Close()
		w.check(service.Close())
	})
	service.Page().SetAddress(w.server.URL)
	var links []string
	for _, name := range []string{"", "Ben"} {
		link, err := service.Page().InvitationURL(name, false)
		w.check(err)
		links = append(links, link)
	}
	limited, err := service.Page().InviteAs(people.Wish{Name: "Eve", Grant: store.Grant{Role: store.Translator}})
	w.check(err)
	w.lacks(w.accept(w.browser(), limited, "", "long enough"), `href="people"`)
	w.has(w.accept(w.browser(), links[0], "Anna", "long enough"), "200 /translate/", `href="people"`)
	w.lacks(w.accept(w.browser(), links[1], "", "long enough"), `href="people"`)
}

// Signing in with an own name does not give back the attempts with another's.
func TestGuessesBetween(t *testing.T) {
	w := newWorld(t)
	own := url.Values{"name": {"Anna"}, "password": {"long enough"}}
	for range 4 {
		w.has(w.post(w.browser(), "sign-in", url.Values{"name": {"Ben"}, "password": {"a guess"}}), "403 ")
		w.has(w.post(w.browser(), "sign-in", own), "200 ")
	}
	w.has(w.post(w.browser(), "sign-in", url.Values{"name": {"Ben"}, "password": {"a guess"}}), "403 ")
	w.has(w.post(w.browser(), "sign-in", url.Values{"name": {"BEN "}, "password": {"a guess"}}), "429 ")
	w.has(w.post(w.browser(), "sign-in", own), "200 ") // and keeps no other out
	r, err := http.NewRequest(http.MethodPost, w.server.URL+"/translate/sign-in",
		strings.NewReader(url.Values{"name": {"Ben"}, "password": {"a guess"}}.Encode()))
	w.check(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("X-Forwarded-For", "198.51.100.1") // which any sender can write
	w.has(w.send(w.browser(), r), "429 ")
}

// Who guesses many names is slowed as well.
func TestGuessesOfNames(t *testing.T) {
	w := newWorld(t)
	for i := range 40 {
		w.has(w.post(w.browser(), "sign-in", url.Values{"name": {fmt.Sprint("name", i)}, "password": {"a"}}), "403 ")
	}
	w.has(w.post(w.browser(), "sign-in", url.Values{"name": {"another"}, "password": {"a"}}), "429 ")
}

// Two names that one rule takes for the same and another one for two are two people, and stay so.
func TestNamesAreComparedOneWay(t *testing.T) {
	w := newWorld(t)
	invited := func(name string) *http.Client {
		t.Helper()
		path, err := w.service.Page().Invite(name, false)
		w.check(err)
		browser := w.browser()
		w.has(w.accept(browser, path, "", "long enough"), "200 /translate/")
		return browser
	}
	signedIn := func(browser *http.Client, name string) {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, w.server.URL+"/translate/", nil)
		w.check(err)
		w.has(w.send(browser, r), "<bdi>"+name+"</bdi>")
	}
	sam := invited("sam")
	other := invited("\u017fam") // a long s
	signedIn(sam, "sam")
	signedIn(other, "\u017fam")
	f := form(w.get("people"), "remove")
	f.Set("name", "\u017fam")
	w.has(w.post(w.client, "remove", f), "200 /translate/people")
	signedIn(sam, "sam")
	w.has(w.get("people"), "sam")
}

// No page but the one for files takes any, and what a form may be before its sender is known is small.
func TestFilesWhereNoneAreExpected(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"save": "Save"}`)
	at, err := url.Parse(w.server.URL)
	w.check(err)
	cookie := w.client.Jar.Cookies(at)[0].String()
	for _, one := range []struct{ method, path, want string }{
		{"GET", "list?" + inGerman, "200"}, {"GET", "key?at=1.main&" + inGerman, "200"}, {"GET", "", "200"},
		{"POST", "key", "415"}, {"POST", "sign-in", "415"}, {"POST", "check", "415"},
	} {
		conn, err := net.Dial("tcp", at.Host)
		w.check(err)
		w.check(conn.SetDeadline(time.Now().Add(20 * time.Second)))
		_, err = fmt.Fprintf(conn, "%s /translate/%s HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nSec-Fetch-Site: same-origin\r\n"+
			"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000000\r\n\r\n--b\r\n"+
			"Content-Disposition: form-data; name=file; filename=large\r\n\r\na file that does not end",
			one.method, one.path, at.Host, cookie)
		w.check(err)
		answer := make([]byte, len("HTTP/1.1 200"))
		_, err = io.ReadFull(conn, answer)
		if err != nil || string(answer) != "HTTP/1.1 "+one.want {
			t.Errorf("%s %s: %q %v, want %s", one.method, one.path, answer, err, one.want)
		}
		w.check(conn.Close())
	}
	for browser, most := range map[*http.Client]int{w.browser(): 300 << 10, w.client: 5 << 20} {
		long := url.Values{"text-": {strings.Repeat("x", most)}}
		w.has(w.post(browser, "key", long), "413 ")
	}
	w.has(w.post(w.browser(), "sign-in", url.Values{"name": {strings.Repeat("x", 20<<10)}}), "413 ")
}

// A password that was right when it was derived and is not any more does not sign in.
func TestPasswordChangedMeanwhile(t *testing.T) {
	w := newWorld(t)
	for name, key := range map[string]string{"Anna": "another", "Ben": "removed"} {
		answer := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/translate/sign-in", nil)
		if err := w.service.Page().Begin(answer, r, name, []byte(key)); err == nil ||
			len(answer.Result().Cookies()) > 0 {
			t.Errorf("%s is signed in: %v, %v", name, err, answer.Result().Cookies())
		}
	}
}

// No form is taken without the word of its visit, however it is encoded.
func TestEncodedForms(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"save": "Save"}`)
	f := form(w.get("key?"+inGerman), "key")
	f.Set("text-", "Speichern")
	f.Set("state", "final")
	f.Set("form", "WRONG")
	var b bytes.Buffer
	body := multipart.NewWriter(&b)
	for name := range f {
		w.check(body.WriteField(name, f.Get(name)))
	}
	w.check(body.Close())
	r, err := http.NewRequest(http.MethodPost, w.server.URL+"/translate/key", &b)
	w.check(err)
	r.Header.Set("Content-Type", body.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	w.has(w.send(w.client, r), "415 ")
	w.has(w.get("list?"+inGerman+"&show=untranslated"), ">save<")
}

// Links lead to an address that browsers can open.
func TestInvitationAddress(t *testing.T) {
	w := newWorld(t)
	for base, want := range map[string]string{
		"http://127.0.0.1:7430": "http://127.0.0.1:7430/", "https://l10n.example/at/": "https://l10n.example/at/",
		"http://0.0.0.0:7430": "http://localhost:7430/", "http://[::]:7430": "http://localhost:7430/",
		"http://:7430": "http://localhost:7430/",
	} {
		w.service.Page().SetAddress(base)
		link, err := w.service.Page().InvitationURL("", false)
		if err != nil || !strings.HasPrefix(link, want+"translate/invitation?word=") {
			t.Errorf("%s: %s, %v", base, link, err)
		}
	}
}
