package page_test

import (
	"net/http"
	"net/url"
	"testing"
)

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
