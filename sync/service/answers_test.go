package service_test

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

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/documents"
	"github.com/locsync/locsync/sync/service/memories"
	"github.com/locsync/locsync/sync/service/wire"
)

// Answers in the spelling of the service interface and in those of the published descriptions, as they were recorded:
// camel and Pascal case, absent and null members, members and unknown words, numbers with fractions.
func TestAnswersInEverySpelling(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []string
		do      func(context.Context, *service.Client) (any, error)
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
		}, func(ctx context.Context, c *service.Client) (any, error) { return documents.Of(c).Read(ctx, "1_1058") },
			documents.Document{
				ID: "1_1058", Name: "Readme", FullPath: "docs/Readme", Filename: "Readme.md",
				CreationDate: "2026-11-20T10:00:00.1234567Z", SourceLanguage: "en", TargetLanguage: "uk",
				DocumentDisassemblyStatus: wire.DisassemblySuccess, Status: wire.DocumentInProgress,
				WordsCount: 12, ProjectID: "p",
				WorkflowStages: []wire.WorkflowStage{{ID: "s", Progress: 33.33, Status: wire.StageAssigned,
					Executives: []wire.Executive{{ID: "u", AssignedWordsCount: 12, SupplierType: "freelancer"}}}},
			}, "GET /v1/document?documentId=1_1058"},
		{"documents added", []string{`[{"id":"1_7","status":"created"},{"id":"1_9","status":"someday"}]`,
			`{"items":[{"id":"1_7","status":"Created"},{"Id":"1_9","Status":"someday"}]}`},
			func(ctx context.Context, c *service.Client) (any, error) {
				return documents.Of(c).Add(ctx, "p", []service.NewDocument{{File: text("a.md", "# A")}})
			}, []documents.Document{{ID: "1_7", Status: wire.DocumentCreated}, {ID: "1_9",
				Status: "someday"}}, "POST /v1/project/document?projectId=p"},
		{"document export", []string{`"t1"`, `{"id":"t1","documentIds":["1_7","2_7"]}`,
			`{"Id":"t1","DocumentIds":["1_7","2_7"]}`, `t1`},
			func(ctx context.Context, c *service.Client) (any, error) {
				return documents.Of(c).StartExport(ctx, documents.ExportRequest{Documents: []string{"1_7", "2_7"},
					Mode: wire.ExportConfirmed, Stage: 2})
			}, []documents.ExportJob{{ID: "t1", Documents: []string{"1_7",
				"2_7"}}}, "POST /v1/document/export?documentIds=1_7&documentIds=2_7&mode=confirmed&stageNumber=2&type=target"},
		{"formats",
			[]string{`[{"name":"docx","ocr":false,"mime-type":"application/x","disassembleAlgorithmName":"Docx_v1"}]`},
			func(ctx context.Context, c *service.Client) (any, error) { return documents.Of(c).Formats(ctx) },
			[]documents.FileFormat{{Name: "docx", MimeType: "application/x", DisassembleAlgorithmName: "Docx_v1"}},
			"GET /v1/directory/formats"},
		{"project statistics", []string{
			`{"de":{"statistics":[{"name":"match_75_84","words":3,"percent":12.5,"segments":1,"pages":0.01,"charsWithoutSpaces":10,"charsWithSpaces":12,"effectiveWordsForBilling":1.5}]}}`,
			`[{"language":"de","statistics":[{"Name":"Match_75_84","Words":3.0,"Percent":12.5,"Segments":1,"Pages":0.01,"CharsWithoutSpaces":10,"CharsWithSpaces":12,"EffectiveWordsForBilling":1.5}]}]`,
		}, func(ctx context.Context, c *service.Client) (any, error) {
			return documents.StatisticsOf(c).TryByDocument(ctx, "p", true)
		}, documents.ProjectStatistics{{Language: "de", Statistics: []documents.StatisticsRow{
			{Name: wire.StatisticsMatch75, Words: 3, Percent: 12.5, Segments: 1, Pages: 0.01, CharsWithoutSpaces: 10,
				CharsWithSpaces: 12, EffectiveWordsForBilling: 1.5},
		}}}, "GET /v2/project/p/statistics?onlyExactMatches=true"},
		{"engines", []string{`[{"Id":"engine:x","Name":"X","Languages":["de"]}]`,
			`[{"id":"engine:x","name":"X","languages":["de"]}]`,
			`[{"Id":"engine:x","Name":"X","Languages":["de"],"id":"engine:x","name":"X","languages":["de"]}]`},
			func(ctx context.Context, c *service.Client) (any, error) {
				return memories.EnginesOf(c).Available(ctx, "p")
			}, []memories.Engine{{ID: "engine:x", Name: "X",
				Languages: []string{"de"}}}, "GET /v1/project/p/mt/available"},
		{"memories",
			[]string{`[{"id":"m","name":"Main","sourceLanguage":"en","targetLanguages":["de"],"isAutomaticallyCreated":true,"unitCountByLanguageId":{"7":3},"clientId":null}]`},
			func(ctx context.Context, c *service.Client) (any, error) {
				return memories.Of(c).List(ctx, memories.Filter{Name: "Ma", TargetLanguage: "de"})
			},
			[]memories.Memory{{ID: "m", Name: "Main", SourceLanguage: "en", TargetLanguages: []string{"de"},
				IsAutomaticallyCreated: true, UnitCountByLanguageID: map[string]float64{"7": 3}}},
			"GET /v1/translationmemory?batchSize=100&searchName=Ma&targetLanguage=de"},
		{"project memories", []string{`[{"id":"m","matchThreshold":75,"targetLanguageId":null,"isWritable":true}]`,
			`[{"Id":"m","MatchThreshold":75.0,"IsWritable":true}]`},
			func(ctx context.Context, c *service.Client) (any, error) { return memories.Of(c).Attached(ctx, "p") },
			[]memories.ProjectMemory{{ID: "m", MatchThreshold: 75, IsWritable: true}},
			"GET /v1/project/p/translationmemories"},
		{"glossaries",
			[]string{`[{"id":"g","name":"Default","languages":["en","de"],"units":3,"unitsPending":1,"isDefault":true,"clientId":null}]`},
			func(ctx context.Context, c *service.Client) (any, error) { return memories.GlossariesOf(c).List(ctx) },
			[]memories.Glossary{{ID: "g", Name: "Default", Languages: []string{"en", "de"}, Units: 3, UnitsPending: 1,
				IsDefault: true}}, "GET /v1/glossaries"},
		{"glossary exports", []string{`[{"id":"t","glossaryId":"g","completed":true}]`},
			func(ctx context.Context, c *service.Client) (any, error) {
				return memories.GlossariesOf(c).PendingExports(ctx)
			}, []memories.GlossaryExport{{ID: "t", GlossaryID: "g",
				Completed: true}}, "GET /v1/glossary/export/pendingTasks"},
		{"tasks", []string{
			`[{"id":"t","number":"T-1","status":"suppliersInvited","progressPercentage":12.5,"sourceLanguage":"en","targetLanguage":"de","stageType":"editing","stageId":"s","documentIds":["1_7"],
			   "individualAssignments":[{"userId":"u","rate":0.05,"currency":"EUR","status":"invited"}],"cost":{"value":1},"invitationStrategyType":"rocket"}]`,
			`[{"id":"t","number":"T-1","status":"SuppliersInvited","progressPercentage":12.5,"sourceLanguage":"en","targetLanguage":"de","stageType":"Editing","stageId":"s","documentIds":["1_7"],
			   "individualAssignments":[{"userId":"u","rate":0.05,"currency":"EUR","status":"Invited"}],"cost":{"value":1},"invitationStrategyType":"rocket"}]`,
		}, func(ctx context.Context, c *service.Client) (any, error) {
			return documents.TasksOf(c).List(ctx, "p", documents.TaskFilter{Currency: "EUR"})
		}, []documents.Task{{
			ID: "t", Number: "T-1", Status: wire.TaskInvited, ProgressPercentage: 12.5, SourceLanguage: "en", TargetLanguage: "de", StageType: "editing", StageID: "s", DocumentIDs: []string{"1_7"},
			IndividualAssignments: []wire.IndividualAssignment{{UserID: "u", Rate: 0.05, Currency: "EUR",
				Status: wire.AssignmentInvited}}, Cost: json.RawMessage(`{"value":1}`), InvitationStrategyType: "rocket",
		}}, "GET /v1/projectTask/p/list?currency=EUR&limit=50&skip=0"},
		{"team",
			[]string{`[{"id":"u","email":"a@b","firstName":"A","lastName":"B","services":[{"serviceType":"Translation","pricePerUnit":0.05}]}]`},
			func(ctx context.Context, c *service.Client) (any, error) { return documents.TasksOf(c).Team(ctx) },
			[]documents.TeamMember{{ID: "u", Email: "a@b", FirstName: "A", LastName: "B",
				Services: []wire.TeamService{{ServiceType: "Translation",
					PricePerUnit: 0.05}}}}, "POST /v1/account/searchMyTeam"},
		{"real-time translation",
			[]string{`{"translations":{"de":[{"translation":"Hallo","error":false,"segmentMetadata":null}]}}`,
				`{"Translations":{"DE":[{"Translation":"Hallo"}]}}`},
			func(ctx context.Context, c *service.Client) (any, error) {
				return memories.EnginesOf(c).Translate(ctx, hello())
			}, map[string][]memories.TranslatedText{"de": {{Translation: "Hallo"}}}, "POST /v1/smartTranslation/translate"},
		{"callback", []string{`{"url":"https://h/c","additionalHeaders":[{"name":"X","value":"y"}]}`,
			`{"Url":"https://h/c","AdditionalHeaders":[{"Name":"X","Value":"y"}]}`},
			func(ctx context.Context, c *service.Client) (any, error) { return c.Callbacks().Read(ctx) },
			service.Callback{URL: "https://h/c", AdditionalHeaders: []wire.CallbackHeader{{Name: "X", Value: "y"}}},
			"GET /v1/callback"},
		{"callback errors",
			[]string{`[{"created":"2026-11-20T10:00:00Z","url":"https://h/c/project/status","reason":"timeout","code":0,"content":null,"sourceIds":["p"]}]`},
			func(ctx context.Context, c *service.Client) (any, error) { return c.Callbacks().Errors(ctx, 5) },
			[]service.CallbackError{{Created: "2026-11-20T10:00:00Z", URL: "https://h/c/project/status",
				Reason: "timeout", SourceIDs: []string{"p"}}}, "GET /v1/callback/lastErrors?limit=5"},
		{"stored files",
			[]string{`{"items":[{"name":"a.txt","mime":"text/plain","path":"in/a.txt","size":3,"createdAt":"2026-11-20T10:00:00Z"}],"nextBatchKey":null}`},
			func(ctx context.Context, c *service.Client) (any, error) {
				return documents.StorageOf(c).List(ctx, "in/x y")
			}, []documents.StoredFile{{Name: "a.txt", Mime: "text/plain", Path: "in/a.txt", Size: 3,
				CreatedAt: "2026-11-20T10:00:00Z"}},
			"GET /v1/file-management/file-info-list/in/x%20y"},
	} {
		for _, answer := range c.answers {
			s := service.Serve(t, service.Say(200, answer))
			got, err := c.do(t.Context(), s.Client(t))
			if v := reflect.ValueOf(got); err == nil && v.Kind() == reflect.Slice &&
				v.Type() != reflect.TypeOf(c.want) {
				got = v.Convert(reflect.TypeOf(c.want)).Interface() // a wire.List
			}
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s, %.60s…\n got %+v, %v\nwant %+v", c.name, answer, got, err, c.want)
			}
			last := s.Seen()[len(s.Seen())-1]
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
		do         func(context.Context, *service.Client) error
		path, body string
	}{
		{"engines", func(ctx context.Context, c *service.Client) error {
			return memories.EnginesOf(c).Set(ctx, "p",
				[]memories.Engine{{ID: "engine:x", Name: "X", Languages: []string{"de", "fr"}}})
		}, "POST /v1/project/p/mt", `[{"id":"engine:x","languages":["de","fr"]}]`},
		{"memories", func(ctx context.Context, c *service.Client) error {
			return memories.Of(c).Attach(ctx, "p", []memories.ProjectMemory{{ID: "m", MatchThreshold: 75,
				TargetLanguageID: new(int), IsWritable: true}, {ID: "n", MatchThreshold: 100}})
		}, "POST /v1/project/p/translationmemories", `[{"id":"m","matchThreshold":75,"isWritable":true},{"id":"n","matchThreshold":100,"isWritable":false}]`},
		{"no memories", func(ctx context.Context, c *service.Client) error {
			return memories.Of(c).Attach(ctx, "p", nil)
		}, "POST /v1/project/p/translationmemories", `[]`},
		{"glossaries", func(ctx context.Context, c *service.Client) error {
			return memories.GlossariesOf(c).Attach(ctx, "p", []string{"g"})
		}, "PUT /v1/project/p/glossaries", `["g"]`},
		{"no glossaries", func(ctx context.Context, c *service.Client) error {
			return memories.GlossariesOf(c).Attach(ctx, "p", nil)
		}, "PUT /v1/project/p/glossaries", `[]`},
		{"fuzzy repetitions", func(ctx context.Context, c *service.Client) error {
			return documents.StatisticsOf(c).SetFuzzyRepetitions(ctx, "p", false)
		}, "PUT /v1/project/p/fuzzyRepetitions?withFuzzyMatches=false", ``},
		{"assignment", func(ctx context.Context, c *service.Client) error {
			return documents.TasksOf(c).Assign(ctx, "p", "t", []string{"u", "v"}, true)
		},
			"PUT /v1/projectTask/p/t/individual-assignment",
			`{"shouldAssignInShortlistStatus":true,"userIds":["u","v"]}`},
		{"deadline", func(ctx context.Context, c *service.Client) error {
			return documents.TasksOf(c).SetDeadline(ctx, "p", "t", time.Date(2026, 1, 2, 3, 4, 5,
				6, time.FixedZone("", 3600)))
		}, "PUT /v1/projectTask/p/t/deadline?deadline=2026-01-02T02%3A04%3A05Z", ``},
		{"no deadline", func(ctx context.Context, c *service.Client) error {
			return documents.TasksOf(c).SetDeadline(ctx, "p", "t", time.Time{})
		}, "PUT /v1/projectTask/p/t/deadline?deadline=", ``},
		{"callback", func(ctx context.Context, c *service.Client) error {
			return c.Callbacks().Set(ctx, service.Callback{URL: "https://h/c"})
		}, "POST /v1/callback", `{"url":"https://h/c","additionalHeaders":[]}`},
		{"meta info", func(ctx context.Context, c *service.Client) error {
			return documents.Of(c).SetMetaInfo(ctx, "1_7", `a"b`)
		}, "PUT /v1/document/updateMetaInfo?documentId=1_7", `"a\"b"`},
		{"export v1", func(ctx context.Context, c *service.Client) error {
			_, err := c.Strings().StartExportV1(ctx, "p", []string{"de"})
			return err
		}, "POST /v1/project/p/export", `{"languages":["de"]}`},
	} {
		s := service.Serve(t, service.Say(200, `"id"`))
		if err := c.do(t.Context(), s.Client(t)); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := s.Seen()[0]
		request := got.Method + " " + strings.TrimPrefix(got.Path, wire.Prefix)
		if q := got.Query.Encode(); q != "" {
			request += "?" + q
		}
		if request != c.path || got.Body != c.body {
			t.Errorf("%s: %s %s, want %s %s", c.name, request, got.Body, c.path, c.body)
		}
	}
	// Files and their models travel together, in one order.
	models := []service.DocumentModel{{ExternalID: "x", EnableOCR: &truth}, {}}
	files := func() []service.NewDocument {
		return []service.NewDocument{{text("a.md", "A"), models[0]}, {text("b/ü.md", "B"), models[1]}}
	}
	s := service.Serve(t, service.Say(200, `[]`), service.Say(200, `[]`), service.Say(200, `{"id":"p"}`),
		service.Say(200, `{"id":"p"}`))
	c := s.Client(t)
	_, err1 := documents.Of(c).Add(t.Context(), "p", files())
	_, err2 := documents.Of(c).Update(t.Context(), "1_7", text("a.md", "A2"),
		documents.DocumentUpdateModel{BilingualSettings: &wire.BilingualSettings{ConfirmMode: wire.ConfirmAtLast}})
	project := service.NewProject{Name: "n", SourceLanguage: "en", TargetLanguages: []string{"de"},
		Documents: true, Files: files()}
	_, err3 := c.Projects().Create(t.Context(), project)
	project.Files = files()
	project.Files[1].Model = project.Files[0].Model
	_, err4 := c.Projects().Create(t.Context(), project)
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
		if got := service.PartsOf(t, s.Seen()[i]); !reflect.DeepEqual(got, want) {
			t.Errorf("request %d: %q, want %q", i, got, want)
		}
	}
}

