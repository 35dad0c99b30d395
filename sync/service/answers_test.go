package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

// Answers in the spelling of the service interface and in those of the published descriptions, as they were recorded: camel and Pascal case,
// absent and null members, members and words that nobody here knows, numbers with fractions.
func TestAnswersInEverySpelling(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []string
		do      func(context.Context, *Client) (any, error)
		want    any
		request string // method, path and query of the last request
	}{
		{"document", []string{
			`{"id":"1_1058","name":"Readme","fullPath":"docs/Readme","filename":"Readme.md","creationDate":"2026-11-20T10:00:00.1234567Z","sourceLanguage":"en","targetLanguage":"uk",
			 "documentDisassemblingStatus":"success","status":"inProgress","wordsCount":12,"workflowStages":[{"id":"s","progress":33.33,"status":"assigned",
			 "executives":[{"id":"u","assignedWordsCount":12,"progress":0.0,"supplierType":"freelancer"}]}],"projectId":"p","package":{"isRoot":true},"brandNew":[1]}`,
			`{"Id":"1_1058","Name":"Readme","FullPath":"docs/Readme","Filename":"Readme.md","CreationDate":"2026-11-20T10:00:00.1234567Z","SourceLanguage":"en","TargetLanguage":"uk",
			 "DocumentDisassemblingStatus":"Success","Status":"InProgress","WordsCount":12.0,"WorkflowStages":[{"Id":"s","Progress":33.33,"Status":"Assigned",
			 "Executives":[{"Id":"u","AssignedWordsCount":12,"Progress":0,"SupplierType":"freelancer"}]}],"ProjectId":"p","MetaInfo":null}`,
		}, func(ctx context.Context, c *Client) (any, error) { return c.Document(ctx, "1_1058") }, Document{
			ID: "1_1058", Name: "Readme", FullPath: "docs/Readme", Filename: "Readme.md", CreationDate: "2026-11-20T10:00:00.1234567Z", SourceLanguage: "en", TargetLanguage: "uk",
			DocumentDisassemblyStatus: wire.DisassemblySuccess, Status: wire.DocumentInProgress, WordsCount: 12, ProjectID: "p",
			WorkflowStages: []wire.WorkflowStage{{ID: "s", Progress: 33.33, Status: wire.StageAssigned, Executives: []wire.Executive{{ID: "u", AssignedWordsCount: 12, SupplierType: "freelancer"}}}},
		}, "GET /v1/document?documentId=1_1058"},
		{"documents added", []string{`[{"id":"1_7","status":"created"},{"id":"1_9","status":"someday"}]`, `{"items":[{"id":"1_7","status":"Created"},{"Id":"1_9","Status":"someday"}]}`},
			func(ctx context.Context, c *Client) (any, error) {
				return c.AddDocuments(ctx, "p", []NewDocument{{File: text("a.md", "# A")}})
			}, []Document{{ID: "1_7", Status: wire.DocumentCreated}, {ID: "1_9", Status: "someday"}}, "POST /v1/project/document?projectId=p"},
		{"document export", []string{`"t1"`, `{"id":"t1","documentIds":["1_7","2_7"]}`, `{"Id":"t1","DocumentIds":["1_7","2_7"]}`, `t1`},
			func(ctx context.Context, c *Client) (any, error) {
				return c.StartDocumentExport(ctx, DocumentExportRequest{Documents: []string{"1_7", "2_7"}, Mode: wire.ExportConfirmed, Stage: 2})
			}, []DocumentExportJob{{"t1", []string{"1_7", "2_7"}}}, "POST /v1/document/export?documentIds=1_7&documentIds=2_7&mode=confirmed&stageNumber=2&type=target"},
		{"translation state", []string{`"inProgress"`, `"InProgress"`, `InProgress`, `{"status":"inProgress"}`, `{"state":"INPROGRESS"}`},
			func(ctx context.Context, c *Client) (any, error) { return c.TranslationState(ctx, "1_7") }, wire.TaskStateInProgress, "GET /v1/document/translate/status?documentId=1_7"},
		{"formats", []string{`[{"name":"docx","ocr":false,"mime-type":"application/x","disassembleAlgorithmName":"Docx_v1"}]`},
			func(ctx context.Context, c *Client) (any, error) { return c.DocumentFormats(ctx) }, []FileFormat{{Name: "docx", MimeType: "application/x", DisassembleAlgorithmName: "Docx_v1"}}, "GET /v1/directory/formats"},
		{"project statistics", []string{
			`{"de":{"statistics":[{"name":"match_75_84","words":3,"percent":12.5,"segments":1,"pages":0.01,"charsWithoutSpaces":10,"charsWithSpaces":12,"effectiveWordsForBilling":1.5}]}}`,
			`[{"language":"de","statistics":[{"Name":"Match_75_84","Words":3.0,"Percent":12.5,"Segments":1,"Pages":0.01,"CharsWithoutSpaces":10,"CharsWithSpaces":12,"EffectiveWordsForBilling":1.5}]}]`,
		}, func(ctx context.Context, c *Client) (any, error) { return c.TryProjectStatistics(ctx, "p", true) }, ProjectStatistics{{Language: "de", Statistics: []StatisticsRow{
			{Name: wire.StatisticsMatch75, Words: 3, Percent: 12.5, Segments: 1, Pages: 0.01, CharsWithoutSpaces: 10, CharsWithSpaces: 12, EffectiveWordsForBilling: 1.5},
		}}}, "GET /v1/project/p/statistics?onlyExactMatches=true"},
		{"completed work", []string{`[{"executive":{"id":"u","supplierType":"company"},"stageType":"Translation","stageNumber":1,"targetLanguage":"de","total":[],"documents":[{"name":"a","statistics":[]}]}]`},
			func(ctx context.Context, c *Client) (any, error) { return c.CompletedWork(ctx, "p") }, []CompletedWork{{
				Executive: wire.CompletedWorkExecutive{ID: "u", SupplierType: "company"}, StageType: "translation", StageNumber: 1, TargetLanguage: "de",
				Total: []StatisticsRow{}, Documents: []DocumentStatistics{{Name: "a", Statistics: []StatisticsRow{}}},
			}}, "GET /v1/project/p/completedWorkStatistics"},
		{"engines", []string{`[{"Id":"engine:x","Name":"X","Languages":["de"]}]`, `[{"id":"engine:x","name":"X","languages":["de"]}]`, `[{"Id":"engine:x","Name":"X","Languages":["de"],"id":"engine:x","name":"X","languages":["de"]}]`},
			func(ctx context.Context, c *Client) (any, error) { return c.AvailableEngines(ctx, "p") }, []Engine{{ID: "engine:x", Name: "X", Languages: []string{"de"}}}, "GET /v1/project/p/mt/available"},
		{"memories", []string{`[{"id":"m","name":"Main","sourceLanguage":"en","targetLanguages":["de"],"isAutomaticallyCreated":true,"unitCountByLanguageId":{"7":3},"clientId":null}]`},
			func(ctx context.Context, c *Client) (any, error) {
				return c.Memories(ctx, MemoryFilter{Name: "Ma", TargetLanguage: "de"})
			},
			[]Memory{{ID: "m", Name: "Main", SourceLanguage: "en", TargetLanguages: []string{"de"}, IsAutomaticallyCreated: true, UnitCountByLanguageID: map[string]float64{"7": 3}}},
			"GET /v1/translationmemory?batchSize=100&searchName=Ma&targetLanguage=de"},
		{"project memories", []string{`[{"id":"m","matchThreshold":75,"targetLanguageId":null,"isWritable":true}]`, `[{"Id":"m","MatchThreshold":75.0,"IsWritable":true}]`},
			func(ctx context.Context, c *Client) (any, error) { return c.ProjectMemories(ctx, "p") }, []ProjectMemory{{ID: "m", MatchThreshold: 75, IsWritable: true}}, "GET /v1/project/p/translationmemories"},
		{"pretranslation rules", []string{`[{"ruleType":"tM","order":1,"minThreshold":75,"confirmAtWorkflowStep":null}]`, `[{"RuleType":"TM","Order":1,"MinThreshold":75}]`},
			func(ctx context.Context, c *Client) (any, error) {
				rules, err := c.PretranslationRules(ctx, "p")
				if err != nil || len(rules) != 1 {
					return rules, err
				}
				return fmt.Sprint(rules[0].RuleType, " ", rules[0].Order, " ", *rules[0].MinThreshold), nil
			}, "tM 1 75", "GET /v1/project/p/pretranslation-rules"},
		{"glossaries", []string{`[{"id":"g","name":"Default","languages":["en","de"],"units":3,"unitsPending":1,"isDefault":true,"clientId":null}]`},
			func(ctx context.Context, c *Client) (any, error) { return c.Glossaries(ctx) }, []Glossary{{ID: "g", Name: "Default", Languages: []string{"en", "de"}, Units: 3, UnitsPending: 1, IsDefault: true}}, "GET /v1/glossaries"},
		{"glossary exports", []string{`[{"id":"t","glossaryId":"g","completed":true}]`},
			func(ctx context.Context, c *Client) (any, error) { return c.PendingGlossaryExports(ctx) }, []GlossaryExport{{ID: "t", GlossaryID: "g", Completed: true}}, "GET /v1/glossary/export/pendingTasks"},
		{"tasks", []string{
			`[{"id":"t","number":"T-1","status":"suppliersInvited","progressPercentage":12.5,"sourceLanguage":"en","targetLanguage":"de","stageType":"editing","stageId":"s","documentIds":["1_7"],
			   "individualAssignments":[{"userId":"u","rate":0.05,"currency":"EUR","status":"invited"}],"cost":{"value":1},"invitationStrategyType":"rocket"}]`,
			`[{"id":"t","number":"T-1","status":"SuppliersInvited","progressPercentage":12.5,"sourceLanguage":"en","targetLanguage":"de","stageType":"Editing","stageId":"s","documentIds":["1_7"],
			   "individualAssignments":[{"userId":"u","rate":0.05,"currency":"EUR","status":"Invited"}],"cost":{"value":1},"invitationStrategyType":"rocket"}]`,
		}, func(ctx context.Context, c *Client) (any, error) {
			return c.Tasks(ctx, "p", TaskFilter{Currency: "EUR"})
		}, []Task{{
			ID: "t", Number: "T-1", Status: wire.TaskInvited, ProgressPercentage: 12.5, SourceLanguage: "en", TargetLanguage: "de", StageType: "editing", StageID: "s", DocumentIDs: []string{"1_7"},
			IndividualAssignments: []wire.IndividualAssignment{{UserID: "u", Rate: 0.05, Currency: "EUR", Status: wire.AssignmentInvited}}, Cost: json.RawMessage(`{"value":1}`), InvitationStrategyType: "rocket",
		}}, "GET /v1/projectTask/p/list?currency=EUR&limit=50&skip=0"},
		{"team", []string{`[{"id":"u","email":"a@b","firstName":"A","lastName":"B","services":[{"serviceType":"Translation","pricePerUnit":0.05}]}]`},
			func(ctx context.Context, c *Client) (any, error) { return c.Team(ctx) },
			[]TeamMember{{ID: "u", Email: "a@b", FirstName: "A", LastName: "B", Services: []wire.TeamService{{ServiceType: "Translation", PricePerUnit: 0.05}}}}, "POST /v1/account/searchMyTeam"},
		{"real-time translation", []string{`{"translations":{"de":[{"translation":"Hallo","error":false,"segmentMetadata":null}]}}`, `{"Translations":{"DE":[{"Translation":"Hallo"}]}}`},
			func(ctx context.Context, c *Client) (any, error) { return c.Translate(ctx, hello()) }, map[string][]TranslatedText{"de": {{Translation: "Hallo"}}}, "POST /v1/smartTranslation/translate"},
		{"callback", []string{`{"url":"https://h/c","additionalHeaders":[{"name":"X","value":"y"}]}`, `{"Url":"https://h/c","AdditionalHeaders":[{"Name":"X","Value":"y"}]}`},
			func(ctx context.Context, c *Client) (any, error) { return c.Callback(ctx) }, Callback{URL: "https://h/c", AdditionalHeaders: []wire.CallbackHeader{{Name: "X", Value: "y"}}}, "GET /v1/callback"},
		{"callback errors", []string{`[{"created":"2026-11-20T10:00:00Z","url":"https://h/c/project/status","reason":"timeout","code":0,"content":null,"sourceIds":["p"]}]`},
			func(ctx context.Context, c *Client) (any, error) { return c.CallbackErrors(ctx, 5) },
			[]CallbackError{{Created: "2026-11-20T10:00:00Z", URL: "https://h/c/project/status", Reason: "timeout", SourceIDs: []string{"p"}}}, "GET /v1/callback/lastErrors?limit=5"},
		{"stored files", []string{`{"items":[{"name":"a.txt","mime":"text/plain","path":"in/a.txt","size":3,"createdAt":"2026-11-20T10:00:00Z"}],"nextBatchKey":null}`},
			func(ctx context.Context, c *Client) (any, error) { return c.StoredFiles(ctx, "in/x y") }, []StoredFile{{Name: "a.txt", Mime: "text/plain", Path: "in/a.txt", Size: 3, CreatedAt: "2026-11-20T10:00:00Z"}},
			"GET /v1/file-management/file-info-list/in/x%20y"},
	} {
		for _, answer := range c.answers {
			s := serve(t, say(200, answer))
			got, err := c.do(t.Context(), s.client(t))
			if v := reflect.ValueOf(got); err == nil && v.Kind() == reflect.Slice && v.Type() != reflect.TypeOf(c.want) {
				got = v.Convert(reflect.TypeOf(c.want)).Interface() // a wire.List
			}
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s, %.60s…\n got %+v, %v\nwant %+v", c.name, answer, got, err, c.want)
			}
			last := s.seen()[len(s.seen())-1]
			request := last.Method + " " + strings.TrimPrefix(last.Path, wire.Prefix)
			if q := last.Query.Encode(); q != "" {
				request += "?" + q
			}
			if request != c.request {
				t.Errorf("%s: the client made %s, want %s", c.name, request, c.request)
			}
		}
	}
}

