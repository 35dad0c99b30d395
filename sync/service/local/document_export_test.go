package local

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

// export runs a document export to its end.
func (s *server) exportDocuments(q string, ids ...string) reply {
	s.t.Helper()
	var x wire.DocumentExport
	s.post("/v1/document/export?documentIds="+strings.Join(ids, "&documentIds=")+q, "").want(s.t, 200, &x)
	return s.downloaded(x.ID)
}

// A stage is asked for by its number; a mode or none says how far a translation must be.
func TestExportStages(t *testing.T) {
	s := serve(t, Options{})
	p := s.createWith(map[string]any{"name": "docs", "sourceLanguage": "en", "targetLanguages": []string{"de"},
		"assignToVendor": false, "workflowStages": []string{"translation", "editing"}})
	unit := func(id, state, text string) string {
		return `<trans-unit id="` + id + `"><source>S` + id + `</source><target state="` + state + `">` + text +
			`</target></trans-unit>`
	}
	src := `<xliff version="1.2"><file target-language="de"><body>` +
		unit("1", "new", "T1") + unit("2", "translated", "T2") + unit("3", "final", "T3") + `</body></file></xliff>`
	id := s.added(p, "", file{"a.xlf", src})[0].ID
	var text string
	for i := range 3 {
		text += fmt.Sprintf("S%d,", i+1)
	}
	for q, want := range map[string]string{"": "T1 T2 T3", "&mode=current": "T1 T2 T3",
		"&mode=Current&stageNumber=2": "T1 T2 T3", "&stageNumber=1": "T2 T3", "&stageNumber=2": "T3",
		"&mode=confirmed": "T2 T3", "&mode=complete": "T3"} {
		rows := strings.Split(strings.TrimSpace(string(s.exportDocuments("&type=multilangCsv"+q, id).body)), "\n")
		var have []string
		for _, row := range rows[1:] {
			if cell := row[strings.LastIndex(row, ",")+1:]; cell != "" {
				have = append(have, cell)
			}
		}
		if got := strings.Join(have, " "); got != want {
			t.Errorf("%q: %q, want %q", q, got, want)
		}
	}
	if d := s.document(id); d.WorkflowStages[0].Progress != 66.66 || d.WorkflowStages[1].Progress != 33.33 {
		t.Errorf("%+v", d.WorkflowStages)
	}
}

// Two documents, or one in two languages, are an archive whose entries say which is which; the same document twice is
// one.
func TestExportArchive(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de", "pt-BR")
	docs := s.added(p, "", file{"d/a.txt", "One."}, file{"b.md", "# Two"})
	s.translated(docs[0].ID, "", file{"a.txt", "Eins."})
	a := s.exportDocuments("", docs[0].ID, docs[1].ID, docs[2].ID, docs[0].ID)
	if got, want := fmt.Sprint(unpack(t, a.body)), fmt.Sprint(map[string]string{"d/a(de).txt": "Eins.",
		"d/a(pt-BR).txt": "One.", "b(de).md": "# Two"}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := unpack(t, s.exportDocuments("&type=source", docs[0].ID, docs[1].ID, docs[2].ID).body); len(got) != 2 ||
		got["d/a.txt"] != "One." {
		t.Errorf("%v", got)
	}
	if got := unpack(t, s.exportDocuments("&type=source", docs[0].ID, docs[1].ID).body); len(got) != 1 ||
		got["d/a.txt"] != "One." {
		t.Errorf("the source of two languages: %v", got)
	}
	if got := s.exportDocuments("&type=source", docs[0].ID, docs[0].ID); string(got.body) != "One." {
		t.Errorf("the same twice: %q", got.body)
	}
	one := s.exportDocuments("", docs[1].ID)
	if got := one.header.Get("Content-Disposition"); !strings.Contains(got, `filename="a(pt-BR).txt"; filename*=`) {
		t.Errorf("%q", got)
	}
}

// A download answers 204 until the work is done; the identifier is told in an object.
func TestExportPasses(t *testing.T) {
	s := serve(t, Options{JobDelay: 50 * time.Millisecond})
	p := s.documentsProject("de")
	d := s.added(p, "", file{"a.txt", "One."})[0]
	var x wire.DocumentExport
	s.post("/v1/document/export?documentIds="+d.ID, "").want(t, 200, &x)
	if x.ID == "" || !slices.Equal(x.DocumentIDs, []string{d.ID}) {
		t.Errorf("%+v", x)
	}
	if a := s.get("/v1/document/export/" + x.ID); a.status != http.StatusNoContent {
		t.Errorf("%d at once", a.status)
	}
	first := s.downloaded(x.ID)
	if again := s.get("/v1/document/export/" + x.ID); first.status != 200 || string(again.body) != "One." {
		t.Errorf("%d %s, again %s", first.status, first.body, again.body)
	}
	s.post("/v1/document/export?documentIds="+d.ID, "").want(t, 200, &x)
	s.call("DELETE", wire.Prefix+"/v1/document?documentIds="+d.ID, "", nil).want(t, 204, nil)
	check(t, s.downloaded(x.ID), 422, "")
}

// A job waits for a process that serves its account; one that serves another lets it lie.
func TestJobsOfOtherAccountsWait(t *testing.T) {
	dir := t.TempDir()
	var x wire.DocumentExport
	t.Run("one", func(t *testing.T) {
		s := serveIn(t, dir, Options{JobDelay: time.Hour})
		id := s.added(s.documentsProject("de"), "", file{"a.txt", "One."})[0].ID
		s.post("/v1/document/export?documentIds="+id, "").want(t, 200, &x)
	})
	t.Run("other", func(t *testing.T) {
		s := serveIn(t, dir, Options{AccountID: "other"})
		id := s.added(s.documentsProject("de"), "", file{"b.txt", "Two."})[0].ID
		if got := string(s.exportDocuments("", id).body); got != "Two." { // which would come after the other one's
			t.Errorf("%q", got)
		}
		check(t, s.get("/v1/document/export/"+x.ID), 403, "")
		if _, err := os.Stat(filepath.Join(s.dir, "results", x.ID)); !os.IsNotExist(err) {
			t.Errorf("the other account's export was made: %v", err)
		}
	})
	t.Run("again", func(t *testing.T) {
		if a := serveIn(t, dir, Options{}).downloaded(x.ID); a.status != 200 || string(a.body) != "One." {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
}
