package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
	"github.com/locsync/locsync/sync/service/own"
	"github.com/locsync/locsync/sync/service/wire"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"
)

const projectID = "3f0c1b52-6f0e-4d8a-9a55-0a1b2c3d4e5f"

// world is a service with a project in English and German, its page, and one browser that is signed in as a manager.
type world struct {
	t       testing.TB
	service *local.Service
	server  *httptest.Server
	client  *http.Client
	now     atomic.Int64
	saved   chan string

	complete atomic.Bool // the language, by what was saved last
	checks   check.Settings
}

func newWorld(t testing.TB, prepare ...func(dir string)) *world {
	t.Helper()
	w := &world{t: t, saved: make(chan string, 100)}
	w.now.Store(time.Now().UnixNano())
	dir := t.TempDir()
	for _, do := range prepare {
		do(dir)
	}
	svc, err := local.Open(dir, local.Options{AccountID: "me",
		Now: func() time.Time { return time.Unix(0, w.now.Load()) },
		Saved: func(project string, complete bool) {
			w.complete.Store(complete)
			w.saved <- project
		},
		Checks: func(_, _, _ string) check.Settings { return w.checks },
		Logger: zaptest.NewLogger(t, zaptest.Level(zap.WarnLevel))})
	w.check(err)
	w.service = svc
	mux := http.NewServeMux()
	mux.Handle("/translate/", svc.Page())
	mux.Handle("/", svc)
	w.server = httptest.NewServer(mux)
	t.Cleanup(func() {
		w.server.Close()
		if err := svc.Close(); err != nil {
			t.Error(err)
		}
	})
	w.check(svc.EnsureProject(projectID, "app", "en", []string{"de", "pl"}))
	w.client = w.browser()
	path, err := svc.Page().Invite("Anna", true)
	w.check(err)
	w.accept(w.client, path, "", "long enough")
	return w
}

// ours is a client of ours.
func (w *world) ours() *service.Client {
	w.t.Helper()
	c, err := service.New(service.Options{BaseURL: w.server.URL, Own: true})
	w.check(err)
	w.t.Cleanup(c.Close)
	return c
}

func (w *world) writers(keys ...string) []string {
	w.t.Helper()
	of := []wire.KeysOf{{Collection: "main", Language: "de", Keys: keys}}
	names, err := own.Writers(w.t.Context(), w.ours(), projectID, of)
	w.check(err)
	return names
}

func (w *world) questions() []wire.Question {
	w.t.Helper()
	all, err := own.Questions(w.t.Context(), w.ours(), projectID)
	w.check(err)
	return all
}

func (w *world) archives(keys ...string) {
	w.t.Helper()
	done, err := own.Archive(w.t.Context(), w.ours(), projectID, wire.KeysOf{Collection: "main", Keys: keys})
	if w.check(err); !done {
		w.t.Error("nothing was archived")
	}
}

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// browser is one without a person who is signed in.
func (w *world) browser() *http.Client {
	jar, err := cookiejar.New(nil)
	w.check(err)
	return &http.Client{Jar: jar}
}

func (w *world) accept(client *http.Client, path, name, password string) string {
	w.t.Helper()
	u, err := url.Parse(path)
	w.check(err)
	return w.post(client, "invitation", url.Values{"word": {u.Query().Get("word")},
		"name": {name}, "password": {password}})
}

