package local

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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

	"github.com/locsync/locsync/sync/service/wire"
)

const crashDir = "LOCAL_SERVICE_TEST_DIR"

// TestMain turns the test binary into a service when a test started it as one.
func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		serveUntilKilled(dir)
	}
	os.Exit(m.Run())
}

func serveUntilKilled(dir string) {
	s, err := Open(dir, Options{AccountID: testAccount, Keys: []string{testKey}})
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
	fmt.Fprintln(os.Stderr, http.Serve(l, s))
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
	return &server{t: t, url: strings.TrimSpace(url), dir: dir, account: testAccount, key: testKey}, kill
}

// What was accepted is carried out, once, however often the process is killed in between: imports and exports in flight, at any moment.
func TestKilledAtAnyMoment(t *testing.T) {
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
	for range rounds {
		stop := time.Now().Add(time.Duration(20+rand.IntN(250)) * time.Millisecond)
		var callers sync.WaitGroup
		for range 3 {
			callers.Go(func() {
				for time.Now().Before(stop) {
					mu.Lock()
					serial++
					n, size := serial, []int{1, 40, 3*importBatch - 1}[serial%3]
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
	t.Logf("%d kills; %d imports with %d keys and %d exports were accepted", rounds, len(accepted), created, len(exports))
}

// post makes a call that may fail because the process was killed, and says whether it was accepted.
func post(s *server, path, contentType string, body []byte, id *string) bool {
	r, err := http.NewRequest("POST", s.url+wire.Prefix+path, bytes.NewReader(body))
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
	return err == nil && a.StatusCode == 200 && json.Unmarshal(b, id) == nil
}

// A service that is closed in the middle of a long import goes on with it when it is opened again.
func TestClosedInTheMiddle(t *testing.T) {
	dir := t.TempDir()
	const p = "0a0a0a0a-0000-4000-8000-00000000000c"
	const size = 3*importBatch + 1
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
			r := httptest.NewRequest("POST", wire.Prefix+"/v2/project/"+p+"/import?language=en&delete-missing-keys", bytes.NewReader(form))
			r.Header.Set("Content-Type", contentType)
			a, err := ask(s, r)
			if err != nil {
				t.Fatal(err)
			}
			a.want(t, 200, &id)
		}
		time.Sleep(time.Duration(round*50) * time.Millisecond)
		j, err := s.find(id, "import")
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
