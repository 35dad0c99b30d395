package wire_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/locsync/locsync/sync/service/wire"
	"pgregory.net/rapid"
)

// What is written is read back as it was, in the one spelling that the service interface shows.
func TestImportResultRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.String(), 1, 3)
		want := wire.ImportResult{
			Status: rapid.SampledFrom([]wire.Status{wire.Pending, wire.InProgress, wire.Completed,
				wire.Failed}).Draw(t, "status"),
			FailedFileNames:      texts.Draw(t, "failed"),
			KeysCreated:          rapid.IntRange(0, 1<<30).Draw(t, "created"),
			KeysUpdated:          rapid.IntRange(0, 1<<30).Draw(t, "updated"),
			KeyValuesNotChanged:  rapid.IntRange(0, 1<<30).Draw(t, "same"),
			KeysWithoutSource:    rapid.IntRange(0, 1<<30).Draw(t, "orphans"),
			ConflictingKeyValues: rapid.MapOfN(rapid.String(), texts, 1, 3).Draw(t, "conflicts"),
			Errors: []wire.ImportError{{Error: rapid.String().Draw(t, "error"),
				FileName: rapid.String().Draw(t, "file")}},
		}
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"status", "errors", "failedFileNames", "keysCreated", "keysUpdated",
			"keyValuesNotChanged", "keysWithoutSource", "conflictingKeyValues"} {
			if !strings.Contains(string(b), `"`+name+`":`) {
				t.Errorf("no member %s in %s", name, b)
			}
		}
		var got wire.ImportResult
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("read %+v, wrote %+v", got, want)
		}
	})
}

func TestImportResultSpellings(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       wire.ImportResult
	}{
		{"published description", `{"status":"inProgress","failedFileNames":["a.json"],"keysDeleted":2}`,
			wire.ImportResult{Status: wire.InProgress, FailedFileNames: []string{"a.json"}, KeysDeleted: 2}},
		{"Pascal case", `{"Status":"Completed","KeysCreated":3}`,
			wire.ImportResult{Status: wire.Completed, KeysCreated: 3}},
		{"error as a string, unknown member, null",
			`{"status":"failed","errors":["broken"],"more":{},"conflictingKeyValues":null}`,
			wire.ImportResult{Status: wire.Failed, Errors: []wire.ImportError{{Error: "broken"}}}},
		{"unknown status is kept", `{"status":"Queued"}`, wire.ImportResult{Status: "queued"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got wire.ImportResult
			if err := json.Unmarshal([]byte(c.body), &got); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
	if wire.Status("queued").Ended() || wire.InProgress.Ended() || !wire.Failed.Ended() || !wire.Completed.Ended() {
		t.Error("only completed and failed are the end of an import")
	}
}

func TestIdentifier(t *testing.T) {
	for body, want := range map[string]wire.Identifier{
		`"abc"`:                         "abc",
		` "abc" `:                       "abc",
		`{"id":"abc","documentIds":[]}`: "abc",
		`{"taskId":"abc"}`:              "abc",
		`{"Id":"abc"}`:                  "abc",
		`{}`:                            "",
		`null`:                          "",
		`""`:                            "",
		`7`:                             "",
		`["abc"]`:                       "",
	} {
		var got wire.Identifier
		err := json.Unmarshal([]byte(body), &got)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: got %q, %v; want %q", body, got, err, want)
		}
	}
}

func TestProblemShapes(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       wire.Problem
	}{
		{"problem object",
			`{"type":"about:blank","title":"Bad Request","status":400,"detail":"language is missing","instance":"/v2"}`,
			wire.Problem{Type: "about:blank", Title: "Bad Request", Status: 400, Detail: "language is missing",
				Instance: "/v2"}},
		{"problem object, title only", `{"title":"Not Found","status":404,"traceId":"t-1"}`,
			wire.Problem{Title: "Not Found", Status: 404, Detail: "Not Found", RequestID: "t-1"}},
		{"validation problem",
			`{"title":"One or more","status":400,"errors":{"name":["is required","is short"],"":["bad"]}}`,
			wire.Problem{Title: "One or more", Status: 400, Detail: "bad; name: is required is short"}},
		{"file storage", `{"message":"no room","details":"10 MB","correlationId":"c-1"}`,
			wire.Problem{Detail: "no room", RequestID: "c-1"}},
		{"sender",
			`{"type":"sender","code":"E7","message":"no","requestId":"r-1","innerException":null,"statusCode":422}`,
			wire.Problem{Type: "sender", Code: "E7", Detail: "no", RequestID: "r-1", Status: 422}},
		{"older", `{"Message":"Project not found"}`, wire.Problem{Detail: "Project not found"}},
		{"bare string", `"plain"`, wire.Problem{Detail: "plain"}},
		{"bare string behind a line break", `"Exception 17\r\nThe project has no tasks"`,
			wire.Problem{Detail: "The project has no tasks"}},
		{"members of other types", `{"status":"400","detail":{"a":1},"title":["x"],"code":12,"message":"m"}`,
			wire.Problem{Code: "12", Detail: "m"}},
		{"no words", `{}`, wire.Problem{}},
		{"something else", `[1]`, wire.Problem{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got wire.Problem
			if err := json.Unmarshal([]byte(c.body), &got); err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// Any JSON is readable as a problem, and what was read can be written and read again unchanged.
func FuzzProblem(f *testing.F) {
	for _, body := range []string{`{"detail":"x","status":400}`, `"a\r\nb"`, `{"errors":{"a":["b"]}}`,
		`{"errors":{"a":[], " ":[" "], "b ":["c "]}}`, `{"Message":"x"}`, `null`, `{`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var p wire.Problem
		err := json.Unmarshal(body, &p)
		if (err == nil) != json.Valid(body) {
			t.Fatalf("valid %v, error %v", json.Valid(body), err)
		}
		if err != nil {
			return
		}
		if !utf8.ValidString(p.Detail) {
			t.Fatalf("detail %q is not UTF-8", p.Detail)
		}
		written, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var again wire.Problem
		if err := json.Unmarshal(written, &again); err != nil {
			t.Fatal(err)
		}
		if p.Detail != "" && again != p {
			t.Fatalf("read %+v, again %+v", p, again)
		}
	})
}
