package engine

import (
	"context"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/service"
)

// A service may translate a new source text by itself. So that no translation of the repository loses to that, the service is asked for its
// translations before such texts are sent: that is what it had at first contact.

// readBefore asks, for the groups where that matters. Keys that a push renames are none of them: their translations are at the service, under other names.
func (r *pushing) readBefore(ctx context.Context, plan *sourcePlan) error {
	if !r.cfg.Push.Translations && !r.o.Translations || len(plan.shipments) == 0 || len(plan.renames) > 0 {
		return nil
	}
	sent := make(map[string]map[string]bool) // keys, by source file
	for _, s := range plan.shipments {
		for i, up := range s.uploads {
			keys := sent[s.remember[i].Path]
			if keys == nil {
				keys = make(map[string]bool)
				sent[s.remember[i].Path] = keys
			}
			for _, u := range up.Units {
				keys[u.Key] = true
			}
		}
	}
	r.before = make(map[string]*exported)
	var asks []exportAsk
	for _, g := range bundle.Groups(r.tree.Bundles()) {
		met, err := r.meets(g, sent)
		if err != nil {
			return err
		}
		if met {
			asks = append(asks, exportAsk{g, r.cfg.Targets(), string(service.Draft)})
		}
	}
	if len(asks) == 0 {
		return nil
	}
	answers, err := r.exportAll(ctx, asks, anew.in(r.o.DryRun))
	if err != nil {
		return err
	}
	r.exports += len(asks)
	for i, present := range answers {
		r.before[asks[i].group.ID()] = present
	}
	return nil
}

// meets reports whether a group has translations of keys that are sent, of which nothing was agreed on.
func (r *pushing) meets(g *bundle.Group, sent map[string]map[string]bool) (bool, error) {
	var concerned []*bundle.Bundle
	for _, b := range g.Bundles {
		if len(sent[b.Path]) > 0 {
			concerned = append(concerned, b)
		}
	}
	targets, err := bundle.Existing(r.tree.FS, concerned, r.cfg.Targets())
	if err != nil {
		return false, err
	}
	for _, t := range targets {
		f, _, err := t.Sources[0].Read(r.tree.FS, t.Path, t.Language)
		if err != nil {
			return false, err
		}
		merged, err := r.marks(r.slot(ledger.Merged, t.Path, t.Language.Code))
		if err != nil {
			return false, err
		}
		for _, u := range bundle.Texts(f) {
			if _, agreed := merged[u.Name]; agreed || u.Text == "" {
				continue
			}
			for _, b := range t.Sources {
				if sent[b.Path][u.Key] {
					return true, nil
				}
			}
		}
	}
	return false, nil
}
