package page

import (
	"net/http"
	"strconv"
	"time"

	"github.com/locsync/locsync/sync/service/local/audit"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/words"
)

// auditPage is what was done, the newest first.
type auditPage struct {
	Notes        []*store.Note
	Newer, Older string // how many acts the pages beside this one leave out; empty: there is none

	projects map[string]string // their names by identifiers
	in       *words.Language
}

// Words are what a note says.
func (page auditPage) Words(n *store.Note) string { return audit.Words(page.in, n, page.projects) }

// auditLog shows managers what was done in the service, and by whom.
func (s *Service) auditLog(w http.ResponseWriter, r *http.Request, v *visitor) error {
	skip, _ := strconv.Atoi(r.FormValue("skip")) // what cannot be read is the first page
	skip = max(skip, 0)
	page := auditPage{projects: make(map[string]string), in: words.Of(w)}
	err := s.Store.View(func(tx *store.Tx) (err error) {
		err = store.EachProject(tx, func(p *store.Project) { page.projects[p.ID] = p.Name })
		if err == nil {
			page.Notes, err = store.Notes(tx, time.Time{}, time.Time{}, skip, perPage+1)
		}
		return err
	})
	if err != nil {
		return err
	}
	if len(page.Notes) > perPage {
		page.Notes, page.Older = page.Notes[:perPage], strconv.Itoa(skip+perPage)
	}
	if skip > 0 {
		page.Newer = strconv.Itoa(max(skip-perPage, 0))
	}
	return show(w, http.StatusOK, "audit", view{Visitor: v, Title: "What was done", Data: page})
}
