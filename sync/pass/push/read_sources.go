package push

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/past"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// sourcePass is the part of a push that is about source files.
type sourcePass struct {
	*state
	snapshots *snapshots
	before    map[string]*pass.Exported // by group: what the service had before this push; see readBefore
}

// compare reads what the service has accepted of the source files. What is missing counts as seen before the pass waits
// for the service, which may be its end.
func (r *sourcePass) compare() error {
	a, err := r.branch.Keeper().Compare(r.tree, r.o.Force)
	if err != nil {
		return err
	}
	r.accepted = a
	if err := r.branch.Keeper().Recall(r.branch.Repo, a, r.branch.Project.Push.Source, r.tree.Commit()); err != nil {
		return err
	}
	return r.seeMissing(a)
}

// read gathers what else there is to know of the source files: which keys may be renamed, and what the service has now
// where that is not known.
func (r *sourcePass) read(ctx context.Context) (*sourceSituation, error) {
	a := r.accepted
	of := &sourceSituation{project: r.branch.Project, options: r.o, accepted: a, found: make(map[string]catalog.Marks)}
	snapshot := r.branch.Snapshot(r.tree, r.branch.Project.Push.Source, r.tree.Commit())
	snapshot.Moves, snapshot.Deepen = a.Moves, func() error { return r.snapshots.deepen(ctx) }
	for _, s := range r.tree.Sources {
		if s.Broken() || a.Held[s.ID()] {
			continue
		}
		pending, base, changes := a.Pending(s)
		search, err := snapshot.Find(s, base, changes)
		marks, merr := r.branch.Ledger.Marks(r.branch.Memory().FoundSlot(s.Collection))
		if err = errors.Join(err, merr); err != nil {
			return nil, err
		}
		c := &compared{source: s, others: !r.o.Pushes(s.Path), pending: pending, renames: &search}
		if !c.others {
			c.findUnmet(a.Texts[s.Collection], marks, r.o.All)
		}
		of.files, of.found[s.Collection] = append(of.files, c), marks
	}
	return of, r.meet(ctx, of)
}

// meet asks the service for its source texts where some are about to be sent of which nothing is remembered, or which
// base has otherwise by now. Where it cannot be asked, such texts wait.
func (r *sourcePass) meet(ctx context.Context, all *sourceSituation) error {
	git := &past.Reader{
		Repo: r.branch.Repo, Tree: r.tree.Commit(), Log: r.branch.Log,
		Branch: r.branch.Project.Pull.Branch, Base: r.branch.Project.Pull.Base,
	}
	others := r.branch.Project.Memory == "local" && r.branch.Project.Pull.Remote != "" // of other clones nothing is known
	of, unmet, asks := make(map[*bundle.Bundle]*compared), make(map[string]map[string]bool), []pass.ExportAsk(nil)
	for _, s := range all.files {
		reworded := s.reworded(r.accepted.Texts[s.source.Collection])
		later, err := git.Later(ctx, s.source.Bundle, reworded)
		if err != nil {
			return err
		}
		for _, u := range reworded {
			if others && !s.unmet[u.Key] && !later[u.Key] {
				s.shared[u.Key] = true
			}
		}
		maps.Copy(s.unmet, s.shared)
		maps.Copy(s.unmet, later)
		if len(s.unmet) > 0 {
			of[s.source.Bundle], unmet[s.source.Path] = s, s.unmet
		}
	}
	for _, g := range bundle.Groups(r.tree.Bundles()) {
		if !slices.ContainsFunc(g.Bundles, func(b *bundle.Bundle) bool { return of[b] != nil }) {
			continue
		}
		ask := pass.SourceAsk(r.tree, g)
		if met, err := r.meets(g, unmet); err != nil {
			return err
		} else if met {
			ask.Languages = append(ask.Languages, r.branch.Project.Targets()...)
		}
		asks = append(asks, ask)
	}
	answers, failure := r.ask(ctx, asks)
	if failure != nil {
		r.Errs = append(r.Errs, failure)
	}
	shared := r.tree.NewShared()
	for i, ask := range asks {
		var divider pass.Divider
		if failure == nil {
			r.onlyThere(ask.Group, answers[i])
			if len(ask.Languages) > 1 {
				r.before[ask.Group.ID()] = answers[i]
			}
		}
		for _, b := range ask.Group.Bundles {
			s := of[b]
			switch {
			case s == nil:
			case failure != nil, answers[i].Lacks(b, b.Source):
				s.unknown = true
			default:
				var err error
				own := divider.Texts(answers[i].Of(b, b.Source), shared.HasIn(b.Collection), s.source.TextKeys())
				s.theirs = r.tree.FittedSource(b, own)
				s.differ = past.Differ(s.source.Texts, s.theirs, s.unmet, s.shared, r.accepted.Texts[b.Collection])
				r.out.Has(b.Path, b.Source.Code, s.theirs)
				if s.known, err = git.Keys(ctx, b, s.differ); err != nil {
					return err
				}
			}
		}
	}
	all.ahead = git.Ahead()
	return ctx.Err()
}

