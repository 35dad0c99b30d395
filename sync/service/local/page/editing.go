package page

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"unicode/utf8"

	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/service/local/findings"
	"github.com/locsync/locsync/sync/service/local/keys"
	"github.com/locsync/locsync/sync/service/local/machine"
	"github.com/locsync/locsync/sync/service/local/marks"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/words"
)

// field is one text to write.
type field struct {
	ID, Form     string // Form: the plural form, empty for a single text
	Source, Text string
	Shown        []marks.Piece // where the text has characters that show nothing
	Findings     []findings.Finding
}

// Length is how many characters a text has.
func (f field) Length() int { return utf8.RuneCountInString(f.Text) }

// SourceLength is how many its source has.
func (f field) SourceLength() int { return utf8.RuneCountInString(f.Source) }

// editing is the page of one key.
type editing struct {
	Scope       scope
	Project     *store.Project
	Item        item
	Seen        string      // the version of the key that the fields show
	Changed     bool        // what is stored is not what the writer saw
	Source, Was []shownText // Was: how the source differs from the text that was translated; nil where it does not
	Terms       []check.Term
	Fields      []field
	Whole       []findings.Finding // about all forms together
	Suggestions []suggestion
	History     []item      // what was written, the present first
	Suggested   []shownText // what a person suggests, as it differs from the text that is stored
	Engines     []machine.Engine
	Neighbours  []item
	Others      []item // in other languages
	Progress    progress
	Rank        rank
}

// Most is how many characters the developers allow; 0: they say none.
func (e *editing) Most() int { return check.MaxLength("", e.Item.Row.Note) }

// CommentLeft is how many further comments the key takes.
func (e *editing) CommentLeft() int { return mostComments - len(e.Item.Comments) }

// Archived reports whether the key is archived: it can be read, restored and deleted.
func (e *editing) Archived() bool { return e.Scope.Show == showArchived }

// SingleStage reports whether what is confirmed is final at once.
func (e *editing) SingleStage() bool { return len(e.Project.Stages) == 1 }

// in runs do on a scope, in a transaction.
func (s *Service) in(p scope, v *visitor, do func(o *opened) error) func(tx *store.Tx) error {
	return func(tx *store.Tx) error {
		o, err := p.open(tx, s.Checks)
		if err != nil {
			return err
		}
		o.person, o.machines = v.person, s.Engines
		return do(o)
	}
}

// key is the page of the key that it names with at. With after or before it leads to the next one that the filter
// shows, with none of them to the first.
func (s *Service) key(w http.ResponseWriter, r *http.Request, v *visitor) error {
	p, onward := scopeOf(r), ""
	var e *editing
	err := s.Store.View(s.in(p, v, func(o *opened) (err error) {
		at, ok := readPosition(r.FormValue("at"))
		if !ok {
			onward, err = o.onward(r)
			return err
		}
		it, err := o.at(at)
		if err != nil {
			return err
		}
		e, err = o.editing(r.Context(), it, nil)
		return err
	}))
	if err != nil {
		return err
	}
	if e == nil {
		return goTo(w, onward, nil)
	}
	return showKey(w, http.StatusOK, v, e, saved[r.FormValue("said")])
}

func showKey(w http.ResponseWriter, status int, v *visitor, e *editing, said string) error {
	page := view{Visitor: v, Title: e.Item.Row.Key + ": " + words.Of(w).Named(e.Scope.Language), Said: said, Data: e}
	if status != http.StatusOK {
		page.Said, page.Wrong = "", said
	}
	return show(w, status, "key", page)
}

// editing is the page of a key, with the texts that its writer has in the fields; nil: those that are stored.
func (o *opened) editing(ctx context.Context, it item, texts []store.Text) (*editing, error) {
	e := &editing{Scope: o.scope, Project: o.project, Item: it, Seen: it.version(), Engines: o.engines(o.machines)}
	if texts == nil {
		texts = it.texts()
	}
	for _, t := range it.Row.Texts {
		e.Source = append(e.Source, shownText{t.Form, it.pieces(t.Value)})
		for _, term := range it.termsIn(t.Value).In(t.Value, o.Language) {
			if !slices.ContainsFunc(e.Terms, func(o check.Term) bool { return o.Word == term.Word }) {
				e.Terms = append(e.Terms, term)
			}
		}
		if was := it.was(); len(was) > 0 {
			e.Was = append(e.Was, shownText{t.Form, marks.Difference(keys.SourceOf(was, t.Form), t.Value)})
		}
	}
	found := it.examine(texts)
	for _, form := range it.forms() {
		f := field{ID: "text-" + form, Form: form, Source: it.sourceOf(form), Text: keys.TextOf(texts, form)}
		f.Shown = it.signed(f.Text)
		for _, one := range found {
			if one.Form == form && (form != "" || !it.Row.Plural) {
				f.Findings = append(f.Findings, one)
			}
		}
		e.Fields = append(e.Fields, f)
	}
	if it.Row.Plural {
		e.Whole = slices.DeleteFunc(found, func(f findings.Finding) bool { return f.Form != "" })
	}
	if it.Suggested != nil {
		e.Suggested = it.changes(it.Suggested.Texts)
	}
	var err error
	if e.Progress, err = o.progress(); err != nil {
		return nil, err
	}
	e.Rank, err = o.rankOf(it.At)
	if err != nil {
		return nil, err
	}
	e.Neighbours, err = o.neighboursOf(it)
	if err != nil {
		return nil, err
	}
	if e.Others, err = o.inOtherLanguages(it, o.person); err != nil {
		return nil, err
	}
	if e.History, err = o.history(it); err != nil {
		return nil, err
	}
	e.Suggestions, err = o.suggestions(ctx, it)
	return e, err
}

