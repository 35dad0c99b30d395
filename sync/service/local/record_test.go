package local

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// A project without documents has an empty list of them, a stage without people an empty list of those, and a row of
// statistics all of its numbers.
func TestEmptyMembers(t *testing.T) {
	s := serve(t, Options{})
	for _, p := range []string{s.create("en", "de"), s.documentsProject("de")} {
		var record map[string]json.RawMessage
		s.get("/v1/project/"+p).want(t, 200, &record)
		if string(record["documents"]) != "[]" {
			t.Errorf("documents: %s", record["documents"])
		}
	}
	p := s.documentsProject("de")
	s.added(p, "", file{"a.txt", "One.\n"})
	if project := string(s.get("/v1/project/" + p).body); !strings.Contains(project, `"executives":[]`) {
		t.Errorf("a stage has no list of executives: %s", project)
	}
	s.post("/v1/project/"+p+"/statistics/build", "")
	var body string
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		a := s.get("/v2/project/" + p + "/statistics")
		if body = string(a.body); a.status == 200 {
			break
		}
	}
	if rows, members := strings.Count(body, `"charsWithSpaces"`),
		strings.Count(body, `"effectiveWordsForBilling"`); rows == 0 || members != rows {
		t.Errorf("%d rows, %d with effectiveWordsForBilling: %s", rows, members, body)
	}
}
