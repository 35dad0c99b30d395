package local

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

// translated brings the document in its target language in and waits until that is done.
func (s *server) translated(id, q string, f file) {
	s.t.Helper()
	s.sendParts("PUT", "/v1/document/translate?documentId="+id+q, "", "", f).want(s.t, 202, nil)
	s.translationEnds(id, "completed")
}

func (s *server) translationEnds(id, want string) {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		var state string
		s.get("/v1/document/translate/status?documentId="+id).want(s.t, 200, &state)
		if state == want {
			return
		}
		if state != "inProgress" || time.Now().After(deadline) {
			s.t.Fatalf("the translation is %q, want %q: %s", state, want,
				s.get("/v1/document/translate/result?documentId="+id).body)
		}
	}
}

// What a bilingual file brings is taken, confirmed and locked as its settings say.
func TestBilingualSettings(t *testing.T) {
	s := serve(t, Options{})
	src := `<xliff version="1.2"><file target-language="de"><body><trans-unit id="1"><source>One</source><target state="translated">Eins</target></trans-unit></body></file></xliff>`
	for settings, want := range map[string]struct {
		progress [2]float64
		german   bool
	}{
		`{}`: {[2]float64{100, 0}, true},
		`{"bilingualFileImportSetings":{"targetSubstitutionMode":"none"}}`: {[2]float64{0, 0},
			false},
		`{"bilingualFileImportSetings":{"confirmMode":"none"}}`: {[2]float64{0, 0},
			true},
		`{"bilingualFileImportSetings":{"confirmMode":"ATLASTSTAGE","targetSubstitutionMode":"All"}}`: {[2]float64{100,
			100},
			true},
		`{"bilingualFileImportSetings":{"confirmMode":"atFirstStage","unknown":[1]}}`: {[2]float64{100, 0}, true},
	} {
		p := s.createWith(map[string]any{"name": settings, "sourceLanguage": "en",
			"targetLanguages": []string{"de", "fr"},
			"assignToVendor":  false, "workflowStages": []string{"translation", "editing"}})
		docs := s.added(p, settings, file{"a.xlf", src})
		for i, stage := range s.document(docs[0].ID).WorkflowStages {
			if stage.Progress != want.progress[i] {
				t.Errorf("%s: stage %d is at %v", settings, i+1, stage.Progress)
			}
		}
		if got := strings.Contains(string(s.exportDocuments("&type=xliff", docs[0].ID).body),
			">Eins<"); got != want.german {
			t.Errorf("%s: has a translation: %t", settings, got)
		}
		if strings.Contains(string(s.exportDocuments("&type=xliff", docs[1].ID).body), ">Eins<") {
			t.Errorf("%s: the French document has the German translation", settings)
		}
	}
	p := s.documentsProject("de")
	id := s.added(p, `{"bilingualFileImportSetings":{"lockMode":"confirmed"}}`, file{"a.xlf", src})[0].ID
	s.translated(id, "&overwrite=true", file{"a.xlf", strings.Replace(src, "Eins", "Anders", 1)})
	if got := string(s.exportDocuments("", id).body); got != src {
		t.Errorf("a locked translation became %s", got)
	}
}

// The document in its target language brings its translations along; what has one already keeps it unless it is to be
// overwritten, and a file that does not match is refused as a whole.
func TestTranslateDocument(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de")
	id := s.added(p, "", file{"a.txt", "One.\nTwo.\n"})[0].ID
	s.translated(id, "", file{"a.txt", "Eins.\nZwei.\n"})
	s.translated(id, "", file{"a.txt", "Uno.\nZwei.\n"})
	var report struct {
		Status                        string
		ChangedSegments, KeptSegments int
	}
	s.get("/v1/document/translate/result?documentId="+id).want(t, 200, &report)
	if report.Status != "completed" || report.ChangedSegments != 0 || report.KeptSegments != 1 {
		t.Errorf("%+v", report)
	}
	if got := string(s.exportDocuments("", id).body); got != "Eins.\nZwei.\n" {
		t.Errorf("%q", got)
	}
	s.translated(id, "&overwrite=true", file{"a.txt", "Uno.\nZwei.\n"})
	if got := string(s.exportDocuments("", id).body); got != "Uno.\nZwei.\n" {
		t.Errorf("%q", got)
	}
	s.sendParts("PUT", "/v1/document/translate?documentId="+id, "", "", file{"a.txt", "Only one.\n"}).want(t, 202, nil)
	s.translationEnds(id, "faulted")
	s.get("/v1/document/translate/result?documentId="+id).want(t, 200, nil)
	if got := string(s.exportDocuments("", id).body); got != "Uno.\nZwei.\n" {
		t.Errorf("%q", got)
	}
}

