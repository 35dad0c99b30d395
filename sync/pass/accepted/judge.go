package accepted

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// The guard of pushes. A file that lost most of its keys, or is missing, is more often an accident than a wish. Until
// it is known to be meant, its keys count neither as removed nor as renamed, and what is left in it is not sent.
//
//   - A file that lost more than push.guard of its keys, at least ten, is held back and named. A key that is
//     elsewhere in the collection now, or whose text is under a new key of the file, is not lost.
//   - Missing files are gone at the second pass that misses them, a rescan later or by another command.
//   - Where more than push.guard of all files are missing at once, with at least ten keys, all are held back and
//     named.
//   - A file that the configuration does not name any more is none of these: its keys are given up with its entry.
//   - What the tree never had is not lost: another clone has added it, and the tree is behind that.
//
// With Force all of it is taken as meant, once.
const guardFloor = 10

// judge finds what may not be concluded from the tree, and what may.
func (p *Store) judge(a *Sources, force bool) error {
	here := make(map[ledger.Source]*tree.Source)
	for _, s := range a.Tree.Sources {
		here[s.ID()] = s
	}
	stored, err := ledger.Moves.List(p.Ledger, p.Scope)
	if err != nil {
		return err
	}
	left := make(map[ledger.Source]bool) // by files whose texts have all been taken along
	for _, m := range stored {
		followed := here[m.To] != nil || len(a.Files[m.To]) > 0 // else the file has moved on before its texts did
		left[m.From] = m.Sent && here[m.From] == nil && followed
	}
	missing, total := make(map[ledger.Source]map[string]bool), 0
	for _, at := range a.All() {
		if left[at] {
			continue
		}
		lost, all, err := p.lostKeys(a, at, here[at])
		if err != nil {
			return err
		}
		s := here[at]
		if s == nil && len(lost) > 0 || len(lost) >= guardFloor {
			unknown, err := p.unknown(a, at, lost)
			if err != nil {
				return err
			}
			maps.DeleteFunc(lost, func(key string, _ bool) bool { return unknown[key] })
			all -= len(unknown)
			if s == nil && len(lost) == 0 && len(unknown) > 0 {
				a.hold(at)
			}
		}
		if all > 0 {
			total++
		}
		switch {
		case len(lost) == 0 || s != nil && s.Broken():
		case s == nil:
			missing[at] = lost
		case !force && len(lost) >= guardFloor && float64(len(lost)) > p.Project.Push.Guard*float64(all):
			a.hold(at)
			a.Problems = append(a.Problems, report.Problem{Code: report.CodeGuard, File: at.Path, Language: s.Source.Code,
				Problem: fmt.Sprintf("lost %d of its %d keys, more than push.guard = %g allows; it is held back, and "+
					"nothing is concluded from it. If that is meant, run locsync push --force",
					len(lost), all, p.Project.Push.Guard)})
		}
	}
	a.findMoves(missing, left)
	for _, m := range a.Moves {
		delete(missing, m.From)
	}
	for _, at := range a.All() {
		if missing[at] != nil && a.dropped(at) {
			a.Gone = append(a.Gone, at)
			delete(missing, at)
			total--
		}
	}
	return p.judgeMissing(a, missing, total, force)
}

// unknown are those of the lost keys of a file that the tree never had.
func (p *Store) unknown(a *Sources, at ledger.Source, lost map[string]bool) (map[string]bool, error) {
	b := bundle.Of(a.project, at.Path)
	if b == nil || p.Had == nil {
		return nil, nil
	}
	names, unknown := make(map[catalog.Name]bool), make(map[string]bool)
	for n := range a.Files[at] {
		if lost[n.Key] {
			names[n], unknown[n.Key] = true, true
		}
	}
	had, err := p.Had(p.Repo, a.Tree, b, names)
	for n := range had {
		delete(unknown, n.Key)
	}
	return unknown, err
}

// dropped reports whether no entry of the configuration names a file any more.
func (a *Sources) dropped(at ledger.Source) bool { return bundle.Of(a.project, at.Path) == nil }

// Dropped is the problem of a file of which that is so, with as many keys; false for any other file.
func (a *Sources) Dropped(at ledger.Source, keys int) (report.Problem, bool) {
	return report.Problem{Code: report.CodeRemoved, File: at.Path, Language: a.project.SourceLanguage,
		Problem: fmt.Sprintf("no [[project.files]] names it any more: nothing of it is sent or pulled, and the service "+
			"keeps %s of it in collection %q", report.Counted(keys, "key", "keys"), at.Collection),
		Remedy: "put the entry back if that is not meant"}, a.dropped(at)
}

