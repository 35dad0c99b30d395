package web

import (
	"fmt"
	"io"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/report"
	"pgregory.net/rapid"
)

// manyStatuses are n projects, of which some fail, some need attention and most are in step.
func manyStatuses(n int) []report.ProjectStatus {
	all := make([]report.ProjectStatus, n)
	for i := range all {
		all[i] = report.ProjectStatus{Name: fmt.Sprintf("project-%04d", i), State: "everything is pushed",
			Languages: []report.LanguageStatus{{Language: "de", Keys: 300}, {Language: "fr", Keys: 290, Missing: 10}},
			Files:     []report.FileStatus{{Path: "locales/en/app.json", Keys: 300}}}
		switch {
		case i%97 == 0:
			all[i].LastPush = &report.Past{Result: report.ResultFailed, Error: "no way"}
		case i%31 == 0:
			all[i].Problems = []report.Problem{{Code: "syntax", Problem: "does not parse"}}
		case i%7 == 0:
			all[i].Pending = 3
		}
	}
	return all
}

// The pages of any size are the whole, in one order, what needs attention first; a part of it says how many there are.
func TestChosen(t *testing.T) {
	now := time.Now()
	rapid.Check(t, func(t *rapid.T) {
		all := manyStatuses(rapid.IntRange(0, 300).Draw(t, "projects"))
		limit := rapid.IntRange(1, 100).Draw(t, "limit")
		asked := url.Values{"sort": {"attention"},
			"q": {rapid.SampledFrom([]string{"", "project", "-00", "FAILING", "none"}).Draw(t,
				"query")}}
		whole, err := chosen(report.Status{Projects: all}, asked)
		if err != nil || whole.Total != nil {
			t.Fatal(whole.Total, err)
		}
		var got []report.ProjectStatus
		for asked.Set("limit", fmt.Sprint(limit)); ; {
			asked.Set("offset", fmt.Sprint(len(got)))
			part, err := chosen(report.Status{Projects: all}, asked)
			if err != nil || part.Total == nil || *part.Total != len(whole.Projects) || len(part.Projects) > limit {
				t.Fatalf("%+v, %v", part, err)
			}
			if len(part.Projects) == 0 {
				break
			}
			got = append(got, part.Projects...)
		}
		if len(got) != len(whole.Projects) {
			t.Fatalf("%d in parts, %d in all", len(got), len(whole.Projects))
		}
		for i := range got {
			if got[i].Name != whole.Projects[i].Name || i > 0 && healthOf(got[i-1], now) < healthOf(got[i], now) {
				t.Fatalf("%d: %s", i, got[i].Name)
			}
		}
	})
	for _, bad := range []url.Values{{"limit": {"-1"}}, {"offset": {"x"}}, {"sort": {"name"}}} {
		if _, err := chosen(report.Status{}, bad); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
}

// What the page of 5,000 projects costs, with the status at hand. The floor is the same page of one.
func BenchmarkPageOfMany(b *testing.B) {
	s, _ := newServer(b)
	for _, n := range []int{1, 5000} {
		projects := manyStatuses(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				v := view{Now: time.Now()}
				assemble(s).page.fill(b.Context(), &v, projects, url.Values{"q": {"project"}})
				answer := httptest.NewRecorder()
				if assemble(s).page.write(answer, 200, "page", v); answer.Code != 200 {
					b.Fatal(answer.Code)
				}
				_, _ = io.Copy(io.Discard, answer.Body)
			}
		})
	}
}
