package local

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/service/local/page"
	"github.com/locsync/locsync/sync/service/wire"
)

const crashDir = "LOCAL_SERVICE_TEST_DIR"

// TestMain turns the test binary into a service when a test started it as one.
func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		serveUntilKilled(dir)
	}
	os.Exit(gittest.AtOnce(m))
}

func serveUntilKilled(dir string) {
	s, err := Open(dir, Options{AccountID: testAccount, Keys: []string{testKey}, CallbackRetry: 100 * time.Millisecond})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("http://" + l.Addr().String())
	go func() { // the test ended, however it did
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	s.Page().SetAddress("http://" + l.Addr().String())
	all := http.NewServeMux()
	all.Handle("/", s.Commands())
	all.Handle(page.Path, s.Page())
	fmt.Fprintln(os.Stderr, http.Serve(l, all))
	os.Exit(1)
}

// child starts a service as a process of its own.
func child(t *testing.T, dir string) (s *server, kill func()) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), crashDir+"="+dir)
	c.Stderr = os.Stderr
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	kill = func() {
		once.Do(func() {
			c.Process.Kill()
			stdin.Close()
			c.Wait()
		})
	}
	t.Cleanup(kill)
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return &server{t: t, url: strings.TrimSpace(url), dir: dir, account: testAccount,
		key: testKey, pid: c.Process.Pid}, kill
}

// kills numbers the rounds that end with a kill: so many, and more where the machine is so slow that not enough was
// accepted in those for anything to be tested.
func kills(rounds int, enough func() bool) iter.Seq[int] {
	return func(yield func(int) bool) {
		for round := 0; round < rounds || round < 10*rounds && !enough(); round++ {
			if !yield(round) {
				return
			}
		}
	}
}

// What was accepted is carried out, once, however often the process is killed in between: imports and exports in
// flight, at any moment.
func TestKilledAtAnyMoment(t *testing.T) {
	gittest.Long(t)
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	dir := t.TempDir()
	s, kill := child(t, dir)
	p := s.create("en", "de")
	s.completed(p, "?language=en&collection=exported", file{"a.json", `{"a":"A"}`})

	var mu sync.Mutex
	accepted := map[string]int{} // import -> how many keys
	keys := map[string]bool{}    // of accepted imports
	var exports []string
	serial := 0
	for round := range kills(rounds, func() bool { return len(accepted) > 0 && len(exports) > 0 }) {
		stop := time.Now().Add(time.Duration(1+round/rounds) * time.Duration(20+rand.IntN(250)) * time.Millisecond)
		var callers sync.WaitGroup
		for range 3 {
			callers.Go(func() {
				for time.Now().Before(stop) {
					mu.Lock()
					serial++
					n, size := serial, []int{1, 40, 3*keysAtOnce - 1}[serial%3]
					mu.Unlock()
					m := map[string]string{}
					for i := range size {
						m[fmt.Sprintf("%d/%d", n, i)] = fmt.Sprint("Text ", i)
					}
					body, _ := json.Marshal(m)
					contentType, form := multipartOf(t, file{"a.json", string(body)})
					var id string
					if post(s, "/v2/project/"+p+"/import?language=en", contentType, form, &id) {
						mu.Lock()
						accepted[id] = size
						for k := range m {
							keys[k] = true
						}
						mu.Unlock()
					}
					if post(s, "/v2/project/"+p+"/export?languages=en&collections=exported", "", nil, &id) {
						mu.Lock()
						exports = append(exports, id)
						mu.Unlock()
					}
				}
			})
		}
		time.Sleep(time.Until(stop.Add(-10 * time.Millisecond)))
		kill()
		callers.Wait()
		s, kill = child(t, dir)
	}
	if len(accepted) == 0 || len(exports) == 0 {
		t.Fatalf("%d imports, %d exports were accepted: nothing was tested", len(accepted), len(exports))
	}
	created := 0
	for id, n := range accepted {
		r := s.result(id)
		if r.Status != wire.Completed || r.KeysCreated != n || r.KeyValuesNotChanged != 0 {
			t.Errorf("an import of %d keys: %+v", n, r)
		}
		created += r.KeysCreated
	}
	have := flat(t, s.one(p, "?languages=en"))
	for k := range keys {
		if have[k] == "" {
			t.Errorf("key %s is lost", k)
		}
	}
	for _, id := range exports {
		a := s.downloaded(id)
		if a.status != 200 {
			t.Errorf("export: %d %s", a.status, a.body)
		}
		sameJSON(t, string(a.body), `{"a":"A"}`)
	}
	t.Logf("%d kills; %d imports with %d keys and %d exports were accepted", rounds,
		len(accepted), created, len(exports))
}

