package engine

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
	"github.com/locsync/locsync/sync/service/wire"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"
	"go.uber.org/zap/zaptest/observer"
)

// Translations are read and sent language by language in every second run, as they are where they are many.
var together = flag.Int("together", []int{1, push.Together}[rand.IntN(2)], "push.Together, drawn anew each time")

// TestMain keeps the machine's and the user's git configuration away from every test, and bounds the property tests: an example is a
// repository with a service behind it. -rapid.checks asks for more. Tests wait for disks and jobs more than they compute.
func TestMain(m *testing.M) {
	if passes := os.Getenv(victimPasses); passes != "" {
		os.Exit(victim(passes)) // see victim_test.go
	}
	given := gittest.Flags(map[string]string{"rapid.checks": "4", "rapid.nofailfile": "true"})
	debug.SetGCPercent(400) // worlds are many and small: a quarter of the tests' time would be the collector's
	push.Together = *together
	code := exitOf(gittest.AtOnce(m), given)
	if code != 0 {
		fmt.Fprintf(os.Stderr, "with -together=%d\n", *together)
	}
	os.Exit(code)
}

// world is a repository, a service over HTTP and an engine between them: all parts real, and each to be looked at and broken.
type world struct {
	tb     testing.TB
	dir    string // the repository
	id     string // of the project at the service
	svc    *local.Service
	server *httptest.Server
	client *service.Client // a translator's
	wire   *wireLog
	home   string // state directory
	store  *boltledger.Store
	*Engine
	config    string
	probeFrom int // see Parts
	now       func() time.Time
}

const worldKey = "key"

// settings is the configuration's part above the files of most tests.
const settings = `
source_language = "en"
target_languages = ["de", "fr"]
`

// jsonFiles is flat JSON, one collection.
const jsonFiles = `
[[project.files]]
source = "locales/en/*.json"
output = "locales/{LANGUAGE}/{NAME}.json"
`

// newWorld commits files to a new repository and configures a project called app. project is what stands in [[project]] below its name and
// identifier, further tables included; o changes the service.
func newWorld(tb testing.TB, project string, files map[string]string, o ...func(*local.Options)) *world {
	tb.Helper()
	gittest.Need(tb)
	gittest.Draw(tb, "LOCSYNC_WORLDS")
	w := &world{tb: tb, wire: &wireLog{}, home: tb.TempDir()}
	if files != nil {
		w.dir = gittest.Init(tb, files)
	} else {
		w.dir = gittest.Init(tb, map[string]string{"README": "a repository\n"})
	}
	options := local.Options{AccountID: "account", Keys: []string{worldKey}, Faults: w.wire.next}
	for _, change := range o {
		change(&options)
	}
	var err error
	w.svc, err = local.Open(tb.TempDir(), options)
	w.check(err)
	w.server = httptest.NewServer(w.wire.around(w.svc))
	tb.Cleanup(w.close)
	w.client, err = service.New(service.Options{BaseURL: w.server.URL, AccountID: "account", APIKey: worldKey})
	w.check(err)
	w.id = "11111111-2222-3333-4444-555555555555"
	w.configure(project)
	return w
}

// configure starts the engine with another configuration; the state stays.
func (w *world) configure(project string) {
	w.tb.Helper()
	w.config = project
	text := fmt.Sprintf("[service]\nurl = %q\naccount_id = \"account\"\njob_timeout = \"5s\"\n[[project]]\nname = \"app\"\nid = %q\nrepository = %q\n%s", w.server.URL, w.id, w.dir, project)
	cfg, err := config.Parse(filepath.Join(w.dir, "locsync.toml"), []byte(text))
	w.check(err)
	for i := range cfg.Projects {
		p := &cfg.Projects[i]
		w.check(w.svc.EnsureProject(p.ID, p.Name, p.SourceLanguage, p.TargetLanguages))
	}
	w.restart(cfg)
}

// restart closes the engine's parts and opens them again, as after the end of a process.
func (w *world) restart(cfg *config.Config) {
	w.tb.Helper()
	if w.store != nil {
		w.Service.Close()
		w.check(w.store.Close())
	}
	var err error
	w.store, err = boltledger.Open(w.home)
	w.check(err)
	c, err := service.New(service.Options{BaseURL: w.server.URL, AccountID: "account", APIKey: worldKey})
	w.check(err)
	log := zap.NewNop()
	if testing.Verbose() {
		if t, ok := w.tb.(*testing.T); ok {
			log = zaptest.NewLogger(t)
		}
	}
	w.Engine = New(Parts{Config: cfg, Service: c, State: w.store, Log: log, ProbeFrom: w.probeFrom, Now: w.now})
}

