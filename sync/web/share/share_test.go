package share

import (
	"context"
	"encoding/csv"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/sync/report"
)

// Law: whatever projects and languages are called, a badge is well-formed XML that says its percentage, and the table
// has a record of eight fields for each language.
func TestStrangeNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOfN(rapid.RuneFrom([]rune("a<&>\"'é,=\n")), 1, 6, -1).Draw(t, "name")
		l := report.LanguageStatus{Language: name, Keys: rapid.IntRange(0, 50).Draw(t, "keys"),
			Missing: rapid.IntRange(0, 50).Draw(t, "missing")}
		now := func(context.Context) report.Status {
			return report.Status{Projects: []report.ProjectStatus{{Name: "app",
				Languages: []report.LanguageStatus{l, {Language: "de", Keys: 1}}}}}
		}
		ask := func(handler http.HandlerFunc) string {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.SetPathValue("project", "app")
			r.SetPathValue("language", name+".svg")
			answer := httptest.NewRecorder()
			handler(answer, r)
			return answer.Body.String()
		}
		picture := ask(Badge(now))
		for d := xml.NewDecoder(strings.NewReader(picture)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%v in\n%s", err, picture)
			}
		}
		if whole := l.Keys > 0 && l.Missing == 0; strings.Contains(picture,
			"100 %") != (whole || l.Keys+l.Missing == 0) {
			t.Fatalf("%+v is drawn as\n%s", l, picture)
		}
		records, err := csv.NewReader(strings.NewReader(ask(Table(now)))).ReadAll()
		if err != nil || len(records) != 3 || len(records[1]) != 8 || records[1][1] != name {
			t.Fatalf("%v: %q", err, records)
		}
	})
}
