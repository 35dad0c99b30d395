package page_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

var takes = regexp.MustCompile(`name="take" value="([^"]*)"`)

// All texts that a filter shows are approved with one form: but for those that a check holds back, that are taken out,
// or that have changed since they were seen.
func TestApproveMany(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json",
		`{"a": "One", "b": "Two", "c": "Three", "d": "Hi {name}", "e": "Five", "f": "Six"}`)
	w.imports("language=de&format=json", "app.json", `{"a": "Eins", "b": "Zwei", "c": "Drei", "d": "Hallo", "e": "Fünf"}`)
	list := w.get("list?" + inGerman)
	w.has(list, `href="approve?`, "0 of 6 final")
	page := w.get("approve?" + inGerman)
	w.has(page, "Eins", "Zwei", "Drei", "Fünf", "Texts: 4", "holds them back or another text waits beside them: 1.")
	w.lacks(page, "Hallo", "Six")
	all := takes.FindAllStringSubmatch(page, -1)
	if len(all) != 4 {
		t.Fatalf("%d texts are offered", len(all))
	}
	f := form(page, "approve")
	for _, take := range all[1:] { // "a" is taken out
		f.Add("take", take[1])
	}
	w.now.Add(int64(time.Second))
	w.imports("language=de&format=json&overwrite-conflicting-values", "app.json", `{"e": "Fünfe"}`)
	w.has(w.post(w.client, "approve", f), "200 ", "2 of 3 texts are final now; the others have changed meanwhile.",
		"2 of 6 final")
	w.has(w.get("list?"+inGerman+"&show=final"), "Zwei", "Drei")
	w.has(w.get("list?"+inGerman+"&show=draft"), "Eins", "Fünfe", "Hallo")
	w.has(w.post(w.client, "approve", f), "0 of 3 texts are final now")
	w.has(w.get("approve?"+inGerman+"&q=eins"), "Texts: 1.", "Eins")
	w.has(w.get("approve?"+inGerman+"&show=confirmed"), "No text here waits")
	f.Set("take", "x")
	w.has(w.post(w.client, "approve", f), "400 ")
	f["take"] = make([]string, 201)
	w.has(w.post(w.client, "approve", f), "400 ")
}

// A text that is rejected is a draft with the reason, until it is saved anew, also as it is.
func TestReject(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "One", "b": "Two"}`)
	w.imports("language=de&format=json&completion-state=final", "app.json", `{"a": "Ains"}`)
	w.lacks(w.get("key?"+inGerman+"&show=all&q=b"), `action="reject"`)
	f := form(w.get("key?"+inGerman+"&show=all&q=a"), "reject")
	w.has(w.post(w.client, "reject", f), "400 ", "needs a reason")
	f.Set("reason", "A typo:\r\n<b>Eins</b>")
	w.has(w.post(w.client, "reject", f), "200 ")
	w.has(w.post(w.client, "reject", f), "409 ")
	w.has(w.get("list?"+inGerman+"&show=rejected"), "Ains", `wrong">rejected`, "draft")
	page := w.get("key?" + inGerman + "&show=rejected")
	w.has(page, "Rejected by <bdi>Anna</bdi>", "A typo:\n&lt;b&gt;Eins&lt;/b&gt;")
	// A draft can be rejected again, for another reason. The same import takes nothing of that away.
	f = form(page, "reject")
	f.Set("reason", "Still a typo")
	w.has(w.post(w.client, "reject", f), "200 ")
	w.imports("language=de&format=json", "app.json", `{"a": "Ains"}`)
	page = w.get("key?" + inGerman + "&show=rejected")
	w.has(page, "Still a typo")
	save := form(page, "key")
	save.Set("text-", "Eins")
	save.Set("state", "draft")
	w.has(w.post(w.client, "key", save), "200 ")
	w.lacks(w.get("list?"+inGerman+"&show=rejected"), `href="key?`)
	page = w.get("key?" + inGerman + "&show=all&q=a")
	// An older text is restored as it was, without a script.
	_, past, _ := strings.Cut(page, `class="history"`)
	restored := form(past, "key")
	if restored.Get("text-") != "Ains" || restored.Get("state") != "draft" {
		t.Errorf("the history offers %v", restored)
	}
	page = w.post(w.client, "key", restored)
	w.has(page, "200 /translate/key", "Saved.", "Ains</textarea>", "Still a typo")
	w.has(w.post(w.client, "key", restored), "409 ")
	save = form(page, "key")
	save.Set("text-", "Eins")
	save.Set("state", "draft")
	w.has(w.post(w.client, "key", save), "200 ")
	page = w.get("key?" + inGerman + "&show=all&q=a")
	w.lacks(page, "Rejected by")
	w.has(page, "rejected by <bdi>Anna</bdi>: <bdi>Still a typo</bdi>", `data-text="Ains"`, "1 of 1", "0 of 2 final")
}

// What is not saved is said so, as an error; a text of blanks alone is none.
func TestBlank(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "One", "blank": " "}`)
	for key, says := range map[string]string{"a": "400 ", "blank": "200 "} {
		f := form(w.get("key?"+inGerman+"&show=all&q="+url.QueryEscape(key)), "key")
		f.Set("text-", "  ")
		f.Set("state", "final")
		page := w.post(w.client, "key", f)
		w.has(page, says)
		if alert := strings.Contains(page, `role="alert"><strong>Not saved`); alert != (key == "a") {
			t.Errorf("%s: an error is told: %v", key, alert)
		}
	}
}
