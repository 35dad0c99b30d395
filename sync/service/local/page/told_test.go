package page_test

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/service/local/mail/mailtest"
)

// feed reads a feed, which needs no sign-in.
func (w *world) feed(address string) (titles []string, content string) {
	w.t.Helper()
	answer := w.send(w.browser(), w.request(http.MethodGet, address))
	status, text, _ := strings.Cut(answer, "\n")
	if status != "200 /translate/feed" {
		return nil, status
	}
	var feed struct {
		ID      string `xml:"id"`
		Updated string `xml:"updated"`
		Entries []struct {
			ID    string `xml:"id"`
			Title string `xml:"title"`
			Link  struct {
				Href string `xml:"href,attr"`
			} `xml:"link"`
			Content string `xml:"content"`
		} `xml:"http://www.w3.org/2005/Atom entry"`
	}
	w.check(xml.Unmarshal([]byte(text), &feed))
	for _, e := range feed.Entries {
		titles = append(titles, e.Title)
		content += e.Content + "\n" + e.Link.Href + "\n"
		w.has(w.send(w.client, w.request(http.MethodGet, e.Link.Href)), "200 /translate/")
		if feed.ID == "" || feed.Updated == "" || e.ID == "" {
			w.t.Errorf("%+v", feed)
		}
	}
	return titles, content
}

func (w *world) request(method, address string) *http.Request {
	w.t.Helper()
	r, err := http.NewRequest(method, address, nil)
	w.check(err)
	return r
}

// makesFeed is the address of a new feed of one's own.
func (w *world) makesFeed(client *http.Client) string {
	w.t.Helper()
	page := w.post(client, "feed", form(w.page(client, "account"), "feed"))
	_, address, found := strings.Cut(page, `id="feed" href="`)
	if !found {
		w.t.Fatal(page)
	}
	address, _, _ = strings.Cut(address, `"`)
	return address
}

// The feed of a person has what happened in the person's languages: new and changed texts, questions and answers,
// rejections with their reason, and suggestions for those who decide on them. It ends when it is revoked.
func TestFeed(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "One", "b": "Two"}`)
	ben := w.invited("Ben", url.Values{"role": {"translator"}, "into": {"de"}})
	anna, bens := w.makesFeed(w.client), w.makesFeed(ben)
	w.imports("language=en&format=json&overwrite-conflicting-values", "app.json", `{"a": "One", "b": "Two!", "c": "Three"}`)
	w.as(w.client, func() { // Anna translates, asks, and rejects
		f := form(w.get("key?"+inGerman), "key")
		f.Set("text-", "Eins")
		f.Set("state", "final")
		w.has(w.post(w.client, "key", f), "200 ")
		key := w.get("key?" + strings.Replace(inGerman, "show=todo", "show=all", 1))
		f = form(key, "comment")
		f.Set("comment", "Which one?")
		f.Set("question", "1")
		w.has(w.post(w.client, "comment", f), "200 ", "Your question is stored")
	})
	w.as(ben, func() { // Ben suggests
		f := form(w.get("key?project="+projectID+"&language=de&show=final"), "key")
		f.Set("text-", "Einer")
		f.Set("state", "draft")
		w.has(w.post(ben, "key", f), "200 ", "Suggested. A reviewer decides.")
	})
	titles, _ := w.feed(anna)
	if got := strings.Join(titles, "; "); got != `Ben suggests another text for "a" (app, German (de)); `+
		`New texts in app: 1, changed: 1; New texts in app: 2` {
		t.Errorf("Anna: %q", got)
	}
	titles, content := w.feed(bens)
	if got := strings.Join(titles, "; "); !strings.HasPrefix(got, `Anna asks about "`) || len(titles) != 3 {
		t.Errorf("Ben: %q", got)
	}
	w.has(content, "Which one?\n", "b\nc\n", w.server.URL+"/translate/key?")

	f := form(w.get("key?project="+projectID+"&language=de&show=final"), "reject")
	f.Set("reason", "too short")
	w.has(w.post(w.client, "reject", f), "200 ")
	titles, content = w.feed(bens)
	if titles[0] != `Anna rejected the text of "a" (app, German (de))` || !strings.HasPrefix(content, "too short\n") {
		t.Errorf("%q, %q", titles, content)
	}
	again := w.makesFeed(ben)
	if _, status := w.feed(bens); !strings.HasPrefix(status, "404 ") {
		t.Errorf("the old address: %s", status)
	}
	w.has(w.post(ben, "no-feed", form(w.page(ben, "account"), "no-feed")), "200 ", "The feed is revoked")
	for _, address := range []string{again, strings.TrimSuffix(again, again[len(again)-26:])} {
		if _, status := w.feed(address); !strings.HasPrefix(status, "404 ") {
			t.Errorf("%s: %s", address, status)
		}
	}
	w.has(w.post(w.browser(), "feed", url.Values{}), "200 /translate/sign-in")
}