// What the service would refuse costs no request.
func TestOperationsRefusedHere(t *testing.T) {
	s := service.Serve(t, service.Say(200, `"id1"`))
	c := s.Client(t)
	ctx := t.Context()
	half, book := memories.ProjectMemory{ID: "m", MatchThreshold: 49}, memories.ProjectMemory{ID: "m",
		MatchThreshold: 75, IsWritable: true}
	for name, err := range map[string]error{
		"no documents":       second(documents.Of(c).Add(ctx, "p", nil)),
		"project with steps": second(documents.Of(c).Add(ctx, "../p", []service.NewDocument{{File: text("a", "A")}})),
		"files of a key project": second(c.Projects().Create(ctx, service.NewProject{Name: "n", SourceLanguage: "en",
			TargetLanguages: []string{"de"}, Files: []service.NewDocument{{File: text("a", "A")}}})),
		"nothing to delete": documents.Of(c).Delete(ctx),
		"list as an id":     documents.Of(c).Delete(ctx, "1_7,2_7"),
		"no export":         second(documents.Of(c).StartExport(ctx, documents.ExportRequest{})),
		"negative stage": second(documents.Of(c).StartExport(ctx,
			documents.ExportRequest{Documents: []string{"1_7"}, Stage: -1})),
		"low threshold": memories.Of(c).Attach(ctx, "p", []memories.ProjectMemory{half}),
		"same memory twice": memories.Of(c).Attach(ctx, "p", []memories.ProjectMemory{book,
			{ID: "m", MatchThreshold: 80}}),
		"threshold in between": memories.Of(c).Attach(ctx, "p",
			[]memories.ProjectMemory{{ID: "m", MatchThreshold: 75.5}}),
		"two writable": memories.Of(c).Attach(ctx, "p", []memories.ProjectMemory{book,
			{ID: "n", MatchThreshold: 80, IsWritable: true}}),
		"memory without name": second(memories.Of(c).Create(ctx, "", "en", []string{"de"})),
		"engine without id":   memories.EnginesOf(c).Set(ctx, "p", []memories.Engine{{Languages: []string{"de"}}}),
		"large glossary": second(memories.GlossariesOf(c).StartImport(ctx, "g",
			service.File{"a", wire.MaxGlossaryImport + 1, strings.NewReader("")}, false)),
		"team without limit": second(documents.TasksOf(c).SearchTeam(ctx, documents.TeamSearch{})),
		"team with 501":      second(documents.TasksOf(c).SearchTeam(ctx, documents.TeamSearch{Limit: 501})),
		"no user assigned":   documents.TasksOf(c).Assign(ctx, "p", "t", nil, false),
		"empty text": second(memories.EnginesOf(c).Translate(ctx,
			memories.TranslateRequest{SourceLanguage: "en", TargetLanguages: []string{"de"},
				Texts: []wire.TranslateText{{}}})),
		"callback to nowhere": c.Callbacks().Set(ctx, service.Callback{URL: "ftp://h"}),
		"header with a break": c.Callbacks().Set(ctx, service.Callback{URL: "http://h",
			AdditionalHeaders: []wire.CallbackHeader{{Name: "a", Value: "b\nc"}}}),
		"101 errors":            second(c.Callbacks().Errors(ctx, 101)),
		"path upwards":          second(documents.StorageOf(c).Download(ctx, "a/../b", io.Discard)),
		"no path":               second(documents.StorageOf(c).Download(ctx, "/", io.Discard)),
		"path with a backslash": documents.StorageOf(c).Delete(ctx, `a\b`),
	} {
		if err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if n := len(s.Seen()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// Many documents go in several requests, none of which has a query that services cut.
func TestManyDocuments(t *testing.T) {
	var ids []string
	for i := range 100 {
		ids = append(ids, fmt.Sprintf("%040d_%d", i, 1058))
	}
	s := service.Serve(t, service.Say(204, ""))
	if err := documents.Of(s.Client(t)).Delete(t.Context(), ids...); err != nil {
		t.Fatal(err)
	}
	var sent []string
	for _, call := range s.Seen() {
		if n := len(call.Query.Encode()); n > 2000 {
			t.Errorf("a query of %d characters", n)
		}
		sent = append(sent, call.Query["documentIds"]...)
	}
	if !slices.Equal(sent, ids) {
		t.Errorf("%d documents were sent", len(sent))
	}
	s = service.Serve(t, service.Say(200, `"t1"`), service.Say(400, `{"detail":"no"}`))
	jobs, err := documents.Of(s.Client(t)).StartExport(t.Context(), documents.ExportRequest{Documents: ids})
	if len(jobs) != 1 || jobs[0].ID != "t1" || !errors.Is(err, service.ErrRefused) {
		t.Errorf("jobs %+v, %v", jobs, err)
	}
}

// Another version of an operation is asked for where there is no other way, and only then.
func TestOtherVersions(t *testing.T) {
	s := service.Serve(t, service.Say(404, ""), service.Say(200, `[{"id":"1_7"}]`))
	if d, err := documents.Of(s.Client(t)).Update(t.Context(), "1_7", text("a", "A"),
		documents.DocumentUpdateModel{}); err != nil || len(d) != 1 {
		t.Error(d, err)
	}
	if calls := s.Seen(); len(calls) != 2 || calls[1].Path != wire.Prefix+wire.PathDocumentUpdateV2 ||
		calls[1].Query.Get("documentId") != "1" || service.PartsOf(t, calls[1])["file a"] != "A" {
		t.Errorf("calls %+v", calls)
	}
	s = service.Serve(t, service.Say(404, `{"detail":"no such document"}`))
	if _, err := documents.Of(s.Client(t)).Update(t.Context(), "1_7", text("a", "A"),
		documents.DocumentUpdateModel{}); !errors.Is(err, service.ErrNotFound) {
		t.Error(err)
	}
	s = service.Serve(t, service.Say(405, ""), service.Say(200,
		`[{"language":"de","statistics":[],"documents":[{"name":"a","statistics":[]}]}]`))
	if st, err := documents.StatisticsOf(s.Client(t)).TryByDocument(t.Context(), "p", false); err != nil || len(st) != 1 ||
		len(st[0].Documents) != 1 || s.Seen()[1].Path != wire.Prefix+"/v1/project/p/statistics" {
		t.Error(st, err)
	}
	s = service.Serve(t, service.Say(403, ""))
	if _, err := documents.StatisticsOf(s.Client(t)).TryByDocument(t.Context(), "p", false); !errors.Is(err,
		service.ErrAuth) || len(s.Seen()) != 1 {
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
	s := service.Serve(t, service.Say(200, records(0, 100)), service.Say(200, records(100, 1)))
	if m, err := memories.Of(s.Client(t)).List(t.Context(), memories.Filter{}); err != nil || len(m) != 101 ||
		s.Seen()[1].Query.Get("lastProcessedId") != "99" {
		t.Error(len(m), err)
	}
	s = service.Serve(t, service.Say(200, records(0, 100)), service.Say(204, ""))
	if m, err := memories.Of(s.Client(t)).List(t.Context(), memories.Filter{}); err != nil || len(m) != 100 {
		t.Error(len(m), err)
	}
	s = service.Serve(t, service.Say(200, records(0, 100)))
	if m, err := memories.Of(s.Client(t)).List(t.Context(), memories.Filter{}); err != nil ||
		len(m) != 100 || len(s.Seen()) != 2 {
		t.Error(len(m), err)
	}
	s = service.Serve(t, service.Say(200, records(0, 50)), service.Say(200, records(50, 50)), service.Say(200, `[]`))
	if tasks, err := documents.TasksOf(s.Client(t)).List(t.Context(), "p",
		documents.TaskFilter{Document: "1_7"}); err != nil || len(tasks) != 100 ||
		s.Seen()[2].Query.Get("skip") != "100" || s.Seen()[2].Query.Get("documentId") != "1_7" {
		t.Error(len(tasks), err)
	}
	s = service.Serve(t, service.Say(200, records(0, 500)), service.Say(200, records(500, 2)))
	if team, err := documents.TasksOf(s.Client(t)).Team(t.Context()); err != nil || len(team) != 502 ||
		!strings.Contains(s.Seen()[1].Body, `"skip":500`) {
		t.Error(len(team), err)
	}
	s = service.Serve(t, service.Say(200, `{"items":[{"name":"a"}],"nextBatchKey":"k"}`),
		service.Say(200, `{"items":[{"name":"b"}]}`))
	if files, err := documents.StorageOf(s.Client(t)).List(t.Context(), "x"); err != nil || len(files) != 2 ||
		s.Seen()[1].Query.Get("batchKey") != "k" {
		t.Error(files, err)
	}
	s = service.Serve(t, service.Say(200, `{"items":[{"name":"a"}],"nextBatchKey":"k"}`))
	if _, err := documents.StorageOf(s.Client(t)).List(t.Context(), "x"); !errors.Is(err, service.ErrUnusable) ||
		len(s.Seen()) != 2 {
		t.Error(len(s.Seen()), err)
	}
}

// What is not ready is waited for, in the words that each operation has for it; what failed is not.
func TestWaiting(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := service.Serve(t, service.Say(202, "building"), service.Say(204, ""),
		service.Say(200, `{"de":{"statistics":[]}}`))
	if st, err := documents.StatisticsOf(s.Client(t)).ByDocument(ctx, "p", false); err != nil ||
		len(st) != 1 || len(s.Seen()) != 3 {
		t.Errorf("%+v, %v", st, err)
	}
	s = service.Serve(t, service.Say(202, "building"),
		service.Say(422, `{"detail":"a.docx could not be disassembled"}`))
	if _, err := documents.StatisticsOf(s.Client(t)).Document(ctx, "1_7", false); !errors.Is(err, service.ErrRefused) ||
		!strings.Contains(err.Error(), "a.docx") {
		t.Error(err)
	}
	s = service.Serve(t, service.Say(200, `"newWord"`), service.Say(200, `"Completed"`))
	if err := memories.GlossariesOf(s.Client(t)).WaitImport(ctx, "t"); err != nil || len(s.Seen()) != 2 {
		t.Error(err)
	}
	s = service.Serve(t, service.Say(200, `"faulted"`))
	if err := memories.GlossariesOf(s.Client(t)).WaitImport(ctx, "t"); !errors.Is(err, service.ErrTaskFailed) {
		t.Error(err)
	}
	var book strings.Builder
	s = service.Serve(t, service.Say(400, `{"detail":"not ready"}`), service.Say(200, "PK\x03\x04book"))
	if n, err := memories.GlossariesOf(s.Client(t)).Download(ctx, "t", &book); err != nil || n != 8 ||
		book.String() != "PK\x03\x04book" {
		t.Error(n, err)
	}
	s = service.Serve(t, service.Say(400, `{"detail":"not ready"}`))
	if _, err := memories.GlossariesOf(s.Client(t)).TryDownload(ctx, "t", &book); !errors.Is(err,
		service.ErrNotReady) || errors.Is(err, service.ErrRefused) {
		t.Error(err)
	}
	s = service.Serve(t, service.Say(500, ""))
	if _, err := memories.GlossariesOf(s.Client(t)).Download(ctx, "t", io.Discard); !errors.Is(err,
		service.ErrExportFailed) || len(s.Seen()) != service.Attempts {
		t.Error(len(s.Seen()), err)
	}
	s = service.Serve(t, service.Say(200, "false"))
	if err := documents.TasksOf(s.Client(t)).Assign(ctx, "p", "t", []string{"u"},
		false); !errors.Is(err, service.ErrRefused) {
		t.Error(err)
	}
	s = service.Serve(t, service.Say(200, `{"translations":{"fr":[{"translation":"Salut"}]}}`))
	if _, err := memories.EnginesOf(s.Client(t)).Translate(ctx, hello()); !errors.Is(err, service.ErrUnusable) {
		t.Error(err)
	}
}

// A single document is what it is: a workbook is no archive of an export, a page of the web no error page. Several come
// as an archive.
func TestDownloadDocument(t *testing.T) {
	for name, c := range map[string]struct {
		kind, file, body string
		raw              bool
	}{
		"workbook": {"application/zip", "a.xlsx", service.Zipped(t, "xl/workbook.xml", "<x/>"), true},
		"web page": {"text/html", "a.html", "<html><p>Hallo</p></html>", true},
		"archive":  {"application/zip", "all.zip", service.Zipped(t, "a(de).txt", "Hallo"), false},
	} {
		s := service.Serve(t, service.Say(204, ""), service.Say(200, c.body, "Content-Type", c.kind,
			"Content-Disposition", `attachment; filename="`+c.file+`"; filename*=UTF-8''`+c.file))
		a, err := documents.Of(s.Client(t)).Download(t.Context(), "t", t.TempDir())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b, err := a.Entries[0].ReadAll()
		if a.Raw != c.raw || err != nil || c.raw && (string(b) != c.body || a.Entries[0].Name != c.file) ||
			!c.raw && string(b) != "Hallo" {
			t.Errorf("%s: %+v, %q, %v", name, a, b, err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}