// get returns a page, which has to be there.
func (w *world) get(path string) string {
	w.t.Helper()
	answer, err := w.client.Get(w.server.URL + "/translate/" + path)
	w.check(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	w.check(err)
	if answer.StatusCode != http.StatusOK {
		w.t.Fatalf("GET %s: %s\n%s", path, answer.Status, body)
	}
	return string(body)
}

// post sends a form as a page of the address does, and returns what came after the redirects, with its status in front.
func (w *world) post(client *http.Client, path string, form url.Values) string {
	w.t.Helper()
	r, err := http.NewRequest(http.MethodPost, w.server.URL+"/translate/"+path, strings.NewReader(form.Encode()))
	w.check(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return w.send(client, r)
}

func (w *world) send(client *http.Client, r *http.Request) string {
	w.t.Helper()
	answer, err := client.Do(r)
	w.check(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	w.check(err)
	return fmt.Sprintf("%d %s\n%s", answer.StatusCode, answer.Request.URL.Path, body)
}

// imports sends a file to the service as locsync does, and returns the result.
func (w *world) imports(query, name, content string) (result map[string]any) {
	w.t.Helper()
	return w.importsTo(projectID, query, name, content)
}

func (w *world) importsTo(project, query, name, content string) (result map[string]any) {
	w.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", name)
	w.check(err)
	_, err = part.Write([]byte(content))
	w.check(err)
	w.check(form.Close())
	answer, err := http.Post(w.server.URL+"/api/integration/v2/project/"+project+"/import?"+query,
		form.FormDataContentType(), &b)
	w.check(err)
	id, err := io.ReadAll(answer.Body)
	w.check(err)
	w.check(answer.Body.Close())
	word := strings.Trim(string(id), "\" \n")
	if answer.StatusCode/100 != 2 {
		w.t.Fatalf("import: %s %s", answer.Status, id)
	}
	for range 2000 {
		answer, err := http.Get(w.server.URL + "/api/integration/v1/project/import-result/" + word)
		w.check(err)
		result = nil
		w.check(json.NewDecoder(answer.Body).Decode(&result))
		w.check(answer.Body.Close())
		if s := result["status"]; s == "completed" || s == "failed" {
			return result
		}
		time.Sleep(5 * time.Millisecond)
	}
	w.t.Fatal("the import does not end")
	return nil
}

// exported is what the service has for programs in a language, as flat JSON without blanks between its members.
func (w *world) exported(language string) string {
	w.t.Helper()
	answer, err := http.Post(w.server.URL+"/api/integration/v2/project/"+projectID+"/export?format=json&languages="+
		language, "application/json", nil)
	w.check(err)
	id, err := io.ReadAll(answer.Body)
	w.check(err)
	w.check(answer.Body.Close())
	for range 2000 {
		answer, err := http.Get(w.server.URL + "/api/integration/v1/document/export/" + strings.Trim(string(id), "\" \n"))
		w.check(err)
		body, err := io.ReadAll(answer.Body)
		w.check(err)
		w.check(answer.Body.Close())
		if answer.StatusCode == http.StatusOK {
			return strings.NewReplacer("\": \"", "\":\"").Replace(string(body))
		}
		time.Sleep(5 * time.Millisecond)
	}
	w.t.Fatal("the export does not end")
	return ""
}

var hidden = regexp.MustCompile(`<input type="hidden" name="([a-z-]+)" value="([^"]*)">`)

// form are the hidden fields of the page's form with a given action.
func form(page, action string) url.Values {
	_, rest, _ := strings.Cut(page, `action="`+action+`"`)
	rest, _, _ = strings.Cut(rest, "</form>")
	values := url.Values{}
	for _, m := range hidden.FindAllStringSubmatch(rest, -1) {
		values.Set(m[1], strings.NewReplacer("&#43;", "+", "&amp;", "&", "&#34;", `"`, "&#39;", "'").Replace(m[2]))
	}
	return values
}

func (w *world) has(page string, want ...string) {
	w.t.Helper()
	for _, part := range want {
		if !strings.Contains(page, part) {
			w.t.Errorf("the page lacks %q:\n%s", part, page)
		}
	}
}

func (w *world) lacks(page string, unwanted ...string) {
	w.t.Helper()
	for _, part := range unwanted {
		if strings.Contains(page, part) {
			w.t.Errorf("the page has %q:\n%s", part, page)
		}
	}
}

const inGerman = "project=" + projectID + "&language=de"

// A person translates key after key; what is saved is what the service exports, and who wrote what is told.
func TestTranslate(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"save": "Save", "hi": "Hi {name}", "bye": "Bye"}`)
	w.imports("language=de&format=json&completion-state=draft", "app.json", `{"bye": "Tschüs"}`)
	home := w.get("")
	w.has(home, "app", "German (de)", "0 of 3 final", "Anna")
	w.has(w.get("list?"+inGerman), `"begin"`, ">save<", ">hi<", ">bye<", "Tschüs", "untranslated", "draft")
	page := w.get("key?" + inGerman)
	w.has(page, "<h1><bdi>save</bdi></h1>", ">Save<", `name="text-"`)
	f := form(page, "key")
	f.Set("text-", "Speichern")
	f.Set("state", "final")
	page = w.post(w.client, "key", f)
	w.has(page, "200 /translate/key", "Saved.", "<bdi>hi</bdi>", "Hi {name}")
	if got := <-w.saved; got != projectID {
		t.Errorf("told of %q", got)
	}
	f = form(page, "key")
	f.Set("text-", "Hallo {nome}")
	if said := w.post(w.client, "check", f); !strings.Contains(said, `"holds":true`) ||
		!strings.Contains(said, "{nome}") {
		t.Errorf("the check says %s", said)
	}
	f.Set("text-", "Hallo {name}")
	if said := w.post(w.client, "check", f); !strings.Contains(said, `"found":[]`) {
		t.Errorf("the check says %s", said)
	}
	f.Set("state", "confirmed")
	page = w.post(w.client, "key", f)
	w.has(page, "<bdi>bye</bdi>", "Tschüs")
	f = form(page, "key")
	f.Set("text-", "Auf Wiedersehen")
	f.Set("state", "final")
	w.now.Add(int64(time.Hour))
	w.has(w.post(w.client, "key", f), "200 /translate/list", "Saved. There are no further keys")
	w.has(w.get("list?"+inGerman+"&show=all&q=wieder"), ">bye<", "final")
	w.has(w.get("list?"+inGerman+"&show=confirmed"), ">hi<")
	w.has(w.get("key?"+inGerman+"&show=all&q=bye"), "Tschüs", "an import", "<bdi>Anna</bdi>", "now")
	w.has(w.get(""), "2 of 3 final, 3 confirmed or final")
	again := w.imports("language=de&format=json&completion-state=final", "app.json",
		`{"save": "Speichern", "bye": "Auf Wiedersehen"}`)
	if again["keyValuesNotChanged"] != 2.0 {
		t.Errorf("what was saved is not what is stored: %v", again)
	}
}

// A text that changed while its translation was written is shown, and what was written stays in the field; nothing is
// replaced unseen. An import that conflicts is shown beside the text until a person decides.
func TestNothingIsReplacedUnseen(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"save": "Save"}`)
	w.imports("language=de&format=json&completion-state=draft", "app.json", `{"save": "Sichern"}`)
	first := form(w.get("key?"+inGerman), "key")
	second := form(w.get("key?"+inGerman), "key")
	first.Set("text-", "Speichern")
	first.Set("state", "final")
	w.has(w.post(w.client, "key", first), "200 ")
	second.Set("text-", "Ablegen")
	second.Set("state", "final")
	page := w.post(w.client, "key", second)
	w.has(page, "409 ", "Stored now", "Speichern", "Ablegen</textarea>", "Not saved")
	w.has(w.get("key?"+inGerman+"&show=all"), "Speichern</textarea>")
	again := form(page, "key")
	again.Set("text-", "Ablegen")
	again.Set("state", "draft")
	w.has(w.post(w.client, "key", again), "200 ")

	result := w.imports("language=de&format=json&completion-state=draft", "app.json", `{"save": "Aufheben"}`)
	if _, conflicts := result["conflictingKeyValues"].(map[string]any)["save"]; !conflicts {
		t.Errorf("the import says %v", result)
	}
	w.has(w.get("list?"+inGerman+"&show=conflict"), ">save<", "conflict")
	page = w.get("key?" + inGerman + "&show=conflict")
	w.has(page, "an import has another text", "Aufheben", "Ablegen</textarea>")
	again = form(page, "key")
	again.Set("text-", "Aufheben")
	again.Set("state", "final")
	w.post(w.client, "key", again)
	w.lacks(w.get("list?"+inGerman+"&show=conflict"), ">save<")

	stale := form(w.get("key?"+inGerman+"&show=all"), "key")
	w.imports("language=en&format=json&overwrite-conflicting-values=true", "app.json", `{"save": "Save all"}`)
	stale.Set("text-", "Behalten")
	stale.Set("state", "final")
	w.has(w.post(w.client, "key", stale), "409 ", "Save all", "Behalten</textarea>")
}

// The forms of a language have fields of their own, and are checked as pulls check them.
func TestPluralForms(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=android-xml", "strings.xml",
		`<resources><plurals name="n"><item quantity="one">%d file</item><item quantity="other">%d files</item></plurals></resources>`)
	polish := "project=" + projectID + "&language=pl"
	page := w.get("key?" + polish)
	w.has(page, `name="text-one"`, `name="text-few"`, `name="text-many"`, `name="text-other"`, "%d files")
	f := form(page, "key")
	f.Set("text-one", "%d plik")
	f.Set("text-few", "%2$d pliki")
	f.Set("text-many", "%d plików")
	f.Set("state", "final")
	said := w.post(w.client, "check", f)
	w.has(said, `"form":"few"`, `"printf"`, `"holds":true`)
	w.has(w.post(w.client, "key", f), "200 ")
	w.has(w.get("list?"+polish+"&show=failing"), "failing a check")
	w.has(w.get("key?"+polish+"&show=failing"), "%2$d is not in the source.", "The program has nothing for it; take it out. Until then this text is not published.", "%2$d pliki</textarea>")
}