// lostKeys are the keys that a file had and that stand nowhere in the collection now; all counts those that it had.
// What was concluded to be removed earlier counts no more.
func (p *Store) lostKeys(a *Sources, at ledger.Source, s *tree.Source) (lost map[string]bool, all int, err error) {
	own := a.Files[at]
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
		if !a.Living[at.Collection][n.Key] {
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
	removed, err := p.Ledger.Marks(ledger.Removed.Of(p.Scope, at))
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
func (p *Store) judgeMissing(a *Sources, missing map[ledger.Source]map[string]bool, total int, force bool) error {
	keys := 0
	for _, lost := range missing {
		keys += len(lost)
	}
	for _, at := range a.All() {
		if missing[at] == nil {
			continue
		}
		first, seen, err := ledger.Missing.Get(p.Ledger, p.Scope, at.ID())
		if err != nil {
			return err
		}
		later := seen && (first.Run != p.Run || p.Now().Sub(first.At) >= p.Rescan)
		switch {
		case force:
			a.Gone = append(a.Gone, at)
		case keys >= guardFloor && float64(len(missing)) > p.Project.Push.Guard*float64(total):
			a.hold(at)
			a.Problems = append(a.Problems, report.Problem{Code: report.CodeGuard, File: at.Path,
				Language: p.Project.SourceLanguage,
				Problem: fmt.Sprintf("is not there, like %d of %d source files, more than push.guard = %g allows; "+
					"nothing is concluded from it. If they are meant to be gone, run locsync push --force",
					len(missing), total, p.Project.Push.Guard)})
		case later:
			a.Gone = append(a.Gone, at)
		default:
			a.hold(at)
			if !seen {
				a.Missed = append(a.Missed, at)
			}
		}
	}
	return nil
}

// All are the files of which anything was accepted, in order.
func (a *Sources) All() []ledger.Source {
	return slices.SortedFunc(maps.Keys(a.Files), ledger.Source.Compare)
}

// hold keeps a file's keys from counting as gone.
func (a *Sources) hold(at ledger.Source) {
	a.Held[at] = true
	if a.Living[at.Collection] == nil {
		a.Living[at.Collection] = make(map[string]bool)
	}
	for n := range a.Files[at] {
		a.Living[at.Collection][n.Key] = true
	}
}

// Holdings are the problems of the files that the guard holds back.
func (a *Sources) Holdings() []report.Problem {
	paths := make(map[string]bool)
	for at := range a.Held {
		paths[at.Path] = true
	}
	return slices.DeleteFunc(slices.Clone(a.Problems), func(p report.Problem) bool { return !paths[p.File] })
}

// findMoves finds the files that are elsewhere now, of those that are not there and were not taken along before. A file
// that could have become more than one is reported when it matters: when keys of it are lost.
func (a *Sources) findMoves(lost map[ledger.Source]map[string]bool, left map[ledger.Source]bool) {
	slots := make(map[string]ledger.Source)
	went, came := make(map[string]catalog.Marks), make(map[string]catalog.Marks)
	here := make(map[ledger.Source]bool)
	for _, s := range a.Tree.Sources {
		here[s.ID()] = true
		if !s.Broken() && len(a.Files[s.ID()]) == 0 && len(s.Texts) > 0 {
			came[s.ID().ID()] = s.Texts.Marks()
			slots[s.ID().ID()] = s.ID()
		}
	}
	if len(came) == 0 {
		return
	}
	for at, marks := range a.Files {
		if !here[at] && !left[at] && len(marks) > 0 {
			went[at.ID()] = marks
			slots[at.ID()] = at
		}
	}
	moves, doubt := catalog.Moves(went, came)
	for _, m := range moves {
		x := ledger.Move{From: slots[m.From], To: slots[m.To], Sent: slots[m.From].Collection == slots[m.To].Collection}
		for _, s := range a.Tree.Sources {
			if before := went[m.From]; s.ID() == x.To {
				x.Renamed = catalog.Whole(catalog.Renames(before, s.Texts, catalog.Diff(before, s.Texts)), before, s.Texts)
			}
		}
		a.Moves = append(a.Moves, x)
	}
	for _, at := range a.All() {
		candidates := doubt[at.ID()]
		if len(candidates) == 0 || len(lost[at]) == 0 {
			continue
		}
		var paths []string
		for _, id := range candidates {
			paths = append(paths, slots[id].Path)
		}
		a.Problems = append(a.Problems, report.Problem{Code: report.CodeRename, File: at.Path,
			Language: a.Tree.Sources[0].Source.Code,
			Problem: fmt.Sprintf("is gone, and its texts are in more than one new file or come from more than one (%s); "+
				"which has become which is not guessed, and its translations stay where they are. Move one file at a time, with a "+
				"push after each, to take them along", strings.Join(paths, ", "))})
	}
}