// history is what was written, the present first.
func (o *opened) history(it item) ([]item, error) {
	if it.Is == nil {
		return nil, nil
	}
	past, err := it.k.Past(o.Language, it.n())
	all := []item{{Is: it.Is}}
	for _, t := range past {
		if it.message != nil {
			if forms, ok := it.message.Forms(t.Texts); ok {
				t.Texts = forms
			}
		}
		all = append(all, item{Is: t})
	}
	return all, err
}

// check answers what the checks say about the texts of a form, as JSON for the script.
func (s *Service) check(w http.ResponseWriter, r *http.Request, v *visitor) error {
	said := checked{Shown: map[string][]marks.Piece{}}
	err := s.atKey(r, v, s.Store.View, func(_ *opened, it item) error {
		texts := written(r, it)
		said.Found = findings.In(words.Of(w), it.examine(texts))
		for _, t := range texts {
			shown := it.signed(t.Value)
			for i := range shown {
				shown[i].Title = words.Of(w).Text(shown[i].Title)
			}
			if shown != nil {
				said.Shown[t.Form] = shown
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(said)
}

// checked is what the script is told of the texts of a form.
type checked struct {
	Found []findings.Finding       `json:"found"`
	Shown map[string][]marks.Piece `json:"shown"` // by form: those with characters that show nothing
}

// saved is how the page after it tells what was saved.
var saved = map[string]string{"saved": "Saved.",
	"held":     "Saved. It is not published until what its check says is mended.",
	"rejected": "Rejected.", "suggested": "Suggested. A reviewer decides.", "dismissed": "Dismissed.",
	"commented": "Your comment is stored.", "asked": "Your question is stored; the developers see it in locsync status.",
	"answered": "Marked as answered.",
	"archived": "Archived.", "restored": "Restored.", "deleted": "Deleted."}

// refuses says why texts of a key are not stored, whose writer saw a version; 0 where they are.
func (it item) refuses(texts []store.Text, seen string) (status int, why string) {
	switch {
	case it.version() != seen:
		return http.StatusConflict, "Not saved: this text has changed since you opened it. Compare, then save again."
	case len(texts) == 0 || slices.ContainsFunc(texts, it.blank):
		return http.StatusBadRequest, "Not saved: there is no text, or only blanks."
	case keys.Refusal(it.Row.Key, it.Row.Format, texts) != "":
		return http.StatusBadRequest,
			"Not saved: the format of the file cannot hold a control character that this text has. Take it out."
	}
	return 0, ""
}

// save stores what was written, where the text is still the one that its writer saw. What is not stored is shown again.
func (s *Service) save(w http.ResponseWriter, r *http.Request, v *visitor) error {
	state := store.State(max(0, slices.Index(states, r.PostFormValue("state"))))
	if states[state] != r.PostFormValue("state") {
		return errNotWhole
	}
	if !v.Reviews() {
		state = store.Draft
	}
	var again *editing
	var status int
	var why, next string
	err := s.onKey(r, v, func(o *opened, it item) (err error) {
		texts := written(r, it)
		status, why = it.refuses(texts, r.PostFormValue("seen"))
		if status != 0 {
			again, err = o.editing(r.Context(), it, texts)
			if err == nil {
				again.Changed = status == http.StatusConflict && it.Is != nil
			}
			return err
		}
		is := &store.Translation{State: o.project.Level(state), Changed: o.tx.Now(), Texts: texts, By: v.Name}
		if !v.Reviews() && it.Is != nil && it.Is.State != store.Draft {
			next = "key?" + string(o.With("at", it.At.String(), "said", "suggested"))
			return o.suggest(it, is)
		}
		if it.Is != nil && slices.Equal(texts, it.Is.Texts) {
			is.By = it.Is.By // the writer keeps the credit
		}
		where, said := "after", "saved"
		if r.PostFormValue("stay") != "" {
			where = "at"
		}
		if state != store.Draft && slices.ContainsFunc(it.examine(texts), holds) {
			said = "held"
		}
		next = "key?" + string(o.With(where, it.At.String(), "said", said))
		return o.put(it, is, s.Saved)
	})
	switch {
	case err != nil:
		return err
	case again != nil:
		return showKey(w, status, v, again, why)
	}
	return goTo(w, next, nil)
}

// onward is the address of the next key that the filter shows; of the list, where there is none; and of the search
// itself, where that takes longer than one request may.
func (o *opened) onward(r *http.Request) (string, error) {
	from, _ := readPosition(r.FormValue("after"))
	before, back := readPosition(r.FormValue("before"))
	direction := "after"
	if back {
		from, direction = before, "before"
	}
	said := r.FormValue("said")
	f, err := o.walk(from, back, 1)
	switch {
	case err != nil:
		return "", err
	case len(f.items) > 0:
		return "key?" + string(o.With("at", f.items[0].At.String(), "said", said)), nil
	case f.more:
		return "key?" + string(o.With(direction, f.last.String(), "said", said)), nil
	}
	return "list?" + string(o.With("done", cmp.Or(said, "1"))), nil
}
