package push

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/accepted"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
)

// conclude remembers what was judged: files that are missed for the first time, and files that are there again. It
// tells the keys of files that are gone.
func (r *sourcePass) conclude(a *accepted.Sources) error {
	for _, problem := range a.Problems {
		r.answer(problem)
	}
	if r.o.DryRun {
		return nil
	}
	here := make(map[ledger.Source]bool)
	for _, s := range a.Tree.Sources {
		here[s.ID()] = true
	}
	return r.branch.Ledger.Update(func(tx ledger.Writer) error {
		for _, at := range a.Missed {
			r.branch.Log.Info("a source file is not there; it counts as deleted when it is still missing at a later look")
			absence := ledger.Absence{At: r.branch.Now().UTC(), Run: r.branch.Run}
			if err := ledger.Missing.Put(tx, r.branch.StateName(), at.ID(), absence); err != nil {
				return err
			}
		}
		for _, at := range a.All() {
			if !here[at] && !slices.ContainsFunc(a.Moves, func(m ledger.Move) bool { return m.From == at }) {
				continue
			}
			if err := ledger.Missing.Delete(tx, r.branch.StateName(), at.ID()); err != nil {
				return err
			}
		}
		for _, at := range a.Gone {
			slot := ledger.Removed.Of(r.branch.StateName(), at)
			before, err := tx.Marks(slot)
			if err != nil {
				return err
			}
			r.orphaned(at, before, a.Files[at], a.Living[at.Collection], nil)
			if err := tx.SetMarks(slot, a.Files[at]); err != nil {
				return err
			}
		}
		return rememberMoves(tx, r.branch.StateName(), a)
	})
}

// orphaned tells which keys a file lost since the last push, and the new ones with their texts, of which none is taken
// for the same key.
func (r *sourcePass) orphaned(
	at ledger.Source, before, now catalog.Marks, living map[string]bool, twins map[catalog.Name][]string,
) {
	told := make(map[string]bool)
	for _, n := range now.Names() {
		if _, old := before[n]; !old && !living[n.Key] && !told[n.Key] {
			told[n.Key] = true
			p := accepted.Orphan(at, n.Key, r.branch.Project.SourceLanguage)
			if twins := twins[n]; len(twins) > 0 {
				p.Problem += fmt.Sprintf(". Its text is under %s now; which key has become which is not guessed. "+
					"Rename one key at a time, with a push after each, to take translations along", strings.Join(twins, ", "))
			}
			r.report.Orphaned = append(r.report.Orphaned, p)
		}
	}
}
