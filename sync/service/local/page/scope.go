package page

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/machine"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/terms"
	"github.com/locsync/locsync/sync/service/wire"
)

// Filters that are asked for by name.
const (
	showTodo         = "todo"
	showUntranslated = "untranslated"
	showDraft        = "draft"
	showConfirmed    = "confirmed"
	showFinal        = "final"
	showAll          = "all"
	showArchived     = "archived" // which no other filter shows
)

// Filter is a choice of a list, how it is named, and which keys it shows.
type Filter struct {
	Value, Title string
	shows        func(it item) bool
}

func all(item) bool { return true }

// filters are those of a list, which begins with the first.
var filters = []Filter{
	{Value: showTodo, Title: "To do", shows: func(it item) bool {
		return it.Is == nil || it.Is.State == store.Draft || it.Offered != nil || it.Suggested != nil
	}},
	{Value: showUntranslated, Title: "Untranslated", shows: func(it item) bool { return it.Is == nil }},
	{Value: showDraft, Title: "Draft", shows: func(it item) bool { return it.State() == showDraft }},
	{Value: showConfirmed, Title: "Confirmed", shows: func(it item) bool { return it.State() == showConfirmed }},
	{Value: showFinal, Title: "Final", shows: func(it item) bool { return it.State() == showFinal }},
	{Value: "rejected", Title: "Rejected", shows: item.Rejected},
	{Value: "suggested", Title: "Suggested", shows: func(it item) bool { return it.Suggested != nil }},
	{Value: "asked", Title: "With a question", shows: func(it item) bool { return it.Questions > 0 }},
	{Value: "outdated", Title: "Source changed", shows: item.Outdated},
	{Value: "conflict", Title: "Conflict", shows: func(it item) bool { return it.Offered != nil }},
	{Value: "failing", Title: "Failing a check", shows: func(it item) bool { return it.Failing() != nil }},
	{Value: showAll, Title: "All", shows: all},
	{Value: showArchived, Title: "Archived", shows: all}, // the collections are what is archived of them
}

// filterOf is the filter of a name; the first one where there is none.
func filterOf(name string) Filter {
	return filters[max(0, slices.IndexFunc(filters, func(f Filter) bool { return f.Value == name }))]
}

// scope is what a page is about: a project and language, and which of its keys.
type scope struct {
	Project, Language string
	In                string // the collection; empty: all
	Show, Q           string
}

// position is a key of a project: a row of a collection.
type position struct {
	Collection string
	Row        uint64
}

// String is how addresses carry it: the collection's name may have any characters.
func (p position) String() string { return strconv.FormatUint(p.Row, 10) + "." + p.Collection }

func readPosition(s string) (p position, ok bool) {
	number, name, found := strings.Cut(s, ".")
	n, err := strconv.ParseUint(number, 10, 64)
	return position{name, n}, found && err == nil
}

func scopeOf(r *http.Request) scope {
	p := scope{Project: r.FormValue("project"), Language: r.FormValue("language"), In: r.FormValue("in"),
		Show: filterOf(r.FormValue("show")).Value, Q: strings.TrimSpace(r.FormValue("q"))}
	return p
}

// With is the query of this scope with further parameters: names and values, one after the other. Its type tells the
// templates that it is escaped already.
func (p scope) With(more ...string) template.URL {
	q := url.Values{"project": {p.Project}, "language": {p.Language}, "show": {p.Show}}
	if p.In != "" {
		q.Set("in", p.In)
	}
	if p.Q != "" {
		q.Set("q", p.Q)
	}
	for i := 0; i+1 < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	return template.URL(q.Encode())
}

// Checks are what is configured for a key of a project, by its identifier, and a collection.
type Checks func(project, collection, key string) check.Settings

// opened is a scope within a transaction.
type opened struct {
	scope
	tx          *store.Tx
	project     *store.Project
	languageIn  []string // the collections that have the language, in order
	collections []string // and those of the scope
	open        map[string]*store.Keyspace
	terms       *terms.Terms // of the project's glossaries; nil: it has none, or they were not asked for
	checks      Checks
	also        func(it item) bool // what a walk finds beside; nil: all that is shown

	// of pages of one key
	person   *store.Person
	machines *machine.Engines
}

// glossaries reads the terms of the project's glossaries, once.
func (o *opened) glossaries() (_ *terms.Terms, err error) {
	if o.terms == nil && len(o.project.Glossaries) > 0 {
		o.terms, err = terms.Of(o.tx, o.project, o.Language)
	}
	return o.terms, err
}

// open checks that there is such a scope.
func (p scope) open(tx *store.Tx, checks Checks) (*opened, error) {
	project, err := store.ProjectIn(tx, p.Project)
	if err != nil {
		return nil, err
	}
	if project.Type != wire.ProjectTypeLocalization {
		return nil, api.Refuse(http.StatusNotFound, "The project %s translates documents, not keys.", project.Name)
	}
	if !slices.Contains(project.Targets, p.Language) {
		return nil, api.Refuse(http.StatusNotFound, "The project %s is not translated into %q.", project.Name, p.Language)
	}
	o := &opened{scope: p, tx: tx, project: project, checks: checks, open: map[string]*store.Keyspace{}}
	for _, name := range store.CollectionNames(tx, project.ID) {
		k, err := o.keyspace(name)
		if err != nil {
			return nil, err
		}
		if k == nil || !slices.Contains(k.Targets, p.Language) {
			continue
		}
		o.languageIn = append(o.languageIn, name)
		if p.In == "" || p.In == name {
			o.collections = append(o.collections, name)
		}
	}
	return o, nil
}

// keyspace opens a collection once, or what is archived of it; nil where there is none.
func (o *opened) keyspace(name string) (*store.Keyspace, error) {
	if k := o.open[name]; k != nil {
		return k, nil
	}
	k, err := store.OpenCollection(o.tx, o.project.ID, name)
	if k != nil && o.Show == showArchived {
		k = k.Aside()
	}
	if k != nil {
		o.open[name] = k
	}
	return k, err
}
