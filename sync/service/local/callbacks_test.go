package local

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

const (
	callbackProject = "0a0a0a0a-0000-4000-8000-00000000c001"
	receiverPath    = "/hooks/locsync"
)

// receiver is a program that notifications are sent to: it keeps what comes and answers what it is told to.
type receiver struct {
	mu     sync.Mutex
	status []int // of the next answers, one after the other; then 204
	got    []received
	came   chan struct{} // one slot
}

type received struct {
	at      time.Time
	address string
	header  http.Header
	body    string
}

func newReceiver(status ...int) *receiver {
	return &receiver{status: status, came: make(chan struct{}, 1)}
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	r.mu.Lock()
	r.got = append(r.got, received{time.Now(), q.Method + " " + q.URL.RequestURI(), q.Header, string(body)})
	status := http.StatusNoContent
	if len(r.status) > 0 {
		status, r.status = r.status[0], r.status[1:]
	}
	r.mu.Unlock()
	w.Header().Set("Location", "/elsewhere")
	w.WriteHeader(status)
	if status != http.StatusNoContent {
		io.WriteString(w, "no, \xff thank you")
	}
	select {
	case r.came <- struct{}{}:
	default:
	}
}

func (r *receiver) all() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// wait returns what came when it is n notifications.
func (r *receiver) wait(t *testing.T, n int) []received {
	t.Helper()
	for late := time.After(20 * time.Second); ; {
		if got := r.all(); len(got) >= n {
			return got
		}
		select {
		case <-r.came:
		case <-late:
			t.Fatalf("%d notifications came, want %d: %v", len(r.all()), n, r.all())
		}
	}
}

// piped carries requests to a handler by real HTTP over pipes, which a bubble of synctest can wait for.
func piped(t *testing.T, h http.Handler) http.RoundTripper {
	t.Helper()
	return &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			server := &http.Server{Handler: h}
			go server.Serve(&oneConn{there})
			return here, nil
		},
	}
}

// oneConn is a listener for one connection.
type oneConn struct{ net.Conn }

func (l *oneConn) Accept() (net.Conn, error) {
	if l.Conn == nil {
		return nil, net.ErrClosed
	}
	c := l.Conn
	l.Conn = nil
	return c, nil
}

func (l *oneConn) Close() error { return nil }

func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }

// tell is a change that says nothing but that it was one.
func tell(t *testing.T, s *Service, event string, ids ...string) {
	t.Helper()
	if err := s.store.Update(func(tx *store.Tx) error { return store.NotifyIn(tx, event, ids...) }); err != nil {
		t.Fatal(err)
	}
}

func (s *server) register(url string, headers string) {
	s.t.Helper()
	s.post(wire.PathCallback, fmt.Sprintf(`{"url":%q,"additionalHeaders":%s}`, url, headers)).want(s.t, 200, nil)
}

func (s *server) callbackErrors() (out []wire.CallbackError) {
	s.t.Helper()
	s.get(wire.PathCallbackLastErrors).want(s.t, 200, &out)
	return out
}

