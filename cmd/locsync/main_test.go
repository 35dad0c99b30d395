package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/locsync/locsync/gitops/forge/forgetest"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/daemon"
	"github.com/locsync/locsync/sync/service"
)

// TestMain lets more tests run at a time than there are processors: they wait for daemons more than they compute.
// -parallel on the command line wins.
func TestMain(m *testing.M) {
	programs["locsync"] = func() {
		if step := os.Getenv(testHangsAfter); step != "" {
			var err error
			if daemon.HangsAfter, err = time.ParseDuration(step); err != nil {
				panic(err)
			}
		}
		exitWith(func() int {
			defer notePeak(os.Getenv(testPeakFile))
			return Main()
		})
	}
	if os.Getenv("LOCSYNC_PATIENCE") == "" {
		// programs of tests learn at once that a service is down
		if err := os.Setenv("LOCSYNC_PATIENCE", "0s"); err != nil {
			panic(err)
		}
	}
	testscript.Main(tests{m}, programs)
}

// tests are run at once; programs of this test's program are not.
type tests struct{ *testing.M }

func (t tests) Run() int { return gittest.AtOnce(t.M) }

// programs are what this test's program can be besides, under these names.
var programs = map[string]func(){}

// testHangsAfter is the environment variable that makes a daemon of a test less patient with itself.
const testHangsAfter = "TEST_HANGS_AFTER"

// testPeakFile is the environment variable with the file that a program of a test writes its peak memory to.
const testPeakFile = "TEST_PEAK_FILE"

// notePeak writes the line of /proc that has this process's peak memory. The operating system's own accounting of an
// ended process counts the memory of its parent, too.
func notePeak(file string) {
	if file == "" {
		return
	}
	status, err := os.ReadFile("/proc/self/status")
	if err == nil {
		err = os.WriteFile(file, status, 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		panic(err)
	}
}

// scripts are all of them. With -short, which is for the race detector, they are those that run something beside them.
// Without LOCSYNC_ALL_TESTS there is one of the same story in each format, and none of those that take longest.
func scripts(t *testing.T) (files []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil || len(all) < 20 {
		t.Fatalf("%d scripts, %v", len(all), err)
	}
	for _, file := range all {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		whole := gittest.All() && gittest.Drawn("LOCSYNC_ALL_TESTS")
		again := strings.HasPrefix(name, "loop_") && name != "loop_json.txtar" && (testing.Short() || !whole)
		long := !whole && !testing.Short() && slices.Contains(longScripts, strings.TrimSuffix(name, ".txtar"))
		if !again && !long && (!testing.Short() || besideIt.Match(text) && gittest.Drawn("LOCSYNC_WORLDS")) {
			files = append(files, file)
		}
	}
	return files
}

// longScripts call some fifty operations each, or wait.
var longScripts = []string{"assets", "baseline", "bringing", "clone", "codes", "collide", "documents", "hook",
	"http_remote", "journey_operator", "journey_team", "json", "kill", "many", "operations", "project", "rotate", "trial", "typos", "wrong"}

// besideIt is a command of a script that goes on beside it.
var besideIt = regexp.MustCompile(`(?m)&\w*&?$`)

// TestScripts are stories of the whole program: what is typed, what is seen, the files beside it. The commands that the
// scripts have besides testscript's own are in the map below.
func TestScripts(t *testing.T) {
	gittest.Need(t)
	testscript.Run(t, testscript.Params{
		Files: scripts(t),
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("LOCSYNC_BUDGET_DIR", filepath.Join(env.WorkDir, ".run"))
			env.Setenv("LOCSYNC_PATIENCE", "0s")
			env.Setenv("LOCSYNC_API_KEY", "secret")
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			b, err := newBrowser()
			if err != nil {
				return err
			}
			env.Values[browserOf{}] = b
			env.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(env.WorkDir, ".gitconfig"))
			return os.WriteFile(filepath.Join(env.WorkDir, ".gitconfig"),
				[]byte("[user]\n\tname = Dev\n\temail = dev@localhost\n[init]\n\tdefaultBranch = main\n[core]\n\tautocrlf = false\n"), 0o600)
		},
		Condition: func(cond string) (bool, error) {
			if cond == "corpus" {
				_, err := os.Stat(filepath.Join(corpusDir(), "MANIFEST.tsv"))
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"freeport":   freeport,
			"until":      until,
			"corpus":     corpus,
			"replace":    replace,
			"recorder":   recorder,
			"newproject": newProject,
			"translate":  translateAt,
			"httpgit":    httpGit,
			"times":      times,
			"fetch":      fetch,
			"die":        die,
			"configure":  configure,
			"exits":      exits,
			"keep":       keep,
			"example":    example,
			"forge":      forge,
			"remarks":    remarks,
			"submit":     submit,
		},
		RequireUniqueNames: true,
	})
}

