package local

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

// direct runs an import without a listener.
func (s *server) direct(project, q string, files ...file) wire.ImportResult {
	s.t.Helper()
	send := func(method, path, contentType string, body []byte) reply {
		r := httptest.NewRequest(method, wire.Prefix+path, bytes.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		a, err := ask(s.s, r)
		if err != nil {
			s.t.Fatal(err)
		}
		return a
	}
	contentType, body := multipartOf(s.t, files...)
	var id string
	send("POST", "/v2/project/"+project+"/import"+q, contentType, body).want(s.t, 200, &id)
	for range 5000 {
		var r wire.ImportResult
		send("GET", "/v1/project/import-result/"+id, "", nil).want(s.t, 200, &r)
		if r.Status.Ended() {
			return r
		}
		time.Sleep(time.Millisecond)
	}
	s.t.Fatal("the import did not end")
	return wire.ImportResult{}
}

// A fault is refused before the effect, or cuts the connection after it.
func TestFaults(t *testing.T) {
	var next atomic.Pointer[Fault]
	next.Store(&Fault{})
	s := serve(t, Options{Faults: func(r *http.Request) Fault {
		if r.Method == "POST" {
			return *next.Swap(&Fault{})
		}
		return Fault{}
	}})
	p := s.create("en", "de")
	count := func() int { return len(flat(t, s.one(p, "?languages=en"))) }

	next.Store(&Fault{Refuse: 503, RetryAfter: "2"})
	a := s.startImport(p, "?language=en", file{"a.json", `{"a":"A"}`})
	check(t, a, 503, "")
	if a.header.Get("Retry-After") != "2" || count() != 0 {
		t.Errorf("%v, %d keys", a.header, count())
	}

	next.Store(&Fault{Drop: true})
	contentType, body := multipartOf(t, file{"a.json", `{"a":"A"}`})
	r, _ := http.NewRequest("POST", s.url+wire.Prefix+"/v2/project/"+p+"/import?language=en", bytes.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	r.SetBasicAuth(s.account, s.key)
	if a, err := http.DefaultTransport.RoundTrip(r); err == nil {
		t.Errorf("an answer: %s", a.Status)
	}
	for deadline := time.Now().Add(5 * time.Second); count() != 1; {
		if time.Now().After(deadline) {
			t.Fatal("the effect did not come")
		}
	}

	next.Store(&Fault{Drop: true})
	r = httptest.NewRequest("POST", wire.Prefix+"/v1/project/create", strings.NewReader(""))
	r.SetBasicAuth(s.account, s.key)
	if _, err := ask(s.s, r); !errors.Is(err, errCut) {
		t.Errorf("%v", err)
	}

	next.Store(&Fault{Delay: 50 * time.Millisecond})
	began := time.Now()
	s.startImport(p, "?language=en", file{"a.json", `{"a":"A"}`}).want(t, 200, nil)
	if time.Since(began) < 50*time.Millisecond {
		t.Error("no delay")
	}
}