// A message that is one plural has a field for each form of the language, and is one message again at the service. One
// that says more than forms can is a text.
func TestPluralMessages(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json",
		`{"n": "{count, plural, zero {none} one {'{{'count'}}' file} other {'{{'count'}}' files}}",
		  "o": "{count, selectordinal, one {'{{'count'}}'st} two {'{{'count'}}'nd} `+
			`few {'{{'count'}}'rd} other {'{{'count'}}'th}}",
		  "m": "{count, plural, one {# file} other {# files}}"}`)
	polish := "project=" + projectID + "&language=pl"
	page := w.get("key?" + polish + "&show=all&q=n")
	w.has(page, `name="text-zero"`, `name="text-one"`, `name="text-few"`, `name="text-many"`, `name="text-other"`,
		"{{count}} files")
	f := form(page, "key")
	for category, text := range map[string]string{"zero": "brak", "one": "{{count}} plik", "few": "{{count}} pliki",
		"many": "{{count}} plików", "other": "{{count}} pliku"} {
		f.Set("text-"+category, text)
	}
	f.Set("state", "final")
	w.has(w.post(w.client, "key", f), "200 ")
	w.has(w.get("key?"+polish+"&show=final"), "{{count}} plików</textarea>")
	w.has(w.get("key?"+polish+"&show=all&q=%23"), "{count, plural, one {# file} other {# files}}", `name="text-"`)
	w.has(w.get("list?"+polish+"&show=final"), ">n<")
	w.has(w.exported("pl"), `"n":"{count, plural, zero {brak} one {'{{'count'}}' plik} few {'{{'count'}}' pliki} `+
		`many {'{{'count'}}' plików} other {'{{'count'}}' pliku}}"`)

	ordinal := w.get("key?" + polish + "&show=all&q=nd") // Polish has one form for places in an order
	w.has(ordinal, `name="text-other"`, "{{count}}th")
	w.lacks(ordinal, `name="text-few"`, `name="text-"`)
}

