package page_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/locsync/locsync/sync/service/local/mail/mailtest"
	"github.com/locsync/locsync/sync/service/local/openid/openidtest"
	"github.com/locsync/locsync/sync/service/local/words"
	"golang.org/x/net/html"
)

// hostileText is one that wants to be more than a text.
const hostileText = `</textarea><script>hacked=1</script>"'><img src=x onerror=hacked=1>` + "\u202egnp.exe"

// filled is a world with everything that a page shows.
func filled(t *testing.T) *world {
	w := newWorld(t, withEngine(t, "http://127.0.0.1:9"), withMail(t, mailtest.New(t, nil)),
		withProvider(t, openidtest.New(t), ""))
	w.imports("language=en&format=android-xml&collection=android", "strings.xml",
		`<resources><!-- Shown above the list of files. -->
		<plurals name="files"><item quantity="one">%d file in {folder}</item><item quantity="other">%d files in {folder}</item></plurals></resources>`)
	texts := map[string]string{"editor.save": "Save all the changes of this document now",
		"editor.keep": "Save all the changes of this page now",
		hostileText:   hostileText, "long": strings.Repeat("W", 400), "hello": "Hello {name}"}
	for i := range 60 {
		texts[fmt.Sprintf("more%02d", i)] = fmt.Sprintf("Text number %d.", i)
	}
	data, err := json.Marshal(texts)
	w.check(err)
	w.imports("language=en&format=json", "app.json", string(data))
	save := func(key string, texts map[string]string, state string) {
		f := form(w.get("key?"+inGerman+"&show=all&q="+url.QueryEscape(key)), "key")
		for form, text := range texts {
			f.Set("text-"+form, text)
		}
		f.Set("state", state)
		w.has(w.post(w.client, "key", f), "200 ")
	}
	save("files", map[string]string{"one": "eine Datei in {folder}", "other": "Dateien in {ordner}"}, "confirmed")
	save("files", map[string]string{"one": "eine Datei in {folder}", "other": "Dateien im {ordner}"}, "confirmed")
	save("editor.save", map[string]string{"": "Alle Änderungen an diesem Dokument jetzt speichern"}, "final")
	save("editor.keep", map[string]string{"": "Alle Änderungen an dieser Seite speichern"}, "draft")
	save("hello", map[string]string{"": hostileText}, "draft")
	w.archives("more07", "more08")
	rejected := form(w.get("key?"+inGerman+"&show=all&q=editor.keep"), "reject")
	rejected.Set("reason", "Here it is a page, as in a book.")
	w.has(w.post(w.client, "reject", rejected), "200 ")
	save("more10", map[string]string{"": "Text Nummer 10."}, "draft")
	save("more09", map[string]string{"": "Text Nummer 9."}, "final")
	w.imports("language=en&format=json&overwrite-conflicting-values", "app.json",
		`{"more09": "This is the text\u00a0number {n}, which is in the folder of all the changed documents."}`)
	w.imports("language=pl&format=json", "app.json", `{"more09": "Tekst numer 9."}`)
	w.glossary("en,de\nfolder,Ordner\nchanged document,geändertes Dokument\n")
	ask := form(w.get("key?"+inGerman+"&show=outdated"), "comment")
	ask.Set("comment", "Which folder is this?\n"+hostileText)
	ask.Set("question", "1")
	w.has(w.post(w.client, "comment", ask), "200 ")
	w.as(w.invited("Ben", url.Values{"role": {"translator"}, "into": {"de"}}), func() {
		save("editor.save", map[string]string{"": "Alle Änderungen an diesem Dokument sofort speichern " + hostileText}, "draft")
	})
	result := w.imports("language=de&format=json", "app.json", `{"editor.keep": "Änderungen behalten"}`)
	if result["conflictingKeyValues"] == nil {
		t.Fatal("no conflict")
	}
	return w
}

// allPages are those of a filled world, for people who are signed in.
var allPages = []struct{ name, path string }{
	{"projects", ""}, {"list", "list?" + inGerman + "&show=all"}, {"failing", "list?" + inGerman + "&show=failing"},
	{"nothing", "list?" + inGerman + "&show=all&q=nowhere"}, {"plural", "key?" + inGerman + "&show=all&q=files"},
	{"conflict", "key?" + inGerman + "&show=conflict"}, {"hostile", "key?" + inGerman + "&show=all&q=hacked"},
	{"todo", "list?" + inGerman}, {"archived", "list?" + inGerman + "&show=archived"}, {"restore", "key?" + inGerman + "&show=archived"},
	{"replace", "many?" + inGerman + "&find=e&with=E"}, {"fill", "many?" + inGerman + "&do=fill"},
	{"changed", "key?" + inGerman + "&show=outdated"}, {"suggested", "key?" + inGerman + "&show=suggested"},
	{"approve", "approve?" + inGerman}, {"rejected", "key?" + inGerman + "&show=rejected"},
	{"people", "people"}, {"audit", "audit"}, {"account", "account"}, {"memory", "memory?project=" + projectID}, {"gone", "key?" + inGerman + "&at=99.nowhere"},
}

// accepting is a page as a browser gets it that accepts some languages.
func (w *world) accepting(client *http.Client, path, languages string) string {
	w.t.Helper()
	r := w.request(http.MethodGet, w.server.URL+"/translate/"+path)
	r.Header.Set("Accept-Language", languages)
	return w.send(client, r)
}

