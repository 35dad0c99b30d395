package page_test

import (
	"net/http"
	"strings"
	"testing"
)

// A translator of one project sees, changes and searches that one, and no memory as a whole; what another project has
// is not suggested.
func TestPeopleOfProjects(t *testing.T) {
	const other = "5f0c1b52-6f0e-4d8a-9a55-0a1b2c3d4e5f"
	w := newWorld(t)
	w.check(w.service.EnsureProject(other, "secrets", "en", []string{"de"}))
	w.imports("language=en&format=json", "app.json", `{"a": "The merger is announced on Friday"}`)
	inOther := "project=" + other + "&language=de"
	f := form(w.get("people"), "people")
	f.Set("name", "Ben")
	f.Set("sees", other)
	page := w.post(w.client, "people", f)
	_, link, _ := strings.Cut(page, `id="link" href="`)
	link, _, _ = strings.Cut(link, `"`)
	ben := w.browser()
	page = w.accept(ben, "/translate/"+link, "", "long enough")
	w.has(page, "200 /translate/", "secrets")
	w.lacks(page, "<bdi>app</bdi>", projectID, "Translation memory")
	w.has(w.get("people"), "reviewer of secrets")

	f = form(w.get("key?"+inGerman), "key")
	f.Set("text-", "Die Fusion wird am Freitag bekannt")
	f.Set("state", "final")
	w.has(w.post(w.client, "key", f), "200 ")
	answerOf := func(path string) string {
		r, err := http.NewRequest(http.MethodGet, w.server.URL+"/translate/"+path, nil)
		w.check(err)
		return w.send(ben, r)
	}
	for _, path := range []string{"list?" + inGerman + "&show=all", "key?at=1.main&" + inGerman,
		"memory?project=" + projectID, "memory.tmx?project=" + projectID,
		"memory?project=" + other, "memory.tmx?project=" + other} {
		page := answerOf(path)
		w.has(page, "403 ")
		w.lacks(page, "merger", "Fusion")
	}
	w.has(answerOf("list?"+inOther), "200 ")
	own := form(answerOf("list?"+inOther), "sign-out")
	f.Set("form", own.Get("form"))
	f.Set("text-", "Von Ben")
	w.has(w.post(ben, "key", f), "403 ", "not one of yours", "Von Ben")
	w.has(w.post(ben, "check", f), "403 ")
	w.lacks(w.get("key?at=1.main&"+inGerman), "Von Ben")
	upload, err := http.NewRequest(http.MethodPost, w.server.URL+"/translate/memory", strings.NewReader("a file"))
	w.check(err)
	upload.Header.Set("Sec-Fetch-Site", "same-origin")
	w.has(w.send(ben, upload), "403 ", "Only managers")

	// The manager's own suggestions are those of the project, too.
	w.importsTo(other, "language=en&format=json", "app.json", `{"b": "The merger is announced on Friday"}`)
	w.lacks(w.get("key?at=1.main&"+inOther), "Fusion")
}

// Another link, for a new password, leaves the projects of a person as they are, unless it names some.
func TestNewPasswordKeepsProjects(t *testing.T) {
	w := newWorld(t)
	sees := func(projects ...string) string {
		path, err := w.service.Page().Invite("Ben", false, projects...)
		w.check(err)
		return w.accept(w.browser(), path, "", "long enough")
	}
	w.check(w.service.EnsureProject("5f0c1b52-6f0e-4d8a-9a55-0a1b2c3d4e5f", "other", "en", []string{"de"}))
	w.lacks(sees("app"), "<bdi>other</bdi>")
	w.lacks(sees(), "<bdi>other</bdi>")
	w.has(sees("other", projectID), "<bdi>other</bdi>", "<bdi>app</bdi>")
	if _, err := w.service.Page().Invite("Ben", false, "unknown"); err == nil {
		t.Error("an unknown project was taken")
	}
}
