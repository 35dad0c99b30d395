package page

import (
	"cmp"
	"context"
	"encoding/json"
	"html/template"
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

// version is a translation in the history of a key, or beside it.
type version struct {
	Present bool
	By      string
	At      int64
	State   string
	Texts   []store.Text

	Rejected store.Rejection
}

// editing is the page of one key.
type editing struct {
	Scope       scope
	Project     *store.Project
	At          position
	Seen        string // the version of the key that the fields show
	Row         *store.Row
	Source, Was []shownText // Was: how the source differs from the text that was translated; nil where it does not
	Terms       []check.Term
	Insert      []insertable
	Most        int // characters that the developers allow; 0: they say none
	State       string
	Fields      []field
	Whole       []findings.Finding // about all forms together
	Changed     *version           // what is stored, where it is not what the writer saw
	Offered     []store.Text       // that an import has and that conflicts
	Suggestions []suggestion
	History     []version
	Rejected    store.Rejection // the text that is stored
	Suggested   *suggestedText
	Comments    []store.Comment
	CommentLeft int // how many further comments the key takes
	Engines     []machine.Engine
	Neighbours  []beside
	Others      []beside // in other languages
	Translated  bool
	Progress    progress
	Rank        rank
	Next        neighbours
}

// neighbours are the queries of the keys before and behind one that the filter shows.
type neighbours struct{ Previous, Next template.URL }

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
	page := view{Visitor: v, Title: e.Row.Key + ": " + words.Of(w).Named(e.Scope.Language), Said: said, Data: e}
	if status != http.StatusOK {
		page.Said, page.Wrong = "", said
	}
	return show(w, status, "key", page)
}

// editing is the page of a key, with the texts that its writer has in the fields; nil: those that are stored.
func (o *opened) editing(ctx context.Context, it item, texts []store.Text) (*editing, error) {
	e := &editing{Scope: o.scope, Project: o.project, At: it.at,
		Seen: it.version(), Row: it.row, State: it.state()}
	if texts == nil {
		texts = it.texts()
	}
	e.Insert, e.Most = it.insertables(), check.MaxLength("", it.row.Note)
	for _, t := range it.row.Texts {
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
			if one.Form == form && (form != "" || !it.row.Plural) {
				f.Findings = append(f.Findings, one)
			}
		}
		e.Fields = append(e.Fields, f)
	}
	if it.row.Plural {
		e.Whole = slices.DeleteFunc(found, func(f findings.Finding) bool { return f.Form != "" })
	}
	if it.offered != nil {
		e.Offered = it.offered.Texts
	}
	if it.suggested != nil {
		e.Suggested = &suggestedText{By: it.suggested.By, At: it.suggested.Changed, Texts: it.suggested.Texts}
		for _, t := range it.suggested.Texts {
			shown := shownText{t.Form, marks.Difference(keys.TextOf(it.texts(), t.Form), t.Value)}
			e.Suggested.Shown = append(e.Suggested.Shown, shown)
		}
	}
	if it.is != nil {
		e.Translated, e.Rejected = true, it.is.Rejected
	}
	var err error
	if e.Progress, err = o.progress(); err != nil {
		return nil, err
	}
	if e.Rank, err = o.rankOf(it.at); err != nil {
		return nil, err
	}
	e.Comments = it.comments
	e.CommentLeft = mostComments - len(e.Comments)
	e.Engines = o.engines(o.machines)
	if e.Neighbours, err = o.neighboursOf(it); err != nil {
		return nil, err
	}
	if e.Others, err = o.inOtherLanguages(it, o.person); err != nil {
		return nil, err
	}
	if e.History, err = o.history(it); err != nil {
		return nil, err
	}
	e.Suggestions, err = o.suggestions(ctx, it)
	if err != nil {
		return nil, err
	}
	e.Next = neighbours{Previous: o.With("before", it.at.String()), Next: o.With("after", it.at.String())}
	return e, nil
}

// history is what was written, the present first.
func (o *opened) history(it item) ([]version, error) {
	if it.is == nil {
		return nil, nil
	}
	past, err := it.k.Past(o.Language, it.n())
	all := []version{versionOf(it.is)}
	all[0].Present = true
	for _, t := range past {
		v := versionOf(t)
		if it.message != nil {
			if forms, ok := it.message.Forms(t.Texts); ok {
				v.Texts = forms
			}
		}
		all = append(all, v)
	}
	return all, err
}