// Pages are in the language that the person has chosen, else in the browser's, else in English; refusals, too.
func TestLanguageOfPages(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "One", "Sign in": "Name"}`)
	w.has(w.accepting(w.browser(), "sign-in", "fr-CH, de;q=0.5"), `<html lang="fr">`, "Se connecter", "Mot de passe")
	w.has(w.accepting(w.browser(), "sign-in", "ja"), `<html lang="en">`, "Sign in")
	w.has(w.accepting(w.client, "list?"+inGerman, "de-AT"), `<html lang="de">`, ">Nicht übersetzt</option>",
		">nicht übersetzt</span>", "0 von 2 fertig", "<bdi>Sign in</bdi>", ">Name</p>")
	w.has(w.accepting(w.client, "list?project="+projectID+"&language=xx", "de"), "404 ",
		"Das Projekt app wird nicht nach &#34;xx&#34; übersetzt.", "Etwas stimmt nicht")
	w.imports("language=en&format=json", "app.json", `{"a": "One", "Sign in": "Name", "n": "Hello {name}"}`)
	key := form(w.get("key?"+inGerman+"&q=Hello"), "key")
	key.Set("text-", "Hallo")
	key.Set("state", "final")
	key.Set("stay", "1")
	w.post(w.client, "key", key)
	w.has(w.accepting(w.client, "key?"+inGerman+"&show=all&q=Hello", "de"), "{name} fehlt.", "füllt es aus",
		"Bis dahin wird dieser Text nicht veröffentlicht.")
	f := form(w.get("account"), "words")
	f.Set("words", "fr")
	w.has(w.post(w.client, "words", f), `<html lang="fr">`, "Votre langue est changée.", `value="fr" lang="fr" selected`)
	w.has(w.accepting(w.client, "list?"+inGerman, "de"), `<html lang="fr">`, "1 sur 3 définitifs")
	w.has(w.post(w.client, "name", url.Values{"form": f["form"], "name": {""}}), "Il manque un nom.")
	for _, said := range []string{"approved=1&of=1", "approved=3&of=3", "approved=1&of=3"} {
		w.has(w.get("list?"+inGerman+"&"+said), map[string]string{"approved=1&of=1": "1 texte est définitif.",
			"approved=3&of=3": "3 textes sont définitifs.", "approved=1&of=3": "1 textes sur 3 sont définitifs"}[said])
	}
	f.Set("words", "")
	w.has(w.post(w.client, "words", f), `<html lang="en">`)
}

// spoken are the texts of a page that people read and hear, in order, without those of a project and of people.
func spoken(t *testing.T, page string) (all []string) {
	t.Helper()
	_, body, _ := strings.Cut(page, "<!doctype html>")
	root, err := html.Parse(strings.NewReader("<!doctype html>" + body))
	if err != nil {
		t.Fatal(err)
	}
	var visit func(n *html.Node)
	visit = func(n *html.Node) {
		data := slices.Contains([]string{"bdi", "textarea", "time", "kbd", "script", "link"}, n.Data)
		for _, a := range n.Attr {
			data = data || a.Key == "lang" && n.Data != "html" || a.Key == "class" && a.Val == "note"
			if a.Key == "title" || a.Key == "aria-label" {
				all = append(all, a.Val)
			}
		}
		if n.Type == html.TextNode {
			all = append(all, strings.TrimSpace(n.Data))
		}
		for c := n.FirstChild; c != nil && !data; c = c.NextSibling {
			visit(c)
		}
	}
	visit(root)
	return all
}

// same are texts that are alike in all languages: names of collections, checks and keys.
var same = regexp.MustCompile(`^(locsync|main|android|\(\w+\)|Ctrl\+(Shift\+)?\d)$`)

// Pages say nothing in English to people who read another language: each of their texts is another one there, or is
// translated by itself.
func TestPagesInOtherLanguages(t *testing.T) {
	w := filled(t)
	invitation, err := w.service.Page().Invite("", false)
	w.check(err)
	stranger := w.browser()
	for _, l := range words.All()[1:] {
		text, err := os.ReadFile("../words/" + l.Code + ".json")
		w.check(err)
		table := make(map[string]string)
		w.check(json.Unmarshal(text, &table))
		compare := func(client *http.Client, name, path string) {
			english, other := spoken(t, w.accepting(client, path, "en")), spoken(t, w.accepting(client, path, l.Code))
			if len(english) != len(other) {
				t.Errorf("%s: %d texts in English, %d in %s", name, len(english), len(other), l.Code)
				return
			}
			for i, text := range english {
				if text == other[i] && strings.ContainsFunc(text, unicode.IsLetter) && table[text] != text &&
					!same.MatchString(text) {
					t.Errorf("%s: %q is not in %s", name, text, l.Code)
				}
			}
		}
		for _, page := range allPages {
			compare(w.client, page.name, page.path)
		}
		for _, path := range []string{"sign-in", strings.TrimPrefix(invitation, "/translate/"), "unsubscribe?word=w"} {
			compare(stranger, path, path)
		}
	}
}

// What the service refuses in a call's words is said on the page, too.
func TestRefusalsHaveWords(t *testing.T) {
	w := newWorld(t)
	w.has(w.accepting(w.client, "list?project=x&language=de", "de"), "400 ", `role="alert">projectId: `)
}
