package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/tree"
)

// The guard of pushes. A file that lost most of its keys, or is missing, is more often an accident than a wish. Until
// it is known to be meant, its keys count neither as removed nor as renamed, and what is left in it is not sent.
//
//   - A file that lost more than push.guard of its keys, at least ten, is held back and named. A key that is
//     elsewhere in the collection now, or whose text is under a new key of the file, is not lost.
//   - Missing files are gone at the second pass that misses them, a rescan later or by another command.
//   - Where more than push.guard of all files are missing at once, with at least ten keys, all are held back and
//     named.
//
// With Force all of it is taken as meant, once.
const brakeFloor = 10

// judge finds what may not be concluded from the tree, and what may.
func (p *project) judge(a *accepted, force bool) error {
	here := make(map[ledger.Source]*tree.Source)
	for _, s := range a.tree.Sources {
		here[s.ID()] = s
	}
	missing, total := make(map[ledger.Source]map[string]bool), 0
	for _, at := range a.places() {
		lost, all, err := p.lostKeys(a, at, here[at])
		if err != nil {
			return err
		}
		if all > 0 {
			total++
		}
		s := here[at]
		switch {
		case len(lost) == 0 || s != nil && s.Broken():
		case s == nil:
			missing[at] = lost
		case !force && len(lost) >= brakeFloor && float64(len(lost)) > p.cfg.Push.Guard*float64(all):
			a.hold(at)
			a.problems = append(a.problems, report.Problem{Code: report.CodeGuard, File: at.Path, Language: s.Source.Code,
				Problem: fmt.Sprintf("lost %d of its %d keys, more than push.guard = %g allows; it is held back, and nothing is concluded from it. If that is meant, run locsync push --force", len(lost), all, p.cfg.Push.Guard)})
		}
	}
	a.findMoves(missing)
	for _, m := range a.moves {
		delete(missing, m.From)
	}
	return p.judgeMissing(a, missing, total, force)
}

// lostKeys are the keys that a file had and that stand nowhere in the collection now; all counts those that it had. What was concluded to be removed
// earlier counts no more.
func (p *project) lostKeys(a *accepted, at ledger.Source, s *tree.Source) (lost map[string]bool, all int, err error) {
	own := a.files[at]
	fresh := make(map[catalog.Mark]int) // the texts of new keys: a key that was renamed is not lost
	if s != nil && !s.Broken() {
		for _, u := range s.Texts {
			if _, known := own[u.Name]; !known {
				fresh[catalog.MarkOf(u.Text)]++
			}
		}
	}
	lost = make(map[string]bool)
	for n := range own {
		if !a.living[at.Collection][n.Key] {
			lost[n.Key] = true
		}
	}
	keys := make(map[string]bool, len(own))
	for n := range own {
		keys[n.Key] = true
	}
	if len(lost) == 0 {
		return nil, len(keys), nil
	}
	removed, err := p.State.Marks(ledger.Removed.Of(p.stateName(), ledger.Source{Collection: at.Collection, Path: at.Path}))
	if err != nil {
		return nil, 0, err
	}
	for n := range removed {
		delete(lost, n.Key)
		delete(keys, n.Key)
	}
	for _, n := range own.Names() {
		if m := own[n]; lost[n.Key] && fresh[m] > 0 {
			fresh[m]--
			delete(lost, n.Key)
		}
	}
	return lost, len(keys), nil
}

// judgeMissing decides about the files that are not there and did not move.
func (p *project) judgeMissing(a *accepted, missing map[ledger.Source]map[string]bool, total int, force bool) error {
	keys := 0
	for _, lost := range missing {
		keys += len(lost)
	}
	for _, at := range a.places() {
		if missing[at] == nil {
			continue
		}
		first, seen, err := ledger.Missing.Get(p.State, p.stateName(), at.ID())
		if err != nil {
			return err
		}
		later := seen && (first.Run != p.run || p.Now().Sub(first.At) >= p.Config.Daemon.Rescan)
		switch {
		case force:
			a.gone = append(a.gone, at)
		case keys >= brakeFloor && float64(len(missing)) > p.cfg.Push.Guard*float64(total):
			a.hold(at)
			a.problems = append(a.problems, report.Problem{Code: report.CodeGuard, File: at.Path, Language: p.cfg.SourceLanguage,
				Problem: fmt.Sprintf("is not there, like %d of %d source files, more than push.guard = %g allows; nothing is concluded from it. If they are meant to be gone, run locsync push --force", len(missing), total, p.cfg.Push.Guard)})
		case later:
			a.gone = append(a.gone, at)
		default:
			a.hold(at)
			if !seen {
				a.missed = append(a.missed, at)
			}
		}
	}
	return nil
}

