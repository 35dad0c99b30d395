package page_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// chosen are the form of a preview with all that it offers.
func chosen(page, action string) url.Values {
	_, rest, _ := strings.Cut(page, `method="post" action="`+action+`"`) // another form may search
	f := form(`action="`+action+`"`+rest, action)
	for _, m := range takes.FindAllStringSubmatch(page, -1) {
		f.Add("take", m[1])
	}
	return f
}

// What is found in translations is replaced where it is chosen, keeps its state, and is checked; what has changed since
// the preview stays.
func TestFindAndReplace(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json",
		`{"a": "A folder", "b": "Folders", "c": "{dir} folder", "d": "The folder"}`)
	w.imports("language=de&format=json&completion-state=final", "app.json",
		`{"a": "Ein Ordner", "c": "Ordner {dir}", "d": "Der Ordner"}`)
	w.imports("language=de&format=json", "app.json", `{"b": "Ordner"}`)
	w.has(w.get("list?"+inGerman), `href="many?`)
	w.lacks(w.get("many?"+inGerman), `name="take"`, "No text here changes")
	w.has(w.get("many?"+inGerman+"&find=nothing"), "No text here changes.")
	page := w.get("many?" + inGerman + "&find=Ordner&with=Verzeichnis")
	w.has(page, "Texts: 4", "Ein <del>Ordner</del><ins>Verzeichnis</ins>", `<span class="tag draft">`)
	w.has(w.get("many?"+inGerman+"&find={dir}&with=x"), "since a check would hold them back or another text waits beside them: 1",
		"No text here changes")
	f := chosen(page, "many")
	f["take"] = f["take"][:3]
	w.now.Add(int64(time.Second))
	w.imports("language=de&format=json&completion-state=final&overwrite-conflicting-values", "app.json", `{"a": "Mappe"}`)
	w.has(w.post(w.client, "many", f), "200 ", "2 of 3 texts are changed now; the others have changed meanwhile.")
	w.has(w.get("list?"+inGerman+"&show=final"), "Mappe", "Verzeichnis {dir}", "Der Ordner")
	w.has(w.get("list?"+inGerman+"&show=draft"), ">Verzeichnis<")
	w.has(w.get("key?"+inGerman+"&show=draft"), "Ordner", "<bdi>Anna</bdi>")
	w.has(w.post(w.client, "many", f), "0 of 3 texts are changed now")
	f.Set("with", "anders") // it is not what the preview showed
	w.has(w.post(w.client, "many", f), "0 of 3 texts")
	f.Set("take", "x")
	w.has(w.post(w.client, "many", f), "400 ")

	w.as(w.invited("Ben", url.Values{"role": {"translator"}}), func() {
		page := w.get("many?" + inGerman + "&find=e&with=E")
		w.has(page, "Texts: 1.", "you change drafts")
	})
}

// Texts whose very source text the memory has are filled in as drafts, all forms of them or none.
func TestFillFromMemory(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "Open the gate", "b": "Open the gate", "c": "Open the gates",
		"d": "{n, plural, one {Open the gate} other {Unknown}}"}`)
	w.imports("language=de&format=json&completion-state=final", "app.json", `{"a": "Das Tor öffnen"}`)
	page := w.get("many?" + inGerman + "&do=fill")
	w.has(page, "Texts: 1.", "<ins>Das Tor öffnen</ins>")
	w.has(w.post(w.client, "many", chosen(page, "many")), "200 ", "1 text is changed now.")
	w.has(w.get("list?"+inGerman+"&show=draft&q=b"), "Das Tor öffnen")
	w.has(w.get("many?"+inGerman+"&do=fill"), "No text here changes.")
}

// Many texts are rejected with one reason.
func TestRejectMany(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "One", "b": "Two"}`)
	w.imports("language=de&format=json", "app.json", `{"a": "Ains", "b": "Zwai"}`)
	f := chosen(w.get("approve?"+inGerman), "approve")
	f.Set("do", "reject")
	w.has(w.post(w.client, "approve", f), "400 ", "needs a reason")
	f.Set("reason", "Spelling")
	w.has(w.post(w.client, "approve", f), "200 ", "2 texts are rejected now.")
	w.has(w.get("key?"+inGerman+"&show=rejected"), "Spelling", "Rejected by <bdi>Anna</bdi>")
}

