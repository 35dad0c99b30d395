package local

import (
	"fmt"
	"net/http"
	"regexp"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// What an account may have of placeholders, and each of them.
const (
	mostPlaceholders = 1000
	longestRegex     = 1000
)

// getPlaceholders answers GET /v1/placeholders.
func (s *Service) getPlaceholders(c *api.Call) error {
	all, err := store.Read(s.store, store.Placeholders)
	return c.Reply(all, err)
}

// setPlaceholders answers PUT /v1/placeholders: the array replaces the one before, unless one of it is wrong.
func (s *Service) setPlaceholders(c *api.Call) error {
	list, err := api.ReadList(c)
	if err != nil {
		return err
	}
	if len(list) > mostPlaceholders {
		return api.Invalid("body", "it has %d placeholders, and %d are the most", len(list), mostPlaceholders)
	}
	all := make([]wire.Placeholder, len(list))
	for i, raw := range list {
		b, err := api.ReadMembers(fmt.Sprintf("body[%d]", i), raw)
		if err != nil {
			return err
		}
		all[i].Regex = api.Member[string](b, "regex")
		if b.Err != nil {
			return b.Err
		}
		if err := checkRegex("regex", all[i].Regex); err != nil {
			return err
		}
	}
	if err := s.store.Update(func(tx *store.Tx) error { return store.PutPlaceholders(tx, all) }); err != nil {
		return err
	}
	return c.Empty(http.StatusNoContent)
}

// checkPlaceholder answers GET /v1/placeholders/validate.
func (s *Service) checkPlaceholder(c *api.Call) error {
	text, _, err := c.Params.Raw(wire.QueryPlaceholder)
	if err != nil {
		return err
	}
	if err := checkRegex(wire.QueryPlaceholder, text); err != nil {
		return err
	}
	return c.Empty(http.StatusNoContent)
}

// checkRegex refuses what is not an expression, and one that finds an empty text, which would be everywhere.
func checkRegex(field, text string) error {
	if text == "" || len(text) > longestRegex {
		return api.Invalid(field, "want a regular expression of 1 to %d bytes", longestRegex)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return api.Invalid(field, "%q is not a regular expression: %v", text, err)
	}
	if re.MatchString("") {
		return api.Invalid(field, "%q finds an empty text", text)
	}
	return nil
}
