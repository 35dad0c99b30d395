package page

import (
	"net/http"
	"strconv"
	"time"

	"github.com/locsync/locsync/sync/service/local/audit"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/words"
)

// act is an entry of the audit log.
type act struct {
	At      int64
	By, Did string
}

// auditPage is what was done, the newest first.
type auditPage struct {
	Acts         []act
	Newer, Older string // how many acts the pages beside this one leave out; empty: there is none
}

// auditLog shows managers what was done in the service, and by whom.
func (s *Service) auditLog(w http.ResponseWriter, r *http.Request, v *visitor) error {
	skip, _ := strconv.Atoi(r.FormValue("skip")) // what cannot be read is the first page
	skip = max(skip, 0)
	var page auditPage
	err := s.Store.View(func(tx *store.Tx) error {
		projects := make(map[string]string)
		err := store.EachProject(tx, func(p *store.Project) { projects[p.ID] = p.Name })
		if err != nil {
			return err
		}
		notes, err := store.Notes(tx, time.Time{}, time.Time{}, skip, perPage+1)
		if err != nil {
			return err
		}
		if len(notes) > perPage {
			notes, page.Older = notes[:perPage], strconv.Itoa(skip+perPage)
		}
		for _, n := range notes {
			page.Acts = append(page.Acts, act{n.At, n.By, audit.Words(words.Of(w), n, projects)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if skip > 0 {
		page.Newer = strconv.Itoa(max(skip-perPage, 0))
	}
	return show(w, http.StatusOK, "audit", view{Visitor: v, Title: "What was done", Data: page})
}