// places are the files of which anything was accepted, in order.
func (a *accepted) places() []ledger.Source {
	places := slices.Collect(maps.Keys(a.files))
	slices.SortFunc(places, ledger.Source.Compare)
	return places
}

// hold keeps a file's keys from counting as gone.
func (a *accepted) hold(at ledger.Source) {
	a.held[at] = true
	if a.living[at.Collection] == nil {
		a.living[at.Collection] = make(map[string]bool)
	}
	for n := range a.files[at] {
		a.living[at.Collection][n.Key] = true
	}
}

// holdings are the problems of the files that the brake holds back.
func (a *accepted) holdings() []report.Problem {
	paths := make(map[string]bool)
	for at := range a.held {
		paths[at.Path] = true
	}
	return slices.DeleteFunc(slices.Clone(a.problems), func(p report.Problem) bool { return !paths[p.File] })
}

// conclude remembers what was judged: files that were missed for the first time, files that are there again, and the keys of files that are gone, which
// are told.
func (r *pushing) conclude(a *accepted) error {
	for _, problem := range a.problems {
		r.answer(problem)
	}
	if r.o.DryRun {
		return nil
	}
	here := make(map[ledger.Source]bool)
	for _, s := range a.tree.Sources {
		here[s.ID()] = true
	}
	return r.State.Update(func(tx ledger.Writer) error {
		for _, at := range a.missed {
			r.log.Info("a source file is not there; it counts as deleted when it is still missing at a later look")
			if err := ledger.Missing.Put(tx, r.stateName(), at.ID(), ledger.Absence{At: r.Now().UTC(), Run: r.run}); err != nil {
				return err
			}
		}
		for _, at := range a.places() {
			if !here[at] && !slices.ContainsFunc(a.moves, func(m ledger.Move) bool { return m.From == at }) {
				continue
			}
			if err := ledger.Missing.Delete(tx, r.stateName(), at.ID()); err != nil {
				return err
			}
		}
		for _, at := range a.gone {
			slot := ledger.Removed.Of(r.stateName(), ledger.Source{Collection: at.Collection, Path: at.Path})
			before, err := tx.Marks(slot)
			if err != nil {
				return err
			}
			r.orphaned(at, before, a.files[at], a.living[at.Collection], nil)
			if err := tx.SetMarks(slot, a.files[at]); err != nil {
				return err
			}
		}
		return r.rememberMoves(tx, a)
	})
}

// orphaned tells which keys a file has lost since the last look, and under which new ones their texts stand, of which none is taken for the same key.
func (r *pushing) orphaned(at ledger.Source, before, now catalog.Marks, living map[string]bool, twins map[catalog.Name][]string) {
	told := make(map[string]bool)
	for _, n := range now.Names() {
		if _, old := before[n]; !old && !living[n.Key] && !told[n.Key] {
			told[n.Key] = true
			p := orphan(at, n.Key, r.cfg.SourceLanguage)
			if twins := twins[n]; len(twins) > 0 {
				p.Problem += fmt.Sprintf(". Its text stands under %s now; which key has become which is not guessed. Rename one key at a time, with a push after each, to take translations along", strings.Join(twins, ", "))
			}
			r.report.Orphaned = append(r.report.Orphaned, p)
		}
	}
}

func orphan(at ledger.Source, key, language string) report.Problem {
	return report.Problem{Code: report.CodeRemoved, File: at.Path, Key: key, Language: language,
		Problem: fmt.Sprintf("is gone from the source; the service keeps it in collection %q, and no pull brings it back. "+
			"Delete it there if its translations are not needed", at.Collection)}
}