// What is confirmed is suggested for texts like it, with how like they are; TMX files go in and come out.
func TestMemory(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json",
		`{"a": "Save all the changes now", "b": "Save all the changes here", "c": "Open the garden gate slowly"}`)
	f := form(w.get("key?"+inGerman), "key")
	f.Set("text-", "Alle Änderungen jetzt speichern")
	f.Set("state", "final")
	page := w.post(w.client, "key", f)
	w.has(page, "<bdi>b</bdi>", "Suggestions</h2>", "Alle Änderungen jetzt speichern", " %</span>")
	var b bytes.Buffer
	up := multipart.NewWriter(&b)
	memory := form(w.get("memory?project="+projectID), "memory")
	for _, name := range []string{"form", "project"} {
		w.check(up.WriteField(name, memory.Get(name)))
	}
	part, err := up.CreateFormFile("file", "old.tmx")
	w.check(err)
	fmt.Fprint(part,
		`<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>Open the garden gate slowly</seg></tuv>`+
			`<tuv xml:lang="de"><seg>Das Gartentor langsam öffnen</seg></tuv></tu></body></tmx>`)
	w.check(up.Close())
	r, err := http.NewRequest(http.MethodPost, w.server.URL+"/translate/memory", &b)
	w.check(err)
	r.Header.Set("Content-Type", up.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	w.has(w.send(w.client, r), "200 /translate/memory", "was taken", "German (de): 2 texts")
	w.has(w.get("key?"+inGerman+"&show=all&q=garden"), "100 %", "Das Gartentor langsam öffnen")
	w.has(w.get("memory.tmx?project="+projectID), "<tmx", "Alle Änderungen jetzt speichern", "Das Gartentor")
}