// logged starts the engine anew with a log that can be looked at.
func (w *world) logged() *observer.ObservedLogs {
	w.tb.Helper()
	core, logs := observer.New(zap.InfoLevel)
	w.Engine = New(Parts{Config: w.Config, Service: w.Service, State: w.store, Log: zap.New(core)})
	return logs
}

// overridden are the texts that were said to be overridden since the log was read last.
func overridden(log *observer.ObservedLogs) []report.Problem {
	var said []report.Problem
	for _, line := range log.TakeAll() {
		if line.Message == "a text is replaced" {
			said = append(said, report.Problem{Problem: fmt.Sprint(line.ContextMap()["text"])})
		}
	}
	return said
}

// lose forgets all state, and the memory of it in the repository and at its remote.
func (w *world) lose() {
	w.tb.Helper()
	const name = "refs/locsync/app"
	_, _ = gittest.TryGit(w.tb, w.dir, "update-ref", "-d", name)
	_, _ = gittest.TryGit(w.tb, w.dir, "push", "-q", "origin", ":"+name) // where there is one, and a remote
	w.loseState()
}

// loseState forgets the state of the engine, which the repository remembers.
func (w *world) loseState() {
	w.tb.Helper()
	w.home = w.tb.TempDir()
	w.restart(w.Config)
}

func (w *world) close() {
	w.client.Close()
	w.Service.Close()
	w.check(w.store.Close())
	w.server.Close()
	w.check(w.svc.Close())
}

func (w *world) check(err error) {
	w.tb.Helper()
	if err != nil {
		w.tb.Fatal(err)
	}
}

// write puts files into the working tree; pairs of path and content.
func (w *world) write(files ...string) {
	w.tb.Helper()
	for i := 0; i < len(files); i += 2 {
		gittest.Write(w.tb, w.dir, map[string]string{files[i]: files[i+1]})
	}
}

func (w *world) remove(path string) {
	w.tb.Helper()
	w.check(os.Remove(filepath.Join(w.dir, filepath.FromSlash(path))))
}

func (w *world) git(args ...string) string {
	w.tb.Helper()
	return gittest.Git(w.tb, w.dir, args...)
}

// commit commits everything in the working tree.
func (w *world) commit() string {
	w.tb.Helper()
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "by a person")
	return w.git("rev-parse", "HEAD")
}

// commitOn commits files to a branch that is not checked out, as a person would in another clone.
func (w *world) commitOn(branch string, files ...string) string {
	w.tb.Helper()
	tree := filepath.Join(w.tb.TempDir(), "tree")
	w.git("worktree", "add", "-q", "--force", tree, branch)
	for i := 0; i < len(files); i += 2 {
		gittest.Write(w.tb, tree, map[string]string{files[i]: files[i+1]})
	}
	gittest.Git(w.tb, tree, "add", "-A")
	gittest.Git(w.tb, tree, "commit", "-q", "-m", "by a person")
	w.git("worktree", "remove", "--force", tree)
	return w.git("rev-parse", branch)
}

// show is a file on a branch; "" when it has none.
func (w *world) show(branch, path string) string {
	w.tb.Helper()
	out, err := gittest.TryGit(w.tb, w.dir, "show", branch+":"+path)
	if err != nil {
		return ""
	}
	return out
}

// pushes runs a push that must not fail.
func (w *world) pushes(o push.Options) report.ProjectPush {
	w.tb.Helper()
	result, err := w.Push(w.tb.Context(), o)
	w.check(err)
	return result.Projects[0]
}

// pulls runs a pull that must not fail.
func (w *world) pulls(o pull.Options) report.ProjectPull {
	w.tb.Helper()
	result, err := w.Pull(w.tb.Context(), o)
	w.check(err)
	return result.Projects[0]
}

// clean is pushes, with no problems to report.
func (w *world) clean(o push.Options) report.ProjectPush {
	w.tb.Helper()
	p := w.pushes(o)
	if len(p.Problems) > 0 {
		w.tb.Fatalf("problems: %v", p.Problems)
	}
	return p
}

// sends pushes without problems and compares what was sent: "path (language): keys", sorted.
func (w *world) sends(want ...string) {
	w.tb.Helper()
	w.reports(w.clean(push.Options{}), want...)
}

// reports compares what a push sent.
func (w *world) reports(p report.ProjectPush, want ...string) {
	w.tb.Helper()
	got := []string{}
	for _, f := range p.Files {
		got = append(got, fmt.Sprintf("%s (%s): %s", f.Path, f.Language, strings.Join(f.Keys, " ")))
	}
	slices.Sort(got)
	if !slices.Equal(got, append([]string{}, want...)) {
		w.tb.Fatalf("sent %q, want %q\nproblems: %v", got, want, p.Problems)
	}
}

