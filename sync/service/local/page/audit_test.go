package page_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/service/wire"
)

// noted are the kinds of acts in the log with who did them, the oldest first.
func (w *world) noted() (all []string) {
	w.t.Helper()
	status, body := w.command(http.MethodGet, wire.CommandAudit)
	var entries []wire.AuditEntry
	if err := json.Unmarshal([]byte(body), &entries); err != nil || status != http.StatusOK {
		w.t.Fatalf("%d %v: %s", status, err, body)
	}
	for _, e := range entries {
		all = append([]string{strings.TrimSpace(e.UserNickName + " " + e.Type)}, all...)
	}
	return all
}

// Acts of owners and sign-ins are noted with who did what, shown to managers, and to them alone. Failed sign-ins and
// visits are not.
func TestAudit(t *testing.T) {
	w := newWorld(t)
	f := form(w.get("people"), "people")
	f.Set("name", "Ben")
	f.Set("role", "translator")
	f.Set("into", "de")
	_, link, _ := strings.Cut(w.post(w.client, "people", f), `id="link" href="`)
	link, _, _ = strings.Cut(link, `"`)
	ben := w.browser()
	w.has(w.accept(ben, "/translate/"+link, "", "long enough"), "200 ")
	w.has(w.post(ben, "sign-in", url.Values{"name": {"Ben"}, "password": {"a guess"}}), "403 ")
	w.has(w.post(ben, "sign-in", url.Values{"name": {"ben"}, "password": {"long enough"}}), "200 ")
	_, err := w.service.Page().Invite("Carl", false)
	w.check(err)
	if status, body := w.command(http.MethodPost, wire.CommandRevoke+"?id="+w.invitations()[0].ID); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	f = form(w.get("people"), "role")
	f.Set("name", "Ben")
	f.Set("role", "reviewer")
	f.Set("into", "pl")
	w.has(w.post(w.client, "role", f), "200 ")
	w.check(w.service.Backup(&strings.Builder{}))
	f = form(w.get("people"), "remove")
	f.Set("name", "Ben")
	w.has(w.post(w.client, "remove", f), "200 ")
	want := []string{"projectCreated", "userInvited", "Anna userCreated", "Anna userSignedIn", "Anna userInvited",
		"Anna userCreated", "Ben userSignedIn", "Ben userSignedIn", "userInvited", "invitationRevoked",
		"Anna userRolesChanged", "backupMade", "Anna userRemoved"}
	if got := w.noted(); strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	page := w.get("audit")
	w.has(page, "<b><bdi>Anna</bdi></b> · <bdi>Person invited: Ben; translator into German (de)</bdi>",
		"<bdi>Backup made</bdi>",
		"a command or client</span> · <bdi>Invitation revoked: Carl</bdi>", "<b><bdi>Ben</bdi></b> · <bdi>Signed in</bdi>",
		"Roles changed: Ben; translator into German (de); reviewer into Polish (pl)", "Person removed: Ben")
	if strings.Index(page, "Person removed: Ben") > strings.Index(page, "Project made") {
		t.Error("the oldest act is the first one")
	}
	w.lacks(page, "Older")
	for range 50 {
		w.check(w.service.Backup(&strings.Builder{}))
	}
	w.has(w.get("audit"), `href="audit?skip=50"`)
	older := w.get("audit?skip=50")
	w.has(older, "Project made", `href="audit?skip=0"`)
	w.lacks(older, "Older")
	w.get("audit?skip=x")

	path, err := w.service.Page().Invite("Dora", false)
	w.check(err)
	dora := w.browser()
	w.has(w.accept(dora, path, "", "long enough"), "200 ")
	r, err := http.NewRequest(http.MethodGet, w.server.URL+"/translate/audit", nil)
	w.check(err)
	w.has(w.send(dora, r), "403 ", "Only managers")
}
