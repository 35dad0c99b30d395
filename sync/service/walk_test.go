package service_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/documents"
	"github.com/locsync/locsync/sync/service/local"
	"github.com/locsync/locsync/sync/service/memories"
	"github.com/locsync/locsync/sync/service/wire"
)

// world is an embedded service with what operations need, made when it is needed first.
type world struct {
	t      *testing.T
	server *httptest.Server
	c      *service.Client

	mu     sync.Mutex
	seen   []string          // "GET /v1/account 200", of the row that is being walked
	n      int               // makes names differ
	made   map[string]string // identifiers of what several rows share
	failed map[string]error  // why it could not be made
}

func newWorld(t *testing.T) *world {
	s, err := local.Open(t.TempDir(), local.Options{AccountID: "account", Keys: []string{key}})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, made: map[string]string{}, failed: map[string]error{}}
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		status := &noted{ResponseWriter: rw}
		s.ServeHTTP(status, r)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.seen = append(w.seen, fmt.Sprintf("%s %s %d", r.Method, strings.TrimPrefix(r.URL.Path, wire.Prefix),
			status.status))
	}))
	t.Cleanup(func() {
		w.server.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	w.c = client(t, service.Options{BaseURL: w.server.URL})
	return w
}

// noted remembers the status of an answer.
type noted struct {
	http.ResponseWriter
	status int
}

func (n *noted) WriteHeader(status int) {
	n.status = status
	n.ResponseWriter.WriteHeader(status)
}

func (n *noted) Write(b []byte) (int, error) {
	if n.status == 0 {
		n.status = http.StatusOK
	}
	return n.ResponseWriter.Write(b)
}

func (n *noted) Unwrap() http.ResponseWriter { return n.ResponseWriter }

func (w *world) name(of string) string {
	w.n++
	return of + " " + strconv.Itoa(w.n)
}

// missingFixture is what a row panics with when what it needs cannot be made.
type missingFixture struct{ error }

// once makes a thing that several rows share.
func (w *world) once(name string, make func() (string, error)) string {
	if w.made[name] == "" && w.failed[name] == nil {
		w.made[name], w.failed[name] = make()
	}
	return must(w.made[name], w.failed[name])
}

func must(made string, err error) string {
	if err != nil {
		panic(missingFixture{err})
	}
	return made
}

func (w *world) newKeys() string {
	p, err := w.c.Projects().Create(w.t.Context(), service.NewProject{Name: w.name("keys"), SourceLanguage: "en",
		TargetLanguages: []string{"de"}})
	return must(p.ID, err)
}

// keys is a project for software localization.
func (w *world) keys() string {
	return w.once("keys", func() (string, error) { return w.newKeys(), nil })
}

// documents is a project for documents, with one.
func (w *world) documents() string {
	return w.once("documents", func() (string, error) {
		p, err := w.c.Projects().Create(w.t.Context(), service.NewProject{
			Name: w.name("documents"), SourceLanguage: "en", TargetLanguages: []string{"de"}, Documents: true,
			ProjectTasks: true,
			Files: []service.NewDocument{{File: content("first.txt", theText),
				Model: service.DocumentModel{ExternalID: "x"}}},
		})
		return p.ID, err
	})
}

// document is that document, in its target language.
func (w *world) document() string {
	return w.once("document", func() (string, error) {
		p, err := w.c.Projects().WithDocuments(w.t.Context(), w.documents())
		if err != nil || len(p.Documents) == 0 {
			return "", errors.Join(err, errors.New("the project has no documents"))
		}
		_, err = disassembled(w.t.Context(), w.c, w.documents(), p.Documents[0].ID)
		return p.Documents[0].ID, err
	})
}

// newDocument is one more, ready to be worked with.
func (w *world) newDocument(extension, text string) string {
	added, err := documents.Of(w.c).Add(w.t.Context(), w.documents(),
		[]service.NewDocument{{File: content(w.name("document")+"."+extension, text)}})
	if err == nil {
		_, err = disassembled(w.t.Context(), w.c, w.documents(), added[0].ID)
	}
	if err != nil {
		panic(missingFixture{err})
	}
	return added[0].ID
}

// translated is a document that a translation was brought into.
func (w *world) translated() string {
	return w.once("translated", func() (string, error) {
		id := w.newDocument("json", `{"hello": "Hello"}`)
		err := translate(w.t.Context(), w.c, wire.PathDocumentTranslate, id, content("de.json", `{"hello": "Hallo"}`))
		if err == nil {
			err = service.WaitTask(w.t.Context(), w.c, "translation", id, func(ctx context.Context) (wire.TaskState, error) {
				return translationState(ctx, w.c, id)
			})
		}
		return id, err
	})
}

func (w *world) memory() string {
	return w.once("memory", func() (string, error) {
		return memories.Of(w.c).Create(w.t.Context(), w.name("memory"), "en", []string{"de"})
	})
}

func (w *world) glossary() string {
	return w.once("glossary", func() (string, error) {
		g, err := memories.GlossariesOf(w.c).Default(w.t.Context())
		return g.ID, err
	})
}

func (w *world) task() string {
	return w.once("task", func() (string, error) {
		tasks, err := documents.TasksOf(w.c).List(w.t.Context(), w.documents(), documents.TaskFilter{})
		if err != nil || len(tasks) == 0 {
			return "", errors.Join(err, errors.New("the project has no tasks"))
		}
		return tasks[0].ID, nil
	})
}

func (w *world) statistics(ctx context.Context, read func(context.Context, string, bool) (documents.ProjectStatistics,
	error)) error {
	w.document()
	s, err := read(ctx, w.documents(), false)
	if err == nil && (len(s) != 1 || s[0].Language != "de" || len(s[0].Statistics) == 0) {
		err = fmt.Errorf("it is %+v", s)
	}
	return err
}

// exported is the content of the one file that an export gives.
func (w *world) exported(ctx context.Context, r documents.ExportRequest) (string, error) {
	jobs, err := documents.Of(w.c).StartExport(ctx, r)
	if err != nil {
		return "", err
	}
	a, err := documents.Of(w.c).Download(ctx, jobs[0].ID, "")
	if err != nil {
		return "", err
	}
	defer a.Close()
	b, err := a.Entries[0].ReadAll()
	return string(b), err
}

// raw makes a request that the client has no method for.
func (w *world) raw(ctx context.Context, method, path string) error {
	return w.send(ctx, method, path, "", nil)
}

func (w *world) upload(ctx context.Context, method, path, name, content string) error {
	const boundary = "limit"
	body := "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\n\r\n" +
		content + "\r\n--" + boundary + "--\r\n"
	return w.send(ctx, method, path, "multipart/form-data; boundary="+boundary, strings.NewReader(body))
}

func (w *world) send(ctx context.Context, method, path, kind string, body io.Reader) error {
	r, err := http.NewRequestWithContext(ctx, method, w.server.URL+wire.Prefix+path, body)
	if err != nil {
		return err
	}
	r.SetBasicAuth("account", key)
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 300 {
		err = fmt.Errorf("%s: %.200s", resp.Status, answer)
	}
	return err
}

func content(name, text string) service.File {
	return service.File{Name: name, Size: int64(len(text)), Content: strings.NewReader(text)}
}

func closed(a *service.Archive, err error) error {
	if err == nil {
		err = a.Close()
	}
	return err
}

// second is the error of a call whose result does not matter.
func second[T any](_ T, err error) error { return err }

// walk makes the row's operation, and makes sure that it was made.
func (w *world) walk(r row) (err error) {
	defer func() {
		if p := recover(); p != nil {
			fixture, ok := p.(missingFixture)
			if !ok {
				panic(p)
			}
			err = fmt.Errorf("what it needs: %w", fixture.error)
		}
	}()
	w.mu.Lock()
	w.seen = nil
	w.mu.Unlock()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	if err := r.do(ctx, w); err != nil {
		return err
	}
	pattern := regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(r.path, `[^/]+`)
	if strings.HasSuffix(pattern, "/") {
		pattern += ".+"
	}
	made := regexp.MustCompile("^" + r.method + " " + pattern + " 2..$")
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.ContainsFunc(w.seen, made.MatchString) {
		return fmt.Errorf("the client made %q instead", w.seen)
	}
	return nil
}

// Every operation of the table, called through the client, is served by the embedded service, but for those that are
// named.
func TestEveryOperation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, r := range table {
		err := w.walk(r)
		missing := slices.Contains(notYet, r.String())
		switch {
		case err != nil && !missing:
			t.Errorf("%s: %v", r, err)
		case err == nil && missing:
			t.Errorf("%s works now: take it out of notYet", r)
		}
	}
	for _, name := range notYet {
		if !slices.ContainsFunc(table, func(r row) bool { return r.String() == name }) {
			t.Errorf("%s stands in notYet and not in the table", name)
		}
	}
}