// What is put into the place of something, as the service gets it.
func TestSettingsOnTheWire(t *testing.T) {
	truth := true
	for _, c := range []struct {
		name       string
		do         func(context.Context, *Client) error
		path, body string
	}{
		{"engines", func(ctx context.Context, c *Client) error {
			return c.SetEngines(ctx, "p", []Engine{{ID: "engine:x", Name: "X", Languages: []string{"de", "fr"}}})
		}, "POST /v1/project/p/mt", `[{"id":"engine:x","languages":["de","fr"]}]`},
		{"memories", func(ctx context.Context, c *Client) error {
			return c.SetProjectMemories(ctx, "p", []ProjectMemory{{ID: "m", MatchThreshold: 75, TargetLanguageID: new(int), IsWritable: true}, {ID: "n", MatchThreshold: 100}})
		}, "POST /v1/project/p/translationmemories", `[{"id":"m","matchThreshold":75,"isWritable":true},{"id":"n","matchThreshold":100,"isWritable":false}]`},
		{"no memories", func(ctx context.Context, c *Client) error { return c.SetProjectMemories(ctx, "p", nil) }, "POST /v1/project/p/translationmemories", `[]`},
		{"memories by language", func(ctx context.Context, c *Client) error {
			return c.SetProjectMemoriesByLanguage(ctx, "p", []MemoriesOfLanguage{{Language: "de", TranslationMemories: []ProjectMemory{{ID: "m", MatchThreshold: 50}}}})
		}, "POST /v1/project/p/translationmemories/bylanguages", `[{"language":"de","translationMemories":[{"id":"m","matchThreshold":50,"isWritable":false}]}]`},
		{"glossaries", func(ctx context.Context, c *Client) error { return c.SetProjectGlossaries(ctx, "p", []string{"g"}) }, "PUT /v1/project/p/glossaries", `["g"]`},
		{"no glossaries", func(ctx context.Context, c *Client) error { return c.SetProjectGlossaries(ctx, "p", nil) }, "PUT /v1/project/p/glossaries", `[]`},
		{"rules", func(ctx context.Context, c *Client) error {
			return c.SetPretranslationRules(ctx, "p", []PretranslationRule{{RuleType: wire.RuleMachine, Order: 1}}, false)
		}, "PUT /v1/project/p/pretranslation-rules?startPretranslate=false", `[{"ruleType":"mT","order":1}]`},
		{"fuzzy repetitions", func(ctx context.Context, c *Client) error { return c.SetFuzzyRepetitions(ctx, "p", false) }, "PUT /v1/project/p/fuzzyRepetitions?withFuzzyMatches=false", ``},
		{"assignment", func(ctx context.Context, c *Client) error {
			return c.AssignTask(ctx, "p", "t", []string{"u", "v"}, true)
		},
			"PUT /v1/projectTask/p/t/individual-assignment", `{"shouldAssignInShortlistStatus":true,"userIds":["u","v"]}`},
		{"deadline", func(ctx context.Context, c *Client) error {
			return c.SetTaskDeadline(ctx, "p", "t", time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600)))
		}, "PUT /v1/projectTask/p/t/deadline?deadline=2026-01-02T02%3A04%3A05Z", ``},
		{"no deadline", func(ctx context.Context, c *Client) error { return c.SetTaskDeadline(ctx, "p", "t", time.Time{}) }, "PUT /v1/projectTask/p/t/deadline?deadline=", ``},
		{"callback", func(ctx context.Context, c *Client) error { return c.SetCallback(ctx, Callback{URL: "https://h/c"}) }, "POST /v1/callback", `{"url":"https://h/c","additionalHeaders":[]}`},
		{"meta info", func(ctx context.Context, c *Client) error { return c.SetDocumentMetaInfo(ctx, "1_7", `a"b`) }, "PUT /v1/document/updateMetaInfo?documentId=1_7", `"a\"b"`},
		{"export v1", func(ctx context.Context, c *Client) error {
			_, err := c.StartExportV1(ctx, "p", []string{"de"})
			return err
		}, "POST /v1/project/p/export", `{"languages":["de"]}`},
	} {
		s := serve(t, say(200, `"id"`))
		if err := c.do(t.Context(), s.client(t)); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := s.seen()[0]
		request := got.Method + " " + strings.TrimPrefix(got.Path, wire.Prefix)
		if q := got.Query.Encode(); q != "" {
			request += "?" + q
		}
		if request != c.path || got.Body != c.body {
			t.Errorf("%s: %s %s, want %s %s", c.name, request, got.Body, c.path, c.body)
		}
	}
	// Files and their models travel together, in one order.
	models := []DocumentModel{{ExternalID: "x", EnableOCR: &truth}, {}}
	files := func() []NewDocument {
		return []NewDocument{{text("a.md", "A"), models[0]}, {text("b/ü.md", "B"), models[1]}}
	}
	s := serve(t, say(200, `[]`), say(200, `[]`), say(200, `{"id":"p"}`), say(200, `{"id":"p"}`))
	c := s.client(t)
	_, err1 := c.AddDocuments(t.Context(), "p", files())
	_, err2 := c.UpdateDocument(t.Context(), "1_7", text("a.md", "A2"), DocumentUpdateModel{BilingualSettings: &wire.BilingualSettings{ConfirmMode: wire.ConfirmAtLast}})
	project := NewProject{Name: "n", SourceLanguage: "en", TargetLanguages: []string{"de"}, Documents: true, Files: files()}
	_, err3 := c.CreateProject(t.Context(), project)
	project.Files = files()
	project.Files[1].Model = project.Files[0].Model
	_, err4 := c.CreateProject(t.Context(), project)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	const head = `{"name":"n","sourceLanguage":"en","targetLanguages":["de"],"assignToVendor":false,"type":"default","documentProperties":`
	for i, want := range []map[string]string{
		{"documentModel ": `[{"externalId":"x","enableOcr":true},{}]`, "file a.md": "A", "file b/ü.md": "B"},
		{"updateDocumentModel ": `{"bilingualFileImportSetings":{"confirmMode":"atLastStage"}}`, "file a.md": "A2"},
		{"model ": head + `[{"externalId":"x","enableOcr":true},{}]}`, "file a.md": "A", "file b/ü.md": "B"},
		{"model ": head + `{"externalId":"x","enableOcr":true}}`, "file a.md": "A", "file b/ü.md": "B"},
	} {
		if got := partsOf(t, s.seen()[i]); !reflect.DeepEqual(got, want) {
			t.Errorf("request %d: %q, want %q", i, got, want)
		}
	}
}