// A new version of a bilingual file leaves translations as they are, with their stages, unless the call asks for those
// of the file.
func TestBilingualUpdate(t *testing.T) {
	s := serve(t, Options{})
	p := s.createWith(map[string]any{"name": "docs", "sourceLanguage": "en", "targetLanguages": []string{"de"},
		"assignToVendor": false, "workflowStages": []string{"translation", "editing"}})
	src := func(state, text string) file {
		return file{"a.xlf",
			`<xliff version="1.2"><file target-language="de"><body><trans-unit id="1"><source>One</source><target state="` +
				state + `">` + text + `</target></trans-unit>` +
				`<trans-unit id="2"><source>Two</source></trans-unit></body></file></xliff>`}
	}
	id := s.added(p, "", src("final", "Eins"))[0].ID
	update := func(model string, f file) wire.Document {
		t.Helper()
		s.sendParts("PUT", "/v1/document/update?documentId="+id, wire.PartUpdateDocumentModel, model, f).want(t, 200,
			nil)
		return s.document(id)
	}
	if d := update(`{}`, src("new", "Eins")); d.WorkflowStages[1].Progress != 50 {
		t.Errorf("the stage was lost: %+v", d.WorkflowStages)
	}
	update(`{}`, src("final", "Anders"))
	if got := string(s.exportDocuments("", id).body); !strings.Contains(got, ">Eins<") {
		t.Errorf("the file's translation replaced one that was there: %s", got)
	}
	update(`{"bilingualFileImportSetings":{"targetSubstitutionMode":"all","confirmMode":"atLastStage"}}`,
		src("new", "Anders"))
	if got := string(s.exportDocuments("&mode=complete", id).body); !strings.Contains(got, ">Anders<") {
		t.Errorf("%s", got)
	}
}

// An XLIFF export that comes back as it is changes nothing: not a text, a stage or a time. What is changed in it is
// taken; what was translated since is not overwritten by it, unless that is asked for.
func TestXLIFFRoundTrip(t *testing.T) {
	now := clockAt(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	s := serve(t, Options{Now: func() time.Time { return now.add(0) }})
	p := s.createWith(map[string]any{"name": "docs", "sourceLanguage": "en", "targetLanguages": []string{"de"},
		"assignToVendor": false, "workflowStages": []string{"translation", "editing", "proofreading"}})
	id := s.added(p, "", file{"a.html", "<p>One <b>two</b> &amp; \"three\".</p><p>Four.</p><p>Five.</p>"})[0].ID
	xliffs := func() string { return string(s.exportDocuments("&type=xliff", id).body) }
	bring := func(q, body string) {
		t.Helper()
		s.sendParts("PUT", "/v1/document/translateWithXliff?documentId="+id+q, "", "", file{"a.xliff", body}).want(t,
			202,
			nil)
		s.translationEnds(id, "completed")
	}
	empty := xliffs()
	bring("", empty)
	if xliffs() != empty || s.document(id).Status != wire.DocumentCreated {
		t.Error("an export without translations changed something")
	}
	full := strings.Replace(empty, "</source></trans-unit>",
		`</source><target state="final">Eins &lt;b&gt;zwei&lt;/b&gt; &amp;amp; "drei".</target></trans-unit>`, 1)
	full = strings.Replace(full, "Four.</source></trans-unit>",
		`Four.</source><target state="translated">Vier.</target></trans-unit>`, 1)
	bring("", full)
	first := xliffs()
	now.add(time.Hour)
	before := s.document(id)
	bring("", first)
	again := xliffs()
	if again = strings.Replace(again, "13:00:00Z", "12:00:00Z", 1); again != first {
		t.Errorf("%s\nbecame\n%s", first, again)
	}
	if after := s.document(id); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("%+v became %+v", before, after)
	}
	if d := before; d.WorkflowStages[0].WordsTranslated != 4 || d.WorkflowStages[2].WordsTranslated != 3 {
		t.Errorf("%+v", d.WorkflowStages)
	}
	if got := string(s.exportDocuments("",
		id).body); got != "<p>Eins <b>zwei</b> &amp; \"drei\".</p><p>Vier.</p><p>Five.</p>" {
		t.Errorf("%s", got)
	}
	changed := strings.Replace(first, "Vier.", "VIER.", 1)
	bring("", changed) // exported at 12, translated at 12, so it is no older
	if !strings.Contains(xliffs(), "VIER.") {
		t.Error("the change was not taken")
	}
	bring("", first) // exported before the change
	if !strings.Contains(xliffs(), "VIER.") {
		t.Error("an older export undid a change")
	}
	bring("&overwriteUpdatedSegments=true", first)
	if strings.Contains(xliffs(), "VIER.") {
		t.Error("overwriting was asked for")
	}
	s.sendParts("PUT", "/v1/document/translateWithXliff?documentId="+id, "", "", file{"a.xliff", "no"}).want(t, 202,
		nil)
	s.translationEnds(id, "faulted")
	broken := strings.Replace(full, "zwei&lt;/b&gt;", "zwei", 1)
	s.sendParts("PUT", "/v1/document/translateWithXliff?overwriteUpdatedSegments&documentId="+id, "", "",
		file{"a.xliff", broken}).want(t, 202, nil)
	s.translationEnds(id, "faulted")
}