// The table is whole: it has every path of package wire and every method of the client.
func TestTableIsWhole(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "wire/paths.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Path") {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		paths[value] = true
		return true
	})
	if len(paths) < 60 {
		t.Fatalf("only %d paths were found", len(paths))
	}
	methods := slices.Clone(around)
	seen := map[string]bool{}
	for _, r := range table {
		delete(paths, r.path)
		if seen[r.String()] {
			t.Errorf("%s stands twice", r)
		}
		seen[r.String()] = true
		if r.client != "" {
			methods = append(methods, r.client)
		}
	}
	for path := range paths {
		t.Errorf("no row has the path %s", path)
	}
	have := map[string]bool{}
	for _, group := range []reflect.Type{
		reflect.TypeFor[*service.Client](), reflect.TypeFor[service.Projects](), reflect.TypeFor[service.Callbacks](),
		reflect.TypeFor[service.Strings](), reflect.TypeFor[documents.Documents](),
		reflect.TypeFor[documents.Statistics](),
		reflect.TypeFor[documents.Storage](), reflect.TypeFor[documents.Tasks](), reflect.TypeFor[memories.Memories](),
		reflect.TypeFor[memories.Glossaries](), reflect.TypeFor[memories.Engines](), reflect.TypeFor[memories.Rules](),
		reflect.TypeFor[memories.Placeholders](),
	} {
		_, name, _ := strings.Cut(group.String(), ".")
		for i := range group.NumMethod() {
			have[name+"."+group.Method(i).Name] = true
		}
	}
	for _, name := range methods {
		if !have[name] {
			t.Errorf("there is no method %s, or it is named twice", name)
		}
		delete(have, name)
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		t.Errorf("the method %s is in no row", name)
	}
}

// README.md shows the table.
func TestReadmeShowsTheTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("| operation | described in | Go | embedded service |\n|---|---|---|---|\n")
	for _, r := range table {
		method, since := "–", r.embedded
		if r.client != "" {
			method = "`" + r.client + "`"
		}
		if slices.Contains(notYet, r.String()) {
			since = "not yet"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r, r.from, method, since)
	}
	have, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(have), "\n"+b.String()+"\n") {
		t.Errorf("README.md does not have this table:\n%s", b.String())
	}
}
