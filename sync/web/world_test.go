package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/bound/serve"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
)

// world is repositories, a service over HTTP, an engine between them and its address, all real. Time is the engine's
// own: it can be another day.
type world struct {
	t      *testing.T
	repos  map[string]string // by project
	ids    map[string]string
	svc    *local.Service
	client *service.Client
	engine *engine.Engine
	now    time.Time
	saying func(report.Doing) // called while a pass works
	log    *zap.Logger
	server *httptest.Server // of the page
}

// worldProject is one project: its name, its target languages, and the files of its repository, of which
// locales/en/*.json are the sources.
type worldProject struct {
	name      string
	languages []string
	files     map[string]string
	more      string // of [[project]], tables included
}

// newWorld builds one. daemon stands in [daemon]; o changes what the page is served with.
func newWorld(t *testing.T, daemon string, o func(*Options), projects ...worldProject) *world {
	t.Helper()
	gittest.Need(t)
	w := &world{t: t, repos: map[string]string{}, ids: map[string]string{}, now: time.Now(), log: zap.NewNop()}
	svc, err := local.Open(t.TempDir(), local.Options{AccountID: "acc", Keys: []string{"key"}, Pseudo: true})
	check(t, err)
	w.svc = svc
	at := httptest.NewServer(svc)
	var text strings.Builder
	fmt.Fprintf(&text, "[service]\nurl = %q\naccount_id = \"acc\"\n[daemon]\ndebounce = \"50ms\"\n%s\n", at.URL, daemon)
	for i, p := range projects {
		w.repos[p.name] = gittest.Init(t, p.files)
		w.ids[p.name] = fmt.Sprintf("11111111-2222-3333-4444-55555555%04d", i)
		check(t, svc.EnsureProject(w.ids[p.name], p.name, "en", p.languages))
		fmt.Fprintf(&text,
			"[[project]]\nname = %q\nid = %q\nrepository = %q\nsource_language = \"en\"\ntarget_languages = [\"%s\"]\n%s\n",
			p.name, w.ids[p.name], w.repos[p.name],
			strings.Join(p.languages, `", "`), p.more)
		if !strings.Contains(p.more, "[project.pull]") {
			text.WriteString("[project.pull]\nschedule = \"0 */6 * * *\"\n")
		}
		text.WriteString("[[project.files]]\nsource = \"locales/en/*.json\"\noutput = \"locales/{LANGUAGE}/{NAME}.json\"\n")
	}
	cfg, err := config.Parse(filepath.Join(t.TempDir(), "locsync.toml"), []byte(text.String()))
	check(t, err)
	store, err := boltledger.Open(t.TempDir())
	check(t, err)
	w.client, err = service.New(service.Options{BaseURL: at.URL, AccountID: "acc", APIKey: "key"})
	check(t, err)
	w.engine = engine.New(engine.Parts{Config: cfg, State: store, Service: w.client, Log: w.log,
		Now: func() time.Time { return w.now }, Progress: func(d report.Doing) {
			if w.saying != nil {
				w.saying(d)
			}
		}})
	ends := make(chan struct{})
	options := Options{Engine: w.engine, Log: zap.NewNop(), Version: "1.2.3", PublicURL: cfg.Daemon.PublicURL,
		Ends: ends}
	if o != nil {
		o(&options)
	}
	w.server = httptest.NewUnstartedServer(nil)
	w.server.Config = serve.NewServer(New(options), options.Log)
	w.server.Start()
	t.Cleanup(func() {
		close(ends)
		w.server.Close()
		w.client.Close()
		at.Close()
		check(t, svc.Close())
		check(t, store.Close())
	})
	return w
}

// run has the engine work by itself until the test ends, in the time of the world's wall clock.
func (w *world) run() {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan error, 1)
	go func() { done <- w.engine.Run(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		check(w.t, <-done)
	})
}

func (w *world) push(project string) {
	w.t.Helper()
	_, err := w.engine.Push(w.t.Context(), push.Options{Project: project})
	check(w.t, err)
}

func (w *world) pull(project string) {
	w.t.Helper()
	_, err := w.engine.Pull(w.t.Context(), pull.Options{Project: project})
	check(w.t, err)
}

// write puts a file into a project's working tree.
func (w *world) write(project, path, content string) {
	w.t.Helper()
	file := filepath.Join(w.repos[project], filepath.FromSlash(path))
	check(w.t, os.MkdirAll(filepath.Dir(file), 0o755))
	check(w.t, os.WriteFile(file, []byte(content), 0o644))
}

// translate does what a translator does at the service.
func (w *world) translate(project, language, file, content string) {
	w.t.Helper()
	id, err := w.client.Strings().StartImport(w.t.Context(), service.ImportRequest{Project: w.ids[project],
		Collection: "main", Language: language, Format: "json",
		CompletionState: service.Final, Files: []service.Upload{{Name: file, Body: []byte(content)}}})
	check(w.t, err)
	_, err = w.client.Strings().WaitImport(w.t.Context(), id)
	check(w.t, err)
}

// conflict has a German translation changed on both sides, and finds out.
func (w *world) conflict(project, key, ours, theirs string) {
	w.t.Helper()
	tree := filepath.Join(w.t.TempDir(), "tree")
	gittest.Git(w.t, w.repos[project], "worktree", "add", "-q", "--force", tree, "l10n")
	file := filepath.Join(tree, "locales/de/ui.json")
	data, err := os.ReadFile(file)
	check(w.t, err)
	var texts map[string]string
	check(w.t, json.Unmarshal(data, &texts))
	texts[key] = ours
	data, err = json.Marshal(texts)
	check(w.t, err)
	check(w.t, os.WriteFile(file, data, 0o644))
	gittest.Git(w.t, tree, "commit", "-q", "-a", "-m", "by a person")
	gittest.Git(w.t, w.repos[project], "worktree", "remove", "--force", tree)
	data, err = json.Marshal(map[string]string{key: theirs})
	check(w.t, err)
	w.translate(project, "de", "de.json", string(data))
	w.pull(project)
}

// withToken gives the page buttons.
func withToken(o *Options) { o.PageToken = pageToken }

// keys is a flat JSON file.
func keys(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ",\n  \"%s.key%03d\": \"Text number %d of %s\"", prefix, i, i, prefix)
	}
	return "{" + b.String()[1:] + "\n}\n"
}
