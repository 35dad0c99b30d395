package page_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
)

// invited is a person's browser, invited on the page with a role.
func (w *world) invited(name string, role url.Values) *http.Client {
	w.t.Helper()
	f := form(w.get("people"), "people")
	for key, values := range role {
		f[key] = values
	}
	f.Set("name", name)
	page := w.post(w.client, "people", f)
	_, link, _ := strings.Cut(page, `id="link" href="`)
	link, _, _ = strings.Cut(link, `"`)
	client := w.browser()
	w.has(w.accept(client, "/translate/"+link, "", "long enough"), "200 /translate/")
	return client
}

// as is the world with another browser.
func (w *world) as(client *http.Client, do func()) {
	w.t.Helper()
	was := w.client
	w.client = client
	defer func() { w.client = was }()
	do()
}

// status is what a page answers that may be refused.
func (w *world) status(path string) string {
	w.t.Helper()
	r, err := http.NewRequest(http.MethodGet, w.server.URL+"/translate/"+path, nil)
	w.check(err)
	return w.send(w.client, r)
}

// A translator of a language writes drafts into it, suggests other texts in place of confirmed ones, and decides
// nothing. What is suggested waits for a reviewer, whatever is imported meanwhile, and is credited to its writer.
func TestTranslatorSuggests(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "One", "b": "Two"}`)
	w.imports("language=de&format=json&completion-state=final", "app.json", `{"a": "Ains"}`)
	ben := w.invited("Ben", url.Values{"role": {"translator"}, "into": {"de"}})
	w.has(w.get("people"), "translator into German (de)")
	reviewed := w.get("key?" + inGerman + "&show=all&q=a")
	w.as(ben, func() {
		home := w.get("")
		w.has(home, "German (de)")
		w.lacks(home, "Polish")
		w.has(w.status("list?project="+projectID+"&language=pl"), "403 ", "This language is not one of yours")
		w.lacks(w.get("list?"+inGerman), `href="approve?`)
		w.has(w.status("approve?"+inGerman), "403 ", "Only reviewers")
		page := w.get("key?" + inGerman + "&show=all&q=b")
		w.has(page, "Save as draft", "A reviewer makes it final")
		w.lacks(page, `value="final"`, `action="reject"`, `action="archive"`)
		f := form(page, "key")
		f.Set("text-", "Zwei")
		f.Set("state", "final") // as a form of an earlier role has it
		w.has(w.post(w.client, "key", f), "200 ")
		w.has(w.get("list?"+inGerman+"&show=draft"), "Zwei")

		page = w.get("key?" + inGerman + "&show=all&q=a")
		w.has(page, "Suggest this text")
		f = form(page, "key")
		f.Set("text-", "Eins")
		f.Set("state", "draft")
		w.has(w.post(w.client, "key", f), "200 ", "Suggested. A reviewer decides.", "<del>Ains</del><ins>Eins</ins>",
			`value="dismiss"`)
		for path, more := range map[string]url.Values{"reject": {"reason": {"x"}}, "approve": {"take": {"x"}},
			"suggestion": {"do": {"approve"}}, "archive": {"do": {"archive"}}, "role": {"name": {"Ben"}}} {
			f := form(w.get("key?"+inGerman+"&show=all&q=a"), "key")
			for key, values := range more {
				f[key] = values
			}
			w.has(w.post(w.client, path, f), "403 ")
		}
	})
	w.has(w.exported("de"), `"a":"Ains"`)
	w.has(w.get("many?"+inGerman+"&find=Ains&with=Einz"), "another text waits beside them: 1.", "No text here changes.")
	w.imports("language=de&format=json&completion-state=final", "app.json", `{"a": "Ains"}`)
	f := form(reviewed, "key") // from before the suggestion
	f.Set("text-", "Ainss")
	f.Set("state", "final")
	w.has(w.post(w.client, "key", f), "409 ", "<bdi>Ben</bdi> suggests another text")
	w.has(w.get("list?"+inGerman), "suggestion</span>", "Ains")
	page := w.get("key?" + inGerman + "&show=suggested")
	f = form(page, "suggestion")
	f.Set("do", "approve")
	w.now.Add(int64(time.Second))
	w.has(w.post(w.client, "suggestion", f), "200 ", "Saved.")
	w.has(w.post(w.client, "suggestion", f), "409 ")
	w.has(w.exported("de"), `"a":"Eins"`)
	if names := w.writers("a"); len(names) != 1 || names[0] != "Ben" {
		t.Errorf("written by %q", names)
	}
	w.lacks(w.get("list?"+inGerman+"&show=suggested"), `href="key?`)
	f = form(w.get("key?"+inGerman+"&show=draft&q=b"), "key") // another's draft, made final as it is
	f.Set("text-", "Zwei")
	f.Set("state", "final")
	w.has(w.post(w.client, "key", f), "200 ")
	if names := w.writers("b"); len(names) != 1 || names[0] != "Ben" {
		t.Errorf("written by %q", names)
	}

	w.as(ben, func() {
		f := form(w.get("key?"+inGerman+"&show=all&q=a"), "key")
		f.Set("text-", "Einz")
		f.Set("state", "draft")
		w.has(w.post(w.client, "key", f), "200 ", "Suggested.")
		f = form(w.get("key?"+inGerman+"&show=suggested"), "suggestion")
		f.Set("do", "dismiss")
		w.has(w.post(w.client, "suggestion", f), "200 ", "Dismissed.")
	})
	w.has(w.exported("de"), `"a":"Eins"`)
}