// A text that a key has in one of its forms is no suggestion for another one that has a text.
func TestFormsAreNoSuggestions(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=android-xml", "strings.xml", `<resources><plurals name="n">`+
		`<item quantity="one">%d file in all</item><item quantity="other">%d files in all</item></plurals></resources>`)
	f := form(w.get("key?"+inGerman), "key")
	f.Set("text-other", "%d Dateien insgesamt")
	f.Set("state", "final")
	w.has(w.post(w.client, "key", f), "200 ")
	w.has(w.get("key?"+inGerman+"&show=all"), "Suggestions</h2>", `<span class="tag">one</span>`)
	f = form(w.get("key?"+inGerman+"&show=all"), "key")
	f.Set("text-one", "%d Datei insgesamt")
	f.Set("text-other", "%d Dateien insgesamt")
	f.Set("state", "final")
	w.has(w.post(w.client, "key", f), "200 ")
	w.lacks(w.get("key?"+inGerman+"&show=all"), "Suggestions</h2>")
}

// A list of many keys comes in pages, forwards and back, over collections; every key is on one of them.
func TestPages(t *testing.T) {
	w := newWorld(t)
	for _, collection := range []string{"one", "two"} {
		texts := map[string]string{}
		for i := range 120 {
			texts[fmt.Sprintf("%s%03d", collection, i)] = "Text"
		}
		data, err := json.Marshal(texts)
		w.check(err)
		w.imports("language=en&format=json&collection="+collection, "app.json", string(data))
	}
	links := regexp.MustCompile(`<a href="key\?[^"]*"><bdi>([a-z0-9]+)</bdi>`)
	next := regexp.MustCompile(`<a href="(list\?[^"]*)" rel="(next|prev)">`)
	walk := func(page, rel string) (keys []string, last string) {
		for range 20 {
			for _, m := range links.FindAllStringSubmatch(page, -1) {
				keys = append(keys, m[1])
			}
			last = page
			at := ""
			for _, m := range next.FindAllStringSubmatch(page, -1) {
				if m[2] == rel {
					at = strings.ReplaceAll(m[1], "&amp;", "&")
				}
			}
			if at == "" {
				return keys, last
			}
			page = w.get(at)
		}
		t.Fatalf("no end in direction %s", rel)
		return nil, ""
	}
	keys, last := walk(w.get("list?"+inGerman), "next")
	seen := map[string]bool{}
	for _, k := range keys {
		seen[k] = true
	}
	if len(keys) != 240 || len(seen) != 240 {
		t.Errorf("%d keys, %d of them different", len(keys), len(seen))
	}
	back, first := walk(last, "prev")
	if len(back) != 240 {
		t.Errorf("backwards %d keys", len(back))
	}
	w.has(first, ">one000<")
	only, _ := walk(w.get("list?"+inGerman+"&in=two"), "next")
	if len(only) != 120 {
		t.Errorf("of one collection %d keys", len(only))
	}
}

