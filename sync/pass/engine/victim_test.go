package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
	"github.com/locsync/locsync/sync/text/bundle"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// A victim that cannot write down what it names ends, and is told from one that named nothing.
func TestKilledPassThatCannotReport(t *testing.T) {
	t.Parallel()
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	s := newScene(t, crashProject, map[string]string{"app/en.json": flat(map[string]string{"a": "A"}), "conf/en.yaml": "hello: Hello\n"})
	s.must(os.Symlink(full, s.path("reports")))
	cmd, out := s.start("sync")
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != victimSpeechless {
		t.Errorf("%v\n%s", err, out)
	}
}

// A victim is a process of its own that makes passes and may be killed at any moment: the test binary, started again. The service lives in
// the test, so that it outlives its victims.
const (
	victimPasses = "LOCSYNC_ENGINE_VICTIM" // push, pull, sync, ours, theirs, or daemon
	victimRoot   = "LOCSYNC_ENGINE_ROOT"
	victimDial   = "LOCSYNC_ENGINE_DIAL"
	victimAhead  = "LOCSYNC_ENGINE_AHEAD" // how far its clock is ahead; "" for not at all

	// victimURL is the service's address in a scene's configuration, whatever port the test serves it at: what is remembered belongs to an address.
	victimURL   = "http://service.test"
	victimAgent = "victim"
)

// victimSpeechless is the exit code of a victim that could not write all of its reports.
const victimSpeechless = 9

// victim is the life of such a process. What it reports it appends to the file "reports" of its scene, each pass at once.
func victim(passes string) int {
	root, dial := os.Getenv(victimRoot), os.Getenv(victimDial)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := victimLife(ctx, passes, root, dial); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// reportsFile is where a victim reports. Where it cannot, it ends at once: a test that reads an incomplete file would take
// a text that was named for one that was lost.
type reportsFile struct{ *os.File }

func (f reportsFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(victimSpeechless)
	}
	return n, nil
}

func victimLife(ctx context.Context, passes, root, dial string) error {
	cfg, err := config.Load(filepath.Join(root, "locsync.toml"))
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(root, "reports"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	reports := reportsFile{file}
	var store *boltledger.Store
	for try := 0; ; try++ { // one that was killed a moment ago may still be going
		var locked *boltledger.Locked
		if store, err = boltledger.Open(filepath.Join(root, "state")); !errors.As(err, &locked) || try == 50 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err != nil {
		return err
	}
	defer store.Close()
	if aside, why := store.Rebuilt(); why != nil {
		fmt.Fprintf(reports, "{\"rebuilt\": %q, \"why\": %q}\n", aside, why)
	}
	client, err := service.New(service.Options{BaseURL: victimURL, AccountID: "account", APIKey: worldKey, UserAgent: victimAgent + " " + filepath.Base(root),
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", dial)
		}}})
	if err != nil {
		return err
	}
	log := zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewDevelopmentEncoderConfig()), zapcore.AddSync(reports), zap.InfoLevel))
	ahead, _ := time.ParseDuration(os.Getenv(victimAhead))
	e := New(Parts{Config: cfg, Service: client, State: store, Log: log, Now: func() time.Time { return time.Now().Add(ahead) }})
	if passes == "daemon" {
		return e.Run(ctx)
	}
	var errs []error
	if passes != "pull" {
		r, err := e.Push(ctx, push.Options{Ours: passes == "ours", Theirs: passes == "theirs"})
		errs = append(errs, err, json.NewEncoder(reports).Encode(r))
	}
	if passes == "pull" || passes == "sync" {
		r, err := e.Pull(ctx, pull.Options{})
		errs = append(errs, err, json.NewEncoder(reports).Encode(r))
	}
	return errors.Join(errs...)
}

// scene is a repository with its remote, a service and a state in one folder, which can be copied as a whole:
//
//	repo, origin.git, service, state, locsync.toml, reports
type scene struct {
	tb     testing.TB
	root   string
	id     string
	svc    *local.Service
	server *httptest.Server
	relay  *relay
	client *service.Client // of people
	ahead  time.Duration   // of the clock of its victims
}

// sceneID is the project of every scene.
const sceneID = "99999999-2222-3333-4444-555555555555"

