package local

import (
	"net/http"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/config/languages"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// ownRoutes are the calls that are answered here, by path.
func (s *Service) ownRoutes() map[string]api.Methods {
	return map[string]api.Methods{
		wire.PathAccount:          {"GET": s.getAccount},
		wire.PathBalance:          {"GET": s.getBalance},
		wire.PathAudit:            {"GET": s.getAudit},
		wire.PathDirectory:        {"GET": s.getDirectory},
		wire.PathDirectoryV1:      {"GET": s.getDirectory},
		wire.PathSmartTranslation: {"POST": s.translate},
		wire.PathPlaceholders:     {"GET": s.getPlaceholders, "PUT": s.setPlaceholders},
		wire.PathPlaceholderCheck: {"GET": s.checkPlaceholder},
	}
}

// getAccount answers GET /v1/account, which the interface does not have but clients call first.
func (s *Service) getAccount(c *api.Call) error {
	return c.Answer(http.StatusOK, wire.Account{ID: s.store.Account, Name: s.store.Account, Type: "company"})
}

// getBalance answers GET /v1/smartwords/balance. Nothing costs anything, so that it stays what it was set to.
func (s *Service) getBalance(c *api.Call) error {
	return c.Answer(http.StatusOK, wire.Balance{Balance: float64(s.o.Balance)})
}

// getAudit answers GET /v1/audit/logs, the newest entries first.
func (s *Service) getAudit(c *api.Call) error {
	var from, to time.Time
	var page, size int
	var err error
	api.Into(&from, &err)(c.Params.Time(wire.QueryStartTime))
	api.Into(&to, &err)(c.Params.Time(wire.QueryEndTime))
	api.Into(&page, &err)(c.Params.Count(wire.QueryPageNumber, 1))
	api.Into(&size, &err)(c.Params.Count(wire.QueryPageSize, wire.MaxAuditPerPage))
	switch {
	case err != nil:
		return err
	case page < 1 || page > 1_000_000:
		return api.Invalid(wire.QueryPageNumber, "%d is not a page; they begin with 1", page)
	case size < 1 || size > wire.MaxAuditPerPage:
		return api.Invalid(wire.QueryPageSize, "%d is not from 1 to %d", size, wire.MaxAuditPerPage)
	}
	out := []wire.AuditEntry{}
	err = s.store.View(func(tx *store.Tx) error {
		notes, err := store.Notes(tx, from, to, (page-1)*size, size)
		for _, n := range notes {
			entry := wire.AuditEntry{Time: api.Timestamp(n.At), Type: n.Type, Payload: n.What, UserNickName: n.By}
			if n.By != "" {
				entry.UserID = store.PersonID(s.store.Account, n.By)
			}
			out = append(out, entry)
		}
		return err
	})
	return c.Reply(out, err)
}

// getDirectory answers GET /v2/directory?type=language: the languages there are.
func (s *Service) getDirectory(c *api.Call) error {
	kind, given, err := c.Params.Word(wire.QueryDirectoryType)
	if err != nil {
		return err
	}
	if !given || !strings.EqualFold(kind, wire.DirectoryTypeLanguage) {
		return api.Invalid(wire.QueryDirectoryType, "this service has a directory of type %q only",
			wire.DirectoryTypeLanguage)
	}
	out := wire.Directory{Type: wire.DirectoryTypeLanguage}
	for _, l := range languages.All() {
		out.Items = append(out.Items, wire.DirectoryItem{ID: l.Code, Name: l.Name})
	}
	return c.Answer(http.StatusOK, out)
}