// deadlines is an answer of a server that limits its requests.
type deadlines struct {
	*httptest.ResponseRecorder
	read, write time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error {
	d.read = t
	return nil
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.write = t
	return nil
}

// A large memory takes its time, whatever the server gives other requests.
func TestFilesHaveTime(t *testing.T) {
	w := newWorld(t)
	at, err := url.Parse(w.server.URL + "/translate/")
	w.check(err)
	var b bytes.Buffer
	body := multipart.NewWriter(&b)
	w.check(body.WriteField("form", form(w.get("memory?project="+projectID), "memory").Get("form")))
	w.check(body.WriteField("project", projectID))
	file, err := body.CreateFormFile("file", "a.tmx")
	w.check(err)
	_, err = io.WriteString(file, `<tmx version="1.4"><header srclang="en"/><body></body></tmx>`)
	w.check(err)
	w.check(body.Close())
	up := httptest.NewRequest(http.MethodPost, w.server.URL+"/translate/memory", &b)
	up.Header.Set("Content-Type", body.FormDataContentType())
	up.Header.Set("Sec-Fetch-Site", "same-origin")
	down := httptest.NewRequest(http.MethodGet, w.server.URL+"/translate/memory.tmx?project="+projectID, nil)
	for _, r := range []*http.Request{up, down} {
		for _, cookie := range w.client.Jar.Cookies(at) {
			r.AddCookie(cookie)
		}
		answer, least := &deadlines{ResponseRecorder: httptest.NewRecorder()}, time.Now().Add(10*time.Minute)
		w.service.Page().ServeHTTP(answer, r)
		if answer.Code >= 400 || answer.read.Before(least) || answer.write.Before(least) {
			t.Errorf("%s: %d, until %v and %v", r.URL, answer.Code, answer.read, answer.write)
		}
	}
}

// Hostile texts are text.
func TestHostileTexts(t *testing.T) {
	w := newWorld(t)
	hostile := `</textarea><script>alert(1)</script>"'><img src=x onerror=alert(1)>{{.}}` + "\u202egnp"
	data, err := json.Marshal(map[string]string{hostile: hostile})
	w.check(err)
	w.imports("language=en&format=json&collection="+url.QueryEscape(`"><u>`), "app.json", string(data))
	w.imports("language=de&format=json&collection="+url.QueryEscape(`"><u>`), "app.json",
		strings.Replace(string(data), "gnp\"}", "jpg\"}", 1))
	w.lacks(w.get("list?"+inGerman+"&show=all"), "\u202e")
	for _, path := range []string{"list?" + inGerman + "&q=" + url.QueryEscape("<script>"), "key?" + inGerman} {
		page := w.get(path)
		w.lacks(page, "<script>alert", "<img", `"><u>`)
		w.has(page, "&lt;script&gt;alert(1)", `\u202egnp`)
	}
}

// What developers say about a text is beside it.
func TestComment(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=ios-strings", "Localizable.strings", "/* Of the button */\n\"save\" = \"Save\";\n")
	w.has(w.get("key?"+inGerman), "Comment:", "Of the button")
}

// A comment that says how long a text may be, and the terms of the project's glossaries, speak while a text is typed.
func TestCommentsAndTermsAreChecked(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=ios-strings", "Localizable.strings",
		"/* max. 12 characters */\n\"open\" = \"Open the door\";\n")
	page := form(w.get("key?"+inGerman), "key")
	said := func(text string) string {
		page.Set("text-", text)
		return w.post(w.client, "check", page)
	}
	w.has(said("Die Pforte ist offen"), `"length"`, `"holds":false`)
	w.lacks(said("Tür auf"), `"terms"`, `"length"`)
	w.glossary("en,de\nDoor,Pforte\n")
	w.has(said("Tür auf"), `"terms"`, "Pforte")
	w.lacks(said("Pforte auf"), `"terms"`)
	w.checks = check.Settings{Terms: &check.Terms{Keep: []string{"Open"}}, Level: func(kind string) check.Level {
		return map[string]check.Level{check.Length: check.Off, check.TermKind: check.Fail}[kind]
	}}
	w.has(said("Die Pforte ist offen"), `"terms"`, "must stay", `"holds":true`)
	w.lacks(said("Open die Pforte jetzt"), `"terms"`, `"length"`)
	w.checks.Skip = func(kind string) bool { return kind == check.TermKind }
	w.lacks(said("Tür"), `"terms"`)
}

