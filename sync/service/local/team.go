package local

import (
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/locsync/locsync/sync/service/wire"
)

// The people that every account has, so that tasks can be assigned: who they are and what they do, from English into teamLanguages. The service
// interface has no call that changes a team, so it is not stored: the identifiers follow from the account's.
var teamPeople = []struct {
	first, last string
	services    []string
}{
	{"Alex", "Berger", []string{"translation", "postediting"}},
	{"Sam", "Laurent", []string{"editing", "proofreading"}},
	{"Kim", "Okafor", []string{"translation", "editing"}},
}

var teamLanguages = []string{"de", "fr", "es", "it", "pt-BR", "ja", "zh-Hans", "uk"}

// teamRate is what a word costs, in teamCurrency.
const (
	teamRate     = 0.1
	teamCurrency = "USD"
)

// team is the account's team.
func (s *tasksService) team() []wire.TeamMember {
	out := make([]wire.TeamMember, len(teamPeople))
	for i, person := range teamPeople {
		email := strings.ToLower(person.first + "." + person.last + "@example.com")
		m := wire.TeamMember{
			ID:        uuid.NewSHA1(uuid.NameSpaceOID, []byte(s.store.account+"/"+email)).String(),
			Email:     email,
			FirstName: person.first,
			LastName:  person.last,
		}
		for _, service := range person.services {
			for _, target := range teamLanguages {
				m.Services = append(m.Services, wire.TeamService{
					ServiceType: service, SourceLanguage: "en", TargetLanguage: target, PricePerUnit: teamRate, Currency: teamCurrency,
				})
			}
		}
		out[i] = m
	}
	return out
}

// searchTeam answers POST /v1/account/searchMyTeam. A member is found when one of its services fits everything that is asked of a service.
func (s *tasksService) searchTeam(c *call) error {
	raw, err := readBody(c, maxModel)
	if err != nil {
		return err
	}
	b, err := readMembers("body", raw)
	if err != nil {
		return err
	}
	skip, limit := member[*int](b, "skip"), member[*int](b, "limit")
	var ask wire.TeamSearch
	ask.SearchString = strings.ToLower(strings.TrimSpace(member[string](b, "searchString")))
	ask.ServiceType = member[string](b, "serviceType")
	ask.SourceLanguage = member[string](b, "sourceLanguage")
	ask.TargetLanguage = member[string](b, "targetLanguage")
	switch {
	case b.err != nil:
		return b.err
	case skip == nil:
		return invalid("skip", "is missing; give how many members to pass over, 0 for none")
	case *skip < 0:
		return invalid("skip", "%d is not a number of 0 or more", *skip)
	case limit == nil:
		return invalid("limit", "is missing; give how many members to return, up to %d", wire.MaxTeamPerPage)
	case *limit < 1 || *limit > wire.MaxTeamPerPage:
		return invalid("limit", "%d is not from 1 to %d", *limit, wire.MaxTeamPerPage)
	}
	for _, l := range []struct {
		field string
		code  *string
	}{{"sourceLanguage", &ask.SourceLanguage}, {"targetLanguage", &ask.TargetLanguage}} {
		if *l.code == "" {
			continue
		}
		if *l.code, err = languageCode(l.field, *l.code); err != nil {
			return err
		}
	}
	found := slices.DeleteFunc(s.team(), func(m wire.TeamMember) bool { return !fits(m, ask) })
	from := min(*skip, len(found))
	return c.json(http.StatusOK, found[from:min(from+*limit, len(found))])
}

// fits reports whether a member is one that is searched for.
func fits(m wire.TeamMember, ask wire.TeamSearch) bool {
	if !strings.Contains(strings.ToLower(m.FirstName+" "+m.LastName+" "+m.Email), ask.SearchString) {
		return false
	}
	return slices.ContainsFunc(m.Services, func(service wire.TeamService) bool {
		return (ask.ServiceType == "" || strings.EqualFold(ask.ServiceType, service.ServiceType)) &&
			(ask.SourceLanguage == "" || ask.SourceLanguage == service.SourceLanguage) &&
			(ask.TargetLanguage == "" || ask.TargetLanguage == service.TargetLanguage)
	})
}