// Managers give roles and take them away, but for the last one; a role of one project or language is none of another.
func TestRoles(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "One"}`)
	ben := w.invited("Ben", url.Values{"role": {"translator"}})
	change := func(more url.Values) string {
		f := form(w.get("people"), "role")
		f.Set("name", "Ben")
		f.Del("was")
		for key, values := range more {
			f[key] = values
		}
		return w.post(w.client, "role", f)
	}
	w.has(change(url.Values{"role": {"reviewer"}, "into": {"pl"}}), "200 ", "translator</bdi>", "reviewer into Polish (pl)")
	w.as(ben, func() {
		w.lacks(w.get("key?"+inGerman), `value="final"`)
		page := w.get("key?project=" + projectID + "&language=pl")
		w.has(page, `value="final"`)
		w.lacks(page, `action="archive"`)
	})
	w.has(change(url.Values{"role": {"manager"}, "sees": {projectID}, "into": {"pl"}}), "200 ", "manager of app</bdi>")
	w.as(ben, func() { w.has(w.get("key?"+inGerman), `value="final"`, `action="archive"`) })
	page := w.get("people")
	for range 3 {
		f := form(page, "role")
		if f.Get("was") == "" {
			break
		}
		page = w.post(w.client, "role", f)
	}
	w.has(page, "manager of app</bdi>")
	w.lacks(page, "translator</bdi>", "Take away")
	f := form(page, "role")
	f.Set("was", "x")
	w.has(w.post(w.client, "role", f), "200 ")
	w.has(change(url.Values{"role": {"king"}}), "400 ")
	w.has(change(url.Values{"role": {"reviewer"}, "sees": {"nowhere"}}), "404 ")
	w.has(change(url.Values{"role": {"reviewer"}, "name": {"Anna"}}), "404 ")
	// A new password keeps them, and visits end with it.
	path, err := w.service.Page().Invite("Ben", false)
	w.check(err)
	w.accept(w.browser(), path, "", "long enough")
	w.has(w.get("people"), "manager of app</bdi>")
	// Commands of the machine name roles, too.
	w.service.Page().SetAddress(w.server.URL)
	for query, says := range map[string]string{"name=Cara&role=translator&language=pl&project=app": "200",
		"name=Cara&role=king": "400", "name=Cara&language=xx": "404"} {
		r := httptest.NewRequest(http.MethodPost, "/locsync/invite?"+query, nil)
		answer := httptest.NewRecorder()
		w.service.Commands().ServeHTTP(answer, r)
		if got := strconv.Itoa(answer.Code); got != says {
			t.Fatalf("%s: %s %s", query, got, answer.Body)
		}
		if _, word, found := strings.Cut(answer.Body.String(), "/translate/"); found {
			w.accept(w.browser(), "/translate/"+strings.Trim(word, "\"}\n"), "", "long enough")
		}
	}
	w.has(w.get("people"), "translator of app into Polish (pl)</bdi>")
}

// What people say about a key is on its page. A question is listed until it is answered; the developers are told.
func TestComments(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "One", "b": "Two"}`)
	say := func(key, text, question string) string {
		f := form(w.get("key?"+inGerman+"&show=all&q="+key), "comment")
		f.Set("comment", text)
		f.Set("question", question)
		return w.post(w.client, "comment", f)
	}
	w.has(say("a", " ", ""), "400 ")
	f := form(w.get("key?"+inGerman+"&show=all&q=a"), "comment")
	f.Set("comment", "A long question")
	w.has(w.post(w.browser(), "comment", f), "403 ", "you are not signed in any more", "A long question</textarea>")
	w.has(say("a", strings.Repeat("x", 2001), ""), "400 ")
	w.has(say("a", "<b>As in a game</b>", ""), "200 ", "Your comment is stored.", "&lt;b&gt;As in a game&lt;/b&gt;")
	w.lacks(w.get("list?"+inGerman+"&show=asked"), `href="key?`)
	w.has(say("a", "One what?", "1"), "200 ", "Your question is stored", "One what?", `wrong">question`)
	if got := <-w.saved; got != projectID {
		t.Errorf("told of %q", got)
	}
	w.has(w.get("list?"+inGerman+"&show=asked"), "question</span>", "One")
	asked := w.questions()
	if len(asked) != 1 || asked[0].Key != "a" || asked[0].By != "Anna" || asked[0].Text != "One what?" ||
		asked[0].Language != "de" || asked[0].Collection != "main" {
		t.Errorf("%+v", asked)
	}
	w.archives("a")
	if asked := w.questions(); len(asked) != 0 {
		t.Errorf("of an archived key: %v", asked)
	}
	w.imports("language=en&format=json", "app.json", `{"a": "One"}`)
	page := w.get("key?" + inGerman + "&show=asked")
	w.has(page, "One what?")
	w.has(w.post(w.client, "answered", form(page, "answered")), "200 ", "Marked as answered.", `tag">answered`)
	if asked := w.questions(); len(asked) != 0 {
		t.Errorf("after the answer: %v", asked)
	}
	for range 98 {
		w.has(say("a", "again", ""), "200 ")
	}
	page = w.get("key?" + inGerman + "&show=all&q=a")
	w.lacks(page, `action="comment"`)
	f = form(page, "key")
	f.Set("comment", "more")
	w.has(w.post(w.client, "comment", f), "409 ", "100 comments already")
}
