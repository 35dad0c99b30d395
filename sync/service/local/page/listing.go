package page

import (
	"cmp"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/service/local/findings"
	"github.com/locsync/locsync/sync/service/local/machine"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/words"
	"github.com/locsync/locsync/sync/service/wire"
)

// perPage is how many keys one page of a list has.
const perPage = 50

// projectRow is a project on the first page, with its languages.
type projectRow struct {
	ID, Name, Source string
	Keys             int
	Languages        []languageRow
}

type languageRow struct {
	Code                   string
	Final, Confirmed, Keys int
}

// Link leads to the keys of a language that wait for a translation.
func (p projectRow) Link(code, show string) template.URL {
	return scope{Project: p.ID, Language: code, Show: show}.With()
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
	row := projectRow{ID: p.ID, Name: p.Name, Source: p.Source}
	for _, code := range p.Targets {
		if person.RoleIn(p.ID, code) == "" {
			continue
		}
		row.Languages = append(row.Languages, languageRow{Code: code})
	}
	for _, name := range store.CollectionNames(tx, p.ID) {
		k, err := store.OpenCollection(tx, p.ID, name)
		if err != nil {
			return row, err
		}
		row.Keys += k.Keys
		for i := range row.Languages {
			l := &row.Languages[i]
			if slices.Contains(k.Targets, l.Code) {
				l.Keys += k.Keys
				l.Final += k.Counts[l.Code].Final
				l.Confirmed += k.Counts[l.Code].Confirmed
			}
		}
	}
	return row, nil
}

// listed is a key in a list.
type listed struct {
	Link            template.URL
	Key, Collection string
	Source, Text    string
	State           string
	Conflict        bool
	Rejected        bool
	Suggested       bool              // a person has another text
	Asked           bool              // a question waits for an answer
	Outdated        bool              // the source text has changed since it was translated
	Failing         *findings.Finding // what the first check says that does; nil: none
}

// listing is a page of a list.
type listing struct {
	Scope                    scope
	Project                  string
	Code, SourceCode         string
	Filters                  []Filter
	Collections              []string // all of the project that have the language
	Keys                     []listed
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
	title := l.Project + ": " + in.Named(l.Code)
	return show(w, http.StatusOK, "list", view{Visitor: v, Title: title, Said: said, Data: l})
}

func (o *opened) listing(f found, from position, back bool) (listing, error) {
	l := listing{Scope: o.scope, Project: o.project.Name, Code: o.Language,
		SourceCode: o.project.Source, Filters: filters}
	whole := o.scope
	whole.In = ""
	all, err := whole.open(o.tx, o.checks)
	if err != nil {
		return l, err
	}
	l.Collections = all.collections
	if l.Progress, err = o.progress(); err != nil {
		return l, err
	}
	last, first := f.last, from
	if back {
		slices.Reverse(f.items)
		last, first = from, f.last
	}
	for _, it := range f.items {
		l.Keys = append(l.Keys, o.listed(it))
	}
	if back && !f.more {
		first = position{}
	}
	if f.more || back {
		l.Forward = o.With("after", behind(f.items, last, back).String())
		l.Searching = !back && len(f.items) < perPage
	}
	if first.Row > 0 {
		l.First, l.Previous = o.With(), o.With("before", before(f.items, first, back).String())
	}
	return l, nil
}

// behind is where the page after this one begins.
func behind(items []item, last position, back bool) position {
	if back && len(items) > 0 {
		return items[len(items)-1].at
	}
	return last
}

// before is where the page before this one ends.
func before(items []item, first position, back bool) position {
	if !back && len(items) > 0 {
		return items[0].at
	}
	return first
}

func (o *opened) listed(it item) listed {
	l := listed{Link: o.With("at", it.at.String()), Key: it.row.Key, Collection: it.at.Collection,
		Source: shortened(it.row.Texts), State: it.state(), Conflict: it.offered != nil,
		Rejected: it.rejected(), Outdated: it.is != nil && len(it.is.Source) > 0,
		Suggested: it.suggested != nil, Asked: it.questions > 0}
	if it.is != nil {
		l.Text = shortened(it.is.Texts)
		if found := it.examine(it.is.Texts); len(found) > 0 {
			l.Failing = &found[0]
		}
	}
	return l
}

// progress is how far a language of a project has come.
type progress struct{ Final, Keys int }

func (o *opened) progress() (p progress, err error) {
	for _, name := range store.CollectionNames(o.tx, o.project.ID) {
		k, err := store.OpenCollection(o.tx, o.project.ID, name)
		if err != nil {
			return p, err
		}
		if slices.Contains(k.Targets, o.Language) {
			p.Keys += k.Keys
			p.Final += k.Counts[o.Language].Final
		}
	}
	return p, nil
}