// onlyThere names the source texts that the service has and no source file, when a collection is met first.
// Where several branches send to it, they may be another's.
func (r *sourcePass) onlyThere(g *bundle.Group, present *pass.Exported) {
	if len(r.accepted.Texts[g.Collection]) > 0 || r.branch.Base != "" {
		return
	}
	if only := r.tree.Unsourced(g, present.Of); len(only) > 0 {
		r.report.Orphaned = append(r.report.Orphaned, report.Problem{
			Code: report.CodeRemoved, File: g.Bundles[0].Path, Language: r.branch.Project.SourceLanguage,
			Problem: fmt.Sprintf("the service has %s in collection %q that no source file has: %s; no pull brings them. "+
				"Delete there what is not needed", report.Counted(len(only), "text", "texts"), g.Collection, report.Some(only, 5))})
	}
}

// A service may translate a new source text by itself. So that no translation of the repository loses to that, it is
// asked for its own before.

// readBefore asks, for the groups where that matters. Keys that a push renames are none of them: their translations
// are at the service, under other names.
func (r *sourcePass) readBefore(ctx context.Context, plan *sourcePlan) error {
	if len(plan.renames) > 0 {
		clear(r.before)
	}
	if len(plan.All) == 0 || len(plan.renames) > 0 {
		return nil
	}
	sent := make(map[string]map[string]bool) // keys, by source file
	for _, s := range plan.All {
		for i, up := range s.Uploads {
			keys := up.Units.Keys()
			maps.Copy(keys, sent[s.Remember[i].Path])
			sent[s.Remember[i].Path] = keys
		}
	}
	var asks []pass.ExportAsk
	for _, g := range bundle.Groups(r.tree.Bundles()) {
		met, err := r.meets(g, sent)
		if err != nil {
			return err
		}
		if met && r.before[g.ID()] == nil {
			asks = append(asks, draftAsk(r.tree, g, r.branch.Project.Targets()))
		}
	}
	answers, err := r.ask(ctx, asks)
	for i, present := range answers {
		r.before[asks[i].Group.ID()] = present
	}
	return err
}

// meets reports whether a group has translations of keys that are sent, of which nothing was agreed on.
func (r *sourcePass) meets(g *bundle.Group, sent map[string]map[string]bool) (bool, error) {
	if !r.branch.Project.Push.Translations && !r.o.Translations {
		return false, nil
	}
	var concerned []*bundle.Bundle
	for _, b := range g.Bundles {
		if len(sent[b.Path]) > 0 {
			concerned = append(concerned, b)
		}
	}
	targets, err := bundle.Existing(r.tree.FS, concerned, r.branch.Project.Targets())
	if err != nil {
		return false, err
	}
	for _, t := range targets {
		f, _, err := t.Sources[0].Read(r.tree.FS, t.Path, t.Language)
		merged, merr := r.branch.Ledger.Marks(r.branch.Memory().Slot(ledger.Merged, t.Path, t.Language.Code))
		if err = errors.Join(err, merr); err != nil {
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
