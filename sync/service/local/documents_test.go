package local

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
	bolt "go.etcd.io/bbolt"
)

// documentsProject makes a project of documents.
func (s *server) documentsProject(targets ...string) string {
	s.t.Helper()
	return s.createWith(map[string]any{"name": "docs", "sourceLanguage": "en", "targetLanguages": targets,
		"assignToVendor": false})
}

// sendDocuments adds files to a project, with models if there are any.
func (s *server) sendDocuments(project, models string, files ...file) reply {
	s.t.Helper()
	return s.sendParts("POST", "/v1/project/document?projectId="+project, wire.PartDocumentModel, models, files...)
}

// sendParts makes a multipart call: a model, unless it is empty, and files.
func (s *server) sendParts(method, path, modelName, model string, files ...file) reply {
	s.t.Helper()
	contentType, body := multipartOf(s.t, files...)
	if model != "" {
		boundary := contentType[strings.Index(contentType, "boundary=")+len("boundary="):]
		body = append([]byte("--"+boundary+"\r\nContent-Disposition: form-data; name=\""+modelName+"\"\r\n\r\n"+model+"\r\n"),
			body...)
	}
	return s.call(method, wire.Prefix+path, contentType, bytes.NewReader(body))
}

// added adds files that must be taken, and returns their records.
func (s *server) added(project, models string, files ...file) []wire.Document {
	s.t.Helper()
	var out []wire.Document
	s.sendDocuments(project, models, files...).want(s.t, 200, &out)
	return out
}

func (s *server) document(id string) wire.Document {
	s.t.Helper()
	var d wire.Document
	s.get("/v1/document?documentId="+id).want(s.t, 200, &d)
	return d
}

// documentSamples are one document of each format, with how many words it has, and a translation of it.
var documentSamples = []struct {
	file
	words  int
	german string
}{
	{file{"a.txt", "Hello big world. How are you?\n\nFine.\n"}, 7, "Hallo große Welt. Wie geht es?\n\nGut.\n"},
	{file{"guide/b.md", "# Title *one*\n\nSee [this](http://x.y). And that.\n\n```\ncode\n```\n"}, 6,
		"# Titel *eins*\n\nSiehe [dies](http://x.y). Und das.\n\n```\ncode\n```\n"},
	{file{"c.html", "<html><body><p>One <b>two</b>.</p><script>x</script></body></html>\n"}, 2,
		"<html><body><p>Eins <b>zwei</b>.</p><script>x</script></body></html>\n"},
	{file{"d.json", "{\n  \"a\": \"One two\",\n  \"n\": 3\n}\n"}, 2, "{\n  \"a\": \"Eins zwei\",\n  \"n\": 3\n}\n"},
	{file{"e.yaml", "en:\n  a: One # note\n"}, 1, "de:\n  a: Eins # note\n"},
	{file{"f.strings", "\"a\" = \"One two\";\n"}, 2, "\"a\" = \"Eins zwei\";\n"},
	{file{"g.xml", "<resources>\n  <string name=\"a\">One</string>\n</resources>\n"}, 1,
		"<resources>\n  <string name=\"a\">Eins</string>\n</resources>\n"},
	{file{
		"h.xlf", "<xliff version=\"1.2\"><file source-language=\"en\"><body><trans-unit id=\"1\"><source>One two</source></trans-unit></body></file></xliff>\n"}, 2,
		"<xliff version=\"1.2\"><file source-language=\"en\"><body><trans-unit id=\"1\"><source>One two</source><target>Eins zwei</target></trans-unit></body></file></xliff>\n"},
}

