package status

import (
	"fmt"
	"io/fs"
	"maps"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/accepted"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// heldKeys returns the source keys whose newest translation in l is held back: a pull left it
// out, or it waits for a decision. fsys is where file names are looked for that the service
// decides.
func (p *View) heldKeys(fsys fs.FS, t *tree.Tree, l config.Language, conflicts []report.Conflict) (map[tree.Key]bool,
	error) {
	slots, err := ledger.LeftOut.Slots(p.Ledger, p.Scope)
	if err != nil {
		return nil, err
	}
	byPath := make(map[string]map[string]bool) // keys by target path
	for _, slot := range slots {
		if slot.Language != l.Code {
			continue
		}
		marks, err := p.Ledger.Marks(slot)
		if err != nil {
			return nil, err
		}
		byPath[slot.Path] = make(map[string]bool, len(marks))
		for n := range marks {
			byPath[slot.Path][n.Key] = true
		}
	}
	for _, c := range conflicts {
		if c.Language == l.Code {
			if byPath[c.File] == nil {
				byPath[c.File] = make(map[string]bool)
			}
			byPath[c.File][c.Key] = true
		}
	}
	held := make(map[tree.Key]bool)
	if len(byPath) == 0 {
		return held, nil
	}
	targets, err := bundle.Existing(fsys, t.Bundles(), []config.Language{l})
	if err != nil {
		return nil, fmt.Errorf("look for translations that were held back: %w", err)
	}
	for _, target := range targets {
		left := byPath[target.Path]
		if len(left) == 0 {
			continue
		}
		for _, b := range target.Sources {
			for key := range t.Of(b).TextKeys() {
				if left[key] {
					held[tree.Key{Path: b.Path, Key: key}] = true
				}
			}
		}
	}
	return held, nil
}

// count fills in the numbers.
func (p *View) count(repo *gitops.Repo, s *report.ProjectStatus, t *tree.Tree) error {
	p.Accepted.Repo = repo
	a, err := p.Accepted.Compare(t, false)
	if err != nil {
		return err
	}
	commit := ""
	if tip, ok := t.FS.(*gitops.Tip); ok {
		commit = tip.Hash()
	} else if _, commit, err = repo.Head(); err != nil {
		return err
	}
	if err := p.Accepted.Recall(repo, a, p.Config.Push.Source, commit); err != nil {
		return err
	}
	s.Problems = append(a.Problems, s.Problems...)
	s.Orphaned = a.Orphans()
	unsent, err := p.Unsent(repo, t)
	if err != nil {
		return err
	}
	for _, src := range t.Sources {
		f := report.FileStatus{Path: src.Path, Format: src.Format.Name, Collection: src.Collection}
		if src.Broken() {
			if src.Texts, err = pushedTexts(p, a, src.ID()); err != nil {
				return err
			}
			for _, problem := range t.Problems {
				if problem.File == src.Path {
					f.Error, f.ErrorCode = problem.String(), report.FailedConfig
				}
			}
		} else if !a.Held[src.ID()] {
			pending, _, _ := a.Pending(src)
			f.Pending = len(pending)
		}
		f.Keys = len(src.TextKeys())
		s.Pending += f.Pending
		s.Files = append(s.Files, f)
	}
	s.Removed = len(s.Orphaned)
	s.Held += len(a.Held)
	return p.countLanguages(repo, s, t, unsent)
}

// pushedTexts are the names of what was pushed of a source file, but for keys that it had lost: its last good state.
func pushedTexts(p *View, a *accepted.Sources, at ledger.Source) (names catalog.Catalog, err error) {
	removed, err := p.Ledger.Marks(ledger.Removed.Of(p.Scope, at))
	for n := range a.Files[at] {
		if _, lost := removed[n]; !lost {
			names = append(names, catalog.Unit{Name: n})
		}
	}
	return names, err
}

// countLanguages counts the keys that each language has, where the branch was merged at last or in the tree itself,
// whichever has more, and names the files of translations that cannot be read where passes read them.
func (p *View) countLanguages(repo *gitops.Repo, s *report.ProjectStatus, t *tree.Tree, mine map[string]int) error {
	trees := []lookedAt{{t.FS, p.Config.Push.Enabled && p.Config.Push.Translations}}
	if tip, err := repo.Seen(p.Config.Pull.Branch, p.Config.Pull.Base); err == nil && !tip.New() {
		trees = append(trees, lookedAt{tip, p.Config.Pull.Enabled})
	}
	s.Gaps = make(map[string][]report.Gap)
	for _, l := range p.Config.Targets() {
		have, held, wanted := make(map[tree.Key]bool), make(map[tree.Key]bool), t.Needed(l)
		for _, at := range trees {
			problems, err := t.AddComplete(have, wanted, at.FS, l, p.Ledger, p.Scope)
			if err != nil {
				return err
			}
			if at.read {
				s.Problems = append(s.Problems, problems...)
			}
			keys, err := p.heldKeys(at.FS, t, l, s.Conflicts)
			if err != nil {
				return err
			}
			maps.Copy(held, keys)
		}
		count := report.LanguageStatus{Language: l.Code, Keys: len(have), Missing: len(wanted) - len(have), Held: len(held),
			Pending: mine[l.Code]}
		s.Pending += count.Pending
		for key := range held {
			if !have[key] {
				count.HeldMissing++
			}
		}
		s.Gaps[l.Code] = gaps(t, wanted, have, held)
		s.Languages = append(s.Languages, count)
	}
	return nil
}

// mostGaps is how many keys without a translation are named of a language.
const mostGaps = 10

// gaps are the first keys of the sources that have no translation, neither one that counts nor one that is held back.
func gaps(t *tree.Tree, wanted, have, held map[tree.Key]bool) (all []report.Gap) {
	for _, src := range t.Sources {
		if src.Broken() {
			continue
		}
		for _, u := range src.Texts {
			at := tree.Key{Path: src.Path, Key: u.Key}
			last := len(all) - 1
			again := last >= 0 && all[last].Key == u.Key && all[last].File == src.Path // another form
			if u.Text == "" || !wanted[at] || have[at] || held[at] || again {
				continue
			}
			if all = append(all, report.Gap{File: src.Path, Key: u.Key, Text: u.Text}); len(all) == mostGaps {
				return all
			}
		}
	}
	return all
}

// lookedAt is a tree where translations stand, and whether passes read them there.
type lookedAt struct {
	fs.FS
	read bool
}