// glossary gives the project a glossary with these terms.
func (w *world) glossary(csv string) {
	w.t.Helper()
	const api = "/api/integration/v1/"
	call := func(method, path, kind string, body io.Reader) string {
		r, err := http.NewRequest(method, w.server.URL+api+path, body)
		w.check(err)
		r.Header.Set("Content-Type", kind)
		answer, err := http.DefaultClient.Do(r)
		w.check(err)
		text, err := io.ReadAll(answer.Body)
		w.check(err)
		w.check(answer.Body.Close())
		if answer.StatusCode/100 != 2 {
			w.t.Fatalf("%s: %s %s", path, answer.Status, text)
		}
		return string(text)
	}
	var glossary struct{ ID string }
	w.check(json.Unmarshal([]byte(call("GET", "glossaries/default", "", nil)), &glossary))
	var b bytes.Buffer
	file := multipart.NewWriter(&b)
	part, err := file.CreateFormFile("file", "terms.csv")
	w.check(err)
	_, err = io.WriteString(part, csv)
	w.check(err)
	w.check(file.Close())
	task := strings.Trim(call("POST", "glossary/import?glossaryId="+glossary.ID+"&clearBeforeImport=false",
		file.FormDataContentType(), &b), "\" \n")
	for range 2000 {
		if state := call("GET", "glossary/importTaskState/"+task, "", nil); strings.Contains(state, "ompleted") {
			call("PUT", "project/"+projectID+"/glossaries", "application/json", strings.NewReader(`["`+glossary.ID+`"]`))
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	w.t.Fatal("the glossary is not imported")
}

// A daemon elsewhere hears of a saved text by the notification that it has registered.
func TestSavedIsNotified(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"save": "Save"}`)
	heard := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		heard <- r.URL.Path + " " + string(body)
	}))
	defer receiver.Close()
	answer, err := http.Post(w.server.URL+"/api/integration/v1/callback", "application/json",
		strings.NewReader(`{"url": "`+receiver.URL+`", "additionalHeaders": []}`))
	w.check(err)
	w.check(answer.Body.Close())
	if answer.StatusCode/100 != 2 {
		t.Fatal(answer.Status)
	}
	f := form(w.get("key?"+inGerman), "key")
	f.Set("text-", "Speichern")
	f.Set("state", "draft")
	w.has(w.post(w.client, "key", f), "200 ")
	select {
	case got := <-heard:
		if want := `/project/status ["` + projectID + `"]`; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	case <-time.After(10 * time.Second):
		t.Error("no notification came")
	}
}

// The last key that becomes final makes its language complete; a draft does not.
func TestSavedLanguageIsComplete(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=json", "app.json", `{"a": "Alpha", "b": "Beta"}`)
	for _, c := range []struct {
		text, state string
		complete    bool
	}{{"Alpha", "final", false}, {"Beta", "draft", false}, {"Beta", "final", true}} {
		f := form(w.get("key?"+inGerman+"&show=all&q="+c.text), "key")
		f.Set("text-", "T")
		f.Set("state", c.state)
		w.has(w.post(w.client, "key", f), "200 ")
		<-w.saved
		if w.complete.Load() != c.complete {
			t.Errorf("%s as %s: complete is %v", c.text, c.state, !c.complete)
		}
	}
	w.imports("language=en&format=json", "more.json", `{"c": "Gamma"}`)
	w.imports("language=de&format=json&completion-state=final", "more.json", `{"c": "Ceh"}`)
	for key, want := range map[string]string{"a": "Anna", "c": "", "nothing": ""} {
		if got := strings.Join(w.writers(key), " "); got != want {
			t.Errorf("%s was written by %q, want %q", key, got, want)
		}
	}
}

// A text that the format of the key's source file cannot hold is not saved, and named.
func TestControlCharacterIsNotSaved(t *testing.T) {
	w := newWorld(t)
	w.imports("language=en&format=android-xml", "strings.xml", `<resources><string name="a">Hello</string></resources>`)
	f := form(w.get("key?"+inGerman), "key")
	f.Set("text-", "Hallo\vWelt")
	f.Set("state", "final")
	w.has(w.post(w.client, "key", f), "400 ", "Not saved", "000B", "Hallo\vWelt</textarea>")
	w.has(w.get("list?"+inGerman+"&show=untranslated"), "Hello")
}

// The page of a very long text comes in time, whatever its memory has that is much the same.
func TestLongTexts(t *testing.T) {
	w := newWorld(t)
	var long strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&long, "word%d ", i)
	}
	w.imports("language=en&format=json", "app.json", `{"a": "`+long.String()+`first", "b": "`+long.String()+`second"}`)
	f := form(w.get("key?at=1.main&"+inGerman), "key")
	f.Set("text-", "Lang")
	f.Set("state", "final")
	began := time.Now()
	w.has(w.post(w.client, "key", f), "<bdi>b</bdi>")
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the page came after %s", took)
	}
}