// Every format: the words are counted; without translations the export is the source byte for byte, in both types; the
// file in the target language goes in and comes out again as it was.
func TestDocumentFormats(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de")
	var files []file
	for _, sample := range documentSamples {
		files = append(files, sample.file)
	}
	docs := s.added(p, "", files...)
	for i, sample := range documentSamples {
		d := s.document(docs[i].ID)
		if d.WordsCount != float64(sample.words) || d.Status != wire.DocumentCreated ||
			d.DocumentDisassemblyStatus != wire.DisassemblySuccess {
			t.Errorf("%s: %+v", sample.name, d)
		}
		for _, kind := range []string{"target", "source"} {
			if a := s.exportDocuments("&type="+kind, d.ID); a.status != 200 || string(a.body) != sample.body {
				t.Errorf("%s as %s: %d\n%s\nwant\n%s", sample.name, kind, a.status, a.body, sample.body)
			}
		}
		s.translated(d.ID, "", file{filepath.Base(sample.name), sample.german})
		if a := s.exportDocuments("", d.ID); string(a.body) != sample.german {
			t.Errorf("%s in German: %d\n%s\nwant\n%s", sample.name, a.status, a.body, sample.german)
		}
		if a := s.exportDocuments("&mode=confirmed", d.ID); string(a.body) != sample.body {
			t.Errorf("%s: nothing is confirmed, yet there is\n%s", sample.name, a.body)
		}
	}
}

