package local

import (
	"fmt"
	"testing"

	"github.com/locsync/locsync/sync/service/wire"
)

func (s *server) searchTeam(body string) (out []wire.TeamMember) {
	s.t.Helper()
	s.post(wire.PathTeam, body).want(s.t, 200, &out)
	return out
}

func TestTeam(t *testing.T) {
	s := serve(t, Options{})
	all := s.searchTeam(`{"skip":0,"limit":500}`)
	if len(all) < 2 {
		t.Fatalf("%d members, want two or more", len(all))
	}
	seen := map[string]bool{}
	for i, m := range all {
		if len(m.ID) != 36 || m.Email == "" || m.FirstName == "" || m.LastName == "" ||
			len(m.Services) == 0 || seen[m.ID] {
			t.Errorf("%+v", m)
		}
		seen[m.ID] = true
		page := s.searchTeam(fmt.Sprintf(`{"Skip":%d,"Limit":1}`, i))
		if len(page) != 1 || page[0].ID != m.ID {
			t.Errorf("page %d: %+v", i, page)
		}
	}
	for body, want := range map[string]int{
		`{"skip":500,"limit":1}`: 0,
		fmt.Sprintf(`{"skip":0,"limit":9,"searchString":%q}`, all[1].Email):          1,
		`{"skip":0,"limit":9,"searchString":"nobody"}`:                               0,
		`{"skip":0,"limit":9,"serviceType":"Proofreading","targetLanguage":"PT-br"}`: 1,
		`{"skip":0,"limit":9,"sourceLanguage":"de"}`:                                 0,
		`{"skip":0,"limit":9,"minRate":0,"daytime":null,"specializations":[]}`:       len(all),
	} {
		if got := s.searchTeam(body); len(got) != want {
			t.Errorf("%s: %d members, want %d", body, len(got), want)
		}
	}
	for body, field := range map[string]string{
		`{"limit":1}`:                                   "skip",
		`{"skip":0}`:                                    "limit",
		`{"skip":-1,"limit":1}`:                         "skip",
		`{"skip":0,"limit":0}`:                          "limit",
		`{"skip":0,"limit":501}`:                        "limit",
		`{"skip":"0","limit":1}`:                        "skip",
		`{"skip":0,"limit":1.5}`:                        "limit",
		`{"skip":0,"limit":1,"targetLanguage":"zz"}`:    "targetLanguage",
		`{"skip":0,"limit":1,"sourceLanguage":"pt_BR"}`: "sourceLanguage",
		`[]`: "body",
		``:   "body",
	} {
		check(t, s.post(wire.PathTeam, body), 400, field)
	}
	// Another account has other people.
	other := serve(t, Options{AccountID: "other"})
	if got := other.searchTeam(`{"skip":0,"limit":500}`); got[0].ID == all[0].ID {
		t.Error("two accounts share a member")
	}
}
