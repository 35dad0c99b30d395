package wire_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/service/wire"
	"pgregory.net/rapid"
)

// A word that is known is read in any case and written in one; one that is not known is kept; what is no word spoils
// nothing around it.
func TestWords(t *testing.T) {
	type record struct {
		Project     wire.ProjectStatus     `json:"project"`
		Document    wire.DocumentStatus    `json:"document"`
		Disassembly wire.DisassemblyStatus `json:"disassembly"`
		Stage       wire.StageStatus       `json:"stage"`
		Type        wire.StageType         `json:"type"`
		Task        wire.TaskStatus        `json:"task"`
		Assignment  wire.AssignmentStatus  `json:"assignment"`
		Row         wire.StatisticsName    `json:"row"`
		Rule        wire.RuleType          `json:"rule"`
		State       wire.TaskState         `json:"state"`
		After       string                 `json:"after"`
	}
	const written = `{"project":"inProgress","document":"targetUpdated","disassembly":"success","stage":"notAssigned","type":"lQAReview","task":"suppliersShortlisted",` +
		`"assignment":"invited","row":"contextMatch_102","rule":"mT","state":"completed","after":"x"}`
	rapid.Check(t, func(t *rapid.T) {
		spell := func(s string) string {
			return rapid.SampledFrom([]string{s, strings.ToUpper(s), strings.ToLower(s), strings.ToUpper(s[:1]) + s[1:],
				" " + s}).Draw(t, "spelling")
		}
		var words map[string]string
		if err := json.Unmarshal([]byte(written), &words); err != nil {
			t.Fatal(err)
		}
		for name, word := range words {
			if name != "after" {
				words[name] = spell(word)
			}
		}
		body, _ := json.Marshal(words)
		var r record
		if err := json.Unmarshal(body, &r); err != nil {
			t.Fatal(err)
		}
		if again, _ := json.Marshal(r); string(again) != written {
			t.Fatalf("%s was read as %s", body, again)
		}
	})
	var r record
	if err := json.Unmarshal(
		[]byte(`{"project":"someDay","document":7,"disassembly":null,"stage":{},"task":["x"],"after":"x"}`), &r); err != nil {
		t.Fatal(err)
	}
	if want := (record{Project: "someDay", After: "x"}); r != want {
		t.Errorf("read %+v", r)
	}
	if !wire.TaskStateFaulted.Ended() || !wire.TaskStateFailed.Failed() || wire.TaskState("someDay").Ended() ||
		wire.TaskStateCompleted.Failed() {
		t.Error("completed, failed and faulted are the end of a task, and nothing else")
	}
}

func TestDocumentID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		document, language := rapid.StringMatching(`[a-z0-9_-]{1,12}`).Draw(t, "document"),
			rapid.StringMatching(`[0-9]{1,5}`).Draw(t, "language")
		if d, l := wire.SplitDocumentID(wire.DocumentID(document, language)); d != document || l != language {
			t.Fatalf("%q and %q", d, l)
		}
	})
	if d, l := wire.SplitDocumentID("alone"); d != "alone" || l != "" {
		t.Errorf("%q and %q", d, l)
	}
}

// One object for all files, or one per file; both are read as what they are, and written back.
func TestDocumentProperties(t *testing.T) {
	for body, want := range map[string]wire.DocumentProperties{
		`{"externalId":"x"}`:      {ForAll: &wire.DocumentModel{ExternalID: "x"}},
		`{}`:                      {ForAll: &wire.DocumentModel{}},
		`[{},{"externalId":"x"}]`: {Each: []wire.DocumentModel{{}, {ExternalID: "x"}}},
	} {
		var got wire.DocumentProperties
		if err := json.Unmarshal([]byte(body), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
		if again, err := json.Marshal(got); err != nil || string(again) != body {
			t.Errorf("%s came back as %s, %v", body, again, err)
		}
	}
	if b, err := json.Marshal(wire.ProjectCreate{Name: "n"}); err != nil ||
		strings.Contains(string(b), "documentProperties") {
		t.Errorf("%s, %v", b, err)
	}
}

// The interface writes capital letters, the published description small ones: a reader of either finds its own.
func TestAvailableEngine(t *testing.T) {
	b, err := json.Marshal([]wire.AvailableEngine{{ID: "engine:x", Name: "X", Languages: []string{"de"}}})
	if want := `[{"Id":"engine:x","Name":"X","Languages":["de"],"id":"engine:x","name":"X","languages":["de"]}]`; err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
}

func TestListShapes(t *testing.T) {
	for body, want := range map[string]wire.List[int]{`[1,2]`: {1, 2}, `{"items":[1,2],"total":9}`: {1, 2},
		`{"Items":[]}`: {}, `[]`: {}} {
		var got wire.List[int]
		if err := json.Unmarshal([]byte(body), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", body, got, err)
		}
	}
	for _, body := range []string{`{}`, `{"items":null}`, `"x"`, `7`} {
		var got wire.List[int]
		if err := json.Unmarshal([]byte(body), &got); err == nil {
			t.Errorf("%s: taken as %v", body, got)
		}
	}
}

// Statistics by language and as a list are the same statistics.
func TestProjectStatisticsShapes(t *testing.T) {
	rows := []wire.StatisticsRow{{Name: wire.StatisticsTotal, Words: 3}}
	byLanguage, err := json.Marshal(wire.ProjectStatisticsV1{"fr": {Statistics: rows}, "de": {Statistics: rows}})
	if err != nil {
		t.Fatal(err)
	}
	want := wire.ProjectStatistics{{Language: "de", Statistics: rows}, {Language: "fr", Statistics: rows}}
	list, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range [][]byte{byLanguage, list} {
		var got wire.ProjectStatistics
		if err := json.Unmarshal(body, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
}

// Any JSON can be read as any record, or is refused with an error; what was read and written again is read as the same.
func FuzzRecords(f *testing.F) {
	for _, body := range []string{`{"id":"1_7","status":"Created","workflowStages":[{"progress":1.5}]}`,
		`[{"language":"de","statistics":[{"name":"total","words":3}]}]`,
		`{"de":{"statistics":[]},"x":7}`, `{"items":[{"id":"t"}]}`, `{"documentProperties":[{}],"name":7}`,
		`"completed"`,
		`{"state":1}`, `null`, `[`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, v := range []any{new(wire.Project), new(wire.Document),
			new(wire.ProjectCreate), new(wire.ProjectStatistics),
			new(wire.List[wire.Task]), new(wire.TaskState),
			new(wire.Engine), new(wire.List[wire.PretranslationRule]),
			new(wire.StoredFiles), new(wire.TranslateResponse),
			new(wire.List[wire.TeamMember])} {
			if json.Unmarshal(body, v) != nil {
				continue
			}
			written, err := json.Marshal(v)
			if err != nil {
				t.Fatalf("%T: %v", v, err)
			}
			again := reflect.New(reflect.TypeOf(v).Elem()).Interface()
			if err := json.Unmarshal(written, again); err != nil {
				t.Fatalf("%T: %s: %v", v, written, err)
			}
			if twice, err := json.Marshal(again); err != nil || string(twice) != string(written) {
				t.Fatalf("%T: %s, then %s, %v", v, written, twice, err)
			}
		}
	})
}
