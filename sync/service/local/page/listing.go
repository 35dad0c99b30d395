package page

import (
	"cmp"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/service/local/machine"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/words"
	"github.com/locsync/locsync/sync/service/wire"
)

// perPage is how many keys one page of a list has.
const perPage = 50

// projectRow is a project on the first page, with the languages that a person sees.
type projectRow struct {
	Project   *store.Project
	Keys      int
	Languages []progress
}

// Link leads to the keys of a language that wait for a translation.
func (p projectRow) Link(code, show string) template.URL {
	return scope{Project: p.Project.ID, Language: code, Show: show}.With()
}

// projects is the first page.
func (s *Service) projects(w http.ResponseWriter, _ *http.Request, v *visitor) error {
	var rows []projectRow
	err := s.Store.View(func(tx *store.Tx) error {
		var all []*store.Project
		err := store.EachProject(tx, func(p *store.Project) {
			if p.Type == wire.ProjectTypeLocalization && v.person.Sees(p.ID) {
				all = append(all, p)
			}
		})
		if err != nil {
			return err
		}
		slices.SortFunc(all, func(a, b *store.Project) int { return strings.Compare(a.Name, b.Name) })
		for _, p := range all {
			row, err := projectRowOf(tx, p, v.person)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return show(w, http.StatusOK, "projects", view{Visitor: v, Title: "Projects", Data: rows})
}

func projectRowOf(tx *store.Tx, p *store.Project, person *store.Person) (projectRow, error) {
	keys, languages, err := progressOf(tx, p)
	row := projectRow{Project: p, Keys: keys}
	for _, code := range p.Targets {
		if person.RoleIn(p.ID, code) != "" {
			row.Languages = append(row.Languages, languages[code])
		}
	}
	return row, err
}

// listing is a page of a list.
type listing struct {
	Scope                    scope
	Project                  *store.Project
	Filters                  []Filter
	Collections              []string // all of the project that have the language
	Keys                     []item
	Progress                 progress
	Engines                  []machine.Engine
	First, Previous, Forward template.URL // queries; empty where there is none
	Searching                bool         // Forward goes on with the search: not all of the page was filled
}

// Approvable reports whether the list may have texts that are approved many at once.
func (l listing) Approvable() bool {
	return slices.Contains([]string{showTodo, showDraft, showConfirmed, showAll}, l.Scope.Show)
}

// list is a page of the keys that a filter shows.
func (s *Service) list(w http.ResponseWriter, r *http.Request, v *visitor) error {
	p := scopeOf(r)
	var l listing
	err := s.Store.View(s.in(p, v, func(o *opened) error {
		from, back := position{}, false
		if at, ok := readPosition(r.FormValue("after")); ok {
			from = at
		} else if at, ok := readPosition(r.FormValue("before")); ok {
			from, back = at, true
		}
		f, err := o.walk(from, back, perPage)
		if err != nil {
			return err
		}
		l, err = o.listing(f, from, back)
		l.Engines = o.engines(s.Engines)
		return err
	}))
	if err != nil {
		return err
	}
	in := words.Of(w)
	said := cmp.Or(saved[r.FormValue("said")], in.Done(r.FormValue))
	if done := r.FormValue("done"); done != "" {
		said = strings.TrimSpace(in.Text(saved[done]) + " " + in.Text("There are no further keys here."))
	}
	title := l.Project.Name + ": " + in.Named(p.Language)
	return show(w, http.StatusOK, "list", view{Visitor: v, Title: title, Said: said, Data: l})
}

func (o *opened) listing(f found, from position, back bool) (l listing, err error) {
	l = listing{Scope: o.scope, Project: o.project, Filters: filters, Keys: f.items, Collections: o.languageIn}
	next, previous := f.last, from
	hasNext, hasPrevious := f.more, from.Row > 0
	if back {
		slices.Reverse(l.Keys)
		next, previous = from, f.last
		hasNext, hasPrevious = true, f.more
	}
	if n := len(l.Keys); n > 0 && back {
		next = l.Keys[n-1].At
	} else if n > 0 {
		previous = l.Keys[0].At
	}
	if hasNext {
		l.Forward = o.With("after", next.String())
		l.Searching = !back && len(l.Keys) < perPage
	}
	if hasPrevious {
		l.First, l.Previous = o.With(), o.With("before", previous.String())
	}
	l.Progress, err = o.progress()
	return l, err
}
