package pull

import (
	"slices"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/text/catalog"
)

// undivided are the service's translations of keys on which the files agree: no decision is about the others.
func undivided(s *tree.Shared, x pass.Translated) catalog.Catalog {
	return slices.DeleteFunc(slices.Clone(x.Texts), func(u catalog.Unit) bool {
		return s.Beside(x.Path, x.Language.Code, u.Key) != ""
	})
}

// elsewhere are the keys whose texts belong to other files of the collection: divided ones, and gaps that were there
// when both files were met.
func (s *situation) elsewhere(m *merged, in catalog.Three) map[string]bool {
	b := s.Sources[0]
	keys := make(map[string]bool)
	for key := range s.living {
		if beside := s.shared.Beside(s.Path, s.Language.Code, key); beside != "" {
			keys[key] = true
			s.divided(m, in, key, beside)
			continue
		}
		others := s.shared.Elsewhere(b, s.Language, s.Path, key)
		if len(others) == 0 {
			continue
		}
		_, stays := s.here[ledger.Elsewhere][catalog.Name{Key: key}]
		if !stays && m.first {
			stays = !slices.ContainsFunc(others, func(path string) bool {
				return s.merged[ledger.TargetID(path, s.Language.Code)]
			})
		}
		if stays {
			keys[key] = true
			if m.marks.elsewhere == nil {
				m.marks.elsewhere = make(catalog.Marks)
			}
			m.marks.elsewhere[catalog.Name{Key: key}] = catalog.Mark{}
		}
	}
	return keys
}

// divided makes a conflict of a divided key where a pull is the first to find it.
func (s *situation) divided(m *merged, in catalog.Three, key, beside string) {
	found := pass.NewConflict(s.at, s.Path, s.Language.Code, key, in.Ours, in.Theirs, nil).InFile(beside)
	if before, waits := s.lost[found.ID()]; waits && before.Beside != "" && pass.SameTexts(before.Ours, found.Ours) {
		return
	}
	fresh := func(u catalog.Unit) bool { return !ledger.Holds(m.texts.inherits, u) && !pass.HasText(found.Theirs, u) }
	if slices.ContainsFunc(found.Ours, fresh) {
		m.conflicts = append(m.conflicts, found)
	}
}
