package local

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/local/machine"
	"github.com/locsync/locsync/sync/service/wire"
)

// An engine that is named in the service's folder translates documents and, by its profile, texts at once; what it gets
// wrong stays without a translation.
func TestEngineElsewhere(t *testing.T) {
	down := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var ask struct{ Q []string }
		if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
			t.Error(err)
		}
		if down {
			http.Error(w, `{"error":"overloaded"}`, http.StatusServiceUnavailable)
			return
		}
		for i, q := range ask.Q {
			ask.Q[i] = strings.NewReplacer("One", "Eins", "Two", "Zwei", "<b>", "", "{name}",
				"{nom}", "Hello", "Hallo").Replace(q)
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"translatedText": ask.Q}); err != nil {
			t.Error(err)
		}
	}))
	defer elsewhere.Close()
	dir := t.TempDir()
	engines := fmt.Sprintf(`[{"id":"engine:Libre","kind":"libretranslate","url":%q}]`, elsewhere.URL)
	if err := os.WriteFile(filepath.Join(dir, machine.File), []byte(engines), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serveIn(t, dir, Options{})
	p := s.documentsProject("de", "fr")
	path := "/v1/project/" + p + "/mt"
	if body := string(s.get(path + "/available").body); !strings.Contains(body, `"id":"engine:Libre","name":"Libre"`) {
		t.Error(body)
	}
	s.post(path, `[{"id":"engine:libre","languages":["de"]},{"id":"engine:Pseudo","languages":["fr"]}]`).want(t, 204,
		nil)
	sameJSON(t, string(s.get(path).body), `[{"id":"engine:Libre","name":"Libre","languages":["de"]},
		{"id":"engine:Pseudo","name":"Pseudo-translation","languages":["fr"]}]`)
	check(t, s.post(path, `[{"id":"engine:Other","languages":["de"]}]`), 400, "id")
	s.post("/v1/project/"+p+"/pretranslation-rules", `[{"ruleType":"MT","order":1}]`).want(t, 204, nil)
	page := "<p>One.</p><p>Two <b>bold</b>.</p>"
	all := s.added(p, "", file{"a.html", page})
	if got := string(s.exportDocuments("&mode=current", all[0].ID).body); got != "<p>Eins.</p><p>Two <b>bold</b>.</p>" {
		t.Errorf("de: %q", got)
	}
	if got := string(s.exportDocuments("&mode=current",
		all[1].ID).body); got != "<p>[fr Öñé.]</p><p>[fr Ţŵö <b>ƀöļđ</b>.]</p>" {
		t.Errorf("fr: %q", got)
	}
	ask := func(profile string) []wire.TranslatedText {
		var out wire.TranslateResponse
		s.post(wire.PathSmartTranslation, fmt.Sprintf(`{"sourceLanguage":"en","targetLanguages":["de"],"profile":%q,
			"texts":[{"text":"Hello"},{"text":"Hello {name}"}]}`, profile)).want(t, 200, &out)
		return out.Translations["de"]
	}
	for _, profile := range []string{"Libre", "engine:Libre"} {
		if got := ask(profile); got[0] != (wire.TranslatedText{Translation: "Hallo"}) ||
			!got[1].Error || got[1].Translation != "" {
			t.Errorf("%s: %+v", profile, got)
		}
	}
	if got := ask("other"); got[0].Translation != "[de Ĥéļļö]" || got[1].Error {
		t.Errorf("another profile: %+v", got)
	}
	down = true
	if got := ask("Libre"); !got[0].Error || !got[1].Error {
		t.Errorf("while it is down: %+v", got)
	}
	id := s.added(p, "", file{"b.html", page})[0].ID
	if got := string(s.exportDocuments("&mode=current", id).body); got != page {
		t.Errorf("while it is down: %q", got)
	}
}

// While an engine is asked, which may take minutes, others write as much as they like.
func TestWritesWhileAnEngineIsAsked(t *testing.T) {
	asked, answer := make(chan bool, 1), make(chan bool)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- true
		<-answer
		fmt.Fprint(w, `{"translatedText":["Eins."]}`)
	}))
	defer elsewhere.Close()
	dir := t.TempDir()
	engines := fmt.Sprintf(`[{"id":"engine:Slow","kind":"libretranslate","url":%q}]`, elsewhere.URL)
	if err := os.WriteFile(filepath.Join(dir, machine.File), []byte(engines), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serveIn(t, dir, Options{})
	p, other := s.documentsProject("de"), s.create("en", "de")
	s.post("/v1/project/"+p+"/mt", `[{"id":"engine:Slow","languages":["de"]}]`).want(t, 204, nil)
	s.post("/v1/project/"+p+"/pretranslation-rules", `[{"ruleType":"MT","order":1}]`).want(t, 204, nil)
	id := s.added(p, "", file{"a.html", "<p>One.</p>"})[0].ID
	<-asked
	written := make(chan int, 1)
	go func() {
		large := `{"a":"` + strings.Repeat("x", 8<<20) + `"}`
		written <- s.startImport(other, "?language=en&format=json", file{"a.json", large}).status
	}()
	select {
	case status := <-written:
		if status != 200 {
			t.Errorf("the import: %d", status)
		}
	case <-time.After(20 * time.Second):
		t.Error("the import waits for the engine")
	}
	close(answer)
	if got := string(s.exportDocuments("&mode=current", id).body); got != "<p>Eins.</p>" {
		t.Errorf("the document is %q", got)
	}
}

// A file of engines that cannot be used ends the start, and says why.
func TestEnginesThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, machine.File), []byte(`[{"id":"engine:A"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "engines.json: engine 1: kind") {
		t.Errorf("%v", err)
		if err == nil {
			_ = s.Close()
		}
	}
}
