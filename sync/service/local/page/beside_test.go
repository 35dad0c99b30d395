package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A source text that has changed is shown with what changed in it, until its translation is written, approved or
// imported anew; a second change keeps the text that was translated.
func TestChangedSource(t *testing.T) {
	w := newWorld(t)
	source := func(text string) {
		w.imports("language=en&format=json&overwrite-conflicting-values", "app.json",
			`{"a": "`+text+`", "n": "{count, plural, one {# file} other {# files}}"}`)
	}
	source("Delete the file")
	w.imports("language=de&format=json&completion-state=final", "app.json", `{"a": "Datei löschen"}`)
	w.lacks(w.get("key?"+inGerman+"&show=all&q=a"), `id="was"`)
	source("Delete the folder")
	source("Delete this folder")
	w.has(w.get("list?"+inGerman+"&show=outdated"), "source changed", "Datei löschen")
	page := w.get("key?" + inGerman + "&show=outdated")
	w.has(page, `id="was"`, "Delete <del>the</del><ins>this</ins> <del>file</del><ins>folder</ins>")
	f := form(page, "reject")
	f.Set("reason", "It is a folder.")
	w.has(w.post(w.client, "reject", f), "200 ")
	page = w.get("key?" + inGerman + "&show=outdated")
	w.has(page, `id="was"`, "It is a folder.")
	f = form(page, "key")
	f.Set("text-", "Datei löschen")
	f.Set("state", "draft") // also as it is: a person has seen it beside the new source
	w.has(w.post(w.client, "key", f), "200 ")
	w.lacks(w.get("list?"+inGerman+"&show=outdated"), `href="key?`)
	source("Delete the folder")
	w.has(w.get("list?"+inGerman+"&show=outdated"), `href="key?`)
	many := w.get("approve?" + inGerman) // it is approved with the others only where a person chooses it
	w.has(many, "source changed", "Datei löschen")
	w.lacks(many, "checked>")
	source("Delete this folder") // which is what was translated
	w.lacks(w.get("list?"+inGerman+"&show=outdated"), `href="key?`)
}

// Final texts that are imported are suggested for texts like theirs, with how these differ; drafts are not.
func TestMemoryOfImports(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "Save all the changes now", "b": "Save all the changes here",
		"c": "{n, plural, one {Open one garden gate} other {Open the garden gates}}", "d": "Open the garden gates",
		"e": "A draft of a long text", "f": "A draft of a long text!"}`)
	w.lacks(w.get("key?"+inGerman+"&show=all&q=here"), "Suggestions</h2>")
	w.imports("language=de&format=json&completion-state=final", "app.json", `{"a": "Alle Änderungen jetzt speichern",
		"c": "{n, plural, one {Ein Gartentor öffnen} other {Die Gartentore öffnen}}"}`)
	w.imports("language=de&format=json", "app.json", `{"e": "Entwurf eines langen Textes"}`)
	w.has(w.get("key?"+inGerman+"&show=all&q=here"), "Alle Änderungen jetzt speichern",
		"Save all the changes <del>now</del><ins>here</ins>")
	w.has(w.get("key?"+inGerman+"&show=untranslated&q=gates"), `"tag">100 %`, "Die Gartentore öffnen")
	w.lacks(w.get("key?"+inGerman+"&show=untranslated&q=long"), `data-text="Entwurf`)
	w.imports("language=de&format=json&completion-state=final", "app.json", `{"e": "Entwurf eines langen Textes"}`)
	w.has(w.get("key?"+inGerman+"&show=untranslated&q=long"), `data-text="Entwurf eines langen Textes"`)
	w.has(w.get("memory?project="+projectID), "German (de): 4 texts")
}

// The terms of the glossary that a source text has are beside it.
func TestTermsBeside(t *testing.T) {
	w := newWorld(t)
	w.glossary("en,de\nDoor,Pforte\nHouse,Haus\n")
	w.imports("language=en&format=json", "app.json", `{"a": "Open the door", "b": "Close it"}`)
	w.has(w.get("key?"+inGerman+"&show=all&q=a"), "Glossary", `<bdi>door</bdi></b>: <bdi lang="de">Pforte</bdi>`,
		`class="insert quiet" data-text="Pforte"`)
	w.lacks(w.get("key?"+inGerman+"&show=all&q=a"), "Haus")
	w.lacks(w.get("key?"+inGerman+"&show=all&q=b"), "Glossary")
}

// Placeholders and tags are marked and offered to be inserted; characters that show nothing have names.
func TestMarkedTexts(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json",
		`{"a": "Hi {name},  you have <b>%d\u00a0files</b>\u200d ", "b": "Plain text"}`)
	page := w.get("key?" + inGerman + "&show=all&q=a")
	w.has(page, `Hi <span class="kept">{name}</span>,<span class="sign" title="space">·</span>`,
		`<span class="kept">&lt;b&gt;</span><span class="kept">%d</span><span class="sign" title="no-break space">NBSP</span>`,
		`<span class="sign" title="zero-width joiner">ZWJ</span><span class="sign" title="space">·</span></bdi>`,
		`data-text="{name}" data-digit="1"`, `data-text="&lt;b&gt;" data-digit="2"`, `data-text="%d" data-digit="3"`,
		">zero-width joiner</button>", "characters, the source has 38")
	f := form(page, "key")
	f.Set("text-", "Hallo\u00a0{name}")
	w.has(w.post(w.client, "check", f), `"shown":{"":[{"text":"Hallo"},{"kind":"sign","text":"NBSP","title":"no-break space"}`)
	plain := w.get("key?" + inGerman + "&show=all&q=plain")
	w.has(plain, "<bdi>Plain text</bdi>", ">no-break space</button>")
	if n := strings.Count(plain, `class="insert quiet"`); n != 1 {
		t.Errorf("%d are offered for a text without any", n)
	}
}

// A memory that lacks what was imported takes it in on request, once.
func TestMemoryTakesIn(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "Save all", "b": "Open all"}`)
	w.imports("language=de&format=json&completion-state=final", "app.json", `{"a": "Alles speichern"}`)
	w.imports("language=de&format=json", "app.json", `{"b": "Alles öffnen"}`)
	api := w.server.URL + "/api/integration/v1/translationmemory"
	answer, err := http.Get(api)
	w.check(err)
	var memories []struct{ ID string }
	w.check(json.NewDecoder(answer.Body).Decode(&memories))
	w.check(answer.Body.Close())
	var b bytes.Buffer
	up := multipart.NewWriter(&b)
	part, err := up.CreateFormFile("tmxFile", "other.tmx")
	w.check(err)
	fmt.Fprint(part, `<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>Close all</seg></tuv>`+
		`<tuv xml:lang="de"><seg>Alles schließen</seg></tuv></tu></body></tmx>`)
	w.check(up.Close())
	answer, err = http.Post(api+"/"+memories[0].ID+"?replaceAllContent=true", up.FormDataContentType(), &b)
	w.check(err)
	w.check(answer.Body.Close())
	var page string
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		page = w.get("memory?project=" + projectID)
		if tmx := w.get("memory.tmx?project=" + projectID); strings.Contains(tmx, "Alles schließen") {
			break
		}
	}
	w.has(page, "German (de): 1 texts")
	for range 2 {
		w.has(w.post(w.client, "remember", form(page, "remember")), "200 /translate/memory", "German (de): 2 texts")
	}
	w.has(w.get("memory.tmx?project="+projectID), "Alles speichern", "Alles schließen")
	w.lacks(w.get("memory.tmx?project="+projectID), "Alles öffnen")
}