// newScene makes one with a first commit on main, which origin has.
func newScene(tb testing.TB, project string, files map[string]string) *scene {
	tb.Helper()
	gittest.Need(tb)
	s := &scene{tb: tb, root: tb.TempDir(), id: sceneID}
	s.must(os.Mkdir(s.repo(), 0o777))
	s.git("init", "-q", "--template=", ".")
	gittest.Commit(tb, s.repo(), "first", files)
	s.git("clone", "-q", "--bare", "--template=", ".", s.path("origin.git"))
	s.git("remote", "add", "origin", "../origin.git")
	s.git("fetch", "-q", "origin")
	text := fmt.Sprintf("[service]\nurl = %q\naccount_id = \"account\"\nallow_insecure = true\njob_timeout = \"10s\"\n[daemon]\nrescan = \"10s\"\n[[project]]\nname = \"app\"\nid = %q\nrepository = \"repo\"\n%s", victimURL, s.id, project)
	s.must(os.WriteFile(s.path("locsync.toml"), []byte(text), 0o600))
	s.open()
	return s
}

// open serves the scene.
func (s *scene) open(o ...func(*local.Options)) {
	s.tb.Helper()
	cfg, err := config.Load(s.path("locsync.toml"))
	s.must(err)
	options := local.Options{AccountID: "account", Keys: []string{worldKey}}
	for _, change := range o {
		change(&options)
	}
	s.svc, err = local.Open(s.path("service"), options)
	s.must(err)
	p := cfg.Projects[0]
	s.must(s.svc.EnsureProject(p.ID, p.Name, p.SourceLanguage, p.TargetLanguages))
	s.relay = &relay{to: s.svc}
	s.server = httptest.NewServer(s.relay)
	s.client, err = service.New(service.Options{BaseURL: s.server.URL, AccountID: "account", APIKey: worldKey})
	s.must(err)
	s.tb.Cleanup(s.close)
}

// close ends the service, so that the folder holds everything.
func (s *scene) close() {
	if s.svc == nil {
		return
	}
	s.client.Close()
	s.server.CloseClientConnections()
	s.server.Close()
	s.must(s.svc.Close())
	s.svc = nil
}

// copied is the same scene in another folder, served. The scene that is copied must be closed.
func (s *scene) copied(tb testing.TB) *scene {
	tb.Helper()
	c := &scene{tb: tb, root: tb.TempDir(), id: s.id}
	c.must(os.CopyFS(c.root, os.DirFS(s.root)))
	c.must(os.Chmod(c.path("locsync.toml"), 0o600))
	c.open()
	return c
}

func (s *scene) must(err error) {
	s.tb.Helper()
	if err != nil {
		s.tb.Fatal(err)
	}
}

func (s *scene) path(name string) string { return filepath.Join(s.root, name) }

func (s *scene) repo() string { return s.path("repo") }

func (s *scene) git(args ...string) string {
	s.tb.Helper()
	return gittest.Git(s.tb, s.repo(), args...)
}

// origin runs git in the remote repository.
func (s *scene) origin(args ...string) string {
	s.tb.Helper()
	return gittest.Git(s.tb, s.path("origin.git"), args...)
}

// start starts a victim.
func (s *scene) start(passes string) (*exec.Cmd, *bytes.Buffer) {
	s.tb.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = s.environ(passes)
	out := new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = out, out
	s.must(cmd.Start())
	return cmd, out
}

func (s *scene) environ(passes string) []string {
	return append(os.Environ(), victimPasses+"="+passes, victimRoot+"="+s.root, victimDial+"="+s.server.Listener.Addr().String(), victimAhead+"="+s.ahead.String())
}

// runs runs a victim to its own end, and checks that it did not fail.
func (s *scene) runs(passes string) {
	s.tb.Helper()
	cmd, out := s.start(passes)
	if err := cmd.Wait(); err != nil {
		s.tb.Fatalf("%s: %v\n%s", passes, err, out)
	}
}

// reports is all that victims said.
func (s *scene) reports() string {
	s.tb.Helper()
	b, err := os.ReadFile(s.path("reports"))
	if !errors.Is(err, os.ErrNotExist) {
		s.must(err)
	}
	return string(b)
}

// upload is an import by a person at the service.
func (s *scene) upload(collection, language, format string, completion service.CompletionState, body []byte) {
	s.tb.Helper()
	id, err := s.client.Strings().StartImport(s.tb.Context(), service.ImportRequest{Project: s.id, Collection: collection, Language: language, Format: service.Format(format),
		CompletionState: completion, Files: []service.Upload{{Name: "people", Body: body}}})
	s.must(err)
	res, err := s.client.Strings().WaitImport(s.tb.Context(), id)
	s.must(err)
	if len(res.Failed) > 0 {
		s.tb.Fatalf("the service did not take it: %+v", res)
	}
}