// problem checks that exactly one problem is reported, and that it holds all of these texts.
func (w *world) problem(problems []report.Problem, holds ...string) {
	w.tb.Helper()
	if len(problems) != 1 {
		w.tb.Fatalf("%d problems, want one with %q: %v", len(problems), holds, problems)
	}
	for _, text := range holds {
		if !strings.Contains(problems[0].String(), text) {
			w.tb.Fatalf("the problem %q does not say %q", problems[0], text)
		}
	}
}

// translate is a translator: values by key, in a state. A key of the form "key" takes a text; the format is flat JSON.
func (w *world) translate(collection, language string, completion service.CompletionState, keysAndTexts ...string) {
	w.tb.Helper()
	var entries []resource.Entry
	for i := 0; i < len(keysAndTexts); i += 2 {
		entries = append(entries, resource.Entry{Key: keysAndTexts[i], Kind: resource.Text, Text: keysAndTexts[i+1]})
	}
	f, _ := formats.Named("json")
	body, err := f.Compose(resource.Keys{}, nil, entries)
	w.check(err)
	w.upload(service.ImportRequest{Project: w.id, Collection: collection, Language: language, Format: "json", CompletionState: completion,
		Files: []service.Upload{{Name: "translator.json", Body: body}}})
}

// upload is an import by somebody else.
func (w *world) upload(r service.ImportRequest) {
	w.tb.Helper()
	w.wire.mute(true)
	defer w.wire.mute(false)
	id, err := w.client.Strings().StartImport(w.tb.Context(), r)
	w.check(err)
	res, err := w.client.Strings().WaitImport(w.tb.Context(), id)
	w.check(err)
	if len(res.Failed) > 0 || res.WithoutSource > 0 {
		w.tb.Fatalf("the service did not take it: %+v", res)
	}
}

// service is what the service holds in a language, in any state: texts by key. Plural keys are in ICU spelling.
func (w *world) at(collection, language string) map[string]string {
	w.tb.Helper()
	return w.atLeast(collection, language, service.Draft)
}

// atLeast is at, in a state or better.
func (w *world) atLeast(collection, language string, completion service.CompletionState) map[string]string {
	w.tb.Helper()
	return w.spelled("json", collection, language, completion)
}

// spelled is atLeast in the spelling of a format; see textsIn.
func (w *world) spelled(format, collection, language string, completion service.CompletionState) map[string]string {
	w.tb.Helper()
	w.wire.mute(true)
	defer w.wire.mute(false)
	id, err := w.client.Strings().StartExport(w.tb.Context(), service.ExportRequest{Project: w.id, Collection: collection, Languages: []string{language},
		Format: service.Format(format), CompletionState: completion, OutputTemplate: "{LANGUAGE}", Zip: true})
	w.check(err)
	archive, err := w.client.Strings().Download(w.tb.Context(), id, w.tb.TempDir())
	w.check(err)
	defer archive.Close()
	texts := map[string]string{}
	for _, e := range archive.Entries {
		body, err := e.ReadAll()
		w.check(err)
		maps.Copy(texts, textsIn(w.tb, format, body))
	}
	return texts
}

// holds checks some of what the service has: keys and texts in turn.
func (w *world) holds(collection, language string, keysAndTexts ...string) {
	w.tb.Helper()
	have := w.at(collection, language)
	for i := 0; i < len(keysAndTexts); i += 2 {
		if have[keysAndTexts[i]] != keysAndTexts[i+1] {
			w.tb.Fatalf("the service has %q for %s %q, want %q", have[keysAndTexts[i]], language, keysAndTexts[i], keysAndTexts[i+1])
		}
	}
}

// wireLog sees every request, and makes some of them go wrong.
type wireLog struct {
	mu       sync.Mutex
	muted    bool
	another  bool // service than ours: what clients have lost stays
	requests []seen
	fault    func(r *http.Request) local.Fault
	before   func(r *http.Request)                       // called with each request, before the service sees it
	lie      func(r *http.Request, answer []byte) []byte // what comes in the place of an answer
	spoiled  [2]string                                   // name of a file of imports, and what the service gets instead
	from, to string                                      // in paths: an identifier that stands for another
}

// lying answers import results with other members in the place of the service's own; "" stops it. null takes a member out.
func (l *wireLog) lying(members string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lie = nil
	if members == "" {
		return
	}
	l.lie = func(r *http.Request, answer []byte) []byte {
		said := map[string]json.RawMessage{}
		if !isResult(r) || json.Unmarshal(answer, &said) != nil {
			return answer
		}
		if err := json.Unmarshal([]byte(members), &said); err != nil {
			panic(err)
		}
		lie, err := json.Marshal(said)
		if err != nil {
			panic(err)
		}
		return lie
	}
}

