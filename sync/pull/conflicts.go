package pull

import (
	"slices"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/tree"
)

// undivided are the service's translations of keys on which the files agree: no decision is about the others.
func undivided(s *tree.Shared, x pass.Translated) catalog.Catalog {
	return slices.DeleteFunc(slices.Clone(x.Texts), func(u catalog.Unit) bool {
		return s.Beside(x.Path, x.Language.Code, u.Key) != ""
	})
}

// leaveToOthers takes out of a merge what belongs to other files of the collection: changes of divided keys, and what
// would fill a gap that was there when both files were met.
func (r *merging) leaveToOthers(x pass.Translated, m *merged, in catalog.Three, result *catalog.Merged) error {
	b := x.Sources[0]
	before, err := r.branch.Ledger.Marks(r.branch.Memory().Slot(ledger.Elsewhere, x.Path, x.Language.Code))
	if err != nil {
		return err
	}
	keys := make(map[string]bool)
	for key := range in.Source.Keys() {
		if beside := r.shared.Beside(x.Path, x.Language.Code, key); beside != "" {
			keys[key] = true
			divided(r, x, m, in, key, beside)
			continue
		}
		others := r.shared.Elsewhere(b, x.Language, x.Path, key)
		if len(others) == 0 {
			continue
		}
		_, stays := before[catalog.Name{Key: key}]
		if !stays && m.first {
			if stays, err = r.neverMerged(others, x.Language); err != nil {
				return err
			}
		}
		if stays {
			keys[key] = true
			if m.elsewhere == nil {
				m.elsewhere = make(catalog.Marks)
			}
			m.elsewhere[catalog.Name{Key: key}] = catalog.Mark{}
		}
	}
	result.Changes = slices.DeleteFunc(result.Changes, func(c catalog.Change) bool {
		leaves := keys[c.Key] && c.Op != catalog.Removed
		if leaves {
			result.Leave(in.Base, c.Name)
		}
		return leaves
	})
	left := func(c catalog.Conflict) bool { return keys[c.Key] }
	result.Conflicts = slices.DeleteFunc(result.Conflicts, left)
	result.Undecided = slices.DeleteFunc(result.Undecided, left)
	return nil
}

// divided makes a conflict of a divided key where a pull is the first to find it.
func divided(r *merging, x pass.Translated, m *merged, in catalog.Three, key, beside string) {
	found := pass.NewConflict(r.branch.Now(), x.Path, x.Language.Code, key, in.Ours, in.Theirs, nil).InFile(beside)
	if before, waits := r.lost[found.ID()]; waits && before.Beside != "" && pass.SameTexts(before.Ours, found.Ours) {
		return
	}
	fresh := func(u catalog.Unit) bool { return !ledger.Holds(m.inherits, u) && !pass.HasText(found.Theirs, u) }
	if slices.ContainsFunc(found.Ours, fresh) {
		m.conflicts = append(m.conflicts, found)
	}
}

// neverMerged reports whether no pull has merged any of these files yet.
func (r *merging) neverMerged(paths []string, l config.Language) (bool, error) {
	for _, path := range paths {
		merged, err := r.branch.Ledger.HasMarks(r.branch.Memory().Slot(ledger.Merged, path, l.Code))
		if err != nil || merged {
			return false, err
		}
	}
	return true, nil
}
