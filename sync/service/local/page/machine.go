package page

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/machine"
	"github.com/locsync/locsync/sync/service/local/store"
	"go.uber.org/zap"
)

// Bounds of what an engine is asked on the page.
const (
	askFor     = 30 * time.Second
	mostDrafts = 50 // keys at once
)

// ask has an engine translate texts, outside of any transaction.
func (s *Service) ask(r *http.Request, o *opened, engine machine.Engine, texts []string) ([]machine.Text, error) {
	ctx, end := context.WithTimeout(r.Context(), askFor)
	defer end()
	job := machine.Job{Source: o.project.Source, Target: o.Language, Texts: texts}
	if o.terms != nil {
		job.Terms = o.terms.Translations
	}
	translated, err := s.Engines.Translate(ctx, engine.ID, job)
	if err != nil {
		s.Logger.Warn("translation page: the engine failed", zap.String("engine", engine.ID), zap.Error(err))
		return translated, api.Refuse(http.StatusBadGateway,
			"%s gave no translation; the service's log says why.", engine.Name)
	}
	return translated, nil
}

// engineIn is the engine that a form names.
func (s *Service) engineIn(r *http.Request, o *opened) (machine.Engine, error) {
	for _, one := range o.engines(s.Engines) {
		if one.ID == r.PostFormValue("engine") {
			return one, nil
		}
	}
	return machine.Engine{}, api.Refuse(http.StatusNotFound, "There is no such engine for this language.")
}

// sourcesOf are the texts that the forms of a key translate, each once.
func sourcesOf(items ...item) (texts []string) {
	for _, it := range items {
		for _, form := range it.forms() {
			if source := it.sourceOf(form); !slices.Contains(texts, source) {
				texts = append(texts, source)
			}
		}
	}
	return texts
}

// translate shows a key again, with what an engine makes of it among the suggestions, and what was written.
func (s *Service) translate(w http.ResponseWriter, r *http.Request, v *visitor) error {
	if scopeOf(r).Show == showArchived {
		return errNotWhole
	}
	var engine machine.Engine
	var sources []string
	var asked *opened
	err := s.atKey(r, v, s.Store.View, func(o *opened, it item) (err error) {
		engine, err = s.engineIn(r, o)
		asked, sources = o, sourcesOf(it)
		return err
	})
	if err != nil {
		return err
	}
	translated, failed := s.ask(r, asked, engine, sources)
	var e *editing
	err = s.atKey(r, v, s.Store.View, func(o *opened, it item) (err error) {
		e, err = o.editing(r.Context(), it, written(r, it))
		if err != nil {
			return err
		}
		e.Seen = r.PostFormValue("seen") // what its writer saw, and not what is stored by now
		var made []suggestion
		for _, form := range it.forms() {
			i := slices.Index(sources, it.sourceOf(form))
			if i >= 0 && i < len(translated) && translated[i].OK {
				text := translated[i].Text
				made = append(made, suggestion{Engine: engine.Name, Text: text, Pieces: it.pieces(text), Form: form})
			}
		}
		e.Suggestions = append(made, e.Suggestions...)
		if len(made) == 0 && failed == nil {
			failed = api.Refuse(http.StatusBadGateway, "%s has no translation that holds what the source has.", engine.Name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if failed != nil {
		return showKey(w, http.StatusBadGateway, v, e, failed.Error())
	}
	return showKey(w, http.StatusOK, v, e, "")
}

// drafts has an engine translate keys that have no translation, of those that the filter shows. They are drafts by that
// engine.
func (s *Service) drafts(w http.ResponseWriter, r *http.Request, v *visitor) error {
	p := scopeOf(r)
	p.Show = showUntranslated
	var engine machine.Engine
	var asked *opened
	var items []item
	err := s.Store.View(s.in(p, v, func(o *opened) (err error) {
		engine, err = s.engineIn(r, o)
		if err != nil {
			return err
		}
		f, err := o.walk(position{}, false, mostDrafts)
		asked, items = o, f.items
		return err
	}))
	if err != nil {
		return err
	}
	sources := sourcesOf(items...)
	translated, failed := s.ask(r, asked, engine, sources)
	made := make(map[string]string)
	for i, t := range translated {
		if t.OK {
			made[sources[i]] = t.Text
		}
	}
	if len(made) == 0 && failed != nil {
		return failed
	}
	r.PostForm["take"] = nil
	for _, it := range items {
		r.PostForm.Add("take", it.version()+"/"+it.At.String())
	}
	done, err := s.eachTaken(r, v, func(o *opened, seen string, it item) (bool, error) {
		var texts []store.Text
		for _, form := range it.forms() {
			text, has := made[it.sourceOf(form)]
			if !has {
				return false, nil
			}
			texts = append(texts, store.Text{Form: form, Value: text})
		}
		if it.version() != seen || !it.takes(texts) {
			return false, nil
		}
		is := &store.Translation{State: store.Draft, Changed: o.tx.Now(), Texts: texts, By: engine.Name}
		return true, o.put(it, is, s.Saved)
	})
	return toList(w, r, "drafted", done, err)
}
