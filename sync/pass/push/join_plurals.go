package push

import (
	"context"
	"fmt"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/imports"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/plural"
	"github.com/locsync/locsync/sync/text/spelling"
)

// joinPlurals sends the plurals of files whose keys were sent one by one as one key each, with the forms that the
// service has, in the least of their states, and those that only the repository has. What is remembered of the single
// keys is remembered of the forms once the service has them, so that nothing counts as gone or as new. It reports
// whether anything was joined: the files are read anew then. The single keys stay at the service.
func (r *push) joinPlurals(ctx context.Context) (joined bool, err error) {
	var sources []pass.JoinedSource
	for _, s := range r.tree.Sources {
		if s.Broken() || !bundle.KeptAsKeys(s.Bundle) {
			continue
		}
		if p := spelling.Join(s.All, s.Separator, s.Source.Code); p.Any() {
			sources = append(sources, pass.JoinedSource{Source: s, Plurals: p})
		}
	}
	if len(sources) == 0 {
		return false, nil
	}
	var first, then imports.Batch
	reader := r.followers.reader()
	for _, of := range sources {
		s := of.Source
		if err := r.joinSource(&first, s, of.Plurals); err != nil {
			return false, err
		}
		for _, l := range r.branch.Project.Targets() {
			t, err := reader.translations(ctx, s.Bundle, s.Target(l), l)
			if err != nil {
				return false, err
			}
			if err := r.joinTranslations(&then, s, of.Plurals.In(l.Code, nil), l, t); err != nil {
				return false, err
			}
		}
	}
	before := len(r.Errs)
	r.out.Ship(ctx, first.All)
	if len(r.Errs) == before {
		r.out.Ship(ctx, then.All)
	}
	if len(r.Errs) > before {
		return false, nil // nothing is remembered, and the next push joins them again
	}
	return true, r.branch.JoinPluralKeys(sources)
}

// readJoined reads the files anew, with their plurals joined.
func (r *push) readJoined(ctx context.Context) error {
	files, err := r.branch.KeyFiles()
	if err != nil {
		return err
	}
	r.branch.Project = r.branch.Project.WithPluralKeys(files)
	t, _, err := pass.PushTree(ctx, r.branch)
	if err == nil {
		r.tree = t
	}
	return err
}

// joinSource adds the plurals of a source file.
func (r *push) joinSource(batch *imports.Batch, s *tree.Source, plurals *spelling.Joined) error {
	var units catalog.Catalog
	keys := make(map[string]bool)
	for _, u := range s.All {
		if of, form := plurals.Form(u.Key); form != "" && u.Form == "" {
			units = append(units, catalog.Unit{Name: catalog.Name{Key: of, Form: form}, Text: u.Text})
			keys[of] = true
		}
	}
	up, err := bundle.ComposeUnits(s.Bundle, s.Path, units)
	if err != nil {
		return err
	}
	r.answer(report.Problem{Code: report.CodeShape, Severity: report.Warning, File: s.Path, Language: s.Source.Code,
		Problem: fmt.Sprintf("%s of %s become one key each", report.Counted(len(keys), "plural", "plurals"),
			report.Counted(len(units), "key", "keys")),
		Remedy: "the single keys stay at the service, where they can be deleted once the plurals are there"})
	req := imports.Request(r.branch.Project, s.Bundle, s.Source.Code, s.Format.Sent().Name, "")
	batch.Add(req, up, ledger.Destination{Path: s.Path, Collection: s.Collection}, nil, imports.Over{})
	return nil
}

// joinTranslations adds the plurals of a language: of each the service's forms, else the repository's. A form that only
// the repository has counts with the state that pushes send.
func (r *push) joinTranslations(
	batch *imports.Batch, s *tree.Source, plurals *spelling.Joined, l config.Language, t *translations,
) error {
	byState := make(map[service.CompletionState]catalog.Catalog)
	for _, key := range plurals.Keys() {
		var units catalog.Catalog
		state := service.Final
		for _, category := range plural.Order {
			raw, _ := plurals.Spelled(key, category)
			if has := t.all[raw]; len(has.Texts) == 1 {
				units = append(units, catalog.Unit{Name: catalog.Name{Key: key, Form: category}, Text: has.Texts[0].Text})
				state = service.LeastState(state, has.State)
			} else if own := t.ours[raw]; len(own) == 1 {
				units = append(units, catalog.Unit{Name: catalog.Name{Key: key, Form: category}, Text: own[0].Text})
				state = service.LeastState(state, service.CompletionState(r.branch.Project.Push.CompletionState))
			}
		}
		if len(units) > 0 {
			byState[state] = append(byState[state], units...)
		}
	}
	for _, state := range service.CompletionStates {
		if len(byState[state]) == 0 {
			continue
		}
		up, err := bundle.ComposeUnits(s.Bundle, s.Target(l), byState[state])
		if err != nil {
			return err
		}
		req := imports.Request(r.branch.Project, s.Bundle, l.Code, s.Format.Exchanged().Name, string(state))
		kinds := []ledger.TargetMarks{ledger.Known}
		batch.Add(req, up, ledger.Destination{Path: s.Target(l), Language: l.Code, Kinds: kinds}, nil, imports.Over{})
	}
	return nil
}