// holds is what the service has in a language in at least a state, in the spelling of a format: texts by key and form.
func (s *scene) holds(collection, language, format string, completion service.CompletionState) map[string]string {
	s.tb.Helper()
	id, err := s.client.Strings().StartExport(s.tb.Context(), service.ExportRequest{Project: s.id, Collection: collection, Languages: []string{language},
		Format: service.Format(format), CompletionState: completion, OutputTemplate: "{LANGUAGE}", Zip: true})
	s.must(err)
	archive, err := s.client.Strings().Download(s.tb.Context(), id, s.tb.TempDir())
	s.must(err)
	defer archive.Close()
	texts := map[string]string{}
	for _, e := range archive.Entries {
		body, err := e.ReadAll()
		s.must(err)
		for name, text := range textsIn(s.tb, format, body) {
			texts[name] = text
		}
	}
	return texts
}

// textsIn reads a resource file: texts by key, and where a key has several, by key and form joined by "#".
func textsIn(tb testing.TB, format string, body []byte) map[string]string {
	tb.Helper()
	texts := map[string]string{}
	if len(bytes.TrimSpace(body)) == 0 {
		return texts
	}
	f, _ := formats.Named(format)
	file, err := f.Parse(resource.Keys{}, body)
	if err != nil {
		tb.Fatalf("%v in\n%s", err, body)
	}
	for _, u := range bundle.Texts(file) {
		name := u.Key
		if u.Form != "" {
			name += "#" + u.Form
		}
		texts[name] = u.Text
	}
	return texts
}

// relay stands between victims and the service: it counts their requests and makes some of them go wrong, before or after their effect. People's
// requests go through untouched.
type relay struct {
	to http.Handler

	mu      sync.Mutex
	n       int
	imports []string // what imports held since set, in order of arrival
	all     []string // the same from the beginning
	decide  func(n int, r *http.Request, body []byte) fate
}

// fate is what becomes of a request.
type fate struct {
	before func() // called before it has any effect
	after  func() // called when it had its effect; its answer is not sent then
	refuse int    // a status that is answered without any effect
	header string // a Retry-After with it
	lost   bool   // it has its effect, and the connection is cut
	spoil  func(http.Header, []byte) []byte
	gate   *sync.RWMutex // held for reading until it has had its effect
}

func (l *relay) set(decide func(n int, r *http.Request, body []byte) fate) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n, l.imports, l.decide = 0, nil, decide
}

// seen is how many requests victims made since set, and what their imports held.
func (l *relay) seen() (n int, imports []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n, slices.Clone(l.imports)
}

// count is how many requests victims made since set.
func (l *relay) count() int {
	n, _ := l.seen()
	return n
}

func (l *relay) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.UserAgent(), victimAgent) {
		l.to.ServeHTTP(rw, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the victim died in the middle of it
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	l.mu.Lock()
	l.n++
	if isImport(r) {
		l.imports = append(l.imports, fmt.Sprint(r.URL.Query(), parts(r.Header.Get("Content-Type"), body)))
		l.all = append(l.all, l.imports[len(l.imports)-1])
	}
	var f fate
	if l.decide != nil {
		f = l.decide(l.n, r, body)
	}
	l.mu.Unlock()
	if f.before != nil {
		f.before()
		panic(http.ErrAbortHandler)
	}
	if f.refuse != 0 {
		if f.header != "" {
			rw.Header().Set("Retry-After", f.header)
		}
		http.Error(rw, "a fault on request", f.refuse)
		return
	}
	if f.after == nil && !f.lost && f.spoil == nil {
		l.to.ServeHTTP(rw, r)
		return
	}
	if f.gate != nil {
		f.gate.RLock()
		defer f.gate.RUnlock()
	}
	answer := httptest.NewRecorder()
	l.to.ServeHTTP(answer, r.WithContext(context.WithoutCancel(r.Context())))
	if f.after != nil {
		f.after()
	}
	if f.after != nil || f.lost {
		panic(http.ErrAbortHandler)
	}
	out := f.spoil(rw.Header(), answer.Body.Bytes())
	for k, v := range answer.Header() {
		if k != "Content-Length" {
			rw.Header()[k] = v
		}
	}
	rw.WriteHeader(answer.Code)
	_, _ = rw.Write(out)
}

// stateName is the project's name in the state.
func (s *scene) stateName() string {
	s.tb.Helper()
	cfg, err := config.Load(s.path("locsync.toml"))
	s.must(err)
	return New(Parts{Config: cfg, Log: zap.NewNop()}).projects[0].branch.StateName()
}
