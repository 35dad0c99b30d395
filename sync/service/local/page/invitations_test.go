package page_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/service/wire"
)

// command asks what commands of this machine ask for.
func (w *world) command(method, path string) (status int, body string) {
	w.t.Helper()
	r, err := http.NewRequest(method, "http://embedded.invalid"+path, nil)
	w.check(err)
	answer := httptest.NewRecorder()
	w.service.Commands().ServeHTTP(answer, r)
	text, err := io.ReadAll(answer.Body)
	w.check(err)
	return answer.Code, string(text)
}

func (w *world) invitations() (all []wire.Invitation) {
	w.t.Helper()
	_, body := w.command(http.MethodGet, wire.CommandInvitations)
	w.check(json.Unmarshal([]byte(body), &all))
	return all
}

// Invitations that were not used are listed for managers and commands, who revoke them; the link of a revoked one says
// so, and makes no account.
func TestInvitationsAreRevoked(t *testing.T) {
	w := newWorld(t)
	if all := w.invitations(); len(all) != 0 {
		t.Errorf("%+v", all)
	}
	f := form(w.get("people"), "people")
	f.Set("name", "Ben")
	f.Set("role", "translator")
	f.Set("sees", projectID)
	f.Set("into", "de")
	link := func(page string) string {
		_, link, _ := strings.Cut(page, `id="link" href="`)
		link, _, _ = strings.Cut(link, `"`)
		return "/translate/" + link
	}
	toBen := link(w.post(w.client, "people", f))
	path, err := w.service.Page().Invite("", true)
	w.check(err)
	all := w.invitations()
	if len(all) != 2 {
		t.Fatalf("%+v", all)
	}
	ben, open := all[0], all[1]
	if ben.Name != "Ben" {
		ben, open = open, ben
	}
	if ben.By != "Anna" || len(ben.Roles) != 1 || ben.Roles[0].Role != "translator" || ben.Roles[0].Projects[0] != "app" ||
		ben.Roles[0].Languages[0] != "de" || !open.Manager || open.By != "" || len(ben.ID) != 12 ||
		strings.Contains(toBen+path, ben.ID) {
		t.Errorf("%+v, %+v", ben, open)
	}
	w.has(w.get("people"), "<bdi>Ben</bdi>, <bdi>translator of app into German (de)</bdi>", "by <bdi>Anna</bdi>",
		"a person who chooses a name</bdi> <span class=\"tag\">manager of everything")

	f = form(w.get("people"), "revoke")
	f.Set("id", ben.ID)
	stranger := w.browser()
	w.has(w.post(stranger, "revoke", f), "200 /translate/sign-in") // is asked to sign in
	w.has(w.post(w.client, "revoke", f), "200 /translate/people")
	w.lacks(w.get("people"), "<bdi>Ben</bdi>")
	w.has(w.post(w.client, "revoke", f), "404 ", "no invitation")
	w.has(w.accept(stranger, toBen, "", "long enough"), "410 ", "was revoked")
	u, err := url.Parse(toBen)
	w.check(err)
	answer, err := stranger.Get(w.server.URL + u.String())
	w.check(err)
	w.check(answer.Body.Close())
	if answer.StatusCode != http.StatusGone {
		t.Errorf("the link: %s", answer.Status)
	}
	if status, body := w.command(http.MethodPost, wire.CommandRevoke+"?id="+open.ID); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	if status, body := w.command(http.MethodPost, wire.CommandRevoke+"?id="+open.ID); status != http.StatusNotFound {
		t.Errorf("again: %d %s", status, body)
	}
	if all := w.invitations(); len(all) != 0 {
		t.Errorf("%+v", all)
	}
	w.has(w.accept(w.browser(), path, "Carl", "long enough"), "410 ", "was revoked")
}
