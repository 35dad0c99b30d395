package push

import (
	"context"
	"errors"

	"github.com/locsync/locsync/sync/accepted"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/tree"
)

// sourcePass is the part of a push that is about source files.
type sourcePass struct {
	*state
	imports *imports
	found   map[string]catalog.Marks  // by collection: source texts that a pull found at the service
	before  map[string]*pass.Exported // by group: what the service had before this push; see readBefore
}

// sourcePlan is what a push does for the source files.
type sourcePlan struct {
	shipping
	renames  []ledger.Rename
	accepted *accepted.Sources
}

// planSources compares every source file with what the service accepted last and composes the imports.
func (r *sourcePass) planSources(ctx context.Context) (*sourcePlan, error) {
	plan := &sourcePlan{}
	accepted, err := r.branch.Keeper().Compare(r.tree, r.o.Force)
	if err != nil {
		return nil, err
	}
	plan.accepted, r.accepted = accepted, accepted
	source := r.branch.Project.Push.Source
	if err := r.branch.Keeper().Recall(r.branch.Repo, accepted, source, r.tree.Commit()); err != nil {
		return nil, err
	}
	if err := r.conclude(accepted); err != nil {
		return nil, err
	}
	if !r.o.DryRun {
		if err := errors.Join(r.branch.Keeper().Adopt(accepted), r.branch.Keeper().KeepInherited(accepted)); err != nil {
			return nil, err
		}
	}
	var all []*compared
	for _, s := range r.tree.Sources {
		if s.Broken() || accepted.Held[s.ID()] {
			continue
		}
		pending, base, changes := accepted.Pending(s)
		renames, err := r.branch.LookForRenames(s, base, changes)
		if err != nil {
			return nil, err
		}
		all = append(all, &compared{source: s, pending: pending, base: base, renames: renames})
	}
	if err := r.meetSources(ctx, all); err != nil {
		return nil, err
	}
	findFarRenames(all)
	for _, s := range all {
		pending := s.pending
		renames, err := r.renames(s)
		if err != nil {
			return nil, err
		}
		plan.renames = append(plan.renames, renames...)
		if len(pending) == 0 && !r.o.All {
			continue
		}
		not := accepted.NotSent(s.source)
		wanted := func(key string) bool { return !s.stays[key] && (pending[key] || r.o.All && (r.o.Force || !not[key])) }
		err = addSource(r.state, &plan.shipping, s.source, wanted)
		if err != nil {
			return nil, err
		}
	}
	return plan, nil
}

// addSource adds keys of a source file to the imports.
func addSource(r *state, ship *shipping, s *tree.Source, wanted func(key string) bool) error {
	texts := s.Texts.Index()
	up, err := bundle.Compose(s.Bundle, s.File, s.Path, func(n catalog.Name) bool {
		_, there := texts[n]
		return there && wanted(n.Key)
	})
	if err == nil && len(up.Units) > 0 {
		req := request(r.branch, s.Bundle, s.Source.Code, s.Format.Sent().Name, r.branch.Project.Push.CompletionState)
		ship.add(req, up, ledger.Destination{Path: s.Path, Collection: s.Collection}, up.Units)
	}
	return err
}
