package service_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/documents"
	"github.com/locsync/locsync/sync/service/memories"
	"github.com/locsync/locsync/sync/service/wire"
)

// The loop of a document project: a file goes in, its XLIFF comes out, goes to somebody and comes back translated, the
// translation comes out in the file's own form, is in the memory, and survives a new version of the file. The
// notifications tell of each step.
func TestEmbeddedDocuments(t *testing.T) {
	t.Parallel()
	told := make(chan string, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var ids []string
		if err := json.NewDecoder(r.Body).Decode(&ids); err != nil || r.Header.Get("X-Secret") != "s" {
			t.Errorf("%s: %v, headers %v", r.URL, err, r.Header)
		}
		told <- strings.TrimPrefix(r.URL.Path, "/callback") + " " + strings.Join(ids, ",")
	}))
	defer receiver.Close()
	c := client(t, service.Options{BaseURL: embedded(t, 0, none)})
	ctx := t.Context()
	if err := c.Callbacks().Set(ctx, service.Callback{URL: receiver.URL + "/callback/",
		AdditionalHeaders: []wire.CallbackHeader{{Name: "X-Secret", Value: "s"}}}); err != nil {
		t.Fatal(err)
	}
	memory, err := memories.Of(c).Create(ctx, "main", "en", []string{"de"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Projects().Create(ctx, service.NewProject{
		Name: "handbook", SourceLanguage: "en", TargetLanguages: []string{"de"}, Documents: true, ProjectTasks: true,
		Pretranslate: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := memories.Of(c).Attach(ctx, p.ID, []memories.ProjectMemory{
		{ID: memory, MatchThreshold: 75, IsWritable: true}}); err != nil {
		t.Fatal(err)
	}
	const original = "# Guide\n\nOpen the door. Close the window.\n"
	added, err := documents.Of(c).Add(ctx, p.ID, []service.NewDocument{
		{File: content("guide.md", original), Model: service.DocumentModel{ExternalID: "docs/guide.md"}}})
	if err != nil || len(added) != 1 {
		t.Fatal(added, err)
	}
	doc, err := disassembled(ctx, c, p.ID, added[0].ID)
	if err != nil || doc.ExternalID != "docs/guide.md" || doc.TargetLanguage != "de" || doc.WordsCount != 7 {
		t.Fatalf("%+v, %v", doc, err)
	}
	export := func(typ documents.ExportType, mode documents.ExportMode) string {
		t.Helper()
		jobs, err := documents.Of(c).StartExport(ctx, documents.ExportRequest{Documents: []string{doc.ID}, Type: typ,
			Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		a, err := documents.Of(c).Download(ctx, jobs[0].ID, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		b, err := a.Entries[0].ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if got := export(wire.ExportSource, ""); got != original {
		t.Errorf("the source came back as %q", got)
	}

	xliff := export(wire.ExportXLIFF, "")
	for source, target := range map[string]string{"Guide": "Handbuch", "Open the door.": "Öffne die Tür.",
		"Close the window.": "Schließe das Fenster."} {
		unit := regexp.MustCompile(`(?s)(<source[^>]*>` + regexp.QuoteMeta(source) +
			`\s*</source>)\s*(?:<target[^>]*/>|<target[^>]*>.*?</target>)?`)
		if !unit.MatchString(xliff) {
			t.Fatalf("no unit of %q in %s", source, xliff)
		}
		xliff = unit.ReplaceAllString(xliff, "$1<target>"+target+"</target>")
	}
	if err := translate(ctx, c, wire.PathDocumentTranslateXLIFF, doc.ID, content("guide.xliff", xliff)); err != nil {
		t.Fatal(err)
	}
	await(t, told, wire.CallbackTranslationImport+" "+doc.ID)
	if got, want := export(wire.ExportTarget, wire.ExportComplete),
		"# Handbuch\n\nÖffne die Tür. Schließe das Fenster.\n"; got != want {
		t.Errorf("translated as %q, want %q", got, want)
	}
	var tmx strings.Builder
	if _, err := memories.Of(c).Export(ctx, memory, "", &tmx); err != nil ||
		!strings.Contains(tmx.String(), "Öffne die Tür.") {
		t.Errorf("%v; the memory holds %s", err, tmx.String())
	}

	if _, err := documents.Of(c).Update(ctx, doc.ID, content("guide.md",
		"# Guide\n\nOpen the door. Paint the wall. Close the window.\n"), documents.DocumentUpdateModel{}); err != nil {
		t.Fatal(err)
	}
	if _, err := disassembled(ctx, c, p.ID, doc.ID); err != nil {
		t.Fatal(err)
	}
	if got, want := export(wire.ExportTarget, wire.ExportCurrent),
		"# Handbuch\n\nÖffne die Tür. Paint the wall. Schließe das Fenster.\n"; got != want {
		t.Errorf("the new version is translated as %q, want %q", got, want)
	}
	s, err := documents.StatisticsOf(c).ByDocument(ctx, p.ID, false)
	if err != nil || len(s) != 1 || len(s[0].Documents) != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	if i := slices.IndexFunc(s[0].Statistics, func(r documents.StatisticsRow) bool {
		return r.Name == wire.StatisticsTotal
	}); i < 0 || s[0].Statistics[i].Words != 10 {
		t.Errorf("statistics %+v", s[0].Statistics)
	}
	if err := c.Projects().Complete(ctx, p.ID); err != nil {
		t.Fatal(err)
	}
	await(t, told, wire.CallbackProjectStatus+" "+p.ID)
	if err := documents.Of(c).Delete(ctx, doc.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := documents.Of(c).Read(ctx, doc.ID); !errors.Is(err, service.ErrNotFound) {
		t.Errorf("after deletion: %v", err)
	}
}

// await passes over notifications until one is the wanted one.
func await(t *testing.T, told <-chan string, want string) {
	t.Helper()
	end := time.After(10 * time.Second)
	for {
		select {
		case got := <-told:
			if got == want {
				return
			}
		case <-end:
			t.Fatalf("nothing told of %s", want)
		}
	}
}

// Several documents come as one archive, a workbook as what it is, and a file that cannot be taken apart is named.
func TestEmbeddedDocumentKinds(t *testing.T) {
	c := client(t, service.Options{BaseURL: embedded(t, 0, none)})
	ctx := t.Context()
	p, err := c.Projects().Create(ctx, service.NewProject{
		Name: "kinds", SourceLanguage: "en", TargetLanguages: []string{"de", "fr"}, Documents: true,
		Files: []service.NewDocument{{File: content("a.txt", "One.")},
			{File: content("b.html", "<html><p>Two.</p></html>")}},
	})
	if err != nil || len(p.Documents) != 4 {
		t.Fatalf("%+v, %v", p, err)
	}
	var ids []string
	for _, d := range p.Documents {
		ids = append(ids, d.ID)
	}
	jobs, err := documents.Of(c).StartExport(ctx, documents.ExportRequest{Documents: ids})
	if err != nil || len(jobs) != 1 {
		t.Fatal(jobs, err)
	}
	a, err := c.Strings().Download(ctx, jobs[0].ID, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var names []string
	for _, e := range a.Entries {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	if want := []string{"a(de).txt", "a(fr).txt", "b(de).html", "b(fr).html"}; !slices.Equal(names, want) {
		t.Errorf("entries %q, want %q", names, want)
	}
	if _, err := documents.Of(c).Add(ctx, p.ID, []service.NewDocument{{File: content("a.txt",
		"Again.")}}); !errors.Is(err,
		service.ErrRefused) {
		t.Errorf("the same name: %v", err)
	}
	if _, err := documents.Of(c).Add(ctx, p.ID, []service.NewDocument{{File: content("empty.txt",
		"")}}); !errors.Is(err,
		service.ErrRefused) {
		t.Errorf("an empty file: %v", err)
	}
	added, err := documents.Of(c).Add(ctx, p.ID, []service.NewDocument{{File: content("broken.json", "{")}})
	if err == nil {
		_, err = disassembled(ctx, c, p.ID, added[0].ID)
	}
	if !errors.Is(err, service.ErrDisassembly) && !errors.Is(err, service.ErrRefused) {
		t.Errorf("a broken file: %v", err)
	}
	if _, err := documents.Of(c).StartExport(ctx, documents.ExportRequest{Documents: ids[:1], Stage: 9,
		Mode: wire.ExportConfirmed}); !errors.Is(err, service.ErrRefused) {
		t.Errorf("stage 9: %v", err)
	}
	if _, err := documents.StorageOf(c).Download(ctx, "no/such.txt", io.Discard); !errors.Is(err, service.ErrNotFound) {
		t.Errorf("a file that is not stored: %v", err)
	}
}