func usageOf(ts *testscript.TestScript, neg bool, args []string, n int, usage string) {
	if neg || len(args) < n {
		ts.Fatalf("usage: %s", usage)
	}
}

// freeport VAR sets VAR to an unused port.
func freeport(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, neg, args, 1, "freeport VAR")
	port, err := unusedPort()
	ts.Check(err)
	ts.Setenv(args[0], strconv.Itoa(port))
}

// handedOut counts the ports that unusedPort has tried.
var handedOut atomic.Int64

// unusedPort is a port without a listener, which no other caller gets: ports are tried one by one, each
// process's tests from another one, below those of which the kernel gives any to connections and to who does not mind
// which.
func unusedPort() (int, error) {
	for range 1000 {
		port := 10_000 + (53*os.Getpid()+int(handedOut.Add(1)))%20_000
		if l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("no port is free")
}

// guard is how long a test waits for something that has to happen, however slow the machine is today. What must not
// take long has bounds of its own.
const guard = time.Minute

// until PATTERN PROGRAM ARGS... runs a program until its output matches, for as long as a test waits (guard).
func until(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, neg, args, 2, "until PATTERN PROGRAM ARGS...")
	want := regexp.MustCompile("(?m)" + args[0])
	program := args[1]
	if program == "locsync" {
		exe, err := exec.LookPath("locsync")
		ts.Check(err)
		program = exe
	}
	var out []byte
	for end := time.Now().Add(guard); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		cmd := exec.Command(program, args[2:]...)
		cmd.Dir = ts.MkAbs(".")
		cmd.Env = scriptEnv(ts)
		out, _ = cmd.CombinedOutput() // a failure is one more output that does not match
		if want.Match(out) {
			return
		}
	}
	ts.Fatalf("%q never matched; the last output was\n%s", args[0], out)
}

func scriptEnv(ts *testscript.TestScript) []string {
	env := os.Environ()
	for _, name := range []string{"HOME", "LOCSYNC_BUDGET_DIR", "LOCSYNC_API_KEY", "GIT_CONFIG_NOSYSTEM",
		"GIT_CONFIG_GLOBAL", "PATH"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}

func corpusDir() string {
	if dir := os.Getenv("LOCSYNC_CORPUS"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "shared", "corpus")
}

// corpus FILE DEST copies a real resource file.
func corpus(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, neg, args, 2, "corpus FILE DEST")
	data, err := os.ReadFile(filepath.Join(corpusDir(), filepath.FromSlash(args[0])))
	ts.Check(err)
	dest := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(filepath.Dir(dest), 0o755))
	ts.Check(os.WriteFile(dest, data, 0o644))
}

// replace OLD NEW FILE replaces the only occurrence of a text. It is written like an editor writes: beside, and renamed
// over.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, neg, args, 3, "replace OLD NEW FILE")
	file := ts.MkAbs(args[2])
	data, err := os.ReadFile(file)
	ts.Check(err)
	if n := bytes.Count(data, []byte(args[0])); n != 1 {
		ts.Fatalf("%s holds %q %d times", args[2], args[0], n)
	}
	temp := file + "~"
	ts.Check(os.WriteFile(temp, bytes.Replace(data, []byte(args[0]), []byte(args[1]), 1), 0o644))
	ts.Check(os.Rename(temp, file))
}

// times N PATTERN FILE checks how many lines of a file match; a missing file has none.
func times(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, neg, args, 3, "times N PATTERN FILE")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	data, err := os.ReadFile(ts.MkAbs(args[2]))
	if err != nil && !os.IsNotExist(err) {
		ts.Check(err)
	}
	pattern := regexp.MustCompile(args[1])
	n := 0
	var seen strings.Builder
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if pattern.MatchString(line) {
			n++
		}
		fmt.Fprintln(&seen, line[:min(len(line), 400)])
	}
	if n != want {
		ts.Fatalf("%d lines of %s match %q, want %d:\n%s", n, args[2], args[1], want, seen.String())
	}
}

