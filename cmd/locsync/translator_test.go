//go:build unix

package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/local"
)

// translator works at the service as it is described, by a client of its own. at is the address of a project's calls.
type translator struct {
	*testing.T
	address, project string
}

// counted is a service over HTTP that counts what it is asked.
type counted struct {
	*local.Service
	server   *httptest.Server
	requests atomic.Int64
	imports  atomic.Int64
}

// serveCounted is a service without pseudo-translations, or what is in a folder already.
func serveCounted(t *testing.T, dir, account string) *counted {
	t.Helper()
	svc, err := local.Open(dir, local.Options{AccountID: account})
	if err != nil {
		t.Fatal(err)
	}
	c := &counted{Service: svc}
	c.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.requests.Add(1)
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/import") {
			c.imports.Add(1)
		}
		svc.ServeHTTP(w, r)
	}))
	return c
}

func (c *counted) close(t *testing.T) {
	t.Helper()
	c.server.Close()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// atEmbedded opens what the embedded service has stored, between two runs of the program, for a translator.
func (n *newcomer) atEmbedded(do func(w *translator)) {
	n.Helper()
	c := serveCounted(n.T, filepath.Join(n.tree, ".git", "locsync", "service"), "embedded")
	defer c.close(n.T)
	do(&translator{n.T, c.server.URL, n.config().Projects[0].ID})
}

// call makes a call that has to work, and returns its answer.
func (w *translator) call(method, path string, query url.Values, contentType string, body io.Reader) (int, []byte) {
	w.Helper()
	r, err := http.NewRequest(method, w.address+"/api/integration"+path+"?"+query.Encode(), body)
	if err != nil {
		w.Fatal(err)
	}
	r.SetBasicAuth("acc", "secret")
	r.Header.Set("Content-Type", contentType)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		w.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode/100 != 2 {
		w.Fatalf("%s %s: %s %v\n%s", method, path, answer.Status, err, clipped(string(data)))
	}
	return answer.StatusCode, data
}

// export is what a collection's export has, by the name of its file in the archive; keys limits it, unless it is nil.
func (w *translator) export(collection, format string, keys []string) map[string][]byte {
	w.Helper()
	q := url.Values{"collections": {collection}, "format": {format}, "completion-state": {"draft"},
		"skip-incomplete-keys": {"true"}, "include-default-language": {"true"}, "zip": {"true"},
		"output-file-path-template": {"{LANGUAGE}"}}
	var body io.Reader
	if keys != nil {
		data, err := json.Marshal(map[string][]string{"keys": keys})
		if err != nil {
			w.Fatal(err)
		}
		body = bytes.NewReader(data)
	}
	_, answer := w.call(http.MethodPost, "/v2/project/"+w.project+"/export", q, "application/json", body)
	id := w.id(answer)
	var archive []byte
	w.until(func() bool {
		code, data := w.call(http.MethodGet, "/v1/document/export/"+id, nil, "", nil)
		archive = data
		return code == http.StatusOK
	})
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		w.Fatal(err)
	}
	files := make(map[string][]byte)
	for _, f := range z.File {
		r, err := f.Open()
		if err == nil {
			files[f.Name], err = io.ReadAll(r)
		}
		if err != nil {
			w.Fatal(err)
		}
	}
	return files
}

// texts is everything that the service has in these collections, in whatever state.
func (w *translator) texts(collections []string) map[place]string {
	w.Helper()
	keys := make(map[string][]string)
	for _, c := range collections {
		keys[c] = nil
	}
	return w.textsOf(keys)
}

// textsAt is what the service has of the keys of some texts.
func (w *translator) textsAt(places map[place]string) map[place]string {
	w.Helper()
	keys := make(map[string][]string)
	for p := range places {
		if !slices.Contains(keys[p.collection], p.key) {
			keys[p.collection] = append(keys[p.collection], p.key)
		}
	}
	return w.textsOf(keys)
}

// textsOf is what the service has of these keys by collection; of nil all.
func (w *translator) textsOf(keys map[string][]string) map[place]string {
	w.Helper()
	all := make(map[place]string)
	for c, keys := range keys {
		for language, data := range w.export(c, "json", keys) {
			var texts map[string]string
			if err := json.Unmarshal(data, &texts); err != nil {
				w.Fatal(err)
			}
			for key, value := range texts {
				all[place{c, language, key}] = value
			}
		}
	}
	return all
}

// importing brings a file to the service.
func (w *translator) importing(collection, language, format, state string, file []byte) {
	w.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "texts")
	if err == nil {
		_, err = part.Write(file)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		w.Fatal(err)
	}
	q := url.Values{"collection": {collection}, "language": {language}, "format": {format},
		"completion-state": {state}, "overwrite-conflicting-values": {"true"}}
	_, answer := w.call(http.MethodPost, "/v2/project/"+w.project+"/import", q, form.FormDataContentType(), &body)
	id := w.id(answer)
	var result struct {
		Status            string
		KeysWithoutSource int
		Errors            []any
	}
	w.until(func() bool {
		_, data := w.call(http.MethodGet, "/v1/project/import-result/"+id, nil, "", nil)
		if err := json.Unmarshal(data, &result); err != nil {
			w.Fatal(err)
		}
		return result.Status == "completed" || result.Status == "failed"
	})
	if result.Status != "completed" || result.KeysWithoutSource > 0 || len(result.Errors) > 0 {
		w.Fatalf("the import into %s of %s ended so: %+v", language, collection, result)
	}
}

// translate gives keys of a collection translations of the highest state.
func (w *translator) translate(collection, language string, texts map[string]string) {
	w.Helper()
	data, err := json.Marshal(texts)
	if err != nil {
		w.Fatal(err)
	}
	w.importing(collection, language, "json", "final", data)
}

// id is the identifier that a call answered with.
func (w *translator) id(answer []byte) (id string) {
	w.Helper()
	if err := json.Unmarshal(answer, &id); err != nil {
		w.Fatalf("%v: %s", err, answer)
	}
	return id
}

// until waits for a job.
func (w *translator) until(over func() bool) {
	w.Helper()
	for end := time.Now().Add(guard); !over(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			w.Fatal("the service does not come to an end of a job")
		}
	}
}
