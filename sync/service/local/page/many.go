package page

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/findings"
	"github.com/locsync/locsync/sync/service/local/keys"
	"github.com/locsync/locsync/sync/service/local/marks"
	"github.com/locsync/locsync/sync/service/local/memory"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/words"
)

// What is done to many texts at once.
const (
	doReplace = "replace" // a part of texts is replaced by another one
	doFill    = "fill"    // texts come from the memory, for the very same source text
)

// rewriting makes other texts of those of a language.
type rewriting struct {
	Do         string
	Find, With string
	reviews    bool
	memories   []*store.Memory
}

// rewritingOf is what a form or an address asks for; to what a visitor may not change it does nothing.
func (o *opened) rewritingOf(r *http.Request, v *visitor) (w rewriting, err error) {
	w = rewriting{Do: r.FormValue("do"), Find: strings.ReplaceAll(r.FormValue("find"), "\r\n", "\n"),
		With: strings.ReplaceAll(r.FormValue("with"), "\r\n", "\n"), reviews: v.Reviews()}
	if w.Do != doFill {
		w.Do = doReplace
		return w, nil
	}
	w.memories, err = o.memories()
	return w, err
}

// rewrite is what becomes of a key's texts; nil where they stay.
func (o *opened) rewrite(ctx context.Context, w rewriting, it item) (texts []store.Text, err error) {
	if w.Do == doFill {
		return o.fill(ctx, w, it)
	}
	if w.Find == "" || it.is == nil || !w.reviews && it.is.State != store.Draft {
		return nil, nil
	}
	for _, t := range it.is.Texts {
		texts = append(texts, store.Text{Form: t.Form, Value: strings.ReplaceAll(t.Value, w.Find, w.With)})
	}
	if slices.Equal(texts, it.is.Texts) {
		return nil, nil
	}
	return texts, nil
}

// fill is what the memories have for the very source texts of a key that is not translated, as a draft.
func (o *opened) fill(ctx context.Context, w rewriting, it item) (texts []store.Text, err error) {
	if it.is != nil {
		return nil, nil
	}
	for _, form := range it.forms() {
		best := memory.Match{}
		for _, m := range w.memories {
			match, err := memory.FindMatch(m, it.sourceOf(form), store.Surroundings{Key: it.row.Key}, o.Language, 100)
			if err != nil || ctx.Err() != nil {
				return nil, joined(err, ctx.Err())
			}
			if match.Percent > best.Percent {
				best = match
			}
		}
		if best.Percent < 100 {
			return nil, nil
		}
		texts = append(texts, store.Text{Form: form, Value: best.Text})
	}
	return texts, nil
}

// takes reports whether new texts of a key may be stored unread by their field.
func (it item) takes(texts []store.Text) bool {
	holds := func(f findings.Finding) bool { return f.Holds }
	return len(texts) > 0 && it.offered == nil && it.suggested == nil && !slices.ContainsFunc(texts, it.blank) &&
		keys.Refusal(it.row.Key, it.row.Format, texts) == "" && !slices.ContainsFunc(it.examine(texts), holds)
}

// rewritable is a key in a preview.
type rewritable struct {
	listed
	Take  string // what the form carries: the versions that were seen, of the old texts and of the new ones, and the key
	Shown []shownText
}

// rewritingPage is the preview.
type rewritingPage struct {
	Scope      scope
	Project    string
	SourceCode string
	What       rewriting
	Texts      []rewritable
	Left       int    // texts that a check would hold back, or that conflict
	Behind     string // where the search goes on; empty: it came to the end
}

// Asked reports whether anything was searched for.
func (p rewritingPage) Asked() bool { return p.What.Do == doFill || p.What.Find != "" }