// A registration is what was registered last, until it is deleted.
func TestCallbackRegistration(t *testing.T) {
	s := serve(t, Options{})
	check(t, s.get(wire.PathCallback), 404, "")
	s.call("DELETE", wire.Prefix+wire.PathCallback, "", nil).want(t, 204, nil)
	for _, body := range []string{
		`{"url":"http://127.0.0.1:9/a","additionalHeaders":[{"name":"X-Secret","value":"s"}]}`,
		`{"url":"https://example.org/hooks?x=1","additionalHeaders":null}`,
		`{"url":"https://example.org/hooks"}`,
		`{"Url":"http://127.0.0.1:9/b","AdditionalHeaders":[{"Name":"Authorization","Value":"Bearer abc"},{"name":"X-Empty","value":""}]}`,
	} {
		s.post(wire.PathCallback, body).want(t, 200, nil)
		var got, want wire.Callback
		if err := json.Unmarshal([]byte(body), &want); err != nil {
			t.Fatal(err)
		}
		s.get(wire.PathCallback).want(t, 200, &got)
		if got.URL != want.URL || !slices.Equal(got.AdditionalHeaders, want.AdditionalHeaders) {
			t.Errorf("%s became %+v", body, got)
		}
	}
	for body, field := range map[string]string{
		`{}`:                        "url",
		`{"url":""}`:                "url",
		`{"url":null}`:              "url",
		`{"url":7}`:                 "url",
		`{"url":"example.org/x"}`:   "url",
		`{"url":"ftp://x.org/"}`:    "url",
		`{"url":"http:///path"}`:    "url",
		`{"url":"http://:80/path"}`: "url",
		`{"url":"http://a b/"}`:     "url",
		`[]`:                        "body",
		``:                          "body",
		`{"url":"http://h/","additionalHeaders":{}}`:                                         "additionalHeaders",
		`{"url":"http://h/","additionalHeaders":["X: y"]}`:                                   "additionalHeaders",
		`{"url":"http://h/","additionalHeaders":[{"value":"v"}]}`:                            "additionalHeaders",
		`{"url":"http://h/","additionalHeaders":[{"name":" ","value":"v"}]}`:                 "additionalHeaders",
		`{"url":"http://h/","additionalHeaders":[{"name":"X Y","value":"v"}]}`:               "additionalHeaders",
		`{"url":"http://h/","additionalHeaders":[{"name":"X"}]}`:                             "additionalHeaders",
		`{"url":"http://h/","additionalHeaders":[{"name":"X","value":null}]}`:                "additionalHeaders",
		`{"url":"http://h/","additionalHeaders":[{"name":"X","value":3}]}`:                   "additionalHeaders",
		`{"url":"http://h/","additionalHeaders":[{"name":"X","value":"a\r\nY: b"}]}`:         "additionalHeaders",
		`{"url":"http://h/","additionalHeaders":[{"name":"content-type","value":"text/x"}]}`: "additionalHeaders",
		`{"url":"http://h/","additionalHeaders":[{"name":"Host","value":"other"}]}`:          "additionalHeaders",
	} {
		check(t, s.post(wire.PathCallback, body), 400, field)
	}
	var kept wire.Callback
	s.get(wire.PathCallback).want(t, 200, &kept)
	if kept.URL != "http://127.0.0.1:9/b" {
		t.Errorf("a refused registration left %q", kept.URL)
	}
	s.call("DELETE", wire.Prefix+wire.PathCallback, "", nil).want(t, 204, nil)
	check(t, s.get(wire.PathCallback), 404, "")
}

// A service that has moved sends nothing: what became of it would not be stored, and it would be sent for ever. What it
// has can be read.
func TestNothingIsSentAfterAMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := newReceiver(500)
		s, err := Open(t.TempDir(), Options{Transport: piped(t, to)})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		q := &quick{s, ""}
		q.send(t, "POST", wire.PathCallback, "application/json", `{"url":"http://receiver/x"}`).want(t, 200, nil)
		q.send(t, "PUT", wire.PathStorageFile+"a.txt", "", "text").want(t, 201, nil)
		tell(t, s, wire.CallbackDocumentStatus, "d_1031")
		synctest.Wait()
		moved := httptest.NewRecorder()
		s.Commands().ServeHTTP(moved, httptest.NewRequest("POST", wire.CommandMove+"?to="+t.TempDir(), nil))
		if moved.Code != http.StatusOK {
			t.Fatal(moved.Code, moved.Body)
		}
		q.send(t, "GET", wire.PathStorageFile+"a.txt", "", "").want(t, 200, nil)
		time.Sleep(24 * time.Hour)
		if n := len(to.all()); n != 1 {
			t.Errorf("it was sent %d times", n)
		}
	})
}

// Every change of a project's status, and nothing else, is told to the registered address, in the form that the
// interface shows.
func TestProjectStatusIsNotified(t *testing.T) {
	to := newReceiver()
	h := httptest.NewServer(to)
	defer h.Close()
	s := serve(t, Options{})
	unheard := s.create("en", "de")
	s.post("/v1/project/complete?projectId="+unheard, "").want(t, 204, nil)
	s.register(h.URL+receiverPath+
		"/?token=1", `[{"name":"X-Secret","value":"open"},{"name":"X-Secret","value":"sesame"},{"name":"Authorization","value":"Bearer abc"}]`)
	p := s.create("en", "de")
	s.post("/v1/project/complete?projectId="+p, "").want(t, 204, nil)
	s.post("/v1/project/complete?projectId="+p, "").want(t, 204, nil) // changes nothing
	s.post("/v1/project/cancel?projectId="+p, "").want(t, 204, nil)
	check(t, s.post("/v1/project/complete?projectId="+p, ""), 409, "")
	s.post("/v1/project/restore?projectId="+p, "").want(t, 204, nil)
	got := to.wait(t, 3)
	for _, n := range got {
		if n.address != "POST "+receiverPath+"/project/status?token=1" || n.body != `["`+p+`"]` {
			t.Errorf("%s %s", n.address, n.body)
		}
		if n.header.Get("Content-Type") != "application/json" || n.header.Get("Authorization") != "Bearer abc" ||
			!slices.Equal(n.header["X-Secret"], []string{"open", "sesame"}) {
			t.Errorf("%v", n.header)
		}
	}
	if errors := s.callbackErrors(); len(got) != 3 || len(errors) != 0 {
		t.Errorf("%d notifications, errors %v", len(got), errors)
	}
}