func TestDocumentRecord(t *testing.T) {
	now := clockAt(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	s := serve(t, Options{Now: func() time.Time { return now.add(0) }})
	p := s.createWith(map[string]any{"name": "docs", "sourceLanguage": "en", "targetLanguages": []string{"de", "fr"},
		"assignToVendor": false, "workflowStages": []string{"translation", "editing"}})
	docs := s.added(p, `[{"externalId":"x1","metaInfo":"m","enablePlaceholders":true},{"targetLanguages":["fr"]}]`,
		file{"dir/a.txt", "One two. Three."}, file{"b.txt", "Four."})
	if len(docs) != 3 {
		t.Fatalf("%d records, want one for each file and language: %+v", len(docs), docs)
	}
	d := s.document(docs[0].ID)
	if d.Name != "a" || d.FullPath != "dir/a" || d.Filename != "a.txt" || d.ExternalID != "x1" || d.MetaInfo != "m" ||
		!d.PlaceholdersAreEnabled || d.ProjectID != p ||
		d.SourceLanguage != "en" || d.TargetLanguage != "de" || d.WordsCount != 3 ||
		d.CreationDate != "2026-05-01T12:00:00Z" || !d.PretranslateCompleted || d.ReadyForCompletion {
		t.Errorf("%+v", d)
	}
	if id, language := wire.SplitDocumentID(d.ID); language != "7" || id == "" {
		t.Errorf("identifier %q", d.ID)
	}
	if docs[2].TargetLanguage != "fr" || docs[2].Name != "b" {
		t.Errorf("%+v", docs[2])
	}
	var record wire.Project
	s.get("/v1/project/"+p).want(t, 200, &record)
	if len(record.Documents) != 3 || record.Status != wire.ProjectCreated || len(record.WorkflowStages) != 2 ||
		record.WorkflowStages[0].Progress != 0 {
		t.Errorf("%+v", record)
	}
	s.translated(docs[0].ID, "&confirmTranslation=true", file{"a.txt", "Eins zwei. Drei."})
	d = s.document(docs[0].ID)
	if st := d.WorkflowStages; st[0].Progress != 100 || st[0].WordsTranslated != 3 ||
		st[0].Status != wire.StageCompleted || st[1].Progress != 0 || st[1].Status != wire.StageNotAssigned ||
		d.Status != wire.DocumentInProgress {
		t.Errorf("%+v", d)
	}
	s.get("/v1/project/"+p).want(t, 200, &record)
	if record.Status != wire.ProjectInProgress || record.WorkflowStages[0].Progress != 42.85 { // 3 of 3+3+1 words
		t.Errorf("%+v", record.WorkflowStages)
	}
}

// What is wrong with an upload is said with the field, and nothing is stored.
func TestDocumentRefusals(t *testing.T) {
	s := serve(t, Options{})
	p, keys := s.documentsProject("de"), s.create("en", "de")
	d := s.added(p, "", file{"a.txt", "One."})[0]
	good := file{"b.txt", "Two."}
	for _, c := range []struct {
		what, project, models string
		files                 []file
		status                int
		field                 string
	}{
		{"no files", p, "[]", nil, 400, "file"},
		{"another number of models", p, "[{},{}]", []file{good}, 400, "documentModel"},
		{"no models", p, "{", []file{good}, 400, "documentModel"},
		{"a model with a number", p, `[{"externalId":3}]`, []file{good}, 400, "externalId"},
		{"language that the project does not have", p, `[{"targetLanguages":["fr"]}]`,
			[]file{good}, 400, "targetLanguages"},
		{"language that does not exist", p, `[{"targetLanguages":["xx"]}]`, []file{good}, 400, "targetLanguages"},
		{"settings", p, `[{"bilingualFileImportSetings":{"lockMode":"sometimes"}}]`, []file{good}, 400, "lockMode"},
		{"empty file", p, "", []file{{"b.txt", ""}}, 400, "file"},
		{"unknown extension", p, "", []file{{"b.exe", "x"}}, 400, "file"},
		{"path out of the project", p, "", []file{{"../../b.txt", "x"}}, 400, "file"},
		{"a file that cannot be read", p, "", []file{good, {"c.json", "{\"a\": }"}}, 422, ""},
		{"the name twice", p, "", []file{good, good}, 409, ""},
		{"a name that is taken", p, "", []file{good, {"a.txt", "x"}}, 409, ""},
		{"project of keys", keys, "", []file{good}, 403, ""},
		{"unknown project", "0a0a0a0a-0000-4000-8000-0000000000ff", "", []file{good}, 404, ""},
		{"malformed project", "17", "", []file{good}, 400, "projectId"},
	} {
		t.Run(c.what, func(t *testing.T) {
			check(t, s.sendDocuments(c.project, c.models, c.files...), c.status, c.field)
		})
	}
	body := string(s.sendDocuments(p, "", file{"c.json", "{\n\"a\": }"}).body)
	if !strings.Contains(body, "2:6") || !strings.Contains(body, "c.json") {
		t.Errorf("the place is missing: %s", body)
	}
	for _, c := range []struct {
		what, method, path string
		status             int
		field              string
	}{
		{"no identifier", "GET", "/v1/document", 400, "documentId"},
		{"no language", "GET", "/v1/document?documentId=" + strings.Split(d.ID, "_")[0], 400, "documentId"},
		{"unknown document", "GET", "/v1/document?documentId=nothing_7", 404, ""},
		{"unknown language", "GET", "/v1/document?documentId=" + d.ID + "9", 404, ""},
		{"nothing to delete", "DELETE", "/v1/document", 400, "documentIds"},
		{"deleting with an empty list", "DELETE", "/v1/document?documentIds=", 400, "documentIds"},
		{"deleting one that is there and one that is not", "DELETE", "/v1/document?documentIds=" + d.ID + ",nothing_7",
			404,
			""},
		{"deleting without a language", "DELETE", "/v1/document?documentIds=" + strings.Split(d.ID, "_")[0], 400,
			"documentIds"},
		{"exporting without a language", "POST", "/v1/document/export?documentIds=" + strings.Split(d.ID, "_")[0], 400,
			"documentIds"},
		{"exporting nothing", "POST", "/v1/document/export", 400, "documentIds"},
		{"unknown type", "POST", "/v1/document/export?type=pdf&documentIds=" + d.ID, 400, "type"},
		{"unknown mode", "POST", "/v1/document/export?mode=best&documentIds=" + d.ID, 400, "mode"},
		{"stage 0", "POST", "/v1/document/export?stageNumber=0&documentIds=" + d.ID, 400, "stageNumber"},
		{"stage beyond the last", "POST", "/v1/document/export?stageNumber=2&documentIds=" + d.ID, 400, "stageNumber"},
		{"renaming without a name", "PUT", "/v1/document/rename?documentId=" + d.ID, 400, "name"},
		{"renaming into a folder", "PUT", "/v1/document/rename?name=a%2Fb&documentId=" + d.ID, 400, "name"},
		{"update without a file", "PUT", "/v1/document/update?documentId=" + d.ID, 400, "file"},
		{"translation without a file", "PUT", "/v1/document/translate?documentId=" + d.ID, 400, "translationFile"},
		{"status of no translation", "GET", "/v1/document/translate/status?documentId=" + d.ID, 404, ""},
	} {
		t.Run(c.what, func(t *testing.T) { check(t, s.call(c.method, wire.Prefix+c.path, "", nil), c.status, c.field) })
	}
	var record wire.Project
	s.get("/v1/project/"+p).want(t, 200, &record)
	if len(record.Documents) != 1 {
		t.Errorf("something was stored: %+v", record.Documents)
	}
}

// A project comes with its files in one call; documentProperties is an object for all of them, or an array.
func TestProjectWithFiles(t *testing.T) {
	s := serve(t, Options{})
	for name, properties := range map[string]string{"an object": `{"externalId":"x"}`,
		"an array": `[{"externalId":"x"},{"externalId":"x"}]`, "nothing": `null`} {
		t.Run(name, func(t *testing.T) {
			model := `{"name":"p","sourceLanguage":"en","targetLanguages":["de"],"assignToVendor":false,"documentProperties":` +
				properties + `}`
			var p wire.Project
			s.sendParts("POST", "/v1/project/create", wire.PartModel, model, file{"a.txt", "One."},
				file{"b.json", `{"targetNot":"Two three"}`}).want(t, 200, &p)
			if len(p.Documents) != 2 || p.Documents[1].WordsCount != 2 ||
				(p.Documents[0].ExternalID == "x") != (name != "nothing") {
				t.Errorf("%+v", p.Documents)
			}
		})
	}
	// The model may be a .json file, an array of one; the other .json file is a document.
	contentType, body := multipartOf(t, file{"doc.json", `{"a":"One"}`},
		file{"project.json", `[{"name":"q","sourceLanguage":"en","targetLanguages":["de"],"assignToVendor":false}]`})
	var q wire.Project
	s.call("POST", wire.Prefix+"/v1/project/create", contentType, bytes.NewReader(body)).want(t, 200, &q)
	if q.Name != "q" || len(q.Documents) != 1 || q.Documents[0].Name != "doc" {
		t.Errorf("%+v", q)
	}
	check(t, s.sendParts("POST", "/v1/project/create", wire.PartModel,
		`{"name":"r","sourceLanguage":"en","targetLanguages":["de"],"assignToVendor":false}`,
		file{"a.json", "{"}), 422, "")
	var all []wire.Project
	s.get("/v2/project/list?projectName=r").want(t, 200, &all)
	if slices.ContainsFunc(all, func(p wire.Project) bool { return p.Name == "r" }) {
		t.Error("the project was made without its broken file")
	}
}

// An update keeps the translations of what is still there, with their stages, and asks for what is new; a document's
// languages are updated one by one by v1's composite identifier, all together by a bare one.
func TestDocumentUpdate(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de", "fr")
	docs := s.added(p, "", file{"a.txt", "One.\nTwo.\nThree.\n"})
	german, french := docs[0].ID, docs[1].ID
	s.translated(german, "&confirmTranslation=1", file{"a.txt", "Eins.\nZwei.\nDrei.\n"})
	if d := s.document(german); d.Status != wire.DocumentCompleted || !d.ReadyForCompletion {
		t.Errorf("all is confirmed on the last stage: %+v", d)
	}
	var out []wire.Document
	s.sendParts("PUT", "/v1/document/update?documentId="+german, wire.PartUpdateDocumentModel, "{}",
		file{"other.txt", "New.\nThree.\nOne.\n"}).want(t, 200, &out)
	if len(out) != 1 || out[0].ID != german || out[0].Status != wire.DocumentUpdated || out[0].WordsCount != 3 ||
		out[0].Name != "a" || out[0].RevisionLabel != "2" {
		t.Errorf("%+v", out)
	}
	if got := string(s.exportDocuments("&mode=complete", german).body); got != "New.\nDrei.\nEins.\n" {
		t.Errorf("%q", got)
	}
	if d := s.document(german); d.WorkflowStages[0].WordsTranslated != 2 || d.WorkflowStages[0].Progress != 66.66 {
		t.Errorf("%+v", d.WorkflowStages)
	}
	if got := string(s.exportDocuments("", french).body); got != "One.\nTwo.\nThree.\n" {
		t.Errorf("the other language got %q", got)
	}
	s.sendParts("PUT", "/v2/document/update?documentId="+strings.Split(german, "_")[0], "", "",
		file{"a.txt", "One.\n"}).want(t, 200, &out)
	if len(out) != 2 {
		t.Errorf("%+v", out)
	}
	for id, want := range map[string]string{german: "Eins.\n", french: "One.\n"} {
		if got := string(s.exportDocuments("", id).body); got != want {
			t.Errorf("%s: %q", id, got)
		}
	}
	check(t, s.sendParts("PUT", "/v1/document/update?documentId="+german, "", "", file{"a.json", "{"}), 422, "")
	if got := string(s.exportDocuments("", german).body); got != "Eins.\n" {
		t.Errorf("a refused update left %q", got)
	}
}

// The keys of resource files keep their translations when they move, and lose them when their source text changes.
func TestUpdateByKey(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de")
	id := s.added(p, "", file{"a.json", `{"a":"Open","b":"Open","c":"Close"}`})[0].ID
	s.translated(id, "", file{"a.json", `{"a":"Öffnen","b":"Offen","c":"Zu"}`})
	s.sendParts("PUT", "/v1/document/update?documentId="+id, "", "",
		file{"a.json", `{"b":"Open","a":"Open","c":"Shut"}`}).want(t, 200, nil)
	sameJSON(t, string(s.exportDocuments("", id).body), `{"b":"Offen","a":"Öffnen","c":"Shut"}`)
}

// Identifiers come in four spellings of a list, and each deletes one language of a document; the last one takes the
// document along.
func TestDeleteDocuments(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de", "fr", "es", "it")
	var ids []string
	for _, d := range s.added(p, "", file{"a.txt", "One."}, file{"b.txt", "Two."}) {
		ids = append(ids, d.ID)
	}
	for i, q := range []string{
		"?documentIds=" + ids[0] + "&documentIds=" + ids[1],
		"?documentIds=" + ids[2] + "," + ids[3],
		"?documentIds=" + ids[4] + "%0A" + ids[5],
		"?documentIds[]=" + ids[6],
	} {
		s.call("DELETE", wire.Prefix+"/v1/document"+q, "", nil).want(t, 204, nil)
		check(t, s.get("/v1/document?documentId="+ids[2*i]), 404, "")
	}
	var record wire.Project
	s.get("/v1/project/"+p).want(t, 200, &record)
	if len(record.Documents) != 1 || record.Documents[0].ID != ids[7] {
		t.Errorf("%+v", record.Documents)
	}
	s.added(p, "", file{"a.txt", "Its name is free again."})
}

func TestRenameAndMetaInfo(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de")
	docs := s.added(p, "", file{"d/a.txt", "One."}, file{"d/b.txt", "Two."})
	put := func(path, body string) reply {
		return s.call("PUT", wire.Prefix+path, "application/json-patch+json", strings.NewReader(body))
	}
	put("/v1/document/rename?name=c&documentId="+docs[0].ID, "").want(t, 204, nil)
	put("/v1/document/updateMetaInfo?documentId="+docs[0].ID, `"about"`).want(t, 204, nil)
	if d := s.document(docs[0].ID); d.Name != "c" || d.FullPath != "d/c" || d.Filename != "c.txt" ||
		d.MetaInfo != "about" {
		t.Errorf("%+v", d)
	}
	check(t, put("/v1/document/rename?name=b&documentId="+docs[0].ID, ""), 409, "")
	check(t, put("/v1/document/updateMetaInfo?documentId="+docs[0].ID, `{}`), 400, "body")
}

// Completing a document or its project is a status of its own.
func TestCompleteDocuments(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de", "fr")
	docs := s.added(p, "", file{"a.txt", "One."})
	s.post("/v1/document/complete?documentId="+docs[0].ID, "").want(t, 204, nil)
	if a, b := s.document(docs[0].ID).Status, s.document(docs[1].ID).Status; a != wire.DocumentCompleted ||
		b != wire.DocumentCreated {
		t.Errorf("%s, %s", a, b)
	}
	s.post("/v1/project/complete?projectId="+p, "").want(t, 204, nil)
	if got := s.document(docs[1].ID).Status; got != wire.DocumentCompleted {
		t.Errorf("%s", got)
	}
}

// A new language of the project becomes one of its documents, too.
func TestLanguageJoinsDocuments(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de")
	s.added(p, "", file{"a.txt", "One."})
	s.post("/v1/project/language?projectId="+p+"&targetLanguage=fr", "").want(t, 204, nil)
	s.post("/v1/project/language?projectId="+p+"&targetLanguage=es&addLanguageToDocuments=false", "").want(t, 204, nil)
	var record wire.Project
	s.get("/v1/project/"+p).want(t, 200, &record)
	if len(record.Documents) != 2 || record.Documents[1].TargetLanguage != "fr" || record.Documents[1].WordsCount != 1 {
		t.Errorf("%+v", record.Documents)
	}
}

// Documents are there after a restart, and those of another account are forbidden.
func TestDocumentsOfAccounts(t *testing.T) {
	dir := t.TempDir()
	id := ""
	t.Run("one", func(t *testing.T) {
		s := serveIn(t, dir, Options{})
		id = s.added(s.documentsProject("de"), "", file{"a.txt", "One."})[0].ID
		s.translated(id, "", file{"a.txt", "Eins."})
	})
	t.Run("other", func(t *testing.T) {
		s := serveIn(t, dir, Options{AccountID: "other"})
		for _, c := range []struct{ method, path string }{{"GET", "/v1/document?documentId=" + id},
			{"DELETE", "/v1/document?documentIds=" + id}, {"POST", "/v1/document/export?documentIds=" + id},
			{"GET", "/v1/document/statistics?documentId=" + id}, {"POST", "/v1/document/complete?documentId=" + id},
			{"PUT", "/v1/document/rename?name=b&documentId=" + id}} {
			check(t, s.call(c.method, wire.Prefix+c.path, "", nil), 403, "")
		}
		check(t, s.sendParts("PUT", "/v1/document/update?documentId="+id, "", "", file{"a.txt", "x"}), 403, "")
	})
	t.Run("again", func(t *testing.T) {
		s := serveIn(t, dir, Options{})
		if got := string(s.exportDocuments("", id).body); got != "Eins." {
			t.Errorf("%q", got)
		}
	})
}

// A deleted project takes everything of its documents along.
func TestDeletedProjectLeavesNothing(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de", "fr")
	id := s.added(p, "", file{"a.txt", "One."})[0].ID
	s.translated(id, "", file{"a.txt", "Eins."})
	s.call("DELETE", wire.Prefix+"/v1/project/"+p, "", nil).want(t, 204, nil)
	check(t, s.get("/v1/document?documentId="+id), 404, "")
	s.leavesNothing()
}

// Real resource files go through as documents without a byte changed.
func TestDocumentCorpus(t *testing.T) {
	root := os.Getenv("LOCSYNC_CORPUS")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared", "corpus")
	}
	if _, err := os.Stat(root); err != nil {
		t.Skipf("no corpus of real files: %v", err)
	}
	s := serve(t, Options{})
	p := s.documentsProject("de")
	count := 0
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || count >= 40 {
			return err
		}
		if info, err := e.Info(); err != nil || info.Size() > 64<<10 || info.Size() == 0 {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		a := s.sendDocuments(p, "", file{fmt.Sprintf("%d%s", count, filepath.Ext(path)), string(body)})
		if a.status == 400 || a.status == 422 {
			return nil // no document
		}
		var docs []wire.Document
		a.want(t, 200, &docs)
		count++
		if got := s.exportDocuments("", docs[0].ID); !bytes.Equal(got.body, body) {
			t.Errorf("%s changed", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count == 0 {
		t.Error("no file of the corpus was a document")
	}
}

// leavesNothing fails the test when a bucket of documents has something in it.
func (s *server) leavesNothing() {
	s.t.Helper()
	bytes, err := os.ReadFile(filepath.Join(s.dir, "service.db"))
	if err != nil {
		s.t.Fatal(err)
	}
	copied := filepath.Join(s.t.TempDir(), "copy.db")
	if err := os.WriteFile(copied, bytes, 0o600); err != nil {
		s.t.Fatal(err)
	}
	db, err := bolt.Open(copied, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	err = db.View(func(tx *bolt.Tx) error {
		for _, name := range []string{"documents", "documentsOf", "documentTexts",
			"translations", "tasks", "statistics"} {
			if k, _ := tx.Bucket([]byte(name)).Cursor().First(); k != nil {
				s.t.Errorf("%s still has %q", name, k)
			}
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
}