// many is the page on which many texts are changed at once.
func (s *Service) many(w http.ResponseWriter, r *http.Request, v *visitor) error {
	p := scopeOf(r)
	p.Show = showAll
	if r.FormValue("do") == doFill {
		p.Show = showUntranslated
	}
	page := rewritingPage{Scope: p}
	err := s.Store.View(s.in(p, v, func(o *opened) (err error) {
		page.Project, page.SourceCode = o.project.Name, o.project.Source
		if page.What, err = o.rewritingOf(r, v); err != nil || !page.Asked() {
			return err
		}
		from, _ := readPosition(r.FormValue("after"))
		var wrong error
		o.also = func(it item) bool {
			texts, err := o.rewrite(r.Context(), page.What, it)
			wrong = joined(wrong, err)
			return len(texts) > 0
		}
		f, err := o.walk(from, false, mostApproved)
		if err = joined(err, wrong); err != nil {
			return err
		}
		if f.more {
			page.Behind = f.last.String()
		}
		for _, it := range f.items {
			texts, err := o.rewrite(r.Context(), page.What, it)
			if err != nil {
				return err
			}
			if !it.takes(texts) {
				page.Left++
				continue
			}
			one := rewritable{listed: o.listed(it), Take: it.version() + "." + digestOf(texts) + "/" + it.at.String()}
			for _, t := range texts {
				one.Shown = append(one.Shown, shownText{t.Form, marks.Difference(keys.TextOf(it.texts(), t.Form), t.Value)})
			}
			page.Texts = append(page.Texts, one)
		}
		return nil
	}))
	if err != nil {
		return err
	}
	return show(w, http.StatusOK, "many", view{Visitor: v, Data: page,
		Title: words.Of(w).Say("Change texts: %s", words.Of(w).Named(p.Language))})
}

// digestOf tells texts apart.
func digestOf(texts []store.Text) string {
	var b strings.Builder
	for _, t := range texts {
		b.WriteString(strconv.Quote(t.Form) + strconv.Quote(t.Value))
	}
	return store.Digest(b.String())
}

// change stores the chosen texts of a preview that would still become what was seen.
func (s *Service) change(w http.ResponseWriter, r *http.Request, v *visitor) error {
	var what rewriting
	begun := ""
	done, err := s.eachTaken(r, v, func(o *opened, seen string, it item) (bool, error) {
		if begun == "" {
			var err error
			what, err = o.rewritingOf(r, v)
			if err != nil {
				return false, err
			}
			begun = what.Do
		}
		texts, err := o.rewrite(r.Context(), what, it)
		if err != nil || seen != it.version()+"."+digestOf(texts) || !it.takes(texts) {
			return false, err
		}
		is := &store.Translation{State: store.Draft, Changed: o.tx.Now(), Texts: texts, By: v.Name}
		if it.is != nil {
			is.State, is.Source, is.Rejected = it.is.State, it.is.Source, it.is.Rejected
		}
		return true, o.put(it, is, s.Saved)
	})
	return toList(w, r, "changed", done, err)
}

// toList leads to the list, which says how many of the chosen texts were dealt with, where nothing went wrong.
func toList(w http.ResponseWriter, r *http.Request, what string, done int, err error) error {
	of := strconv.Itoa(len(r.PostForm["take"]))
	return goTo(w, "list?"+string(scopeOf(r).With(what, strconv.Itoa(done), "of", of)), err)
}

// eachTaken runs do on the keys that a form has chosen, in one transaction; it is given what the form has seen of each.
// Keys that are gone are left out. done is how many do has changed.
func (s *Service) eachTaken(
	r *http.Request, v *visitor, do func(o *opened, seen string, it item) (changed bool, err error),
) (done int, err error) {
	taken := r.PostForm["take"]
	if len(taken) > mostApproved {
		return 0, api.Refuse(http.StatusBadRequest, "At most %d texts are changed at once.", mostApproved)
	}
	p := scopeOf(r)
	if p.Show == showArchived {
		return 0, errNotWhole
	}
	err = s.Store.Update(s.in(p, v, func(o *opened) error {
		for _, take := range taken {
			seen, where, _ := strings.Cut(take, "/")
			at, known := readPosition(where)
			if !known {
				return errNotWhole
			}
			it, err := o.at(at)
			var gone *api.Problem
			if errors.As(err, &gone) { // archived or deleted meanwhile
				continue
			}
			changed := false
			if err == nil {
				changed, err = do(o, seen, it)
			}
			if err != nil {
				return err
			}
			if changed {
				done++
			}
		}
		return nil
	}))
	return done, err
}
