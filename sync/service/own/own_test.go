package own_test

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
	"github.com/locsync/locsync/sync/service/own"
	"github.com/locsync/locsync/sync/service/wire"
)

const project = "3f0c1b52-6f0e-4d8a-9a55-0a1b2c3d4e5f"

// served is a service of ours that may hide what it is, and what was asked of it.
type served struct {
	*testing.T
	*service.Client
	hides, lacks bool // what a proxy takes out: the header; the calls
	asked        []string
	bodies       []int64
}

func serve(t *testing.T) *served {
	s := &served{T: t}
	svc, err := local.Open(t.TempDir(), local.Options{AccountID: "acc", Keys: []string{"key"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := svc.EnsureProject(project, "app", "en", []string{"de"}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/locsync/") {
			s.asked = append(s.asked, r.Method+" "+r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
			s.bodies = append(s.bodies, r.ContentLength)
			if s.lacks {
				http.NotFound(w, r)
				return
			}
		}
		answer := httptest.NewRecorder()
		svc.ServeHTTP(answer, r)
		for name, values := range answer.Header() {
			if name != wire.HeaderOwn || !s.hides {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	}))
	s.Client, err = service.New(service.Options{BaseURL: server.URL, AccountID: "acc", APIKey: "key"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Client.Close()
		server.Close()
		if err := svc.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// exports makes the call that says what there is.
func (s *served) exports() {
	s.Helper()
	_, err := s.Strings().StartExport(s.Context(), service.ExportRequest{Project: project, Languages: []string{"de"},
		OutputTemplate: "{LANGUAGE}.json"})
	if err != nil {
		s.Fatal(err)
	}
}

// asks makes all three calls, and returns those that reached the service.
func (s *served) asks() []string {
	s.Helper()
	s.asked = nil
	keys := wire.KeysOf{Collection: "main", Language: "de", Keys: []string{"a"}}
	questions, err := own.Questions(s.Context(), s.Client, project)
	if err != nil || len(questions) > 0 {
		s.Errorf("questions: %v, %v", questions, err)
	}
	names, err := own.Writers(s.Context(), s.Client, project, []wire.KeysOf{keys})
	if err != nil || len(names) > 0 {
		s.Errorf("writers: %v, %v", names, err)
	}
	if s.Own() {
		done, err := own.Archive(s.Context(), s.Client, project, keys)
		if err != nil || done == s.lacks {
			s.Errorf("archived %v, %v", done, err)
		}
	}
	return s.asked
}

// A service that does not say that it is ours is not asked for anything of ours. One that does is asked for what it
// says that it has, and fails nothing where it does not know a call.
func TestOnlyOurServiceIsAsked(t *testing.T) {
	s := serve(t)
	same := func(want ...string) {
		t.Helper()
		if got := s.asks(); !slices.Equal(got, want) {
			t.Errorf("asked %q, want %q", got, want)
		}
	}
	same()
	if _, err := s.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	same("GET questions", "POST writers", "POST archive") // what it has is not known yet
	s.exports()
	same("POST archive") // no person is there
	s.lacks = true
	same("POST archive")
	s.hides = true
	s.exports() // an older version is in its place, or another service
	same()
}

// Another account's project is refused as all is that belongs to one.
func TestRights(t *testing.T) {
	s := serve(t)
	s.exports()
	const other = "11111111-2222-3333-4444-555555555555"
	keys := wire.KeysOf{Collection: "main", Language: "de", Keys: []string{"a"}}
	_, err := own.Questions(t.Context(), s.Client, other)
	_, werr := own.Writers(t.Context(), s.Client, other, []wire.KeysOf{keys})
	_, aerr := own.Archive(t.Context(), s.Client, other, keys)
	for _, err := range []error{err, werr, aerr} {
		var e *service.Error
		if e, _ = err.(*service.Error); e == nil || !e.Is(service.ErrAuth) {
			t.Errorf("it is %v", err)
		}
	}
}

// However many keys there are, no body is larger than the service takes, and each key is in one.
func TestBodiesAreBounded(t *testing.T) {
	s := serve(t)
	s.exports()
	r := rand.New(rand.NewPCG(1, 2))
	var of []wire.KeysOf
	for range 20 {
		k := wire.KeysOf{Collection: "main"}
		for n := range r.IntN(200) {
			k.Keys = append(k.Keys, strings.Repeat("\x01", r.IntN(1000))+strconv.Itoa(n))
		}
		of = append(of, k)
	}
	if _, err := own.Archive(t.Context(), s.Client, project, of...); err != nil {
		t.Fatal(err)
	}
	if most := slices.Max(s.bodies); most > 4<<20 || len(s.bodies) < 2 {
		t.Errorf("%d bodies, the largest has %d bytes", len(s.bodies), most)
	}
	var sent, given []string
	for _, body := range own.Requests(of) {
		for _, k := range body {
			sent = append(sent, k.Keys...)
		}
	}
	for _, k := range of {
		given = append(given, k.Keys...)
	}
	if !slices.Equal(sent, given) {
		t.Errorf("%d keys are sent of %d", len(sent), len(given))
	}
}
