package service_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
	"github.com/locsync/locsync/sync/service/wire"
)

const key = "embedded-key"

// embedded serves the embedded service over HTTP, with the faults that next names.
func embedded(t *testing.T, perSecond float64, next func(*http.Request) local.Fault) (address string) {
	t.Helper()
	s, err := local.Open(t.TempDir(), local.Options{AccountID: "account", Keys: []string{key}, RateLimit: perSecond,
		Faults: next})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return server.URL
}

func client(t *testing.T, o service.Options) *service.Client {
	t.Helper()
	o.AccountID = "account"
	if o.APIKey == "" {
		o.APIKey = key
	}
	c, err := service.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func none(*http.Request) local.Fault { return local.Fault{} }

func newProject(t *testing.T, c *service.Client, targets ...string) string {
	t.Helper()
	p, err := c.Projects().Create(t.Context(), service.NewProject{Name: t.Name(), SourceLanguage: "en",
		TargetLanguages: targets})
	if err != nil {
		t.Fatal(err)
	}
	return p.ID
}

func imported(t *testing.T, c *service.Client, r service.ImportRequest) service.ImportResult {
	t.Helper()
	id, err := c.Strings().StartImport(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	result, err := c.Strings().WaitImport(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func jsonFile(project, language, content string) service.ImportRequest {
	return service.ImportRequest{
		Project: project, Language: language, Format: wire.FormatJSON, CompletionState: service.Final,
		Files: []service.Upload{{Name: "app.json", Body: []byte(content)}},
	}
}

// The loop of a localization project: keys go in, a translation goes in, both come out.
func TestEmbeddedLoop(t *testing.T) {
	t.Parallel()
	c := client(t, service.Options{BaseURL: embedded(t, 0, none)})
	ctx := t.Context()
	if a, err := c.Ping(ctx); err != nil || a.ID != "account" {
		t.Fatal(a, err)
	}
	languages, err := c.Languages(ctx)
	if err != nil || !slices.ContainsFunc(languages, func(l service.Language) bool { return l.ID == "pt-BR" }) {
		t.Fatalf("%d languages, %v", len(languages), err)
	}
	project := newProject(t, c, "de")
	if r := imported(t, c, jsonFile(project, "en", `{"hello":"Hello","bye":"Bye"}`)); r.Created != 2 ||
		len(r.Failed) > 0 {
		t.Errorf("source: %+v", r)
	}
	if err := c.Projects().AddTargets(ctx, project, []string{"pt-BR"}); err != nil {
		t.Error(err)
	}
	if r := imported(t, c, jsonFile(project, "de", `{"hello":"Hallo"}`)); r.Updated != 1 {
		t.Errorf("translation: %+v", r)
	}
	broken := jsonFile(project, "en", `{"new":"New"}`)
	broken.Files = append(broken.Files, service.Upload{Name: "broken.json", Body: []byte("{")})
	if r := imported(t, c, broken); r.Created != 1 || len(r.Failed) != 1 || r.Failed[0].File != "broken.json" ||
		r.Failed[0].Reason == "" {
		t.Errorf("one file broken: %+v", r)
	}
	conflict := jsonFile(project, "de", `{"hello":"Guten Tag"}`)
	conflict.Conflicts = service.Report
	if r := imported(t, c, conflict); len(r.Conflicts["hello"]) == 0 {
		t.Errorf("conflict: %+v", r)
	}
	nothing := jsonFile(project, "en", `{`)
	id, err := c.Strings().StartImport(ctx, nothing)
	if err != nil {
		t.Fatal(err)
	}
	var failed *service.ImportFailed
	if _, err := c.Strings().WaitImport(ctx, id); !errors.As(err, &failed) ||
		!strings.Contains(err.Error(), "app.json") {
		t.Errorf("only a broken file: %v", err)
	}

	job, err := c.Strings().StartExport(ctx, service.ExportRequest{
		Project: project, Languages: []string{"de"}, Format: wire.FormatJSON, OutputTemplate: "locales/{LANGUAGE}/app.json",
		Zip: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Strings().Download(ctx, job, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if len(a.Entries) != 1 || len(a.Refused) > 0 || a.Raw || a.Entries[0].Name != "locales/de/app.json" {
		t.Fatalf("archive %+v", a)
	}
	if b, err := a.Entries[0].ReadAll(); err != nil || !strings.Contains(string(b), `"Hallo"`) ||
		strings.Contains(string(b), "bye") {
		t.Errorf("content %s, %v", b, err)
	}
	single, err := c.Strings().StartExport(ctx, service.ExportRequest{Project: project, Languages: []string{"de"},
		Format: wire.FormatJSON})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := c.Strings().Download(ctx, single, t.TempDir())
	if err != nil || !raw.Raw || len(raw.Entries) != 1 || raw.Entries[0].Name != "strings-de.json" {
		t.Fatalf("single file: %+v, %v", raw, err)
	}
	defer raw.Close()
}

func TestEmbeddedProjects(t *testing.T) {
	address := embedded(t, 0, none)
	c := client(t, service.Options{BaseURL: address})
	ctx := t.Context()
	project := newProject(t, c, "de")
	name, deadline := "renamed", "2027-01-01T00:00:00Z"
	if err := c.Projects().Update(ctx, project, service.ProjectChange{Deadline: &deadline}); err != nil {
		t.Fatal(err)
	}
	if err := c.Projects().Update(ctx, project, service.ProjectChange{Name: &name}); err != nil {
		t.Fatal(err)
	}
	p, err := c.Projects().Read(ctx, project)
	if err != nil || p.Name != name || !strings.HasPrefix(p.Deadline, "2027-01-01") {
		t.Errorf("%+v, %v", p, err)
	}
	if all, err := c.Projects().List(ctx, service.ProjectFilter{Name: "renam"}); err != nil || len(all) != 1 ||
		all[0].ID != project {
		t.Errorf("%+v, %v", all, err)
	}
	if err := c.Projects().Delete(ctx, project); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Projects().Read(ctx, project); !errors.Is(err, service.ErrNotFound) {
		t.Errorf("after deletion: %v", err)
	}
	if _, err := c.Strings().StartImport(ctx, jsonFile(project, "en", "{}")); !errors.Is(err, service.ErrAuth) {
		t.Errorf("import after deletion: %v", err)
	}
	if _, err := c.Projects().Read(ctx, "no-uuid"); !errors.Is(err, service.ErrRefused) {
		t.Errorf("malformed id: %v", err)
	}
	if _, err := client(t, service.Options{BaseURL: address, APIKey: "wrong-key"}).Ping(ctx); !errors.Is(err,
		service.ErrAuth) {
		t.Errorf("wrong key: %v", err)
	}
}

// Effect done and answer lost: the client tells the doubt, and sending the same again changes nothing.
func TestEmbeddedLostImport(t *testing.T) {
	var drop atomic.Bool
	c := client(t, service.Options{BaseURL: embedded(t, 0, func(r *http.Request) local.Fault {
		return local.Fault{Drop: strings.HasSuffix(r.URL.Path, "/import") && drop.Swap(false)}
	})})
	project := newProject(t, c, "de")
	drop.Store(true)
	if _, err := c.Strings().StartImport(t.Context(), jsonFile(project, "en", `{"a":"A"}`)); !errors.Is(err,
		service.ErrUnknownOutcome) {
		t.Fatalf("error %v", err)
	}
	if r := imported(t, c, jsonFile(project, "en", `{"a":"A"}`)); r.Created != 0 || r.NotChanged != 1 {
		t.Errorf("the same again: %+v", r)
	}
}

// The service's own limiter, four in any second, finds nothing to complain about.
func TestEmbeddedNeverLimits(t *testing.T) {
	gittest.Long(t)
	if testing.Short() {
		t.Skip("takes three seconds")
	}
	t.Parallel()
	var answers atomic.Int32
	c := client(t, service.Options{BaseURL: embedded(t, 4, none), RequestsPerSecond: 4,
		OnRequest: func(r service.Request) {
			if answers.Add(1); r.Status != http.StatusOK {
				t.Errorf("%s: %d", r.Operation, r.Status)
			}
		}})
	end := time.Now().Add(3 * time.Second)
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for time.Now().Before(end) {
				if _, err := c.Ping(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := answers.Load(); n < 8 {
		t.Errorf("%d requests in three seconds", n)
	}
}