// A reader that has the newest feed is not sent it again.
func TestFeedIsNotSentTwice(t *testing.T) {
	w := newWorld(t)
	r := w.request(http.MethodGet, w.makesFeed(w.client))
	answer, err := http.DefaultClient.Do(r)
	w.check(err)
	answer.Body.Close()
	r.Header.Set("If-None-Match", answer.Header.Get("ETag"))
	for _, want := range []int{http.StatusNotModified, http.StatusOK} {
		answer, err = http.DefaultClient.Do(r)
		w.check(err)
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%d, not %d", answer.StatusCode, want)
		}
		w.imports("language=en&format=json", "app.json", `{"a": "One"}`)
	}
}

// withMail has a service send mail by a server.
func withMail(t *testing.T, at *mailtest.Server) func(dir string) {
	return func(dir string) {
		text := fmt.Sprintf(`{"host": "127.0.0.1", "port": %d, "security": "none", "from": "l10n@example.com"}`, at.Port)
		if err := os.WriteFile(filepath.Join(dir, "mail.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// An address gets mail when its owner confirms it, and until it is ended by the link in each mail or on the page.
func TestMailsOfNews(t *testing.T) {
	at := mailtest.New(t, nil)
	w := newWorld(t, withMail(t, at))
	w.service.Page().SetAddress(w.server.URL)
	ask := func(address string) string {
		f := form(w.get("account"), "mails")
		f.Set("do", "ask")
		f.Set("address", address)
		return w.post(w.client, "mails", f)
	}
	w.has(ask("l10n"), "400 ", "That is not an address", `value="l10n"`)
	w.has(ask("anna@example.com\r\nBcc: x@example.com"), "400 ")
	w.has(ask("anna@example.com"), "200 ", "A mail is on its way")
	w.has(ask("other@example.com"), "429 ", "just now")
	mail := <-at.Arrived
	_, link, _ := strings.Cut(mail.Text, w.server.URL+"/translate/")
	link = strings.Fields(link)[0]
	stranger := w.browser()
	page := w.page(stranger, link)
	w.has(page, "200 /translate/confirm", "Confirm the address")
	w.lacks(w.get("account"), "one mail a day is sent to")
	confirmed := ""
	for !strings.HasPrefix(confirmed, "200 ") { // it is stored when the server has answered
		confirmed = w.post(stranger, "confirm", form(page, "confirm"))
	}
	w.has(confirmed, "at most one mail a day")
	w.has(w.post(stranger, "confirm", form(page, "confirm")), "404 ", "was used already")
	w.has(w.get("account"), "one mail a day is sent to <bdi>anna@example.com</bdi>")
	f := form(w.get("account"), "mails")
	f.Set("do", "off")
	w.has(w.post(w.client, "mails", f), "200 ", "No mails are sent to <bdi>anna@example.com</bdi>")
	w.has(w.post(stranger, "unsubscribe", url.Values{"word": {"guess"}}), "404 ")
	w.has(w.post(stranger, "unsubscribe", url.Values{}), "404 ")
}

// Without a mail server the page offers no mails.
func TestNoMails(t *testing.T) {
	w := newWorld(t)
	w.lacks(w.get("account"), "one mail a day")
	f := form(w.get("account"), "name")
	f.Set("do", "ask")
	f.Set("address", "anna@example.com")
	w.has(w.post(w.client, "mails", f), "409 /translate/mails")
}