// spoil hands the service another content for a file.
func (l *wireLog) spoil(name, content string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spoiled = [2]string{name, content}
}

// redirect answers for one project with another.
func (l *wireLog) redirect(from, to string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.from, l.to = from, to
}

// request is one request of the engine.
type seen struct {
	method, path string
	query        url.Values
	files        map[string]string // of an import: name -> content
}

func (r seen) is(what string) bool {
	switch what {
	case "import":
		return r.method == http.MethodPost && strings.HasSuffix(r.path, "/import")
	case "export":
		return r.method == http.MethodPost && strings.HasSuffix(r.path, "/export")
	}
	return true
}

func (l *wireLog) mute(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.muted = on
}

func (l *wireLog) next(r *http.Request) local.Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.muted || l.fault == nil {
		return local.Fault{}
	}
	return l.fault(r)
}

// failing sets what goes wrong from now on; nil for nothing.
func (l *wireLog) failing(f func(*http.Request) local.Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault = f
}

func (l *wireLog) around(h http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(rw, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		l.mu.Lock()
		if !l.muted {
			l.requests = append(l.requests, seen{r.Method, r.URL.Path, r.URL.Query(), parts(r.Header.Get("Content-Type"), body)})
		}
		if l.from != "" {
			r.URL.Path = strings.ReplaceAll(r.URL.Path, l.from, l.to)
		}
		if l.spoiled[0] != "" {
			spoil(r, body, l.spoiled)
		}
		before, lie := l.before, l.lie
		if l.another && lie == nil {
			lie = func(_ *http.Request, answer []byte) []byte { return answer }
		}
		if l.muted {
			before, lie = nil, nil
		}
		l.mu.Unlock()
		if before != nil {
			before(r)
		}
		if lie == nil {
			h.ServeHTTP(rw, r)
			return
		}
		said := httptest.NewRecorder()
		h.ServeHTTP(said, r)
		maps.Copy(rw.Header(), said.Header())
		rw.Header().Del("Content-Length")
		if l.another {
			rw.Header().Del(wire.HeaderOwn)
		}
		rw.WriteHeader(said.Code)
		_, _ = rw.Write(lie(r, said.Body.Bytes()))
	})
}

func spoil(r *http.Request, body []byte, file [2]string) {
	files := parts(r.Header.Get("Content-Type"), body)
	if _, ok := files[file[0]]; !ok || r.URL.Query().Get("language") != "en" {
		return
	}
	files[file[0]] = file[1]
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		part, _ := m.CreateFormFile("file", name)
		_, _ = io.WriteString(part, files[name])
	}
	_ = m.Close()
	r.Header.Set("Content-Type", m.FormDataContentType())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(b.Bytes())), int64(b.Len())
}

func parts(contentType string, body []byte) map[string]string {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil || params["boundary"] == "" {
		return nil
	}
	files := map[string]string{}
	for reader := multipart.NewReader(bytes.NewReader(body), params["boundary"]); ; {
		part, err := reader.NextPart()
		if err != nil {
			return files
		}
		content, _ := io.ReadAll(part)
		files[part.FileName()] = string(content)
	}
}

// take returns the requests of a kind ("import", "export", "" for all) since the last take, and forgets all.
func (l *wireLog) take(what string) []seen {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []seen
	for _, r := range l.requests {
		if r.is(what) {
			found = append(found, r)
		}
	}
	l.requests = nil
	return found
}

// silent checks that the service was not called at all since the last take.
func (w *world) silent() {
	w.tb.Helper()
	if requests := w.wire.take(""); len(requests) > 0 {
		w.tb.Fatalf("%d requests, want none; the first is %s %s?%s", len(requests), requests[0].method, requests[0].path, requests[0].query.Encode())
	}
}

// imported checks the imports since the last take: for each, its files in the form name{content}, joined by a space, in order of name.
func (w *world) imported(want ...string) []seen {
	w.tb.Helper()
	requests := w.wire.take("import")
	got := []string{}
	for _, r := range requests {
		var files []string
		for _, name := range slices.Sorted(maps.Keys(r.files)) {
			files = append(files, name+compact(r.files[name]))
		}
		got = append(got, strings.Join(files, " "))
	}
	if !slices.Equal(got, append([]string{}, want...)) {
		w.tb.Fatalf("imported %q, want %q", got, want)
	}
	return requests
}

// compact puts a file on one line, with single spaces.
func compact(s string) string { return strings.Join(strings.Fields(s), " ") }
