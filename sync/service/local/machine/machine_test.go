package machine

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// in writes the file of engines into a folder, and reads them.
func in(t *testing.T, text string) (*Engines, error) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{File: text, "key": "s3cret-key\n", "empty": "\n", "two": "a\nb\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Read(dir)
}

func TestFile(t *testing.T) {
	if e, err := Read(t.TempDir()); err != nil || len(e.All()) != 0 {
		t.Errorf("without a file: %v, %v", e.All(), err)
	}
	const libre = `"kind":"libretranslate","url":"http://127.0.0.1:5000"`
	for text, wrong := range map[string]string{
		`[]`: "",
		`[{"id":"engine:A",` + libre +
			`},{"id":"engine:B","kind":"openai","model":"m","url":"https://x.example/v1","key_file":"key"}]`: "",
		`{}`:                                     "array",
		`[null]`:                                 "null",
		`[{"id":"A",` + libre + `}]`:             "engine:NAME",
		`[{"id":"engine:pseudo",` + libre + `}]`: "Pseudo",
		`[{"id":"engine:A",` + libre + `,"key":"x"}]`:                                 "unknown field",
		`[{"id":"engine:A",` + libre + `},{"id":"engine:a",` + libre + `}]`:           "two engines",
		`[{"id":"engine:A","kind":"deepl","url":"https://x.example"}]`:                "kind",
		`[{"id":"engine:A","kind":"openai","url":"https://x.example"}]`:               "model",
		`[{"id":"engine:A","kind":"libretranslate","url":"http://x.example"}]`:        "https",
		`[{"id":"engine:A","kind":"libretranslate","url":"http://10.0.0.1"}]`:         "https",
		`[{"id":"engine:A","kind":"libretranslate","url":"ftp://localhost"}]`:         "https",
		`[{"id":"engine:A","kind":"libretranslate","url":"http://x.localhost"}]`:      "https", // DNS may know it
		`[{"id":"engine:A","kind":"libretranslate","url":"https://u:p@x.example"}]`:   "nothing else",
		`[{"id":"engine:A","kind":"libretranslate","url":"https://x.example?key=1"}]`: "nothing else",
		`[{"id":"engine:A",` + libre + `,"key_file":"nowhere"}]`:                      "key_file",
		`[{"id":"engine:A",` + libre + `,"key_file":"empty"}]`:                        "one line",
		`[{"id":"engine:A",` + libre + `,"key_file":"two"}]`:                          "one line",
	} {
		_, err := in(t, text)
		if (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v", text, err)
		}
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: the key is in %v", text, err)
		}
	}
}

// engine is an HTTP service of the test's own, and an engine of each kind that leads to it.
func engine(t *testing.T, answer http.HandlerFunc) *Engines {
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	e, err := in(t,
		fmt.Sprintf(`[{"id":"engine:Libre","kind":"libretranslate","url":%q,"key_file":"key","languages":{"zh-Hans":"zh"}},
		{"id":"engine:Chat","kind":"openai","model":"m1","url":%q,"key_file":"key"}]`,
			server.URL+"/base/", server.URL+"/v1"))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestLibreTranslate(t *testing.T) {
	requests := 0
	e := engine(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		var ask struct {
			Q                      []string
			Source, Target, Format string
			Key                    string `json:"api_key"`
		}
		if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || r.Method != "POST" ||
			r.URL.Path != "/base/translate" {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		if ask.Source != "en" || ask.Target != "zh" || ask.Format != "text" ||
			ask.Key != "s3cret-key" || len(ask.Q) > textsAtOnce {
			t.Errorf("%+v", ask)
		}
		out := []string{}
		for _, q := range ask.Q {
			out = append(out, map[string]string{"Hello {name}": "你好 {name}", "Hi {name}": "你好 {nom}",
				"Long": strings.Repeat("长", 2000),
				"Bell": "铃\x07", "Empty": " "}[q])
			if out[len(out)-1] == "" {
				out[len(out)-1] = "译 " + q
			}
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"translatedText": out}); err != nil {
			t.Error(err)
		}
	})
	got, err := e.Translate(t.Context(), "libre", Job{Source: "en", Target: "zh-Hans", Texts: []string{"Hello {name}",
		"Hi {name}", "Long", "Bell", "Empty"}, HTML: false})
	if err != nil {
		t.Fatal(err)
	}
	for i, ok := range []bool{true, false, false, false, false} {
		if got[i].OK != ok {
			t.Errorf("%d: %+v", i, got[i])
		}
	}
	many := make([]string, 120)
	for i := range many {
		many[i] = fmt.Sprint("Text ", i)
	}
	requests = 0
	got, err = e.Translate(t.Context(), "engine:Libre", Job{Source: "en", Target: "zh-Hans", Texts: many, HTML: false})
	if err != nil || requests != 3 || got[119] != (Text{"译 Text 119", true}) {
		t.Errorf("%d requests, %+v, %v", requests, got[119], err)
	}
	if _, err := e.Translate(t.Context(), "engine:Other", Job{Source: "en", Target: "de",
		Texts: many, HTML: false}); err == nil {
		t.Error("there is an engine that is not in the file")
	}
}

func TestOpenAI(t *testing.T) {
	content := `["Hallo {name}","Tschüss"]`
	e := engine(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer s3cret-key" {
			t.Errorf("%s %v: %v", r.URL, r.Header, err)
		}
		for _, want := range []string{`"model":"m1"`, `[\"Hello {name}\",\"Bye\"]`,
			"from the language with the BCP 47 code en into de",
			`Translate these terms as given here: {\"Bye\":\"Tschüss\"}`} {
			if !strings.Contains(string(body), want) {
				t.Errorf("%s lacks %s", body, want)
			}
		}
		if strings.Contains(string(body), "s3cret") {
			t.Errorf("the key is in the body: %s", body)
		}
		answer := map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": content}}}}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	})
	job := Job{Source: "en", Target: "de", Texts: []string{"Hello {name}", "Bye"},
		Terms: func(text string) map[string]string {
			if strings.Contains(text, "Bye") {
				return map[string]string{"Bye": "Tschüss"}
			}
			return nil
		}}
	for text, fine := range map[string]bool{content: true, "```json\n" + content +
		"\n```": true, `["Hallo {name}"]`: false,
		"Hallo {name}, Tschüss": false, `[1, 2]`: false, `["a","b","c"]`: false} {
		content = text
		got, err := e.Translate(t.Context(), "engine:Chat", job)
		if (err == nil) != fine || fine && (got[0] != Text{"Hallo {name}", true} || got[1] != Text{"Tschüss", true}) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

// What an engine answers is data from outside.
func TestHostileEngines(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("a redirect was followed: %s %v", r.URL, r.Header)
	}))
	defer elsewhere.Close()
	for name, answer := range map[string]http.HandlerFunc{
		"no JSON":       func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"another shape": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"translatedText":{"a":1}}`) },
		"nothing":       func(http.ResponseWriter, *http.Request) {},
		"too few":       func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"translatedText":[]}`) },
		"an error": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(403)
			fmt.Fprint(w, `{"error":"Invalid API key s3cret-key\r\n"}`)
		},
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		},
		"without an end": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat("[", 1<<16)); err != nil {
					return
				}
			}
		},
	} {
		got, err := engine(t, answer).Translate(t.Context(), "Libre", Job{Source: "en", Target: "de",
			Texts: []string{"a"}, HTML: true})
		if err == nil || got[0].OK {
			t.Errorf("%s: %+v", name, got)
		} else if strings.Contains(err.Error(), "s3cret") || strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
