package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/accepted"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/tree"
)

// rememberMoves stores the moves, and forgets those whose old file is there again.
func (r *pushing) rememberMoves(tx ledger.Writer, a *accepted.Sources) error {
	here := make(map[ledger.Source]bool)
	for _, s := range a.Tree.Sources {
		here[s.ID()] = true
	}
	stored, err := ledger.Moves.List(tx, r.branch.stateName())
	if err != nil {
		return err
	}
	for _, m := range stored {
		if here[m.From] {
			if err := ledger.Moves.Delete(tx, r.branch.stateName(), m.ID()); err != nil {
				return err
			}
		}
	}
	for _, m := range a.Moves {
		if err := ledger.Moves.Put(tx, r.branch.stateName(), m.ID(), m); err != nil {
			return err
		}
	}
	return nil
}

// moveCollections sends the translations of files whose move changed their collection into the new one, with the completion state that pulls
// ask for. Those go along whose source text the new file has under the same key.
func (r *pushing) moveCollections(ctx context.Context, a *accepted.Sources) error {
	stored, err := ledger.Moves.List(r.branch.Ledger, r.branch.stateName())
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
		r.report.Moved = append(r.report.Moved, report.Moved{From: m.From.Path, To: m.To.Path, Keys: len(keys), Languages: languages})
		if m.Sent = true; !r.o.DryRun && len(r.errs) == 0 {
			if err := ledger.Moves.Put(r.branch.Ledger, r.branch.stateName(), m.ID(), m); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *pushing) moveCollection(ctx context.Context, m ledger.Move, s *tree.Source, keys map[string]string) (languages []string, err error) {
	languages = []string{}
	if m.From.Collection == m.To.Collection || len(keys) == 0 || len(r.errs) > 0 {
		return languages, nil
	}
	former := *s.Bundle
	former.Collection = m.From.Collection
	g := bundle.Groups([]*bundle.Bundle{&former})[0]
	r.branch.say("asking what the service has in %q", g.Collection)
	theirs, err := r.export(ctx, g, r.branch.Project.Targets(), r.branch.Project.Pull.CompletionState, anew.in(r.o.DryRun))
	if err != nil {
		return nil, err
	}
	r.exports++
	ship := &shipping{}
	for _, l := range r.branch.Project.Targets() {
		var units catalog.Catalog
		for _, u := range theirs.of(&former, l) {
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
		r.foresee(s.Bundle, l, up.Units, false)
		ship.add(r.request(s.Bundle, l.Code, g.ExportFormat(), r.branch.Project.Pull.CompletionState), up, ledger.Destination{Kinds: []ledger.TargetMarks{ledger.Known}, Path: path, Language: l.Code}, up.Units)
	}
	r.shipAll(ctx, ship.shipments)
	return languages, nil
}

// formerTarget is where the translations of a source file stood that is not there any more; "" when no entry of the configuration says.
func (p *pulling) formerTarget(at ledger.Source, l config.Language) string {
	for i := range p.branch.Project.Files {
		files := &p.branch.Project.Files[i]
		source, fits := files.SourceFile(at.Path)
		if !fits || files.CollectionOf(source) != at.Collection {
			continue
		}
		if t := files.Template().For(source); !t.HasLabel() {
			return t.Path(l, "")
		}
		return ""
	}
	return ""
}

// former is where the translations of a file that moved stood before; the zero value when it did not move.
type former struct {
	path    string
	file    *resource.File // nil when the tree has it no more
	renamed []catalog.Rename
}

// formerly finds the file that a target's translations stood in before its source file moved. One that belongs to another source file by now is none.
func (r *pulling) formerly(t *tree.Tree, target bundle.Target) (former, error) {
	var none former
	if len(target.Sources) != 1 {
		return none, nil
	}
	at, found := t.Of(target.Sources[0]).ID(), none
	var renamed []catalog.Rename
	for range len(r.moves) { // a file may have moved more than once since
		i := slices.IndexFunc(r.moves, func(m ledger.Move) bool { return m.To == at })
		if i < 0 {
			break
		}
		at = r.moves[i].From
		renamed = append(renamed, r.moves[i].Renamed...)
		old := r.formerTarget(at, target.Language)
		if old == "" || config.SameFile(old, target.Path) || slices.ContainsFunc(t.Sources, func(s *tree.Source) bool { return s.ID() == at || s.Target(target.Language) == old }) {
			continue
		}
		f, _, err := target.Sources[0].Read(t.FS, old, target.Language)
		if err != nil {
			return none, err
		}
		if found.path == "" || f != nil {
			found = former{old, f, renamed}
		}
		if f != nil {
			break
		}
	}
	return found, nil
}

// textsOr are the texts of the file that stands at the path now; those of the former one where there is none.
func (f former) textsOr(now *resource.File) catalog.Catalog {
	if now == nil {
		now = f.file
	}
	return bundle.Texts(now)
}

// renames are the keys of a target's source files that became other keys: of all renames those that concern it.
func (m *merged) renames(all map[*bundle.Bundle][]catalog.Rename) []catalog.Rename {
	renamed := slices.Clone(m.former.renamed)
	for _, b := range m.Sources {
		renamed = append(renamed, all[b]...)
	}
	return renamed
}

// carry makes a merge with the file at the old path one that writes the file at the new one.
func (m *merged) carry(source catalog.Catalog, in *catalog.Three, result *catalog.Merged) {
	after := make(map[string]catalog.Catalog)
	index := make(map[catalog.Name]bool)
	for _, c := range result.Changes {
		index[c.Name] = true
		if c.Op != catalog.Removed {
			after[c.Key] = append(after[c.Key], catalog.Unit{Name: c.Name, Text: c.Text})
		}
	}
	for _, u := range in.Ours {
		if !index[u.Name] && u.Text != "" {
			after[u.Key] = append(after[u.Key], u)
		}
	}
	ours := in.Ours
	in.Ours, result.Changes = nil, nil
	for _, s := range source {
		for _, u := range after[s.Key] {
			result.Changes = append(result.Changes, catalog.Change{Op: catalog.Added, Name: u.Name, Text: u.Text})
		}
		delete(after, s.Key)
	}
	for _, u := range ours { // what stays though no source has it moves along
		for _, u := range after[u.Key] {
			result.Changes = append(result.Changes, catalog.Change{Op: catalog.Added, Name: u.Name, Text: u.Text})
		}
		delete(after, u.Key)
	}
}

// leaves reports whether the file at the old path goes: when everything in it that is still asked for stands at the new one.
func (m *merged) leaves(t *tree.Tree) bool {
	if m.former.file == nil {
		return false
	}
	living := make(map[string]bool)
	for _, s := range t.Sources {
		if s.Broken() {
			return false
		}
		for key := range s.EntryKeys() {
			living[key] = true
		}
	}
	for _, u := range bundle.Texts(m.former.file) {
		if _, there := m.after[u.Name]; !there && living[u.Key] && u.Text != "" && !ledger.Knows(m.filler, u.Name, catalog.MarkOf(u.Text)) {
			return false
		}
	}
	return true
}

// readMoves loads the moves and renames that pulls follow: those that pushes remember, and those that are to be seen in the tree.
func (r *pulling) readMoves(t *tree.Tree, tip *gitops.Tip) error {
	a, err := r.branch.keeper().Compare(t, false)
	if err != nil {
		return err
	}
	if err := r.branch.keeper().Recall(r.branch.Repo, a, r.branch.Project.Pull.Branch, tip.Hash()); err != nil {
		return err
	}
	r.accepted = a
	r.moves, err = ledger.Moves.List(r.branch.Ledger, r.branch.stateName())
	if err != nil {
		return err
	}
	r.digested = sourceDigests{service: make(map[string]catalog.Marks)}
	for collection, marks := range a.Texts {
		r.digested.service[collection] = catalog.Digests(marks)
	}
	r.moves = append(r.moves, a.Moves...)
	r.renamed = make(map[*bundle.Bundle][]catalog.Rename)
	for _, s := range t.Sources {
		if s.Broken() || a.Held[s.ID()] {
			continue
		}
		_, base, changes := a.Pending(s)
		look, err := r.branch.lookForRenames(s, base, changes)
		if err != nil {
			return err
		}
		for _, m := range append(look.found, look.pending...) {
			r.renamed[s.Bundle] = append(r.renamed[s.Bundle], catalog.Rename{From: m.From, To: m.To})
		}
	}
	return nil
}
