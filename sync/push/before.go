package push

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/past"
	"github.com/locsync/locsync/sync/report"
)

// A service may translate a new source text by itself. So that no translation of the repository loses to that, it is
// asked for its own before.

// readBefore asks, for the groups where that matters. Keys that a push renames are none of them: their translations
// are at the service, under other names.
func (r *sourcePass) readBefore(ctx context.Context, plan *sourcePlan) error {
	if len(plan.renames) > 0 {
		clear(r.before)
	}
	if len(plan.shipments) == 0 || len(plan.renames) > 0 {
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
	if len(asks) == 0 {
		return nil
	}
	answers, err := r.branch.ExportAll(ctx, asks, pass.Anew.In(r.o.DryRun))
	if err != nil {
		return err
	}
	r.exports += len(asks)
	for i, present := range answers {
		unread(r.state, present)
		r.before[asks[i].Group.ID()] = present
	}
	return nil
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
		if err != nil {
			return false, err
		}
		merged, err := r.marks(r.branch.Slot(ledger.Merged, t.Path, t.Language.Code))
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

// meetSources asks the service for its source texts where some are about to be sent of which nothing is remembered,
// and takes out what stays there. Where it cannot be asked, such texts wait.
func (r *sourcePass) meetSources(ctx context.Context, all []*compared) error {
	git := &past.Reader{
		Repo: r.branch.Repo, Tree: r.tree.Commit(), Log: r.branch.Log,
		Branch: r.branch.Project.Pull.Branch, Base: r.branch.Project.Pull.Base,
	}
	of, unmet, asks := make(map[*bundle.Bundle]*compared), make(map[string]map[string]bool), []pass.ExportAsk(nil)
	for _, s := range all {
		marks, err := r.branch.Ledger.Marks(r.branch.FoundSlot(s.source.Collection))
		if err != nil {
			return err
		}
		r.found[s.source.Collection] = marks
		if s.stays = make(map[string]bool); len(r.unmet(s)) > 0 {
			of[s.source.Bundle], unmet[s.source.Path] = s, r.unmet(s)
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
	r.exports += len(asks)
	answers, failure := r.branch.ExportAll(ctx, asks, pass.Anew.In(r.o.DryRun))
	if failure != nil {
		r.errs = append(r.errs, failure)
	}
	for i, ask := range asks {
		if failure == nil {
			unread(r.state, answers[i])
			r.onlyThere(ask.Group, answers[i])
		}
		if failure == nil && len(ask.Languages) > 1 {
			r.before[ask.Group.ID()] = answers[i]
		}
		for _, b := range ask.Group.Bundles {
			s := of[b]
			switch {
			case s == nil:
			case failure != nil, answers[i].Lacks(b, b.Source):
				s.stays = unmet[s.source.Path]
			default:
				if err := r.meet(ctx, git, s, answers[i].Of(b, b.Source)); err != nil {
					return err
				}
			}
		}
	}
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

// unmet are the keys of a file that are about to be sent, and of which nothing is remembered or a pull found another
// text; with --all, all of them.
func (r *sourcePass) unmet(s *compared) map[string]bool {
	keys := make(map[string]bool)
	for _, u := range s.source.Texts {
		_, known := r.accepted.Texts[s.source.Collection][u.Name]
		_, found := r.found[s.source.Collection][u.Name]
		if r.o.All || s.pending[u.Key] && (!known || found) {
			keys[u.Key] = true
		}
	}
	return keys
}

// meet decides about the texts of a file that the service has otherwise.
func (r *sourcePass) meet(ctx context.Context, git *past.Reader, s *compared, theirs catalog.Catalog) error {
	theirs = r.tree.FittedSource(s.source.Bundle, theirs)
	r.was(s.source.Path, s.source.Source.Code, theirs)
	has, unmet, differ := theirs.Index(), r.unmet(s), []past.Differing(nil)
	for _, u := range s.source.Texts {
		if at, there := has[u.Name]; unmet[u.Key] && there && theirs[at].Text != "" && theirs[at].Text != u.Text {
			differ = append(differ, past.Differing{Unit: u, Theirs: theirs[at].Text})
		}
	}
	keys, err := git.Keys(ctx, s.source.Bundle, differ)
	if err != nil {
		return err
	}
	accepted, kept := make(map[string]bool), make(map[string]bool)
	for _, u := range differ {
		at, first := keys[u.Key]
		if delete(keys, u.Key); !first {
			continue
		}
		kept[u.Key] = at != past.Here
		d := git.Decide(s.source.Bundle, u, at, r.branch.Project.Push.Conflicts)
		if s.stays[u.Key] = d.Stays; d.Accepted {
			accepted[u.Key] = true
		}
		switch {
		case d.Foretold && !r.o.DryRun, d.Told.Problem == "":
		case d.Told.Code == report.CodeConflict:
			r.problem(d.Told)
		default:
			r.report.Replaced = append(r.report.Replaced, d.Told)
			r.branch.GivesWay(d.Told, r.o.DryRun || r.branch.Project.Push.Conflicts == "skip")
		}
	}
	texts, a := s.source.Texts.Restrict(accepted), pass.NewAcceptance(s.source.Collection)
	r.accepted.Add(s.source.Collection, texts.Marks())
	if a.Add(s.source.Path, pass.Accepts(texts)); r.o.DryRun {
		return nil
	}
	before := r.found[s.source.Collection]
	found := maps.Clone(before)
	maps.DeleteFunc(found, func(n catalog.Name, _ catalog.Mark) bool {
		_, there := has[n]
		return unmet[n.Key] && there && !kept[n.Key]
	})
	r.found[s.source.Collection] = found
	return r.branch.Ledger.Update(func(tx ledger.Writer) error {
		if len(texts) > 0 {
			err = r.branch.Accept(tx, a)
		}
		if len(found) < len(before) {
			err = errors.Join(err, tx.SetMarks(r.branch.FoundSlot(s.source.Collection), found))
		}
		return err
	})
}