// A receiver that is down gets a notification after the delay and eight times more, each time after twice as long; then
// it is given up. What went wrong can be read.
func TestResendSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := newReceiver(500, 404, 302, 503, 500, 500, 500, 500, 400, 204)
		s, err := Open(t.TempDir(), Options{Transport: piped(t, to)})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		q := &quick{s, ""}
		q.send(t, "POST", wire.PathCallback, "application/json", `{"url":"http://receiver/x"}`).want(t, 200, nil)
		began := time.Now()
		tell(t, s, wire.CallbackDocumentStatus, "d_1031", "e_1031")
		time.Sleep(24 * time.Hour)
		got := to.all()
		due := time.Duration(0)
		for i, n := range got {
			if at := n.at.Sub(began); at != due || n.body != `["d_1031","e_1031"]` ||
				n.address != "POST /x/document/status" {
				t.Errorf("attempt %d came after %v, want %v: %s %s", i, at, due, n.address, n.body)
			}
			due += firstAgain << i
		}
		if len(got) != 1+timesAgain {
			t.Errorf("%d attempts, want %d", len(got), 1+timesAgain)
		}
		var errors []wire.CallbackError
		q.send(t, "GET", wire.PathCallbackLastErrors, "", "").want(t, 200, &errors)
		if len(errors) != 1+timesAgain {
			t.Fatalf("%d errors", len(errors))
		}
		first, last := errors[len(errors)-1], errors[0]
		if first.Code != 500 || last.Code != 400 || first.Created >= last.Created ||
			first.URL != "http://receiver/x/document/status" ||
			!slices.Equal(first.SourceIDs, []string{"d_1031", "e_1031"}) || !strings.Contains(first.Reason, "500") ||
			first.Content != "no, \uFFFD thank you" {
			t.Errorf("%+v\n%+v", first, last)
		}
		q.send(t, "GET", wire.PathCallbackLastErrors+"?limit=2", "", "").want(t, 200, &errors)
		if len(errors) != 2 || errors[0].Created != last.Created {
			t.Errorf("%+v", errors)
		}
		for _, limit := range []string{"0", "101", "-1", "x", ""} {
			check(t, q.send(t, "GET", wire.PathCallbackLastErrors+"?limit="+limit, "", ""), 400, "limit")
		}
	})
}

// While one notification waits for its next attempt, others are delivered; what waits goes to the address that is
// registered then, or, when it was deleted, nowhere.
func TestCallbackChangesMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := newReceiver(500)
		s, err := Open(t.TempDir(), Options{Transport: piped(t, to)})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		q := &quick{s, ""}
		register := func(url string) {
			q.send(t, "POST", wire.PathCallback, "application/json", `{"url":"`+url+`"}`).want(t, 200, nil)
		}
		send := func(id string) {
			tell(t, s, wire.CallbackExportCompleted, id)
			time.Sleep(time.Second)
		}
		register("http://receiver/old")
		send("a")
		send("b")
		register("http://receiver/new")
		time.Sleep(time.Minute)
		var seen []string
		for _, n := range to.all() {
			seen = append(seen, n.address+n.body)
		}
		const tail = "/document/exportRequestCompleted"
		want := []string{"POST /old" + tail + `["a"]`, "POST /old" + tail + `["b"]`, "POST /new" + tail + `["a"]`}
		if !slices.Equal(seen, want) {
			t.Errorf("got  %v\nwant %v", seen, want)
		}
		to.mu.Lock()
		to.status = []int{500}
		to.mu.Unlock()
		send("c")
		q.send(t, "DELETE", wire.PathCallback, "", "").want(t, 204, nil)
		send("nobody hears this")
		register("http://receiver/later")
		time.Sleep(24 * time.Hour)
		if got := to.all(); len(got) != 4 {
			t.Errorf("%v", got)
		}
	})
}

