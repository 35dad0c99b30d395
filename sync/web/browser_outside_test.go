//go:build browser

package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// A page for which there is no stream says so and renews itself, and hears events when there is a place again.
func TestBrowserRenewsItselfWhereTooManyListen(t *testing.T) {
	w := newWorld(t, "", nil, worldProject{name: "app", languages: []string{"de"},
		files: map[string]string{"locales/en/app.json": keys("app", 3)}})
	var leave []func()
	for i := range maxListeners {
		lines, stop := listen(t, w.server.URL, fmt.Sprint("192.0.2.",
			i)) // so that no address has more than the browser would have
		defer stop()
		hears(t, lines, "retry: 3000")
		leave = append(leave, stop)
	}
	b := newBrowser(t)
	// The page's 30 seconds are one.
	call(b, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: `{ const later = setTimeout; window.setTimeout = (f, ms) => later(f, ms / 30) }`})
	b.do(chromedp.Navigate(w.server.URL))
	b.until(`document.getElementById("live").textContent === "renewed every 30 seconds"`)
	w.push("app")
	b.until(`document.querySelector("#p-app-events").textContent.includes("Sent 3 keys")`)
	if said := eval[string](b, `document.getElementById("live").textContent`); said != "renewed every 30 seconds" {
		t.Errorf("the page says %q", said)
	}
	for _, stop := range leave {
		stop()
	}
	b.until(`document.getElementById("live").textContent === "live"`)
	b.quiet("503 (Service Unavailable)")
}

// What a page of another site's name can send by its script, it says with the languages that its reader wants: that is
// how the metrics know a browser.
func TestBrowserSaysItIsOne(t *testing.T) {
	heard := make(chan http.Header, 10)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/asked") {
			heard <- r.Header.Clone()
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>site</title>") // the reader is gone when this fails
	}))
	defer site.Close()
	b := newBrowser(t)
	b.do(chromedp.Navigate(site.URL))
	for _, script := range []string{
		`fetch("/asked").then(r => r.ok)`,
		`fetch("/asked", {headers: {"Accept-Language": ""}, referrerPolicy: "no-referrer", credentials: "omit"}).then(r => r.ok)`,
		`fetch("/asked", {headers: new Headers([["accept-language", "x"]]), mode: "same-origin"}).then(r => r.ok)`,
		`new Promise(done => { const r = new XMLHttpRequest(); r.open("GET", "/asked"); r.setRequestHeader("Accept-Language", ""); r.onload = () => done(true); r.send() })`,
		`new Promise(done => { const f = document.createElement("iframe"); f.src = "/asked"; f.onload = () => done(true); document.body.append(f) })`,
		`new Promise(done => { const w = new Worker(URL.createObjectURL(new Blob(["fetch('" + location.origin + "/asked').then(() => postMessage(1))"]))); w.onmessage = () => done(true) })`,
	} {
		if !eval[bool](b, script) {
			t.Errorf("%s failed", script)
		}
		if _, says := (<-heard)["Accept-Language"]; !says {
			t.Errorf("%s does not say what languages are wanted", script)
		}
	}
}