func versionOf(t *store.Translation) version {
	return version{By: t.By, At: t.Changed, State: item{is: t}.state(), Texts: t.Texts, Rejected: t.Rejected}
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

// states are the values of the buttons that save.
var states = map[string]store.State{showDraft: store.Draft, showConfirmed: store.Intermediate, showFinal: store.Final}

// saved is how the page after it tells what was saved.
var saved = map[string]string{"saved": "Saved.",
	"held":     "Saved. It is not published until what its check says is mended.",
	"rejected": "Rejected.", "suggested": "Suggested. A reviewer decides.", "dismissed": "Dismissed.",
	"commented": "Your comment is stored.", "asked": "Your question is stored; the developers see it in locsync status.",
	"answered": "Marked as answered.",
	"archived": "Archived.", "restored": "Restored.", "deleted": "Deleted."}

// outcome is what came of a form.
type outcome struct {
	page   *editing // to be shown again: nothing was stored
	status int
	said   string
	next   string // where the browser goes else
}

// save stores what was written, where the text is still the one that its writer saw.
func (s *Service) save(w http.ResponseWriter, r *http.Request, v *visitor) error {
	state, ok := states[r.PostFormValue("state")]
	if !ok {
		return errNotWhole
	}
	if !v.Reviews() {
		state = store.Draft
	}
	var done outcome
	err := s.onKey(r, v, func(o *opened, it item) error {
		texts := written(r, it)
		if it.version() != r.PostFormValue("seen") {
			return done.again(r.Context(), o, it, texts, http.StatusConflict,
				"Not saved: this text has changed since you opened it. Compare, then save again.")
		}
		if len(texts) == 0 || slices.ContainsFunc(texts, it.blank) {
			return done.again(r.Context(), o, it, texts, http.StatusBadRequest, "Not saved: there is no text, or only blanks.")
		}
		if keys.Refusal(it.row.Key, it.row.Format, texts) != "" {
			return done.again(r.Context(), o, it, texts, http.StatusBadRequest,
				"Not saved: the format of the file cannot hold a control character that this text has. Take it out.")
		}
		if !v.Reviews() && it.is != nil && it.is.State != store.Draft {
			done.next = "key?" + string(o.With("at", it.at.String(), "said", "suggested"))
			return o.suggest(it, &store.Translation{Changed: o.tx.Now(), Texts: texts, By: v.Name})
		}
		is := &store.Translation{State: o.project.Level(state), Changed: o.tx.Now(), Texts: texts, By: v.Name}
		if it.is != nil && slices.Equal(texts, it.is.Texts) {
			is.By = it.is.By // the writer keeps the credit
		}
		if err := o.put(it, is, s.Saved); err != nil {
			return err
		}
		done.onward(o, it, texts, state, r.PostFormValue("stay") != "")
		return nil
	})
	switch {
	case err != nil:
		return err
	case done.page != nil:
		return showKey(w, done.status, v, done.page, done.said)
	}
	return goTo(w, done.next, nil)
}

// again has the form shown once more, with what was written and what is stored.
func (d *outcome) again(
	ctx context.Context, o *opened, it item, texts []store.Text, status int, said string,
) (err error) {
	if texts == nil {
		texts = []store.Text{}
	}
	d.page, err = o.editing(ctx, it, texts)
	if err != nil {
		return err
	}
	if status == http.StatusConflict && it.is != nil {
		stored := versionOf(it.is)
		d.page.Changed = &stored
	}
	d.status, d.said = status, said
	return nil
}

// onward leads to the next key, or to the same one, and says what was saved.
func (d *outcome) onward(o *opened, it item, texts []store.Text, state store.State, stay bool) {
	said := "saved"
	if state != store.Draft && slices.ContainsFunc(it.examine(texts), func(f findings.Finding) bool { return f.Holds }) {
		said = "held"
	}
	where := "after"
	if stay {
		where = "at"
	}
	d.next = "key?" + string(o.With(where, it.at.String(), "said", said))
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
		return "key?" + string(o.With("at", f.items[0].at.String(), "said", said)), nil
	case f.more:
		return "key?" + string(o.With(direction, f.last.String(), "said", said)), nil
	}
	return "list?" + string(o.With("done", cmp.Or(said, "1"))), nil
}
