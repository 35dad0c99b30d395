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

// The filters of a list. The first is the one that a list begins with.
const (
	showTodo         = "todo"
	showUntranslated = "untranslated"
	showDraft        = "draft"
	showConfirmed    = "confirmed"
	showFinal        = "final"
	showRejected     = "rejected"
	showSuggested    = "suggested"
	showAsked        = "asked"
	showOutdated     = "outdated"
	showConflict     = "conflict"
	showFailing      = "failing"
	showAll          = "all"
	showArchived     = "archived" // which no other filter shows
)

// Filter is a choice of a list, and how it is named.
type Filter struct{ Value, Name string }

var filters = []Filter{
	{showTodo, "To do"}, {showUntranslated, "Untranslated"}, {showDraft, "Draft"}, {showConfirmed, "Confirmed"},
	{showFinal, "Final"}, {showRejected, "Rejected"}, {showSuggested, "Suggested"},
	{showAsked, "With a question"}, {showOutdated, "Source changed"},
	{showConflict, "Conflict"}, {showFailing, "Failing a check"},
	{showAll, "All"}, {showArchived, "Archived"},
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
		Show: r.FormValue("show"), Q: strings.TrimSpace(r.FormValue("q"))}
	if !slices.ContainsFunc(filters, func(f Filter) bool { return f.Value == p.Show }) {
		p.Show = filters[0].Value
	}
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
	collections []string // those that have the language, in order
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
		if k != nil && slices.Contains(k.Targets, p.Language) && (p.In == "" || p.In == name) {
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
