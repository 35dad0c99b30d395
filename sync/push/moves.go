package push

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/locsync/locsync/sync/accepted"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/tree"
)

// moveCollections sends the translations of files whose move changed their collection into the new one, with the
// completion state that pulls ask for. Those go along whose source text the new file has under the same key. Texts that
// the new collection has stay.
func (r *followers) moveCollections(ctx context.Context, a *accepted.Sources) error {
	stored, err := ledger.Moves.List(r.branch.Ledger, r.branch.StateName())
	if err != nil {
		return err
	}
	all := append(slices.Clone(a.Moves), slices.DeleteFunc(stored, func(m ledger.Move) bool {
		return m.Sent || slices.ContainsFunc(a.Moves, func(n ledger.Move) bool { return n.ID() == m.ID() })
	})...)
	for _, m := range all {
		at := slices.IndexFunc(r.tree.Sources, func(s *tree.Source) bool { return s.ID() == m.To && !s.Broken() })
		if at < 0 || r.refused[m.To.Path] {
			continue
		}
		s := r.tree.Sources[at]
		keys := make(map[string]string) // there, by their keys in the old collection
		before := a.Files[m.From]
		for _, u := range s.Texts {
			if before.Has(u.Name, u.Text) {
				keys[u.Key] = u.Key
			}
		}
		for _, renamed := range m.Renamed {
			if s.Texts.Marks()[renamed.To] == before[renamed.From] {
				keys[renamed.From.Key] = renamed.To.Key
			}
		}
		languages, err := r.moveCollection(ctx, m, s, keys)
		if err != nil {
			return fmt.Errorf("move the translations of %s to collection %q: %w", m.To.Path, m.To.Collection, err)
		}
		told := report.Moved{From: m.From.Path, To: m.To.Path, Keys: len(keys), Languages: languages}
		r.report.Moved = append(r.report.Moved, told)
		if m.Sent = true; len(r.errs) == 0 && !r.anyRefused(s.Bundle) {
			if err := ledger.Moves.Put(r.branch.Ledger, r.branch.StateName(), m.ID(), m); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *followers) moveCollection(
	ctx context.Context, m ledger.Move, s *tree.Source, keys map[string]string,
) (languages []string, err error) {
	languages = []string{}
	if m.From.Collection == m.To.Collection || len(keys) == 0 || len(r.errs) > 0 {
		return languages, nil
	}
	former := *s.Bundle
	former.Collection = m.From.Collection
	g := bundle.Groups([]*bundle.Bundle{&former})[0]
	r.branch.Say("asking what the service has in %q", g.Collection)
	completion := r.branch.Project.Pull.CompletionState
	theirs, err := r.export(ctx, g, r.branch.Project.Targets(), completion)
	if err != nil {
		return nil, err
	}
	r.exports++
	unread(r.state, theirs)
	ship := &shipping{}
	for _, l := range r.branch.Project.Targets() {
		if theirs.Lacks(&former, l) {
			return nil, fmt.Errorf("what the service has for %s (%s) cannot be read", s.Path, l.Code)
		}
		var units catalog.Catalog
		for _, u := range theirs.Of(&former, l) {
			if key, goes := keys[u.Key]; goes && u.Text != "" {
				units = append(units, catalog.Unit{Name: catalog.Name{Key: key, Form: u.Form}, Text: u.Text})
			}
		}
		if len(units) == 0 {
			continue
		}
		path := cmp.Or(s.Target(l), s.Path)
		up, err := bundle.ComposeUnits(s.Bundle, path, units)
		if err != nil {
			return nil, err
		}
		languages = append(languages, l.Code)
		to := ledger.Destination{Kinds: []ledger.TargetMarks{ledger.Known}, Path: path, Language: l.Code}
		req := request(r.branch.Project, s.Bundle, l.Code, g.ExportFormat(), completion)
		// Another clone may have moved the file before, and a translator changed its texts in the new collection since.
		req.Conflicts = service.Skip
		ship.add(req, up, to, up.Units)
	}
	r.out.ship(ctx, ship.shipments)
	return languages, nil
}

// anyRefused reports whether the service refused translations of a source file in this push.
func (r *followers) anyRefused(b *bundle.Bundle) bool {
	return slices.ContainsFunc(r.branch.Project.Targets(), func(l config.Language) bool {
		return r.refused[cmp.Or(b.Target(l), b.Path)+"\x00"+l.Code]
	})
}
