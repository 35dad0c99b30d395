package imports

import (
	"context"
	"errors"
	"slices"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// preview shows imports instead of making them: in the report, value by value.
type preview struct {
	*Run
	old  map[file]map[catalog.Name]string // what the service has
	sent map[file][]foreseen              // translations that would have been sent by now
}

// file is a file in a language.
type file struct{ path, language string }

// foreseen is a translation that would be at the service by now.
type foreseen struct {
	catalog.Unit
	skipped bool // where the service has one, that one stays
}

func newPreview(s *Run) *preview {
	return &preview{Run: s, old: make(map[file]map[catalog.Name]string), sent: make(map[file][]foreseen)}
}

// Resume leaves imports that were begun earlier to the next push.
func (r *preview) Resume(context.Context) error { return nil }

func (r *preview) Ship(_ context.Context, all []*Import) {
	for _, s := range slices.Concat(rounds(all)...) {
		files := r.sending(s)
		for i, up := range s.Uploads {
			to := s.Remember[i]
			files[i].Changes = r.values(file{up.Path, s.request.Language}, up.Units, r.accepted(to))
			if to.OfSource() {
				continue
			}
			for _, u := range up.Units {
				at := file{to.Path, to.Language}
				r.sent[at] = append(r.sent[at], foreseen{u, s.request.Conflicts == service.Skip})
			}
			f := ledger.JobFile{Memory: to, Units: pass.Accepts(s.accepts[i])}
			if to.Further() {
				r.Problem(furtherProblem(f, to.Language, r.Met))
			}
			err := r.Branch.Ledger.Update(func(tx ledger.Writer) error {
				err := r.Branch.Memory().AcceptSent(tx, to, s.over[i](), f.Units, r.Branch.Now())
				return errors.Join(err, begins(r.Branch, tx, f), r.Branch.Memory().Mark(tx, to, f.Units))
			})
			if err != nil {
				r.Errs = append(r.Errs, err)
			}
		}
	}
}

// accepted are marks of the texts that the service was seen to have of a file.
func (r *preview) accepted(of ledger.Destination) catalog.Marks {
	slot := r.Branch.Memory().Slot(ledger.Known, of.Path, of.Language)
	if of.OfSource() {
		at := ledger.Source{Path: of.Path, Collection: of.Collection}
		slot = ledger.Pushed.Of(r.Branch.Memory().Scope, at)
	}
	marks, err := r.Branch.Ledger.Marks(slot)
	if err != nil {
		r.Errs = append(r.Errs, err)
	}
	return marks
}

// values are the texts of a file that would be sent, beside those that the service has.
func (r *preview) values(at file, units catalog.Catalog, accepted catalog.Marks) []report.Value {
	var all []report.Value
	for _, u := range units {
		v := report.Value{Key: u.Key, Form: u.Form, New: &u.Text}
		if old, ok := r.old[at][u.Name]; ok {
			v.Old = &old
		} else {
			_, plain := accepted[u.Name]
			v.Changed = plain || ledger.Has(accepted, u.Name)
		}
		all = append(all, v)
	}
	return all
}

func (r *preview) Has(path, language string, texts catalog.Catalog) {
	at := file{path, language}
	if r.old[at] == nil {
		r.old[at] = make(map[catalog.Name]string)
	}
	for _, u := range texts {
		r.old[at][u.Name] = u.Text
	}
}

func (r *preview) After(t bundle.Target, theirs catalog.Catalog) catalog.Catalog {
	sent := slices.Clone(r.sent[file{t.Path, t.Language.Code}])
	for _, b := range t.Sources {
		sent = append(sent, r.sent[file{b.Path, t.Language.Code}]...) // the service names its target file
	}
	for _, f := range sent {
		at := slices.IndexFunc(theirs, func(u catalog.Unit) bool { return u.Name == f.Name })
		switch {
		case at < 0:
			theirs = append(theirs, f.Unit)
		case !f.skipped:
			theirs[at].Text = f.Text
		}
	}
	return theirs
}

func (r *preview) Foretell(p report.Problem) { r.Problem(p) }

// Waits keeps first contact that the pull after this push need not tell.
func (r *preview) Waits(open func() pass.Conflict) {
	c := open()
	r.Open[c.ID()] = c
}
