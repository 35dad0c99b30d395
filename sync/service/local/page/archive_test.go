package page_test

import (
	"strings"
	"testing"
)

// A key that is archived is in the list of the archived alone, with all that it has. Managers restore and delete it.
func TestArchive(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"save": "Save", "bye": "Bye", "old": "Old"}`)
	w.imports("language=de&format=json&completion-state=final", "app.json", `{"bye": "Tschüs", "old": "Alt"}`)
	w.lacks(w.get("list?"+inGerman+"&show=archived"), `href="key?`)
	act := func(show, key, do string) string {
		t.Helper()
		f := form(w.get("key?"+inGerman+"&show="+show+"&q="+key), "archive")
		f.Set("do", do)
		return w.post(w.client, "archive", f)
	}
	w.has(act("all", "bye", "archive"), "200 ", "Archived.")
	w.archives("old")
	w.lacks(w.get("list?"+inGerman+"&show=all"), "Bye", "Old")
	w.has(w.get(""), "0 of 1 final")
	if got := w.exported("de"); strings.Contains(got, "bye") {
		t.Errorf("the export has %s", got)
	}
	w.has(w.get("list?"+inGerman+"&show=archived"), "Bye", "Tschüs", "Old")
	archived := w.get("key?" + inGerman + "&show=archived&q=bye")
	w.has(archived, "Tschüs", `value="restore"`)
	w.lacks(archived, "<textarea", `action="key"`)
	for _, wrong := range []struct{ path, do string }{{"key", ""}, {"archive", "archive"}, {"archive", "other"}} {
		f := form(archived, "archive")
		f.Set("state", "final")
		f.Set("text-", "x")
		f.Set("do", wrong.do)
		w.has(w.post(w.client, wrong.path, f), "400 ")
	}
	w.has(act("archived", "bye", "restore"), "200 ", "Restored.")
	w.has(w.get("list?"+inGerman+"&show=final"), "Tschüs")
	w.has(act("archived", "old", "delete"), "200 ", "Deleted.", "No key here")
	if r := w.imports("language=en&format=json", "app.json", `{"old": "Old"}`); r["keysCreated"] != 1.0 {
		t.Errorf("%v", r)
	}
	w.has(w.get("list?"+inGerman+"&show=untranslated"), "Old")

	path, err := w.service.Page().Invite("Ben", false)
	w.check(err)
	w.client = w.browser()
	w.accept(w.client, path, "", "long enough")
	page := w.get("key?" + inGerman + "&show=all&q=bye")
	w.lacks(page, `action="archive"`)
	f := form(page, "key")
	f.Set("do", "archive")
	w.has(w.post(w.client, "archive", f), "403 ", "Only managers")
}