// What was accepted stays over kills: files of the storage, terms of a glossary, and notifications, which come at least
// once.
func TestKilledWhileStoringAndNotifying(t *testing.T) {
	dir := t.TempDir()
	to := newReceiver()
	var up sync.RWMutex // held while the receiver is down
	up.Lock()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up.TryRLock() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		defer up.RUnlock()
		to.ServeHTTP(w, r)
	}))
	defer h.Close()
	s, kill := child(t, dir)
	s.register(h.URL, "null")
	glossary := s.defaultGlossary().ID
	var mu sync.Mutex
	projects, stored, terms := map[string]bool{}, map[string]string{}, map[string]string{}
	const rounds = 3
	for round := range kills(rounds, func() bool { return len(projects) > 0 && len(stored) > 0 && len(terms) > 0 }) {
		stop := time.Now().Add(time.Duration(1+round/rounds) * time.Duration(20+rand.IntN(200)) * time.Millisecond)
		var callers sync.WaitGroup
		for caller := range 2 {
			callers.Go(func() {
				for n := 0; time.Now().Before(stop); n++ {
					name := fmt.Sprintf("%d-%d-%d", round, caller, n)
					var p wire.Project
					model := `{"name":"n","sourceLanguage":"en","targetLanguages":["de"],"assignToVendor":false}`
					if try(s, "POST", wire.PathProjectCreate, "application/json", []byte(model), &p) &&
						try(s, "POST", "/v1/project/complete?projectId="+p.ID, "", nil, nil) {
						mu.Lock()
						projects[p.ID] = true
						mu.Unlock()
					}
					if try(s, "PUT", wire.PathStorageFile+name, "", []byte(name), nil) {
						mu.Lock()
						stored[name] = name
						mu.Unlock()
					}
					contentType, form := multipartOf(t, file{"a.csv", "en\n" + name + "\n"})
					var task string
					if try(s, "POST", wire.PathGlossaryImport+"?glossaryId="+glossary, contentType, form, &task) {
						mu.Lock()
						terms[name] = task
						mu.Unlock()
					}
				}
			})
		}
		time.Sleep(time.Until(stop.Add(-10 * time.Millisecond)))
		kill()
		callers.Wait()
		s, kill = child(t, dir)
	}
	up.Unlock()
	if len(projects) == 0 || len(stored) == 0 || len(terms) == 0 {
		t.Fatalf("%d status changes, %d files, %d imports were accepted: nothing was tested", len(projects),
			len(stored),
			len(terms))
	}
	for name, content := range stored {
		if a := s.stored(name); string(a.body) != content {
			t.Errorf("%s: %d %q", name, a.status, a.body)
		}
	}
	have := map[string]int{}
	for _, task := range terms {
		for late := time.Now().Add(20 * time.Second); time.Now().Before(late); time.Sleep(2 * time.Millisecond) {
			var state wire.TaskState
			if s.get("/v1/glossary/importTaskState/"+task).want(t, 200, &state); state.Ended() {
				break
			}
		}
	}
	for _, row := range cells(t, s.exportGlossary(glossary).body) {
		have[row[0]]++
	}
	for name := range terms {
		if have[name] != 1 {
			t.Errorf("the term %s is there %d times", name, have[name])
		}
	}
	told := map[string]bool{}
	for late := time.Now().Add(20 * time.Second); len(told) < len(projects) &&
		time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
		for _, n := range to.all() {
			if id := strings.Trim(n.body, `[]"`); projects[id] {
				told[id] = true
			}
		}
	}
	if len(told) != len(projects) {
		t.Errorf("%d of %d status changes were told", len(told), len(projects))
	}
	t.Logf("%d status changes, %d files and %d imports were accepted", len(projects), len(stored), len(terms))
}

// post starts a job, as far as the process lives, and says whether it was accepted.
func post(s *server, path, contentType string, body []byte, id *string) bool {
	return try(s, "POST", path, contentType, body, id)
}

// try makes a call that may fail because the process was killed, and says whether it was accepted.
func try(s *server, method, path, contentType string, body []byte, out any) bool {
	r, err := http.NewRequest(method, s.url+wire.Prefix+path, bytes.NewReader(body))
	if err != nil {
		return false
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	r.SetBasicAuth(s.account, s.key)
	a, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return false
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	return err == nil && a.StatusCode/100 == 2 && (out == nil || json.Unmarshal(b, out) == nil)
}

// A service that is closed in the middle of a long import goes on with it when it is opened again.
func TestClosedInTheMiddle(t *testing.T) {
	dir := t.TempDir()
	const p = "0a0a0a0a-0000-4000-8000-00000000000c"
	const size = 3*keysAtOnce + 1
	var body bytes.Buffer
	for i := range size {
		fmt.Fprintf(&body, "%s\"k%d\":\"v\"", map[bool]string{true: "{", false: ","}[i == 0], i)
	}
	body.WriteString("}")
	id := ""
	for round := 0; ; round++ {
		s, err := Open(dir, Options{AccountID: testAccount})
		if err != nil {
			t.Fatal(err)
		}
		if id == "" {
			if err := s.EnsureProject(p, "app", "en", []string{"de"}); err != nil {
				t.Fatal(err)
			}
			contentType, form := multipartOf(t, file{"a.json", body.String()})
			r := httptest.NewRequest("POST", wire.Prefix+"/v2/project/"+p+"/import?language=en&delete-missing-keys",
				bytes.NewReader(form))
			r.Header.Set("Content-Type", contentType)
			a, err := ask(s, r)
			if err != nil {
				t.Fatal(err)
			}
			a.want(t, 200, &id)
		}
		time.Sleep(time.Duration(round*50) * time.Millisecond)
		j, err := s.jobs.Find(id, "import")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if j.Status == wire.Completed {
			if j.Import.Result.KeysCreated != size || j.Import.Result.KeyValuesNotChanged != 0 {
				t.Errorf("%+v", j.Import.Result)
			}
			t.Logf("done after %d closings", round)
			return
		}
		if round > 200 {
			t.Fatal("the import never ends")
		}
	}
}
