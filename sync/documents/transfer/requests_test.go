package transfer

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
	"github.com/locsync/locsync/sync/service/wire"
)

// counted is the embedded service over HTTP, whose requests are counted.
type counted struct {
	t       *testing.T
	server  *httptest.Server
	project string
	state   string

	mu       sync.Mutex
	requests []string
	lacks    string // a path that it does not have
	busy     int    // so many answers say that documents are still being taken apart
}

func serve(t *testing.T) *counted {
	s, err := local.Open(t.TempDir(), local.Options{AccountID: "account", Keys: []string{"a-key-for-tests"}})
	if err != nil {
		t.Fatal(err)
	}
	c := &counted{t: t, state: filepath.Join(t.TempDir(), "fetched.json")}
	c.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.requests = append(c.requests, r.Method+" "+strings.TrimPrefix(r.URL.Path, wire.Prefix))
		if c.lacks != "" && strings.HasSuffix(r.URL.Path, c.lacks) {
			http.NotFound(w, r)
			return
		}
		recorded := httptest.NewRecorder()
		s.ServeHTTP(recorded, r)
		body := recorded.Body.Bytes()
		if c.busy > 0 && bytes.Contains(body, []byte(`"documentDisassemblingStatus":"success"`)) {
			c.busy--
			body = bytes.ReplaceAll(body, []byte(`"documentDisassemblingStatus":"success"`),
				[]byte(`"documentDisassemblingStatus":"inProgress"`))
		}
		for name, values := range recorded.Header() {
			if name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(recorded.Code)
		_, _ = w.Write(body)
	}))
	t.Cleanup(func() {
		c.server.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	p, err := c.transfer().Client.Projects().Create(t.Context(), service.NewProject{Name: "guide", SourceLanguage: "en",
		TargetLanguages: []string{"de", "fr"}, Documents: true})
	if err != nil {
		t.Fatal(err)
	}
	c.project = p.ID
	t.Chdir(t.TempDir())
	return c
}

func (c *counted) transfer() Transfer {
	client, err := service.New(service.Options{BaseURL: c.server.URL, AccountID: "account", APIKey: "a-key-for-tests"})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(client.Close)
	return Transfer{Client: client, Project: c.project, Show: func(report.Doing) {}, State: c.state,
		Patient: func(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, func() {} }}
}

// took does something and checks how many requests it cost.
func (c *counted) took(most int, what string, do func() error) {
	c.t.Helper()
	c.requests = nil
	if err := do(); err != nil {
		c.t.Fatalf("%s: %v", what, err)
	}
	c.t.Logf("%s: %d requests", what, len(c.requests))
	if len(c.requests) > most {
		c.t.Errorf("%s: %d requests, not at most %d:\n%s", what, len(c.requests), most, strings.Join(c.requests, "\n"))
	}
}

// push sends all files and checks what became of each.
func (c *counted) push(most int, what, action string, names []string) {
	c.t.Helper()
	c.took(most, what, func() error {
		sent, err := c.transfer().Push(c.t.Context(), names, service.DocumentModel{})
		for _, one := range sent.Documents {
			if one.Action != action || one.Error != "" || len(one.IDs) != 2 {
				c.t.Errorf("%s: %+v", what, one)
			}
		}
		if err == nil && len(sent.Documents) != len(names) {
			c.t.Errorf("%s: %d documents", what, len(sent.Documents))
		}
		return err
	})
}

func (c *counted) pull(most int, what string, changed int, full bool) {
	c.t.Helper()
	c.took(most, what, func() error {
		got, err := c.transfer().Pull(c.t.Context(), Options{Output: "{LANGUAGE}/{PATH}",
			State: service.Draft, Full: full}, nil)
		n := 0
		for _, one := range got.Documents {
			if one.Error != "" {
				c.t.Errorf("%s: %+v", what, one)
			}
			if one.Changed {
				n++
			}
		}
		if n != changed {
			c.t.Errorf("%s: %d files written, not %d", what, n, changed)
		}
		return err
	})
}

func writeFiles(t *testing.T, n int, text string) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("docs/%d/guide.md", i))
		if err := os.MkdirAll(filepath.Dir(names[i]), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(names[i], fmt.Appendf(nil, "# Guide %d\n\n%s\n", i, text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// Ten files in two languages, all of one name in folders of their own.
func TestRequestsOfTenDocuments(t *testing.T) {
	c := serve(t)
	names := writeFiles(t, 10, "Open the door.")
	c.push(3, "push", "added", names)
	c.push(1, "the same again", "unchanged", names)
	names = writeFiles(t, 10, "Open the window.")
	c.push(12, "update", "updated", names)
	c.push(1, "the update again", "unchanged", names)
	c.pull(4, "pull", 20, false)
	c.pull(2, "unchanged pull", 0, false)
	c.pull(4, "full pull", 0, true)
	if err := os.WriteFile("de/docs/3/guide.md", []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.pull(4, "pull where one file was changed here", 1, false)
	text, err := os.ReadFile("fr/docs/7/guide.md")
	if err != nil || !strings.Contains(string(text), "Guide 7") {
		t.Errorf("fr/docs/7/guide.md: %q, %v", text, err)
	}
	c.state = ""
	names = writeFiles(t, 3, "Paint it.")
	c.push(5, "update of three", "updated", names)
	c.push(1, "all again", "unchanged", []string{names[0], names[2], "docs/5/guide.md", "docs/9/guide.md"})
}

func TestRequestsOfManyDocuments(t *testing.T) {
	c := serve(t)
	names := writeFiles(t, 45, "Open the door.")
	c.push(1+3, "push", "added", names)
	c.pull(1+2*3+3, "pull", 90, false)
	c.pull(1, "unchanged pull", 0, false)
	c.push(1+45+5, "update", "updated", writeFiles(t, 45, "Close it."))
	c.push(1, "the update again", "unchanged", names)
}

// A service that takes documents apart later is asked for all of them together.
func TestSharedPolls(t *testing.T) {
	c := serve(t)
	c.busy = 2
	c.push(5, "push", "added", writeFiles(t, 4, "Open the door."))
	if want := "GET /v1/project/" + c.project; c.requests[len(c.requests)-1] != want {
		t.Errorf("the last request is %s, not %s", c.requests[len(c.requests)-1], want)
	}
	c.busy = 3 // the first look, before anything is replaced, too
	c.push(1+1+1+4+1+1, "update", "updated", writeFiles(t, 4, "Close the door."))
}

// A service that has only the update of the service interface gets one for each language.
func TestUpdateWithoutTheNewerOne(t *testing.T) {
	c := serve(t)
	c.push(3, "push", "added", writeFiles(t, 2, "Open the door."))
	c.lacks = wire.PathDocumentUpdateV2
	names := writeFiles(t, 2, "Close the door.")
	c.push(1+1+4+1, "update", "updated", names)
	c.push(1, "the update again", "unchanged", names)
	if slices.Contains(c.requests, "PUT "+wire.PathDocumentUpdate) {
		t.Error("an unchanged document was updated")
	}
}
