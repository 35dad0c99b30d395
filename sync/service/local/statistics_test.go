package local

import (
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

// statistics waits for statistics that are being built.
func (s *server) statistics(path string, out any) {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		a := s.get(path)
		if a.status == 202 {
			if kind := a.header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain") {
				s.t.Fatalf("202 with %s", kind)
			}
			continue
		}
		a.want(s.t, 200, out)
		return
	}
	s.t.Fatal("the statistics are never built")
}

// words are the rows of one language that have any, by name.
func (s *server) words(project, q string) map[string]float64 {
	s.t.Helper()
	var all map[string]wire.LanguageStatistics
	s.statistics("/v1/project/"+project+"/statistics"+q, &all)
	return rowWords(all["de"].Statistics)
}

func rowWords(rows []wire.StatisticsRow) map[string]float64 {
	out := map[string]float64{}
	for _, r := range rows {
		if r.Words > 0 {
			out[string(r.Name)] = r.Words
		}
	}
	return out
}

func (s *server) rebuilt(project string) {
	s.t.Helper()
	s.post("/v1/project/"+project+"/statistics/build", "").want(s.t, 202, nil)
}

// Every segment counts in one row, and all rows together are the total; percent and pages follow.
func TestStatisticsRows(t *testing.T) {
	s := serve(t, Options{})
	m := s.memory("tm", "en", "de")
	first := s.documentsProject("de")
	s.attached(first, m)
	id := s.added(first, "",
		file{
			"a.txt", "Alpha beta gamma delta.\nBefore this one stands.\nThe middle sentence is known.\nAfter that one stands.\nThe printer in the second office is out of paper.\n"})[0].ID
	s.translated(id, "&confirmTranslation=true", file{"a.txt", "A.\nB.\nC.\nD.\nE.\n"})

	p := s.documentsProject("de")
	s.attached(p, m)
	// 101 (4), 102 (5), 101 (4)
	s.added(p, "", file{"one.txt", "Before this one stands.\nThe middle sentence is known.\nAfter that one stands.\n" +
		"Unknown words are here.\nAlpha beta gamma delta.\nUnknown words are here.\n" + // new (4), 100 (4), repeated (4)
		"The printer in the second office is out of papers.\n" + // 98 % (10)
		"The printer in the third office is out of ink.\n"}, // 79 % (10)
		file{"two.txt", "Unknown words are here.\n"}) // repeated in another file (4)
	if a := s.get("/v2/project/" + p + "/statistics"); a.status != 202 {
		t.Errorf("the first call: %d %s", a.status, a.body)
	}
	want := map[string]float64{"contextMatch_101": 8, "contextMatch_102": 5, "newWords": 4, "match_100": 4,
		"repetitions": 4, "match_95_99": 10, "match_75_84": 10, "crossFileRepeated": 4, "total": 49}
	if got := s.words(p, ""); !maps.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	want["newWords"] += 20
	delete(want, "match_95_99")
	delete(want, "match_75_84")
	if got := s.words(p, "?onlyExactMatches=true"); !maps.Equal(got, want) {
		t.Errorf("only exact: %v\nwant %v", got, want)
	}
	var v2 wire.ProjectStatistics
	s.statistics("/v2/project/"+p+"/statistics", &v2)
	if len(v2) != 1 || v2[0].Language != "de" || len(v2[0].Documents) != 2 || v2[0].Documents[0].Name != "one" ||
		rowWords(v2[0].Documents[1].Statistics)["crossFileRepeated"] != 4 {
		t.Errorf("%+v", v2)
	}
	percent, segments := 0.0, 0.0
	for _, r := range v2[0].Statistics {
		if r.Name != wire.StatisticsTotal {
			percent += r.Percent
			segments += r.Segments
		} else if r.Percent != 100 || r.Segments != 9 || segments != 9 || percent < 99.9 || percent > 100.1 ||
			r.Pages != 0.2 || r.CharsWithSpaces <= r.CharsWithoutSpaces {
			t.Errorf("%+v after %v %% of %v segments", r, percent, segments)
		}
	}
	if len(v2[0].Statistics) != 12 {
		t.Errorf("%d rows, want all twelve", len(v2[0].Statistics))
	}
}

