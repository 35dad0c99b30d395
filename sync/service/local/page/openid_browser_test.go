//go:build browser

package page_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/locsync/locsync/sync/service/local/openid/openidtest"
	"github.com/locsync/locsync/sync/service/local/people"
)

// A browser comes back from a provider of another site with the cookies that it keeps for pages of this one, and is
// signed in; the same when a person links a sign-in.
func TestBrowserProvider(t *testing.T) {
	at := openidtest.New(t)
	at.URL = strings.Replace(at.URL, "127.0.0.1", "localhost", 1)
	w := newWorld(t, withProvider(t, at, ""))
	w.service.Page().SetAddress(w.server.URL)
	w.invite(people.Wish{Name: "Ben", Address: "ben@example.com"})
	at.Person("1", "ben@example.com", true, "Benjamin")
	b := newChromium(t)
	b.do(chromedp.Navigate(w.server.URL + "/translate/people"))
	b.until(`document.querySelector("a.button")?.textContent === "Sign in with Example"`)
	b.do(chromedp.Navigate(w.server.URL + "/translate/sign-in?next=account"))
	eval[bool](b, `document.querySelector("a.button").click() === undefined`)
	b.until(`document.querySelector("#name")?.value === "Ben"`)
	eval[bool](b, `document.querySelector('form[action="oidc"] button').click() === undefined`)
	b.until(`document.querySelector(".said")?.textContent.includes("You can sign in by it")`)
	b.quiet()
}