// What the service would refuse costs no request.
func TestOperationsRefusedHere(t *testing.T) {
	s := serve(t, say(200, `"id1"`))
	c := s.client(t)
	ctx := t.Context()
	half, book := ProjectMemory{ID: "m", MatchThreshold: 49}, ProjectMemory{ID: "m", MatchThreshold: 75, IsWritable: true}
	for name, err := range map[string]error{
		"no documents":           second(c.AddDocuments(ctx, "p", nil)),
		"project with steps":     second(c.AddDocuments(ctx, "../p", []NewDocument{{File: text("a", "A")}})),
		"files of a key project": second(c.CreateProject(ctx, NewProject{Name: "n", SourceLanguage: "en", TargetLanguages: []string{"de"}, Files: []NewDocument{{File: text("a", "A")}}})),
		"nothing to delete":      c.DeleteDocuments(ctx),
		"list as an id":          c.DeleteDocuments(ctx, "1_7,2_7"),
		"no export":              second(c.StartDocumentExport(ctx, DocumentExportRequest{})),
		"negative stage":         second(c.StartDocumentExport(ctx, DocumentExportRequest{Documents: []string{"1_7"}, Stage: -1})),
		"low threshold":          c.SetProjectMemories(ctx, "p", []ProjectMemory{half}),
		"same memory twice":      c.SetProjectMemories(ctx, "p", []ProjectMemory{book, {ID: "m", MatchThreshold: 80}}),
		"threshold in between":   c.SetProjectMemories(ctx, "p", []ProjectMemory{{ID: "m", MatchThreshold: 75.5}}),
		"two writable":           c.SetProjectMemories(ctx, "p", []ProjectMemory{book, {ID: "n", MatchThreshold: 80, IsWritable: true}}),
		"threshold by language":  c.SetProjectMemoriesByLanguage(ctx, "p", []MemoriesOfLanguage{{Language: "de", TranslationMemories: []ProjectMemory{half}}}),
		"memory without name":    second(c.CreateMemory(ctx, "", "en", []string{"de"})),
		"engine without id":      c.SetEngines(ctx, "p", []Engine{{Languages: []string{"de"}}}),
		"large glossary":         second(c.StartGlossaryImport(ctx, "g", File{"a", wire.MaxGlossaryImport + 1, strings.NewReader("")}, false)),
		"team without limit":     second(c.SearchTeam(ctx, TeamSearch{})),
		"team with 501":          second(c.SearchTeam(ctx, TeamSearch{Limit: 501})),
		"nobody assigned":        c.AssignTask(ctx, "p", "t", nil, false),
		"empty text":             second(c.Translate(ctx, TranslateRequest{SourceLanguage: "en", TargetLanguages: []string{"de"}, Texts: []wire.TranslateText{{}}})),
		"callback to nowhere":    c.SetCallback(ctx, Callback{URL: "ftp://h"}),
		"header with a break":    c.SetCallback(ctx, Callback{URL: "http://h", AdditionalHeaders: []wire.CallbackHeader{{Name: "a", Value: "b\nc"}}}),
		"101 errors":             second(c.CallbackErrors(ctx, 101)),
		"path upwards":           second(c.DownloadFile(ctx, "a/../b", io.Discard)),
		"no path":                second(c.StoredFile(ctx, "/")),
		"path with a backslash":  c.DeleteFile(ctx, `a\b`),
	} {
		if err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if n := len(s.seen()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func second[T any](_ T, err error) error { return err }

// Many documents go in several requests, none of which has a query that services cut.
func TestManyDocuments(t *testing.T) {
	var ids []string
	for i := range 100 {
		ids = append(ids, fmt.Sprintf("%040d_%d", i, 1058))
	}
	s := serve(t, say(204, ""))
	if err := s.client(t).DeleteDocuments(t.Context(), ids...); err != nil {
		t.Fatal(err)
	}
	var sent []string
	for _, call := range s.seen() {
		if n := len(call.Query.Encode()); n > 1000 {
			t.Errorf("a query of %d characters", n)
		}
		sent = append(sent, call.Query["documentIds"]...)
	}
	if !slices.Equal(sent, ids) {
		t.Errorf("%d documents were sent", len(sent))
	}
	s = serve(t, say(200, `"t1"`), say(400, `{"detail":"no"}`))
	jobs, err := s.client(t).StartDocumentExport(t.Context(), DocumentExportRequest{Documents: ids})
	if len(jobs) != 1 || jobs[0].ID != "t1" || !errors.Is(err, ErrRefused) {
		t.Errorf("jobs %+v, %v", jobs, err)
	}
}

// Another version of an operation is asked for where there is no other way, and only then.
func TestOtherVersions(t *testing.T) {
	s := serve(t, say(404, ""), say(200, `[{"id":"1_7"}]`))
	if d, err := s.client(t).UpdateDocument(t.Context(), "1_7", text("a", "A"), DocumentUpdateModel{}); err != nil || len(d) != 1 {
		t.Error(d, err)
	}
	if calls := s.seen(); len(calls) != 2 || calls[1].Path != wire.Prefix+wire.PathDocumentUpdateV2 || calls[1].Query.Get("documentId") != "1" || partsOf(t, calls[1])["file a"] != "A" {
		t.Errorf("calls %+v", calls)
	}
	s = serve(t, say(404, `{"detail":"no such document"}`))
	if _, err := s.client(t).UpdateDocument(t.Context(), "1_7", text("a", "A"), DocumentUpdateModel{}); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	s = serve(t, say(405, ""), say(200, `[{"language":"de","statistics":[],"documents":[{"name":"a","statistics":[]}]}]`))
	if st, err := s.client(t).TryProjectStatistics(t.Context(), "p", false); err != nil || len(st) != 1 || len(st[0].Documents) != 1 || s.seen()[1].Path != wire.Prefix+"/v2/project/p/statistics" {
		t.Error(st, err)
	}
	s = serve(t, say(403, ""))
	if _, err := s.client(t).TryProjectStatistics(t.Context(), "p", false); !errors.Is(err, ErrAuth) || len(s.seen()) != 1 {
		t.Error(err)
	}
}

// Lists end where they end: with a short page, an empty one, a page that came before, or a batch that came before.
func TestLists(t *testing.T) {
	records := func(from, n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`{"id":"%d"}`, from+i))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	s := serve(t, say(200, records(0, 100)), say(200, records(100, 1)))
	if m, err := s.client(t).Memories(t.Context(), MemoryFilter{}); err != nil || len(m) != 101 || s.seen()[1].Query.Get("lastProcessedId") != "99" {
		t.Error(len(m), err)
	}
	s = serve(t, say(200, records(0, 100)), say(204, ""))
	if m, err := s.client(t).Memories(t.Context(), MemoryFilter{}); err != nil || len(m) != 100 {
		t.Error(len(m), err)
	}
	s = serve(t, say(200, records(0, 100)))
	if m, err := s.client(t).Memories(t.Context(), MemoryFilter{}); err != nil || len(m) != 100 || len(s.seen()) != 2 {
		t.Error(len(m), err)
	}
	s = serve(t, say(200, records(0, 50)), say(200, records(50, 50)), say(200, `[]`))
	if tasks, err := s.client(t).Tasks(t.Context(), "p", TaskFilter{Document: "1_7"}); err != nil || len(tasks) != 100 || s.seen()[2].Query.Get("skip") != "100" || s.seen()[2].Query.Get("documentId") != "1_7" {
		t.Error(len(tasks), err)
	}
	s = serve(t, say(200, records(0, 500)), say(200, records(500, 2)))
	if team, err := s.client(t).Team(t.Context()); err != nil || len(team) != 502 || !strings.Contains(s.seen()[1].Body, `"skip":500`) {
		t.Error(len(team), err)
	}
	s = serve(t, say(200, `{"items":[{"name":"a"}],"nextBatchKey":"k"}`), say(200, `{"items":[{"name":"b"}]}`))
	if files, err := s.client(t).StoredFiles(t.Context(), "x"); err != nil || len(files) != 2 || s.seen()[1].Query.Get("batchKey") != "k" {
		t.Error(files, err)
	}
	s = serve(t, say(200, `{"items":[{"name":"a"}],"nextBatchKey":"k"}`))
	if _, err := s.client(t).StoredFiles(t.Context(), "x"); !errors.Is(err, ErrUnusable) || len(s.seen()) != 2 {
		t.Error(len(s.seen()), err)
	}
}

// What is not ready is waited for, in the words that each operation has for it; what failed is not.
func TestWaiting(t *testing.T) {
	ctx := t.Context()
	s := serve(t, say(202, "building"), say(204, ""), say(200, `{"de":{"statistics":[]}}`))
	if st, err := s.client(t).ProjectStatistics(ctx, "p", false); err != nil || len(st) != 1 || len(s.seen()) != 3 {
		t.Errorf("%+v, %v", st, err)
	}
	s = serve(t, say(202, "building"), say(422, `{"detail":"a.docx could not be disassembled"}`))
	if _, err := s.client(t).DocumentStatistics(ctx, "1_7", false); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "a.docx") {
		t.Error(err)
	}
	s = serve(t, say(200, `{"id":"1_7","documentDisassemblingStatus":"InProgress"}`), say(200, `{"id":"1_7","documentDisassemblingStatus":"success"}`))
	if d, err := s.client(t).WaitDocument(ctx, "1_7"); err != nil || d.DocumentDisassemblyStatus != wire.DisassemblySuccess {
		t.Error(d, err)
	}
	s = serve(t, say(200, `{"id":"1_7","name":"a","documentDisassemblingStatus":"error"}`))
	if _, err := s.client(t).WaitDocument(ctx, "1_7"); !errors.Is(err, ErrDisassembly) {
		t.Error(err)
	}
	s = serve(t, say(200, `"newWord"`), say(200, `"Completed"`))
	if err := s.client(t).WaitGlossaryImport(ctx, "t"); err != nil || len(s.seen()) != 2 {
		t.Error(err)
	}
	s = serve(t, say(200, `"faulted"`))
	if err := s.client(t).WaitTranslation(ctx, "1_7"); !errors.Is(err, ErrTaskFailed) {
		t.Error(err)
	}
	var book strings.Builder
	s = serve(t, say(400, `{"detail":"not ready"}`), say(200, "PK\x03\x04book"))
	if n, err := s.client(t).DownloadGlossary(ctx, "t", &book); err != nil || n != 8 || book.String() != "PK\x03\x04book" {
		t.Error(n, err)
	}
	s = serve(t, say(400, `{"detail":"not ready"}`))
	if _, err := s.client(t).TryDownloadGlossary(ctx, "t", &book); !errors.Is(err, ErrNotReady) || errors.Is(err, ErrRefused) {
		t.Error(err)
	}
	s = serve(t, say(500, ""))
	if _, err := s.client(t).DownloadGlossary(ctx, "t", io.Discard); !errors.Is(err, ErrExportFailed) || len(s.seen()) != defaultLimits.attempts {
		t.Error(len(s.seen()), err)
	}
	s = serve(t, say(200, "false"))
	if err := s.client(t).AssignTask(ctx, "p", "t", []string{"u"}, false); !errors.Is(err, ErrRefused) {
		t.Error(err)
	}
	s = serve(t, say(200, `{"translations":{"fr":[{"translation":"Salut"}]}}`))
	if _, err := s.client(t).Translate(ctx, hello()); !errors.Is(err, ErrUnusable) {
		t.Error(err)
	}
}

// A single document is what it is: a workbook is no archive of an export, a page of the web no error page. Several come as an archive.
func TestDownloadDocument(t *testing.T) {
	for name, c := range map[string]struct {
		kind, file, body string
		raw              bool
	}{
		"workbook": {"application/zip", "a.xlsx", string(zipped(t, file("xl/workbook.xml", "<x/>"))), true},
		"web page": {"text/html", "a.html", "<html><p>Hallo</p></html>", true},
		"archive":  {"application/zip", "all.zip", string(zipped(t, file("a(de).txt", "Hallo"))), false},
	} {
		s := serve(t, say(204, ""), say(200, c.body, "Content-Type", c.kind, "Content-Disposition", `attachment; filename="`+c.file+`"; filename*=UTF-8''`+c.file))
		a, err := s.client(t).DownloadDocument(t.Context(), "t", t.TempDir())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b, err := a.Entries[0].ReadAll()
		if a.Raw != c.raw || err != nil || c.raw && (string(b) != c.body || a.Entries[0].Name != c.file) || !c.raw && string(b) != "Hallo" {
			t.Errorf("%s: %+v, %q, %v", name, a, b, err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}
