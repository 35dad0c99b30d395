package pull

import (
	"slices"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/tree"
)

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
	a, err := r.branch.Keeper().Compare(t, false)
	if err != nil {
		return err
	}
	if err := r.branch.Keeper().Recall(r.branch.Repo, a, r.branch.Project.Pull.Branch, tip.Hash()); err != nil {
		return err
	}
	r.accepted = a
	r.moves, err = ledger.Moves.List(r.branch.Ledger, r.branch.StateName())
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
		look, err := r.branch.LookForRenames(s, base, changes)
		if err != nil {
			return err
		}
		for _, m := range append(look.Found, look.Pending...) {
			r.renamed[s.Bundle] = append(r.renamed[s.Bundle], catalog.Rename{From: m.From, To: m.To})
		}
	}
	return nil
}
