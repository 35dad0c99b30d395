package tasks

import (
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// The people that every account has, so that tasks can be assigned: who they are and what they do, from English into
// teamLanguages. The service interface has no call that changes a team, so they are not stored: the identifiers follow
// from the account's. Beside them are the people who translate in a browser.
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
func (s *Service) team() (out []wire.TeamMember, err error) {
	for _, person := range teamPeople {
		email := strings.ToLower(person.first + "." + person.last + "@example.com")
		m := wire.TeamMember{
			ID:        uuid.NewSHA1(uuid.NameSpaceOID, []byte(s.store.Account+"/"+email)).String(),
			Email:     email,
			FirstName: person.first,
			LastName:  person.last,
		}
		m.Services = services(person.services)
		out = append(out, m)
	}
	err = s.store.View(func(tx *store.Tx) error {
		people, err := store.OpenPeople(tx)
		if err != nil {
			return err
		}
		all, err := people.All()
		for _, person := range all {
			first, last, _ := strings.Cut(person.Name, " ")
			out = append(out, wire.TeamMember{ID: store.PersonID(s.store.Account, person.Name), FirstName: first,
				LastName: last, Services: services(teamPeople[0].services)})
		}
		return err
	})
	return out, err
}

func services(kinds []string) (all []wire.TeamService) {
	for _, kind := range kinds {
		for _, target := range teamLanguages {
			all = append(all, wire.TeamService{
				ServiceType: kind, SourceLanguage: "en", TargetLanguage: target, PricePerUnit: teamRate, Currency: teamCurrency,
			})
		}
	}
	return all
}

// searchTeam answers POST /v1/account/searchMyTeam. A member is found when one of its services fits everything that
// is asked of a service.
func (s *Service) searchTeam(c *api.Call) error {
	b, err := api.ReadObject(c)
	if err != nil {
		return err
	}
	skip, limit := api.Member[*int](b, "skip"), api.Member[*int](b, "limit")
	var ask wire.TeamSearch
	ask.SearchString = strings.ToLower(strings.TrimSpace(api.Member[string](b, "searchString")))
	ask.ServiceType = api.Member[string](b, "serviceType")
	ask.SourceLanguage = api.Member[string](b, "sourceLanguage")
	ask.TargetLanguage = api.Member[string](b, "targetLanguage")
	switch {
	case b.Err != nil:
		return b.Err
	case skip == nil:
		return api.Invalid("skip", "is missing; give how many members to pass over, 0 for none")
	case *skip < 0:
		return api.Invalid("skip", "%d is not a number of 0 or more", *skip)
	case limit == nil:
		return api.Invalid("limit", "is missing; give how many members to return, up to %d", wire.MaxTeamPerPage)
	case *limit < 1 || *limit > wire.MaxTeamPerPage:
		return api.Invalid("limit", "%d is not from 1 to %d", *limit, wire.MaxTeamPerPage)
	}
	for _, l := range []struct {
		field string
		code  *string
	}{{"sourceLanguage", &ask.SourceLanguage}, {"targetLanguage", &ask.TargetLanguage}} {
		if *l.code == "" {
			continue
		}
		if *l.code, err = api.LanguageCode(l.field, *l.code); err != nil {
			return err
		}
	}
	found, err := s.team()
	if err != nil {
		return err
	}
	found = slices.DeleteFunc(found, func(m wire.TeamMember) bool { return !fits(m, ask) })
	from := min(*skip, len(found))
	return c.Answer(http.StatusOK, found[from:min(from+*limit, len(found))])
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
