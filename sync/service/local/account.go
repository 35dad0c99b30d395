package local

import (
	"net/http"
	"strings"

	"github.com/locsync/locsync/sync/languages"
	"github.com/locsync/locsync/sync/service/wire"
)

// routes are the calls that are answered here, by path.
func (s *Service) ownRoutes() map[string]methods {
	return map[string]methods{
		wire.PathAccount:          {"GET": s.getAccount},
		wire.PathDirectory:        {"GET": s.getDirectory},
		wire.PathDirectoryV1:      {"GET": s.getDirectory},
		wire.PathSmartTranslation: {"POST": s.translate},
	}
}

// getAccount answers GET /v1/account, which the interface does not have but clients call first.
func (s *Service) getAccount(c *call) error {
	return c.json(http.StatusOK, wire.Account{ID: s.store.account, Name: s.store.account, Type: "company"})
}

// getDirectory answers GET /v2/directory?type=language: the languages there are.
func (s *Service) getDirectory(c *call) error {
	kind, given, err := c.params.word(wire.QueryDirectoryType)
	if err != nil {
		return err
	}
	if !given || !strings.EqualFold(kind, wire.DirectoryTypeLanguage) {
		return invalid(wire.QueryDirectoryType, "this service has a directory of type %q only", wire.DirectoryTypeLanguage)
	}
	out := wire.Directory{Type: wire.DirectoryTypeLanguage}
	for _, l := range languages.All() {
		out.Items = append(out.Items, wire.DirectoryItem{ID: l.Code, Name: l.Name})
	}
	return c.json(http.StatusOK, out)
}
