package page_test

import (
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/service/local/openid/openidtest"
	"github.com/locsync/locsync/sync/service/local/people"
	"github.com/locsync/locsync/sync/service/local/store"
)

// withProvider has people sign in at a provider, too.
func withProvider(t *testing.T, at *openidtest.Provider, more string) func(dir string) {
	t.Setenv("LOCSYNC_OIDC_SECRET", openidtest.Secret)
	return func(dir string) {
		if err := os.WriteFile(filepath.Join(dir, "oidc.json"), []byte(at.File(more)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// onward follows the pages that browsers go on from by themselves.
func (w *world) onward(client *http.Client, page string) string {
	w.t.Helper()
	for range 5 {
		_, to, found := strings.Cut(page, `content="0;url=`)
		if !found {
			return page
		}
		to, _, _ = strings.Cut(to, `"`)
		to = html.UnescapeString(to)
		if !strings.Contains(to, "://") {
			to = w.server.URL + "/translate/" + to
		}
		page = w.send(client, w.request(http.MethodGet, to))
	}
	w.t.Fatal("the sign-in does not end")
	return ""
}

// comes signs in at the provider.
func (w *world) comes(client *http.Client) string {
	w.t.Helper()
	return w.onward(client, w.page(client, "oidc?next=account"))
}

// A person has the account that this sign-in was linked with, or that was invited by the verified address; no other
// account is given.
func TestProviderFindsTheAccount(t *testing.T) {
	for _, c := range []struct {
		name     string
		prepare  func(w *world) // there is Anna, a manager
		address  string
		verified any
		want     string // of the page that comes then
		lacks    string
	}{
		{"invited by the address", func(w *world) { w.invite(people.Wish{Name: "Ben", Address: "ben@example.com"}) },
			"Ben@example.com", true, `value="Ben"`, ""},
		{"invited without a name", func(w *world) { w.invite(people.Wish{Address: "ben@example.com"}) },
			"ben@example.com", true, `value="Benjamin B."`, ""},
		{"the name is another person's", func(w *world) {
			w.invited("benjamin b.", nil)
			w.invite(people.Wish{Address: "ben@example.com"})
		}, "ben@example.com", true, `value="Benjamin B. 2"`, ""},
		{"invited with roles", func(w *world) {
			w.invite(people.Wish{Address: "ben@example.com", Grant: store.Grant{Role: store.Translator, Languages: []string{"pl"}}})
		}, "ben@example.com", true, `value="Benjamin B."`, ""},
		{"invited, and took a password", func(w *world) {
			path := w.invite(people.Wish{Name: "Ben", Address: "ben@example.com"})
			w.has(w.accept(w.browser(), path, "", "long enough"), "200 ")
		}, "ben@example.com", true, `value="Ben"`, ""},
		{"not verified", func(w *world) { w.invite(people.Wish{Name: "Ben", Address: "ben@example.com"}) },
			"ben@example.com", false, "403 /translate/oidc-in\n", "Ben"},
		{"another address", func(w *world) { w.invite(people.Wish{Name: "Ben", Address: "ben@example.com"}) },
			"ben@example.org", true, "ben@example.org has no account here. Ask a manager", ""},
		{"an account of that name", func(w *world) { w.invited("Benjamin B.", nil) },
			"ben@example.com", true, "has no account here", ""},
		{"revoked", func(w *world) {
			w.invite(people.Wish{Name: "Ben", Address: "ben@example.com"})
			w.check(w.service.Page().Revoke(w.invitations()[0].ID, ""))
		}, "ben@example.com", true, "has no account here", ""},
		{"an allowed domain", func(*world) {}, "ben@allowed.example", true, `value="Benjamin B."`, ""},
		{"below an allowed domain", func(*world) {}, "ben@sub.allowed.example", true, "has no account here", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := openidtest.New(t)
			w := newWorld(t, withProvider(t, at, `, "domains": ["allowed.example"]`))
			w.service.Page().SetAddress(w.server.URL)
			c.prepare(w)
			at.Person("1", c.address, c.verified, "Benjamin B.")
			for range 2 { // the second time the sign-in itself is known
				w.has(w.comes(w.browser()), c.want)
				if strings.HasPrefix(c.want, "value") {
					at.Person("1", "other@example.org", true, "Other")
				}
			}
			at.Person("2", c.address, c.verified, "Benjamin B.")
			if c.name != "an allowed domain" { // another sign-in with the same address is another person
				w.lacks(w.comes(w.browser()), "Change the name")
			}
		})
	}
}

// invite makes an invitation as a command does.
func (w *world) invite(wish people.Wish) (path string) {
	w.t.Helper()
	address, err := w.service.Page().InviteAs(wish)
	w.check(err)
	return strings.TrimPrefix(address, w.server.URL)
}

// What a domain gives is the role of a translator; whom a manager has removed stays out until invited.
func TestAllowedDomain(t *testing.T) {
	at := openidtest.New(t)
	w := newWorld(t, withProvider(t, at, `, "domains": ["example.com"]`))
	w.service.Page().SetAddress(w.server.URL)
	at.Person("1", "ben@example.com", true, "Ben")
	ben := w.browser()
	w.has(w.comes(ben), "200 /translate/account", "Use another account there")
	w.lacks(w.page(ben, "account"), "Present password")
	w.has(w.get("people"), "<bdi>translator</bdi>")
	f := form(w.get("people"), "remove")
	f.Set("name", "Ben")
	w.has(w.post(w.client, "remove", f), "200 ")
	w.has(w.page(ben, "account"), "/translate/sign-in")
	w.has(w.comes(ben), "403 ", "A manager has removed your account")
	w.invite(people.Wish{Address: "ben@example.com"})
	w.has(w.comes(ben), "200 /translate/account")
}

// The link of an invitation is used at the provider without a password, whatever address the person has there.
func TestInvitationAtProvider(t *testing.T) {
	at := openidtest.New(t)
	w := newWorld(t, withProvider(t, at, ""))
	w.service.Page().SetAddress(w.server.URL)
	at.Person("1", "", nil, "Benjamin")
	path := w.invite(people.Wish{Name: "Ben", Grant: store.Grant{Role: store.Translator}})
	ben := w.browser()
	w.has(w.page(ben, strings.TrimPrefix(path, "/translate/")), "Sign in with <bdi>Example</bdi>")
	begun := w.page(ben, "oidc?"+path[strings.Index(path, "?")+1:])
	w.has(w.onward(ben, begun), "200 /translate/", "Projects")
	w.has(w.page(ben, "account"), `value="Ben"`)
	w.has(w.onward(ben, begun), "403 ", "in another browser") // the attempt was used
	path = w.invite(people.Wish{Name: "Cem"})
	w.has(w.onward(ben, w.page(ben, "oidc?"+path[strings.Index(path, "?")+1:])), "409 ", "that of the account Ben already")
	w.has(w.post(w.browser(), "sign-in", url.Values{"name": {"Ben"}, "password": {""}}), "403 ")
}

// A person links a sign-in to the own account on its page, by a form of that page alone; the password stays.
func TestLinkProvider(t *testing.T) {
	at := openidtest.New(t)
	w := newWorld(t, withProvider(t, at, ""))
	at.Person("1", "anna@example.com", true, "Anna")
	w.has(w.comes(w.browser()), "403 ", "anna@example.com has no account here")
	w.has(w.post(w.client, "oidc", url.Values{}), "403 ")
	f := form(w.get("account"), "oidc")
	w.has(w.onward(w.client, w.post(w.client, "oidc", f)), "200 /translate/account", "You can sign in by it")
	w.has(w.comes(w.browser()), "200 /translate/account", `value="Anna"`)
	w.signsIn("Anna", "long enough", "")
	f = form(w.get("account"), "oidc")
	begun := w.post(w.client, "oidc", f)
	w.post(w.client, "sign-out", form(w.get("account"), "sign-out"))
	w.has(w.onward(w.client, begun), "403 ", "signed out meanwhile")
}

// Without a provider nothing of it is shown, and what is wrong with one is said.
func TestWithoutProvider(t *testing.T) {
	w := newWorld(t)
	w.lacks(w.page(w.browser(), "sign-in"), "oidc")
	w.lacks(w.get("account"), "oidc")
	w.has(w.page(w.browser(), "oidc"), "404 ")
	w.has(w.page(w.browser(), "oidc-in?code=x"), "404 ")

	at := openidtest.New(t)
	w = newWorld(t, withProvider(t, at, ""))
	w.has(w.page(w.browser(), "sign-in?next=list"), `href="oidc?next=list"`)
	at.Change(nil, true)
	w.has(w.comes(w.browser()), "403 ", "Example did not let you in")
	w.has(w.page(w.browser(), "oidc-in?code=x&state="), "403 ", "in another browser")
	at.Close()
	w = newWorld(t, withProvider(t, at, ""))
	w.has(w.comes(w.browser()), "502 ", "Example does not answer")
}