// fetch STATUS METHOD URL [HEADER...] makes a request and checks the status; the body becomes the file `answer`.
func fetch(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, neg, args, 3, "fetch STATUS METHOD URL [HEADER...]")
	req, err := http.NewRequest(args[1], args[2], nil)
	ts.Check(err)
	for _, h := range args[3:] {
		name, value, _ := strings.Cut(h, ":")
		req.Header.Set(name, strings.TrimSpace(value))
	}
	resp, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("answer"), body, 0o644))
	if strconv.Itoa(resp.StatusCode) != args[0] {
		ts.Fatalf("%s %s answered %s, want %s:\n%s", args[1], args[2], resp.Status, args[0], body)
	}
}

// recorder VAR TARGET LOG passes requests on to the service at TARGET and writes a line for each into LOG: method,
// path, query, and for an import the text of its files. VAR gets its address.
//
// While there is a file `hold` in the folder where this was called whose text, a regular expression, matches that line,
// the answer is held back after the service has done what was asked; while there is a file `hold-before`, the request
// does not reach the service.
func recorder(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, neg, args, 3, "recorder VAR TARGET LOG")
	target, err := url.Parse(args[1])
	ts.Check(err)
	file, err := os.Create(ts.MkAbs(args[2]))
	ts.Check(err)
	var mu sync.Mutex
	hold, before := ts.MkAbs("hold"), ts.MkAbs("hold-before") // the script may change its folder meanwhile
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		line := fmt.Sprintf("%s %s?%s %q", r.Method, r.URL.Path, r.URL.RawQuery,
			filesOf(r.Header.Get("Content-Type"), body))
		mu.Lock()
		fmt.Fprintln(file, line)
		mu.Unlock()
		held(r.Context(), before, line)
		answer := httptest.NewRecorder()
		proxy.ServeHTTP(answer, r.WithContext(context.WithoutCancel(r.Context())))
		held(r.Context(), hold, line)
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()) // the caller was killed when this fails
	}))
	ts.Defer(func() {
		server.Close()
		file.Close()
	})
	ts.Setenv(args[0], server.URL)
}

// held waits while the file is there and fits the line, and somebody waits for the answer.
func held(ctx context.Context, file, line string) {
	for ctx.Err() == nil {
		pattern, err := os.ReadFile(file)
		if err != nil || !regexp.MustCompile(strings.TrimSpace(string(pattern))).MatchString(line) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// filesOf is the text of a multipart body's files.
func filesOf(contentType string, body []byte) string {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil || params["boundary"] == "" {
		return ""
	}
	var all strings.Builder
	reader := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	for {
		part, err := reader.NextPart()
		if err != nil {
			return all.String()
		}
		fmt.Fprintf(&all, "[%s %s %s]", part.FormName(), part.FileName(), part.Header.Get("Content-Type"))
		_, _ = io.Copy(&all, part) // cut bodies show as what arrived
	}
}

func scriptClient(ts *testscript.TestScript, address string) *service.Client {
	c, err := service.New(service.Options{BaseURL: address, AccountID: "acc", APIKey: "secret"})
	ts.Check(err)
	ts.Defer(c.Close)
	return c
}

// newproject VAR URL SOURCE TARGETS makes a software localization project and puts its identifier into VAR. It waits
// for the service to be up.
func newProject(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, neg, args, 4, "newproject VAR URL SOURCE TARGETS")
	c := scriptClient(ts, args[1])
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	for {
		if _, err := c.Ping(ctx); err == nil {
			break
		} else if ctx.Err() != nil {
			ts.Fatalf("the service is not up: %v", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	p, err := c.Projects().Create(ctx, service.NewProject{Name: "story", SourceLanguage: args[2],
		TargetLanguages: strings.Split(args[3], ",")})
	ts.Check(err)
	ts.Setenv(args[0], p.ID)
}

// translate URL PROJECT LANGUAGE FORMAT STATE FILE is a translator: an import of a file's translations, waited for.
func translateAt(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, neg, args, 6, "translate URL PROJECT LANGUAGE FORMAT STATE FILE [COLLECTION]")
	data, err := os.ReadFile(ts.MkAbs(args[5]))
	ts.Check(err)
	collection := "main"
	if len(args) > 6 {
		collection = args[6]
	}
	c := scriptClient(ts, args[0])
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	id, err := c.Strings().StartImport(ctx, service.ImportRequest{Project: args[1], Collection: collection,
		Language: args[2], Format: service.Format(args[3]),
		CompletionState: service.CompletionState(args[4]),
		Files:           []service.Upload{{Name: filepath.Base(args[5]), Body: data}}})
	ts.Check(err)
	res, err := c.Strings().WaitImport(ctx, id)
	ts.Check(err)
	if len(res.Failed) > 0 || res.WithoutSource > 0 {
		ts.Fatalf("the translation was not taken: %+v", res)
	}
}

// httpgit VAR DIR serves a bare repository over http with a password, and puts the address before its name, password
// included, into VAR.
func httpGit(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, neg, args, 2, "httpgit VAR DIR")
	handler, err := gittest.Handler(ts.MkAbs(args[1]), gittest.Options{User: "bot", Password: "hunter2"})
	ts.Check(err)
	server := httptest.NewServer(handler)
	ts.Defer(server.Close)
	u, err := url.Parse(server.URL)
	ts.Check(err)
	u.User = url.UserPassword("bot", "hunter2")
	ts.Setenv(args[0], u.String())
}

// die FILE kills the process whose number is in FILE, without a warning, and waits until it is gone.
func die(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, neg, args, 1, "die PIDFILE")
	data, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	pid, err := strconv.Atoi(regexp.MustCompile(`\d+`).FindString(string(data)))
	ts.Check(err)
	p, err := os.FindProcess(pid)
	ts.Check(err)
	ts.Check(p.Kill())
	for end := time.Now().Add(guard); p.Signal(syscall.Signal(0)) == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("process %d does not die", pid)
		}
	}
}