// A receiver that takes a notification and never answers holds up neither the others nor the end of the service.
func TestReceiverThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		to := newReceiver()
		hangs := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if strings.Contains(string(body), "hangs") {
				select {
				case <-release:
				case <-r.Context().Done():
				}
				return
			}
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			to.ServeHTTP(w, r)
		})
		s, err := Open(t.TempDir(), Options{Transport: piped(t, hangs)})
		if err != nil {
			t.Fatal(err)
		}
		defer close(release)
		q := &quick{s, ""}
		q.send(t, "POST", wire.PathCallback, "application/json", `{"url":"http://receiver/"}`).want(t, 200, nil)
		for _, id := range []string{"hangs", "a"} {
			tell(t, s, wire.CallbackProjectStatus, id)
		}
		synctest.Wait()
		if got := to.all(); len(got) != 1 || got[0].body != `["a"]` {
			t.Errorf("%v", got)
		}
		time.Sleep(attemptTime + time.Second)
		var errors []wire.CallbackError
		q.send(t, "GET", wire.PathCallbackLastErrors, "", "").want(t, 200, &errors)
		if len(errors) != 1 || errors[0].Code != 0 || errors[0].Reason == "" {
			t.Errorf("%+v", errors)
		}
		time.Sleep(firstAgain) // it hangs again
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// Over real sockets: a receiver that refuses first; the service stops and starts in between; a notification that was
// promised arrives once.
func TestNotificationsSurviveARestart(t *testing.T) {
	to := newReceiver(503, 503)
	h := httptest.NewServer(to)
	defer h.Close()
	dir := t.TempDir()
	// The hour is never waited for: what waits when the service stops is due by the clock of the next one.
	s, err := Open(dir, Options{AccountID: testAccount, CallbackRetry: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.EnsureProject(callbackProject, "app", "en", []string{"de"}); err != nil {
		t.Fatal(err)
	}
	q := &quick{s, callbackProject}
	q.send(t, "POST", wire.PathCallback, "application/json", `{"url":"`+h.URL+receiverPath+`"}`).want(t, 200, nil)
	q.send(t, "POST", "/v1/project/complete?projectId="+callbackProject, "", "").want(t, 204, nil)
	to.wait(t, 1)
	// else the attempt is cut off, which is none
	for late := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		var errors []wire.CallbackError
		q.send(t, "GET", wire.PathCallbackLastErrors, "", "").want(t, 200, &errors)
		if len(errors) == 1 {
			break
		}
		if time.Now().After(late) {
			t.Fatalf("%+v", errors)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	later := func() time.Time { return time.Now().Add(2 * time.Hour) }
	again := serveIn(t, dir, Options{CallbackRetry: time.Millisecond, Now: later})
	got := to.wait(t, 3)
	for _, n := range got {
		if n.address != "POST "+receiverPath+wire.CallbackProjectStatus || n.body != `["`+callbackProject+`"]` {
			t.Errorf("%s %s", n.address, n.body)
		}
	}
	again.post("/v1/project/cancel?projectId="+callbackProject, "").want(t, 204, nil)
	if got = to.wait(t, 4); len(got) != 4 {
		t.Errorf("%d notifications, want 4", len(got))
	}
	if errors := again.callbackErrors(); len(errors) != 2 || errors[0].Code != 503 {
		t.Errorf("%+v", errors)
	}
}

// A registration, what waits for it and what went wrong are the account's own: another account of the folder neither
// sees nor sends any of it.
func TestCallbacksOfAnotherAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		to := newReceiver(500)
		as := func(account string) (s *Service, q *quick) {
			s, err := Open(dir, Options{AccountID: account, Transport: piped(t, to)})
			if err != nil {
				t.Fatal(err)
			}
			return s, &quick{s, ""}
		}
		shut := func(s *Service) {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		mine, q := as("mine")
		q.send(t, "POST", wire.PathCallback, "application/json", `{"url":"http://receiver/mine"}`).want(t, 200, nil)
		tell(t, mine, wire.CallbackProjectStatus, "a")
		time.Sleep(time.Second)
		shut(mine)

		yours, q := as("yours")
		check(t, q.send(t, "GET", wire.PathCallback, "", ""), 404, "")
		if a := q.send(t, "GET", wire.PathCallbackLastErrors, "", ""); string(a.body) != "[]" {
			t.Errorf("%s", a.body)
		}
		q.send(t, "DELETE", wire.PathCallback, "", "").want(t, 204, nil)
		tell(t, yours, wire.CallbackProjectStatus, "b")
		time.Sleep(24 * time.Hour)
		shut(yours)
		if got := to.all(); len(got) != 1 {
			t.Errorf("%v", got)
		}

		mine, _ = as("mine")
		time.Sleep(time.Second)
		shut(mine)
		if got := to.all(); len(got) != 2 || got[1].address != "POST /mine/project/status" || got[1].body != `["a"]` {
			t.Errorf("%v", got)
		}
	})
}

// Of many errors the last hundred are kept.
func TestCallbackErrorsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
		s, err := Open(t.TempDir(), Options{Transport: piped(t, down)})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		s.store.SetDurable(false)
		q := &quick{s, ""}
		q.send(t, "POST", wire.PathCallback, "application/json", `{"url":"http://receiver/"}`).want(t, 200, nil)
		for i := range 20 {
			tell(t, s, wire.CallbackProjectStatus, fmt.Sprint(i))
		}
		time.Sleep(24 * time.Hour)
		var errors []wire.CallbackError
		q.send(t, "GET", wire.PathCallbackLastErrors, "", "").want(t, 200, &errors)
		if len(errors) != wire.MaxCallbackErrors {
			t.Errorf("%d errors", len(errors))
		}
	})
}