// withEngine names an engine at an address in a service's folder.
func withEngine(t *testing.T, url string) func(dir string) {
	return func(dir string) {
		file := fmt.Sprintf(`[{"id": "engine:libre", "name": "<Libre>", "kind": "libretranslate", "url": %q}]`, url)
		if err := os.WriteFile(filepath.Join(dir, "engines.json"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// An engine is asked where a person wants it: for one text, beside what was written, or for drafts of many. What does not
// hold what its source has is left out.
func TestEngines(t *testing.T) {
	fails := false
	engine := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var ask struct{ Q []string }
		if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || fails {
			rw.WriteHeader(http.StatusInternalServerError)
			return
		}
		answer := []string{}
		for _, q := range ask.Q {
			answer = append(answer, map[string]string{"Hi {name}": "Hallo {name}", "Save": "Speichern",
				"Lost {name}": "Verloren"}[q])
		}
		_ = json.NewEncoder(rw).Encode(map[string]any{"translatedText": answer})
	}))
	defer engine.Close()
	w := newWorld(t, withEngine(t, engine.URL))
	w.imports("language=en&format=json", "app.json", `{"hi": "Hi {name}", "lost": "Lost {name}", "save": "Save"}`)
	page := w.get("key?" + inGerman + "&show=all&q=hi")
	w.has(page, "Ask <bdi>&lt;Libre&gt;</bdi>")
	f := form(page, "key")
	f.Set("text-", "Grüß")
	f.Set("engine", "engine:libre")
	page = w.post(w.client, "machine", f)
	w.has(page, "200 ", "Grüß</textarea>", "<bdi>&lt;Libre&gt;</bdi></span> <bdi>Hallo <span class=\"kept\">{name}</span></bdi>",
		`data-text="Hallo {name}" data-digit="1"`)
	if again := form(page, "key"); again.Get("seen") != f.Get("seen") {
		t.Error("what its writer saw is another text now")
	}
	f.Set("engine", "engine:other")
	w.has(w.post(w.client, "machine", f), "404 ", "There is no such engine", "Grüß")
	lost := form(w.get("key?"+inGerman+"&show=all&q=lost"), "key")
	lost.Set("engine", "engine:libre")
	w.has(w.post(w.client, "machine", lost), "502 ", "has no translation that holds what the source has")

	all := form(w.get("list?"+inGerman), "drafts")
	all.Set("engine", "engine:libre")
	w.has(w.post(w.client, "drafts", all), "200 ", "2 of 3 texts are drafts now")
	w.has(w.get("list?"+inGerman+"&show=draft"), "Hallo {name}", "Speichern")
	w.has(w.get("key?"+inGerman+"&show=draft"), "<bdi>&lt;Libre&gt;</bdi>, draft, now")
	fails = true
	w.has(w.post(w.client, "drafts", all), "502 ", "gave no translation")
	f.Set("engine", "engine:libre")
	w.has(w.post(w.client, "machine", f), "502 ", "gave no translation", "Grüß</textarea>")
}

// The keys around one, and its other translations, are on its page: of the languages that the person sees.
func TestContext(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"k1": "One", "k2": "Two", "k3": "Three", "k4": "Four", "k5": "Five",
		"k6": "Six"}`)
	w.imports("language=pl&format=json", "app.json", `{"k4": "Cztery"}`)
	w.imports("language=de&format=json", "app.json", `{"k3": "Drei"}`)
	page := w.get("key?" + inGerman + "&show=all&q=k4")
	w.has(page, "File <bdi>app.json</bdi>.")
	w.imports("language=en&format=json", "other.json", `{"k4": "Four"}`)
	w.has(w.get("key?"+inGerman+"&show=all&q=k4"), "File <bdi>other.json</bdi>.")
	_, context, _ := strings.Cut(page, `id="context"`)
	context, _, _ = strings.Cut(context, "</details>")
	at := -1
	for _, want := range []string{"Two", "Three", "Drei", "Five", "Six", "Polish", "Cztery"} {
		i := strings.Index(context, ">"+want)
		if want == "Polish" {
			i = strings.Index(context, want)
		}
		if i < at || i < 0 {
			t.Errorf("%s is at %d:\n%s", want, i, context)
		}
		at = i
	}
	w.lacks(context, ">One<", ">Four<")
	w.as(w.invited("Ben", url.Values{"role": {"translator"}, "into": {"de"}}), func() {
		w.lacks(w.get("key?"+inGerman+"&show=all&q=k4"), "Cztery")
	})
}