// configure TEMPLATE DEST writes a configuration with the script's variables filled in.
func configure(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, neg, args, 2, "configure TEMPLATE DEST")
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
}

// keep VAR PATTERN sets VAR to what the group of the pattern matches in the output of the last program.
func keep(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, neg, args, 2, "keep VAR PATTERN")
	found := regexp.MustCompile("(?m)" + args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) != 2 {
		ts.Fatalf("%q did not match", args[1])
	}
	ts.Setenv(args[0], found[1])
}

// example DEST copies the example configuration.
func example(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, neg, args, 1, "example DEST")
	data, err := os.ReadFile(filepath.Join("..", "..", "config.example.toml"))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o644))
}

// exits CODE PROGRAM ARGS... runs a program that must end with this exit code; its output is for stdout and stderr.
// With --json the output is one document.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, neg, args, 2, "exits CODE PROGRAM ARGS...")
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
	if slices.Contains(args[2:], "--json") {
		oneDocument(ts, code, args[2:])
	}
}

// oneDocument fails where standard output is not one document that begins with the schema, and says why a command
// failed.
func oneDocument(ts *testscript.TestScript, code int, args []string) {
	out := ts.ReadFile("stdout")
	ts.Check(fitsSchema(args, out))
	var doc struct {
		Schema    int
		Error     string
		ErrorCode string `json:"error_code"`
		Code      *int   // of doctor, whose findings say what is wrong
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		ts.Fatalf("standard output is not one JSON document: %v", err)
	}
	if !strings.HasPrefix(out, "{\n  \"schema\": 1") {
		ts.Fatalf("the document does not begin with its schema")
	}
	codes := []string{"auth", "unreachable", "refused", "busy", "config", "internal"}
	misfit := strings.Contains(out, `"configuration": true`)
	switch failed := code == report.ExitLater || code == report.ExitWrong; {
	case failed && !misfit && doc.Code == nil && (doc.Error == "" || !slices.Contains(codes, doc.ErrorCode)):
		ts.Fatalf("exit code %d, and the document has error %q, error_code %q", code, doc.Error, doc.ErrorCode)
	case !failed && doc.Error+doc.ErrorCode != "":
		ts.Fatalf("exit code %d, and the document has error %q, error_code %q", code, doc.Error, doc.ErrorCode)
	}
}

// forgeOf are the servers of git hosts that scripts have, by address.
var forgeOf sync.Map

// forge KIND VAR starts a git host with one request, number 1, and sets VAR to its address.
func forge(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, neg, args, 2, "forge KIND VAR")
	s := forgetest.New(args[0])
	s.Add(forgetest.Request{Head: "work", Base: "main"})
	forgeOf.Store(s.URL(), s)
	ts.Defer(s.Close)
	ts.Setenv(args[1], s.URL())
}

// remarks URL FILE writes what was said at the git host's request: comments and statuses.
func remarks(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, neg, args, 2, "remarks URL FILE")
	found, is := forgeOf.Load(args[0])
	if !is {
		ts.Fatalf("no git host is at %s", args[0])
	}
	var said strings.Builder
	for _, c := range found.(*forgetest.Server).Comments(1) {
		fmt.Fprintf(&said, "COMMENT by %s\n%s\n", c.Author, c.Body)
	}
	for _, s := range found.(*forgetest.Server).Statuses() {
		fmt.Fprintf(&said, "STATUS %s of %s is %s: %s\n", s.Name, s.Of, s.State, s.Title)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(said.String()), 0o600))
}