// The statistics of a document are its own.
func TestDocumentStatistics(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de", "fr")
	docs := s.added(p, "", file{"a.txt", "One two.\n"}, file{"b.txt", "Three.\n"})
	var one wire.DocumentStatistics
	s.statistics("/v1/document/statistics?documentId="+docs[2].ID, &one)
	if got := rowWords(one.Statistics); one.Name != "b" || !maps.Equal(got,
		map[string]float64{"newWords": 1, "total": 1}) {
		t.Errorf("%s: %v", one.Name, got)
	}
	check(t, s.get("/v1/document/statistics"), 400, "documentId")
	check(t, s.get("/v1/document/statistics?documentId="+docs[0].ID+"&onlyExactMatches=perhaps"), 400,
		"onlyExactMatches")
}

// Texts much like earlier ones of the project count as matches once that is switched on and the statistics are built
// anew, and not a moment earlier.
func TestFuzzyRepetitions(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de")
	s.added(p, "",
		file{"a.txt",
			"The printer in the second office is out of paper.\nThe printer in the second office is out of papers.\n"})
	off := map[string]float64{"newWords": 20, "total": 20}
	on := map[string]float64{"newWords": 10, "match_95_99": 10, "total": 20}
	put := func(q string) reply {
		return s.call("PUT", wire.Prefix+"/v1/project/"+p+"/fuzzyRepetitions"+q, "", nil)
	}
	if got := s.words(p, ""); !maps.Equal(got, off) {
		t.Errorf("%v", got)
	}
	put("?withFuzzyMatches=true").want(t, 204, nil)
	if got := s.words(p, ""); !maps.Equal(got, off) {
		t.Errorf("before the build: %v", got)
	}
	s.rebuilt(p)
	if got := s.words(p, ""); !maps.Equal(got, on) {
		t.Errorf("switched on: %v", got)
	}
	s.call("PUT", wire.Prefix+"/v1/project/"+p+"/fuzzyRepetitions", "application/json",
		strings.NewReader(`{"withFuzzyMatches":false}`)).want(t, 204, nil)
	s.rebuilt(p)
	if got := s.words(p, ""); !maps.Equal(got, off) {
		t.Errorf("switched off: %v", got)
	}
	check(t, put(""), 400, "withFuzzyMatches")
	check(t, put("?withFuzzyMatches=maybe"), 400, "withFuzzyMatches")
	check(t, s.call("PUT", wire.Prefix+"/v1/project/"+p+"/fuzzyRepetitions", "application/json",
		strings.NewReader(`{"withFuzzyMatches":1}`)), 400, "withFuzzyMatches")
}

