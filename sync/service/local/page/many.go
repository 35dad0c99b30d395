package page

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/memory"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/words"
)

// What is done to many texts at once.
const (
	doReplace = "replace" // a part of texts is replaced by another one
	doFill    = "fill"    // texts come from the memory, for the very same source text
	doApprove = "approve" // texts stay as they are
)

// rewriting makes other texts of those of a language.
type rewriting struct {
	Do         string
	Find, With string
	reviews    bool
	memories   []*store.Memory
}

// rewritingIn is how a form or an address wants texts changed.
func rewritingIn(r *http.Request) string {
	if r.FormValue("do") == doFill {
		return doFill
	}
	return doReplace
}

// rewritingOf is what a form or an address asks for; to what a visitor may not change it does nothing.
func (o *opened) rewritingOf(r *http.Request, v *visitor, do string) (w rewriting, err error) {
	w = rewriting{Do: do, Find: strings.ReplaceAll(r.FormValue("find"), "\r\n", "\n"),
		With: strings.ReplaceAll(r.FormValue("with"), "\r\n", "\n"), reviews: v.Reviews()}
	if do == doFill {
		w.memories, err = o.memories()
	}
	return w, err
}

// rewrite is what becomes of a key's texts; nil where they stay.
func (o *opened) rewrite(ctx context.Context, w rewriting, it item) (texts []store.Text, err error) {
	switch w.Do {
	case doFill:
		return o.fill(ctx, w, it)
	case doApprove:
		return it.texts(), nil
	}
	if w.Find == "" || it.Is == nil || !w.reviews && it.Is.State != store.Draft {
		return nil, nil
	}
	for _, t := range it.Is.Texts {
		texts = append(texts, store.Text{Form: t.Form, Value: strings.ReplaceAll(t.Value, w.Find, w.With)})
	}
	if slices.Equal(texts, it.Is.Texts) {
		return nil, nil
	}
	return texts, nil
}

// fill is what the memories have for the very source texts of a key that is not translated, as a draft.
func (o *opened) fill(ctx context.Context, w rewriting, it item) (texts []store.Text, err error) {
	if it.Is != nil {
		return nil, nil
	}
	for _, form := range it.forms() {
		best := memory.Match{}
		for _, m := range w.memories {
			match, err := memory.FindMatch(m, it.sourceOf(form), store.Surroundings{Key: it.Row.Key}, o.Language, 100)
			if err != nil || ctx.Err() != nil {
				return nil, cmp.Or(err, ctx.Err())
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

// approves reports whether a form has seen what is stored of a key now, and its new texts may be stored.
func (it item) approves(seen string, texts []store.Text) bool {
	return seen == it.seenWith(texts) && it.takes(texts)
}

// seenWith is what a form carries of a key with new texts: the versions of the old ones and of the new ones.
func (it item) seenWith(texts []store.Text) string { return it.version() + "." + digestOf(texts) }

// choice is a key in a preview, with its new texts.
type choice struct {
	Item  item
	Take  string      // what the form carries: what was seen, and the key
	Shown []shownText // what changes
}

// preview is what is done to many texts at once, before it is done.
type preview struct {
	Scope   scope
	Project *store.Project
	What    rewriting
	Texts   []choice
	Left    int    // texts that a check would hold back, or that conflict
	Behind  string // where the search goes on; empty: it came to the end
}

// Asked reports whether anything was searched for.
func (p preview) Asked() bool { return p.What.Do != doReplace || p.What.Find != "" }

// many is the page on which many texts are changed at once.
func (s *Service) many(w http.ResponseWriter, r *http.Request, v *visitor) error {
	p, do := scopeOf(r), rewritingIn(r)
	p.Show = showAll
	if do == doFill {
		p.Show = showUntranslated
	}
	return s.preview(w, r, v, p, do, "Change texts: %s")
}

// preview shows what something would do to the texts of a scope.
func (s *Service) preview(
	w http.ResponseWriter, r *http.Request, v *visitor, p scope, do, title string,
) error {
	page := preview{Scope: p}
	err := s.Store.View(s.in(p, v, func(o *opened) (err error) {
		page.Project = o.project
		page.What, err = o.rewritingOf(r, v, do)
		if err != nil || !page.Asked() {
			return err
		}
		from, _ := readPosition(r.FormValue("after"))
		var wrong error
		o.also = func(it item) bool {
			texts, err := o.rewrite(r.Context(), page.What, it)
			wrong = cmp.Or(wrong, err)
			return len(texts) > 0
		}
		f, err := o.walk(from, false, mostApproved)
		err = cmp.Or(err, wrong)
		if err != nil {
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
			page.Texts = append(page.Texts, choice{it, it.seenWith(texts) + "/" + it.At.String(), it.changes(texts)})
		}
		return nil
	}))
	if err != nil {
		return err
	}
	in := words.Of(w)
	name := "many"
	if do == doApprove {
		name = do
	}
	return show(w, http.StatusOK, name, view{Visitor: v, Data: page, Title: in.Say(title, in.Named(p.Language))})
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
			what, err = o.rewritingOf(r, v, rewritingIn(r))
			if err != nil {
				return false, err
			}
			begun = what.Do
		}
		texts, err := o.rewrite(r.Context(), what, it)
		if err != nil || !it.approves(seen, texts) {
			return false, err
		}
		is := &store.Translation{State: store.Draft, Changed: o.tx.Now(), Texts: texts, By: v.Name}
		if it.Is != nil {
			is.State, is.Source, is.Rejected = it.Is.State, it.Is.Source, it.Is.Rejected
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
