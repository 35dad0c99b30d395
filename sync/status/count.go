package status

import (
	"fmt"
	"io/fs"
	"maps"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/accepted"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/tree"
)

// heldKeys returns the source keys, as source path and key, whose newest translation in l is held back: a pull left it
// out, or it waits for a decision. fsys is where file names are looked for that the service
// decides.
func (p *View) heldKeys(fsys fs.FS, t *tree.Tree, l config.Language, conflicts []report.Conflict) (map[string]bool,
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
	held := make(map[string]bool)
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
					held[b.Path+"\x00"+key] = true
				}
			}
		}
	}
	return held, nil
}

// count fills in the numbers.
func (p *View) count(repo *gitops.Repo, s *report.ProjectStatus, t *tree.Tree) error {
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
	s.Orphaned = a.Orphans(p.Config.SourceLanguage)
	unsent, err := p.Unsent(repo, t)
	if err != nil {
		return err
	}
	total := make(map[string]bool)
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
		keys := src.TextKeys()
		f.Keys = len(keys)
		for key := range keys {
			total[src.Path+"\x00"+key] = true
		}
		s.Pending += f.Pending
		s.Files = append(s.Files, f)
	}
	s.Removed = len(s.Orphaned)
	s.Held += len(a.Held)
	return p.countLanguages(repo, s, t, len(total), unsent)
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
func (p *View) countLanguages(repo *gitops.Repo, s *report.ProjectStatus, t *tree.Tree, all int,
	mine map[string]int) error {
	trees := []lookedAt{{t.FS, p.Config.Push.Enabled && p.Config.Push.Translations}}
	if tip, err := repo.Seen(p.Config.Pull.Branch, p.Config.Pull.Base); err == nil && !tip.New() {
		trees = append(trees, lookedAt{tip, p.Config.Pull.Enabled})
	}
	s.Gaps = make(map[string][]report.Gap)
	for _, l := range p.Config.Targets() {
		have, held := make(map[string]bool), make(map[string]bool)
		for _, at := range trees {
			problems, err := p.countKeys(have, t, at.FS, l)
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
		count := report.LanguageStatus{Language: l.Code, Keys: len(have), Missing: all - len(have), Held: len(held),
			Pending: mine[l.Code]}
		s.Pending += count.Pending
		for key := range held {
			if !have[key] {
				count.HeldMissing++
			}
		}
		s.Gaps[l.Code] = gaps(t, have, held)
		s.Languages = append(s.Languages, count)
	}
	return nil
}

// mostGaps is how many keys without a translation are named of a language.
const mostGaps = 10

// gaps are the first keys of the sources that have no translation, neither one that counts nor one that is held back.
func gaps(t *tree.Tree, have, held map[string]bool) (all []report.Gap) {
	for _, src := range t.Sources {
		if src.Broken() {
			continue
		}
		for _, u := range src.Texts {
			at := src.Path + "\x00" + u.Key
			last := len(all) - 1
			again := last >= 0 && all[last].Key == u.Key && all[last].File == src.Path // another form
			if u.Text == "" || have[at] || held[at] || again {
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

// countKeys adds the keys that a tree has translations for, and returns what is wrong with files that cannot be read.
func (p *View) countKeys(have map[string]bool, t *tree.Tree, fsys fs.FS,
	l config.Language) (problems []report.Problem, err error) {
	targets, err := bundle.Existing(fsys, t.Bundles(), []config.Language{l})
	if err != nil {
		return nil, err
	}
	for _, target := range targets {
		f, problem, err := target.Sources[0].Read(fsys, target.Path, l)
		if err != nil {
			return nil, err
		}
		if problem != nil {
			problems = append(problems, *problem)
		}
		if f == nil {
			continue
		}
		filler, err := p.Ledger.Marks(ledger.Filler.Of(p.Scope, target.Path, l.Code))
		if err != nil {
			return nil, err
		}
		texts := bundle.Texts(f)
		for _, b := range target.Sources {
			keys := t.Of(b).TextKeys()
			for _, u := range texts {
				if keys[u.Key] && u.Text != "" && !ledger.Holds(filler, u) {
					have[b.Path+"\x00"+u.Key] = true
				}
			}
		}
	}
	return problems, nil
}