// Statistics that lack a document are built anew without being asked.
func TestStatisticsFollowDocuments(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de")
	if got := s.words(p, ""); len(got) != 0 {
		t.Errorf("%v", got)
	}
	id := s.added(p, "", file{"a.txt", "One two.\n"})[0].ID
	if got := s.words(p, ""); got["total"] != 2 {
		t.Errorf("%v", got)
	}
	s.sendParts("PUT", "/v1/document/update?documentId="+id, "", "", file{"a.txt", "One two three.\n"}).want(t, 200,
		nil)
	if got := s.words(p, ""); got["total"] != 3 {
		t.Errorf("%v", got)
	}
	s.call("DELETE", wire.Prefix+"/v1/document?documentIds="+id, "", nil).want(t, 204, nil)
	if got := s.words(p, ""); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// There is a task for each language and stage from the first document on; it is assigned, has a deadline, and is as far
// as its documents are.
func TestTasks(t *testing.T) {
	now := clockAt(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	s := serve(t, Options{Now: func() time.Time { return now.add(0) }})
	p := s.createWith(map[string]any{"name": "docs", "sourceLanguage": "en", "targetLanguages": []string{"de", "fr"},
		"assignToVendor": false, "workflowStages": []string{"translation", "editing"}})
	list := func(q string) (tasks []wire.Task) {
		t.Helper()
		s.get("/v1/projectTask/"+p+"/list?currency=usd"+q).want(t, 200, &tasks)
		return tasks
	}
	if tasks := list(""); len(tasks) != 0 {
		t.Errorf("tasks without documents: %+v", tasks)
	}
	docs := s.added(p, "", file{"a.txt", "One two.\n"}, file{"b.txt", "Three four.\n"})
	tasks := list("")
	var have []string
	for _, task := range tasks {
		have = append(have, task.TargetLanguage+" "+string(task.StageType))
	}
	if want := []string{"de translation", "de editing", "fr translation", "fr editing"}; !slices.Equal(have, want) {
		t.Errorf("%v, want %v", have, want)
	}
	if a := tasks[0]; a.Status != wire.TaskCreated || a.Number == "" || a.SourceLanguage != "en" ||
		!slices.Equal(a.DocumentIDs, []string{docs[0].ID, docs[2].ID}) ||
		a.CreateDate != "2026-05-01T12:00:00Z" || a.ProgressPercentage != 0 || a.Number == tasks[1].Number {
		t.Errorf("%+v", a)
	}
	if page := list("&skip=1&limit=2"); len(page) != 2 || page[0].ID != tasks[1].ID {
		t.Errorf("%+v", page)
	}
	if some := list("&documentId=" + docs[1].ID); len(some) != 2 || some[0].TargetLanguage != "fr" {
		t.Errorf("%+v", some)
	}

	var team []wire.TeamMember
	s.post("/v1/account/searchMyTeam", `{"skip":0,"limit":10}`).want(t, 200, &team)
	assign := func(task wire.Task, body string) reply {
		return s.call("PUT", wire.Prefix+"/v1/projectTask/"+p+"/"+task.ID+"/individual-assignment", "application/json",
			strings.NewReader(body))
	}
	for i, c := range []struct {
		body   string
		status wire.TaskStatus
	}{
		{`{"shouldAssignInShortlistStatus":true,"userIds":["` + team[0].ID + `"]}`, wire.TaskShortlisted},
		{`{"shouldAssignInShortlistStatus":false,"userIds":["` + team[0].ID + `","` + team[1].ID + `"]}`,
			wire.TaskInvited},
		{`{"shouldAssignInShortlistStatus":false,"userIds":["` + team[0].ID + `"]}`, wire.TaskInProgress},
	} {
		var done bool
		assign(tasks[i], c.body).want(t, 200, &done)
		if got := list("")[i]; !done || got.Status != c.status || got.IndividualAssignments[0].UserID != team[0].ID ||
			got.IndividualAssignments[0].Currency != "USD" || got.InvitationStrategyType == "" {
			t.Errorf("%s: %+v", c.body, got)
		}
	}
	if d := s.document(docs[0].ID); len(d.WorkflowStages[0].Executives) != 1 ||
		d.WorkflowStages[0].Executives[0].ID != team[0].ID || d.WorkflowStages[0].Status != wire.StageAssigned {
		t.Errorf("%+v", d.WorkflowStages)
	}
	deadline := func(q string) reply {
		return s.call("PUT", wire.Prefix+"/v1/projectTask/"+p+"/"+tasks[0].ID+"/deadline"+q, "", nil)
	}
	var done bool
	deadline("?deadline=2026-06-01T14:00:00%2B02:00").want(t, 200, &done)
	if got := list("")[0].Deadline; got != "2026-06-01T12:00:00Z" || !done {
		t.Errorf("%q", got)
	}
	now.add(time.Hour)
	s.translated(docs[0].ID, "&confirmTranslation=true", file{"a.txt", "Eins zwei.\n"})
	if got := list("")[0]; got.ProgressPercentage != 50 {
		t.Errorf("%+v", got)
	}
	s.translated(docs[2].ID, "&confirmTranslation=true", file{"a.txt", "Drei vier.\n"})
	if got := list("")[0]; got.ProgressPercentage != 100 || got.Status != wire.TaskCompleted {
		t.Errorf("%+v", got)
	}
	s.sendParts("PUT", "/v1/document/update?documentId="+docs[0].ID, "", "", file{"a.txt", "Other.\n"}).want(t, 200,
		nil)
	if got := list(""); got[0].LastUpdateScopeDate != "2026-05-01T13:00:00Z" ||
		got[2].LastUpdateScopeDate != "2026-05-01T12:00:00Z" {
		t.Errorf("%s, %s", got[0].LastUpdateScopeDate, got[2].LastUpdateScopeDate)
	}
	var work []wire.CompletedWork
	s.get("/v1/project/"+p+"/completedWorkStatistics").want(t, 200, &work)
	if len(work) != 4 || work[0].Executive.ID != team[0].ID || work[0].TargetLanguage != "de" ||
		work[0].Total[0].Words != 2 || len(work[0].Documents) != 2 {
		t.Errorf("%+v", work)
	}
	var assigned []wire.Project
	s.get("/v2/project/list?assignedToUserId="+team[0].ID).want(t, 200, &assigned)
	if len(assigned) != 1 {
		t.Errorf("%+v", assigned)
	}
	s.get("/v2/project/list?assignedToUserId="+team[2].ID).want(t, 200, &assigned)
	if len(assigned) != 0 {
		t.Errorf("%+v", assigned)
	}

	keys := s.create("en", "de")
	for name, c := range map[string]struct {
		a      reply
		status int
		field  string
	}{
		"no currency":      {s.get("/v1/projectTask/" + p + "/list"), 400, "currency"},
		"no currency code": {s.get("/v1/projectTask/" + p + "/list?currency=dollars"), 400, "currency"},
		"too many":         {s.get("/v1/projectTask/" + p + "/list?currency=USD&limit=51"), 400, "limit"},
		"project of keys":  {s.get("/v1/projectTask/" + keys + "/list?currency=USD"), 403, ""},
		"nobody":           {assign(tasks[0], `{"userIds":[]}`), 400, "userIds"},
		"a stranger":       {assign(tasks[0], `{"userIds":["`+team[0].ID+`","x"]}`), 400, "userIds"},
		"unknown task": {assign(wire.Task{ID: "0a0a0a0a-0000-4000-8000-0000000000aa"},
			`{"userIds":["`+team[0].ID+`"]}`), 404, ""},
		"malformed task":       {assign(wire.Task{ID: "7"}, `{"userIds":["`+team[0].ID+`"]}`), 400, "taskId"},
		"no deadline":          {deadline(""), 400, "deadline"},
		"a deadline in words":  {deadline("?deadline=tomorrow"), 400, "deadline"},
		"assignment by number": {assign(tasks[0], `{"userIds":7}`), 400, "userIds"},
	} {
		t.Run(name, func(t *testing.T) { check(t, c.a, c.status, c.field) })
	}
}

// The receiver is told of what happens to documents, each by its composite identifier.
func TestDocumentNotifications(t *testing.T) {
	to := newReceiver()
	h := httptest.NewServer(to)
	defer h.Close()
	s := serve(t, Options{})
	s.register(h.URL, `[]`)
	p := s.documentsProject("de")
	id := s.added(p, "", file{"a.txt", "One.\n"})[0].ID
	// completes the document, and begins the project
	s.translated(id, "&confirmTranslation=true", file{"a.txt", "Eins.\n"})
	s.sendParts("PUT", "/v1/document/update?documentId="+id, "", "", file{"a.txt", "Two.\n"}).want(t, 200, nil)
	var x wire.DocumentExport
	s.post("/v1/document/export?type=xliff&documentIds="+id, "").want(t, 200, &x)
	xliff := s.downloaded(x.ID)
	s.sendParts("PUT", "/v1/document/translateWithXliff?documentId="+id, "", "",
		file{"a.xliff", string(xliff.body)}).want(t, 202, nil)
	s.translationEnds(id, "completed")
	s.post("/v1/project/complete?projectId="+p, "").want(t, 204, nil)
	want := []string{
		"POST /document/exportRequestCompleted [\"" + x.ID + "\"]",
		"POST /document/status [\"" + id + "\"]", "POST /document/status [\"" + id + "\"]",
		"POST /document/status [\"" + id + "\"]",
		"POST /document/translationImportCompleted [\"" + id + "\"]",
		"POST /project/status [\"" + p + "\"]", "POST /project/status [\"" + p + "\"]",
	}
	var got []string
	for _, n := range to.wait(t, len(want)) {
		got = append(got, n.address+" "+n.body)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}
